/* A crowd to look at: N processes of T threads each, a share of which runs; gone when the parent is.
 * usage: spawn PROCESSES [THREADS [PERCENT_RUNNING]]. Prints "ready" when all are there. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void *wait_for_ever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

/* A little work now and then: enough that every look finds new CPU time. */
static void run(void)
{
	for (;;) {
		for (volatile unsigned i = 0; i < 20000; i++)
			;
		usleep(200000);
	}
}

static void child(long threads, int runs)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == 1)
		_exit(0);
	for (long t = 1; t < threads; t++) {
		pthread_attr_t attr;
		pthread_t id;

		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 65536);
		if (pthread_create(&id, &attr, wait_for_ever, NULL))
			_exit(1);
	}
	if (runs)
		run();
	wait_for_ever(NULL);
}

int main(int argc, char **argv)
{
	long processes = argc > 1 ? atol(argv[1]) : 0, threads = argc > 2 ? atol(argv[2]) : 1;
	long percent = argc > 3 ? atol(argv[3]) : 0;

	if (processes < 1 || threads < 1 || percent < 0 || percent > 100) {
		fputs("usage: spawn PROCESSES [THREADS [PERCENT_RUNNING]]\n", stderr);
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	for (long i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("spawn: fork");
			return 1;
		}
		if (!pid)
			child(threads, i * percent / 100 != (i + 1) * percent / 100);
	}
	puts("ready");
	fflush(stdout);
	wait_for_ever(NULL);
	return 0;
}

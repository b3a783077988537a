/* A crowd to look at: N processes of T threads each, a share of which runs; gone when the parent is.
 * usage: spawn PROCESSES [THREADS [PERCENT_RUNNING [DESCRIPTORS [CLIENTS [DEVICE]]]]]. Each process opens so many
 * descriptors (ends of pipes of its own), and CLIENTS of them, spread over the crowd, open DEVICE (/dev/ptmx) three times
 * beside. Prints "ready" when all are there. */
#include <fcntl.h>
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

/* One byte through a pipe. */
static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(1);
}

static void open_all(long descriptors, const char *device)
{
	int ends[2];

	for (long i = 0; i < descriptors; i += 2) {
		if (pipe(ends))
			_exit(1);
		if (i + 1 == descriptors)
			close(ends[1]);
	}
	for (int i = 0; device && i < 3; i++)
		if (open(device, O_RDWR | O_NOCTTY | O_CLOEXEC) < 0)
			_exit(1);
}

struct crowd {
	long processes, threads, percent, descriptors, clients;
	const char *device;
};

static int is_one_of(long i, long part, long whole)
{
	return i * part / whole != (i + 1) * part / whole;
}

static void child(const struct crowd *c, long index, int ready)
{
	long threads = c->threads;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == 1)
		_exit(0);
	open_all(c->descriptors, is_one_of(index, c->clients, c->processes) ? c->device : NULL);
	for (long t = 1; t < threads; t++) {
		pthread_attr_t attr;
		pthread_t id;

		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 65536);
		if (pthread_create(&id, &attr, wait_for_ever, NULL))
			_exit(1);
	}
	tell(ready);
	close(ready);
	if (is_one_of(index, c->percent, 100))
		run();
	wait_for_ever(NULL);
}

static int parse(struct crowd *c, int argc, char **argv)
{
	*c = (struct crowd){.processes = argc > 1 ? atol(argv[1]) : 0,
		.threads = argc > 2 ? atol(argv[2]) : 1,
		.percent = argc > 3 ? atol(argv[3]) : 0,
		.descriptors = argc > 4 ? atol(argv[4]) : 0,
		.clients = argc > 5 ? atol(argv[5]) : 0,
		.device = argc > 6 ? argv[6] : "/dev/ptmx"};
	return c->processes < 1 || c->threads < 1 || c->percent < 0 || c->percent > 100 ||
	       c->descriptors < 0 || c->clients < 0 || c->clients > c->processes;
}

int main(int argc, char **argv)
{
	struct crowd c;
	int ready[2];
	char byte;

	if (parse(&c, argc, argv)) {
		fputs("usage: spawn PROCESSES [THREADS [PERCENT_RUNNING [DESCRIPTORS [CLIENTS "
		      "[DEVICE]]]]]\n",
			stderr);
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (pipe(ready)) {
		perror("spawn: pipe");
		return 1;
	}
	for (long i = 0; i < c.processes; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("spawn: fork");
			return 1;
		}
		if (!pid) {
			close(ready[0]);
			child(&c, i, ready[1]);
		}
	}
	close(ready[1]);
	for (long i = 0; i < c.processes; i++)
		if (read(ready[0], &byte, 1) != 1) {
			fputs("spawn: a process could not open what it was to\n", stderr);
			return 1;
		}
	close(ready[0]);
	puts("ready");
	fflush(stdout);
	wait_for_ever(NULL);
	return 0;
}

/* The ten processes that used the CPUs most over one second.
 *
 *     cc -o processes processes.c $(pkg-config --cflags --libs tare) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare.h>
#include <unistd.h>

enum { TOP = 10 };

/* Keep the busiest, the busiest first. */
static void keep(struct tare_process *top, size_t *n, const struct tare_process *p)
{
	size_t at = *n < TOP ? (*n)++ : TOP;

	while (at && top[at - 1].cpu_percent < p->cpu_percent) {
		if (at < TOP)
			top[at] = top[at - 1];
		at--;
	}
	if (at < TOP)
		top[at] = *p;
}

int main(void)
{
	const struct tare_options options = {.size = sizeof(options),
		.want = TARE_WANT_PROCESS | TARE_WANT_PROCESS_CPU | TARE_WANT_PROCESS_MEMORY |
			TARE_WANT_PROCESS_USER};
	struct tare_process top[TOP], p = {.size = sizeof(p)};
	size_t n = 0, at = 0;
	struct tare *t;

	if (tare_open(&t, &options) < 0)
		return EXIT_FAILURE;
	tare_refresh(t);
	sleep(1);
	if (tare_refresh(t) < 0) {
		fprintf(stderr, "%s\n", tare_error(t));
		return EXIT_FAILURE;
	}
	while (tare_process_next(t, &at, &p) > 0)
		if (TARE_HAS(p, TARE_PROCESS_CPU))
			keep(top, &n, &p);
	printf("%7s %-10s %6s %9s  %s\n", "PID", "USER", "CPU%", "RES KiB", "NAME");
	for (size_t i = 0; i < n; i++) {
		char user[16], name[32];

		tare_safe_text(user, sizeof(user), top[i].user.data, top[i].user.len);
		tare_safe_text(name, sizeof(name), top[i].command.data, top[i].command.len);
		printf("%7u %-10s %6.1f %9llu  %s\n", (unsigned int)top[i].pid, user,
			top[i].cpu_percent, (unsigned long long)top[i].resident_bytes / 1024, name);
	}
	tare_close(t);
	return EXIT_SUCCESS;
}

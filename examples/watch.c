/* One process: CPU, memory and I/O each half second until it ends. */
#include <stdio.h>
#include <stdlib.h>
#include <tare.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct tare_options options = {.size = sizeof(options),
		.want = TARE_WANT_PROCESS | TARE_WANT_PROCESS_CPU | TARE_WANT_PROCESS_MEMORY |
			TARE_WANT_PROCESS_IO,
		.flags = TARE_KEEP_ENDED};
	uint32_t pid = argc == 2 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	struct tare_process p = {.size = sizeof(p)};
	struct tare *t;

	if (!pid) {
		fprintf(stderr, "usage: watch PID\n");
		return 2;
	}
	if (tare_open(&t, &options) < 0)
		return EXIT_FAILURE;
	tare_pids(t, &pid, 1);
	for (;;) {
		size_t at = 0;

		if (tare_refresh(t) < 0 || tare_process_next(t, &at, &p) <= 0) {
			puts("there is no such process");
			break;
		}
		/* gone, or only its parent has not asked for its status yet */
		if (p.ended || (p.state.len && p.state.data[0] == 'Z')) {
			printf("ended after %.2f s of CPU time\n", p.cpu_time_seconds);
			break;
		}
		/* the first look has nothing to compare with */
		if (TARE_HAS(p, TARE_PROCESS_CPU))
			printf("cpu %6.1f %%  resident %8llu KiB  read %10.0f B/s  written %10.0f "
			       "B/s\n",
				p.cpu_percent, (unsigned long long)p.resident_bytes / 1024,
				p.io_read_bytes_per_second, p.io_written_bytes_per_second);
		fflush(stdout);
		usleep(500000);
	}
	tare_close(t);
	return EXIT_SUCCESS;
}

#include "base/clock.h"

#include <time.h>

static u64 read_ns(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts))
		return 0;
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

void clock_init(struct clock *clock)
{
	*clock = (struct clock){0};
}

void clock_script(struct clock *clock, const struct stamp *at)
{
	clock->scripted = true;
	clock->at = *at;
}

void clock_read(const struct clock *clock, struct stamp *out)
{
	clock_read_row(clock, out);
	if (!clock->scripted)
		out->real_ns = read_ns(CLOCK_REALTIME);
}

void clock_read_row(const struct clock *clock, struct stamp *out)
{
	if (clock->scripted) {
		*out = clock->at;
		return;
	}
	out->mono_ns = read_ns(CLOCK_MONOTONIC);
	out->boot_ns = read_ns(CLOCK_BOOTTIME);
	out->real_ns = 0;
}

u64 clock_mono_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

u64 clock_thread_cpu_ns(void)
{
	return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

u64 clock_process_cpu_ns(void)
{
	return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

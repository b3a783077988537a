#include "cmd/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/safe.h"
#include "cmd/cmd.h"
#include "trace/packets.h"

extern char **environ;

enum waited { WAITED_DRAIN, WAITED_SIGNAL, WAITED_CHILD };

struct recording {
	const struct record_arguments *a;
	const struct root *root;
	const struct clock *clock;
	struct trace_writer writer;
	struct drain drain;
	char name[128];
	int out, epoll, signals, child_fd;
	pid_t child;
	int child_status; /* as waitpid() gives it */
	bool ended;       /* a signal, or the command is done */
	u64 began_ns, cpu_ns, flushed_ns;
};

static int fail(const char *what, int code)
{
	char safe[256];

	safe_text(safe, sizeof(safe), what, strlen(what));
	fprintf(stderr, "tare record: %s: %s\n", safe, strerror(code));
	return EXIT_FAILED;
}

static int open_output(struct recording *r)
{
	time_t now = time(NULL);
	struct tm tm;

	if (r->a->output) {
		snprintf(r->name, sizeof(r->name), "%s", r->a->output);
	} else {
		localtime_r(&now, &tm);
		strftime(r->name, sizeof(r->name), "tare-%Y%m%d-%H%M%S.pftrace", &tm);
	}
	if (r->a->output && !strcmp(r->a->output, "-")) {
		r->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		if (isatty(r->out))
			return fail("standard output is a terminal", EINVAL);
	} else {
		r->out = open(r->a->output ? r->a->output : r->name,
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	}
	return r->out < 0 ? fail(r->name, errno) : 0;
}

static int watch(struct recording *r, int fd, u32 what)
{
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = what};

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static int open_waits(struct recording *r)
{
	sigset_t set;
	int ret;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->signals < 0 || r->epoll < 0)
		return -errno;
	ret = watch(r, r->signals, WAITED_SIGNAL);
	for (u32 i = 0; !ret && r->drain.watermark && i < r->drain.ncpus; i++)
		ret = watch(r, r->drain.cpus[i].fd, WAITED_DRAIN);
	return ret;
}

static int start_command(struct recording *r)
{
	posix_spawnattr_t attr;
	sigset_t none, pipes;
	int ret;

	if (!r->a->command)
		return 0;
	sigemptyset(&none);
	sigemptyset(&pipes);
	sigaddset(&pipes, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &pipes);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	ret = posix_spawnp(&r->child, r->a->command[0], NULL, &attr, r->a->command, environ);
	posix_spawnattr_destroy(&attr);
	if (ret) {
		r->child = 0;
		return -ret;
	}
	r->child_fd = (int)syscall(SYS_pidfd_open, r->child, 0);
	return r->child_fd < 0 ? -errno : watch(r, r->child_fd, WAITED_CHILD);
}

static void take_signal(struct recording *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		/* a terminal has sent its own to the command too */
		if (r->child && info.ssi_code <= 0)
			kill(r->child, (int)info.ssi_signo);
		r->ended |= !r->child;
	}
}

/* Milliseconds until something has to be done whether or not anything happens. */
static int patience(const struct recording *r)
{
	u64 now = clock_mono_ns(), until = r->a->period_ns, end = r->began_ns + r->a->duration_ns;

	if (!r->drain.watermark)
		until = min_u64(until, 10 * NSEC_PER_MSEC);
	if (r->a->duration_ns)
		until = min_u64(until, end > now ? end - now : 0);
	return (int)min_u64((until + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC, 1u << 30);
}

static int wait_some(struct recording *r, bool again)
{
	struct epoll_event events[64];
	int n = epoll_wait(r->epoll, events, ARRAY_LEN(events), again ? 0 : patience(r));

	for (int i = 0; i < n; i++) {
		if (events[i].data.u32 == WAITED_SIGNAL)
			take_signal(r);
		if (events[i].data.u32 == WAITED_CHILD)
			r->ended = true;
	}
	if (r->a->duration_ns && clock_mono_ns() >= r->began_ns + r->a->duration_ns)
		r->ended = true;
	return n < 0 && errno != EINTR ? -errno : 0;
}

static int drain_loop(struct recording *r)
{
	bool again = false;
	int ret = 0;

	while (!ret && !r->ended) {
		u64 now;

		ret = wait_some(r, again);
		if (!ret)
			ret = drain_turn(&r->drain, &again);
		now = clock_mono_ns();
		if (!ret && now - r->flushed_ns >= NSEC_PER_SEC) {
			r->flushed_ns = now;
			ret = trace_flush(&r->writer);
		}
	}
	return ret;
}

/* The command goes on when its time is over: it is asked to end. */
static void end_command(struct recording *r)
{
	if (!r->child)
		return;
	if (r->a->duration_ns)
		kill(r->child, SIGTERM);
	while (waitpid(r->child, &r->child_status, 0) < 0 && errno == EINTR)
		;
}

static int write_head(struct recording *r)
{
	int ret = trace_clocks(&r->writer, r->clock);

	if (!ret)
		ret = trace_system(&r->writer);
	if (!ret)
		ret = drain_write_stats(&r->drain, 1);
	return ret ? ret : trace_flush(&r->writer);
}

static int write_tail(struct recording *r)
{
	int ret = drain_stop(&r->drain);

	if (!ret)
		ret = drain_write_stats(&r->drain, 2);
	if (!ret)
		ret = trace_processes(&r->writer, r->root);
	return ret ? ret : trace_flush(&r->writer);
}

static u64 lost(const struct recording *r)
{
	u64 n = 0;

	for (u32 i = 0; i < r->drain.ncpus; i++) {
		struct ring_stats s;

		if (!drain_stats(&r->drain, i, &s))
			n += s.overrun + s.dropped;
	}
	return n;
}

static u64 captured(const struct recording *r)
{
	u64 n = 0;

	for (u32 i = 0; i < r->drain.ncpus; i++)
		n += r->drain.bundler.cpus[i].events;
	return n;
}

static void summary(const struct recording *r, u64 lost_events)
{
	u64 events = captured(r), cpu = clock_process_cpu_ns() - r->cpu_ns;
	double seconds = (double)(clock_mono_ns() - r->began_ns) / 1e9;
	const struct bundler *b = &r->drain.bundler;
	u64 bad = 0;

	fprintf(stderr,
		"tare record: %" PRIu64 " events in %.2f s, %" PRIu64 " lost; %" PRIu64
		" bytes (%.1f an event) in %s; own CPU %.3f s, %.1f ns an event\n",
		events, seconds, lost_events, r->writer.written,
		events ? (double)r->writer.written / (double)events : 0.0, r->name,
		(double)cpu / 1e9, events ? (double)cpu / (double)events : 0.0);
	for (u32 i = PAGE_FINE + 1; i < PAGE_PROBLEMS; i++)
		bad += b->problems[i];
	if (r->a->drain.subbuffer_bytes && r->a->drain.subbuffer_bytes != r->drain.subbuffer)
		fprintf(stderr, "tare record: this kernel did not take --chunk: %u bytes a read\n",
			r->drain.subbuffer);
	if (bad)
		fprintf(stderr,
			"tare record: %" PRIu64
			" pages of the ring could not be read to their end\n",
			bad);
	if (lost_events)
		fprintf(stderr,
			"tare record: the buffers were too small: --buffer-size %" PRIu64
			"M may have done\n",
			(r->drain.buffer_bytes * 4) >> 20);
}

static int status_of(const struct recording *r, u64 lost_events)
{
	if (r->a->fail_on_loss && lost_events)
		return EXIT_LOST;
	if (!r->child)
		return EXIT_DONE;
	return WIFEXITED(r->child_status) ? WEXITSTATUS(r->child_status)
					  : 128 + WTERMSIG(r->child_status);
}

/* Everything between the instance's making and its end. */
static int run(struct recording *r)
{
	u64 lost_events;
	int ret = open_waits(r), stopped;

	if (ret)
		return fail("waiting", -ret);
	ret = write_head(r);
	if (!ret)
		ret = drain_start(&r->drain);
	r->began_ns = r->flushed_ns = clock_mono_ns();
	r->cpu_ns = clock_process_cpu_ns();
	if (!ret) {
		ret = start_command(r);
		if (ret)
			return fail(r->a->command[0], -ret);
		ret = drain_loop(r);
	}
	stopped = write_tail(r);
	lost_events = lost(r);
	end_command(r);
	summary(r, lost_events);
	if (ret || stopped) {
		/* half a packet at the end would hide that something is missing */
		if (ftruncate(r->out, (off_t)r->writer.whole) && errno != EINVAL)
			fail(r->name, errno);
		return fail(r->name, ret ? -ret : -stopped);
	}
	return status_of(r, lost_events);
}

int record_run(const struct record_arguments *a, const struct root *root, const struct clock *clock)
{
	struct recording r = {.a = a,
		.root = root,
		.clock = clock,
		.out = -1,
		.epoll = -1,
		.signals = -1,
		.child_fd = -1};
	struct err err;
	int ret = open_output(&r);

	if (ret)
		return ret;
	if (trace_writer_open(&r.writer, r.out, BUNDLE_WRITER))
		return fail(r.name, ENOMEM);
	if (drain_open(&r.drain, root, &r.writer, &a->drain, &err)) {
		fprintf(stderr, "tare record: %s\n", err.msg);
		ret = EXIT_FAILED;
	} else {
		ret = run(&r);
		drain_close(&r.drain);
	}
	trace_writer_close(&r.writer);
	close(r.out);
	return ret;
}

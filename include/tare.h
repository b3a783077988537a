/* libtare: what a Linux machine and its processes are doing, by the counters that kernel and devices keep.
 *
 *     struct tare *t;
 *     if (tare_open(&t, NULL) < 0) …
 *     tare_refresh(t);                  the baseline
 *     sleep(1);
 *     tare_refresh(t);                  what happened since
 *     struct tare_process p = {.size = sizeof(p)};
 *     for (size_t at = 0; tare_process_next(t, &at, &p) > 0;)
 *             if (TARE_HAS(p, TARE_PROCESS_CPU)) … p.cpu_percent …
 *     tare_close(t);
 *
 * Rates are over the time between two refreshes, each value over its own window; a window too short for what the kernel
 * counts in (a fifth of a second and more is enough for all) gives none. A value that could not be measured is absent,
 * never 0: look at `have` (or at a value's state) before you look at it.
 *
 * Functions return 0 or more, or a negative errno; -EINVAL before all else for a structure without a size. There is no
 * global state, and the program's rights, limits and signals stay as they are: handles may be used by different threads
 * at the same time, one handle by one thread at a time. Texts are raw bytes from strangers, not terminated, valid until
 * the handle's next refresh; tare_safe_text() makes them safe to print. Structures that the caller provides begin with
 * their size, set by the caller, so that later versions can be larger: what a version does not know it leaves as it was. */
#ifndef TARE_H
#define TARE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tare;

/* What a refresh reads. What nobody wants costs nothing. */
#define TARE_WANT_SYSTEM             (1ull << 0)
#define TARE_WANT_CPU                (1ull << 1)
#define TARE_WANT_MEMORY             (1ull << 2)
#define TARE_WANT_SWAP               (1ull << 3)
#define TARE_WANT_PRESSURE           (1ull << 4)
#define TARE_WANT_CGROUP             (1ull << 5)
#define TARE_WANT_DISK               (1ull << 6)
#define TARE_WANT_FILESYSTEM         (1ull << 7)
#define TARE_WANT_NETWORK            (1ull << 8)
#define TARE_WANT_ENERGY             (1ull << 9)
#define TARE_WANT_SENSOR             (1ull << 10)
#define TARE_WANT_BATTERY            (1ull << 11)
#define TARE_WANT_GPU                (1ull << 12)
#define TARE_WANT_GPU_CLIENT         (1ull << 13)
#define TARE_WANT_SELF               (1ull << 14) /* what this library costs */
#define TARE_WANT_PROCESS            (1ull << 20) /* number, parent, state, name, start */
#define TARE_WANT_PROCESS_CPU        (1ull << 21)
#define TARE_WANT_PROCESS_MEMORY     (1ull << 22)
#define TARE_WANT_PROCESS_IO         (1ull << 23)
#define TARE_WANT_PROCESS_USER       (1ull << 24)
#define TARE_WANT_PROCESS_CMDLINE    (1ull << 25)
#define TARE_WANT_PROCESS_EXE        (1ull << 26)
#define TARE_WANT_PROCESS_CWD        (1ull << 27)
#define TARE_WANT_PROCESS_CGROUP     (1ull << 28)
#define TARE_WANT_PROCESS_SWITCHES   (1ull << 29) /* and time spent waiting for a CPU */
#define TARE_WANT_PROCESS_FILES      (1ull << 30)
#define TARE_WANT_PROCESS_GPU        (1ull << 31) /* use of GPUs */
#define TARE_WANT_PROCESS_GPU_MEMORY (1ull << 32)
#define TARE_WANT_THREAD             (1ull << 40) /* the table "thread", with the same columns */
#define TARE_WANT_EXITED \
	(1ull << 41) /* the tables "exited" and "attribution", from refresh to refresh */
#define TARE_WANT_PROCESS_PSS (1ull << 42) /* the column "pss" */
#define TARE_WANT_CPUIDLE     (1ull << 43) /* the table "cpuidle" */
/* All of the above up to bit 32 but working directories: what few look at, and what costs more, is asked for by name. */
#define TARE_WANT_USUAL (0x1fff07fffull & ~TARE_WANT_PROCESS_CWD)

/* Processes that ended since the last refresh are listed behind the others, marked, until the next. */
#define TARE_KEEP_ENDED (1u << 0)

struct tare_options {
	size_t size;
	uint64_t want;    /* 0: TARE_WANT_USUAL. More cannot be had later: tare_want() */
	uint32_t flags;   /* TARE_KEEP_ENDED */
	const char *root; /* a recorded machine's directory; NULL: this machine */
	const char *scan; /* how processes are looked at: "auto" (or NULL), "procfs", "bpf" */
	char *error;      /* tare_open: room for the reason in words, or NULL */
	size_t error_size;
};

/* options NULL: this machine, the usual tables. 0, or -EINVAL (an option), -EPERM (scan "bpf" is refused: rights, or a
 * kernel, build or recorded machine without it), what opening `root` gives (-ENOENT, -ENOTDIR, -EACCES), -ENOMEM, -EMFILE,
 * -ENFILE, -EAGAIN (no thread). What this machine does not have is no error: its tables are not there, or have no rows.
 * While BPF programs are loaded another function stands in the place of the one that libbpf prints with, which is the
 * whole program's. */
int tare_open(struct tare **out, const struct tare_options *options);
/* NULL is taken. */
void tare_close(struct tare *t);
/* Why tare_want, tare_pids or tare_refresh last failed on this handle, in words. Never NULL. */
const char *tare_error(const struct tare *t);
/* "0.1.0" */
const char *tare_version(void);

/* From the next refresh on read only these of what was opened; the numbers of tables change. A table that comes back is
 * measured since it was last read; a column of processes that comes back has no rates at its first refresh. -EINVAL: one
 * was not opened. */
int tare_want(struct tare *t, uint64_t want);
/* From now on only these processes are walked and found, of those that the newest refresh knows: new ones come with the
 * next; n 0: all. Without BPF the others are not read, and not in the tables of the next refresh either. */
int tare_pids(struct tare *t, const uint32_t *pids, size_t n);
/* Read, and take the difference to the refresh before. Waits for what is read by threads: a quarter of a second at most for
 * GPUs that answer slowly (three seconds at the first refresh), at the first refresh as long for filesystems and sensors,
 * which later are as new as their last reading. 0; -ENODATA: a recorded machine is at its end. */
int tare_refresh(struct tare *t);

/* Every table, row and column, by number. Names, units and meaning are those of tare-tables(7). */
enum tare_state {
	TARE_ABSENT,
	TARE_VALUE,
	TARE_HELD, /* a counter that stepped back and is held, or an older gauge */
	TARE_APPROXIMATE,
};

enum tare_kind {
	TARE_GAUGE,   /* true at an instant */
	TARE_COUNTER, /* over a window */
	TARE_TEXT,
	TARE_DERIVED, /* computed from others of its row */
};

struct tare_column {
	size_t size;
	enum tare_kind kind;
	const char *name, *title, *help; /* valid for ever, as all of these */
	const char *unit;                /* of `number`: "%", "B/s", "W", "s", "" … */
};

struct tare_value {
	size_t size;
	enum tare_state state;
	const char *reason; /* absent: a word such as "permission", "first"; else "" */
	double number;      /* in the column's unit */
	uint64_t
		raw; /* as the kernel or device counts; counters: cumulative, of sums the difference */
	const char *text;
	size_t text_len;
	uint64_t window_ns; /* of the row */
};

/* The row of sums, where a column has one. */
#define TARE_TOTAL SIZE_MAX

size_t tare_table_count(const struct tare *t);
/* NULL: there is no such table. */
const char *tare_table_name(const struct tare *t, size_t table);
/* Number of the table, or -ENOENT. */
int tare_table_find(const struct tare *t, const char *name);
size_t tare_row_count(const struct tare *t, size_t table);
size_t tare_column_count(const struct tare *t, size_t table);
/* Number of the column, or -ENOENT. */
int tare_column_find(const struct tare *t, size_t table, const char *name);
int tare_column(const struct tare *t, size_t table, size_t column, struct tare_column *out);
/* -ENOENT: there is no such row or column. An absent value is no error. */
int tare_value(
	const struct tare *t, size_t table, size_t row, size_t column, struct tare_value *out);
/* May rows be missing, since this user may not see them? */
int tare_partial(const struct tare *t, size_t table);

struct tare_text {
	const char *data;
	size_t len;
};

/* Does the structure have this field? */
#define TARE_HAS(s, field) (((s).have >> (field)) & 1)

/* Bits of tare_process.have. */
enum tare_process_field {
	TARE_PROCESS_PPID,
	TARE_PROCESS_UID,
	TARE_PROCESS_GID,
	TARE_PROCESS_THREADS,
	TARE_PROCESS_PROCESSOR,
	TARE_PROCESS_STARTED,
	TARE_PROCESS_TIME,
	TARE_PROCESS_CPU,
	TARE_PROCESS_USER_CPU,
	TARE_PROCESS_SYSTEM_CPU,
	TARE_PROCESS_WAIT,
	TARE_PROCESS_VIRTUAL,
	TARE_PROCESS_RESIDENT,
	TARE_PROCESS_SHARED,
	TARE_PROCESS_SWAP,
	TARE_PROCESS_MINOR_FAULTS,
	TARE_PROCESS_MAJOR_FAULTS,
	TARE_PROCESS_DISK_READ,
	TARE_PROCESS_DISK_WRITTEN,
	TARE_PROCESS_IO_READ,
	TARE_PROCESS_IO_WRITTEN,
	TARE_PROCESS_VOLUNTARY,
	TARE_PROCESS_INVOLUNTARY,
	TARE_PROCESS_FILES,
	TARE_PROCESS_GPU,
	TARE_PROCESS_GPU_MEMORY,
	TARE_PROCESS_STATE,
	TARE_PROCESS_COMMAND,
	TARE_PROCESS_CMDLINE,
	TARE_PROCESS_USER,
	TARE_PROCESS_EXE,
	TARE_PROCESS_CWD,
	TARE_PROCESS_CGROUP,
	TARE_PROCESS_CONTAINER,
	TARE_PROCESS_GPUS,
};

struct tare_process {
	size_t size;
	uint64_t have;
	uint64_t window_ns; /* of its rates; 0: it has none yet */
	uint32_t pid;
	int ended; /* TARE_KEEP_ENDED: it is gone, this is its last state, without rates */
	uint64_t ppid, uid, gid, threads, processor;
	double age_seconds;                                       /* since it started */
	double cpu_time_seconds;                                  /* since it started */
	double cpu_percent, user_cpu_percent, system_cpu_percent; /* 100: one CPU */
	double wait_percent;                                      /* it could run and had no CPU */
	uint64_t virtual_bytes, resident_bytes, shared_bytes, swap_bytes;
	double minor_faults_per_second, major_faults_per_second;
	double disk_read_bytes_per_second, disk_written_bytes_per_second;
	double io_read_bytes_per_second, io_written_bytes_per_second;
	double voluntary_switches_per_second, involuntary_switches_per_second;
	uint64_t files;
	double gpu_percent; /* all engines of all GPUs; 100: one class of engines */
	uint64_t gpu_memory_bytes;
	struct tare_text state; /* a letter as in ps(1): R, S, D, T, Z … */
	struct tare_text command, cmdline, user, exe, cwd, cgroup, container, gpus;
};

/* The next process in order of numbers, behind them those that ended: *cursor begins at 0. 1, 0 at the end, or -EINVAL. */
int tare_process_next(const struct tare *t, size_t *cursor, struct tare_process *out);
/* 0, or -ESRCH. */
int tare_process_find(const struct tare *t, uint32_t pid, struct tare_process *out);
/* What its environment was when it began ("NAME=value" with a NUL behind each), and its root directory: read now. The number
 * of bytes in out, at most size, not terminated; or -ESRCH, -EACCES, -EINVAL (no room for a root). */
long tare_process_environment(struct tare *t, uint32_t pid, char *out, size_t size);
long tare_process_root(struct tare *t, uint32_t pid, char *out, size_t size);

enum tare_cpu_field {
	TARE_CPU_NAME,
	TARE_CPU_ONLINE,
	TARE_CPU_BUSY,
	TARE_CPU_USER,
	TARE_CPU_SYSTEM,
	TARE_CPU_IRQ,
	TARE_CPU_STEAL,
	TARE_CPU_IOWAIT,
	TARE_CPU_IDLE,
	TARE_CPU_FREQUENCY,
};

struct tare_cpu {
	size_t size;
	uint64_t have, window_ns;
	struct tare_text name;
	uint64_t online;
	double busy_percent, user_percent, system_percent, irq_percent, steal_percent,
		iowait_percent, idle_percent, frequency_hertz;
};

enum tare_memory_field {
	TARE_MEMORY_TOTAL,
	TARE_MEMORY_USED,
	TARE_MEMORY_AVAILABLE,
	TARE_MEMORY_FREE,
	TARE_MEMORY_CACHE,
	TARE_MEMORY_BUFFERS,
	TARE_MEMORY_SHARED,
	TARE_MEMORY_SWAP_TOTAL,
	TARE_MEMORY_SWAP_USED,
};

struct tare_memory {
	size_t size;
	uint64_t have, window_ns;
	uint64_t total_bytes, used_bytes, available_bytes, free_bytes, cache_bytes, buffers_bytes,
		shared_bytes, swap_total_bytes, swap_used_bytes;
};

enum tare_disk_field {
	TARE_DISK_NAME,
	TARE_DISK_KIND,
	TARE_DISK_READ,
	TARE_DISK_WRITTEN,
	TARE_DISK_READS,
	TARE_DISK_WRITES,
	TARE_DISK_BUSY,
	TARE_DISK_LATENCY,
	TARE_DISK_QUEUE,
	TARE_DISK_SIZE,
};

struct tare_disk {
	size_t size;
	uint64_t have, window_ns;
	struct tare_text name, kind;
	double read_bytes_per_second, written_bytes_per_second, reads_per_second, writes_per_second,
		busy_percent, latency_seconds, queue;
	uint64_t size_bytes;
};

enum tare_network_field {
	TARE_NETWORK_NAME,
	TARE_NETWORK_KIND,
	TARE_NETWORK_UP,
	TARE_NETWORK_SPEED,
	TARE_NETWORK_RX,
	TARE_NETWORK_TX,
	TARE_NETWORK_RX_PACKETS,
	TARE_NETWORK_TX_PACKETS,
	TARE_NETWORK_RX_ERRORS,
	TARE_NETWORK_TX_ERRORS,
	TARE_NETWORK_RX_DROPPED,
	TARE_NETWORK_TX_DROPPED,
};

struct tare_network {
	size_t size;
	uint64_t have, window_ns;
	struct tare_text name, kind;
	uint64_t up, speed_bits_per_second;
	double rx_bytes_per_second, tx_bytes_per_second, rx_packets_per_second,
		tx_packets_per_second, rx_errors_per_second, tx_errors_per_second,
		rx_dropped_per_second, tx_dropped_per_second;
};

enum tare_gpu_field {
	TARE_GPU_NUMBER,
	TARE_GPU_NAME,
	TARE_GPU_DEVICE,
	TARE_GPU_DRIVER,
	TARE_GPU_STATE,
	TARE_GPU_BUSY,
	TARE_GPU_MEMORY_USED,
	TARE_GPU_MEMORY_TOTAL,
	TARE_GPU_TEMPERATURE,
	TARE_GPU_POWER,
	TARE_GPU_POWER_CAP,
	TARE_GPU_CLOCK,
	TARE_GPU_FAN,
	TARE_GPU_SLOWED,
	TARE_GPU_HEALTH,
	TARE_GPU_PROCESSES,
};

struct tare_gpu {
	size_t size;
	uint64_t have, window_ns;
	struct tare_text number, name, device, driver,
		state; /* state "asleep": it was left asleep */
	double busy_percent;
	uint64_t memory_used_bytes, memory_total_bytes;
	double temperature_celsius, power_watts, power_cap_watts, clock_hertz, fan_percent;
	struct tare_text slowed, health;
	uint64_t processes;
};

enum tare_gpu_client_field {
	TARE_GPU_CLIENT_PID,
	TARE_GPU_CLIENT_GPU,
	TARE_GPU_CLIENT_COMMAND,
	TARE_GPU_CLIENT_DRIVER,
	TARE_GPU_CLIENT_BUSY,
	TARE_GPU_CLIENT_MEMORY,
	TARE_GPU_CLIENT_HOLDERS,
};

struct tare_gpu_client {
	size_t size;
	uint64_t have, window_ns;
	uint64_t pid;
	struct tare_text gpu, command, driver;
	double busy_percent;
	uint64_t memory_bytes, holders;
};

enum tare_sensor_field {
	TARE_SENSOR_LABEL,
	TARE_SENSOR_CHIP,
	TARE_SENSOR_KIND,
	TARE_SENSOR_STATE,
	TARE_SENSOR_TEMPERATURE,
	TARE_SENSOR_FAN,
	TARE_SENSOR_VOLTAGE,
	TARE_SENSOR_CURRENT,
	TARE_SENSOR_POWER,
	TARE_SENSOR_HIGH,
	TARE_SENSOR_CRITICAL,
};

struct tare_sensor {
	size_t size;
	uint64_t have, window_ns;
	struct tare_text label, chip, kind, state;
	double temperature_celsius, fan_rpm, volts, amperes, watts, high_celsius, critical_celsius;
};

/* As tare_process_next. tare_memory has one row: 0, or -ENOENT when it was not read. */
int tare_cpu_next(const struct tare *t, size_t *cursor, struct tare_cpu *out);
int tare_memory(const struct tare *t, struct tare_memory *out);
int tare_disk_next(const struct tare *t, size_t *cursor, struct tare_disk *out);
int tare_network_next(const struct tare *t, size_t *cursor, struct tare_network *out);
int tare_gpu_next(const struct tare *t, size_t *cursor, struct tare_gpu *out);
int tare_gpu_client_next(const struct tare *t, size_t *cursor, struct tare_gpu_client *out);
int tare_sensor_next(const struct tare *t, size_t *cursor, struct tare_sensor *out);

/* Text for a terminal: control characters and bad UTF-8 are replaced, cut to size, terminated. Length without the NUL. */
size_t tare_safe_text(char *out, size_t size, const char *text, size_t len);

#ifdef __cplusplus
}
#endif

#endif

/* Everything the walkers of libtare give on a recorded machine, a value a line: "kind row member value".
 * library.py compares it with what a snapshot of the same machine says. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare.h>

static void text(const char *kind, unsigned int row, const char *name, struct tare_text t)
{
	printf("%s %u %s \"%.*s\"\n", kind, row, name, (int)t.len, t.len ? t.data : "");
}

static void number(const char *kind, unsigned int row, const char *name, double value)
{
	printf("%s %u %s %.17g\n", kind, row, name, value);
}

static void count(const char *kind, unsigned int row, const char *name, uint64_t value)
{
	printf("%s %u %s %" PRIu64 "\n", kind, row, name, value);
}

#define TEXT(bit, member)            \
	if (TARE_HAS(r, TARE_##bit)) \
	text(kind, row, #member, r.member)
#define NUMBER(bit, member)          \
	if (TARE_HAS(r, TARE_##bit)) \
	number(kind, row, #member, r.member)
#define COUNT(bit, member)           \
	if (TARE_HAS(r, TARE_##bit)) \
	count(kind, row, #member, r.member)

static void show_process(unsigned int row, const struct tare_process *of)
{
	const char *kind = "process";
	const struct tare_process r = *of;

	count(kind, row, "pid", r.pid);
	COUNT(PROCESS_PPID, ppid);
	COUNT(PROCESS_UID, uid);
	COUNT(PROCESS_GID, gid);
	COUNT(PROCESS_THREADS, threads);
	COUNT(PROCESS_PROCESSOR, processor);
	NUMBER(PROCESS_STARTED, age_seconds);
	NUMBER(PROCESS_TIME, cpu_time_seconds);
	NUMBER(PROCESS_CPU, cpu_percent);
	NUMBER(PROCESS_USER_CPU, user_cpu_percent);
	NUMBER(PROCESS_SYSTEM_CPU, system_cpu_percent);
	NUMBER(PROCESS_WAIT, wait_percent);
	COUNT(PROCESS_VIRTUAL, virtual_bytes);
	COUNT(PROCESS_RESIDENT, resident_bytes);
	COUNT(PROCESS_SHARED, shared_bytes);
	COUNT(PROCESS_SWAP, swap_bytes);
	NUMBER(PROCESS_MINOR_FAULTS, minor_faults_per_second);
	NUMBER(PROCESS_MAJOR_FAULTS, major_faults_per_second);
	NUMBER(PROCESS_DISK_READ, disk_read_bytes_per_second);
	NUMBER(PROCESS_DISK_WRITTEN, disk_written_bytes_per_second);
	NUMBER(PROCESS_IO_READ, io_read_bytes_per_second);
	NUMBER(PROCESS_IO_WRITTEN, io_written_bytes_per_second);
	NUMBER(PROCESS_VOLUNTARY, voluntary_switches_per_second);
	NUMBER(PROCESS_INVOLUNTARY, involuntary_switches_per_second);
	COUNT(PROCESS_FILES, files);
	NUMBER(PROCESS_GPU, gpu_percent);
	COUNT(PROCESS_GPU_MEMORY, gpu_memory_bytes);
	TEXT(PROCESS_STATE, state);
	TEXT(PROCESS_COMMAND, command);
	TEXT(PROCESS_CMDLINE, cmdline);
	TEXT(PROCESS_USER, user);
	TEXT(PROCESS_EXE, exe);
	TEXT(PROCESS_CWD, cwd);
	TEXT(PROCESS_CGROUP, cgroup);
	TEXT(PROCESS_CONTAINER, container);
	TEXT(PROCESS_GPUS, gpus);
}

static void show_cpu(unsigned int row, const struct tare_cpu *of)
{
	const char *kind = "cpu";
	const struct tare_cpu r = *of;

	TEXT(CPU_NAME, name);
	COUNT(CPU_ONLINE, online);
	NUMBER(CPU_BUSY, busy_percent);
	NUMBER(CPU_USER, user_percent);
	NUMBER(CPU_SYSTEM, system_percent);
	NUMBER(CPU_IRQ, irq_percent);
	NUMBER(CPU_STEAL, steal_percent);
	NUMBER(CPU_IOWAIT, iowait_percent);
	NUMBER(CPU_IDLE, idle_percent);
	NUMBER(CPU_FREQUENCY, frequency_hertz);
}

static void show_memory(unsigned int row, const struct tare_memory *of)
{
	const char *kind = "memory";
	const struct tare_memory r = *of;

	COUNT(MEMORY_TOTAL, total_bytes);
	COUNT(MEMORY_USED, used_bytes);
	COUNT(MEMORY_AVAILABLE, available_bytes);
	COUNT(MEMORY_FREE, free_bytes);
	COUNT(MEMORY_CACHE, cache_bytes);
	COUNT(MEMORY_BUFFERS, buffers_bytes);
	COUNT(MEMORY_SHARED, shared_bytes);
	COUNT(MEMORY_SWAP_TOTAL, swap_total_bytes);
	COUNT(MEMORY_SWAP_USED, swap_used_bytes);
}

static void show_disk(unsigned int row, const struct tare_disk *of)
{
	const char *kind = "disk";
	const struct tare_disk r = *of;

	TEXT(DISK_NAME, name);
	TEXT(DISK_KIND, kind);
	NUMBER(DISK_READ, read_bytes_per_second);
	NUMBER(DISK_WRITTEN, written_bytes_per_second);
	NUMBER(DISK_READS, reads_per_second);
	NUMBER(DISK_WRITES, writes_per_second);
	NUMBER(DISK_BUSY, busy_percent);
	NUMBER(DISK_LATENCY, latency_seconds);
	NUMBER(DISK_QUEUE, queue);
	COUNT(DISK_SIZE, size_bytes);
}

static void show_network(unsigned int row, const struct tare_network *of)
{
	const char *kind = "network";
	const struct tare_network r = *of;

	TEXT(NETWORK_NAME, name);
	TEXT(NETWORK_KIND, kind);
	COUNT(NETWORK_UP, up);
	COUNT(NETWORK_SPEED, speed_bits_per_second);
	NUMBER(NETWORK_RX, rx_bytes_per_second);
	NUMBER(NETWORK_TX, tx_bytes_per_second);
	NUMBER(NETWORK_RX_PACKETS, rx_packets_per_second);
	NUMBER(NETWORK_TX_PACKETS, tx_packets_per_second);
	NUMBER(NETWORK_RX_ERRORS, rx_errors_per_second);
	NUMBER(NETWORK_TX_ERRORS, tx_errors_per_second);
	NUMBER(NETWORK_RX_DROPPED, rx_dropped_per_second);
	NUMBER(NETWORK_TX_DROPPED, tx_dropped_per_second);
}

static void show_gpu(unsigned int row, const struct tare_gpu *of)
{
	const char *kind = "gpu";
	const struct tare_gpu r = *of;

	TEXT(GPU_NUMBER, number);
	TEXT(GPU_NAME, name);
	TEXT(GPU_DEVICE, device);
	TEXT(GPU_DRIVER, driver);
	TEXT(GPU_STATE, state);
	NUMBER(GPU_BUSY, busy_percent);
	COUNT(GPU_MEMORY_USED, memory_used_bytes);
	COUNT(GPU_MEMORY_TOTAL, memory_total_bytes);
	NUMBER(GPU_TEMPERATURE, temperature_celsius);
	NUMBER(GPU_POWER, power_watts);
	NUMBER(GPU_POWER_CAP, power_cap_watts);
	NUMBER(GPU_CLOCK, clock_hertz);
	NUMBER(GPU_FAN, fan_percent);
	TEXT(GPU_SLOWED, slowed);
	TEXT(GPU_HEALTH, health);
	COUNT(GPU_PROCESSES, processes);
}

static void show_gpu_client(unsigned int row, const struct tare_gpu_client *of)
{
	const char *kind = "gpu_client";
	const struct tare_gpu_client r = *of;

	COUNT(GPU_CLIENT_PID, pid);
	TEXT(GPU_CLIENT_GPU, gpu);
	TEXT(GPU_CLIENT_COMMAND, command);
	TEXT(GPU_CLIENT_DRIVER, driver);
	NUMBER(GPU_CLIENT_BUSY, busy_percent);
	COUNT(GPU_CLIENT_MEMORY, memory_bytes);
	COUNT(GPU_CLIENT_HOLDERS, holders);
}

static void show_sensor(unsigned int row, const struct tare_sensor *of)
{
	const char *kind = "sensor";
	const struct tare_sensor r = *of;

	TEXT(SENSOR_LABEL, label);
	TEXT(SENSOR_CHIP, chip);
	TEXT(SENSOR_KIND, kind);
	TEXT(SENSOR_STATE, state);
	NUMBER(SENSOR_TEMPERATURE, temperature_celsius);
	NUMBER(SENSOR_FAN, fan_rpm);
	NUMBER(SENSOR_VOLTAGE, volts);
	NUMBER(SENSOR_CURRENT, amperes);
	NUMBER(SENSOR_POWER, watts);
	NUMBER(SENSOR_HIGH, high_celsius);
	NUMBER(SENSOR_CRITICAL, critical_celsius);
}

#define EACH(kind)                                                                \
	do {                                                                      \
		struct tare_##kind r = {.size = sizeof(r)};                       \
		size_t at = 0;                                                    \
		for (unsigned int n = 0; tare_##kind##_next(t, &at, &r) > 0; n++) \
			show_##kind(n, &r);                                       \
	} while (0)

int main(int argc, char **argv)
{
	const struct tare_options options = {.size = sizeof(options), .root = argv[1]};
	struct tare_memory memory = {.size = sizeof(memory)};
	struct tare *t;

	if (argc < 2 || tare_open(&t, &options) < 0 || tare_refresh(t) < 0)
		return EXIT_FAILURE;
	for (int i = 2; i < argc; i++) /* one more refresh for each further argument */
		if (tare_refresh(t) < 0)
			return EXIT_FAILURE;
	EACH(process);
	EACH(cpu);
	EACH(disk);
	EACH(network);
	EACH(gpu);
	EACH(gpu_client);
	EACH(sensor);
	if (tare_memory(t, &memory) == 0)
		show_memory(0, &memory);
	tare_close(t);
	return EXIT_SUCCESS;
}

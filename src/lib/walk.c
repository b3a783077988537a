/* CPUs, disks, interfaces, GPUs and sensors as structures. */
#include "lib/walk.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* The first members of every such structure. */
struct head {
	size_t size;
	uint64_t have, window_ns;
};

#define MEMBER(type, bit, name, member, what) [bit] = {name, offsetof(struct type, member), what}
#define NUMBER(type, bit, name, member)       MEMBER(type, bit, name, member, MEMBER_NUMBER)
#define COUNT(type, bit, name, member)        MEMBER(type, bit, name, member, MEMBER_COUNT)
#define TEXT(type, bit, name, member)         MEMBER(type, bit, name, member, MEMBER_TEXT)

static const struct member cpu[] = {
	TEXT(tare_cpu, TARE_CPU_NAME, "name", name),
	COUNT(tare_cpu, TARE_CPU_ONLINE, "online", online),
	NUMBER(tare_cpu, TARE_CPU_BUSY, "busy", busy_percent),
	NUMBER(tare_cpu, TARE_CPU_USER, "user", user_percent),
	NUMBER(tare_cpu, TARE_CPU_SYSTEM, "system", system_percent),
	NUMBER(tare_cpu, TARE_CPU_IRQ, "irq", irq_percent),
	NUMBER(tare_cpu, TARE_CPU_STEAL, "steal", steal_percent),
	NUMBER(tare_cpu, TARE_CPU_IOWAIT, "iowait", iowait_percent),
	NUMBER(tare_cpu, TARE_CPU_IDLE, "idle", idle_percent),
	NUMBER(tare_cpu, TARE_CPU_FREQUENCY, "frequency", frequency_hertz),
};

static const struct member memory[] = {
	COUNT(tare_memory, TARE_MEMORY_TOTAL, "total", total_bytes),
	COUNT(tare_memory, TARE_MEMORY_USED, "used", used_bytes),
	COUNT(tare_memory, TARE_MEMORY_AVAILABLE, "available", available_bytes),
	COUNT(tare_memory, TARE_MEMORY_FREE, "free", free_bytes),
	COUNT(tare_memory, TARE_MEMORY_CACHE, "cache", cache_bytes),
	COUNT(tare_memory, TARE_MEMORY_BUFFERS, "buffers", buffers_bytes),
	COUNT(tare_memory, TARE_MEMORY_SHARED, "shared", shared_bytes),
	COUNT(tare_memory, TARE_MEMORY_SWAP_TOTAL, "swap_total", swap_total_bytes),
	COUNT(tare_memory, TARE_MEMORY_SWAP_USED, "swap_used", swap_used_bytes),
};

static const struct member disk[] = {
	TEXT(tare_disk, TARE_DISK_NAME, "name", name),
	TEXT(tare_disk, TARE_DISK_KIND, "kind", kind),
	NUMBER(tare_disk, TARE_DISK_READ, "read", read_bytes_per_second),
	NUMBER(tare_disk, TARE_DISK_WRITTEN, "written", written_bytes_per_second),
	NUMBER(tare_disk, TARE_DISK_READS, "reads", reads_per_second),
	NUMBER(tare_disk, TARE_DISK_WRITES, "writes", writes_per_second),
	NUMBER(tare_disk, TARE_DISK_BUSY, "busy", busy_percent),
	NUMBER(tare_disk, TARE_DISK_LATENCY, "latency", latency_seconds),
	NUMBER(tare_disk, TARE_DISK_QUEUE, "queue", queue),
	COUNT(tare_disk, TARE_DISK_SIZE, "size", size_bytes),
};

static const struct member network[] = {
	TEXT(tare_network, TARE_NETWORK_NAME, "name", name),
	TEXT(tare_network, TARE_NETWORK_KIND, "kind", kind),
	COUNT(tare_network, TARE_NETWORK_UP, "up", up),
	COUNT(tare_network, TARE_NETWORK_SPEED, "speed", speed_bits_per_second),
	NUMBER(tare_network, TARE_NETWORK_RX, "rx", rx_bytes_per_second),
	NUMBER(tare_network, TARE_NETWORK_TX, "tx", tx_bytes_per_second),
	NUMBER(tare_network, TARE_NETWORK_RX_PACKETS, "rx_packets", rx_packets_per_second),
	NUMBER(tare_network, TARE_NETWORK_TX_PACKETS, "tx_packets", tx_packets_per_second),
	NUMBER(tare_network, TARE_NETWORK_RX_ERRORS, "rx_errors", rx_errors_per_second),
	NUMBER(tare_network, TARE_NETWORK_TX_ERRORS, "tx_errors", tx_errors_per_second),
	NUMBER(tare_network, TARE_NETWORK_RX_DROPPED, "rx_dropped", rx_dropped_per_second),
	NUMBER(tare_network, TARE_NETWORK_TX_DROPPED, "tx_dropped", tx_dropped_per_second),
};

static const struct member gpu[] = {
	TEXT(tare_gpu, TARE_GPU_NUMBER, "number", number),
	TEXT(tare_gpu, TARE_GPU_NAME, "name", name),
	TEXT(tare_gpu, TARE_GPU_DEVICE, "device", device),
	TEXT(tare_gpu, TARE_GPU_DRIVER, "driver", driver),
	TEXT(tare_gpu, TARE_GPU_STATE, "state", state),
	NUMBER(tare_gpu, TARE_GPU_BUSY, "busy", busy_percent),
	COUNT(tare_gpu, TARE_GPU_MEMORY_USED, "memory_used", memory_used_bytes),
	COUNT(tare_gpu, TARE_GPU_MEMORY_TOTAL, "memory_total", memory_total_bytes),
	NUMBER(tare_gpu, TARE_GPU_TEMPERATURE, "temperature", temperature_celsius),
	NUMBER(tare_gpu, TARE_GPU_POWER, "power", power_watts),
	NUMBER(tare_gpu, TARE_GPU_POWER_CAP, "power_cap", power_cap_watts),
	NUMBER(tare_gpu, TARE_GPU_CLOCK, "clock", clock_hertz),
	NUMBER(tare_gpu, TARE_GPU_FAN, "fan", fan_percent),
	TEXT(tare_gpu, TARE_GPU_SLOWED, "slowed", slowed),
	TEXT(tare_gpu, TARE_GPU_HEALTH, "health", health),
	COUNT(tare_gpu, TARE_GPU_PROCESSES, "processes", processes),
};

static const struct member client[] = {
	COUNT(tare_gpu_client, TARE_GPU_CLIENT_PID, "pid", pid),
	TEXT(tare_gpu_client, TARE_GPU_CLIENT_GPU, "gpu", gpu),
	TEXT(tare_gpu_client, TARE_GPU_CLIENT_COMMAND, "command", command),
	TEXT(tare_gpu_client, TARE_GPU_CLIENT_DRIVER, "driver", driver),
	NUMBER(tare_gpu_client, TARE_GPU_CLIENT_BUSY, "busy", busy_percent),
	COUNT(tare_gpu_client, TARE_GPU_CLIENT_MEMORY, "memory", memory_bytes),
	COUNT(tare_gpu_client, TARE_GPU_CLIENT_HOLDERS, "holders", holders),
};

static const struct member sensor[] = {
	TEXT(tare_sensor, TARE_SENSOR_LABEL, "label", label),
	TEXT(tare_sensor, TARE_SENSOR_CHIP, "chip", chip),
	TEXT(tare_sensor, TARE_SENSOR_KIND, "kind", kind),
	TEXT(tare_sensor, TARE_SENSOR_STATE, "state", state),
	NUMBER(tare_sensor, TARE_SENSOR_TEMPERATURE, "temperature", temperature_celsius),
	NUMBER(tare_sensor, TARE_SENSOR_FAN, "fan", fan_rpm),
	NUMBER(tare_sensor, TARE_SENSOR_VOLTAGE, "voltage", volts),
	NUMBER(tare_sensor, TARE_SENSOR_CURRENT, "current", amperes),
	NUMBER(tare_sensor, TARE_SENSOR_POWER, "power", watts),
	NUMBER(tare_sensor, TARE_SENSOR_HIGH, "limit_high", high_celsius),
	NUMBER(tare_sensor, TARE_SENSOR_CRITICAL, "limit_critical", critical_celsius),
};

bool walk_has_room(const void *out)
{
	return *(const size_t *)out >= sizeof(struct head);
}

int walk_give(void *out, const void *in, size_t size)
{
	size_t room = *(const size_t *)out;

	if (!walk_has_room(out))
		return -EINVAL;
	room = room < size ? room : size;
	memcpy((char *)out + sizeof(size_t), (const char *)in + sizeof(size_t),
		room - sizeof(size_t));
	return 0;
}

static void set(char *at, const struct member *m, const struct cell *cell)
{
	if (m->kind == MEMBER_TEXT)
		*(struct tare_text *)(void *)at = (struct tare_text){cell->text, cell->text_len};
	else if (m->kind == MEMBER_COUNT)
		*(uint64_t *)(void *)at = cell->raw;
	else
		*(double *)(void *)at = cell->num;
}

void walk_fill(const struct frame_table *f, u32 row, const struct member *members,
	const s8 *columns, u32 n, void *out)
{
	struct head *head = out;

	head->window_ns = frame_window_ns(f, row);
	for (u32 i = 0; i < n; i++) {
		int column = columns ? columns[i] : schema_find(f->schema, members[i].column);
		struct cell cell;

		if (column < 0)
			continue;
		frame_cell(f, row, (u32)column, &cell);
		if (cell.state == CELL_ABSENT)
			continue;
		head->have |= 1ull << i;
		set((char *)out + members[i].at, &members[i], &cell);
	}
}

/* The row under the cursor, zeroed but for what is known. 1, 0 or -EINVAL. */
static int next(const struct tare *t, const char *table, size_t *cursor,
	const struct member *members, u32 n, void *blank, size_t size, void *out)
{
	const struct frame_table *f = frame_find(&t->seen, table);
	int rc;

	if (!walk_has_room(out))
		return -EINVAL;
	if (!f || *cursor >= f->n)
		return 0;
	walk_fill(f, (u32)*cursor, members, NULL, n, blank);
	rc = walk_give(out, blank, size);
	if (rc < 0)
		return rc;
	(*cursor)++;
	return 1;
}

#define NEXT(table, members, type)                                                     \
	next(t, table, cursor, members, ARRAY_LEN(members), &(struct type){.size = 0}, \
		sizeof(struct type), out)

int tare_cpu_next(const struct tare *t, size_t *cursor, struct tare_cpu *out)
{
	return NEXT("cpu", cpu, tare_cpu);
}

int tare_memory(const struct tare *t, struct tare_memory *out)
{
	size_t first = 0, *cursor = &first;
	int rc = NEXT("memory", memory, tare_memory);

	return rc < 0 ? rc : rc ? 0 : -ENOENT;
}

int tare_disk_next(const struct tare *t, size_t *cursor, struct tare_disk *out)
{
	return NEXT("disk", disk, tare_disk);
}

int tare_network_next(const struct tare *t, size_t *cursor, struct tare_network *out)
{
	return NEXT("network", network, tare_network);
}

int tare_gpu_next(const struct tare *t, size_t *cursor, struct tare_gpu *out)
{
	return NEXT("gpu", gpu, tare_gpu);
}

int tare_gpu_client_next(const struct tare *t, size_t *cursor, struct tare_gpu_client *out)
{
	return NEXT("gpu_client", client, tare_gpu_client);
}

int tare_sensor_next(const struct tare *t, size_t *cursor, struct tare_sensor *out)
{
	return NEXT("sensor", sensor, tare_sensor);
}

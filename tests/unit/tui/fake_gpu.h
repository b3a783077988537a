/* Five GPUs for the tests of the live view, in the tables that the sources fill: a busy one, one with a part handed out,
 * one with a bad link and an error, one that sleeps, one that is lost. */
#ifndef TARE_TESTS_TUI_FAKE_GPU_H
#define TARE_TESTS_TUI_FAKE_GPU_H

#include "fake.h"
#include "gpu/columns.h"

enum { G_GPU, G_CLIENT, G_ENGINE, G_N };

struct fake_gpus {
	struct delta d[G_N];
	const struct frame_table *list[T_N + G_N];
	struct frame frame;
	u32 tick;
	u32 devices; /* of the rows below, from the first on; more repeat the first */
	bool no_clients, own_only, no_busy;
};

static void gpus_fake_init(struct fake_gpus *m, u32 devices)
{
	static const struct schema *const schemas[G_N] = {
		&gpu_table_schema, &gpu_client_table_schema, &gpu_engine_table_schema};

	*m = (struct fake_gpus){.devices = devices};
	for (u32 i = 0; i < G_N; i++)
		delta_init(&m->d[i], schemas[i]);
}

static void gpus_fake_fini(struct fake_gpus *m)
{
	for (u32 i = 0; i < G_N; i++)
		delta_fini(&m->d[i]);
}

static void text(struct table *t, u32 row, u32 column, const char *s)
{
	if (s && s[0])
		table_set_text(t, row, column, s, strlen(s));
}

struct fake_device {
	const char *number, *name, *device, *parent, *kind, *state, *link, *slowed, *health;
	u32 busy, used_mb, total_mb, watts, cap, celsius, mhz, most_mhz, xid, rx_mb, tx_mb,
		capped_ms;
};

static const struct fake_device fake_devices[] = {
	{"0", "NVIDIA H100 80GB HBM3", "0000:18:00.0", "", "card", "active", "gen5x16", "power-cap",
		"ok", 98, 72909, 81510, 688, 700, 64, 1620, 1980, 0, 9100, 2200, 310},
	{"2", "NVIDIA H100 80GB HBM3", "0000:5d:00.0", "", "card", "active", "gen5x16", "", "ok",
		31, 40960, 81510, 301, 700, 48, 1980, 1980, 0, 400, 100, 0},
	{"2:1", "MIG 3g.40gb", "0000:5d:00.0/1", "2", "mig", "active", "", "", "", 31, 39834, 40141,
		0, 0, 0, 0, 0, 0, 0, 0, 0},
	{"3", "NVIDIA H100 80GB HBM3", "0000:9a:00.0", "", "card", "active", "gen3x8<gen5x16", "",
		"XID 79", 0, 512, 81510, 71, 700, 31, 345, 1980, 79, 0, 0, 0},
	{"4", "NVIDIA A2", "0000:c1:00.0", "", "card", "asleep", "", "", "", 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0},
	{"10", "AMD Instinct MI300X", "0000:e3:00.0", "", "card", "lost", "", "", "", 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0},
	{"11", "AMD Radeon PRO W7900", "0000:e5:00.0", "", "card", "late", "gen4x16", "thermal", "",
		77, 1024, 49152, 241, 295, 101, 1800, 2500, 0, 0, 0, 0},
};

enum { FAKE_GPUS = 6 }; /* those of the pictures; what comes after is for other tests */

static void fill_device(struct fake_gpus *m, u32 i)
{
	const struct fake_device *d = &fake_devices[i < ARRAY_LEN(fake_devices) ? i : 0];
	struct table *t = m->d[G_GPU].spare;
	/* keys are no order of theirs */
	u32 r = (u32)table_row(t, (i * 7919ull + 5) % 8209);
	bool card = !d->parent[0], amd = d->name[0] == 'A';
	bool active = !strcmp(d->state, "active") || !strcmp(d->state, "late");
	u32 wave = i == 1 || i == 2 ? (m->tick / 3 * 13) % 40 : 0;
	char number[16];

	text(t, r, GPU_NUMBER, d->number);
	if (i >= ARRAY_LEN(fake_devices)) {
		snprintf(number, sizeof(number), "%u", i + 10);
		text(t, r, GPU_NUMBER, number);
	}
	text(t, r, GPU_NAME, d->name);
	text(t, r, GPU_DEVICE, d->device);
	text(t, r, GPU_DRIVER, amd ? "amdgpu" : "nvidia");
	text(t, r, GPU_PARENT, d->parent);
	text(t, r, GPU_KIND, d->kind);
	text(t, r, GPU_STATE, d->state);
	table_set(t, r, GPU_COUNTED, card);
	for (u32 c = 0; c < GPU_COLUMNS; c++)
		if (!active && t->cell[c] && c > GPU_COUNTED)
			table_absent(t, r, c, d->state[0] == 'a' ? REASON_ASLEEP : REASON_LOST);
	if (!active)
		return;
	if (!m->no_busy || i)
		table_set(t, r, GPU_BUSY_NOW,
			(u64)(wave                            ? wave
				: i == 0 && m->tick % 20 == 7 ? 20
							      : d->busy) *
				10000);
	table_set(t, r, GPU_MEMORY_USED, (u64)d->used_mb << 20);
	table_set(t, r, GPU_MEMORY_TOTAL, (u64)d->total_mb << 20);
	text(t, r, GPU_HEALTH, d->health);
	if (!card)
		return;
	text(t, r, GPU_LINK, d->link);
	text(t, r, GPU_SLOWED, d->slowed);
	table_set(t, r, GPU_MEMORY_BUSY, (u64)d->busy * 6000);
	table_set(t, r, GPU_ENCODER, 0);
	table_set(t, r, GPU_DECODER, (u64)d->busy * 300);
	table_set(t, r, GPU_TEMPERATURE, d->celsius * 1000ull);
	table_set(t, r, GPU_MEMORY_TEMPERATURE, d->celsius * 1000ull + 9000);
	table_set(t, r, GPU_POWER_NOW, d->watts * 1000000ull);
	table_set(t, r, GPU_POWER_CAP, d->cap * 1000000ull);
	table_set(t, r, GPU_CLOCK, d->mhz * 1000000ull);
	table_set(t, r, GPU_CLOCK_MOST, d->most_mhz * 1000000ull);
	table_set(t, r, GPU_MEMORY_CLOCK, 2619000000ull);
	table_set(t, r, GPU_PCIE_RX, d->rx_mb * 1000000ull * m->tick);
	table_set(t, r, GPU_PCIE_TX, d->tx_mb * 1000000ull * m->tick);
	/* the driver says what, but not how long */
	if (amd)
		return;
	table_set(t, r, GPU_SLOWED_POWER, d->capped_ms * NSEC_PER_MSEC * m->tick);
	table_set(t, r, GPU_SLOWED_THERMAL, 0);
	table_set(t, r, GPU_ECC_CORRECTED, i == 1 ? 3 : 0);
	table_set(t, r, GPU_ECC_UNCORRECTED, 0);
	table_set(t, r, GPU_RETIRED, 0);
	table_set(t, r, GPU_PROCESSES, i == 0 && !m->no_clients);
	if (d->xid)
		table_set(t, r, GPU_XID, d->xid);
}

struct fake_client {
	const char *command, *gpu, *kind;
	u32 pid, gfx, compute, media, copy, memory_mb, shared_mb, holders; /* gfx …: permille */
};

static const struct fake_client fake_clients[] = {
	{"python", "0", "C", 28290, 0, 978, 0, 21, 72000, 0, 2},
	{"vllm", "2:1", "C", 30114, 0, 310, 0, 0, 39800, 128, 1},
	{"evil\x1b[2J", "3", "G+C", 4242, 3, 0, 0, 0, 12, 4, 1},
	{"pid 77 (other namespace)", "0", "", 0, 0, 0, 102, 0, 300, 0, 1},
};

static void fill_clients(struct fake_gpus *m)
{
	static const char *const names[] = {"gr", "ce"}, *const classes[] = {"compute", "copy"};
	struct table *t = m->d[G_CLIENT].spare, *e = m->d[G_ENGINE].spare;

	t->partial = m->own_only;
	for (u32 i = 0; i < ARRAY_LEN(fake_clients) && !m->no_clients; i++) {
		const struct fake_client *c = &fake_clients[i];
		const u32 permille[] = {c->gfx, c->compute, c->media, c->copy};
		u32 r = (u32)table_row(t, 100 + i), sum = 0;

		text(t, r, CLIENT_COMMAND, c->command);
		text(t, r, CLIENT_GPU, c->gpu);
		text(t, r, CLIENT_KIND, c->kind);
		if (c->pid)
			table_set(t, r, CLIENT_PID, c->pid);
		for (u32 k = 0; k < 4; k++) {
			table_set(t, r, CLIENT_GFX + k, permille[k] * 1000ull);
			sum += permille[k];
		}
		table_set(t, r, CLIENT_BUSY, sum * 1000ull);
		table_set(t, r, CLIENT_MEMORY, (u64)c->memory_mb << 20);
		table_set(t, r, CLIENT_SHARED, (u64)c->shared_mb << 20);
		table_set(t, r, CLIENT_HOLDERS, c->holders);
		for (u32 k = 0; k < 2; k++) {
			r = (u32)table_row(e, 1000 + i * 2 + k);
			text(e, r, ENGINE_NAME, names[k]);
			text(e, r, ENGINE_CLASS, classes[k]);
			text(e, r, ENGINE_GPU, c->gpu);
			table_set(e, r, ENGINE_CAPACITY, 1);
			table_set(e, r, ENGINE_TIME,
				m->tick * NSEC_PER_MSEC * (k ? c->copy : c->compute));
		}
	}
}

/* The same tick of the machine, with GPUs. */
static const struct frame *gpus_fake_tick(struct fake_gpus *m, const struct frame *frame)
{
	m->tick++;
	for (u32 i = 0; i < G_N; i++)
		table_begin(m->d[i].spare, &frame->at, ~0ull);
	for (u32 i = 0; i < m->devices; i++)
		fill_device(m, i);
	fill_clients(m);
	m->frame = *frame;
	memcpy(m->list, frame->tables, frame->ntables * sizeof(*m->list));
	for (u32 i = 0; i < G_N; i++) {
		table_end(m->d[i].spare);
		delta_step(&m->d[i]);
		m->list[m->frame.ntables++] = &m->d[i].frame;
	}
	m->frame.tables = m->list;
	return &m->frame;
}

#endif

/* The tick's side of the GPUs. The thread's side is a struct own: it holds the look, and takes what scanners found from
 * a mailbox. The tick fills a batch of its own and puts it into the mailbox when the thread does not have the lock;
 * else in the next tick. A recorded machine is looked at in line. See gpu.h. */
#include "gpu/gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/look.h"
#include "gpu/worker.h"

/* How long NVML may keep the reading thread: in a tick's turn, and when somebody waits for the first reading. */
#define NVML_WAIT_NS  (200 * NSEC_PER_MSEC)
#define NVML_FIRST_NS (3 * NSEC_PER_SEC)

enum { HAD_WORDS = 64, WORD_BITS = 64 };

struct found {
	u32 pid, tid, n, first; /* finds of the batch */
	u64 start_ticks;
};

struct batch {
	struct found *found;
	u32 n, cap;
	struct gpu_find *finds;
	u32 nfinds, finds_cap;
};

/* What the reading thread has, its own for as long as it lives. */
struct own {
	struct root root_copy;
	struct clock clock_copy;
	struct gpu_look *look;
	struct batch taken;
	atomic_bool want, majors, hidden;
	_Atomic u64 patient_until; /* so long the next reading waits for NVML; 0: as always */
	pthread_mutex_t lock;
	struct batch mail; /* under the lock */
};

struct gpu {
	struct own *own;            /* lives as long as the worker */
	struct gpu_worker *worker;  /* NULL: in line */
	struct gpu_reading reading; /* in line */
	const struct gpu_reading *newest;
	u64 asked_tick, taken_tick, want_tick, tick;
	u64 first_until; /* whoever waits for the first reading waits until then; 0: nobody has */
	bool waited, wait_came; /* in waited_tick; and that was in time */
	u64 waited_tick;
	struct batch batch;
	/* a bit for each pid, modulo the bits, that had such descriptors */
	u64 had[HAD_WORDS];
};

static void batch_fini(struct batch *b)
{
	free(b->found);
	free(b->finds);
}

static int batch_add(struct batch *b, struct found what, const struct gpu_find *finds)
{
	if (b->n == b->cap) {
		u32 cap = b->cap ? b->cap * 2 : 16;
		struct found *grown = realloc(b->found, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		b->found = grown;
		b->cap = cap;
	}
	if (b->nfinds + what.n > b->finds_cap) {
		u32 cap = (b->nfinds + what.n) * 2;
		struct gpu_find *grown = realloc(b->finds, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		b->finds = grown;
		b->finds_cap = cap;
	}
	what.first = b->nfinds;
	b->found[b->n++] = what;
	if (what.n)
		memcpy(b->finds + b->nfinds, finds, what.n * sizeof(*finds));
	b->nfinds += what.n;
	return 0;
}

/* NULL for a process that has none: the array may not be there yet. */
static const struct gpu_find *finds_of(const struct batch *b, const struct found *f)
{
	return f->n ? b->finds + f->first : NULL;
}

static int batch_move(struct batch *to, struct batch *from)
{
	int ret = 0;

	for (u32 i = 0; i < from->n && !ret; i++) {
		const struct found *f = &from->found[i];

		ret = batch_add(to, *f, finds_of(from, f));
	}
	from->n = from->nfinds = 0;
	return ret;
}

static int deliver(struct own *own, struct batch *b)
{
	int ret = 0;

	for (u32 i = 0; i < b->n && !ret; i++) {
		const struct found *f = &b->found[i];

		ret = gpu_look_found(
			own->look, f->pid, f->start_ticks, f->tid, finds_of(b, f), f->n);
	}
	b->n = b->nfinds = 0;
	return ret;
}

/* The reading thread's turn. */
static int fill(void *arg, struct gpu_reading *r)
{
	struct own *own = arg;
	u64 until = atomic_exchange(&own->patient_until, 0), now = clock_mono_ns();
	struct batch empty;
	int ret;

	pthread_mutex_lock(&own->lock);
	empty = own->taken;
	own->taken = own->mail;
	own->mail = empty;
	pthread_mutex_unlock(&own->lock);
	ret = deliver(own, &own->taken);
	if (!ret)
		ret = gpu_look(own->look, atomic_load(&own->want),
			until > now + NVML_WAIT_NS ? until - now : NVML_WAIT_NS, r);
	r->own_only |= atomic_load(&own->hidden);
	atomic_store(&own->majors, gpu_look_majors(own->look));
	return ret;
}

static void own_free(void *arg)
{
	struct own *own = arg;

	gpu_look_free(own->look);
	batch_fini(&own->taken);
	batch_fini(&own->mail);
	if (own->root_copy.fd >= 0)
		close(own->root_copy.fd);
	pthread_mutex_destroy(&own->lock);
	free(own);
}

static void gpu_free(void *arg)
{
	struct gpu *g = arg;

	if (!g)
		return;
	if (g->worker)
		gpu_worker_stop(g->worker);
	else if (g->own)
		own_free(g->own);
	gpu_reading_fini(&g->reading);
	batch_fini(&g->batch);
	free(g);
}

/* The live machine is read by a thread, which has a root of its own. */
static int own_new(struct gpu *g, const struct source_env *env)
{
	struct own *own = calloc(1, sizeof(*own));
	bool live = root_is_live(env->root);
	int ret = 0;

	if (!own)
		return -ENOMEM;
	g->own = own;
	pthread_mutex_init(&own->lock, NULL);
	own->root_copy = *env->root;
	own->clock_copy = *env->clock;
	own->root_copy.fd = live ? fcntl(env->root->fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (live && own->root_copy.fd < 0)
		ret = -errno;
	if (!ret)
		ret = gpu_look_new(&own->look, live ? &own->root_copy : env->root,
			live ? &own->clock_copy : env->clock, source_option(env, "nvml"));
	if (ret)
		return ret;
	atomic_store(&own->majors, gpu_look_majors(own->look));
	if (!live)
		return 0;
	return gpu_worker_start(&g->worker,
		&(struct gpu_work){
			.fill = fill, .free = own_free, .arg = own, .clock = &own->clock_copy});
}

int gpu_get(struct gpu **out, const struct source_env *env)
{
	const char *choice = source_option(env, "gpu");
	struct gpu *g;
	int ret;

	if (choice && !strcmp(choice, "off"))
		return -ENOENT;
	if (env->shared && env->shared->gpu) {
		*out = env->shared->gpu;
		return 0;
	}
	g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	ret = own_new(g, env);
	if (ret) {
		gpu_free(g);
		return ret;
	}
	if (env->shared) {
		env->shared->gpu = g;
		env->shared->free_gpu = gpu_free;
	}
	*out = g;
	return 0;
}

void gpu_put(struct gpu *g, const struct source_env *env)
{
	if (!env->shared)
		gpu_free(g);
}

/* Number of the tick under way; an env without shared things counts by itself. */
static u64 tick_of(struct gpu *g, const struct source_env *env)
{
	return env->shared ? env->shared->tick : ++g->tick;
}

void gpu_begin(struct gpu *g, const struct source_env *env)
{
	u64 tick = tick_of(g, env);

	if (g->asked_tick == tick)
		return;
	g->asked_tick = tick;
	atomic_store(&g->own->want, g->want_tick && g->want_tick + 1 >= tick);
	if (g->worker)
		gpu_worker_request(g->worker);
}

/* To the thread, if it is not at the mailbox right now. */
static void post(struct gpu *g)
{
	if (!g->batch.n || pthread_mutex_trylock(&g->own->lock))
		return;
	batch_move(&g->own->mail, &g->batch);
	pthread_mutex_unlock(&g->own->lock);
}

static void look_in_line(struct gpu *g, const struct source_env *env)
{
	struct stamp at;
	u64 seq = g->reading.seq;

	clock_read(env->clock, &at);
	gpu_reading_begin(&g->reading, &at);
	post(g);
	g->newest = fill(g->own, &g->reading) ? NULL : &g->reading;
	g->reading.seq = seq + 1;
}

const struct gpu_reading *gpu_newest(struct gpu *g, const struct source_env *env)
{
	u64 tick = env->shared ? env->shared->tick : g->tick;

	if (g->taken_tick == tick)
		return g->newest;
	g->taken_tick = tick;
	if (g->worker) {
		post(g);
		g->newest = gpu_worker_take(g->worker);
	} else {
		atomic_store(&g->own->want, g->want_tick && g->want_tick + 1 >= tick);
		look_in_line(g, env);
	}
	return g->newest;
}

bool gpu_wait(struct gpu *g, const struct source_env *env, u64 until_ns)
{
	u64 tick = env->shared ? env->shared->tick : g->tick;

	if (!g->worker)
		return true;
	/* what the table before has waited for is this one's too */
	if (g->waited && g->waited_tick == tick)
		return g->wait_came;
	g->waited = true;
	g->waited_tick = tick;
	post(g);
	atomic_store(&g->own->want, g->want_tick && g->want_tick + 1 >= g->asked_tick);
	if (!g->newest) {
		/* drivers take their time to start, and have it once */
		if (!g->first_until)
			g->first_until = clock_mono_ns() + NVML_FIRST_NS;
		atomic_store(&g->own->patient_until, g->first_until);
		until_ns = until_ns > g->first_until ? until_ns : g->first_until;
	}
	g->wait_came = gpu_worker_wait(g->worker, until_ns);
	return g->wait_came;
}

bool gpu_wants_finds(const struct gpu *g)
{
	return g->want_tick + 1 >= g->asked_tick && g->want_tick && atomic_load(&g->own->majors);
}

void gpu_want_clients(struct gpu *g, const struct source_env *env, bool want)
{
	if (want)
		g->want_tick = env->shared ? env->shared->tick : g->tick;
}

const struct gpu_majors *gpu_finds_majors(const struct gpu *g)
{
	(void)g;
	return &gpu_majors_default;
}

void gpu_found(
	struct gpu *g, u32 pid, u64 start_ticks, u32 tid, const struct gpu_find *finds, u32 n)
{
	u32 bit = pid % (HAD_WORDS * WORD_BITS);
	u64 *word = &g->had[bit / WORD_BITS];

	if (!n && !(*word >> bit % WORD_BITS & 1))
		return;
	*word |= 1ull << bit % WORD_BITS;
	/* what there is no memory for is found again when the process is looked at again */
	batch_add(&g->batch,
		(struct found){.pid = pid, .tid = tid, .n = n, .start_ticks = start_ticks}, finds);
}

void gpu_hidden(struct gpu *g, bool some)
{
	atomic_store(&g->own->hidden, some);
}

void gpu_explain(struct gpu *g, struct findings *out)
{
	if (!g->worker) {
		gpu_look_explain(g->own->look, out);
		return;
	}
	if (!gpu_worker_idle(g->worker)) {
		findings_add(out, "gpu", REASON_STALE, "GPUs",
			"the reading under way has not come back", "");
		return;
	}
	/* idle until the next request: its look may be asked */
	gpu_look_explain(g->own->look, out);
}

#include "gpu/nvml_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/nvml.h"
#include "gpu/worker.h"

/* An answer to one that was asked before the last few is not of now: the call hung. A driver that is slow is behind by one
 * or two, and says so by its stamps. */
enum { QUESTIONS = 4, WHY_SIZE = 160 };

/* What the thread has, its own for as long as it lives. */
struct own {
	struct root root;
	struct nvml *nvml;
	pthread_mutex_t lock; /* of what follows */
	char asleep[NVML_ASLEEP_MOST][GPU_TEXT];
	u32 nasleep;
	u64 question; /* number of the newest */
	char why[WHY_SIZE];
};

struct nvml_thread {
	struct gpu_worker *worker;
	struct own *own; /* lives as long as the worker */
	u64 seq;         /* of the reading that was handed over last */
	bool late;       /* and was that */
};

/* The kernel's number of the first pid namespace: PROC_PID_INIT_INO of include/linux/proc_ns.h. */
static bool initial_pid_namespace(const struct root *root)
{
	char text[64];

	return root_readlink(root, "/proc/self/ns/pid", text, sizeof(text)) <= 0 ||
	       !strcmp(text, "pid:[4026531836]");
}

static int fill(void *arg, struct gpu_reading *r)
{
	char asleep[NVML_ASLEEP_MOST][GPU_TEXT];
	const char *names[NVML_ASLEEP_MOST + 1];
	struct own *own = arg;
	u32 n;
	int ret;

	pthread_mutex_lock(&own->lock);
	n = own->nasleep;
	r->question = own->question;
	memcpy(asleep, own->asleep, sizeof(asleep));
	pthread_mutex_unlock(&own->lock);
	for (u32 i = 0; i < n; i++)
		names[i] = asleep[i];
	names[n] = NULL;
	ret = nvml_read(own->nvml, names, r);
	pthread_mutex_lock(&own->lock);
	snprintf(own->why, sizeof(own->why), "%s", ret ? nvml_why(own->nvml) : "");
	pthread_mutex_unlock(&own->lock);
	return ret;
}

static void own_free(void *arg)
{
	struct own *own = arg;

	nvml_free(own->nvml);
	if (own->root.fd >= 0)
		close(own->root.fd);
	pthread_mutex_destroy(&own->lock);
	free(own);
}

int nvml_thread_start(struct nvml_thread **out, const char *path, const struct root *root,
	const struct clock *clock)
{
	struct nvml_thread *t = calloc(1, sizeof(*t));
	struct own *own = calloc(1, sizeof(*own));
	int ret = -ENOMEM;

	if (!t || !own)
		goto fail;
	own->root = *root;
	pthread_mutex_init(&own->lock, NULL);
	own->root.fd = fcntl(root->fd, F_DUPFD_CLOEXEC, 0);
	ret = own->root.fd < 0 ? -errno : 0;
	if (!ret)
		ret = nvml_new(&own->nvml, path, &own->root, initial_pid_namespace(&own->root));
	if (!ret)
		ret = gpu_worker_start(&t->worker,
			&(struct gpu_work){
				.fill = fill, .free = own_free, .arg = own, .clock = clock});
	if (ret) {
		own_free(own);
		own = NULL;
		goto fail;
	}
	t->own = own;
	*out = t;
	return 0;
fail:
	free(t);
	free(own);
	return ret;
}

const struct gpu_reading *nvml_thread_read(struct nvml_thread *t, const struct clock *clock,
	const char *const *asleep, u32 n, u64 wait_ns, bool *late)
{
	const struct gpu_reading *newest;
	u64 question;

	/* a recorded machine has gone on */
	if (clock->scripted)
		gpu_worker_clock(t->worker, clock);
	pthread_mutex_lock(&t->own->lock);
	question = ++t->own->question;
	t->own->nasleep = n < NVML_ASLEEP_MOST ? n : NVML_ASLEEP_MOST;
	for (u32 i = 0; i < t->own->nasleep; i++)
		snprintf(t->own->asleep[i], GPU_TEXT, "%s", asleep[i]);
	pthread_mutex_unlock(&t->own->lock);
	gpu_worker_wait(t->worker, clock_mono_ns() + wait_ns);
	newest = gpu_worker_take(t->worker);
	*late = newest && (newest->seq == t->seq || newest->question + QUESTIONS < question);
	t->late = *late;
	if (newest)
		t->seq = newest->seq;
	return newest;
}

int nvml_thread_error(struct nvml_thread *t, char *why, u32 size)
{
	int error = gpu_worker_error(t->worker);

	why[0] = '\0';
	/* what was asked has had its time */
	if ((t->late || !t->seq) && !gpu_worker_idle(t->worker))
		return -EAGAIN;
	pthread_mutex_lock(&t->own->lock);
	snprintf(why, size, "%s", t->own->why);
	pthread_mutex_unlock(&t->own->lock);
	return error ? error : t->seq ? 0 : -EAGAIN;
}

void nvml_thread_stop(struct nvml_thread *t)
{
	if (!t)
		return;
	gpu_worker_stop(t->worker);
	free(t);
}

/* Runs a fuzz target without libFuzzer: every seed of its corpus, then mutations of the seeds, the same
 * ones each time, until the count or the time is reached. So each test run exercises the parsers, also
 * under the sanitizers.
 *
 *   replay NAME CORPUS [MUTATIONS [SECONDS]] */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SEED_MOST = 65536, SEEDS_MOST = 1024, MUTATIONS = 20000, SECONDS = 2 };

struct seed {
	uint8_t *data;
	size_t len;
};

static struct seed seeds[SEEDS_MOST];
static size_t nseeds;
static uint64_t state = 0x9e3779b97f4a7c15ull;

static uint64_t below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? state % n : 0;
}

/* On the heap at its exact size, so that a byte too far is seen. */
static void run(const uint8_t *data, size_t len)
{
	uint8_t *exact = malloc(len ? len : 1);

	MUST(exact);
	memcpy(exact, data, len);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void load(const char *dir, const char *name)
{
	static uint8_t data[SEED_MOST];
	char path[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || nseeds == SEEDS_MOST)
		return;
	n = read(fd, data, sizeof(data));
	close(fd);
	if (n < 0)
		return;
	seeds[nseeds].data = malloc(n ? (size_t)n : 1);
	MUST(seeds[nseeds].data);
	memcpy(seeds[nseeds].data, data, (size_t)n);
	seeds[nseeds++].len = (size_t)n;
}

static void mutate(uint8_t *data, size_t *len)
{
	static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, 0x1b, '\n', '"', '9', '-'};
	const struct seed *other = &seeds[below(nseeds)];
	size_t at = (size_t)below(*len + 1), n = (size_t)below(16) + 1;

	switch (below(6)) {
	case 0: /* flip a bit */
		if (at < *len)
			data[at] ^= (uint8_t)(1u << below(8));
		break;
	case 1:
		if (at < *len)
			data[at] = edges[below(sizeof(edges))];
		break;
	case 2: /* cut out */
		n = n < *len - at ? n : *len - at;
		memmove(data + at, data + at + n, *len - at - n);
		*len -= n;
		break;
	case 3: /* say twice */
		n = n < *len - at ? n : *len - at;
		if (*len + n > SEED_MOST)
			break;
		memmove(data + at + n, data + at, *len - at);
		*len += n;
		break;
	case 4: /* go on as another one does */
		n = (size_t)below(other->len + 1);
		if (at + other->len - n > SEED_MOST)
			break;
		memcpy(data + at, other->data + n, other->len - n);
		*len = at + other->len - n;
		break;
	default: /* cut off */
		*len = at;
	}
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	static uint8_t data[SEED_MOST];
	unsigned long most = argc > 3 ? strtoul(argv[3], NULL, 10) : MUTATIONS, done = 0;
	double until = seconds() + (argc > 4 ? atof(argv[4]) : SECONDS);
	struct dirent **names;
	int n;

	if (argc < 3)
		return 2;
	n = scandir(argv[2], &names, visible, alphasort);
	for (int i = 0; i < n; i++) {
		load(argv[2], names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	printf("1..1\n");
	fflush(stdout);
	if (!nseeds) {
		printf("not ok 1 - %s: no seeds in %s\n", argv[1], argv[2]);
		return 1;
	}
	run(data, 0);
	for (size_t i = 0; i < nseeds; i++)
		run(seeds[i].data, seeds[i].len);
	for (; done < most && ((done & 63) || seconds() < until); done++) {
		const struct seed *seed = &seeds[below(nseeds)];
		size_t len = seed->len;

		memcpy(data, seed->data, len);
		for (uint64_t rounds = below(4) + 1; rounds; rounds--)
			mutate(data, &len);
		run(data, len);
	}
	printf("ok 1 - %s: %lu inputs\n", argv[1], (unsigned long)nseeds + 1 + done);
	for (size_t i = 0; i < nseeds; i++)
		free(seeds[i].data);
	return 0;
}

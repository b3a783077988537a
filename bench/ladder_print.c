#include "bench/ladder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Printed as "-" and null. */
static const double unknown = (double)NAN;

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Microseconds for each process, the median of the passes. */
static double us(const struct ladder *l, struct ladder_timing *t)
{
	if (!t->rounds || !l->n)
		return unknown;
	qsort(t->ns, t->rounds, sizeof(*t->ns), by_value);
	return (double)(t->ns[(t->rounds - 1) / 2] + t->ns[t->rounds / 2]) / 2e3 / l->n;
}

/* The result this step is compared with; NULL: none, or it did not run. */
static struct ladder_result *other(struct ladder_result *results, u32 i)
{
	for (u32 k = 0; ladder_steps[i].against && k < ladder_nsteps; k++)
		if (!strcmp(ladder_steps[k].name, ladder_steps[i].against) && results[k].chosen &&
			!results[k].err)
			return &results[k];
	return NULL;
}

static double over(double value, double under)
{
	return under > 0 ? value / under : unknown;
}

struct figures {
	double paced, hot, paced_ratio, hot_ratio;
	double calls, count, refused; /* a pass, paced if that ran; calls for each process */
};

static void work_out(
	const struct ladder *l, struct ladder_result *results, u32 i, struct figures *out)
{
	struct ladder_result *r = &results[i], *o = other(results, i);
	const struct ladder_timing *c = r->paced.rounds ? &r->paced : &r->hot;

	*out = (struct figures){.paced = us(l, &r->paced), .hot = us(l, &r->hot)};
	out->paced_ratio = over(out->paced, o ? us(l, &o->paced) : unknown);
	out->hot_ratio = over(out->hot, o ? us(l, &o->hot) : unknown);
	out->calls = c->calls ? (double)c->calls / c->rounds / l->n : unknown;
	out->count = over((double)c->count, c->rounds);
	out->refused = over((double)c->refused, c->rounds);
}

static const char *reason(int err)
{
	return err == -EOPNOTSUPP ? "not built in" : strerror(-err);
}

static void cell(double value, int width, int digits)
{
	if (isnan(value))
		printf(" %*s", width, "-");
	else
		printf(" %*.*f", width, digits, value);
}

static void table_line(const struct ladder *l, struct ladder_result *results, u32 i)
{
	const struct ladder_step *s = &ladder_steps[i];
	const char *gap = "  ";
	struct figures f;

	printf("%c  %-30s", s->group, s->name);
	if (results[i].err) {
		printf(" absent: %s\n", reason(results[i].err));
		return;
	}
	work_out(l, results, i, &f);
	cell(f.paced, 8, 3);
	cell(f.hot, 8, 3);
	cell(f.calls, 7, 2);
	cell(f.paced_ratio, 7, 2);
	cell(f.hot_ratio, 7, 2);
	if (other(results, i)) {
		printf("%s%s", gap, s->against);
		gap = "; ";
	}
	if (s->note) {
		printf("%s%.0f %s", gap, f.count, s->note);
		gap = "; ";
	}
	if (f.refused > 0)
		printf("%s%.0f refused", gap, f.refused);
	putchar('\n');
}

void ladder_print_table(const struct ladder *l, struct ladder_result *results)
{
	printf("%u processes; microseconds of CPU and system calls for each; ratios to the step "
	       "that "
	       "is named behind them\n",
		l->n);
	printf("   %-30s %8s %8s %7s %7s %7s\n", "", "paced", "hot", "calls", "paced", "hot");
	for (u32 i = 0; i < ladder_nsteps; i++)
		if (results[i].chosen)
			table_line(l, results, i);
}

static void member(const char *name, double value)
{
	if (isnan(value))
		printf(", \"%s\": null", name);
	else
		printf(", \"%s\": %.4f", name, value);
}

static void json_step(const struct ladder *l, struct ladder_result *results, u32 i)
{
	const struct ladder_step *s = &ladder_steps[i];
	struct figures f;

	printf("{\"group\": \"%c\", \"name\": \"%s\"", s->group, s->name);
	if (results[i].err) {
		printf(", \"absent\": \"%s\"}", reason(results[i].err));
		return;
	}
	work_out(l, results, i, &f);
	member("paced_us", f.paced);
	member("hot_us", f.hot);
	member("calls", f.calls);
	if (s->against)
		printf(", \"against\": \"%s\"", s->against);
	member("paced_ratio", f.paced_ratio);
	member("hot_ratio", f.hot_ratio);
	if (s->note) {
		printf(", \"counted\": \"%s\"", s->note);
		member("count", f.count);
	}
	member("refused", f.refused);
	putchar('}');
}

void ladder_print_json(const struct ladder *l, struct ladder_result *results)
{
	bool first = true;

	printf("{\"processes\": %u, \"steps\": [", l->n);
	for (u32 i = 0; i < ladder_nsteps; i++) {
		if (!results[i].chosen)
			continue;
		fputs(first ? "" : ", ", stdout);
		json_step(l, results, i);
		first = false;
	}
	puts("]}");
}

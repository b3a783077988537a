#include "bench/ladder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Printed as "-" and null. */
static const double unknown = (double)NAN;

static double each(const struct ladder_result *r, double whole)
{
	return r->processes ? whole / r->processes : unknown;
}

static double us(const struct ladder_result *r, const struct ladder_timing *t)
{
	return t->rounds ? each(r, (double)t->cpu_ns / 1e3) : unknown;
}

/* The result this step is compared with; NULL: none, or it did not run. */
static const struct ladder_result *other(const struct ladder_result *results, u32 i)
{
	for (u32 k = 0; ladder_steps[i].against && k < ladder_nsteps; k++)
		if (!strcmp(ladder_steps[k].name, ladder_steps[i].against) &&
			results[k].processes && !results[k].err)
			return &results[k];
	return NULL;
}

static double ratio(const struct ladder_result *r, const struct ladder_timing *t,
	const struct ladder_result *o, const struct ladder_timing *ot)
{
	double under = o ? us(o, ot) : unknown;

	return under > 0 ? us(r, t) / under : unknown;
}

/* Paced if that ran. */
static const struct ladder_timing *counts(const struct ladder_result *r)
{
	return r->paced.rounds ? &r->paced : &r->hot;
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

static void table_line(const struct ladder_result *results, u32 i)
{
	const struct ladder_result *r = &results[i], *o = other(results, i);
	const struct ladder_step *s = &ladder_steps[i];
	const struct ladder_timing *c = counts(r);

	printf("%c  %-30s", s->group, s->name);
	if (r->err) {
		printf(" absent: %s\n", reason(r->err));
		return;
	}
	cell(us(r, &r->paced), 8, 3);
	cell(us(r, &r->hot), 8, 3);
	cell(c->calls > 0 ? each(r, c->calls) : unknown, 7, 2);
	cell(ratio(r, &r->paced, o, o ? &o->paced : NULL), 7, 2);
	cell(ratio(r, &r->hot, o, o ? &o->hot : NULL), 7, 2);
	printf("  %s", o ? s->against : "");
	if (s->note)
		printf("%s%.0f %s", o ? "; " : "", c->count, s->note);
	if (c->refused > 0)
		printf("; %.0f refused", c->refused);
	putchar('\n');
}

void ladder_print_table(const struct ladder_result *results)
{
	u32 n = 0;

	for (u32 i = 0; i < ladder_nsteps; i++)
		n = results[i].processes > n ? results[i].processes : n;
	printf("%u processes; microseconds of CPU and system calls for each; ratio to the step "
	       "named "
	       "last\n",
		n);
	printf("   %-30s %8s %8s %7s %7s %7s\n", "", "paced", "hot", "calls", "paced", "hot");
	for (u32 i = 0; i < ladder_nsteps; i++)
		if (results[i].processes)
			table_line(results, i);
}

static void member(const char *name, double value)
{
	if (isnan(value))
		printf(", \"%s\": null", name);
	else
		printf(", \"%s\": %.4f", name, value);
}

static void json_step(const struct ladder_result *results, u32 i)
{
	const struct ladder_result *r = &results[i], *o = other(results, i);
	const struct ladder_step *s = &ladder_steps[i];
	const struct ladder_timing *c = counts(r);

	printf("{\"group\": \"%c\", \"name\": \"%s\", \"processes\": %u", s->group, s->name,
		r->processes);
	if (r->err) {
		printf(", \"absent\": \"%s\"}", reason(r->err));
		return;
	}
	member("paced_us", us(r, &r->paced));
	member("hot_us", us(r, &r->hot));
	member("calls", c->calls > 0 ? each(r, c->calls) : unknown);
	if (s->against)
		printf(", \"against\": \"%s\"", s->against);
	member("paced_ratio", ratio(r, &r->paced, o, o ? &o->paced : NULL));
	member("hot_ratio", ratio(r, &r->hot, o, o ? &o->hot : NULL));
	if (s->note)
		printf(", \"counted\": \"%s\", \"count\": %.1f", s->note, c->count);
	printf(", \"refused\": %.1f}", c->refused);
}

void ladder_print_json(const struct ladder_result *results)
{
	bool first = true;

	fputs("{\"steps\": [", stdout);
	for (u32 i = 0; i < ladder_nsteps; i++) {
		if (!results[i].processes)
			continue;
		fputs(first ? "" : ", ", stdout);
		json_step(results, i);
		first = false;
	}
	puts("]}");
}

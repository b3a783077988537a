/* From records of a scanner to rows of a table: numbers as they are, names of users, groups, states and
 * policies stored once a reading. Private to this room. */
#ifndef TARE_PROCESS_ROWS_H
#define TARE_PROCESS_ROWS_H

#include "process/columns.h"
#include "process/users.h"

enum { ROWS_POLICIES = 8 };

struct rows {
	struct users users, groups;
	struct table *table;
	u64 reading;
	u32 expected; /* rows, at most: what the kernel said at the start */
	u64 letters;  /* offset of the alphabet in the table's text */
	text_ref policies[ROWS_POLICIES];
};

void rows_init(struct rows *rows, const struct root *root);
void rows_fini(struct rows *rows);
/* Rows go to t from here on; after table_begin. 0 or -ENOMEM. */
int rows_begin(struct rows *rows, struct table *t);
/* A process_fn whose arg is a struct rows. */
int rows_add(void *rows, const struct process_record *r);

#endif

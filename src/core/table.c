#include "core/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *token, *text;
} reasons[REASON_COUNT] = {
	[REASON_NONE] = {"none", ""},
	[REASON_FIRST] = {"first", "first sample"},
	[REASON_SHORT] = {"short", "window under 50 ms"},
	[REASON_RESET] = {"reset", "counter reset"},
	[REASON_SUSPEND] = {"suspend", "suspended"},
	[REASON_PERMISSION] = {"permission", "no permission"},
	[REASON_UNSUPPORTED] = {"unsupported", "not on this machine"},
	[REASON_ERROR] = {"error", "read error"},
	[REASON_INVALID] = {"invalid", "impossible value"},
	[REASON_OFFLINE] = {"offline", "offline"},
	[REASON_STARTING] = {"starting", "starting"},
	[REASON_STALE] = {"stale", "stale"},
	[REASON_NOT_ASKED] = {"not_asked", "not asked for"},
	[REASON_UNKNOWN] = {"unknown", "unknown"},
	[REASON_NO_LIMIT] = {"unlimited", "unlimited"},
	[REASON_ASLEEP] = {"asleep", "asleep, left asleep"},
	[REASON_LOST] = {"lost", "lost"},
	[REASON_NO_CLIENT] = {"no_client", "does not use one"},
};

const char *reason_text(enum reason reason)
{
	return (u32)reason < REASON_COUNT ? reasons[reason].text : "?";
}

const char *reason_token(enum reason reason)
{
	return (u32)reason < REASON_COUNT ? reasons[reason].token : "unknown";
}

enum reason reason_from_errno(int code)
{
	switch (code < 0 ? -code : code) {
	case 0:
		return REASON_NONE;
	case EACCES:
	case EPERM:
		return REASON_PERMISSION;
	case ENOENT:
	case EOPNOTSUPP:
	case ENOSYS:
		return REASON_UNSUPPORTED;
	case ENODEV:
	case ENXIO:
		return REASON_OFFLINE;
	default:
		return REASON_ERROR;
	}
}

static bool stored(const struct schema *s, u32 column)
{
	return s->columns[column].kind != COLUMN_DERIVED;
}

int table_init(struct table *t, const struct schema *schema)
{
	*t = (struct table){.schema = schema};
	return schema->ncolumns <= MAX_COLUMNS ? 0 : -E2BIG;
}

void table_fini(struct table *t)
{
	if (!t)
		return;
	for (u32 c = 0; c < MAX_COLUMNS; c++) {
		free(t->own[c].col);
		free(t->own[c].cell);
	}
	free(t->blank.col);
	free(t->blank.cell);
	free(t->key);
	free(t->mono_ns);
	free(t->boot_ns);
	free(t->text);
	*t = (struct table){.schema = t->schema};
}

void table_begin(struct table *t, const struct stamp *at, u64 need)
{
	t->n = 0;
	t->text_len = 0;
	t->at = *at;
	t->placed = t->placed && t->need == need;
	t->need = need;
	t->partial = false;
	t->missing = REASON_NONE;
}

static int grow_u64(u64 **p, u32 cap)
{
	u64 *q = realloc(*p, cap * sizeof(**p));

	if (!q)
		return -ENOMEM;
	*p = q;
	return 0;
}

static int grow_cells(u64 **col, u8 **cell, u32 *have, u32 cap)
{
	u8 *q;

	if (*have >= cap)
		return 0;
	if (grow_u64(col, cap))
		return -ENOMEM;
	q = realloc(*cell, cap);
	if (!q)
		return -ENOMEM;
	*cell = q;
	*have = cap;
	return 0;
}

static int grow_blank(struct table *t)
{
	u32 had = t->blank.cap;

	if (grow_cells(&t->blank.col, &t->blank.cell, &t->blank.cap, t->cap))
		return -ENOMEM;
	for (u32 i = had; i < t->blank.cap; i++) {
		t->blank.col[i] = 0;
		t->blank.cell[i] = cell_make(CELL_ABSENT, REASON_NOT_ASKED);
	}
	return 0;
}

/* Columns that are read have arrays of their own, the rest of a sparse schema the blank ones. */
static int place(struct table *t)
{
	for (u32 c = 0; c < t->schema->ncolumns; c++) {
		if (!stored(t->schema, c))
			continue;
		if (t->schema->sparse && !table_needs(t, c)) {
			if (grow_blank(t))
				return -ENOMEM;
			t->col[c] = t->blank.col;
			t->cell[c] = t->blank.cell;
			continue;
		}
		if (grow_cells(&t->own[c].col, &t->own[c].cell, &t->own[c].cap, t->cap))
			return -ENOMEM;
		t->col[c] = t->own[c].col;
		t->cell[c] = t->own[c].cell;
	}
	t->placed = true;
	return 0;
}

static int grow(struct table *t, u32 least)
{
	u32 cap = t->cap ? t->cap : 4;

	while (cap < least)
		cap += cap / 2;
	if (cap > t->cap && (grow_u64(&t->key, cap) || grow_u64(&t->mono_ns, cap) ||
				    grow_u64(&t->boot_ns, cap)))
		return -ENOMEM;
	t->cap = cap;
	return place(t);
}

int table_reserve(struct table *t, u32 n)
{
	return n > t->cap ? grow(t, n) : 0;
}

int table_row(struct table *t, u64 key)
{
	u32 row = t->n;

	if ((row == t->cap || !t->placed) && grow(t, row + 1))
		return -ENOMEM;
	t->key[row] = key;
	t->mono_ns[row] = t->at.mono_ns;
	t->boot_ns[row] = t->at.boot_ns;
	for (u32 c = 0; c < t->schema->ncolumns; c++) {
		bool needed = table_needs(t, c);

		if (stored(t->schema, c) && (needed || !t->schema->sparse))
			table_absent(t, row, c, needed ? REASON_UNSUPPORTED : REASON_NOT_ASKED);
	}
	t->n++;
	return (int)row;
}

static void swap_rows(struct table *t, u32 a, u32 b)
{
#define SWAP(x) (tmp = (x)[a], (x)[a] = (x)[b], (x)[b] = tmp)
	u64 tmp;

	if (a == b)
		return;
	SWAP(t->key);
	SWAP(t->mono_ns);
	SWAP(t->boot_ns);
	for (u32 c = 0; c < t->schema->ncolumns; c++) {
		u8 cell;

		if (!stored(t->schema, c) || t->col[c] == t->blank.col)
			continue;
		SWAP(t->col[c]);
		cell = t->cell[c][a];
		t->cell[c][a] = t->cell[c][b];
		t->cell[c][b] = cell;
	}
#undef SWAP
}

/* Heap sort: in place, no memory, good enough for what is almost always in order already. It is not
 * stable; equal keys are a source's fault and one of them goes. */
static void sift(struct table *t, u32 i, u32 n)
{
	for (;;) {
		u32 child = 2 * i + 1;

		if (child >= n)
			return;
		if (child + 1 < n && t->key[child] < t->key[child + 1])
			child++;
		if (t->key[i] >= t->key[child])
			return;
		swap_rows(t, i, child);
		i = child;
	}
}

static void sort_rows(struct table *t)
{
	for (u32 i = t->n / 2; i-- > 0;)
		sift(t, i, t->n);
	for (u32 n = t->n; n-- > 1;) {
		swap_rows(t, 0, n);
		sift(t, 0, n);
	}
}

static void drop_equal(struct table *t)
{
	u32 w = 1;

	for (u32 r = 1; r < t->n; r++) {
		if (t->key[r] == t->key[w - 1])
			continue;
		if (r != w)
			swap_rows(t, r, w);
		w++;
	}
	t->n = w;
}

int table_end(struct table *t)
{
	bool sorted = true, equal = false;

	for (u32 i = 1; i < t->n; i++) {
		sorted &= t->key[i - 1] <= t->key[i];
		equal |= t->key[i - 1] == t->key[i];
	}
	if (!sorted)
		sort_rows(t);
	if (t->n && (equal || !sorted))
		drop_equal(t);
	t->seq++;
	return 0;
}

static int reserve_text(struct table *t, size_t len)
{
	size_t size = t->text_size ? t->text_size : 256;
	char *data;

	if (len <= t->text_size)
		return 0;
	while (size < len)
		size *= 2;
	if (size > UINT32_MAX)
		return -ENOMEM;
	data = realloc(t->text, size);
	if (!data)
		return -ENOMEM;
	t->text = data;
	t->text_size = (u32)size;
	return 0;
}

int table_text(struct table *t, const char *text, size_t len, text_ref *out)
{
	if (len > UINT16_MAX)
		len = UINT16_MAX;
	if (reserve_text(t, t->text_len + len))
		return -ENOMEM;
	if (len)
		memcpy(t->text + t->text_len, text, len);
	*out = (u64)t->text_len << 16 | (u64)len;
	t->text_len += (u32)len;
	return 0;
}

int table_set_text(struct table *t, u32 row, u32 column, const char *text, size_t len)
{
	text_ref ref;
	int ret = table_text(t, text, len, &ref);

	if (!ret)
		table_set(t, row, column, ref);
	return ret;
}

const char *table_get_text(const struct table *t, u32 row, u32 column, u32 *len)
{
	text_ref ref = t->col[column][row];
	u64 offset = ref >> 16;

	*len = (u32)(ref & UINT16_MAX);
	if (cell_state(t->cell[column][row]) == CELL_ABSENT || !*len ||
		offset + *len > t->text_len) {
		*len = 0;
		return "";
	}
	return t->text + offset;
}

int table_find(const struct table *t, u64 key)
{
	u32 lo = 0, hi = t->n;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (t->key[mid] < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n && t->key[lo] == key ? (int)lo : -1;
}

int table_copy(struct table *dst, const struct table *src)
{
	if (reserve_text(dst, src->text_len))
		return -ENOMEM;
	table_begin(dst, &src->at, src->need);
	if ((src->n > dst->cap || !dst->placed) && grow(dst, src->n))
		return -ENOMEM;
	dst->n = src->n;
	dst->seq = src->seq;
	dst->partial = src->partial;
	dst->missing = src->missing;
	dst->text_len = src->text_len;
	if (src->text_len)
		memcpy(dst->text, src->text, src->text_len);
	if (!src->n)
		return 0;
	memcpy(dst->key, src->key, src->n * sizeof(u64));
	memcpy(dst->mono_ns, src->mono_ns, src->n * sizeof(u64));
	memcpy(dst->boot_ns, src->boot_ns, src->n * sizeof(u64));
	for (u32 c = 0; c < src->schema->ncolumns; c++) {
		if (!stored(src->schema, c) || dst->col[c] == dst->blank.col)
			continue;
		memcpy(dst->col[c], src->col[c], src->n * sizeof(u64));
		memcpy(dst->cell[c], src->cell[c], src->n);
	}
	return 0;
}

u64 key_from_name(const char *name, size_t len)
{
	u64 h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (u8)name[i]) * 0x100000001b3ull;
	return h;
}

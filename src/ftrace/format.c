#include "ftrace/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 256, OFFSET_MOST = 1 << 16 };

/* One `field:` line. */
struct line {
	char *declaration;
	u32 offset, size;
	bool is_signed;
};

static char *skip_space(char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* "\toffset:8;" at *at: its number. */
static bool take_number(char **at, const char *key, u32 *out)
{
	size_t len = strlen(key);
	char *end;
	unsigned long v;

	*at = skip_space(*at);
	if (strncmp(*at, key, len) != 0)
		return false;
	*at += len;
	if (**at < '0' || **at > '9')
		return false;
	v = strtoul(*at, &end, 10);
	if (*end != ';' || v > OFFSET_MOST)
		return false;
	*out = (u32)v;
	*at = end + 1;
	return true;
}

static bool take_line(char *at, struct line *out)
{
	u32 is_signed = 0;
	char *end;

	out->declaration = at + strlen("field:");
	end = strchr(out->declaration, ';');
	if (!end)
		return false;
	*end++ = '\0';
	if (!take_number(&end, "offset:", &out->offset) || !take_number(&end, "size:", &out->size))
		return false;
	/* before 2.6.33 there is no sign */
	if (!take_number(&end, "signed:", &is_signed) && *skip_space(end))
		return false;
	out->is_signed = is_signed;
	return true;
}

static bool is_name(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/* Cut "type name[n]" apart. false: there is no name. *count: the n, 0 where it is none or no number. */
static bool split(char *declaration, struct event_field *f, bool *is_array, u32 *count)
{
	char *end = declaration + strlen(declaration), *bracket = NULL, *name;

	while (end > declaration && end[-1] == ' ')
		*--end = '\0';
	*is_array = end > declaration && end[-1] == ']';
	*count = 0;
	if (*is_array) {
		bracket = strrchr(declaration, '[');
		if (!bracket)
			return false;
		*count = (u32)strtoul(bracket + 1, NULL, 0);
		end = bracket;
	}
	for (name = end; name > declaration && is_name(name[-1]);)
		name--;
	if (name == end || name == declaration)
		return false;
	*end = '\0';
	if (name[-1] == '*') {
		/* what is behind the declaration has been read */
		memmove(name + 1, name, strlen(name) + 1);
		name++;
	} else if (name[-1] != ' ') {
		return false;
	}
	name[-1] = '\0';
	f->name = name;
	f->type = declaration;
	return true;
}

static bool is_word(const char *type, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(type, word); at; at = strstr(at + 1, word))
		if ((at == type || !is_name(at[-1])) && !is_name(at[len]))
			return true;
	return false;
}

static bool is_text(const char *type)
{
	return is_word(type, "char") && !strchr(type, '*') && !is_word(type, "unsigned") &&
	       !is_word(type, "signed");
}

/* Bytes of one element, by the type's name; 0: not known. Longs are 8 on the kernels whose pages are read here. */
static u8 element_of(const char *type)
{
	static const struct {
		const char *word;
		u8 bytes;
	} known[] = {{"char", 1}, {"u8", 1}, {"s8", 1}, {"__u8", 1}, {"__s8", 1}, {"uint8_t", 1},
		{"bool", 1}, {"short", 2}, {"u16", 2}, {"s16", 2}, {"__u16", 2}, {"uint16_t", 2},
		{"__be16", 2}, {"__le16", 2}, {"long", 8}, {"u64", 8}, {"s64", 8}, {"__u64", 8},
		{"uint64_t", 8}, {"__le64", 8}, {"__be64", 8}, {"size_t", 8}, {"loff_t", 8},
		{"sector_t", 8}, {"ino_t", 8}, {"int", 4}, {"unsigned", 4}, {"u32", 4}, {"s32", 4},
		{"__u32", 4}, {"uint32_t", 4}, {"__be32", 4}, {"__le32", 4}, {"pid_t", 4},
		{"dev_t", 4}, {"gfp_t", 4}, {"enum", 4}};

	if (strchr(type, '*'))
		return 8;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (is_word(type, known[i].word))
			return known[i].bytes;
	return 0;
}

static bool is_number_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void set_located(struct event_field *f)
{
	f->place = !strncmp(f->type, "__data_loc", 10) ? PLACE_DATA_LOC : PLACE_REL_LOC;
	f->element = element_of(f->type);
	f->kind = is_text(f->type) ? FIELD_TEXT : f->element ? FIELD_ARRAY : FIELD_UNKNOWN;
}

static void set_array(struct event_field *f, u32 count)
{
	u32 element = count && f->size % count == 0 ? f->size / count : element_of(f->type);

	f->place = f->size ? PLACE_HERE : PLACE_REST;
	if (is_text(f->type)) {
		f->kind = FIELD_TEXT;
		f->element = 1;
	} else if (is_number_size(element) && !is_word(f->type, "struct")) {
		f->kind = FIELD_ARRAY;
		f->element = (u8)element;
	}
}

static bool set_field(struct event_field *f, const struct line *line)
{
	bool is_array;
	u32 count;

	*f = (struct event_field){.offset = line->offset,
		.size = line->size,
		.is_signed = line->is_signed,
		.kind = FIELD_UNKNOWN};
	if (!split(line->declaration, f, &is_array, &count))
		return false;
	if (!strncmp(f->type, "__data_loc", 10) || !strncmp(f->type, "__rel_loc", 9)) {
		if (f->size != 4)
			return false;
		set_located(f);
	} else if (is_array) {
		set_array(f, count);
	} else if (is_number_size(f->size)) {
		f->kind = FIELD_NUMBER;
		f->element = (u8)f->size;
		f->address = strchr(f->type, '*');
	}
	if (f->kind == FIELD_ARRAY)
		f->address = strchr(f->type, '*');
	return true;
}

static int take_field(struct event_format *f, char *at, bool common, struct err *err)
{
	struct line line;
	struct event_field *field = &f->fields[f->n];

	if (f->n == FIELDS_MOST)
		return err_set(err, EINVAL, "an event with more than %d fields", FIELDS_MOST);
	if (!take_line(at, &line) || !set_field(field, &line))
		return err_set(err, EINVAL, "not a field: %s", at);
	if (common && !strcmp(field->name, "common_pid") && field->size == 4)
		f->pid = (int)f->n;
	f->n++;
	f->ncommon += common;
	return 0;
}

static int take_lines(struct event_format *f, struct err *err)
{
	char *save = NULL;
	bool any = false, common = true;
	int ret = 0;

	/* a blank line ends the common fields: kept through strsep */
	for (char *rest = f->text, *line; !ret && (line = strsep(&rest, "\n"));) {
		char *at = skip_space(line);

		if (!strncmp(at, "name: ", 6)) {
			f->name = at + 6;
		} else if (!strncmp(at, "ID: ", 4)) {
			f->id = (u32)strtoul(at + 4, &save, 10);
			any = save != at + 4 && f->id <= UINT16_MAX;
		} else if (!strncmp(at, "field:", 6)) {
			ret = take_field(f, at, common, err);
		} else if (!*at && f->n) {
			common = false;
		} else if (!strncmp(at, "print fmt:", 10)) {
			break;
		}
	}
	if (!ret && (!any || !f->name || !f->n))
		ret = err_set(err, EINVAL, "no event's format");
	return ret;
}

int format_parse(struct event_format *out, const char *text, size_t len, struct err *err)
{
	int ret;

	*out = (struct event_format){.pid = -1};
	out->text = malloc(len + 1);
	out->fields = calloc(FIELDS_MOST, sizeof(*out->fields));
	if (!out->text || !out->fields) {
		format_free(out);
		return -ENOMEM;
	}
	memcpy(out->text, text, len);
	out->text[len] = '\0';
	ret = take_lines(out, err);
	if (ret) {
		format_free(out);
		return ret;
	}
	out->fields = realloc(out->fields, out->n * sizeof(*out->fields)) ?: out->fields;
	return 0;
}

void format_free(struct event_format *f)
{
	free(f->fields);
	free(f->text);
	*f = (struct event_format){.pid = -1};
}

const struct event_field *format_field(const struct event_format *f, const char *name)
{
	for (u32 i = 0; i < f->n; i++)
		if (!strcmp(f->fields[i].name, name))
			return &f->fields[i];
	return NULL;
}

u32 format_page_data(const char *text, size_t len)
{
	static const struct {
		const char *name;
		u32 offset, size;
	} known[] = {{"timestamp", 0, 8}, {"commit", 8, 8}, {"data", 16, 0}};
	char copy[1024], *rest = copy;
	u32 found = 0, data = 0;

	if (len >= sizeof(copy))
		return 0;
	memcpy(copy, text, len);
	copy[len] = '\0';
	for (char *line; (line = strsep(&rest, "\n"));) {
		struct event_field f;
		struct line one;
		char *at = skip_space(line);

		if (strncmp(at, "field:", 6) || !take_line(at, &one) || !set_field(&f, &one))
			continue;
		for (u32 i = 0; i < ARRAY_LEN(known); i++)
			if (!strcmp(f.name, known[i].name) && f.offset == known[i].offset &&
				(!known[i].size || f.size == known[i].size))
				found |= 1u << i;
		if (!strcmp(f.name, "data"))
			data = f.size;
	}
	return found == 7 ? data : 0;
}

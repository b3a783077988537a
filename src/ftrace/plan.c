#include "ftrace/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ftrace/known_events.h"
#include "trace/text.h"

/* Field numbers of FtraceEventBundle and FtraceEvent. */
enum { BUNDLE_EVENT = 2, EVENT_TIMESTAMP = 1, EVENT_PID = 2 };

enum op {
	OP_UNSIGNED,
	OP_SIGNED,
	OP_SIGNED_32, /* a negative number of which the message takes 32 bits without a sign */
	OP_DEVICE,    /* dev_t: the kernel's coding to that of stat(2) */
	OP_TEXT,
	OP_TEXT_REST,
	OP_TEXT_DATA_LOC,
	OP_TEXT_REL_LOC,
	OP_ARRAY,
	OP_ARRAY_SIGNED,
	OP_ARRAY_REST,
	OP_ARRAY_DATA_LOC,
	OP_ARRAY_REL_LOC,
	OP_BYTES,
	OP_BYTES_REST,
	OP_BYTES_DATA_LOC,
	OP_BYTES_REL_LOC,
};

static bool is_bytes(const struct event_field *f)
{
	return f->kind == FIELD_UNKNOWN || (f->kind == FIELD_ARRAY && f->element == 1);
}

static u8 number_op(const struct event_field *f, char type)
{
	if (!strcmp(f->type, "dev_t") && f->size == 4)
		return OP_DEVICE;
	if (!f->is_signed)
		return OP_UNSIGNED;
	return type == 'u' ? OP_SIGNED_32 : OP_SIGNED;
}

/* type: of the message's field; 0: it takes any. -1: the field cannot be written there. */
static int op_of(const struct event_field *f, char type)
{
	static const u8 text[] = {OP_TEXT, OP_TEXT_REST, OP_TEXT_DATA_LOC, OP_TEXT_REL_LOC},
			array[] = {OP_ARRAY, OP_ARRAY_REST, OP_ARRAY_DATA_LOC, OP_ARRAY_REL_LOC},
			bytes[] = {OP_BYTES, OP_BYTES_REST, OP_BYTES_DATA_LOC, OP_BYTES_REL_LOC};

	if (f->kind == FIELD_TEXT)
		return !type || type == 's' ? text[f->place] : -1;
	if (type == 's')
		return -1;
	if (f->kind == FIELD_NUMBER)
		return number_op(f, type);
	if (is_bytes(f))
		return type ? -1 : bytes[f->place];
	if (f->place == PLACE_HERE && f->is_signed)
		return OP_ARRAY_SIGNED;
	return array[f->place];
}

static void add_step(struct plan *p, const struct event_field *f, int op, u32 number)
{
	u32 needs = f->offset + f->size;

	p->steps[p->n++] = (struct step){.op = (u8)op,
		.element = f->element,
		.number = (u16)number,
		.offset = f->offset,
		.size = f->size};
	p->located += f->place != PLACE_HERE;
	if (needs > p->fixed)
		p->fixed = needs;
}

int plan_make(struct plan *p, const char *group, const struct event_format *f)
{
	const struct known_event *known = known_event(group, f->name);
	u32 pid = f->pid >= 0 ? f->fields[f->pid].offset : 4;

	*p = (struct plan){.group = strdup(group), .name = f->name, .pid = pid, .fixed = pid + 4};
	p->generic = !known;
	p->field = known ? known->field : PLAN_GENERIC + f->id;
	p->steps = calloc(f->n + 1, sizeof(*p->steps));
	if (!p->steps || !p->group) {
		plan_free(p);
		return -ENOMEM;
	}
	for (u32 i = f->ncommon; i < f->n; i++) {
		char type = 0;
		u32 number = known ? known_field(known, f->fields[i].name, &type)
				   : i - f->ncommon + 1;
		int op = op_of(&f->fields[i], type);

		if (number && op >= 0 && (known || number <= PLAN_FIELDS_MOST))
			add_step(p, &f->fields[i], op, number);
	}
	return 0;
}

void plan_free(struct plan *p)
{
	free(p->steps);
	free(p->group);
	p->steps = NULL;
	p->group = NULL;
}

static u64 read_unsigned(const u8 *at, u32 size)
{
	switch (size) {
	case 1:
		return *at;
	case 2:
		return page_u16(at);
	case 4:
		return page_u32(at);
	default:
		return page_u64(at);
	}
}

static s64 read_signed(const u8 *at, u32 size)
{
	switch (size) {
	case 1:
		return (s8)*at;
	case 2:
		return (s16)page_u16(at);
	case 4:
		return (s32)page_u32(at);
	default:
		return (s64)page_u64(at);
	}
}

/* include/linux/kdev_t.h: major << 20 | minor, and new_encode_dev() of it. */
static u64 device_of(u32 kernel)
{
	u32 major = kernel >> 20, minor = kernel & 0xfffff;

	return (minor & 0xff) | major << 8 | (u64)(minor & ~0xffu) << 12;
}

static u8 *write_unsigned(u8 *at, u32 number, u64 v, struct addresses *a)
{
	return proto_u64(at, number, is_address(v) ? address_index(a, v) : v);
}

static u8 *write_array(u8 *at, const struct step *s, const u8 *from, u32 size, struct addresses *a)
{
	for (u32 i = 0; i + s->element <= size; i += s->element)
		at = write_unsigned(at, s->number, read_unsigned(from + i, s->element), a);
	return at;
}

/* Where a field's bytes are that the record points to: false outside of it. */
static bool locate(const struct step *s, const struct record *r, const u8 **from, u32 *size)
{
	u32 loc, offset;

	switch (s->op) {
	case OP_TEXT_REST:
	case OP_ARRAY_REST:
	case OP_BYTES_REST:
		*from = r->data + s->offset;
		*size = r->size - s->offset;
		return true;
	case OP_TEXT_DATA_LOC:
	case OP_ARRAY_DATA_LOC:
	case OP_BYTES_DATA_LOC:
		loc = page_u32(r->data + s->offset);
		offset = loc & 0xffff;
		break;
	default:
		loc = page_u32(r->data + s->offset);
		offset = (loc & 0xffff) + s->offset + 4;
	}
	*from = r->data + offset;
	*size = loc >> 16;
	return offset <= r->size && *size <= r->size - offset;
}

/* NULL: it points outside of the record. */
static u8 *write_located(u8 *at, const struct step *s, const struct record *r, struct addresses *a)
{
	const u8 *from;
	u32 size;

	if (!locate(s, r, &from, &size))
		return NULL;
	if (s->op <= OP_TEXT_REL_LOC)
		return trace_text(at, s->number, from, size);
	if (s->op <= OP_ARRAY_REL_LOC)
		return write_array(at, s, from, size, a);
	return proto_bytes(at, s->number, from, size);
}

static u8 *write_step(u8 *at, const struct step *s, const struct record *r, struct addresses *a)
{
	const u8 *from = r->data + s->offset;

	switch (s->op) {
	case OP_UNSIGNED:
		return write_unsigned(at, s->number, read_unsigned(from, s->element), a);
	case OP_SIGNED:
		return proto_s64(at, s->number, read_signed(from, s->element));
	case OP_SIGNED_32:
		return proto_u64(at, s->number, (u32)read_signed(from, s->element));
	case OP_DEVICE:
		return proto_u64(at, s->number, device_of(page_u32(from)));
	case OP_TEXT:
		return trace_text(at, s->number, from, s->size);
	case OP_ARRAY:
		return write_array(at, s, from, s->size, a);
	case OP_ARRAY_SIGNED:
		for (u32 i = 0; i + s->element <= s->size; i += s->element)
			at = proto_s64(at, s->number, read_signed(from + i, s->element));
		return at;
	case OP_BYTES:
		return proto_bytes(at, s->number, from, s->size);
	default:
		return write_located(at, s, r, a);
	}
}

u8 *plan_write(struct plan *p, const struct record *r, u64 stamp, struct addresses *a, u8 *at)
{
	u8 *begun = at, *event, *body;

	if (r->size < p->fixed) {
		p->bad++;
		return begun;
	}
	at = proto_open(at, BUNDLE_EVENT, &event);
	at = proto_u64(at, EVENT_TIMESTAMP, stamp);
	at = proto_u64(at, EVENT_PID, page_u32(r->data + p->pid));
	at = proto_open(at, p->field, &body);
	for (u32 i = 0; i < p->n; i++) {
		at = write_step(at, &p->steps[i], r, a);
		if (!at) {
			p->bad++;
			return begun;
		}
	}
	proto_close(body, at);
	proto_close(event, at);
	p->seen++;
	return at;
}

enum { DESCRIPTOR_ID = 1, DESCRIPTOR_EVENT = 2, DESCRIPTOR_GROUP = 3 }; /* GenericEventDescriptor */
enum { MESSAGE_NAME = 1, MESSAGE_FIELD = 2 };                           /* DescriptorProto */
enum {
	FIELD_NAME = 1,
	FIELD_NUMBER_IS = 3,
	FIELD_LABEL = 4,
	FIELD_TYPE = 5
}; /* FieldDescriptorProto */
enum { TYPE_INT64 = 3, TYPE_UINT64 = 4, TYPE_STRING = 9, TYPE_BYTES = 12 };
enum { LABEL_OPTIONAL = 1, LABEL_REPEATED = 3, BUNDLE_DESCRIPTOR = 11 };

static u32 type_of(const struct step *s)
{
	switch (s->op) {
	case OP_SIGNED:
	case OP_ARRAY_SIGNED:
		return TYPE_INT64;
	case OP_TEXT:
	case OP_TEXT_REST:
	case OP_TEXT_DATA_LOC:
	case OP_TEXT_REL_LOC:
		return TYPE_STRING;
	case OP_BYTES:
	case OP_BYTES_REST:
	case OP_BYTES_DATA_LOC:
	case OP_BYTES_REL_LOC:
		return TYPE_BYTES;
	default:
		return TYPE_UINT64;
	}
}

static bool is_repeated(const struct step *s)
{
	return s->op >= OP_ARRAY && s->op <= OP_ARRAY_REL_LOC;
}

u8 *plan_describe(const struct plan *p, const struct event_format *f, u8 *at)
{
	u8 *descriptor, *message, *field;

	at = proto_open(at, BUNDLE_DESCRIPTOR, &descriptor);
	at = proto_u64(at, DESCRIPTOR_ID, p->field);
	at = proto_open(at, DESCRIPTOR_EVENT, &message);
	at = proto_bytes(at, MESSAGE_NAME, p->name, strlen(p->name));
	for (u32 i = 0; i < p->n; i++) {
		const struct step *s = &p->steps[i];
		const char *name = f->fields[f->ncommon + s->number - 1].name;

		at = proto_open(at, MESSAGE_FIELD, &field);
		at = proto_bytes(at, FIELD_NAME, name, strlen(name));
		at = proto_u64(at, FIELD_NUMBER_IS, s->number);
		at = proto_u64(at, FIELD_LABEL, is_repeated(s) ? LABEL_REPEATED : LABEL_OPTIONAL);
		at = proto_u64(at, FIELD_TYPE, type_of(s));
		proto_close(field, at);
	}
	proto_close(message, at);
	at = proto_bytes(at, DESCRIPTOR_GROUP, p->group, strlen(p->group));
	proto_close(descriptor, at);
	return at;
}

size_t plan_describe_room(const struct plan *p, const struct event_format *f)
{
	size_t room = 64 + strlen(p->name) + strlen(p->group);

	for (u32 i = 0; i < p->n; i++)
		room += 32 + strlen(f->fields[f->ncommon + p->steps[i].number - 1].name);
	return room;
}

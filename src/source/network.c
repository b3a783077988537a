/* Network interfaces: /proc/net/dev, with kind, link and speed from sysfs. The total is of physical interfaces
 * (what a bridge or tunnel carries passes one of them); inside a container, where none is, of every ethernet
 * or veth that belongs to nothing larger. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kfile.h"
#include "base/scan.h"
#include "source/network_kind.h"
#include "source/sources_list.h"

enum {
	NETC_NAME,
	NETC_KIND,
	NETC_COUNTED,
	NETC_UP,
	NETC_SPEED,
	NETC_LIMIT,
	NETC_RX,
	NETC_TX,
	NETC_RX_PACKETS,
	NETC_TX_PACKETS,
	NETC_RX_ERRORS,
	NETC_TX_ERRORS,
	NETC_RX_DROPPED,
	NETC_TX_DROPPED,
	NETC_MULTICAST,
	NETC_COLLISIONS,
	NETC_COLUMNS,
};

enum { NAME_SIZE = 64, FIELDS = 16, MAX_KEPT = 128 };

#define LINK_PERIOD_NS (5 * NSEC_PER_SEC)

#define SUM(n, head, text)                                                  \
	{                                                                   \
		.name = n, .title = head, .help = text, .unit = UNIT_COUNT, \
		.kind = COLUMN_COUNTER, .total = TOTAL_SUM                  \
	}
#define OCTETS(n, head, text)                                                \
	{                                                                    \
		.name = n, .title = head, .help = text, .unit = UNIT_BYTES,  \
		.kind = COLUMN_COUNTER, .wrap = WRAP_32, .total = TOTAL_SUM, \
		.limit_column = NETC_LIMIT                                   \
	}

static const struct column columns[NETC_COLUMNS] = {
	[NETC_NAME] = {.name = "name",
		.title = "IFACE",
		.help = "interface",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[NETC_KIND] = {.name = "kind",
		.title = "KIND",
		.help = "ethernet, loopback, bridge, bond, vlan, tunnel, veth, wireless or other",
		.unit = UNIT_TEXT,
		.kind = COLUMN_TEXT},
	[NETC_COUNTED] = {.name = "counted",
		.title = "COUNTED",
		.help = "in the total",
		.unit = UNIT_BOOL,
		.flags = COLUMN_HIDDEN},
	[NETC_UP] = {.name = "up", .title = "UP", .help = "has a carrier", .unit = UNIT_BOOL},
	[NETC_SPEED] = {.name = "speed", .title = "SPEED", .help = "link speed", .unit = UNIT_BITS},
	[NETC_LIMIT] = {.name = "limit",
		.title = "LIMIT",
		.help = "bytes per second that the link can carry",
		.unit = UNIT_BYTES,
		.flags = COLUMN_HIDDEN},
	[NETC_RX] = OCTETS("rx", "RX/s", "bytes received"),
	[NETC_TX] = OCTETS("tx", "TX/s", "bytes sent"),
	[NETC_RX_PACKETS] = SUM("rx_packets", "RXPKT/s", "packets received"),
	[NETC_TX_PACKETS] = SUM("tx_packets", "TXPKT/s", "packets sent"),
	[NETC_RX_ERRORS] = SUM("rx_errors", "RXERR/s", "receive errors"),
	[NETC_TX_ERRORS] = SUM("tx_errors", "TXERR/s", "send errors"),
	[NETC_RX_DROPPED] = SUM("rx_dropped", "RXDRP/s", "dropped on receiving"),
	[NETC_TX_DROPPED] = SUM("tx_dropped", "TXDRP/s", "dropped on sending"),
	[NETC_MULTICAST] = SUM("multicast", "MCAST/s", "multicast packets received"),
	[NETC_COLLISIONS] = SUM("collisions", "COLL/s", "collisions"),
};

/* Column of each number of a line. */
static const u8 field_column[FIELDS] = {NETC_RX, NETC_RX_PACKETS, NETC_RX_ERRORS, NETC_RX_DROPPED,
	0, 0, 0, NETC_MULTICAST, NETC_TX, NETC_TX_PACKETS, NETC_TX_ERRORS, NETC_TX_DROPPED, 0,
	NETC_COLLISIONS, 0, 0};

static const struct schema network_schema = {.name = "network",
	.title = "Network",
	.help = "interfaces; the total is of physical ones",
	.version = 1,
	.ncolumns = NETC_COLUMNS,
	.columns = columns,
	.label_column = NETC_NAME,
	.birth_column = -1,
	.counted_column = NETC_COUNTED};

struct iface {
	char name[NAME_SIZE];
	u32 name_len;
	struct network_facts facts;
	bool known; /* facts are of this interface; false: look them up */
	bool settled; /* and were looked up again when it was no longer new: what makes interfaces gives
	                 them to bridges and bonds a moment later */
	bool kept; /* carrier and speed have kept files */
	struct kfile carrier, speed;
	int carrier_error, speed_error;
	s64 carrier_value, speed_value;
	u64 link_due_ns;
	u64 seen;
	u64 field[FIELDS];
};

struct source {
	const struct source_env *env;
	struct kfile file;
	struct kbuf buf;
	struct iface *ifaces;
	u32 n, cap, nkept;
	u64 reading;
	u32 generation;
};

static void iface_fini(struct source *s, struct iface *i)
{
	if (!i->kept)
		return;
	kfile_fini(&i->carrier);
	kfile_fini(&i->speed);
	i->kept = false;
	s->nkept--;
}

static void network_close(struct source *s)
{
	if (!s)
		return;
	for (u32 i = 0; i < s->n; i++)
		iface_fini(s, &s->ifaces[i]);
	kfile_fini(&s->file);
	kbuf_fini(&s->buf);
	free(s->ifaces);
	free(s);
}

static int network_open(struct source **out, const struct source_env *env)
{
	struct source *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->env = env;
	s->generation = env->root->generation;
	kbuf_init(&s->buf);
	ret = kfile_init(&s->file, "/proc/net/dev");
	if (!ret)
		ret = kfile_read(&s->file, env->root, &s->buf);
	if (ret) {
		network_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static struct iface *find_iface(struct source *s, u32 hint, const char *name, u32 len)
{
	for (u32 i = 0; i < s->n; i++) {
		struct iface *f = &s->ifaces[(hint + i) % s->n];

		if (f->name_len == len && memcmp(f->name, name, len) == 0)
			return f;
	}
	return NULL;
}

static void keep_link(struct source *s, struct iface *f)
{
	char path[128];

	if (s->nkept >= MAX_KEPT)
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/carrier", f->name);
	if (kfile_init(&f->carrier, path))
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", f->name);
	if (kfile_init(&f->speed, path)) {
		kfile_fini(&f->carrier);
		return;
	}
	f->kept = true;
	s->nkept++;
}

static struct iface *add_iface(struct source *s, const char *name, u32 len)
{
	struct iface *f;

	if (s->n == s->cap) {
		u32 cap = s->cap ? s->cap * 2 : 8;
		struct iface *grown = realloc(s->ifaces, cap * sizeof(*grown));

		if (!grown)
			return NULL;
		s->ifaces = grown;
		s->cap = cap;
	}
	f = &s->ifaces[s->n++];
	memset(f, 0, sizeof(*f));
	memcpy(f->name, name, len);
	f->name_len = len;
	keep_link(s, f);
	return f;
}

static int take_line(struct source *s, u32 hint, const char *p, const char *end)
{
	const char *colon = end, *name = scan_blank(p, end);
	u64 v[FIELDS];
	struct iface *f;
	bool ok = true;
	u32 len;

	while (colon > name && colon[-1] != ':')
		colon--;
	if (colon == name)
		return 0;
	len = (u32)min_u64((u64)(colon - 1 - name), NAME_SIZE);
	if (!len || len >= NAME_SIZE || memchr(name, '/', len) || memchr(name, 0, len))
		return 0;
	for (u32 i = 0; i < FIELDS; i++)
		colon = scan_u64(colon, end, &v[i], &ok);
	if (!ok)
		return 0;
	f = find_iface(s, hint, name, len);
	if (!f)
		f = add_iface(s, name, len);
	if (!f)
		return -ENOMEM;
	/* counters that fell are another interface's, which was given this name */
	if (v[0] < f->field[0] || v[8] < f->field[8])
		f->known = f->settled = false;
	memcpy(f->field, v, sizeof(v));
	f->seen = s->reading;
	return 0;
}

static void drop_gone(struct source *s)
{
	u32 kept = 0;

	for (u32 i = 0; i < s->n; i++) {
		if (s->ifaces[i].seen != s->reading) {
			iface_fini(s, &s->ifaces[i]);
			continue;
		}
		if (kept != i)
			s->ifaces[kept] = s->ifaces[i];
		kept++;
	}
	s->n = kept;
}

static int read_number(const struct root *root, const char *name, const char *file, s64 *out)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, file);
	return root_read_s64(root, path, out);
}

/* Reading the speed takes the kernel's network lock: seldom, and not all interfaces at once. */
static void read_link(struct source *s, struct iface *f, u32 index, u64 now)
{
	const struct root *root = s->env->root;

	if (now < f->link_due_ns)
		return;
	if (f->link_due_ns && !f->settled) {
		f->known = false;
		f->settled = true;
	}
	f->link_due_ns = now + LINK_PERIOD_NS + index % 8 * (LINK_PERIOD_NS / 8);
	if (f->kept) {
		f->carrier_error = kfile_read_s64(&f->carrier, root, &f->carrier_value);
		f->speed_error = kfile_read_s64(&f->speed, root, &f->speed_value);
	} else {
		f->carrier_error = read_number(root, f->name, "carrier", &f->carrier_value);
		f->speed_error = read_number(root, f->name, "speed", &f->speed_value);
	}
}

/* The kernel answers EINVAL for a link that is down, and for a device without a speed. */
static enum reason link_reason(int error)
{
	if (error == -EINVAL)
		return REASON_OFFLINE;
	return error == -ENOENT ? REASON_UNSUPPORTED : reason_from_errno(error);
}

static void set_link(struct table *t, u32 row, const struct iface *f)
{
	s64 mbit = f->speed_value;

	if (f->carrier_error)
		table_absent(t, row, NETC_UP, link_reason(f->carrier_error));
	else
		table_set(t, row, NETC_UP, f->carrier_value > 0);
	if (f->speed_error || mbit <= 0 || mbit >= INT32_MAX) {
		enum reason why = f->speed_error && (f->carrier_error || f->speed_error != -EINVAL)
					  ? link_reason(f->speed_error)
					  : REASON_UNKNOWN;

		table_absent(t, row, NETC_SPEED, why);
		table_absent(t, row, NETC_LIMIT, why);
		return;
	}
	table_set(t, row, NETC_SPEED, (u64)mbit * 1000000);
	table_set(t, row, NETC_LIMIT, (u64)mbit * 125000);
}

static bool is_counted(const struct iface *f, bool any_physical)
{
	if (any_physical)
		return f->facts.physical;
	return !f->facts.enslaved && (f->facts.kind == NET_ETHERNET || f->facts.kind == NET_VETH ||
					     f->facts.kind == NET_WIRELESS);
}

static int emit(struct table *t, const struct iface *f, bool counted)
{
	const char *kind = network_kind_name(f->facts.kind);
	u64 key = f->facts.ifindex ? f->facts.ifindex
				   : key_from_name(f->name, f->name_len) | 1ull << 63;
	int row = table_row(t, key), ret;

	if (row < 0)
		return row;
	ret = table_set_text(t, (u32)row, NETC_NAME, f->name, f->name_len);
	if (!ret)
		ret = table_set_text(t, (u32)row, NETC_KIND, kind, strlen(kind));
	if (ret)
		return ret;
	table_set(t, (u32)row, NETC_COUNTED, counted);
	set_link(t, (u32)row, f);
	for (u32 i = 0; i < FIELDS; i++)
		if (field_column[i])
			table_set(t, (u32)row, field_column[i], f->field[i]);
	return 0;
}

static int network_read(struct source *s, struct table *t, u64 need)
{
	bool moved = s->generation != s->env->root->generation, any_physical = false;
	const char *p, *end;
	struct stamp at;
	u32 line = 0;
	int ret;

	clock_read(s->env->clock, &at);
	ret = kfile_read(&s->file, s->env->root, &s->buf);
	if (ret)
		return ret;
	s->generation = s->env->root->generation;
	s->reading++;
	end = kbuf_end(&s->buf);
	for (p = s->buf.data; p < end && !ret; p = scan_next_line(p, end))
		ret = take_line(s, line++ - 2, p, scan_line_end(p, end));
	if (ret)
		return ret;
	drop_gone(s);
	for (u32 i = 0; i < s->n; i++) {
		struct iface *f = &s->ifaces[i];

		if (moved)
			f->link_due_ns = 0;
		read_link(s, f, i, at.mono_ns);
		if (moved || !f->known)
			network_facts_read(s->env->root, f->name, &f->facts);
		f->known = true;
		any_physical |= f->facts.physical;
	}
	table_begin(t, &at, need);
	for (u32 i = 0; i < s->n && !ret; i++)
		ret = emit(t, &s->ifaces[i], is_counted(&s->ifaces[i], any_physical));
	return ret ? ret : table_end(t);
}

static void network_explain(struct source *s, struct findings *out)
{
	if (!root_exists(s->env->root, "/sys/class/net"))
		findings_add(out, "network", REASON_ERROR, "kind, link and speed of interfaces",
			"/sys/class/net is missing: names stand in", "mount -t sysfs sysfs /sys");
}

const struct source_ops network_source = {.schema = &network_schema,
	.open = network_open,
	.read = network_read,
	.explain = network_explain,
	.close = network_close};

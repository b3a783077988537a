/* Kind of a network interface (Documentation/ABI/testing/sysfs-class-net); the name decides where sysfs is
 * missing. */
#include "source/network_kind.h"

#include <stdio.h>
#include <string.h>

#include "base/scan.h"

enum { PATH_SIZE = 128 };

/* ARPHRD_ numbers of include/uapi/linux/if_arp.h */
enum { HW_ETHER = 1, HW_LOOPBACK = 772, HW_NONE = 65534 };

const char *network_kind_name(enum network_kind kind)
{
	static const char *const names[] = {"ethernet", "loopback", "bridge", "bond", "vlan",
		"tunnel", "veth", "wireless", "other"};

	return names[kind];
}

static bool has(const struct root *root, const char *name, const char *file)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, file);
	return root_exists(root, path);
}

static u64 number(const struct root *root, const char *name, const char *file)
{
	char path[PATH_SIZE];
	u64 v = 0;

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, file);
	return root_read_u64(root, path, &v) ? 0 : v;
}

struct word_kind {
	const char *word;
	enum network_kind kind;
};

static enum network_kind kind_by_name(const char *name)
{
	static const struct word_kind stems[] = {
		{"veth", NET_VETH},
		{"docker", NET_BRIDGE},
		{"virbr", NET_BRIDGE},
		{"br", NET_BRIDGE},
		{"bond", NET_BOND},
		{"tun", NET_TUNNEL},
		{"tap", NET_TUNNEL},
		{"wg", NET_TUNNEL},
		{"wl", NET_WIRELESS},
		{"eth", NET_ETHERNET},
		{"en", NET_ETHERNET},
	};

	if (strcmp(name, "lo") == 0)
		return NET_LOOPBACK;
	if (strchr(name, '.'))
		return NET_VLAN;
	for (u32 i = 0; i < ARRAY_LEN(stems); i++)
		if (strncmp(name, stems[i].word, strlen(stems[i].word)) == 0)
			return stems[i].kind;
	return NET_OTHER;
}

/* DEVTYPE= of uevent, or NULL. */
static const char *devtype(const struct root *root, const char *name, char *text, u32 size)
{
	char path[PATH_SIZE], *p;

	snprintf(path, sizeof(path), "/sys/class/net/%s/uevent", name);
	if (root_read(root, path, text, size) < 0)
		return NULL;
	p = strstr(text, "DEVTYPE=");
	if (!p)
		return NULL;
	p += strlen("DEVTYPE=");
	p[strcspn(p, "\n")] = 0;
	return p;
}

static enum network_kind kind_of(
	const struct root *root, const char *name, const struct network_facts *f)
{
	static const struct word_kind types[] = {
		{"bridge", NET_BRIDGE},
		{"bond", NET_BOND},
		{"vlan", NET_VLAN},
		{"wlan", NET_WIRELESS},
		{"vxlan", NET_TUNNEL},
		{"geneve", NET_TUNNEL},
		{"wireguard", NET_TUNNEL},
		{"gretap", NET_TUNNEL},
		{"macvlan", NET_OTHER},
		{"ipvlan", NET_OTHER},
	};
	char text[512];
	const char *type = devtype(root, name, text, sizeof(text));
	u64 hw = number(root, name, "type"), link;

	if (!hw)
		return kind_by_name(name);
	if (hw == HW_LOOPBACK)
		return NET_LOOPBACK;
	if (has(root, name, "bridge"))
		return NET_BRIDGE;
	if (has(root, name, "bonding"))
		return NET_BOND;
	if (has(root, name, "phy80211") || has(root, name, "wireless"))
		return NET_WIRELESS;
	for (u32 i = 0; type && i < ARRAY_LEN(types); i++)
		if (strcmp(type, types[i].word) == 0)
			return types[i].kind;
	if (has(root, name, "tun_flags") || hw == HW_NONE || hw == 512 ||
		(hw >= 768 && hw <= 778) || hw == 823)
		return NET_TUNNEL;
	if (hw != HW_ETHER)
		return NET_OTHER;
	link = number(root, name, "iflink");
	if (!f->physical && link && f->ifindex && link != f->ifindex)
		return NET_VETH;
	return NET_ETHERNET;
}

void network_facts_read(const struct root *root, const char *name, struct network_facts *out)
{
	memset(out, 0, sizeof(*out));
	out->ifindex = number(root, name, "ifindex");
	out->physical = has(root, name, "device");
	out->enslaved = has(root, name, "master") || has(root, name, "brport");
	out->kind = kind_of(root, name, out);
	if (out->kind != NET_ETHERNET && out->kind != NET_WIRELESS && out->kind != NET_OTHER)
		out->physical = false;
}

/* What a network interface is: facts from sysfs, looked up when it is first seen. */
#ifndef TARE_SOURCE_NETWORK_KIND_H
#define TARE_SOURCE_NETWORK_KIND_H

#include "base/root.h"

enum network_kind {
	NET_ETHERNET,
	NET_LOOPBACK,
	NET_BRIDGE,
	NET_BOND,
	NET_VLAN,
	NET_TUNNEL,
	NET_VETH,
	NET_WIRELESS,
	NET_OTHER,
};

struct network_facts {
	enum network_kind kind;
	u64 ifindex;   /* 0: sysfs does not say */
	bool physical; /* hardware is behind it */
	bool enslaved; /* part of a bridge or bond */
};

const char *network_kind_name(enum network_kind kind);
/* name: at most 63 bytes, without a slash. */
void network_facts_read(const struct root *root, const char *name, struct network_facts *out);

#endif

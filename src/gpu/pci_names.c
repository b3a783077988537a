/* pci.ids, as pciutils and hwdata ship it: what the makers call their devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "gpu/device.h"

enum { IDS_MOST = 4 << 20 };

static const char *const paths[] = {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"};

/* Does the line begin with these digits and two blanks behind them? */
static bool is_line(const char *p, const char *end, const char *digits)
{
	size_t len = strlen(digits);

	return (size_t)(end - p) > len + 2 && !strncasecmp(p, digits, len) && p[len] == ' ' &&
	       p[len + 1] == ' ';
}

/* Lines of a vendor begin at the margin, those of its devices with one tab. */
static void search(
	const char *p, const char *end, const char *vendor, const char *device, char *out, u32 size)
{
	bool inside = false;

	for (; p < end; p = scan_next_line(p, end)) {
		const char *line = scan_line_end(p, end);

		if (p < line && *p != '\t' && *p != '#') {
			if (inside)
				return;
			inside = is_line(p, line, vendor);
		} else if (inside && line - p > 1 && p[1] != '\t' && is_line(p + 1, line, device)) {
			const char *name = p + 1 + strlen(device) + 2;

			snprintf(out, size, "%.*s", (int)(line - name), name);
			return;
		}
	}
}

void pci_name(const struct root *root, const char *vendor, const char *device, char *out, u32 size)
{
	char *text = malloc(IDS_MOST);
	int len = -1;

	out[0] = '\0';
	for (u32 i = 0; text && len <= 0 && i < ARRAY_LEN(paths); i++)
		len = root_read(root, paths[i], text, IDS_MOST);
	if (text && len > 0)
		search(text, text + len, vendor, device, out, size);
	free(text);
}

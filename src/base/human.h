/* Numbers as people read them, always with '.' as decimal point, whatever the locale. Each writes a
 * NUL-terminated text of at most the width said and returns its length. */
#ifndef TARE_BASE_HUMAN_H
#define TARE_BASE_HUMAN_H

#include "base/types.h"

enum { HUMAN_SIZE = 32 }; /* a buffer that fits every text here */

/* Powers of 1024, at most 5 columns: "0", "999", "1.0K", "23.4M", "512G". */
u32 human_bytes(char *out, double bytes);
/* Powers of 1000, at most 5 columns: "0", "999", "1.2k", "34.5M". */
u32 human_count(char *out, double count);
/* "0.0", "9.9", "99.9", "100", "3200" — one decimal below 99.95, none from there. */
u32 human_percent(char *out, double percent);
/* "12.3µs"-like durations with three digits: "850ns", "1.20us", "12.3ms", "1.50s", "2m05", "3h07",
 * "41d". ASCII only. */
u32 human_duration(char *out, double ns);
/* CPU time as process lists show it: "0:00.00" to "59:59.99", then "1h02:03", "41h07", "12d04h". */
u32 human_cpu_time(char *out, u64 ns);
/* printf("%.*f") without the locale. decimals 0 to 9. NaN and infinity give "-". */
u32 human_fixed(char *out, double v, u32 decimals);

#endif

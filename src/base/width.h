/* Which characters take two columns and which take none (Unicode: East Asian Width W and F; general
 * categories Mn, Me and Cf). Our own table because the C library's depends on the locale. */
#ifndef TARE_BASE_WIDTH_H
#define TARE_BASE_WIDTH_H

#include "base/types.h"

bool width_is_zero(u32 cp);
bool width_is_wide(u32 cp);

#endif

/* The column `energy`: an estimate. Private to this room. */
#ifndef TARE_PROCESS_ENERGY_H
#define TARE_PROCESS_ENERGY_H

#include "core/frame.h"

/* Split what the CPU packages used (table `energy`) over the processes by their CPU time, those
 * that ended counted with them. Without such a meter, or without the column cpu, the cells stay absent. */
void energy_share(struct frame_table *processes, const struct frame *frame);

#endif

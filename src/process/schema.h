/* Schemas of the tables of this room. Private to it. */
#ifndef TARE_PROCESS_SCHEMA_H
#define TARE_PROCESS_SCHEMA_H

#include "core/schema.h"

extern const struct schema process_table_schema;
extern const struct schema thread_table_schema;

#endif

/* Columns of the table `sensor`. Private to this room. */
#ifndef TARE_SOURCE_SENSOR_H
#define TARE_SOURCE_SENSOR_H

#include "core/schema.h"

enum sensor_column {
	SENSOR_LABEL,
	SENSOR_CHIP,
	SENSOR_DEVICE,
	SENSOR_KIND,
	SENSOR_STATE,
	SENSOR_TEMPERATURE,
	SENSOR_HIGH,
	SENSOR_CRITICAL,
	SENSOR_FAN,
	SENSOR_VOLTAGE,
	SENSOR_CURRENT,
	SENSOR_POWER,
	SENSOR_CPU,
	SENSOR_COLUMNS,
};

extern const struct schema sensor_table_schema;

#endif

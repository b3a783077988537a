/* The columns of `sensor`. */
#include "source/sensor.h"

#define COLUMN(n, head, text, u, ...)                                          \
	{                                                                      \
		.name = n, .title = head, .help = text, .unit = u, __VA_ARGS__ \
	}
#define TEXT(n, head, text)      COLUMN(n, head, text, UNIT_TEXT, .kind = COLUMN_TEXT)
#define SIGNED(n, head, text, u) COLUMN(n, head, text, u, .flags = COLUMN_SIGNED)

static const struct column columns[SENSOR_COLUMNS] = {
	[SENSOR_LABEL] = TEXT("label", "SENSOR", "chip and what it calls the input"),
	[SENSOR_CHIP] = TEXT("chip", "CHIP", "the chip's driver"),
	[SENSOR_DEVICE] = TEXT("device", "DEVICE", "the kernel's name of the input"),
	[SENSOR_KIND] = TEXT("kind", "KIND", "temperature, fan, voltage, current or power"),
	[SENSOR_STATE] = TEXT("state", "STATE",
		"ok, high or critical by its limits; no sensor: nothing is connected; asleep; "
		"failed"),
	[SENSOR_TEMPERATURE] = SIGNED("temperature", "TEMP", "temperature", UNIT_MILLIC),
	[SENSOR_HIGH] = SIGNED("limit_high", "HIGH", "where it is called high", UNIT_MILLIC),
	[SENSOR_CRITICAL] = SIGNED(
		"limit_critical", "CRIT", "where the machine is in danger", UNIT_MILLIC),
	[SENSOR_FAN] = COLUMN("fan", "RPM", "turns in a minute", UNIT_COUNT, .kind = COLUMN_GAUGE),
	[SENSOR_VOLTAGE] = SIGNED("voltage", "VOLT", "voltage", UNIT_UV),
	[SENSOR_CURRENT] = SIGNED("current", "AMP", "current", UNIT_UA),
	[SENSOR_POWER] = SIGNED("power", "POWER", "power", UNIT_UW),
	[SENSOR_CPU] = COLUMN("cpu", "CPU", "is it what stands for the CPUs' temperature",
		UNIT_BOOL, .kind = COLUMN_GAUGE),
};

const struct schema sensor_table_schema = {.name = "sensor",
	.title = "Sensors",
	.help = "temperatures, fans, voltages, currents and power, by the machine's chips",
	.version = 1,
	.ncolumns = SENSOR_COLUMNS,
	.columns = columns,
	.label_column = SENSOR_LABEL,
	.birth_column = -1,
	.counted_column = -1};

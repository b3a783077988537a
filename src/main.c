/* tare: the table of subcommands. */
#include "cmd/cmd.h"
#include "cmd/front.h"

static const struct subcommand subcommands[] = {
	{"top", cmd_top, "live view of the machine and its processes"},
	{"snapshot", cmd_snapshot, "measure once, or in a stream, as text or JSON"},
	{"record", cmd_record, "kernel trace events into a Perfetto trace"},
	{"check", cmd_check, "is a recording whole, what it holds and what it lost"},
	{"doctor", cmd_doctor, "what can be measured here, what cannot, and what mends it"},
	{"tables", cmd_tables, "every table and column with its unit and meaning"},
};

int main(int argc, char **argv)
{
	return front_run(subcommands, ARRAY_LEN(subcommands), argc, argv);
}

/* Who uses the GPUs, over one second. */
#include <stdio.h>
#include <stdlib.h>
#include <tare.h>
#include <unistd.h>

static void number(int has, double value, const char *unit)
{
	if (has)
		printf(" %8.1f%s", value, unit);
	else
		printf(" %8s%s", "-", unit);
}

int main(int argc, char **argv)
{
	const struct tare_options options = {.size = sizeof(options),
		.want = TARE_WANT_GPU | TARE_WANT_GPU_CLIENT,
		.root = argc > 1 ? argv[1] : NULL};
	struct tare_gpu gpu = {.size = sizeof(gpu)};
	struct tare_gpu_client client = {.size = sizeof(client)};
	struct tare *t;
	char text[64];
	size_t at = 0;

	if (tare_open(&t, &options) < 0)
		return EXIT_FAILURE;
	tare_refresh(t);
	if (argc == 1)
		sleep(1);
	tare_refresh(t);
	while (tare_gpu_next(t, &at, &gpu) > 0) {
		tare_safe_text(text, sizeof(text), gpu.name.data, gpu.name.len);
		printf("GPU %.*s %s", (int)gpu.number.len, gpu.number.data, text);
		tare_safe_text(text, sizeof(text), gpu.state.data, gpu.state.len);
		printf(" (%s)", text);
		number(TARE_HAS(gpu, TARE_GPU_BUSY), gpu.busy_percent, "%");
		number(TARE_HAS(gpu, TARE_GPU_POWER), gpu.power_watts, " W");
		putchar('\n');
	}
	if (!at)
		puts("no GPU on this machine");
	for (at = 0; tare_gpu_client_next(t, &at, &client) > 0;) {
		tare_safe_text(text, sizeof(text), client.command.data, client.command.len);
		printf("  %7llu %-24s on %.*s", (unsigned long long)client.pid, text,
			(int)client.gpu.len, client.gpu.data);
		number(TARE_HAS(client, TARE_GPU_CLIENT_BUSY), client.busy_percent, "%");
		number(TARE_HAS(client, TARE_GPU_CLIENT_MEMORY),
			(double)client.memory_bytes / (1 << 20), " MiB");
		putchar('\n');
	}
	tare_close(t);
	return EXIT_SUCCESS;
}

# The short front door; meson does the building.
#   make run      install what is missing, build, open the live view
#   make check    the same, then every test and the lint
#   make bench    what watching costs; make ladder, make processes: what the process table costs
BUILD ?= build

.PHONY: run check build lint bench ladder processes golden install clean

run:
	@tools/install-deps run
	@$(MAKE) --no-print-directory -s build
	@$(BUILD)/src/cmd/tare $(ARGS)

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@meson setup $(BUILD) --buildtype=release >/dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }

check:
	@tools/install-deps check
	@tools/check

lint:
	@tools/install-deps check
	@tools/lint

bench:
	@tools/install-deps bench
	@$(MAKE) --no-print-directory -s build
	@bench/run $(BUILD)

ladder: build
	@$(BUILD)/bench/ladder $(ARGS)

processes:
	@tools/install-deps bench
	@$(MAKE) --no-print-directory -s build
	@bench/processes --build $(BUILD) $(ARGS)

golden: build
	@tools/golden $(BUILD)

install: build
	meson install -C $(BUILD)

clean:
	rm -rf build build-*

# The front door: each target first installs what it needs (scripts/setup says what, and what for; `SETUP=no make TARGET`
# installs nothing), then calls CMake and Ninja.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
space := $(subst ,, )

BUILD = cmake --build --parallel $(JOBS) --preset
TEST = ctest --parallel $(JOBS) --preset
# The machine that most suites ran on comes first: its results are shown, the others on demand.
RESULTS = bench/results/zen4-2-cores $(filter-out %/zen4-2-cores, $(sort $(patsubst %/,%,$(dir $(wildcard bench/results/*/*.csv)))))
OWN_SOURCES = find include src scenes cli bench bindings integrations tests fuzz examples mpi cuda \
    -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh'

.PHONY: all settings demo check test test-web python web site bench report lint format format-check sanitize asan asan-short tsan valgrind valgrind-short coverage soak fuzz \
    golden windows nightly install clean help

all:
	@scripts/setup build
	@cmake --preset release >/dev/null
	@$(BUILD) release --target broadphase broadphase_shared broadphase_tool

demo: all
	build/bin/broadphase demo

# make check T=NAME: one test, or a regular expression over their names
check:
	@scripts/setup build test
	@JOBS=$(JOBS) scripts/check $(if $(T),'$(T)')

test:
	@scripts/setup build test mpi report python
	@cmake --preset release -DBROADPHASE_BENCH=ON >/dev/null
	@$(BUILD) release
	@rm -rf build/reliability && mkdir build/reliability
	@$(TEST) release --output-log build/ctest.log; status=$$?; scripts/reliability build; exit $$status

# A wheel in build/python
python:
	@scripts/setup build python
	@cmake --preset release >/dev/null
	@$(BUILD) release --target python_wheel

# The npm package in build/web/package, the playground in build/web/playground
web:
	@scripts/setup build web
	@bindings/web/build.sh $(JOBS)
	@bindings/web/playground/build.sh

# The documentation as pages in build/site, with the playground
site: report web
	@scripts/setup site
	site/build.py build/site --report build/report.html --playground build/web/playground

# The npm package in node, the playground and the site in Chromium; the native tool is what they are compared with.
test-web: all web site
	@scripts/setup web-test
	@scripts/test-web

bench:
	@scripts/setup build bench
	@cmake --preset release -DBROADPHASE_BENCH=ON >/dev/null
	@$(BUILD) release
	build/bin/broadphase bench

report: all
	@scripts/setup report
	build/bin/broadphase report $(RESULTS) -o build/report.html --charts build/charts

# LINT_DEPTH=shallow: clang's analyzer follows fewer calls, in a quarter of the time; for CI.
LINT_DEPTH ?= deep
TIDY = clang-tidy --quiet $(foreach word,-UNDEBUG -Xclang -analyzer-config -Xclang mode=$(LINT_DEPTH),--extra-arg=$(word))
lint:
	@scripts/layers
	@scripts/setup build mpi lint python web
	@cmake --preset release >/dev/null
	@cmake --preset analyzer >/dev/null
	@$(BUILD) analyzer
	find src scenes cli mpi bindings -name '*.c' -not -path '*/tests/*' -not -path 'bindings/web/*' -print0 | \
	    xargs -0 -n 1 -P $(JOBS) $(TIDY) -p build
	find cuda -name '*.c' -not -path '*/tests/*' -print0 | xargs -0 -I FILE -P $(JOBS) \
	    $(TIDY) FILE -- -std=c11 -Iinclude -Isrc -Iscenes
	find bindings/web/src src/kernels/wasm.c -name '*.c' -print0 | xargs -0 -I FILE -P $(JOBS) \
	    $(TIDY) FILE -- --target=wasm32-wasi -msimd128 -std=c11 -Iinclude -Isrc -Icli -Iexamples/granular \
	    -Ibindings/web/src -D_POSIX_C_SOURCE=200809L -D_WASI_EMULATED_PROCESS_CLOCKS
	cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -j $(JOBS) -I include -I src -I scenes -I cli \
	    --enable=warning,performance,portability --suppress=missingIncludeSystem -i cuda/tests -i mpi/tests src scenes cli cuda mpi

# What follows from the table of settings in cli/formats/settings.c: types of Python and TypeScript, the list in docs/python.md.
settings:
	@scripts/setup build test
	@cmake --preset check >/dev/null
	@cmake --build build-check --target settings_table
	@build-check/bin/settings_table >build-check/settings.txt
	@scripts/settings build-check/settings.txt

format:
	@scripts/setup format
	$(OWN_SOURCES) | xargs clang-format -i

format-check:
	@scripts/setup format
	$(OWN_SOURCES) | xargs clang-format --dry-run -Werror
	@! git grep -nE '^(<{7}|>{7}) ' || { echo 'format-check: lines that a merge left'; exit 1; }

sanitize: asan tsan

# asan-short: those of make check, in their shortest form
asan asan-short:
	@scripts/setup build test
	@cmake --preset asan >/dev/null
	@$(BUILD) asan
	@$(TEST) $@

# make tsan T='NAME NAME': these of the threaded tests
tsan:
	@scripts/setup build test
	@cmake --preset tsan >/dev/null
	@$(BUILD) tsan $(if $(T),--target $(T))
	@$(TEST) tsan $(if $(T),-R '^($(subst $(space),|,$(strip $(T))))$$')

# valgrind-short: a few tests, in their short form
valgrind valgrind-short:
	@scripts/setup build test valgrind
	@cmake --preset valgrind >/dev/null
	@$(BUILD) $@
	@$(TEST) $@

# How long each target runs; FUZZ_LIMIT=-runs=N: how many inputs.
FUZZ_SECONDS ?= 60
FUZZ_LIMIT ?= -max_total_time=$(FUZZ_SECONDS)
FUZZ_TARGETS ?= csv npy mesh settings world calls queries

fuzz:
	@scripts/setup build test lint
	@cmake --preset fuzz >/dev/null
	@$(BUILD) fuzz
	@mkdir -p $(addprefix build-fuzz/found/,$(FUZZ_TARGETS))
	@printf '%s\n' $(FUZZ_TARGETS) | xargs -I TARGET -P $(JOBS) sh -c 'build-fuzz/bin/fuzz_TARGET $(FUZZ_LIMIT) \
	    -timeout=20 -print_final_stats=1 -verbosity=0 -artifact_prefix=build-fuzz/ build-fuzz/found/TARGET \
	    fuzz/corpus/TARGET >build-fuzz/TARGET.log 2>&1; status=$$?; echo "== TARGET"; cat build-fuzz/TARGET.log; exit $$status'

# The same hashes whoever compiles, and however.
golden:
	@scripts/setup build test lint
	tests/promises/golden.sh

# The tests under wine; T=NAME: a regular expression over their names.
windows:
	@JOBS=$(JOBS) scripts/windows $(if $(T),'$(T)')

coverage:
	@scripts/setup build test coverage
	@cmake --preset coverage >/dev/null
	@$(BUILD) coverage
	@rm -rf build-coverage/profile
	@$(TEST) coverage
	@scripts/coverage build-coverage

soak:
	@scripts/setup build test
	@cmake --preset release >/dev/null
	@$(BUILD) release --target soak
	build/bin/soak
	build/bin/soak --updates 1000000

nightly:
	@scripts/nightly

# make install WITH='mpi cuda': these libraries too
WITH ?=
install:
	@scripts/setup build $(filter mpi,$(WITH))
	@cmake --preset release >/dev/null
	@$(BUILD) release --target installable $(addprefix installable_,$(WITH))
	cmake --install build --prefix $(PREFIX)
	@for part in $(WITH); do cmake --install build --prefix $(PREFIX) --component $$part || exit; done

clean:
	rm -rf build build-*

help:
	@echo 'What a target needs and is missing is installed first, and said; SETUP=no make ... installs nothing.'
	@echo
	@echo 'make            the library and the tool, release build, in build/'
	@echo 'make demo       one million moving boxes: a table and a picture'
	@echo 'make check      the inner loop: builds what changed, runs the short tests (T=NAME: one of them)'
	@echo 'make test       the whole test suite; says what did not run, and why'
	@echo 'make python     the Python package: a wheel in build/python/'
	@echo 'make web        the npm package in build/web/package/, the playground in build/web/playground/'
	@echo 'make site       the documentation as a static site: build/site/index.html'
	@echo 'make test-web   the tests of the npm package in node, and of playground and site in Chromium'
	@echo 'make bench      the quick benchmark: this library beside others'
	@echo 'make report     build/report.html: all results in bench/results, with charts, which are also in build/charts/'
	@echo 'make lint       the layers, clang-tidy, cppcheck and gcc -fanalyzer'
	@echo 'make settings   after a change to the table of settings: what follows from it in types and pages'
	@echo 'make format     clang-format, in place (format-check: only look)'
	@echo 'make sanitize   the tests under ASan and UBSan, the threaded ones under TSan'
	@echo 'make valgrind   the tests under valgrind (slow; valgrind-short: a few of them, a minute)'
	@echo 'make fuzz       libFuzzer on each target, $(FUZZ_SECONDS) s each (FUZZ_SECONDS, FUZZ_TARGETS)'
	@echo 'make golden     the golden hashes, with gcc -O0 and clang -O3'
	@echo 'make windows    all for Windows, by mingw-w64; the tests, in their shortest form, under wine (T=NAME: some)'
	@echo 'make coverage   which branches of src/ the tests take'
	@echo 'make soak       ten minutes of objects that come, go and clump, and a million updates of levels: nothing grows, nothing is lost'
	@echo 'make nightly    longer forms of all that: suite, sanitizers, valgrind, fuzzing, golden hashes, soak'
	@echo 'make install    header, library and tool, to PREFIX=$(PREFIX) (WITH="mpi cuda": these libraries too)'
	@echo 'make clean      removes all build directories'

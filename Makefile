# The front door: each target first installs what it needs (tools/setup), then calls CMake and Ninja.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

BUILD = cmake --build --parallel $(JOBS) --preset
TEST = ctest --parallel $(JOBS) --preset
OWN_SOURCES = find include src scenes tool bench tests examples mpi -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp'

.PHONY: all demo test bench lint format format-check sanitize valgrind install clean help

all:
	@tools/setup build
	@cmake --preset release >/dev/null
	@$(BUILD) release --target broadphase broadphase_shared broadphase_tool

demo: all
	build/bin/broadphase demo

test:
	@tools/setup build test
	@cmake --preset release >/dev/null
	@$(BUILD) release
	@$(TEST) release

bench:
	@tools/setup build bench
	@cmake --preset release -DBROADPHASE_BENCH=ON >/dev/null
	@$(BUILD) release
	build/bin/broadphase bench

lint:
	@tools/setup build lint
	@cmake --preset release >/dev/null
	find src scenes tool -name '*.c' -print0 | xargs -0 -n 1 -P $(JOBS) clang-tidy -p build --quiet
	cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -j $(JOBS) -I include -I src -I scenes \
	    --enable=warning,performance,portability --suppress=missingIncludeSystem src scenes tool

format:
	@tools/setup lint
	$(OWN_SOURCES) | xargs clang-format -i

format-check:
	@tools/setup lint
	$(OWN_SOURCES) | xargs clang-format --dry-run -Werror

sanitize:
	@tools/setup build test
	@cmake --preset asan >/dev/null
	@$(BUILD) asan
	@$(TEST) asan
	@cmake --preset tsan >/dev/null
	@$(BUILD) tsan
	@$(TEST) tsan

valgrind:
	@tools/setup build test valgrind
	@cmake --preset valgrind >/dev/null
	@$(BUILD) valgrind
	@$(TEST) valgrind

install: all
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build build-*

help:
	@echo 'make            the library and the tool, release build, in build/'
	@echo 'make demo       one million moving boxes: a table and a picture'
	@echo 'make test       the whole test suite'
	@echo 'make bench      the quick benchmark: this library beside others'
	@echo 'make lint       clang-tidy and cppcheck'
	@echo 'make format     clang-format, in place (format-check: only look)'
	@echo 'make sanitize   the tests under ASan and UBSan, the threaded ones under TSan'
	@echo 'make valgrind   the tests under valgrind (slow; BP_TEST_QUICK=1 makes it shorter)'
	@echo 'make install    headers, libraries, tool, to PREFIX=$(PREFIX)'
	@echo 'make clean      removes all build directories'

#!/bin/sh
# Builds the package with AddressSanitizer and UndefinedBehaviorSanitizer, in build-asan-python, and runs its tests. The flags
# are those of a build type: with sanitizers in CMAKE_C_FLAGS the package would not be built.
set -eu
cd "$(dirname "$0")/../../.."
build=$PWD/build-asan-python
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBROADPHASE_TESTS=OFF \
    "-DCMAKE_C_FLAGS_DEBUG=-g1 -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all" >/dev/null
cmake --build "$build" --target python_wheel broadphase broadphase_shared
bindings/python/tests/run.sh sanitized "$build/python" /usr/bin/python3 "$PWD" "$build/lib"

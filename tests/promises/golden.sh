#!/bin/sh
# The golden hashes with other compilers: gcc -O0 and clang -O3, each in a build of its own. Both must give the hashes of
# tests/promises/golden/scenes.txt, and find the pairs of every method in the same order.
# usage: tests/promises/golden.sh [FOLDER]      (default: build-golden)
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$source/build-golden}

# check COMPILER LEVEL
check() {
    build=$folder/$1$2
    cmake -S "$source" -B "$build" -G Ninja -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$2" \
        -DBROADPHASE_BENCH=OFF -DBROADPHASE_CUDA=OFF -DBROADPHASE_MPI=OFF -DBROADPHASE_EXAMPLES=OFF >/dev/null
    cmake --build "$build" --target test_golden >/dev/null
    BP_TEST_QUICK=1 "$build/bin/test_golden"
    "$build/bin/test_golden" --found >"$build/found.txt"
}

check gcc -O0
check clang -O3
cmp "$folder/gcc-O0/found.txt" "$folder/clang-O3/found.txt"
echo "gcc -O0 and clang -O3 agree: $(wc -l <"$folder/gcc-O0/found.txt") scenes x methods"

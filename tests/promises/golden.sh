#!/bin/sh
# The golden hashes with two compilers: both must give the hashes of tests/promises/golden/scenes.txt, and find the pairs of
# every method in the same order.
# usage: tests/promises/golden.sh [BUILD BUILD]      (default: gcc -O0 and clang -O3, each in a build of its own)
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$source/build-golden

# build COMPILER LEVEL
build() {
    cmake -S "$source" -B "$folder/$1$2" -G Ninja -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$2" \
        -DBROADPHASE_BENCH=OFF -DBROADPHASE_CUDA=OFF -DBROADPHASE_MPI=OFF -DBROADPHASE_EXAMPLES=OFF >/dev/null
    cmake --build "$folder/$1$2" --target test_golden >/dev/null
}

# check BUILD
check() {
    # A build that counts branches would leave its counts where it is called.
    LLVM_PROFILE_FILE=/dev/null BP_TEST_QUICK=1 "$1/bin/test_golden"
    LLVM_PROFILE_FILE=/dev/null "$1/bin/test_golden" --found >"$1/found.txt"
}

if [ $# -eq 0 ]; then
    build gcc -O0
    build clang -O3
    set -- "$folder/gcc-O0" "$folder/clang-O3"
fi
check "$1"
check "$2"
cmp "$1/found.txt" "$2/found.txt"
echo "$(basename "$1") and $(basename "$2") agree: $(wc -l <"$1/found.txt") scenes x methods"

#!/bin/sh
# What test_programs prints when something is wrong is a C program: it must compile without a warning, run, and be short.
# usage: program_as_c.sh TEST-PROGRAMS INCLUDE-FOLDER LIBRARY-FOLDER COMPILER [FLAG...]
# BP_EMULATOR: the words that run a program of another machine
set -eu

programs=$1
include=$2
library=$3
shift 3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for defect in 1 2 3 4; do
    ${BP_EMULATOR:-} "$programs" --defect "$defect" >"$folder/program.c"
    # a short program does not need all the helpers that are printed with it; clang would say so
    "$@" -std=c11 -Wall -Wextra -Werror -Wno-unused-function -I "$include" "$folder/program.c" -o "$folder/program.exe" \
        -L "$library" -lbroadphase -Wl,-rpath,"$library" -lm
    LD_LIBRARY_PATH=$library ${BP_EMULATOR:-} "$folder/program.exe" >"$folder/output"
    calls=$(sed -n '/^int main/,$p' "$folder/program.c" | grep -c '^    told(bp_\|^    told(updated')
    if [ "$calls" -gt 9 ] || ! grep -q success "$folder/output"; then
        echo "defect $defect: $calls calls; the output was:"
        cat "$folder/output"
        exit 1
    fi
done

#!/bin/sh
# The commands of the tool around the choice of a method: pairs --explain, tune, trace.
# usage: test_tune_tool.sh PATH_OF_BROADPHASE INCLUDE_DIR COMPILER
set -u
tool=$1 include=$2 compiler=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS WORDS...: runs the tool; leaves out and err.
expect() {
    wanted=$1
    shift
    "$tool" "$@" >out 2>err </dev/null
    status=$?
    [ "$status" -eq "$wanted" ] || fail "broadphase $*: status $status, expected $wanted: $(head -1 err)"
}

contains() {
    grep -q -- "$2" "$1" || fail "no '$2' in $1: $(head -3 "$1")"
}

expect 0 scene uniform -n 2000 --seed 3 -o boxes.npy
expect 0 scene tiny-and-huge -n 2000 -o wild.npy
expect 0 scene uniform -n 300 -o few.csv

# --explain
expect 0 pairs boxes.npy --explain -o pairs.npy
contains err '^strips: the boxes are of similar size$'
contains err '^boxes: '
grep -q warning err && fail "a warning for uniform"
expect 0 pairs wild.npy --explain -o pairs.npy
contains err '^split: positions span many scales: '
contains err '^warning: .*_double'
expect 0 pairs wild.npy --explain --method octree -o pairs.npy
contains err '^octree: the config names it$'

# tune: a table, C source, a file for --config
expect 0 tune boxes.npy --budget 1 -o fast.conf --source fast.h
contains err 'ms a step'
contains err 'method=brute-force'
contains fast.conf '^method = '
contains fast.h '^bp_config config = {'
contains fast.h '    .method = BP_METHOD_'
printf '#include <broadphase/broadphase.h>\n' >fast.c
cat fast.h >>fast.c
"$compiler" -std=c11 -Wall -Wextra -Werror -I "$include" -fsyntax-only fast.c || fail "fast.h is no C"
expect 0 pairs boxes.npy --config fast.conf -o tuned.csv
expect 0 pairs boxes.npy --method brute-force -o exact.csv
cmp -s tuned.csv exact.csv || fail "the winner finds other pairs"
expect 0 tune few.csv --budget 0.2 --quiet --set margin=0.5
contains out '^method = '
contains out '^margin = 0.5'
[ -s err ] && fail "tune --quiet says: $(head -1 err)"
echo before >err
"$tool" tune few.csv --budget 0.2 -o few.conf 2>>err || fail "tune 2>>err"
contains err '^before$' # what stands in the file stays there
contains err 'ms a step'
expect 2 tune
expect 2 tune boxes.npy boxes.npy
expect 2 tune boxes.npy --budget soon
expect 1 tune missing.npy

# trace: what is no trace is refused
expect 0 trace boxes.npy
[ "$(wc -l <out)" -eq 2 ] || fail "an array of boxes is not one step"
expect 1 trace few.csv
expect 1 trace missing.trace
expect 2 trace
printf 'bptrace1' >empty.trace
expect 0 trace empty.trace
[ "$(wc -l <out)" -eq 1 ] || fail "an empty recording has steps"
printf 'bptrace1\000\000\000\000\000\000\000\000\377\377\377\377\377\377\377\377' >long.trace
expect 1 trace long.trace
contains err 'cut off'
printf 'bptrace1\000\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000\377\377\377\360aaaabbbbccccddddeeeeffff' >id.trace
expect 1 trace id.trace
contains err 'damaged'

[ "$failures" -eq 0 ] || exit 1

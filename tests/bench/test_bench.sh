#!/bin/sh
# The bench from outside: wrong calls, going on with a file, budgets, and recordings.
# usage: test_bench.sh BENCH TOOL
bench=$(realpath "$1")
shift
# shellcheck source=tests/cli/tool_checks.sh
. "$(dirname "$(realpath "$0")")/../cli/tool_checks.sh"

# run STATUS TEXT WORD...: runs the bench, whose standard error holds the text.
run() {
    expected=$1 text=$2
    shift 2
    checks=$((checks + 1))
    "$bench" "$@" >out 2>err
    status=$?
    [ $status -eq "$expected" ] || fail "broadphase-bench $*: exit status $status, expected $expected"
    grep -qF -e "$text" err out || fail "broadphase-bench $*: expected '$text'"
}

# What a file of results says, but for the times: scene, who, method, n, threads, pairs, hash, tests.
contents() {
    grep -v '^#' "$1" | cut -d, -f1-6,11,12,14 | sort
}

# ----------------------------------------------------------------------------------------------------------------------
# Calls

run 0 'Usage:' --help
run 0 'Peers:' --list
run 2 "no such suite: 'nix'" --suite nix
run 2 "no scene 'nix'" --scenes uniform,nix
run 2 "no scene 'nix'" --suite living --scenes nix
run 2 "no scene 'nix'" --suite everyday --scenes nix
run 2 "no scene 'uniform'" --suite schornbaum --scenes uniform
run 2 "no such peer: 'nix'" --peers nix
run 2 'no such option' --nix 1
run 2 'no value after' --csv
run 2 'not a number in the allowed range' -n few
run 2 '--resume needs' --resume
run 2 'only the suites trace and calibrate have a file' boxes.npy
run 2 '--suite trace needs' --suite trace
run 2 'nowhere/rows.csv: No such file' --csv nowhere/rows.csv
run 2 "no scene 'nix'; it has: peers plates" --suite worst --scenes nix
run 2 "'a.sise=3' is no parameter" --suite worst --scene 'turn=random a.sise=3'
run 2 "no such method" --suite worst --method nix
run 2 'not for' --suite quick --seed 3

# ----------------------------------------------------------------------------------------------------------------------
# Going on

# small STATUS TEXT WORD...: a suite of four scenes and two methods that takes a moment.
small() {
    status_wanted=$1 text_wanted=$2
    shift 2
    run "$status_wanted" "$text_wanted" --suite schornbaum --scenes shape --repeat 1 --warmup 1 "$@"
}

small 0 'Finished' -n 500,700 --csv whole.csv
[ "$(contents whole.csv | wc -l)" -eq 17 ] || fail 'a header, and four scenes, two counts, two methods'
head -20 whole.csv | grep -q '^# command: broadphase-bench --suite schornbaum' || fail 'the file tells the call'
head -20 whole.csv | grep -q '^# kernel: ' || fail 'the file tells the kernel'
contents whole.csv >whole

# A part first, then the rest: what was there stays, byte by byte.
small 0 'Finished' -n 500 --csv parts.csv
cp parts.csv before.csv
small 0 'measured before' -n 500,700 --csv parts.csv --resume
head -c "$(wc -c <before.csv)" parts.csv >kept.csv
same before.csv kept.csv 'resumed: the rows that were there'
contents parts.csv >parts
same whole parts 'resumed: as a whole run'
small 0 'measured before' -n 500,700 --csv parts.csv --resume
contents parts.csv >parts
same whole parts 'resumed again: nothing twice'

# Cut short by the budget, wherever that is.
for budget in 0.001 0.02 0.05; do
    small 0 '' -n 500,700 --csv short.csv --budget $budget
    small 0 '' -n 500,700 --csv short.csv --resume
    contents short.csv >short
    same whole short "budget $budget, then resumed"
    rm short.csv
done
small 0 'the budget is spent' -n 500,700 --budget 0.001
small 0 'Finished' -n 500,700 --csv new.csv --resume
contents new.csv >new
same whole new 'resumed without a file: a whole run'

# A failure is not forgotten.
cp whole.csv failed.csv
echo '# failed: somebody lost a pair' >>failed.csv
small 1 'FAILED before: somebody lost a pair' -n 500,700 --csv failed.csv --resume

# Files that it cannot resume stay as they are.
cp whole.csv other.csv
run 2 "its suite is 'schornbaum', not 'quick'" --csv other.csv --resume -n 500
BENCH_COMMIT=another
export BENCH_COMMIT
small 2 'it was measured with commit' -n 500 --csv other.csv --resume
unset BENCH_COMMIT
same whole.csv other.csv 'a refused file'
head -c "$(($(wc -c <whole.csv) - 3))" whole.csv >cut.csv
small 2 'a line is cut off' -n 500 --csv cut.csv --resume
echo 'a,b,c' >>other.csv
small 2 'does not have 16 columns' -n 500 --csv other.csv --resume

# ----------------------------------------------------------------------------------------------------------------------
# The 99th percentile, which fewer than 100 steps do not have, and the worst

for steps in 99 100; do
    run 0 'Finished' --suite everyday --scenes crowds -n 250 --repeat $steps --peers none --csv $steps.csv
done
rows_with() {
    grep -c "^everyday,crowds [^,]*,broadphase,.*$1" "$2"
}
checks=$((checks + 3))
[ "$(rows_with ',,[0-9.e-]*$' 99.csv)" -eq 4 ] || fail 'everyday: of 99 steps the worst only'
[ "$(rows_with ',[0-9.e-]*,[0-9.e-]*$' 100.csv)" -eq 4 ] || fail 'everyday: of 100 steps both'
awk -F, '/^everyday/ && !($9 <= $15 && $15 <= $16) { bad = 1 } END { exit bad }' 100.csv ||
    fail 'everyday: the median, the 99th percentile and the worst ascend'

# ----------------------------------------------------------------------------------------------------------------------
# Hostile scenes

# A scene by its name, and the same by its parameters: the same pairs, and another method beside the default.
pairs_of_auto() {
    grep '^worst,[^,]*,broadphase,auto' "$1" | cut -d, -f5,11,12,14
}
run 0 'auto: promises, over 2 measurements' --suite worst --scenes needles -n 500,700 --csv named.csv
run 0 'bvh: promises' --suite worst --scene 'turn=random b.size=6 c.size=6' -n 500,700 --method bvh --csv given.csv
checks=$((checks + 2))
[ "$(pairs_of_auto named.csv)" = "$(pairs_of_auto given.csv)" ] || fail 'worst: a scene by its parameters'
[ "$(pairs_of_auto named.csv | wc -l)" -eq 2 ] || fail 'worst: a row for each number of objects'
# A call that takes too long is ended, which is no failure, and its row says so.
run 0 'brute-force: promises, over 1 measurements; calls that took too long were ended, and keep no promise' \
    --suite worst --scenes needles -n 20000 --method brute-force --limit 0.02 --csv ended.csv
grep -q '^worst,worst/needles,broadphase,brute-force ended,20000,1,[^,]*,[^,]*,20,' ended.csv || fail 'worst: an ended call'
# What the search prints can be measured again.
run 0 'Tried' --suite worst-search -n 400 --budget 0.5 --seed 5 --csv found.csv
found=$(sed -n 's/^# search\/found-5-1: --scene "\(.*\)" --seed 5$/\1/p' found.csv)
run 0 'given ' --suite worst --scene "$found" -n 400 --seed 5 --csv again.csv
checks=$((checks + 1))
[ "$(grep 'found-5-1,broadphase,auto' found.csv | cut -d, -f5,11,12)" = \
    "$(pairs_of_auto again.csv | cut -d, -f1-3)" ] || fail 'worst: what the search found, again'

# ----------------------------------------------------------------------------------------------------------------------
# Recordings

# header SHAPE: of 128 bytes
header() {
    printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': $1, }"
}
nan='\0000\0000\0300\0177'

{
    header '(4, 400, 6)'
    for step in 1 2 3 4; do
        "$tool" scene uniform -n 400 --steps $step -o step.npy
        tail -c 9600 step.npy
    done
} >recording.npy
run 0 '4 steps, 400 objects' --suite trace recording.npy --csv trace.csv
run 0 'measured before' --suite trace --file recording.npy --csv trace.csv --resume
grep -q '^trace,recording.npy,broadphase,bvh,400,' trace.csv || fail 'trace: a row a method'

# Objects that are absent in the middle, and back at the end: the same pairs in the last step.
cp recording.npy absent.npy
for box in 400 401 407 530 799 805 1100; do
    printf '%b' "$nan$nan$nan$nan$nan$nan" | dd of=absent.npy bs=1 seek=$((128 + 24 * box)) conv=notrunc 2>/dev/null
done
run 0 'some absent' --suite trace absent.npy --csv absent.csv
pairs_of() {
    sed -n 's/^trace,[^,]*,broadphase,brute-force,//p' "$1" | cut -d, -f7,8
}
checks=$((checks + 1))
[ "$(pairs_of trace.csv)" = "$(pairs_of absent.csv)" ] || fail 'trace: objects come back as the same ones'
[ -n "$(pairs_of trace.csv)" ] || fail 'trace: brute force has a row'

"$tool" scene uniform -n 400 -o one.npy
run 0 '1 step, 400 objects' --suite trace one.npy --peers none

printf '%b' "$nan" | dd of=recording.npy bs=1 seek=$((128 + 24 * 405)) conv=notrunc 2>/dev/null
run 1 'recording.npy: step 1, box 5' --suite trace recording.npy
head -c 5000 one.npy >cut.npy
run 1 'does not have as many bytes' --suite trace cut.npy
run 1 'cannot be opened' --suite trace nowhere.npy

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]

#!/bin/sh
# A suite of the bench, made small: it runs to its end, nobody finds wrong pairs, and it leaves rows of ours.
# usage: bench_suite.sh BENCH SUITE [OPTION]...      exit status 77: the suite needs an engine that is not here
bench=$1 suite=$2
shift 2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$bench" --suite "$suite" "$@" --csv "$folder/rows.csv" >"$folder/text" || exit 1
cat "$folder/text"
grep -q "^The suite $suite is not built" "$folder/text" && exit 77
rows=$(grep -c "^$suite,[^,]*,broadphase," "$folder/rows.csv")
echo "$rows rows of ours"
[ "$rows" -gt 0 ]

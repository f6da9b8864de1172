#!/bin/sh
# The programs in docs/cpp.md compile as they are printed, without a warning, and end with 0.
# usage: programs.sh MARKDOWN CXX_COMPILER INCLUDE_DIR LIBRARY [FLAG...]
set -eu
text=$1 cxx=$2 include=$3 library=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk -v folder="$folder" '
    /^```cpp$/ { inside = 1; count++; next }
    /^```$/ { inside = 0 }
    inside { print >(folder "/" count ".cpp") }' "$text"
count=0
for program in "$folder"/*.cpp; do
    "$cxx" -std=c++17 -Wall -Wextra -Werror "$@" -I "$include" "$program" "$library" -pthread -lm -o "$folder/program"
    "$folder/program"
    count=$((count + 1))
done
test "$count" -ge 4

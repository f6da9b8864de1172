#!/bin/sh
# The first program of the README compiles as it is printed, has at most 20 lines, and finds the pairs it says.
# usage: readme.sh README INCLUDE_DIR LIBRARY_DIR COMPILER [FLAG...]
# BP_EMULATOR: the words that run a program of another machine
set -eu
readme=$1 include=$2 libraries=$3
shift 3
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$readme" >"$directory/first.c"
lines=$(wc -l <"$directory/first.c")
if [ "$lines" -eq 0 ] || [ "$lines" -gt 20 ]; then
    echo "the first program has $lines lines" >&2
    exit 1
fi
"$@" -std=c11 -Wall -Wextra -Werror -I "$include" "$directory/first.c" -L "$libraries" -lbroadphase -o "$directory/first.exe"
# The DLLs may write lines as Windows does
found=$(LD_LIBRARY_PATH=$libraries ${BP_EMULATOR:-} "$directory/first.exe" | tr -d '\r')
test "$found" = "0 overlaps 1
1 overlaps 2"

#!/bin/sh
# The shared library exports the functions that its headers mark with BP_API, and nothing else.
# usage: check_symbols.sh NM LIBRARY INCLUDE_DIR      (of a DLL its import library, NAME.dll.a, which has the same list)
set -eu
nm=$1 library=$2 include=$3
included=$(sed -n 's/^#include <\(broadphase.*\)>$/\1/p' "$include/broadphase/broadphase.h")
# shellcheck disable=SC2086 # one word for each header
declared=$(cd "$include" && sed -n 's/^BP_API [^(]*\(bp_[a-z0-9_]*\)(.*/\1/p' broadphase/broadphase.h $included | sort)
case $library in
*.dll.a) exported=$("$nm" --defined-only --format=posix "$library" | awk '$2 == "T" { print $1 }' | sort) ;;
*) exported=$("$nm" -D --defined-only --format=posix "$library" | cut -d' ' -f1 | sort) ;;
esac
echo "$declared" | grep -q '^bp_find_pairs$' || { echo "no declarations found in $include"; exit 1; }
if [ "$declared" != "$exported" ]; then
    printf 'declared:\n%s\nexported:\n%s\n' "$declared" "$exported"
    exit 1
fi

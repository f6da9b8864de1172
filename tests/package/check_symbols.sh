#!/bin/sh
# The shared library exports the functions that its headers mark with BP_API, and nothing else.
# usage: check_symbols.sh NM LIBRARY INCLUDE_DIR      (of a DLL its import library, NAME.dll.a, which has the same list)
set -eu
nm=$1 library=$2 include=$3
declared=$(cd "$include/broadphase" && sed -n 's/^BP_API [^(]*\(bp_[a-z0-9_]*\)(.*/\1/p' broadphase.h broadphase_methods.h broadphase_tune.h broadphase_world.h | sort)
case $library in
*.dll.a) exported=$("$nm" --defined-only --format=posix "$library" | awk '$2 == "T" { print $1 }' | sort) ;;
*) exported=$("$nm" -D --defined-only --format=posix "$library" | cut -d' ' -f1 | sort) ;;
esac
echo "$declared" | grep -q '^bp_find_pairs$' || { echo "no declarations found in $include"; exit 1; }
if [ "$declared" != "$exported" ]; then
    printf 'declared:\n%s\nexported:\n%s\n' "$declared" "$exported"
    exit 1
fi

#!/bin/sh
# The shared library exports the functions that its headers mark with BP_API, and nothing else.
# usage: check_symbols.sh NM LIBRARY INCLUDE_DIR      (of a DLL its import library, NAME.dll.a, which has the same list)
set -eu
declared=$(cd "$3/broadphase" && sed -n 's/^BP_API [^(]*\(bp_[a-z0-9_]*\)(.*/\1/p' broadphase.h broadphase_methods.h broadphase_tune.h | sort)
case $2 in
*.dll.a) exported=$("$1" --defined-only --format=posix "$2" | awk '$2 == "T" { print $1 }' | sort) ;;
*) exported=$("$1" -D --defined-only --format=posix "$2" | cut -d' ' -f1 | sort) ;;
esac
echo "$declared" | grep -q '^bp_find_pairs$' || { echo "no declarations found in $3"; exit 1; }
if [ "$declared" != "$exported" ]; then
    printf 'declared:\n%s\nexported:\n%s\n' "$declared" "$exported"
    exit 1
fi

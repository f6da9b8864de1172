#!/bin/sh
# The shared library exports the functions that its headers mark with BP_API, and nothing else; static ones have no global name
# without bp_, which a program might have, too.
# usage: check_symbols.sh NM LIBRARY INCLUDE_DIR ARCHIVE...      (of a DLL its import library, NAME.dll.a, which has the same list)
set -eu
nm=$1 library=$2 include=$3
shift 3
declared=$(cd "$include/broadphase" && sed -n 's/^BP_API [^(]*\(bp_[a-z0-9_]*\)(.*/\1/p' broadphase.h broadphase_methods.h broadphase_tune.h | sort)
case $library in
*.dll.a) exported=$("$nm" --defined-only --format=posix "$library" | awk '$2 == "T" { print $1 }' | sort) ;;
*) exported=$("$nm" -D --defined-only --format=posix "$library" | cut -d' ' -f1 | sort) ;;
esac
echo "$declared" | grep -q '^bp_find_pairs$' || { echo "no declarations found in $include"; exit 1; }
if [ "$declared" != "$exported" ]; then
    printf 'declared:\n%s\nexported:\n%s\n' "$declared" "$exported"
    exit 1
fi
for archive in "$@"; do
    names=$("$nm" -g --defined-only --format=posix "$archive" 2>/dev/null | awk 'NF > 2 { print $1 }')
    [ -n "$names" ] || { echo "$archive: no names"; exit 1; }
    foreign=$(echo "$names" | grep -v '^bp_' || true)
    [ -z "$foreign" ] || { printf '%s: global names without bp_:\n%s\n' "$archive" "$foreign"; exit 1; }
done

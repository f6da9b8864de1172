#!/bin/sh
# The shared library may export only names that begin with bp_.
# usage: check_symbols.sh NM LIBRARY
set -eu
exported=$("$1" -D --defined-only --format=posix "$2" | cut -d' ' -f1)
echo "$exported" | grep -q '^bp_find_pairs$' || { echo "bp_find_pairs is not exported"; exit 1; }
if echo "$exported" | grep -v '^bp_'; then
    echo "exported, but not named bp_..."
    exit 1
fi

#!/bin/sh
# A library has no global name without bp_: a program that has the same name would replace it, silently. In a static library
# of C++ what the compiler makes of other people's headers may be there, as weak names that every user of these headers shares.
# usage: check_names.sh NM LIBRARY
set -eu
nm=$1 library=$2
case $library in
*.a) names=$("$nm" -g --defined-only --format=posix "$library" 2>/dev/null |
    awk 'NF > 2 && !($2 ~ /[WVu]/ && $1 ~ /^(_Z|DW\.ref\.)/) { print $1 }') ;;
*) names=$("$nm" -D --defined-only --format=posix "$library" | awk '{ print $1 }') ;;
esac
[ -n "$names" ] || { echo "$library: no names"; exit 1; }
foreign=$(echo "$names" | grep -vE '^(_Z[0-9]+)?bp_' || true)
[ -z "$foreign" ] || { printf '%s: global names without bp_:\n%s\n' "$library" "$foreign"; exit 1; }

#!/bin/sh
# Structs grow into their reserved fields. So a program that was compiled against older structs, in which the last fields were
# still reserved, runs with the library of today; and one that is compiled against later structs does, too, as long as it leaves
# the new fields 0, and is refused where it does not.
# usage: growth.sh INCLUDE_DIR LIBRARY_DIR COMPILER [FLAG...]
# BP_EMULATOR: the words that run a program of another machine
set -eu
include=$1 libraries=$2
shift 2
source=$(dirname "$0")/growth.c
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# replace VERSION LINE LINE: in the headers of this version one line by another
replace() {
    header=$directory/$1/broadphase/broadphase.h
    grep -qxF "$2" "$header" || { echo "growth.sh: no line is: $2" >&2; exit 1; }
    awk -v from="$2" -v to="$3" '{ print $0 == from ? to : $0 }' "$header" >"$header.new"
    mv "$header.new" "$header"
}

for version in today older later; do
    mkdir "$directory/$version"
    cp -R "$include/broadphase" "$directory/$version/broadphase"
done
replace older '    uint64_t user BP_ZERO;     ///< yours; the library only stores it' '    uint64_t reserved_too;'
replace older '    const struct bp_method_settings *settings BP_ZERO;' '    void *reserved_too;'
replace older '    double details[40];          ///< for bp_explain in broadphase_tune.h' '    double details[32], reserved_too[8];'
replace later '    uint64_t reserved BP_ZERO; ///< 0' '    uint64_t added;'
replace later '    uint64_t reserved[8] BP_ZERO; ///< 0; anything else is refused' '    uint64_t added, reserved[7];'

for version in today older later; do
    [ $version = later ] && later=-DLATER=7 || later=
    # shellcheck disable=SC2086 # none or one word
    "$@" -std=c11 -Wall -Wextra $later -I "$directory/$version" "$source" -L "$libraries" -lbroadphase -o "$directory/$version/program.exe"
    LD_LIBRARY_PATH=$libraries ${BP_EMULATOR:-} "$directory/$version/program.exe" || { echo "growth.sh: with the structs of $version" >&2; exit 1; }
done

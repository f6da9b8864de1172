#!/bin/sh
# Each header of the library compiles on its own, as C11 and, if there is such a compiler, as C++17; that for C++ as such. The
# main one can be read in ten minutes.
# usage: headers.sh INCLUDE_DIR C_COMPILER [CXX_COMPILER]
set -eu
include=$1 c=$2 cxx=${3:-}
main=$include/broadphase/broadphase.h
for header in broadphase/broadphase.h $(sed -n 's/^#include <\(broadphase.*\)>$/\1/p' "$main"); do
    line="#include <$header>"
    echo "$line" | "$c" -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$include" -fsyntax-only -x c -
    [ -z "$cxx" ] || echo "$line" | "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I "$include" -fsyntax-only -x c++ -
done
for header in broadphase broadphase_values; do
    [ -z "$cxx" ] || echo "#include <broadphase/$header.hpp>" |
        "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I "$include" -fsyntax-only -x c++ -
done

# {0} is without a warning in C++.
[ -z "$cxx" ] || for compiler in "$cxx" g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    for standard in 14 17 20; do
        "$compiler" -std=c++$standard -Wall -Wextra -Wpedantic -Wmissing-field-initializers -Werror -I "$include" \
            -fsyntax-only "$(dirname "$0")/zero.cpp"
    done
done

# Words that a reader takes in within ten minutes, declarations included.
words=$(wc -w <"$main")
[ "$words" -le 3500 ] || { echo "headers.sh: broadphase.h has $words words; 3500 can be read in ten minutes" >&2; exit 1; }

#!/bin/sh
# Each header of the library compiles on its own, as C11 and, if there is such a compiler, as C++17; that for C++ as such.
# usage: headers.sh INCLUDE_DIR C_COMPILER [CXX_COMPILER]
set -eu
include=$1 c=$2 cxx=${3:-}
for header in broadphase broadphase_methods broadphase_tune broadphase_world; do
    line="#include <broadphase/$header.h>"
    echo "$line" | "$c" -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$include" -fsyntax-only -x c -
    [ -z "$cxx" ] || echo "$line" | "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I "$include" -fsyntax-only -x c++ -
done
for header in broadphase broadphase_values; do
    [ -z "$cxx" ] || echo "#include <broadphase/$header.hpp>" |
        "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror -I "$include" -fsyntax-only -x c++ -
done

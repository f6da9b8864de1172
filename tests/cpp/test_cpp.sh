#!/bin/sh
# test_cpp.cpp as C++17 and as C++20, by one compiler, without a warning.
# usage: test_cpp.sh CXX_COMPILER INCLUDE_DIR LIBRARY [FLAG...]      (status 77: there is no such compiler)
set -eu
cxx=$1 include=$2 library=$3
shift 3
command -v "$cxx" >/dev/null || { echo "no $cxx"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for standard in 17 20; do
    "$cxx" -std=c++$standard -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "$@" -I "$include" \
        "$(dirname "$0")/test_cpp.cpp" "$library" -pthread -lm -o "$folder/test_cpp"
    "$folder/test_cpp"
done

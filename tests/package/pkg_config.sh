#!/bin/sh
# Builds and runs the outside program through pkg-config: with the shared library, then with the static one.
# usage: pkg_config.sh PC_DIRECTORY COMPILER [FLAG...]
# BP_EMULATOR: the words that run a program of another machine
set -eu
PKG_CONFIG_PATH=$1
export PKG_CONFIG_PATH
shift
source=$(dirname "$0")/consumer.c
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program=$folder/program.exe
library_directory=$(pkg-config --variable=libdir broadphase)
static=
case $1 in
*mingw*) static=-static ;; # or the DLLs of the compiler would have to lie beside the program
esac

# Flags are separate words on purpose.
# shellcheck disable=SC2046
"$@" "$source" -o "$program" $(pkg-config --cflags --libs broadphase)
LD_LIBRARY_PATH=$library_directory ${BP_EMULATOR:-} "$program"

# shellcheck disable=SC2046
"$@" "$source" -o "$program" $(pkg-config --cflags broadphase) "$library_directory/libbroadphase.a" \
    $(pkg-config --static --libs broadphase | sed 's/-lbroadphase//') $static
${BP_EMULATOR:-} "$program"

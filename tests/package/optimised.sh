#!/bin/sh
# A project that takes the library in as sources and chooses no build type compiles it as our release build does; one that
# chooses something gets that. Flags are compared, not times.
# usage: optimised.sh SOURCE_DIR WORK_DIR CMAKE CC
set -eu
source=$1 work=$2 cmake=$3 cc=$4
package=$(cd "$(dirname "$0")" && pwd)
unset CMAKE_BUILD_TYPE CFLAGS CMAKE_C_COMPILER_LAUNCHER
rm -rf "$work"
mkdir -p "$work"

# configure NAME PROJECT OPTION...: writes NAME.flags, a line for each flag of each file of src/
configure() {
    name=$1 project=$2
    shift 2
    "$cmake" -S "$project" -B "$work/$name" -G Ninja "-DCMAKE_C_COMPILER=$cc" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" \
        >"$work/$name.log" 2>&1 || { cat "$work/$name.log"; exit 1; }
    sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$work/$name/compile_commands.json" | awk -v source="$source/src/" '
        index($NF, source) == 1 {
            file = substr($NF, length(source) + 1)
            for (i = 2; i < NF; i++) if ($i ~ /^-/ && $i !~ /^-(I.*|o|c)$/) print file, $i
        }' | LC_ALL=C sort >"$work/$name.flags"
    [ -s "$work/$name.flags" ] || { echo "$name: compiles no file of src/"; exit 1; }
}

# files NAME [FLAG]: the files of src/, or those that have a flag that begins so
files() {
    awk -v flag="${2:-}" 'index($2, flag) == 1 { print $1 }' "$work/$1.flags" | uniq
}
all_have() {
    [ "$(files "$1" "$2")" = "$(files "$1")" ] || { echo "$1: not all files have $2"; exit 1; }
}
none_has() {
    [ -z "$(files "$1" "$2")" ] || { echo "$1: some files have $2"; exit 1; }
}

configure ours "$source" -DBROADPHASE_TOOL=OFF -DBROADPHASE_TESTS=OFF -DBROADPHASE_EXAMPLES=OFF -DBROADPHASE_BENCH=OFF \
    -DBROADPHASE_PYTHON=OFF -DBROADPHASE_MPI=OFF -DBROADPHASE_CUDA=OFF
all_have ours -O3
for way in add_subdirectory fetch_content; do
    configure $way "$package/$way"
    diff "$work/ours.flags" "$work/$way.flags" >"$work/$way.diff" ||
        { echo "$way: other flags than ours"; head -20 "$work/$way.diff"; exit 1; }
done

configure debug "$package/add_subdirectory" -DCMAKE_BUILD_TYPE=Debug
none_has debug -O
none_has debug -DNDEBUG
configure own_flags "$package/add_subdirectory" -DCMAKE_C_FLAGS=-O1
all_have own_flags -O1
none_has own_flags -O3

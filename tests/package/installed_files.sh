#!/bin/sh
# What is installed is the library and the tool; the libraries for MPI and CUDA are, where they are built, only if asked for.
# usage: installed_files.sh PREFIX BUILD_DIR CMAKE      (PREFIX: where all was installed without asking)
set -eu
prefix=$1 build=$2 cmake=$3
more=$(mktemp -d)
trap 'rm -rf "$more"' EXIT

fail() {
    echo "installed_files: $*"
    exit 1
}

(cd "$prefix" && find . -type f -o -type l) | sed 's,^\./,,' | sort >"$more/files"
for name in include/broadphase/broadphase.h 'libbroadphase\.a' broadphase.pc broadphaseConfig.cmake 'bin/broadphase\(\.exe\)\{0,1\}'; do
    grep -q "$name\$" "$more/files" || fail "$name is missing"
done
if [ -e "$build/installed/manual" ]; then # not where it is built for another machine
    for name in man1/broadphase.1 bash-completion/completions/broadphase site-functions/_broadphase broadphase.fish; do
        grep -q "$name$" "$more/files" || fail "$name is missing"
    done
fi
! grep -iE 'mpi|cuda' "$more/files" || fail 'these were not asked for'
for part in mpi cuda; do
    library=$build/lib/libbroadphase_$part.a
    [ -e "$library" ] || continue
    "$cmake" --install "$build" --prefix "$more/$part" --component $part >"$more/log" 2>&1 || { cat "$more/log"; fail "$part cannot be installed"; }
    (cd "$more/$part" && find . -type f) >"$more/files"
    grep -q "libbroadphase_$part\.a$" "$more/files" || fail "$part: its library is missing"
    grep -q "broadphase_$part\.h$" "$more/files" || fail "$part: its header is missing"
    ! grep -v "$part" "$more/files" || fail "$part: these are not part of it"
done

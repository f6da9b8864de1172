#!/bin/sh
# Builds the npm package in build/web/package: the module with SIMD and without, the JavaScript, and both modules inlined.
# usage: bindings/web/build.sh [JOBS]
set -eu
cd "$(dirname "$0")/../.."
jobs=${1:-$(nproc)}
out=build/web/package

build_module() { # NAME SIMD
    cmake -S bindings/web -B "build/web/$1" -G Ninja --toolchain "$PWD/cmake/toolchains/wasm32.cmake" \
        -DBROADPHASE_WEB_SIMD="$2" >/dev/null
    cmake --build "build/web/$1" --parallel "$jobs"
}

inline_module() { # MODULE SCRIPT
    printf 'export const base64 = "%s";\n' "$(base64 -w 0 "$1")" >"$2"
}

build_module simd ON
build_module plain OFF
rm -rf "$out"
mkdir -p "$out"
cp bindings/web/package/* bindings/web/README.md LICENSE "$out"
cp build/web/simd/broadphase.wasm "$out/broadphase.wasm"
cp build/web/plain/broadphase.wasm "$out/broadphase-plain.wasm"
inline_module "$out/broadphase.wasm" "$out/inlined-simd.js"
inline_module "$out/broadphase-plain.wasm" "$out/inlined-plain.js"
for module in broadphase.wasm broadphase-plain.wasm; do
    echo "$out/$module: $(wc -c <"$out/$module") bytes, $(gzip -9 -c "$out/$module" | wc -c) gzipped"
done

#!/bin/sh
# Puts the playground together in build/web/playground: its own files as they are, and of the package what browsers load.
# usage: bindings/web/playground/build.sh      (when build/web/package is there)
set -eu
cd "$(dirname "$0")/../../.."
out=build/web/playground

rm -rf "$out"
mkdir -p "$out"
cp -r bindings/web/playground/*.html bindings/web/playground/*.css bindings/web/playground/*.svg bindings/web/playground/*.js \
    bindings/web/playground/scenes bindings/web/playground/files "$out"
mkdir "$out/broadphase"
cp build/web/plain/readers.wasm "$out"
cp build/web/package/*.js build/web/package/*.wasm build/web/package/LICENSE "$out/broadphase"
rm "$out"/broadphase/inline*.js

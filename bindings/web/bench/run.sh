#!/bin/sh
# Installs the other libraries from npm, and runs the benchmark; `make web` and `make` come first.
# usage: bindings/web/bench/run.sh
set -eu
cd "$(dirname "$0")/../../.."
folder=build/web/bench-peers
mkdir -p "$folder"
if ! cmp -s bindings/web/bench/package-lock.json "$folder/installed.json"; then
    cp bindings/web/bench/package.json bindings/web/bench/package-lock.json "$folder"
    npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error >/dev/null
    cp bindings/web/bench/package-lock.json "$folder/installed.json"
fi
exec node --single-threaded --expose-gc bindings/web/bench/bench.js "$PWD/$folder"

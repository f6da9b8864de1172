#!/bin/sh
# scripts/layers: the tree keeps its rules, and an include that breaks one is found and named.
# usage: layers.sh SOURCE-FOLDER
set -eu

source=$(cd "$1" && pwd)
"$source/scripts/layers"

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
(cd "$source" && find . -name '.?*' -prune -o -path './build*' -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' -o -name CMakeLists.txt \) -print |
    tar cf - -T -) | (cd "$copy" && tar xf -)
failures=0

# with_line FILE LINE: what scripts/layers says of the copy when LINE is the last one of FILE
with_line() {
    cp "$copy/$1" "$copy/as_it_was"
    echo "$2" >>"$copy/$1"
    line=$(wc -l <"$copy/$1")
    status=0
    found=$("$source/scripts/layers" "$copy") || status=$?
    mv "$copy/as_it_was" "$copy/$1"
}

# with FILE INCLUDE
with() {
    with_line "$1" "#include $2"
}

fail() {
    printf 'layers.sh: %s: %s: expected %s, found:\n%s\n' "$1" "$2" "$3" "$found" >&2
    failures=$((failures + 1))
}

# wrong FILE INCLUDE RULE
wrong() {
    with "$1" "$2"
    case $status:$found in
    1:*"$1:$line: #include $2: $3"*) ;;
    *) fail "$@" ;;
    esac
}

# right FILE INCLUDE
right() {
    with "$1" "$2"
    [ "$status" -eq 0 ] || fail "$@" 'no error'
}

wrong src/base/memory.c '"engine/method.h"' 'base may not include engine, which stands above it'
wrong src/view/view.c '"api/config.h"' 'view may not include api, which stands above it'
wrong src/plan/plan.c '"view/view.h"' 'plan may not include view, which stands beside it'
wrong src/world/query/query.c '"neighbors/nearness.h"' 'world may not include neighbors, which stands beside it'
wrong src/literature/bvh/bvh.c '"literature/octrees/cube_tree.h"' 'a search may not include another: bvh includes octrees'
wrong src/engine/method.h '"engine/split/split_job.h"' 'engine/method.h may not include the folder of a search, split'
wrong src/engine/method.h '"literature/bvh/bvh_tree.h"' 'engine may not include literature, which stands above it'
wrong src/world/world.c '"../base/memory.h"' 'includes inside src/ are written from src/'
wrong src/world/world.c '"events.h"' 'includes inside src/ are written from src/'
wrong src/world/world.c '"broadphase/broadphase.h"' 'src/ includes the public headers as <broadphase/broadphase.h>'
wrong cli/main.c '"base/memory.h"' 'cli may include no header of src/'
wrong cli/main.c '<base/memory.h>' 'cli may include no header of src/'
wrong cli/commands/command_pairs.c '"../../src/base/memory.h"' 'cli may include no header of src/'
wrong examples/01_hello_pairs.c '"scenes.h"' 'examples may not include scenes'
wrong bench/main.c '"commands/command.h"' 'bench may not include cli'
wrong bench/main.c '"obj_mesh.h"' 'bench may not include examples'
wrong integrations/fcl/include/broadphase/fcl.hpp '"base/memory.h"' 'integrations may include no header of src/'
wrong mpi/world.c '"base/radix_sort.h"' 'mpi may include only those headers of src/'
wrong cuda/plan.c '"base/radix_sort.h"' 'cuda may include only those headers of src/'
wrong include/broadphase/broadphase.h '<unistd.h>' 'the public headers include only each other'
wrong include/broadphase/broadphase.hpp '<fcl/fcl.h>' 'the public headers include only each other'

# refused FILE LINE RULE
refused() {
    with_line "$1" "$2"
    case $status:$found in
    1:*"$1:$line: $3"*) ;;
    *) fail "$@" ;;
    esac
}

for file in src/engine/grid/sorted_grid.c src/world/update.c src/api/find_pairs.c; do
    refused "$file" 'static const void *search = &bp_split_ops;' 'names a search'
done

# A struct that another file defines, too (in the order of their paths), and constants that do not say of what.
refused src/world/world.c 'typedef struct bp_tree {' 'struct bp_tree is another one in src/engine/tree/tree.h'
refused src/world/world.c 'enum question_type { BOXES };' 'enum question_type is another one in src/world/query/query_batch.c'
refused src/world/world.c '    FEW = 8, // pairs' 'this name does not say'
refused src/world/world.c 'static const double SMALL = 0.5;' 'this name does not say'

right src/world/world.c '"base/memory.h"'
right src/literature/bvh/bvh.c '<broadphase/broadphase.h>'
right include/broadphase/broadphase.hpp '<vector>'
right bench/main.c '"formats/failure.h"'
right bench/main.c '"granular/forces.h"'
right tests/support/support.c '"base/memory.h"'

[ "$failures" -eq 0 ] || exit 1
echo 'layers.sh: every planted fault was found'

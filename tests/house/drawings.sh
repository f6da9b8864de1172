#!/bin/sh
# docs/drawings: each drawing is what the script makes, and one that is not is named; every drawing is shown by a document.
# usage: drawings.sh SOURCE-FOLDER
set -eu

source=$(cd "$1" && pwd)
command -v python3 >/dev/null || { echo "drawings.sh: skipped, without Python"; exit 77; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp "$source"/docs/drawings/*.py "$source"/docs/drawings/*.svg "$copy"
check() {
    python3 "$copy/make.py" --check 2>&1
}

check
for drawing in "$copy"/*.svg; do
    name=$(basename "$drawing")
    grep -q "drawings/$name" "$source"/docs/*.md || { echo "drawings.sh: no document shows $name"; exit 1; }
done

# fault NAME: what --check says once something is wrong with the drawing NAME
fault() {
    if found=$(check); then
        echo "drawings.sh: $1: nothing was found"
        exit 1
    fi
    case $found in
    *"$1"*) ;;
    *) printf 'drawings.sh: expected a line on %s, found:\n%s\n' "$1" "$found"; exit 1 ;;
    esac
}

echo '<!-- changed by hand -->' >>"$copy/tree.svg"
fault 'tree.svg is not what'
python3 "$copy/make.py"
check
rm "$copy/bvh.svg"
fault 'bvh.svg is not what'
python3 "$copy/make.py"
cp "$copy/bvh.svg" "$copy/nobody.svg"
fault 'nobody.svg: no drawing has this name'

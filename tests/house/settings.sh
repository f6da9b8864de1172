#!/bin/sh
# What follows from the table of settings is as `make settings` writes it; and a setting that stands only in the table is missed
# in every place.
# usage: settings.sh SOURCE-FOLDER SETTINGS-TABLE
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" >"$folder/table"
"$1/scripts/settings" "$folder/table" --check "$1"

printf 'new_one\tchoice\t1\t1\tslow fast\tbvh\twhat is new\tBP_NEW_\n' >>"$folder/table"
if "$1/scripts/settings" "$folder/table" --check "$1" >"$folder/found" 2>&1; then
    echo 'settings.sh: a setting that is nowhere is not missed'
    exit 1
fi
for place in settings.py: index.d.ts: python.md: 'no field new_one' BP_NEW_FAST 'comment of new_one does not name bvh' 'card of bvh'; do
    grep -qF "$place" "$folder/found" || { echo "settings.sh: not missed: $place"; exit 1; }
done

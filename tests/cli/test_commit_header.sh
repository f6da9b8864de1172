#!/bin/sh
# The header with the commit follows a repository from commit to commit, and is touched only then.
# usage: test_commit_header.sh CMAKE COMMIT_SCRIPT
set -eu
cmake=$1
script=$2
command -v git >/dev/null || { echo "skipped: no git"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES="$folder"
mkdir tree

expect() { # WHAT COMMIT
    "$cmake" -D source="$folder/tree" -D header="$folder/header.h" -P "$script"
    [ "$(cat header.h)" = "#define ABOUT_COMMIT \"$2\"" ] || { echo "$1: expected $2, found: $(cat header.h)"; exit 1; }
}

in_tree() {
    git -C tree -c user.name=tester -c user.email=tester@example.org "$@"
}

expect "no repository" unknown
in_tree init -q
echo one >tree/file
in_tree add file
in_tree commit -qm one
expect "a commit" "$(in_tree rev-parse --short HEAD)"

touch -d 2001-01-01 header.h
expect "the same again" "$(in_tree rev-parse --short HEAD)"
[ -z "$(find header.h -newermt 2002-01-01)" ] || { echo "the header was written again, although nothing has changed"; exit 1; }

echo two >tree/file
expect "a changed file" "$(in_tree rev-parse --short HEAD)-dirty"
in_tree commit -qam two
expect "another commit" "$(in_tree rev-parse --short HEAD)"

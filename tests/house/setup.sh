#!/bin/sh
# scripts/setup says what it installs and what for, and with SETUP=no installs nothing. It sees only what is here: a system
# without valgrind, whose apt-get writes down how it is called.
# usage: setup.sh SOURCE_DIR
set -eu
source=$1
system=$(mktemp -d)
trap 'rm -rf "$system"' EXIT
for program in sh env; do ln -s "$(command -v $program)" "$system/$program"; done
printf '#!/bin/sh\necho 0\n' >"$system/id"
printf '#!/bin/sh\necho "$*" >>%s/calls\n' "$system" >"$system/apt-get"
chmod +x "$system/id" "$system/apt-get"
: >"$system/calls"

setup() {
    status=0
    env -i PATH="$system" ${SETUP:+SETUP=$SETUP} "$system/sh" "$source/scripts/setup" valgrind 2>"$system/err" || status=$?
}
fail() {
    echo "setup: $*"
    cat "$system/err" "$system/calls"
    exit 1
}

SETUP=no
setup
[ $status -eq 0 ] || fail 'SETUP=no goes on without what is missing'
[ ! -s "$system/calls" ] || fail 'SETUP=no installs nothing'
grep -q 'to run tests under valgrind: valgrind$' "$system/err" || fail 'what is missing is said'

SETUP=
setup
[ $status -eq 0 ] || fail 'it installs'
grep -q '^install .* valgrind$' "$system/calls" || fail 'it installs valgrind'
grep -q 'installed now with apt-get (SETUP=no' "$system/err" || fail 'that it installs is said'
grep -q 'to run tests under valgrind: valgrind$' "$system/err" || fail 'what it installs is said'

rm "$system/apt-get"
setup
[ $status -eq 1 ] || fail 'without apt-get it fails'
grep -q 'apt-get install valgrind$' "$system/err" && grep -q 'SETUP=no make' "$system/err" || fail 'what to do is said'

: >"$system/valgrind"
chmod +x "$system/valgrind"
setup
[ $status -eq 0 ] && [ ! -s "$system/err" ] || fail 'it is silent where nothing is missing'

#!/bin/sh
# The manual page and the completions: they name every command and every option that --help names, and the shells that are
# here take them.
# usage: test_manual.sh TOOL [INSTALLED_TOOL]
[ $# -lt 2 ] || installed=$2
. "$(dirname "$0")/tool_checks.sh"

good manual -o broadphase.1
good manual bash -o broadphase.bash
good manual zsh -o _broadphase
good manual fish -o broadphase.fish
wrong "expected bash, zsh or fish, or nothing for the manual page, found 'csh'" manual csh

good --help
sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out >commands
[ -s commands ] || fail 'no commands'
sed 's/\\//g' broadphase.1 >page
while read -r command; do
    for file in page broadphase.bash _broadphase broadphase.fish; do
        grep -q "$command" "$file" || fail "$file does not name $command"
    done
    grep -q "^\.SS $command " page || fail "the page has no part about $command"
    [ "$command" != bench ] || continue # its help is another program's
    "$tool" "$command" --help | sed -n '/ptions:$/,/^Fields/s/^  \(--*[a-z-]*\) .*/\1/p' >options
    [ -s options ] || fail "$command: no options"
    while read -r option; do
        grep -qe "^\.B $option" page || fail "the page does not name $option"
        sed -n "/ $command) words=/s/;.*//p" broadphase.bash | grep -qe "[ ']$option " || fail "bash: $command $option"
        sed -n "/^    $command)/,/;;/p" _broadphase | grep -qe "'\*\{0,1\}$option\[" || fail "zsh: $command $option"
        name=${option#-}
        name=${name#-}
        grep -qE -e "from $command' -[ls] $name " broadphase.fish || fail "fish: $command $option"
    done <options
done <commands

# completes WORDS LINE...: what bash offers for the last word of a line, cut into words as bash does
completes() {
    expected=$1
    shift
    checks=$((checks + 1))
    found=$(bash -c '. ./broadphase.bash; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _broadphase; echo "${COMPREPLY[*]}"' \
        bash "$@" 2>err)
    [ "$found" = "$expected" ] || fail "bash: $*: '$found', expected '$expected'"
    [ ! -s err ] || fail "bash: $*"
}
if command -v bash >/dev/null; then
    completes 'pairs' broadphase pa
    completes '--method' broadphase pairs --me
    completes 'brute-force bvh' broadphase pairs boxes.csv --method b
    completes 'dimensions= domain=' broadphase pairs --set d
    completes 'individual' broadphase tune --set update = ind
    completes 'uniform uniform-2d' broadphase scene uniform
    completes 'zsh' broadphase manual z
    completes '' broadphase pairs bo
fi
if command -v zsh >/dev/null; then
    zsh -n _broadphase 2>err || fail 'zsh does not take it'
fi
if command -v fish >/dev/null; then
    fish -n broadphase.fish 2>err || fail 'fish does not take it'
    found=$(HOME=$folder fish --no-config -c 'source broadphase.fish; complete -C "broadphase pairs --met"' 2>err | cut -f1)
    [ "$found" = --method ] || fail "fish: '$found', expected --method"
fi
if command -v man >/dev/null; then
    LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l broadphase.1 >shown 2>err || fail 'man does not take it'
    [ ! -s err ] || fail 'man warns'
    grep -q '^NAME' shown && grep -q -e '--method NAME' shown || fail 'man: it cannot be read'
fi

# The installed tool offers no command that needs what is not installed.
if [ -n "${installed:-}" ]; then
    tool=$installed
    good --help
    grep -qE '^  (bench|report) ' out && fail 'it offers what it cannot run'
    wrong "unknown command 'bench'" bench
    good manual
    grep -q 'SS bench' out && fail 'its manual has what it cannot run'
    good manual bash
fi

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]

#!/bin/sh
# Results and charts are kept only where somebody reads them: rows of a suite that the report draws or judges, once for each
# machine; other files and charts that a page links to.
# usage: results.sh SOURCE-FOLDER
set -eu
cd "$1"

failures=0
checked=0
fail() {
    echo "$1: $2" >&2
    failures=$((failures + 1))
}

# What the tables of the report name, and what the pages say.
suites=$(cat cli/report/charts/*.c cli/report/claims/*.c | grep -oE '\.(suite|experiment) = "[^"]*"' | cut -d'"' -f2 | sort -u)
pages=$(find . -name '.?*' -prune -o -path './build*' -prune -o -name '*.md' ! -name CHANGELOG.md -exec cat {} +)

for file in bench/results/*/* bench/charts/*; do
    checked=$((checked + 1))
    case $pages in
    *"${file#bench/}"*) continue ;;
    esac
    case $file in
    *.csv)
        for suite in $(grep -v '^#' "$file" | sed '1d; s/,.*//' | sort -u) $(basename "$file" .csv | sed 's/^mpi-//'); do
            printf '%s\n' "$suites" | grep -qxF "$suite" && continue 2
        done
        fail "$file" 'no chart and no claim of cli/report/ names its suite, and no page links to it'
        ;;
    *) fail "$file" 'no page links to it' ;;
    esac
done
echo "$checked files, $failures that nobody reads"
[ "$checked" -gt 0 ] && [ "$failures" -eq 0 ]

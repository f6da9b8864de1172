#!/bin/sh
# Results that are kept name commits of this history, so that what was measured can be built again.
# usage: test_result_commits.sh SOURCE_DIRECTORY [FOLDER_OF_RESULTS]
set -eu
cd "$1"
results=${2:-bench/results}

skip() {
    echo "skipped: $1"
    exit 77
}
shallow=$(git rev-parse --is-shallow-repository 2>/dev/null) || skip "no git repository"
[ "$shallow" = false ] || skip "the clone is shallow, most commits are not in it"

# In the first lines stands `commit HASH`, or `the commit is "SUBJECT"`.
wrong=0
checked=0
for file in "$results"/*/*.csv "$results"/*/*.txt; do
    [ -f "$file" ] || continue
    words=$(head -n 3 "$file" | grep -o 'commit is "[^"]*"\|commit [0-9A-Za-z.-]*' | head -n 1)
    case $words in
    '') continue ;; # made by a program that does not say it
    *'"')
        subject=${words#*\"}
        git log --format=%s | grep -qxF -- "${subject%\"}" && found=yes || found=no
        ;;
    *)
        name=${words#commit }
        git merge-base --is-ancestor "${name%-dirty}" HEAD 2>/dev/null && found=yes || found=no
        ;;
    esac
    checked=$((checked + 1))
    if [ "$found" = no ]; then
        echo "$file: $words: not in the history of HEAD"
        wrong=$((wrong + 1))
    fi
done
echo "$checked results name their commit, $wrong of them one that is not there"
[ "$checked" -gt 0 ] && [ "$wrong" -eq 0 ]

#!/bin/sh
# The report: from a few rows to a page that needs nothing else, its figures, and what it says of files it cannot read.
# usage: test_report.sh TOOL; ends with status 77 where gnuplot is missing and the charts could not be looked at
results=$(cd "$(dirname "$0")/report" && pwd)
. "$(dirname "$0")/tool_checks.sh"

shows() {
    checks=$((checks + 1))
    grep -qF -e "$1" page.html || fail "the page does not show '$1'"
}

# ----------------------------------------------------------------------------------------------------------------------
# What cannot be read: the file and the line, and no page

header=suite,scene,who,method,n,threads,update_ms,find_ms,total_ms,spread,pairs,hash,bytes_per_object,tests
row=quick,uniform,broadphase,hierarchical-grid,10000,1,1,2,3,0.1,20,aa,60,100
mkdir broken
broken() {
    message=$1
    shift
    printf '%s\n' "$@" >broken/rows.csv
    failed "broken/rows.csv$message" report broken -o page.html
    [ ! -e page.html ] || fail 'a page was written in spite of that'
}
broken ":3: expected a number in column total_ms, found '3x'" '# a remark' $header \
    quick,uniform,broadphase,hierarchical-grid,10000,1,1,2,3x,0.1,20,aa,60,100
broken ':3: expected 14 columns as in the header' $header $row "$row,1"
broken ':2: expected 14 columns as in the header' $header quick,uniform
broken ":1: expected a header, like suite,scene,who,method,n,..., found 'a,b'" a,b 1,2
broken ':1: expected a header and rows' '# nothing but a remark'
: >broken/rows.csv
failed 'broken/rows.csv: is empty' report broken
failed 'nowhere: cannot be read: No such file or directory' report nowhere
mkdir empty
failed 'empty: has no file NAME.csv' report empty

# Newer files have more columns at the end.
printf '%s\n' $header,p99_ms,worst_ms "$row,,3" >broken/rows.csv
PATH=/nowhere "$tool" report broken -o page.html >out 2>err
[ $? -eq 1 ] || fail 'without gnuplot: expected exit status 1'
if can_check 'why a program cannot be started, because qemu-user loses the error of posix_spawn'; then
    says 'apt-get install gnuplot-nox'
fi

# ----------------------------------------------------------------------------------------------------------------------
# The page

if ! command -v gnuplot >/dev/null; then
    echo "$checks checks, $failures failed"
    echo 'SKIPPED: the charts; gnuplot is missing (Debian: gnuplot-nox)'
    [ $failures -eq 0 ] && exit 77
    exit 1
fi

run 0 report "$results" -o page.html --charts charts
says 'page.html: '
expected='cuda-growth cuda-stages koch-candidates koch-own-times koch-times mpi-model mpi-phases mpi-weak quick-growth quick-libraries worst-time'
[ "$(sed -n "s/^<figure id='\(.*\)'>\$/\1/p" page.html | sort | xargs)" = "$expected" ] || fail 'other charts than expected'
[ "$(cd charts && ls *.svg | sed 's/\.svg$//' | xargs)" = "$expected" ] || fail 'other files of charts than expected'
for chart in charts/*.svg; do
    head -1 "$chart" | grep -q '^<svg' || fail "$chart does not begin with <svg"
    tail -2 "$chart" | grep -q '</svg>' || fail "$chart does not end with </svg>"
done

# Self-contained: nothing is fetched, and names are unique although every chart has its own.
grep -v 'xmlns' page.html | grep -q 'http' && fail 'the page refers to the network'
grep -qE '<(script|link|img|iframe)|src=|@import' page.html && fail 'the page needs other files'
[ -z "$(grep -oE "id=['\"][^'\"]*" page.html | tr '"' "'" | sort | uniq -d)" ] || fail 'a name is used twice'
checks=$((checks + 5))

# What it computes.
shows 'broadphase is 7 to 20 times as fast as the fastest other library'
shows 'grows as n to the power of 1.00.</p>' # what is not measured is not told
shows 'examine 0.202 to 0.828 times as many pairs as there'
shows 'Real partitions need 0.997 to 1.01 times the ghosts that the model predicts'
shows "<td class='number'>at least 15</td><td class='number'>20</td><td class='kept'>kept</td>"
shows "<td class='number'>at least 8</td><td class='number'>7</td><td class='missed'>missed</td>"
shows "<td class='number soft'>not measured</td>"
shows 'In 2 cases, a hostile scene takes 17.3 times as long as uniform boxes on average, and 60 times at worst (plates)'
shows "<td class='number'>at most 15</td><td class='number'>5 – 60</td><td class='missed'>missed</td>"
shows "<li id='missing-zych-objects'>"
shows '0.1.0, commit 1234567'
shows 'a test, 2 cores'

grep -q '(not measured)' page.html && fail 'a sentence has figures that were not measured'

# What a user asks comes first, promises last; the table of verdicts stands in front of the literature.
order=$(grep -oE "<(div class='facts'|h2 id='[a-z]*')" page.html | sed "s/.*'\(.*\)'/\1/" | xargs)
[ "$order" = 'facts peers quick worst cuda mpi verdicts koch promises missing where' ] || fail "other parts or order: $order"
checks=$((checks + 2))
shows "<div class='fact'><b>30 ms</b>"
shows "<div class='fact'><b>20 ×</b>"
shows "<div class='fact'><b>1.00</b>"

# Two folders: a machine each.
cp -R "$results" other
good report "$results" other -o page.html --quiet
shows "<figure id='quick-growth-other'>"

# Times of different machines are never compared: on the other one ours are ten times as fast.
awk -F, -v OFS=, '$3 == "broadphase" { $9 /= 10 } 1' "$results/quick.csv" >other/quick.csv
good report "$results" other -o page.html --quiet
shows "<td class='number'>at least 15</td><td class='number'>20</td><td class='kept'>kept</td>"
shows "<td class='number'>× 20</td><td class='aside soft'>embree collide</td><td class='aside number'>3 ms</td>"

# Rows of ours are not "other libraries".
cp "$results/quick.csv" other/quick.csv
echo 'quick,uniform,broadphase,one call,100000,1,0,1,1,0.1,200000,00000000000000ab,0,0' >>other/quick.csv
good report other -o page.html --quiet
shows 'broadphase is 7 to 20 times as fast as the fastest other library'

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]

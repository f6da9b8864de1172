#!/bin/sh
# What the tool says when something is wrong, as a stranger reads it: what it found, what is allowed, what to do; and that
# no file is damaged.
# usage: test_messages.sh TOOL
. "$(dirname "$0")/tool_checks.sh"

printf '0,0,0,1,1,1\n1,1,1,2,2,2\n' >boxes.csv
cp boxes.csv original.csv

# ----------------------------------------------------------------------------------------------------------------------
# Columns

printf '0;0;0;1;1;1\n1;1;1;2;2;2\n' >semicolons.csv
printf '0\t0\t0\t1\t1\t1\n1\t1\t1\t2\t2\t2\n' >tabs.csv
printf '0 0 0 1 1 1\n1 1 1 2 2 2\n' >blanks.csv
printf '"0","0","0","1","1","1"\n1,1,1,2,2,2\n' >quotes.csv
for form in semicolons tabs blanks quotes; do
    good pairs $form.csv
    [ "$(tail -1 out)" = 0,1 ] || fail "$form"
done
printf '0,0,1,1,1\n' >five.csv
printf '0,0,0\n' >three.csv
failed 'five.csv:1: expected 6 columns (boxes: min_x,min_y,min_z,max_x,max_y,max_z) or 4 (spheres: x,y,z,radius), found 5; ' \
    pairs five.csv
failed 'found 3; for points add a fourth column, the radius: 0' pairs three.csv

# ----------------------------------------------------------------------------------------------------------------------
# An output that is an input: by any name, before anything is written

ln -s boxes.csv symbolic.csv
ln boxes.csv hard.csv
mkdir folder
for name in boxes.csv ./boxes.csv folder/../boxes.csv symbolic.csv hard.csv; do
    wrong "$name: is the input boxes.csv too" pairs boxes.csv -o $name
    wrong "$name: is the input boxes.csv too" tune boxes.csv -o $name
    wrong "$name: is the input boxes.csv too" tune boxes.csv --source $name
    wrong "$name: is the input boxes.csv too" pairs original.csv boxes.csv -o $name
    same boxes.csv original.csv 'an input is spared'
done
"$tool" pairs - -o boxes.csv <boxes.csv >out 2>err
[ $? -eq 2 ] || fail 'standard input is the output'
says 'boxes.csv: is the input on standard input too'
same boxes.csv original.csv 'an input on standard input is spared'
"$tool" pairs boxes.csv >>boxes.csv 2>err
[ $? -eq 2 ] || fail 'standard output is the input'
same boxes.csv original.csv 'an input on standard output is spared'
good scene uniform -n 3 -o steps.npy
cp steps.npy kept.npy
wrong 'steps.npy: is the input steps.npy too' trace steps.npy -o steps.npy
same steps.npy kept.npy 'a trace is spared'

# ----------------------------------------------------------------------------------------------------------------------
# An output that cannot be written whole: nobody takes a part for it

good scene uniform -n 20000 -o many.npy
echo old >target.csv
ln -s target.csv link.csv
(
    ulimit -f 4 # blocks of 512 or 1024 bytes
    "$tool" pairs many.npy -o cut.csv 2>err
    echo $? >status
)
[ "$(cat status)" -eq 1 ] || fail 'a limit on files: exit status'
says 'cut.csv: could not be written whole, and was removed: '
says 'free some space, or choose another place with -o'
[ ! -e cut.csv ] || fail 'a part of a file is removed'
(
    ulimit -f 4
    "$tool" pairs many.npy -o link.csv 2>err
)
says 'link.csv: could not be written whole, and was emptied: '
[ -L link.csv ] && [ ! -s target.csv ] || fail 'a part behind a link is emptied'
(
    ulimit -f 4
    "$tool" scene uniform -n 20000 -o cut.npy 2>err
)
[ ! -e cut.npy ] || fail 'a part of a scene is removed'
if [ -w /dev/full ]; then
    ln -s /dev/full full.csv
    failed 'full.csv: what was written is incomplete: No space left on device; free some space' pairs boxes.csv -o full.csv
    [ -c /dev/full ] && [ -L full.csv ] || fail 'a device is not removed'
fi

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]

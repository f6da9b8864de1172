#!/bin/sh
# The tool from outside: every command, every error's exit status and message, and that all methods agree on all scenes.
# usage: test_tool.sh TOOL [SYSTEM]      on Windows the tool does not start other programs: no report, no bench
. "$(dirname "$0")/tool_checks.sh"
system=${2:-}

# ----------------------------------------------------------------------------------------------------------------------
# Help, version, lists

good --version
grep -q '^broadphase [0-9]*\.[0-9]*\.[0-9]*$' out || fail 'version'
good --help
commands='pairs neighbors query scene methods demo'
[ "$system" = Windows ] || commands="$commands report"
for command in $commands; do
    grep -q "^  $command " out || fail "--help does not name $command"
done
for command in $commands; do
    "$tool" "$command" --help >help 2>err || fail "$command --help"
    grep -q "^usage: broadphase $command" help || fail "$command --help: no usage"
    grep -q '^Examples:' help || fail "$command --help: no example"
    good "$command" --version
done
"$tool" methods --help | grep -qE -e '--(method|threads|set|quiet)' && fail 'methods --help: options that mean nothing there'
"$tool" scene --help | grep -qE -e '--threads|hierarchy_factor' && fail 'scene --help: options that mean nothing there'
"$tool" pairs --help | grep -qE '^  (update|pair_order|radius_rule) ' && fail 'pairs --help: fields that mean nothing there'
"$tool" demo --help | grep -e '^  -o ' >out
[ "$(cat out)" = '  -o FILE.svg          the picture (default: demo.svg)' ] || fail 'demo --help: -o'
"$tool" trace --help | grep -qE '^  update ' || fail 'trace --help: a field that means something there'
good methods
[ "$(sed -n '1s/ .*//p' out)" = auto ] || fail 'methods: the first is auto'
grep -q '^brute-force ' out && grep -q '^hierarchical-grid ' out || fail 'methods: names come first'
good scene --list
cut -d' ' -f1 out >scenes
grep -qx uniform scenes && grep -qx planes scenes || fail 'scene --list: names come first'
good methods -o methods.txt
[ -s methods.txt ] || fail 'methods -o'

# ----------------------------------------------------------------------------------------------------------------------
# Pairs

printf '0,0,0,1,1,1\n1,1,1,2,2,2\n5,5,5,6,6,6\n0.5,0.5,0.5,5,5,5\n' >boxes.csv
printf 'a,b\n0,1\n0,3\n1,3\n2,3\n' >expected.csv
good pairs boxes.csv
same out expected.csv 'pairs of a file'
good pairs boxes.csv -o found.csv
same found.csv expected.csv 'pairs -o'
good pairs boxes.csv --quiet --method brute-force --threads 2 -ofound.csv
same found.csv expected.csv 'an attached value'
"$tool" pairs - <boxes.csv >out 2>err
same out expected.csv 'standard input'
good pairs -o - -- boxes.csv
same out expected.csv '-o - and --'
printf '0,0,0,1\n10,0,0,1\n' >spheres.csv
printf 'a,b\n0,0\n1,0\n3,0\n' >expected.csv
good pairs boxes.csv spheres.csv
same out expected.csv 'pairs between two files'
"$tool" pairs boxes.csv - <spheres.csv >out 2>err
same out expected.csv 'the second file from standard input'
printf 'min_x,min_y,min_z,max_x,max_y,max_z\n' >none.csv
good pairs none.csv
[ "$(cat out)" = a,b ] || fail 'no boxes, no pairs'
good pairs none.csv boxes.csv
[ "$(cat out)" = a,b ] || fail 'no boxes on one side, no pairs'
good pairs boxes.csv -o pairs.npy
[ "$(wc -c <pairs.npy)" -eq 160 ] || fail 'pairs.npy: 128 bytes of header and 4 pairs'

run 0 pairs boxes.csv --stats --method hierarchical-grid -o found.csv
for name in method objects pairs tests bytes levels cells occupied build_ms find_ms objects_per_cell objects_per_cell_max; do
    grep -q "^$name=[a-z0-9]" err || fail "--stats: no $name"
done
says method=hierarchical-grid
says objects=4
says pairs=4
[ ! -s out ] || fail '--stats: standard output is for data'
for form in '--stats json' --stats=json; do
    # shellcheck disable=SC2086 # an option and its value
    run 0 pairs boxes.csv $form --method compact-grid -o found.csv
    grep -qE '^\{"method": "compact-grid", "objects": 4, "pairs": 4, .*"sort": "[a-z]*", .*"find_ms": [0-9.]+\}$' err || fail "$form"
    [ "$(wc -l <err)" -eq 1 ] || fail "$form: one line"
done
wrong "--stats: expected json, or no value, found 'xml'" pairs boxes.csv --stats=xml

# ----------------------------------------------------------------------------------------------------------------------
# Neighbours

printf '0,0,0\n3,4,0\n0,0,5.5\n3,4,5\n' >points.csv
printf 'a,b\n0,1\n1,3\n' >expected.csv
good neighbors points.csv --radius 5
same out expected.csv 'neighbors of a file'
good neighbors points.csv --radius 5 -o neighbors.npy
[ "$(wc -c <neighbors.npy)" -eq 144 ] || fail 'neighbors.npy: 128 bytes of header and 2 pairs'
good neighbors points.csv --radius 3 --set period=0,0,6
[ "$(tr '\n' ' ' <out)" = 'a,b 0,2 1,3 ' ] || fail 'neighbors: period'
printf 'radius,z,y,x\n2,0,0,0\n2,0,0,4\n1,0,0,7.5\n' >grains.csv
good neighbors grains.csv --set radius_rule=sum
[ "$(tr '\n' ' ' <out)" = 'a,b 0,1 ' ] || fail 'neighbors: a radius each'
printf 'x,y\n0,0\n1,0\n' >flat.csv
printf '0.5,0\n9,9\n' >other.csv
good neighbors flat.csv other.csv --radius 0.5 --set dimensions=2
[ "$(tr '\n' ' ' <out)" = 'a,b 0,0 1,0 ' ] || fail 'neighbors between two files'
wrong 'expected --radius R, or a file of points with a radius each' neighbors points.csv
wrong '--radius: expected 0 or more, found -1' neighbors points.csv --radius -1
wrong 'grains.csv has a radius for each point; omit --radius' neighbors grains.csv --radius 1
wrong 'cannot be compared with another file' neighbors grains.csv points.csv --radius 1
wrong 'points.csv has points and flat.csv has points in 2-D; to compare x and y alone' neighbors points.csv flat.csv --radius 1
wrong 'expected one file of points, or two, found 0' neighbors --radius 1
failed 'boxes.csv:1: expected 3 columns (points: x,y,z) or 4 (x,y,z,radius), found 6' neighbors boxes.csv --radius 1
failed 'named.csv:1: expected 3 columns (points: x,y,z) or 4 (x,y,z,radius), the header names rectangles' \
    neighbors "$(printf 'min_x,min_y,max_x,max_y\n0,0,1,1\n' >named.csv && echo named.csv)" --radius 1
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >one.obj
failed 'one.obj: is a mesh; expected 3 columns (points: x,y,z)' neighbors one.obj --radius 1
printf '0,0,0,-1\n' >negative.csv
failed 'negative.csv:1: the radius is -1; expected 0 or more' neighbors negative.csv

# Against all distances, in awk.
good scene uniform -n 2000 --seed 5 -o cloud.csv
{
    echo x,y,z
    awk -F, 'NR > 1 { print $1 "," $2 "," $3 }' cloud.csv
} >cloud_points.csv
awk -F, 'BEGIN { n = 0 } NR > 1 { x[n] = $1; y[n] = $2; z[n++] = $3 }
    END { print "a,b"; for (i = 0; i < n; i++) for (j = i + 1; j < n; j++)
        if ((x[i] - x[j]) ^ 2 + (y[i] - y[j]) ^ 2 + (z[i] - z[j]) ^ 2 <= 1.7 * 1.7) print i "," j }' cloud_points.csv >expected.csv
good neighbors cloud_points.csv --radius 1.7
same out expected.csv 'neighbors, and all distances'

# ----------------------------------------------------------------------------------------------------------------------
# Queries

printf '0,0,0,1,1,1\n2,0,0,3,1,1\n5,0,0,6,1,1\n' >row.csv
printf 'x,y,z,dx,dy,dz\n-1,0.5,0.5,2,0,0\n9,0.5,0.5,-0.0,1,0\n10,0.5,0.5,-1,-0.0,0\n' >rays.csv
good query row.csv --rays rays.csv
[ "$(tr '\n' ' ' <out)" = 'query,box,t 0,0,0.5 0,1,1.5 0,2,3 2,2,4 2,1,7 2,0,9 ' ] || fail 'query --rays'
good query row.csv --rays rays.csv -k 1
[ "$(tr '\n' ' ' <out)" = 'query,box,t 0,0,0.5 2,2,4 ' ] || fail 'query --rays -k 1'
good query row.csv --rays rays.csv --max-t 2 -o hits.csv
[ "$(tr '\n' ' ' <hits.csv)" = 'query,box,t 0,0,0.5 0,1,1.5 ' ] || fail 'query --rays --max-t'
printf '0.5,0,0,2.5,1,1\n7,7,7,8,8,8\n-9,-9,-9,9,9,9\n' >windows.csv
good query row.csv --boxes windows.csv
[ "$(tr '\n' ' ' <out)" = 'query,box 0,0 0,1 2,0 2,1 2,2 ' ] || fail 'query --boxes'
printf '7,0.5,0.5\n1.25,1,1\n' >places.csv
good query row.csv --points places.csv
[ "$(tr '\n' ' ' <out)" = 'query,box,distance 0,2,1 1,0,0.25 ' ] || fail 'query --points'
good query row.csv --points places.csv -k 9
[ "$(wc -l <out)" -eq 7 ] || fail 'query --points -k: all of them, and no more'
"$tool" query - --boxes windows.csv <row.csv >out 2>err || fail 'query: boxes from standard input'
[ "$(wc -l <out)" -eq 6 ] || fail 'query: boxes from standard input'
wrong 'expected one of --boxes FILE, --rays FILE, --points FILE, found 0' query row.csv
wrong 'expected one of --boxes FILE, --rays FILE, --points FILE, found 2' query row.csv --boxes windows.csv --rays rays.csv
wrong 'expected one file of boxes, found 0' query --boxes windows.csv
wrong 'standard input can be read only once' query - --boxes -
wrong 'hits.npy: results are written as CSV; expected a name ending in .csv' query row.csv --rays rays.csv -o hits.npy
wrong 'rays.csv: is the input rays.csv too' query row.csv --rays rays.csv -o rays.csv
failed 'places.csv:1: expected 6 columns (rays: x,y,z,dx,dy,dz), found 3' query row.csv --rays places.csv
printf '0,0,0,0,0,0\n' >still.csv
run 2 query row.csv --rays still.csv
says 'still.csv: row 0 (from 0): '

# ----------------------------------------------------------------------------------------------------------------------
# Settings

printf '0,0,0,1,1,1\n0,0,5,1,1,6\n' >stacked.csv
good pairs stacked.csv --set dimensions=2
[ "$(tail -1 out)" = 0,1 ] || fail 'dimensions=2: z is ignored'
printf '# flat\ndimensions = 2\nmethod=brute-force\n' >flat.conf
good pairs stacked.csv --config flat.conf
[ "$(tail -1 out)" = 0,1 ] || fail '--config'
good pairs stacked.csv --config flat.conf --set dimensions=3
[ "$(tail -1 out)" = a,b ] || fail 'the later setting counts'
good pairs boxes.csv --set grid_size=8,8,8 --set=hierarchy_factor=2 --set update=rebuild --set simd=scalar
wrong "unknown field 'colour'; the fields are method," pairs boxes.csv --set colour=red
wrong 'expected FIELD=VALUE' pairs boxes.csv --set dimensions
wrong "dimensions: expected a whole number" pairs boxes.csv --set dimensions=flat
wrong 'grid_size: expected 3 values' pairs boxes.csv --set grid_size=8
wrong 'expected one of automatic' pairs boxes.csv --set update=never
wrong 'dimensions' pairs boxes.csv --set dimensions=4
wrong 'cell_size' pairs boxes.csv --set cell_size=-1
wrong 'hierarchy_factor' pairs boxes.csv --set hierarchy_factor=0.5
wrong 'flags' pairs boxes.csv --set flags=1
wrong 'margin' pairs boxes.csv --set margin=-1
wrong 'period' pairs boxes.csv --set period=1,inf,1
wrong 'expected one of boxes, spheres' pairs boxes.csv --set shape=cones
printf 'dimensions = 2\nspeed = 9\n' >bad.conf
wrong "bad.conf:2: unknown field 'speed'" pairs boxes.csv --config bad.conf
failed 'missing.conf: cannot be opened' pairs boxes.csv --config missing.conf

# Rectangles: by a header, or by four columns in two dimensions. Read as spheres, the first two would be apart.
printf '0,0,4,1\n3,0,5,1\n6,0,7,1\n' >rectangles.csv
sed '1i minx,miny,maxx,maxy' rectangles.csv >named.csv
printf 'a,b\n0,1\n' >expected.csv
good pairs rectangles.csv --set dimensions=2
same out expected.csv 'rectangles in two dimensions'
for dimensions in 0 2 3; do
    good pairs named.csv --set dimensions=$dimensions
    same out expected.csv 'rectangles by their header'
done
printf '0.5,0.5,7,0.1\n' >sphere.csv
wrong 'named.csv has rectangles and sphere.csv has spheres; to compare x and y alone, call with --set dimensions=2' \
    pairs named.csv sphere.csv
sed '1i x,y,z,radius' sphere.csv >circle.csv
good pairs named.csv circle.csv --set dimensions=2
[ "$(tr '\n' ' ' <out)" = 'a,b 0,0 ' ] || fail 'a rectangle and a circle'

printf '0,0,0,1,1,1\n9,0,0,10,1,1\n2,0,0,3,1,1\n0.9,0.9,0,1.9,1.9,1\n' >apart.csv
good pairs apart.csv
[ "$(tr '\n' ' ' <out)" = 'a,b 0,3 ' ] || fail 'apart'
good pairs apart.csv --set period=10,0,0
[ "$(tr '\n' ' ' <out)" = 'a,b 0,1 0,3 ' ] || fail 'period'
good pairs apart.csv --set margin=0.5
[ "$(tr '\n' ' ' <out)" = 'a,b 0,2 0,3 2,3 ' ] || fail 'margin'
good pairs apart.csv --set shape=spheres --set period=10,0,0
[ "$(tr '\n' ' ' <out)" = 'a,b 0,1 ' ] || fail 'spheres'
failed 'box 0 is longer than config.period' pairs apart.csv --set period=0,0.5,0
# Two boxes of float64 that are a last bit apart, and touch in float32: 0 .. 1 and 1 + 2^-52 .. 2.
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 6), }"
    printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\0\0\0\0\0\0\360\077\0\0\0\0\0\0\360\077\0\0\0\0\0\0\360\077'
    printf '\001\0\0\0\0\0\360\077\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf '\0\0\0\0\0\0\0\100\0\0\0\0\0\0\360\077\0\0\0\0\0\0\360\077'
} >wide.npy
good pairs wide.npy
[ "$(cat out)" = a,b ] || fail 'float64 is compared in 64 bits'
good pairs wide.npy apart.csv
[ "$(tr '\n' ' ' <out)" = 'a,b 0,0 0,3 1,2 1,3 ' ] || fail 'float64 between others'

# ----------------------------------------------------------------------------------------------------------------------
# Wrong calls

wrong 'expected a command'
wrong "unknown command 'fly'" fly
wrong "unknown command 'pair' (did you mean 'pairs'?)" pair boxes.csv
wrong "unknown option '--thread' (did you mean '--threads'?)" pairs boxes.csv --thread 2
wrong "unknown option '--hlep' (did you mean '--help'?)" --hlep
wrong "unknown scene 'unifrom' (did you mean 'uniform'?)" scene unifrom
wrong "unknown option '--fly'" --fly
wrong "unknown option '--fly'" pairs boxes.csv --fly
wrong "unknown option '--fly=1'" scene uniform --fly=1
wrong '--quiet takes no value' pairs boxes.csv --quiet=yes
wrong '-o needs a value' pairs boxes.csv -o
wrong '--method needs a value' pairs boxes.csv --method
wrong "unknown method 'magic'; expected one of auto, brute-force, linked-cells" pairs boxes.csv --method magic
wrong "threads: expected a whole number from -1 to 1024, found 'many'" pairs boxes.csv --threads many
wrong 'expected one file of boxes, or two, found 0' pairs
wrong 'expected one file of boxes, or two, found 3' pairs boxes.csv boxes.csv boxes.csv
wrong 'standard input can be read only once' pairs - -
wrong 'boxes.txt: unknown file type' pairs boxes.txt
wrong 'pairs.json: unknown file type' pairs boxes.csv -o pairs.json
wrong "unknown scene 'moon'; the scenes are uniform," scene moon
wrong 'expected the name of one scene' scene
wrong 'expected the name of one scene' scene uniform mixed
wrong "-n: expected a whole number from 0 to 4294967294, found 'few'" scene uniform -n few
wrong '-n: expected a whole number' scene uniform -n -5
wrong '-n: expected a whole number' scene uniform -n 1e18
wrong '--seed: expected a whole number' scene uniform --seed x
wrong '--motion: expected a number' scene uniform --motion fast
wrong 'scene.xyz: unknown file type' scene uniform -n 10 -o scene.xyz
wrong "unexpected word 'all'" methods all
wrong "unexpected word 'all'" demo all
wrong 'the picture needs a file' demo -o -

# ----------------------------------------------------------------------------------------------------------------------
# Work that fails

: >empty.csv
: >empty.npy
mkdir folder.csv
printf '0,0,0,1,1,1\n0,0,0,1,1\n' >ragged.csv
printf '0,0,0,1,1,1\n0,0,0,1,1,one\n' >words.csv
printf '0,0,0,1,1,1\n2,0,0,1,1,1\n' >inverted.csv
printf '0,0,0,1,1,1\nnan,0,0,1,1,1\n' >nan.csv
"$tool" scene uniform -n 100 -o whole.npy 2>err || fail 'scene'
head -c 1000 whole.npy >cut.npy
printf 'PK\003\004 no array' >foreign.npy
failed 'missing.csv: cannot be opened: No such file or directory' pairs missing.csv
failed 'missing.npy: cannot be opened' pairs boxes.csv missing.npy
failed 'folder.csv: is a directory' pairs folder.csv
failed 'empty.csv: is empty' pairs empty.csv
failed 'empty.npy: is empty' pairs empty.npy
failed 'ragged.csv:2: expected 6 columns as in the first row, found 5' pairs ragged.csv
failed "words.csv:2: expected a number in column 6 (max_z), found 'one'" pairs words.csv
failed 'inverted.csv:2: min_x is 2 and max_x is 1' pairs inverted.csv
failed 'nan.csv:2: min_x is nan' pairs nan.csv
failed 'cut.npy: the header announces 100 rows, but the file ends after 36' pairs cut.npy
failed 'foreign.npy: is not an NPY file' pairs foreign.npy
failed 'nowhere/pairs.csv: cannot be written: No such file or directory' pairs boxes.csv -o nowhere/pairs.csv
failed 'folder.csv: cannot be written' pairs boxes.csv -o folder.csv
failed 'nowhere/boxes.npy: cannot be written' scene uniform -n 10 -o nowhere/boxes.npy
"$tool" pairs - </dev/null >out 2>err
[ $? -eq 1 ] || fail 'nothing on standard input'
says 'standard input: is empty'
if [ -w /dev/full ]; then
    "$tool" pairs boxes.csv >/dev/full 2>err
    [ $? -eq 1 ] || fail 'a full disk'
    says 'standard output: what was written is incomplete: No space left on device'
fi
"$tool" methods >&- 2>err
[ $? -eq 1 ] || fail 'a closed standard output'
says 'standard output: what was written is incomplete'
"$tool" pairs missing.csv -o kept.csv 2>&-
[ $? -eq 1 ] || fail 'a closed standard error'

# A pipe whose header promises more than it holds: memory follows what arrives.
if mkfifo pipe.npy 2>err; then
    cat cut.npy >pipe.npy &
    writer=$!
    failed 'pipe.npy: the header announces 100 rows, but the file ends after 36' pairs pipe.npy
    kill $writer 2>/dev/null # where nobody has read
    wait
fi

# More output than a pipe holds, and a reader that leaves.
"$tool" scene identical -n 1500 -o identical.npy 2>err || fail 'scene identical'
(
    "$tool" pairs identical.npy 2>err
    echo $? >status
) | head -1 >/dev/null
[ "$(cat status)" -eq 0 ] || fail 'a closed pipe: exit status'
[ ! -s err ] || fail 'a closed pipe: nothing is wrong'
if [ "$system" != Windows ]; then
    good pairs boxes.csv -o /dev/null
    good scene uniform -n 10 -o /dev/null
    good methods -o /dev/null
    "$tool" pairs /dev/stdin <boxes.csv >out 2>err || fail 'standard input by its name'
    good pairs boxes.csv
    "$tool" pairs boxes.csv -o /dev/stdout 2>err | cmp -s - out || fail 'standard output by its name'
fi

# ----------------------------------------------------------------------------------------------------------------------
# Scenes

good scene mixed -n 500 --seed 7 -o one.npy
good scene mixed -n 500 --seed 7 -o two.npy
same one.npy two.npy 'the same seed'
good scene mixed -n 500 --seed 8 -o two.npy
cmp -s one.npy two.npy && fail 'another seed, another scene'
good scene mixed -n 500 --seed 7 --steps 3 -o two.npy
cmp -s one.npy two.npy && fail '--steps moves the boxes'
good scene mixed -n 500 --seed 7
[ "$(wc -l <out)" -eq 501 ] || fail 'scene: a header and a row a box'
good scene zych -n 100 --density 0.5 --velocity 1 --static-share 0.5 --alpha 2 --beta 3 -o zych.csv
good scene uniform -n 100 --pairs-per-object 5 --motion -1 -o dense.csv
good scene uniform-2d -n 100 --extent 50 -o flat.csv

# In the shortest form of the tests, every third scene.
[ "${BP_TEST_QUICK:-0}" -lt 2 ] || { sed -n '1~3p' scenes >some && mv some scenes; }
while read -r scene; do
    good scene "$scene" -n 2000 --seed 7 -o scene.npy
    good scene "$scene" -n 2000 --seed 7 -o scene.csv
    good pairs scene.npy --method brute-force -o brute.csv
    good pairs scene.npy --method hierarchical-grid -o grid.csv
    good pairs scene.csv --threads 2 -o text.csv
    same brute.csv grid.csv "$scene"
    same brute.csv text.csv "$scene from CSV"
done <scenes

# A file of many blocks, through a pipe and back.
good scene uniform -n 300000 --seed 3 -o big.npy
"$tool" scene uniform -n 300000 --seed 3 2>err | "$tool" pairs - -o piped.csv 2>>err || fail 'a big pipe'
good pairs big.npy -o big.csv
same big.csv piped.csv 'a big file'
[ "$(wc -l <big.csv)" -gt 500000 ] || fail 'a big file has many pairs'

# Very many threads in little memory: no more are started than are of use. (Programs with sanitizers do not start like this.
# The C library must not take address space for each thread that allocates: that is what would run out, at times.)
if can_check 'very many threads, because the emulator needs memory of its own' &&
    (ulimit -v 800000 && "$tool" --version) >out 2>err; then
    checks=$((checks + 1))
    (ulimit -v 800000 && MALLOC_ARENA_MAX=1 "$tool" pairs big.npy --threads 1024 -o limited.csv) >out 2>err ||
        fail "very many threads: exit status $?"
    same big.csv limited.csv 'very many threads'
fi

# ----------------------------------------------------------------------------------------------------------------------
# Demo and bench

good demo -n 3000 --steps 2 --quiet -o demo.svg
grep -q '^brute-force ' out && grep -q '^hierarchical-grid ' out || fail 'demo: a row a method'
head -1 demo.svg | grep -q '<svg' && tail -1 demo.svg | grep -q '</svg>' || fail 'demo: the picture'
grep -q "class='shared'" demo.svg || fail 'demo: overlaps are marked'
grep -qE '^(tree|strips) .* default$' out || fail 'demo: the default is marked in the table'
grep "class='default'" demo.svg | grep -qE '>(tree|strips), 1 thread<' || fail 'demo: and in the picture'
sed '1d' out >demo.rows
sort -s -g -k6,6 demo.rows | cmp -s - demo.rows || fail 'demo: the fastest first'
grep -q '^brute-force .* 1$' out || fail 'demo: speed-up is times as fast as brute force'
grep -q '>times as fast as brute force<' demo.svg || fail 'demo: the picture says what it compares with'
if can_check 'the scale of the picture, which follows from the times'; then
    grep -q 'logarithmic scale' demo.svg || fail 'demo: a scale on which all bars can be seen'
fi
grep -q 'left out' out demo.svg && fail 'demo: nothing is left out of so few boxes'
run 0 demo -n 21000 --steps 1 -o demo.svg
grep -q '^brute-force .* 21,000 .* - *left out: about ' out || fail 'demo: the table says what is left out'
grep -q '^Brute force tests every pair: with 21,000 boxes it would take about ' err || fail 'demo: and why'
grep -q '>times as fast as brute force (estimated)<' demo.svg || fail 'demo: an estimate is called one'
grep -q '>left out: about .* a step<' demo.svg || fail 'demo: the picture says what is left out'
grep -q '>It is therefore not run there, and the others are compared with this estimate.<' demo.svg || fail 'demo: and why'
good demo -n 21000 --steps 1 --quiet --method bvh -o demo.svg
grep -q '>Only bvh was run, as requested; there is no brute force to compare it with.<' demo.svg || fail 'demo: one method alone'
failed 'nowhere/demo.svg: cannot be written' demo -n 100 --steps 1 --quiet -o nowhere/demo.svg

# The bench is another program beside the tool; here it is one that tells what it was given.
if [ "$system" = Windows ]; then
    wrong "unknown command 'bench'" bench
    wrong "unknown command 'report'" report
elif can_check 'a bench beside a copy of the tool, because the copy is a script'; then
    cp "$tool" broadphase
    tool=$folder/broadphase
    failed "it is built by 'make bench'" bench --csv x.csv
    good bench --help
    printf '#!/bin/sh\necho "$@"\nexit 7\n' >broadphase-bench
    chmod +x broadphase-bench
    run 7 bench --csv 'a b.csv' --help
    [ "$(cat out)" = '--csv a b.csv --help' ] || fail 'bench: the words are passed on'
fi

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]

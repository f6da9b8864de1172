#!/bin/sh
# What the tool says when something is wrong, as a stranger reads it: what it found, what is allowed, what to do; and that
# no file is damaged.
# usage: test_messages.sh TOOL [SYSTEM]
. "$(dirname "$0")/tool_checks.sh"
system=${2:-}

printf '0,0,0,1,1,1\n1,1,1,2,2,2\n' >boxes.csv
cp boxes.csv original.csv

# ----------------------------------------------------------------------------------------------------------------------
# Numbers out of range: the range is named, and nothing too small becomes a default

for value in nan inf -inf -1 -1e-30; do
    wrong 'cell_size: must be positive and at most 3.40282347e38, or 0' pairs boxes.csv --set cell_size=$value
    wrong 'margin: must be 0 to 3.40282347e38' pairs boxes.csv --set margin=$value
    wrong 'grid_load: must be positive and at most' pairs boxes.csv --set grid_load=$value
    wrong 'looseness: must be from 1 to 8, or 0 for the default, 2' pairs boxes.csv --set looseness=$value
    wrong 'hierarchy_factor: must be greater than 1' pairs boxes.csv --set hierarchy_factor=$value
    wrong 'period: must be positive and at most' pairs boxes.csv --set period=0,$value,0
    wrong '--budget: expected 0 (for 20) to 1000000 seconds' tune boxes.csv --budget $value
    wrong 'density must be between 1e-9 and 1e9' scene zych -n 10 --density $value
    wrong 'extent must be between 1 and 1e6' scene uniform-2d -n 10 --extent $value
done
for field in cell_size margin grid_load looseness hierarchy_factor; do
    for value in 1e-300 1e300 1e-400 1e400 '' 1,1 one; do
        wrong "$field: expected a number: 0, or 1.4e-45 to 3.40282347e38 either way, found '$value'" \
            pairs boxes.csv --set $field="$value"
    done
done
for value in 1e-400 1e400 '' fast; do
    wrong "--budget: expected a number: 0, or 4.9e-324 to 1.7e308 either way, found '$value'" tune boxes.csv --budget "$value"
    wrong "--motion: expected a number: 0, or" scene uniform -n 10 --motion "$value"
done
wrong '--budget: expected 0 (for 20) to 1000000 seconds, found 1e+07' tune boxes.csv --budget 1e7
wrong 'motion must be at most 1000' scene uniform -n 10 --motion 1001
for value in -1 0.5 1e300 nan '' 18446744073709551616; do
    wrong "-n: expected a whole number from 0 to 4294967294, found '$value'" scene uniform -n "$value"
    wrong "--steps: expected a whole number from 0 to 4294967294, found '$value'" scene uniform --steps "$value"
    wrong "--seed: expected a whole number from 0 to 18446744073709551615, found '$value'" scene uniform --seed "$value"
    wrong "octree_max_objects: expected a whole number from 0 to 4294967295, found '$value'" \
        pairs boxes.csv --set octree_max_objects="$value"
    wrong "memory_limit: expected a number of bytes" pairs boxes.csv --set memory_limit="$value"
done
wrong 'threads: must be from -1 (all cores) to 1024' pairs boxes.csv --threads 1025
wrong 'threads: expected a whole number from -1 to 1024' pairs boxes.csv --threads 1e10
wrong 'flags: must be a combination of BP_PAIRS_FIXED (1)' pairs boxes.csv --set flags=64
good pairs boxes.csv --set cell_size=0.0e9 --set margin=1e-45

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
failed 'three.csv:1: expected 6 columns (boxes: min_x,min_y,min_z,max_x,max_y,max_z) or 4 (spheres: x,y,z,radius), found 3; add a first line that names the columns' \
    pairs three.csv

# ----------------------------------------------------------------------------------------------------------------------
# Meshes

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 3\nf 4 3 2\n' >two.obj
printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' >one.ply
good pairs two.obj
[ "$(tail -1 out)" = 0,1 ] || fail 'a mesh with itself'
good pairs one.ply two.obj
[ "$(tr '\n' ' ' <out)" = 'a,b 0,0 0,1 ' ] || fail 'two meshes'
good pairs two.obj boxes.csv
sed -e 's/face/tristrips/;s/uchar/int/' -e 's/^3 0 1 2$/5 0 1 2 -1 -1/' one.ply >strips.ply
good pairs strips.ply two.obj
[ "$(tr '\n' ' ' <out)" = 'a,b 0,0 0,1 ' ] || fail 'a mesh of strips'
head -n 6 one.ply >cut.ply
failed 'cut.ply: ends within its header: it is truncated; copy or save it again' pairs cut.ply
printf '3 0 1 7\n' | cat one.ply - | sed 's/face 1/face 2/' >far.ply
failed 'far.ply: face 1 (from 0): the face names vertex 7, the file has 3 vertices (the first is 0); save the mesh again' pairs far.ply
sed 's/f 4 3 2/f 4 3/' two.obj >corners.obj
failed 'corners.obj:6: the face has 2 corners; expected at least 3' pairs corners.obj
failed 'found '"'ply'"'; save the mesh as triangles' pairs "$(cp one.ply other.obj && echo other.obj)"
good tune two.obj --budget 0.01 --quiet
wrong 'two.off: unknown file type; expected a name ending in .csv, .npy, .npz, .ply, .obj or .stl, or - for CSV through a pipe' pairs two.off
wrong 'out.ply: meshes can only be read; expected a name ending in .csv or .npy' pairs two.obj -o out.ply
wrong 'out.obj: meshes can only be read' scene uniform -n 10 -o out.obj

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
if [ "$system" != Windows ]; then # wine does not know which files the standard streams are
    "$tool" pairs - -o boxes.csv <boxes.csv >out 2>err
    [ $? -eq 2 ] || fail 'standard input is the output'
    says 'boxes.csv: is the input on standard input too'
    same boxes.csv original.csv 'an input on standard input is spared'
    "$tool" pairs boxes.csv >>boxes.csv 2>err
    [ $? -eq 2 ] || fail 'standard output is the input'
    same boxes.csv original.csv 'an input on standard output is spared'
fi
good scene uniform -n 3 -o steps.npy
wrong 'steps.csv: expected a name ending in .npy for the trace' trace steps.npy -o steps.csv
wrong 'expected the name of a file, found an empty word' pairs boxes.csv -o ''
wrong 'expected the name of a file, found an empty word' pairs ''
cp steps.npy kept.npy
wrong 'steps.npy: is the input steps.npy too' trace steps.npy -o steps.npy
same steps.npy kept.npy 'a trace is spared'

# ----------------------------------------------------------------------------------------------------------------------
# An output that cannot be written whole: nobody takes a part for it

if [ "$system" != Windows ]; then # a limit of the shell would end wine itself
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
fi

# ----------------------------------------------------------------------------------------------------------------------
# Memory

good scene identical -n 12000 -o identical.npy
# A build with sanitizers does not even start with so little.
if (ulimit -v 300000 && "$tool" --version) >out 2>err; then
    (
        ulimit -v 300000 # 72 million pairs take 576 MB
        "$tool" pairs identical.npy -o pairs.npy 2>err
        echo $? >status
    )
    [ "$(cat status)" -eq 1 ] || fail 'memory: exit status'
    says 'out of memory'
    says 'another config.method'
    [ ! -e pairs.npy ] || fail 'memory: nothing is written'
    (
        ulimit -v 300000
        "$tool" scene uniform -n 100000000 -o scene.npy 2>err
    )
    says 'out of memory; choose a smaller -n'
fi

echo "$checks checks, $failures failed"
[ $failures -eq 0 ]

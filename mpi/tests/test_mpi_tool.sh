#!/bin/sh
# usage: test_mpi_tool.sh LAUNCH MPI_TOOL TOOL: the tool on several ranks against the one on none.
set -eu
launch=$1
tool=$2
plain=$3
"$launch" 1 true || exit $?
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "test_mpi_tool: $*" >&2
    exit 1
}

count=20000
[ "${BP_TEST_QUICK:-0}" = 0 ] || count=2000
for scene in polydisperse planes; do
    "$plain" scene $scene -n $count --seed 3 -o boxes.npy
    "$plain" pairs boxes.npy -o expected.npy
    for ranks in 1 3 8; do
        "$launch" $ranks "$tool" pairs boxes.npy -o pairs.npy
        cmp pairs.npy expected.npy || fail "$scene on $ranks ranks has other bytes"
    done
done

# spheres, two dimensions, settings, the other partition, nothing at all
cat >spheres.csv <<'EOF'
x,y,z,radius
0,0,0,1
1,0,0,0.5
5,5,5,0.1
5.1,5,5,0.1
EOF
if command -v python3 >/dev/null; then
    python3 - <<'EOF'
import struct

def save(name, kind, columns, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (kind, len(values) // columns, columns)
    head += " " * (117 - len(head)) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack("<%d%s" % (len(values), "f" if kind == "<f4" else "d"), *values))

rows = [[float(x) for x in line.split(",")] for line in open("spheres.csv").readlines()[1:]]
save("spheres.npy", "<f4", 4, sum(rows, []))
save("none.npy", "<f4", 6, [])
save("wide.npy", "<f8", 6, [0.0] * 12)
save("bad.npy", "<f4", 6, [0.0] * 42 + [1.0] + [0.0] * 11)
EOF
    for file in spheres none; do
        "$plain" pairs $file.npy -o expected.npy
        "$launch" 3 "$tool" pairs $file.npy -o pairs.npy
        cmp pairs.npy expected.npy || fail "$file has other bytes"
    done
    if "$launch" 3 "$tool" pairs wide.npy -o pairs.npy 2>message; then fail "float64 was taken"; fi
    grep -q "astype" message || fail "no advice about float64"
    if "$launch" 3 "$tool" pairs bad.npy -o pairs.npy 2>message; then fail "a bad row was taken"; fi
    grep -q "row 7" message || fail "the bad row was not named"
fi
"$plain" scene uniform-2d -n 2000 --seed 4 -o flat.npy
"$plain" pairs flat.npy --set dimensions=2 --set period=10,0,0 -o expected.npy
"$launch" 4 "$tool" pairs flat.npy --set dimensions=2 --set period=10,0,0 --partition hsfc --method bvh --stats -o pairs.npy 2>stats
cmp pairs.npy expected.npy || fail "two dimensions have other bytes"
grep -q '^ghosts=' stats || fail "no figures"

head -c 5000 boxes.npy >cut.npy
if "$launch" 2 "$tool" pairs cut.npy -o pairs.npy 2>message; then fail "a file that is cut off was taken"; fi
if "$launch" 2 "$tool" pairs nowhere.npy -o pairs.npy 2>message; then fail "a missing file was taken"; fi
if "$launch" 2 "$tool" pairs boxes.npy -o /nowhere/pairs.npy 2>message; then fail "an impossible output was taken"; fi
cp boxes.npy same.npy
ln -s same.npy link.npy
if "$launch" 2 "$tool" pairs same.npy -o link.npy 2>message; then fail "the input was taken for the output"; fi
cmp boxes.npy same.npy || fail "the input was written over"
if "$launch" 2 "$tool" nonsense 2>message; then fail "a wrong command was taken"; fi
"$launch" 2 "$tool" --help | grep -q 'usage' || fail "no help"

"$launch" 2 "$tool" bench --suite weak -n 3000 --steps 3 --csv weak.csv >table
"$launch" 3 "$tool" bench --suite strong -n 3000 --steps 3 --scene polydisperse --csv strong.csv >table
[ "$(grep -vc '^#' weak.csv)" = 3 ] || fail "weak.csv has another number of rows"
[ "$(grep -vc '^#' strong.csv)" = 4 ] || fail "strong.csv has another number of rows"
grep -q '^# command: broadphase-mpi bench --suite weak' weak.csv || fail "weak.csv does not say where it comes from"

# The model of docs/scaling.md, against real partitions: the mean number of ghosts, within 10 %.
"$tool" model -n 100000 --regions 1000 --csv model.csv >table || "$launch" 1 "$tool" model -n 100000 --csv model.csv >table
awk -F, '/^[0-9]/ && ($5 < 0.9 || $5 > 1.1) { print "regions " $1 ": ratio " $5; wrong = 1 } END { exit wrong || NR < 10 }' \
    model.csv || fail "the model is more than 10 % off"

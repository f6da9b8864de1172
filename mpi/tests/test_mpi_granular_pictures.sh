#!/bin/sh
# The example granular draws the same pictures, byte for byte, on one rank without MPI and on two and three with it.
# usage: test_mpi_granular_pictures.sh LAUNCH GRANULAR GRANULAR-MPI
set -eu
launch=$1
granular=$2
granular_mpi=$3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$granular" 500 400 "$folder/alone"
for ranks in 2 3; do
    status=0
    "$launch" $ranks "$granular_mpi" 500 400 "$folder/ranks" || status=$?
    [ $status -eq 0 ] || exit $status
    for picture in 0 1 2 3 4 5; do
        cmp "$folder/alone-$picture.svg" "$folder/ranks-$picture.svg"
    done
done
echo 'the same pictures on 1, 2 and 3 ranks'

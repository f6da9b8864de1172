#!/bin/sh
# usage: launch.sh RANKS PROGRAM...: runs a program on so many ranks of this machine, as many as it takes.
# Exit status 77 (skipped) where there is no mpirun.
set -eu
command -v mpirun >/dev/null || { echo 'no mpirun'; exit 77; }
ranks=$1
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
options=
if mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
    options='--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none'
fi
# MPI itself keeps memory until the end; that is no finding of ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
# shellcheck disable=SC2086 # one word for each option
exec mpirun $options -n "$ranks" "$@"

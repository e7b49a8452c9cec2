#!/bin/sh
# Other programs on the workloads of the benchmarks, in the same run: octave's queueing
# package on networks of bench_mva, SimGrid and SimPy on steps of bench_sim. Prints one
# clear line for each that is not installed.
set -u
here=$(dirname "$0")
BUILD=${BUILD:-build}

octave_queueing() {
    if ! command -v octave-cli > /dev/null 2>&1; then
        echo "bench-peers: octave is not installed (Debian: octave-queueing)"
    elif ! octave-cli -qf --eval 'pkg load queueing' > /dev/null 2>&1; then
        echo "bench-peers: octave has no queueing package (Debian: octave-queueing)"
    else
        octave-cli -qf "$here/peers.m"
    fi
}

simgrid=$BUILD/bench/peer_simgrid
build_simgrid() {
    if ! printf '#include <simgrid/s4u.hpp>\n' | ${CXX:-c++} -x c++ -fsyntax-only - 2> /dev/null
    then
        echo "bench-peers: SimGrid is not installed (Debian: libsimgrid-dev)"
    else
        ${CXX:-c++} -std=c++17 -O3 -o "$simgrid" "$here/peer_simgrid.cpp" -lsimgrid && return
        echo "bench-peers: peer_simgrid.cpp does not build with this SimGrid"
    fi
    rm -f "$simgrid"
}

# A python3 that has SimPy 2, or nothing.
find_simpy() {
    for candidate in python3 /usr/bin/python3; do
        "$candidate" -c 'import SimPy.Simulation' 2> /dev/null && echo "$candidate" && return
    done
}

# simulators PROFILED WORKERS STEPS: all of them on the same files.
simulators() {
    "$BUILD/bench/peer_sgdperf" "$1" "$2" "$3" "$files" || exit 1
    [ ! -x "$simgrid" ] || "$simgrid" --log=root.threshold:warning "$files"
    [ -z "$simpy" ] || "$simpy" "$here/peer_simpy.py" "$files"
}

# The first program of each workload is sgdperf; the others' throughput beside its own.
tabulate() {
    awk -F, '
        BEGIN { printf "%-28s %6s %6s %10s %9s %9s %13s %11s\n", "program", "W", "steps",
                       "operations", "seconds", "M ops/s", "batches/s", "difference" }
        $1 == "sgdperf" { ours = $6 }
        { printf "%-28s %6d %6d %10d %9.4f %9.3f %13.9g %10.2g%%\n", $1, $2, $3, $4, $5,
                 $4 / $5 / 1e6, $6, 100 * ($6 / ours - 1) }'
}

octave_queueing
echo
build_simgrid
simpy=$(find_simpy)
[ -n "$simpy" ] || echo "bench-peers: SimPy 2 is not installed (Debian: python3-simpy)"
if [ ! -x "$simgrid" ] && [ -z "$simpy" ]; then exit 0; fi
files=$(mktemp -d) || exit 1
trap 'rm -rf "$files"' EXIT
echo "peers: asynchronous, equal shares, 200 operations a step; all steps alike"
{ simulators 1 4 250; simulators 1 64 16; simulators 1 1024 1; } | tabulate
echo
# Such runs are chaotic: after some 20 steps rounding parts the programs, and they agree
# on average alone. With few flows SimGrid and the link of peer_simpy.py round alike.
echo "peers: the same; steps drawn from 20, so that the workers fall out of step"
{ simulators 20 4 20; simulators 20 4 1000; simulators 20 64 64; simulators 20 1024 4; } |
    tabulate

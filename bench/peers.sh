#!/bin/sh
# Times octave's queueing package (Debian: octave-queueing) on networks of bench_mva, in
# the same run. Prints one clear line where it is not installed.
set -u
here=$(dirname "$0")
BUILD=${BUILD:-build}
if ! command -v octave-cli >/dev/null 2>&1; then
    echo "bench-peers: octave is not installed (Debian: octave-queueing)"
    exit 0
fi
if ! octave-cli -qf --eval 'pkg load queueing' >/dev/null 2>&1; then
    echo "bench-peers: octave has no queueing package (Debian: octave-queueing)"
    exit 0
fi
octave-cli -qf "$here/peers.m"

#!/bin/sh
# Runs fuzz targets by clang's libFuzzer, as many at once as there are cores, and prints what
# each did: target, executions, seconds, findings. Exit status 1 where something was found.
#
#   sh tests/fuzz.sh [TARGET...]       all targets of tests/ where none is named
#
# LIMIT is an option of libFuzzer that ends each, by default -max_total_time=4; BUILD where
# they are built, LESS_UB options for less to compile; JOBS how many run at once. Below BUILD/fuzz:
# TARGET.log, TARGET.status,
# corpus.TARGET, which the next run begins with, and inputs that were found, TARGET-*.
set -u
BUILD=${BUILD:-build}
LIMIT=${LIMIT:--max_total_time=4}
JOBS=${JOBS:-$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)}
[ $# -gt 0 ] || set -- $(cd tests && ls fuzz_*.c | sed 's/\.c$//')
fuzz=$BUILD/fuzz
mkdir -p "$fuzz"

make -s -k -j "$JOBS" BUILD="$fuzz" CC=clang CPPFLAGS=-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION \
    SANITIZE="-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all ${LESS_UB:-}" \
    $(printf "$fuzz/test/%s " "$@") > "$fuzz/build.log" 2>&1

# Without the length control the targets' mutators start from their seeds at once. Leaks are looked
# for when a target ends: after every input, that took most of the time where something is kept.
printf '%s\n' "$@" | xargs -P "$JOBS" -I{} sh -c '
    mkdir -p "$1/corpus.$3"
    began=$(date +%s)
    "$1/test/$3" "$2" -timeout=10 -rss_limit_mb=2048 -len_control=0 -detect_leaks=0 \
        -verbosity=0 -print_funcs=0 -print_final_stats=1 -artifact_prefix="$1/$3-" \
        "$1/corpus.$3" > "$1/$3.log" 2>&1
    echo $? > "$1/$3.status"
    echo $(($(date +%s) - began)) > "$1/$3.seconds"' fuzz "$fuzz" "$LIMIT" {}

all=0
found=0
printf '%-18s %13s %8s %9s\n' target executions seconds findings
for target in "$@"; do
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$fuzz/$target.log")
    bad=0
    [ "$(cat "$fuzz/$target.status")" -eq 0 ] && [ -n "$runs" ] || bad=1
    printf '%-18s %13s %8s %9s\n' "$target" "${runs:-0}" "$(cat "$fuzz/$target.seconds")" "$bad"
    all=$((all + ${runs:-0}))
    found=$((found + bad))
done
printf '%-18s %13s %8s %9s\n' all "$all" '' "$found"
[ "$found" -eq 0 ]

#!/bin/sh
# Runs every test, one more at once than there are cores, also after a failure, and adds up:
# the last line is "N passed, N failed", after what was skipped as this machine lacks something.
#
#     tests/run.sh [-j JOBS] TEST...
#
# TEST is the name of a program below $BUILD/test, or a script in tests/; with TEST_FULL=1 it
# runs in its full size. What it prints is kept in $BUILD/test/log, and shown if it fails, or
# with V=1. On a terminal the last line tells which ones are running.
#
# EMULATOR, where it is set, runs the programs, those of another platform. The scripts named in
# WHOLE, which run long, get the program OPTIMIZED if that is set, not the one with sanitizers.
#
# To look for leaks takes as long as a short run of the program. Of the thousands of runs of
# the scripts this is done in full only; the test programs always do it.
set -u
BUILD=${BUILD:-build}
log=$BUILD/test/log

# A test that takes so many seconds hangs. A slow machine is no failure.
hangs=3600

# run_one TEST: tells its beginning and its end, with its exit status and its seconds.
run_one() {
    name=$1
    case $BUILD in
        /*) SGDPERF=$BUILD/test/sgdperf ;;
        *) SGDPERF=$PWD/$BUILD/test/sgdperf ;;
    esac
    SCHEMAS=${SGDPERF%/*}/log/json
    if [ -n "${OPTIMIZED:-}" ]; then
        export SGDPERF_OPTIMIZED="$OPTIMIZED"
        case " $WHOLE " in *" $name "*) SGDPERF=$OPTIMIZED ;; esac
    fi
    export BUILD SGDPERF SCHEMAS
    leaks=1
    case $name in *.sh) [ -n "${TEST_FULL:-}" ] || leaks=0 ;; esac
    export ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=$leaks:${ASAN_OPTIONS:-}"
    export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
    case $name in
        *.sh) set -- sh "$name" ;;
        *)
            set -- ${EMULATOR:-} "$BUILD/test/$name"
            [ -f "$BUILD/test/$name.exe" ] && set -- ${EMULATOR:-} "$BUILD/test/$name.exe"
            ;;
    esac
    command -v timeout > /dev/null && set -- timeout "$hangs" "$@"
    echo "begin $name"
    began=$(date +%s)
    "$@" > "$log/$(file_of "$name")" 2>&1 < /dev/null
    echo "end $name $? $(($(date +%s) - began))"
}

# The name of the log of a test.
file_of() { echo "$1" | sed 's|^tests/||; s|/|_|g'; }

# Shows the ends of tests as they come, adds up, and fails if one failed.
report() {
    all=$1 done=0 passed=0 failed=0 running= bad=
    : > "$log/skipped"
    terminal=
    [ -t 2 ] && [ -z "${V:-}" ] && terminal=1
    while read -r what name status seconds; do
        [ -n "$terminal" ] && printf '\r\033[K' >&2
        case $what in
            begin) running="$running $name" ;;
            end)
                running=$(printf ' %s ' "$running" | sed "s|  *$name | |; s| *$||")
                done=$((done + 1))
                end "$name" "$status" "$seconds"
                ;;
        esac
        [ -n "$terminal" ] && printf '[%s/%s]%s' "$done" "$all" "$running" | cut -c 1-100 |
            tr -d '\n' >&2
    done
    [ -n "$terminal" ] && printf '\r\033[K' >&2
    schemas
    for name in $bad; do echo "failed: $name, see $log/$(file_of "$name")"; done
    [ ! -s "$log/skipped" ] || echo "$(($(wc -l < "$log/skipped"))) skipped:"
    sed 's/^/    /' "$log/skipped"
    [ "$done" -eq "$all" ] || failed=$((failed + all - done))
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# Holds all JSON that the scripts have printed against docs/schema, in one process.
schemas() {
    [ -n "$(ls "$log/json")" ] || return 0
    sh "${0%/*}/schemas.sh" "$log"/json/* > "$log/schemas"
    status=$?
    if [ "$status" -eq 77 ]; then
        echo 'schemas: no python3-jsonschema that knows draft 2020-12' >> "$log/skipped"
    else
        end schemas "$status" 0
    fi
}

# The last line like "NAME: N passed, N failed" counts.
end() {
    file=$log/$(file_of "$1")
    last=$(tr -d '\r' < "$file" | grep -E ': [0-9]+ passed, [0-9]+ failed$' | tail -n 1)
    counts=$(printf '%s\n' "$last" | sed -n 's/^.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    if [ -z "$counts" ]; then
        last="$1: ended with status $2: 0 passed, 1 failed"
        counts="0 1"
    elif [ "$2" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
        last="$last, but ended with status $2"
        counts="${counts% *} 1"
    fi
    sed -n "s|^skipped: |$1: |p" "$file" >> "$log/skipped"
    if [ -n "${V:-}" ] || [ "${counts#* }" -ne 0 ]; then
        grep -vxF -- "$last" "$file"
    else
        grep '^skipped: ' "$file"
    fi
    [ "$3" -lt 2 ] || last="$last, $3 s"
    printf '%s\n' "$last"
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
    [ "${counts#* }" -eq 0 ] || bad="$bad $1"
}

if [ "${1:-}" = --one ]; then
    run_one "$2"
    exit 0
fi
# One more than there are cores: some wait for sockets and for what they time.
jobs=$(($(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1) + 1))
if [ "${1:-}" = -j ]; then
    jobs=$2
    shift 2
fi
rm -rf "$log"
mkdir -p "$log/json" || exit 1
printf '%s\n' "$@" | xargs -P "$jobs" -I{} sh "$0" --one {} | report $#

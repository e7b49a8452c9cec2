#!/bin/sh
# Runs every test, also after a failure, and adds up: the last line is
# "N passed, N failed". Usage: tests/run.sh PROGRAM...  (names below $BUILD/test)
# VERBOSE=1 shows all that the tests print, UNIT=1 leaves the scripts out.
set -u
BUILD=${BUILD:-build}
case $BUILD in
    /*) SGDPERF=$BUILD/test/sgdperf ;;
    *) SGDPERF=$PWD/$BUILD/test/sgdperf ;;
esac
export CC BUILD SGDPERF
export ASAN_OPTIONS="allocator_may_return_null=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
limit=$(command -v timeout) && limit="$limit 300" # seconds, where the system can tell
passed=0
failed=0

# Runs a command whose last line is "NAME: N passed, N failed".
add() {
    name=$1
    shift
    $limit "$@" > "$log"
    status=$?
    last=$(tail -n 1 "$log")
    counts=$(printf '%s\n' "$last" | sed -n 's/^.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    if [ -z "$counts" ]; then
        cat "$log"
        last="$name: ended with status $status: 0 passed, 1 failed"
        counts="0 1"
    elif [ "$status" -ne 0 ] && [ "${counts#* }" -eq 0 ]; then
        last="$last, but ended with status $status"
        counts="${counts% *} 1"
    fi
    if [ -n "${VERBOSE:-}" ]; then sed '$d' "$log"; else grep '^skipped: ' "$log"; fi
    printf '%s\n' "$last"
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
}

for program; do add "$program" "$BUILD/test/$program"; done
[ -n "${UNIT:-}" ] ||
for script in tests/cli/*.sh tests/examples.sh tests/portability.sh; do
    [ -f "$script" ] && add "$script" sh "$script"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

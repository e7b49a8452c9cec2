#!/bin/sh
# The tests of the headers on other platforms, each built by a cross compiler and run by an
# emulator: same goldens, same hashes of event logs, same reference values.
#
#     tests/platforms.sh [--quick] [PLATFORM...]
#
# Without a name every platform whose compiler and emulator are found; the others are told
# as skipped. --quick runs the goldens and hashes alone, hardly optimized; MinGW is without what
# tests the program's parts, which need POSIX. The last line is "N passed, N failed".
#
# An emulated processor takes 20 to 100 times as long. JOBS: so many commands at once.
set -u
work=$(mktemp -d) || exit 1
# Of wine: no folder in the user's home, nothing but what the tests say.
export WINEPREFIX="$work/wine" WINEDEBUG=-all
trap clean EXIT
trap 'exit 130' INT TERM
passed=0
failed=0

# What serves wine's programs outlives them for a while, and writes.
clean() {
    [ ! -d "$WINEPREFIX" ] || wineserver -k 2> "$work/why" || sleep 5
    rm -rf "$work"
}

# NAME COMPILER EMULATOR FLAGS: what a platform is built and run by. Linked statically, a
# program needs no libraries of its platform. Emulated, 32 bits see folders of the 64 bits around
# them, whose offsets readdir refuses unless off_t has as many.
platforms() {
    cat << END
i386|gcc -m32 -msse2 -mfpmath=sse -idirafter /usr/include/$(gcc -print-multiarch)||-O2
x86-64-v3|gcc -march=haswell||-O3
aarch64|aarch64-linux-gnu-gcc -static|qemu-aarch64|-O2
armhf|arm-linux-gnueabihf-gcc -static -D_FILE_OFFSET_BITS=64|qemu-arm|-O2
s390x|s390x-linux-gnu-gcc -static|qemu-s390x|-O2
riscv64|riscv64-linux-gnu-gcc -static|qemu-riscv64|-O2
ppc64el|powerpc64le-linux-gnu-gcc -static|qemu-ppc64le|-O2
musl|musl-gcc -static||-O2
mingw|x86_64-w64-mingw32-gcc -static|wine|-O2
tcc|tcc||-O0
clang-integer|clang -fsanitize=$CHECKED -fno-sanitize-recover=all $WRAPS||-O1
END
}

# Conversions that change a value are told too; and what wraps, and goes on, but where it is meant.
CHECKED=undefined,implicit-conversion,nullability,local-bounds
WRAPS='-fsanitize=unsigned-integer-overflow -fsanitize-recover=unsigned-integer-overflow
    -fsanitize-ignorelist=tests/wraps.txt'
WRAPS=$(echo $WRAPS)

# Where the numbers are that must be the same everywhere, and parts of the names of these tests.
GOLDEN_TESTS="test_mva test_recorded test_sched test_cluster test_sim test_balance"
GOLDEN_NAMES="golden recorded same_bits_everywhere"

# What needs POSIX beyond C: the tests of the program's own parts.
needs_posix() {
    grep -qE '"((base|files|import)/|fuzz_import)|unistd\.h|sys/|child\.h' "tests/$1.c"
}

tests_of() {
    if [ -n "$quick" ]; then
        echo $GOLDEN_TESTS
        return
    fi
    for test in tests/test_*.c tests/fuzz_*.c; do
        test=$(basename "$test" .c)
        [ "$1" = mingw ] && needs_posix "$test" && continue
        # tcc 0.9.27 gets a sum of long doubles wrong, by which this test judges.
        [ "$1-$test" = tcc-test_multiserver ] && continue
        echo "$test"
    done
}

# A word of a compiler that makes programs and, where one is needed, an emulator.
lacks() {
    compiler=${1%% *}
    command -v "$compiler" > "$work/found" || { echo "$compiler"; return; }
    [ -z "$2" ] || command -v "$2" > "$work/found" || { echo "$2"; return; }
    echo 'int main(void) { return 0; }' > "$work/probe.c"
    $1 -o "$work/probe" "$work/probe.c" 2> "$work/why" || echo "$1 makes no program"
}

# What the sanitizers of a build have told, but for counting down to 0.
told() {
    cat "$work"/told.* 2> /dev/null | grep 'runtime error: ' |
        grep -v 'overflow: 0 - 1 cannot' | sed 's/ cannot be represented.*//' | sort -u
}

# platform NAME COMPILER EMULATOR FLAGS
platform() {
    lack=$(lacks "$2" "$3")
    [ -z "$lack" ] || { echo "skipped: $1: no $lack"; return; }
    build=$work/$1
    began=$(date +%s)
    optimize=$4
    rest=$4
    [ -z "$quick" ] || { optimize=-O1; rest=-O0; }
    # tcc writes no lists of what a file includes.
    no_depends=
    [ "$1" != tcc ] || no_depends=DEPENDS=
    # In files of their own, as tests read what programs write to stderr; without the stack, whose
    # names a process and its forks would ask of one and the same symbolizer, and wait for ever.
    rm -f "$work"/told.*
    EMULATOR=$3 TEST_ONLY=${quick:+$GOLDEN_NAMES} \
        UBSAN_OPTIONS="print_stacktrace=0:log_path=$work/told" \
        make -s -k ${JOBS:+-j$JOBS} BUILD="$build" CC="$2" TEST_OPT="$optimize" REST_OPT="$rest" \
        SANITIZE= LESS_UB= $no_depends TESTS="$(tests_of "$1" | tr '\n' ' ')" unit-tests \
        > "$work/log" 2>&1
    counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/log" | tail -n 1)
    [ -n "$counts" ] || counts="0 1"
    [ "${counts#* }" -eq 0 ] || tail -n 30 "$work/log"
    if [ -n "$(told)" ]; then
        told
        counts="${counts% *} $((${counts#* } + 1))"
    fi
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
    echo "$1: ${counts% *} passed, ${counts#* } failed ($(($(date +%s) - began)) s)"
    rm -rf "$build"
}

quick=
[ "${1:-}" = --quick ] && { quick=1; shift; }
for name; do
    platforms | grep -q "^$name|" || { echo "platforms.sh: no platform '$name'" >&2; exit 2; }
done
platforms > "$work/table"
while IFS='|' read -r name compiler emulator flags; do
    case " ${*:-$name} " in
        *" $name "*) platform "$name" "$compiler" "$emulator" "$flags" < /dev/null ;;
    esac
done < "$work/table"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

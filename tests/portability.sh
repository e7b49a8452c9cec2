#!/bin/sh
# Each header alone and beside the others, in any order: as C99, C11 and C++11, in every
# compiler found, exporting its own prefix only and needing nothing but libc and libm.
#
# With TEST_FULL=1 everything; without, each header, and all of them in one unit in two
# orders, in the first compiler of C and the first of C++. C11 in one order and the first alone.
set -u
case ${TEST_FULL:-0} in 0) full= ;; *) full=1 ;; esac

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion
    -Wfloat-equal -Wcast-qual -Wcast-align -Wundef -Wpointer-arith -Wwrite-strings -Wvla -Werror"
c_warnings="$warnings -Wstrict-prototypes -Wmissing-prototypes"

upper() { echo "$1" | tr '[:lower:]' '[:upper:]'; }

# The prefix of a header's public names.
prefix_of() {
    sed -n 's/^#define \(SGD[A-Z]*_\)API extern$/\1/p' "$1.h" | tr '[:upper:]' '[:lower:]'
}

# ---- Sources -----------------------------------------------------------------------

# lines FILE LINE...: a C file of these lines, and the same as C++.
lines() {
    to=$1
    shift
    printf '%s\n' "$@" > "$folder/$to.c"
    cp "$folder/$to.c" "$folder/$to.cpp"
}

# all_of HEADER...: their implementations, one after the other.
all_of() {
    for header; do
        printf '#define %s_IMPLEMENTATION\n#include "%s.h"\n' "$(upper "$header")" "$header"
    done
    echo "int main(void) { return 0; }"
}

sources() {
    reversed=
    for h in $headers; do
        impl="#define $(upper "$h")_IMPLEMENTATION"
        lines "$h.declared" "#include \"$h.h\"" "int use(void); int use(void) { return 0; }"
        lines "$h.twice" "#include \"$h.h\"" "#include \"$h.h\"" "$impl" \
            "#include \"$h.h\"" "#include \"$h.h\"" "int main(void) { return 0; }"
        lines "$h.static" "#define NDEBUG" "#define $(upper "$h")_STATIC" "$impl" \
            "#include \"$h.h\"" "int main(void) { return 0; }"
        lines "$h.before_libc" "$impl" "#include \"$h.h\"" "#include <stdio.h>" \
            "#include <math.h>" "int main(void) { return 0; }"
        lines "$h.after_libc" "#include <math.h>" "#include <stdio.h>" "#include <string.h>" \
            "$impl" "#include \"$h.h\"" "int main(void) { return 0; }"
        for other in $headers; do
            [ "$other" = "$h" ] && continue
            lines "$h.between_$other" "$impl" "#include \"$other.h\"" "#include \"$h.h\"" \
                "#include \"$other.h\"" "int main(void) { return 0; }"
            lines "$h.then_$other" "$(all_of "$h" "$other")"
        done
        reversed="$h $reversed"
    done
    lines all.in_order "$(all_of $headers)"
    lines all.reversed "$(all_of $reversed)"
}

# ---- One batch: a compiler, a standard, and a header or all of them ----------------

# ok NAME COMMAND...: one test; its output is shown where it fails.
ok() {
    test=$1
    shift
    if "$@" > "$log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "failed: $test"; head -n 5 "$log"; } >&2
    fi
}

none() { [ -z "$1" ] || { echo "$1"; return 1; }; }

# Compilers are named by words; `first` is $CC, which may have options.
compiler_of() {
    case $1 in
        first) echo "${CC:-cc}" ;;
        *) echo "$1" ;;
    esac
}

# Sets $compile, the command, and $syntax, which makes no object where it need not.
command_of() {
    compile="$(compiler_of "$1") -std=$2 -I."
    syntax=-fsyntax-only
    suffix=c
    case $1-$2 in
        tcc-*) compile="$compile -Wall -Werror" syntax="-c -o $folder/$$.o" ;;
        *-c++*) compile="$compile $warnings" suffix=cpp ;;
        *) compile="$compile $c_warnings" ;;
    esac
}

# Names of the symbols of OBJECT whose nm type is one of the LETTERS.
symbols() { nm "$1" | awk -v types="[$2]" '$(NF - 1) ~ "^" types "$" { print $NF }'; }

# contents OBJECT: what there is in an object of the implementation and main alone.
contents() {
    prefix=$(prefix_of "$h")
    ok "$h.h: exports $prefix alone" none "$(symbols "$1" ABCDGRSTVW |
        grep -vE "^_*($prefix|main\$)")"
    ok "$h.h: no variables" none "$(symbols "$1" bBdDC)"
    ok "$h.h: no allocation, no output" none "$(symbols "$1" U |
        grep -E '^_*(malloc|calloc|realloc|free|[a-z]*printf|fopen|fwrite|puts|exit|rand)$')"
    ok "$h.h: includes no other file" none "$(grep -n '^ *# *include *"' "$h.h")"
}

batch() {
    command_of "$1" "$2"
    h=$3
    log=$folder/log.$$
    name="$h: $(compiler_of "$1") $2"
    passed=0
    failed=0
    for file in "$folder/$h".*."$suffix"; do
        test=${file##*/$h.}
        case $test in declared.* | twice.*) [ "$h" = all ] || continue ;; esac
        # What a pair of headers does to each other is no matter of the compiler, or C11.
        case $1-$2-$test in first-c99-* | g++-*) ;; *_sgdperf*) continue ;; esac
        # C11 and C99 differ in no word that an order of the headers could change.
        case $2-$test in c11-reversed.* | c11-*_libc.* | c11-static.*) continue ;; esac
        [ -z "$full" ] && case $1-$test in
            *_sgdperf* | *_libc.*) continue ;;
            first-*) ;;
            *-reversed.*) continue ;;
        esac
        ok "$name ${test%.*}" $compile $syntax "$file"
    done
    if [ "$h" != all ]; then
        # At a fixed place tables of pointers are constants too. A function has no more than
        # 2 KiB on the stack: what is larger belongs into the caller's work.
        fixed= frames=
        [ "$1-$2" != first-c99 ] || fixed=-fno-pic frames=-Wframe-larger-than=2048
        for test in declared twice; do
            ok "$name $test" $compile $fixed $frames -c -o "$folder/$$.$test.o" \
                "$folder/$h.$test.$suffix"
        done
        [ -z "$full" ] || [ -z "$frames" ] ||
            ok "$name frames, optimized" $compile -O2 $frames -c -o "$folder/$$.o" \
                "$folder/$h.twice.$suffix"
        ok "$name two files" $compile ${fixed:+-no-pie} -o "$folder/$$.two" \
            "$folder/$$.declared.o" "$folder/$$.twice.o" -lm
        [ "$1-$2" != first-c99 ] || contents "$folder/$$.twice.o"
    fi
    rm -f "$folder/$$".*
    echo "$passed $failed" > "$folder/counts.$$"
}

headers=$(for header in sgdperf*.h; do echo "${header%.h}"; done)
if [ "${1:-}" = --batch ]; then
    folder=$2
    batch "$3" "$4" "$5"
    exit 0
fi

# ---- All batches -------------------------------------------------------------------

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
first=$(compiler_of first)
jobs=$(getconf _NPROCESSORS_ONLN 2> /dev/null) || jobs=2
case $first in *g++* | *clang++*) echo "portability: CC is no C compiler"; exit 1 ;; esac

# Another name of the first compiler is not another compiler.
c_compilers=first
for other in gcc clang tcc; do
    path=$(command -v "$other") || { echo "skipped: $other not found"; continue; }
    [ "$(readlink -f "$path")" = "$(readlink -f "$(command -v "${first%% *}")")" ] ||
        c_compilers="$c_compilers $other"
done
cxx_compilers=
for other in g++ clang++; do
    if command -v "$other" > /dev/null; then
        cxx_compilers="$cxx_compilers $other"
    else
        echo "skipped: $other not found"
    fi
done

# Without TEST_FULL=1 one C and one C++ compiler.
if [ -z "$full" ]; then
    c_compilers=first
    cxx_compilers=$(echo $cxx_compilers | cut -d ' ' -f 1)
fi

# batches HEADER...
batches() {
    for header; do
        for compiler in $c_compilers; do
            echo "$compiler c99 $header"
            [ -n "$full" ] && [ "$compiler" = first ] && echo "$compiler c11 $header"
        done
        for compiler in $cxx_compilers; do echo "$compiler c++11 $header"; done
    done
}

sources
{
    batches all
    if [ -n "$full" ]; then
        batches $headers
    else
        for h in $headers; do echo "first c99 $h"; done
    fi
} | xargs -P "$jobs" -n 3 sh "$0" --batch "$folder"
cat "$folder"/counts.* | awk '
    { passed += $1; failed += $2 }
    END { printf "portability: %d passed, %d failed\n", passed, failed; exit failed > 0 }'

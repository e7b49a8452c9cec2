#!/bin/sh
# Each header alone: in every compiler found, as C99, C11 and C++11, included in any way,
# exporting its own prefix only and needing nothing but libc and libm.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion
    -Wfloat-equal -Wcast-qual -Wcast-align -Wundef -Wpointer-arith -Wwrite-strings -Wvla -Werror"
c_warnings="$warnings -Wstrict-prototypes -Wmissing-prototypes"

# ok NAME COMMAND...: one test; its output is shown where it fails.
ok() {
    test=$1
    shift
    if "$@" > "$folder/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $test" >&2
        head -n 5 "$folder/log" >&2
    fi
}

# lines FILE LINE...: a file of these lines.
lines() {
    to=$1
    shift
    printf '%s\n' "$@" > "$folder/$to"
}

sources() {
    lines plain.c "#include \"$h.h\"" "int use_$h(void); int use_$h(void) { return 0; }"
    lines twice.c "#include \"$h.h\"" "#include \"$h.h\"" "#define $impl" \
        "#include \"$h.h\"" "#include \"$h.h\"" "int main(void) { return 0; }"
    lines static.c "#define ${static}_STATIC" "#define $impl" "#include \"$h.h\"" \
        "int main(void) { return 0; }"
    lines early.c "#define $impl" "#include \"$h.h\"" "#include <stdio.h>" "#include <math.h>" \
        "int main(void) { return 0; }"
    lines late.c "#include <math.h>" "#include <stdio.h>" "#include <string.h>" \
        "#define $impl" "#include \"$h.h\"" "int main(void) { return 0; }"
    lines impl.c "#define $impl" "#include \"$h.h\""
    for other in sgdperf*.h; do
        [ "$other" = "$h.h" ] ||
            lines "with_$other.c" "#define $impl" "#include \"$other\"" "#include \"$h.h\"" \
                "#include \"$other\"" "int main(void) { return 0; }"
    done
}

# compile SUFFIX STANDARD COMPILER...: every source, then two translation units linked.
compile() {
    suffix=$1
    name="$h.h: $3 $2"
    set -- "$@" "-std=$2"
    shift 2
    for file in plain twice static early late; do
        ok "$name $file" "$@" -I. -c -o "$folder/$file.o" "$folder/$file.$suffix"
    done
    for file in "$folder"/with_*."$suffix"; do
        [ -f "$file" ] && ok "$name ${file##*/}" "$@" -I. -c -o "$folder/with.o" "$file"
    done
    ok "$name two files" "$@" -o "$folder/two" "$folder/plain.o" "$folder/twice.o" -lm
}

# Names of the symbols of impl.o whose nm type is one of the letters $1.
symbols() { nm "$folder/impl.o" | awk -v types="[$1]" '$(NF - 1) ~ "^" types "$" { print $NF }'; }

none() { [ -z "$1" ] || { echo "$1"; return 1; }; }

contents() {
    ok "$h.h: compiles unoptimized" $first -std=c99 -O0 -fno-pic -I. -c \
        -o "$folder/impl.o" "$folder/impl.c"
    ok "$h.h: exports $prefix alone" none "$(symbols ABCDGRSTVW | grep -v "^_*$prefix")"
    ok "$h.h: no variables" none "$(symbols bBdDC)"
    ok "$h.h: no allocation, no output" none "$(symbols U |
        grep -E '^_*(malloc|calloc|realloc|free|[a-z]*printf|fopen|fwrite|puts|exit|rand)$')"
    ok "$h.h: includes no other file" none "$(grep -n '^ *# *include *"' "$h.h")"
    ok "$h.h: ASCII, 100 columns" none "$(LC_ALL=C grep -n '[^ -~]' "$h.h" | head -n 3
        awk 'length > 100 { print FILENAME ":" FNR ": too long" }' "$h.h")"
}

first=${CC:-cc}
others=
for other in gcc clang; do
    path=$(command -v "$other") || continue
    [ "$(readlink -f "$path")" = "$(readlink -f "$(command -v "${first%% *}")")" ] ||
        others="$others $other"
done

for header in sgdperf*.h; do
    h=${header%.h}
    static=$(echo "$h" | tr '[:lower:]' '[:upper:]')
    impl=${static}_IMPLEMENTATION
    case $h in
        sgdperf) prefix=sgdp_ ;;
        sgdperf_balance) prefix=sgdbal_ ;;
        *) prefix=sgd${h#sgdperf_}_ ;;
    esac
    rm -f "$folder"/*.c "$folder"/*.cpp
    sources
    for compiler in "$first" $others; do
        for standard in c99 c11; do compile c $standard $compiler $c_warnings; done
    done
    for file in "$folder"/*.c; do cp "$file" "${file}pp"; done
    for compiler in g++ clang++; do
        if command -v "$compiler" > /dev/null 2>&1; then
            compile cpp c++11 "$compiler" $warnings
        else
            echo "skipped: $compiler not found"
        fi
    done
    contents
done
echo "portability: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/sh
# The examples that users copy are true: the programs of examples/, the EXAMPLE of each
# header's top comment, and the ```c and ```console blocks of README.md and docs/*.md are run,
# and their output compared. TEST_FULL=1 adds blocks that say "console long", and C as C++. A
# block that is not run says so, "sh not run: REASON", which tests/cli/docs.sh looks after.
#
# In C, a line that is only a comment "// text" behind the code is the expected output.
# In a console block "$ command" lines are run in the repository root with the program,
# $SGDPERF or that of $BUILD, on the path; it goes on behind a \ and within quotes. The lines
# up to the next are its output, "..." being any lines.
set -u
root=$PWD
BUILD=${BUILD:-build}
program=$(dirname "${SGDPERF:-$root/$BUILD/sgdperf}")
compiler=${CC:-cc}
cxx=${CXX:-c++}
sanitize=${SANITIZE:-}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

# compare NAME WANT GOT: two files; a line "..." of WANT stands for any lines.
compare() {
    if awk 'NR == FNR { want[++n] = $0; next } { got[++m] = $0 }
        function rest(i, j) {          # do want[i..n] and got[j..m] agree?
            while (i <= n && want[i] != "...") if (want[i++] != got[j++]) return 0
            if (i > n) return j == m + 1
            for (; j <= m + 1; j++) if (rest(i + 1, j)) return 1
            return 0
        }
        END { exit !rest(1, 1) }' "$2" "$3"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1" >&2
        diff "$2" "$3" >&2
    fi
}

# compile_and_compare NAME COMPILER...: with $implementations, by $linker.
compile_and_compare() {
    name=$1
    shift
    "$@" -I. -c -o "$folder/example.o" "$folder/example.c" 2> "$folder/got" &&
        $linker $sanitize -o "$folder/example" "$folder/example.o" $implementations -lm \
            2> "$folder/got" &&
        "$folder/example" > "$folder/got" 2>&1
    compare "$name" "$folder/want" "$folder/got"
}

# The headers that body.c uses.
headers_used() {
    for header in sgdperf*.h; do
        prefix=$(sed -n 's/^#define \(SGD[A-Z]*_\)API extern$/\1/p' "$header")
        if grep -qi "$prefix" "$folder/body.c"; then echo "$header"; fi
    done
}

# expected_of FILE: the output that its comments tell.
expected_of() { sed -n 's|^ *// \{0,1\}||p' "$1" > "$folder/want"; }

# compare_as_cxx NAME [OPTION...]: $folder/example.c as C++, in full alone.
compare_as_cxx() {
    [ -n "${TEST_FULL:-}" ] && command -v "$cxx" > /dev/null || return 0
    name=$1
    shift
    linker=$cxx
    compile_and_compare "$name, C++11" "$cxx" -x c++ -std=c++11 "$@"
}

# run_c NAME: compiles $folder/body.c, inside a program unless it is one, and compares.
run_c() {
    expected_of "$folder/body.c"
    used=
    grep -q 'int main' "$folder/body.c" || used=$(headers_used)
    if [ -z "$used" ]; then
        cat "$folder/body.c"
    else
        for header in $used; do printf '#include "%s"\n' "$header"; done
        printf '#include <stdio.h>\nint main(void)\n{\n'
        cat "$folder/body.c"
        printf 'return 0;\n}\n'
    fi > "$folder/example.c"
    implementations=$BUILD/test/headers.a
    linker=$compiler
    compile_and_compare "$1" $compiler -std=c99 -Wall -Wextra -Werror
    compare_as_cxx "$1"
}

# The programs of examples/, each with one header, as their Makefile builds them. Other tests
# have the headers with sanitizers already, and to compile them so takes as long as all the rest.
run_programs() {
    mkdir "$folder/examples"
    cp examples/*.c examples/Makefile "$folder/examples"
    cp sgdperf*.h "$folder"
    MAKEFLAGS='' make -s -k -C "$folder/examples" CC="$compiler" \
        CFLAGS="-Wall -Wextra -Werror ${TEST_FULL:+$sanitize}" 2> "$folder/said" ||
        cat "$folder/said" >&2
    implementations=
    for example in examples/*.c; do
        "$folder/${example%.c}" > "$folder/got" 2>&1
        expected_of "$example"
        compare "$example" "$folder/want" "$folder/got"
        cp "$example" "$folder/example.c"
        compare_as_cxx "$example" -Wall -Wextra -Werror
    done
}

# code_of FILE: its code on one line.
code_of() { sed 's/^ *//; /^\/\//d; /^$/d' "$1" | tr '\n' ' '; }

# part_of_program NAME: are the lines of $folder/body.c those of a program of examples/?
part_of_program() {
    for example in examples/*.c; do
        case $(code_of "$example") in
            *"$(code_of "$folder/body.c")"*) passed=$((passed + 1)); return ;;
        esac
    done
    failed=$((failed + 1))
    echo "failed: $1: is not a part of a program of examples/" >&2
}

# run_console NAME: runs the commands of $folder/body.console one by one.
run_console() {
    awk -v folder="$folder" '
        /^\$ / { n++; command = 1; quotes = 0; $0 = substr($0, 3) }
        { print > (folder "/" (command ? "command." : "want.") n); quotes += gsub(/\047/, "&") }
        command && !/\\$/ && quotes % 2 == 0 { command = 0; printf "" > (folder "/want." n) }' \
        "$folder/body.console"
    i=1
    while [ -f "$folder/command.$i" ]; do
        PATH=$program:$PATH sh "$folder/command.$i" > "$folder/got" 2>&1
        # A block that shows nothing would be true of anything.
        [ "$(cat "$folder/want.$i")" = "..." ] && echo "no output shown" > "$folder/want.$i"
        compare "$1: $(head -n 1 "$folder/command.$i")" "$folder/want.$i" "$folder/got"
        i=$((i + 1))
    done
    rm -f "$folder"/command.* "$folder"/want.*
}

run_programs
for header in sgdperf*.h; do
    awk '/^ \* EXAMPLE/ { on = 1; next } /^ \* [A-Z]/ { on = 0 } /^ \*\// { exit }
         on { sub(/^ \*/, ""); print }' "$header" > "$folder/body.c"
    run_c "$header: EXAMPLE"
done

for page in README.md docs/*.md; do
    blocks=$(awk -v folder="$folder" -v full="${TEST_FULL:-}" '
        /^```/ && on { on = 0; close(file); next }
        full && /^```console long$/ { $0 = "```console" }
        /^```(c|console)$/ { n++; on = 1; file = folder "/" n "." substr($0, 4); next }
        on { print > file }
        END { print n + 0 }' "$page")
    block=1
    while [ "$block" -le "$blocks" ]; do
        for kind in c console; do
            [ -f "$folder/$block.$kind" ] || continue
            mv "$folder/$block.$kind" "$folder/body.$kind"
            run_$kind "$page: example $block"
            [ "$page $kind" != "README.md c" ] || part_of_program "$page: example $block"
        done
        block=$((block + 1))
    done
done
echo "examples: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

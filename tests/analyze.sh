#!/bin/sh
# Static analysis: gcc's -fanalyzer, clang-tidy with the checks of .clang-tidy, and cppcheck,
# each over the implementations of the headers and over the program.
#
#     tests/analyze.sh [--quick] [gcc|clang-tidy|cppcheck]...
#
# JOBS of them at once, by default as many as cores. A tool that is not installed is told as
# skipped. --quick, for .ci/run: cppcheck on all headers, gcc on those that take it a few seconds.
# A file that a tool looks at is one test; it fails by a finding that tests/findings.txt does not
# explain. So does a line there that has nothing to explain. The last line is "N passed, N failed".
set -u
export LC_ALL=C
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
list=tests/findings.txt
passed=0
failed=0

# analyze TOOL FILE: what it finds, as "FILE:LINE: text [check]" among other lines.
analyze() {
    set -- "$1" "$2" "-std=c99 -I. -Itools"
    case $2 in
        *.h) set -- "$1" "$2" "$3 -D$(basename "$2" .h | tr a-z A-Z)_IMPLEMENTATION" ;;
    esac
    case $1-$2 in
        gcc-*.h) gcc $3 -O1 -fanalyzer -c -o "$work/$$.o" -include "$2" -x c /dev/null ;;
        gcc-*) gcc $3 -O1 -fanalyzer -c -o "$work/$$.o" "$2" ;;
        clang-tidy-*) clang-tidy --quiet "$2" -- -x c $3 ;;
        # As a compiler that knows which functions do not return.
        cppcheck-*)
            cppcheck --quiet --std=c99 --language=c --enable=warning,performance,portability \
                -D__GNUC__=12 --template='{file}:{line}: {message} [{id}]' ${3#-std=c99} "$2" ;;
    esac
}

# The result of one, in its file; a tool that fails without a finding is a finding.
if [ "${1:-}" = --one ]; then
    work=$2
    name=$work/$3-$(echo "$4" | tr / _)
    analyze "$3" "$4" > "$name.all" 2>&1 || echo "$4:0: $3 ended with status $? [status]" \
        >> "$name.all"
    rm -f "$work/$$.o"
    trap - EXIT
    grep -E '^[^ :]+:[0-9]+:([0-9]+:)? .*\[[^ ]+\]$' "$name.all" | grep -v ': note: ' |
        sed 's|^\./||; s|^'"$PWD"'/||; s|/\./|/|' | sort -u > "$name.found"
    exit 0
fi

# What is found but not explained; notes the lines of the list that explain something.
unexplained() {
    awk -F'|' -v tool="$1" -v used="$work/used" '
        FILENAME == ARGV[1] {
            if ($0 !~ /^#/ && NF == 5 && $1 == tool) { n++; line[n] = FNR; check[n] = $2
                file[n] = $3; source[n] = $4 }
            next
        }
        {
            split($0, part, ":")
            text = ""
            for (i = 1; i <= part[2]; i++) if ((getline text < part[1]) <= 0) break
            close(part[1])
            known = 0
            for (i = 1; i <= n; i++)
                if (part[1] == file[i] && index($0, check[i]) &&
                    (source[i] == "" || index(text, source[i]))) {
                    known = 1
                    print line[i] >> used
                }
            if (!known) { print; print "    " text }
        }' "$list" "$2"
}

# judge TOOL FILE
judge() {
    name=$work/$1-$(echo "$2" | tr / _)
    left=$(unexplained "$1" "$name.found")
    if [ -f "$name.found" ] && [ -z "$left" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1 $2"
        printf '%s\n' "$left"
    fi
}

jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 1)}
quick=
[ "${1:-}" = --quick ] && { quick=1; shift; }
headers=$(ls sgdperf*.h)
program=$(find tools -name '*.c' ! -name deal_mpi.c | sort)
: > "$work/used"
for tool in ${*:-gcc clang-tidy cppcheck}; do
    [ -z "$quick" ] || [ "$tool" != clang-tidy ] || continue
    command -v "$tool" > "$work/path" || { echo "skipped: $tool is not installed"; continue; }
    files="$headers $program"
    [ -z "$quick" ] || files=$headers
    [ -z "$quick" ] || [ "$tool" != gcc ] ||
        files=$(ls sgdperf_*.h | grep -v _sim)
    began=$(date +%s) before="$passed $failed"
    printf '%s\n' $files | xargs -P "$jobs" -I{} sh "$0" --one "$work" "$tool" {}
    for file in $files; do judge "$tool" "$file"; done
    echo "$tool: $((passed - ${before% *})) passed, $((failed - ${before#* })) failed" \
        "($(($(date +%s) - began)) s)"
    [ -n "$quick" ] || grep -n "^$tool|" "$list" | cut -d: -f1 | while read -r line; do
        grep -qx "$line" "$work/used" || sed -n "${line}s/^/no such finding: /p" "$list"
    done > "$work/stale"
    [ -n "$quick" ] || [ ! -s "$work/stale" ] || { failed=$((failed + 1)); cat "$work/stale"; }
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

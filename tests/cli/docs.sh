#!/bin/sh
# What the documents say of the repository holds: links lead somewhere, the table "Where
# things are" of CONTRIBUTING.md finds what it names, the stored errors are those that
# the program prints, the code in other languages compiles, and pages are as short as they are
# meant to be. Run by tests/run.sh in the repository root. The program runs in `make check`
# (TEST_FULL=1) alone.
set -u
passed=0
failed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# ok STATUS WHAT
ok() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $2" >&2
    fi
}

# The anchors that GitHub gives the headings of a page.
anchors() {
    awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print }' "$1" |
        tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# The relative links of a page, outside of its code.
links() {
    awk '/^```/ { code = !code } !code' "$1" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' |
        grep -v '^https*:'
}

pages="README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs/*.md validation/*.md bench/*.md"
for page in $pages; do
    links "$page" > "$folder/links"
    while read -r link; do
        case $link in
            \#*) target=$page ;;
            *) target=$(dirname "$page")/${link%%#*} ;;
        esac
        [ -e "$target" ]
        ok $? "$page: no file for the link $link"
        case $link in *\#*)
            anchors "$target" 2> /dev/null | grep -qxF -- "${link#*#}"
            ok $? "$page: no heading for the link $link" ;;
        esac
    done < "$folder/links"
done

# | question | `file` | `words` |
sed -n '/^## Where things are/,/^## How/s/^| [^|]* | `\([^`]*\)` | `\([^`]*\)` |$/\1 \2/p' \
    CONTRIBUTING.md > "$folder/things"
while read -r file words; do
    grep -qF -- "$words" "$file"
    ok $? "CONTRIBUTING.md: '$words' is not in $file"
done < "$folder/things"
[ "$(wc -l < "$folder/things")" -ge 10 ]
ok $? "CONTRIBUTING.md: no table of where things are"

# What docs/trust.md says holds a promise is there.
grep -o '`[^`]*`' docs/trust.md | tr -d '`' | sort -u > "$folder/named"
grep -E '^(tests|validation|cli)/|^(sh|make) ' "$folder/named" | while read -r word file rest; do
    case $word in
        sh) [ -e "$file" ] ;;
        cli/*) [ -e "tests/$word" ] ;;
        make) grep -qE "^([a-z]+ )*$file( [a-z]+)*:" Makefile */rules.mk ;;
        *) [ -e "$word" ] ;;
    esac || echo "$word $file $rest"
done > "$folder/missing"
grep -E '^[a-z0-9]+(_[a-z0-9]+){2,}$' "$folder/named" | grep -vxF a_name_like_this > "$folder/tests"
while read -r test; do
    grep -qF "TEST($test)" tests/*.c || echo "$test"
done < "$folder/tests" >> "$folder/missing"
[ ! -s "$folder/missing" ] && [ "$(wc -l < "$folder/tests")" -ge 15 ]
ok $? "docs/trust.md: names what is not there: $(cat "$folder/missing")"

# A block that tests/examples.sh does not run is data, code that is compiled below or by
# tests/packages.sh, or says why: "```sh not run: needs root". Its commands at least have the
# options that they give.
for page in README.md docs/*.md; do
    awk '!/^```/ || on { if (/^```$/) on = 0
                         else if (on == "text" && /^(\$ |sgdperf |make |cd |python3 |pip )/)
                             print FILENAME ":" FNR ": a command among text"
                         next }
        { on = substr($1, 4) }
        /^```(c|C|cmake|meson|python|console|console long|text)$/ { next }
        !/^```sh not run: [^ ]/ { print FILENAME ":" FNR ": " $0 }' "$page" > "$folder/blocks"
    [ ! -s "$folder/blocks" ]
    ok $? "blocks that are neither run nor say why not: $(cat "$folder/blocks")"
done
if [ -x "${SGDPERF:=build/sgdperf}" ]; then
    { "$SGDPERF" --options | sed 's/^/,/'
      awk '/^```/ { on = !on && /^```sh/; next }
           on { if (line == "") where = FILENAME ":" FNR
                line = line $0; if (sub(/\\$/, "", line)) next
                print where " " line; line = "" }' README.md docs/*.md; } | awk '
        /^,/ { split($0, part, ","); known[part[2], part[3]] = kind[part[2]] = 1; next }
        match($0, /sgdperf(-mpi)? [a-z]/) {
            words = split(substr($0, RSTART), word, /[ =]+/)
            name = word[2]
            if ((name " " word[3]) in kind) name = name " " word[3]
            if (!(name in kind)) print $1 " no command " name
            for (i = 3; i <= words && word[i] !~ /^(#|\||>)/; i++)
                if (word[i] ~ /^--/ && !((name, word[i]) in known))
                    print $1 " " name " has no " word[i]
        }' > "$folder/options"
    [ ! -s "$folder/options" ]
    ok $? "commands that are not run: $(cat "$folder/options")"
fi

# So many measured throughputs are predicted: of each dataset the rows of the model with most.
awk -F '|' '/^\| [a-z0-9-]+ +\| [a-z-]+ +\| +[0-9]+ / && $4 + 0 > rows[$2] { rows[$2] = $4 + 0 }
    END { for (each in rows) sum += rows[each]; print sum + 0 }' validation/RESULTS.md > "$folder/rows"
grep -q "predicts $(cat "$folder/rows") measured throughputs" README.md
ok $? "README.md: not the $(cat "$folder/rows") predicted rows of validation/RESULTS.md"

# The table of validation/FINDINGS.md by kind of cluster has the rows of RESULTS.md, weighted.
awk -F '|' '
    function bare(text) { gsub(/[` ]/, "", text); return text }
    NR == FNR { if (/^\| [a-z0-9-]+ +\| [a-z-]+ +\| +[0-9]+ /) row[++n] = $0; next }
    /^## / { on = /What is known now/ }
    !on || $3 !~ /^ [a-z]+: `/ { next }
    {
        kinds++
        sets = bare($3); model = substr(sets, 1, index(sets, ":") - 1)
        sets = substr(sets, length(model) + 2)
        gsub(/\*/, ".*", sets); gsub(/,/, "|", sets)
        rows = mean = bias = 0
        for (i = 1; i <= n; i++) {
            split(row[i], cell, "|")
            if (bare(cell[3]) != model || bare(cell[2]) !~ "^(" sets ")$") continue
            rows += cell[4]; mean += cell[4] * cell[5]; bias += cell[4] * cell[9]
        }
        want = rows ? sprintf("%d %.1f %.1f", rows, mean / rows, bias / rows) : "no rows"
        have = sprintf("%d %.1f %.1f", $4, $5, $6)
        if (want != have) { print FILENAME ":" FNR ": " have ", not " want; bad = 1 }
    }
    END { exit bad || kinds < 10 }' validation/RESULTS.md validation/FINDINGS.md >&2
ok $? "validation/FINDINGS.md: its table by kind of cluster is not that of RESULTS.md"

# What to cite is the version of the headers, on the day of the changelog.
version=$(sed -n 's/^#define SGDPERF_VERSION_[MP][A-Z]* //p' sgdperf.h | paste -sd. -)
grep -qxF "version: $version" CITATION.cff &&
    grep -qxF "date-released: $(sh tools/release_date.sh "$version")" CITATION.cff
ok $? "CITATION.cff: not version $version and its day"

# The picture of the README is what the program draws.
if [ -x "$SGDPERF" ]; then
    SGDPERF=$SGDPERF sh plots/curve.sh "$folder/curve.svg" 2> "$folder/said" &&
        cmp -s docs/curve.svg "$folder/curve.svg"
    ok $? "docs/curve.svg is not what the program draws: make picture $(cat "$folder/said")"
fi

# Each picture has a row in docs/advising.md.
if [ -x "$SGDPERF" ]; then
    for picture in $("$SGDPERF" plot - --out p.svg --picture - 2>&1 | sed 's/.*one of//; s/,//g'); do
        grep -q "^| \`$picture\` | " docs/advising.md
        ok $? "docs/advising.md has no row for the picture $picture"
    done
fi

# Code that needs a framework is compiled, not run.
if command -v python3 > "$folder/said"; then
    python3 - $pages > "$folder/said" 2>&1 << 'END'
import re, sys
blocks = 0
for page in sys.argv[1:]:
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        before = text.count("\n", 0, found.start(1))
        compile("\n" * before + found.group(1), page, "exec")
        blocks += 1
sys.exit(blocks < 8)
END
    status=$?
    [ "$status" -eq 0 ] || cat "$folder/said" >&2
    ok "$status" "a block of Python does not compile, or there are fewer than 8"
else
    echo 'skipped: no python3'
fi

# With the declarations that the page uses, as MPI need not be installed.
cat > "$folder/mpi.h" << 'END'
typedef int MPI_Comm, MPI_Datatype, MPI_Op;
enum { MPI_COMM_WORLD, MPI_FLOAT, MPI_SUM };
#define MPI_IN_PLACE ((void *)1)
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype of, MPI_Op op, MPI_Comm comm);
double MPI_Wtime(void);
END
awk '/^```/ { on = 0 } on; /^```C$/ { on = 1 }' docs/from-your-framework.md > "$folder/mpi.c"
grep -q MPI_Wtime "$folder/mpi.c" &&
    ${CC:-cc} -std=c99 -Wall -Wextra -Werror -I"$folder" -fsyntax-only "$folder/mpi.c"
ok $? "docs/from-your-framework.md: the program with MPI does not compile"

# lines LINES COLUMNS PAGE...: at most so many lines (0: any), and columns (a row of a table: 30
# more, as it cannot be wrapped).
lines() {
    most=$1 wide=$2
    shift 2
    for page; do
        awk -v most="$most" -v wide="$wide" '
            { line = $0; gsub(/[\200-\277]/, "", line) }
            length(line) > wide + 30 * /^\|/ { print FILENAME ":" FNR ": " length(line) " columns"; bad = 1 }
            END { if (most && NR > most) { print FILENAME ": " NR " lines"; bad = 1 }; exit bad }
            ' "$page" >&2
        ok $? "$page: longer than $most lines (0: any) or $wide columns"
    done
}
lines 130 100 README.md
lines 0 110 docs/*.md validation/*.md CHANGELOG.md CONTRIBUTING.md SECURITY.md

# A version has headings of Keep a Changelog, and a change is one line.
awk '/^## / { version = 1 } !version || /^## / || /^$/ || /^- [^ ]/ { next }
    /^### (Added|Changed|Deprecated|Removed|Fixed|Security)$/ { next }
    { print FILENAME ":" FNR ": " $0; bad = 1 } END { exit bad }' CHANGELOG.md >&2
ok $? "CHANGELOG.md: neither a heading of Keep a Changelog nor a change of one line"

case ${TEST_FULL:-0} in
    0 | '') how=stored ;;
    *) how=check ;;
esac
SGDPERF=${SGDPERF_OPTIMIZED:-$SGDPERF} sh validation/results.sh "$how" > "$folder/said" 2>&1
status=$?
[ "$status" -eq 0 ] || cat "$folder/said" >&2
ok "$status" "sh validation/results.sh $how"

echo "cli docs: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/sh
# The benchmarks of this tree beside those of REF (default: the newest tag), which is built
# in a git worktree of its own: the programs run in turn, ROUNDS times (default 3), and of
# rows with equal names and sizes the medians are printed, beside the textbook form that
# this tree's row has. BENCH names some of the programs (default: all). The worktree is
# removed in the end, whatever happens.
#
#     BENCH='bench_sim bench_mva' ROUNDS=5 sh bench/against.sh v0.1.0
set -u
cd "$(dirname "$0")/.." || exit 1
fail() { echo "against: $*" >&2; exit 1; }

REF=${1:-${REF:-$(git describe --tags --abbrev=0 2> /dev/null)}}
[ -n "$REF" ] || fail "there is no tag: which commit? sh bench/against.sh REF"
commit=$(git rev-parse --verify --quiet "$REF^{commit}") || fail "'$REF' is no commit"
ROUNDS=${ROUNDS:-3}
case $ROUNDS in *[!0-9]* | 0*) fail "ROUNDS '$ROUNDS' is no count" ;; esac
CC=${CC:-cc}
CFLAGS=${CFLAGS:--O3}
BENCH=${BENCH:-$(for c in bench/bench_*.c; do basename "$c" .c; done)}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/sgdperf-against.XXXXXX") || fail "no temporary folder"
running=
clean() {
    trap - EXIT INT TERM HUP
    [ -z "$running" ] || kill "$running" 2> /dev/null
    git worktree remove --force "$scratch/tree" 2> /dev/null
    rm -rf "$scratch"
    git worktree prune
}
trap clean EXIT
trap 'clean; exit 130' INT TERM HUP

# In the background, so that a signal need not wait for its end.
await() {
    "$@" & running=$!
    wait "$running"
    status=$?
    running=
    return "$status"
}

git worktree add --quiet --detach "$scratch/tree" "$commit" || fail "no worktree of $REF"
mkdir "$scratch/now" "$scratch/ref" || fail "cannot write to $scratch"

# build SIDE TREE: the programs into $scratch/SIDE; notes the compiler's lines.
build() {
    for program in $BENCH; do
        if [ ! -f "$2/bench/$program.c" ]; then
            echo "against: $1 has no $program"
        elif ! await env MAKEFLAGS= make -s -C "$2" CC="$CC" CFLAGS="$CFLAGS" \
                BUILD="$scratch/$1" "$scratch/$1/bench/$program" > "$scratch/log" 2>&1; then
            echo "against: $1: $program does not build: $(sed -n '/error/{p;q;}' "$scratch/log")"
            rm -f "$scratch/$1/bench/$program"
        fi
    done
}
build now .
build ref "$scratch/tree"

round=1
while [ "$round" -le "$ROUNDS" ]; do
    for program in $BENCH; do
        for side in ref now; do
            run=$scratch/$side/bench/$program
            [ -x "$run" ] || continue
            await "$run" "$scratch/$side/$program.$round.csv" > /dev/null ||
                echo "against: $side: $program ended with status $status"
        done
    done
    round=$((round + 1))
done

dirty=$(git status --porcelain --untracked-files=no)
echo "ref: $REF, $(git log -1 --format='%h of %cs' "$commit")"
echo "now: $(git log -1 --format='%h of %cs')${dirty:+ with changes}"
for side in ref now; do
    cat "$scratch/$side"/*.csv 2> /dev/null | sed -n "s/^# /$side: /p" | sort -u
done
echo "medians of $ROUNDS runs in turn"

# A row of the files: what (which may have commas), size, seconds, runs, textbook form, ...
for program in $BENCH; do
    for side in ref now; do
        for csv in "$scratch/$side/$program".*.csv; do
            [ -f "$csv" ] && awk -F, -v side="$side" '
                /^#/ || NF < 8 || $(NF - 5) !~ /^[0-9]/ { next }
                { what = $1; for (i = 2; i <= NF - 7; i++) what = what "," $i
                  row = what "\t" $(NF - 6)
                  print side "\t" row "\t" ++seen[row] "\t" $(NF - 5) "\t" $(NF - 3) \
                        "\t" $(NF - 2) "\t" $(NF - 1) }' "$csv"
        done
    done > "$scratch/rows"
    [ -s "$scratch/rows" ] && awk -F'\t' -v program="$program" '
        function text(s) {
            if (s == "" || s <= 0) return "-"
            return s < 1e-3 ? sprintf("%.3g us", s * 1e6) : \
                   s < 1 ? sprintf("%.3g ms", s * 1e3) : sprintf("%.3g s", s)
        }
        function median(list,   v, n, i, j, x) {
            n = split(list, v, " ")
            for (i = 2; i <= n; i++) {
                x = v[i] + 0
                for (j = i - 1; j > 0 && v[j] + 0 > x; j--) v[j + 1] = v[j]
                v[j + 1] = x
            }
            return n == 0 ? "" : (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2
        }
        function over(a, b) { return a > 0 && b > 0 ? sprintf("%.3gx", a / b) : "-" }
        { row = $2 "\t" $3 "\t" $4 }
        !(row in seen) { seen[row] = 1; rows[++count] = row }
        { all[$1, row] = all[$1, row] " " $5 }
        $1 == "now" { book[row] = book[row] " " $6; each[row] = each[row] " " $7; unit[row] = $8 }
        END {
            printf "\n%-30s %-18s %10s %10s %9s %10s %9s  %s\n", program, "size", "ref", "now",
                   "faster", "textbook", "faster", "now, each"
            for (i = 1; i <= count; i++) {
                row = rows[i]
                split(row, name, "\t")
                ref = median(all["ref", row])
                now = median(all["now", row])
                naive = median(book[row])
                printf "%-30s %-18s %10s %10s %9s %10s %9s  %s\n", name[1], name[2], text(ref),
                       text(now), over(ref, now), text(naive), over(naive, now),
                       now == "" ? "ref alone" : \
                       sprintf("%.3g ns/%s", median(each[row]) * 1e9, unit[row])
            }
        }' "$scratch/rows"
done
exit 0

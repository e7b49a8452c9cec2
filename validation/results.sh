#!/bin/sh
# Writes validation/RESULTS.md, the errors of all models on all datasets, or checks it.
#
#     sh validation/results.sh          writes the file
#     sh validation/results.sh print    prints it
#     sh validation/results.sh stored   status 1 unless the file has a row for each of
#                                       bounds.csv, and the rows in README.md are its rows
#     sh validation/results.sh check    the same, and a fresh run prints the same file
#
# Runs in the root of the repository. The program is $SGDPERF, or sgdperf in $BUILD (build).
set -u
sgdperf=${SGDPERF:-${BUILD:-build}/sgdperf}
file=validation/RESULTS.md
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

# The table by kind of cluster, from what `sgdperf validate --rivals` shows; columns are two blanks
# apart.
print_kinds() {
    cat <<'END'

## By kind of cluster

All measured rows by the default model (`sgdperf validate`, `sgdperf validate --rivals`). All-reduces have
the errors of their time. A measurement may stand in several kinds, as what is known differs.

| column | meaning |
|---|---|
| `too fast` | share of rows that were slower than predicted |
| `in band` | share of rows in the band that `predict` prints |
| `linear` | error of the smallest configuration scaled in proportion, from which ours starts too |
| `Amdahl`, `USL` | of fits to that and to the points that calibrated ours; USL also sees smaller rows |
| `printed` | of the source's own model |

| kind | rows | sources | mean | too fast | in band | linear | Amdahl | USL | printed |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
END
    awk -F '   *' '
        $1 == "kind" { on = 1; next }
        on && / measurements of / { print "\n" $0 "."; exit }
        on && NF > 0 { for (i = 1; i <= 10; i++) printf "| %s ", $i == "-" ? "" : $i; print "|" }
        ' "$1"
}

# The bands, from the CSV of `sgdperf validate --coverage`.
print_bands() {
    cat <<'END'

## Bands

What `sgdperf validate --coverage` prints, in percent: 90 % of the rows of a class lie within `below` and
`above` of their prediction. `covered` is the share of left-out rows, each source's in the band of the other
sources. [validating.md](../docs/validating.md#bands) says what a class is.

| class | rows | sources | below | above | covered |
|---|--:|--:|--:|--:|--:|
END
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["class"] != "layered" {
            printf "| `%s` | %s | %s | %.1f | %.1f | %.1f |\n", $at["class"], $at["rows"],
                $at["sources"], 100 * $at["low"], 100 * $at["high"], 100 * $at["covered"] }' "$1"
}

# The file, from the CSV of `sgdperf validate`, what it says of kinds, and the bands.
print_results() {
    cat <<'END'
# The errors of all models on all datasets

**How far off is each model on each dataset?** `make results` (`sh validation/results.sh`) makes this
file from the output of

```sh
sgdperf validate --bounds validation/bounds.csv --format csv
```

Do not edit it: `sh validation/results.sh check` compares it with a fresh run. [FINDINGS.md](FINDINGS.md)
says what the errors taught. [SOURCES.md](SOURCES.md) says where each dataset comes from and what was
calibrated on which rows.

An error is |predicted - measured| / measured of the throughput, in percent. Rows on which a model was
calibrated are not scored.

| column | meaning |
|---|---|
| `rows` | number of scored rows |
| `mean`, `median`, `max` | of the errors |
| `p95` | 95 % of the rows have less |
| `bias` | mean of (predicted - measured) / measured: negative if a model is too cautious |
| `mean <=`, `max <=` | bounds that `make validate` enforces: rounded up from results, and only ever tightened |

No model is left out. Some datasets chose numbers of our models, so these errors are fits: those of
`interleaved` and `rhythm` on `testbed-async`, those of `staggered`, `simulated-tcp` and
`simulated-chain` on `testbed-async` and `testbed-sync`, and those of `cluster` on `dlperf`,
`nv-one-machine`, `pytorch-ddp` and `horovod`.
END
    print_kinds "$2"
    print_bands "$3"
    printf '\n## By dataset and model\n'
    # awk's %.3g prints what the program's own table does.
    awk -F, '
        function percent(name) { return sprintf("%.3g", 100 * $at[name]) }
        function row(a, b, c, d, e, f, g, h, i, j) {
            printf "| %-18s | %-13s | %4s | %5s | %6s | %5s | %5s | %6s | %7s | %6s |\n",
                a, b, c, d, e, f, g, h, i, j
        }
        NR == 1 {
            for (i = 1; i <= NF; i++) at[$i] = i
            print ""
            row("dataset", "model", "rows", "mean", "median", "p95", "max", "bias", "mean <=",
                "max <=")
            print "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
            next
        }
        { row($at["dataset"], $at["model"], $at["rows"], percent("mean_error"),
              percent("median_error"), percent("p95_error"), percent("max_error"), percent("bias"),
              percent("bound_mean"), percent("bound_max")) }
        ' "$1"
}

# rows_of FILE...: the table rows that begin with a dataset, without what comes after the bias.
rows_of() { sed -n 's/^\(| [a-z][-a-z0-9]*  *|\( [^|]*|\)\{7\}\).*/\1/p' "$@" | tr -s ' '; }

# fresh: the file as it ought to be now.
fresh() {
    "$sgdperf" validate --bounds validation/bounds.csv --format csv > "$folder/csv"
    status=$?
    [ "$status" -le 1 ] || exit "$status"
    "$sgdperf" validate --rivals > "$folder/kinds" 2> "$folder/notes" || exit 2
    "$sgdperf" validate --coverage --format csv > "$folder/bands" 2> "$folder/notes" || exit 2
    print_results "$folder/csv" "$folder/kinds" "$folder/bands" > "$folder/results.md"
}

# fail WHAT
fail() {
    echo "$1" >&2
    exit 1
}

# Do the files that are stored agree with each other?
check_stored() {
    rows_of "$file" | grep -v -e '^| dataset' -e '^| kind' > "$folder/rows"
    rows_of README.md | grep -v '^| dataset' > "$folder/readme"
    sed -n 's/^| \([^ ]*\) | \([^ ]*\) .*/\1,\2/p' "$folder/rows" | sort > "$folder/have"
    grep -v -e '^#' -e '^dataset,' validation/bounds.csv | cut -d, -f1,2 | sort > "$folder/want"
    diff "$folder/want" "$folder/have" || fail "$file: not the rows of bounds.csv"
    [ -s "$folder/readme" ] || fail "README.md: no row of a dataset"
    grep -vxFf "$folder/rows" "$folder/readme" && fail "README.md: not a row of $file"
    echo "results: $(wc -l < "$folder/rows" | tr -d ' ') rows," \
        "$(wc -l < "$folder/readme" | tr -d ' ') of them in README.md"
}

case ${1:-store} in
    store)
        fresh
        cp "$folder/results.md" "$file" ;;
    print)
        fresh
        cat "$folder/results.md" ;;
    stored) check_stored ;;
    check)
        fresh
        diff "$file" "$folder/results.md" || fail "$file: not what is printed now: make results"
        check_stored ;;
    *)
        echo "usage: sh validation/results.sh [store|print|stored|check]" >&2
        exit 2 ;;
esac

#!/bin/sh
# Writes validation/RESULTS.md, the errors of all models on all datasets, or checks it.
#
#     sh validation/results.sh          writes the file
#     sh validation/results.sh print    prints it
#     sh validation/results.sh check    status 1 unless a fresh run prints the same file, and
#                                       each row of a dataset in README.md is one of its rows
#
# Runs in the root of the repository. The program is $SGDPERF, or sgdperf in $BUILD (build).
set -u
sgdperf=${SGDPERF:-${BUILD:-build}/sgdperf}
file=validation/RESULTS.md
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

# The file, from the CSV of `sgdperf validate`.
print_results() {
    cat <<'END'
# The errors of all models on all datasets

Made by `make results` (`sh validation/results.sh`) from what this command prints:

```sh
sgdperf validate --bounds validation/bounds.csv --format csv
```

Do not edit the table: `sh validation/results.sh check` compares them with a fresh run.

An error is |predicted - measured| / measured of the throughput, in percent, over the `rows` rows of
the dataset that are scored; rows that a model was calibrated on are not. `mean`, `median`, `p95`
(95 % of the rows have less) and `max` are of that; `bias` is the mean of (predicted - measured) /
measured: negative where a model is too cautious. `mean <=` and `max <=` are the bounds that
`make validate` enforces. They were set from what was reached, rounded up, and only ever tightened.
No model is left out. [SOURCES.md](SOURCES.md) says where each dataset comes from and what was
calibrated on which rows, [FINDINGS.md](FINDINGS.md) what the errors taught.
END
    # awk's %.3g prints what the program's own table does.
    awk -F, '
        function percent(name) { return sprintf("%.3g", 100 * $at[name]) }
        function row(a, b, c, d, e, f, g, h, i, j) {
            printf "| %-18s | %-13s | %4s | %5s | %6s | %5s | %5s | %7s | %7s | %6s |\n",
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

"$sgdperf" validate --bounds validation/bounds.csv --format csv > "$folder/csv"
status=$?
[ "$status" -le 1 ] || exit "$status"
print_results "$folder/csv" > "$folder/results.md"

case ${1:-store} in
    store) cp "$folder/results.md" "$file" ;;
    print) cat "$folder/results.md" ;;
    check)
        diff "$file" "$folder/results.md" || { echo "$file: run make results" >&2; exit 1; }
        rows_of "$file" | grep -v '^| dataset' > "$folder/rows"
        rows_of README.md | grep -v '^| dataset' > "$folder/readme"
        grep -vxFf "$folder/rows" "$folder/readme" > "$folder/wrong"
        [ -s "$folder/readme" ] || { echo "README.md: no row of a dataset" >&2; exit 1; }
        if [ -s "$folder/wrong" ]; then
            sed 's/^/README.md: not in RESULTS.md: /' "$folder/wrong" >&2
            exit 1
        fi
        echo "results: $(wc -l < "$folder/rows" | tr -d ' ') rows as stored," \
            "$(wc -l < "$folder/readme" | tr -d ' ') of them in README.md" ;;
    *)
        echo "usage: sh validation/results.sh [store|print|check]" >&2
        exit 2 ;;
esac

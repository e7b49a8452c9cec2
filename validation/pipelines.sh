#!/bin/sh
# Iteration times of pipelines, predicted from rows without a pipeline: vTrain's GPT shapes on
# one machine. See FINDINGS.md.
#
#     sh validation/pipelines.sh           after `make`: all 720 rows
#     sh validation/pipelines.sh left-out  networks of 16 and 20 layers, from those of 12 and 24
#
# For each hidden size, micro-batch and tensor group the rows of two copies without a pipeline
# give four numbers: a micro-batch takes a layers + c, and what comes once a step takes
# e layers + d. Stages have equal numbers of layers, and the last one also has c; d is left
# out. `equal`: c is spread over all layers, too.
#
# The program is $SGDPERF, or sgdperf in $BUILD (build). Exit status 1 if the mean error is
# above 2.5 % or the largest above 15 %.
set -eu
data=$(dirname "$0")/pipelines/vtrain_one_node.csv
program=${SGDPERF:-${BUILD:-build}/sgdperf}
case ${1:-all}:$# in
    all:0) left='' ;;
    left-out:1) left='16 20' ;;
    *)
        echo "usage: pipelines.sh [left-out]" >&2
        exit 2
        ;;
esac
if ! command -v "$program" > /dev/null; then
    echo "pipelines.sh: $program is not there: make builds it" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# One line a pipeline: tensor layers pipeline a c e micro-batches iteration_ms, the last two
# lists in the same order.
awk -F, -v left="$left" '
    # The line of least squares through n points: intercept and slope.
    function fit(x, y, n,    i, mx, my, sxy, sxx) {
        mx = my = sxy = sxx = 0
        for (i = 1; i <= n; i++) { mx += x[i] / n; my += y[i] / n }
        for (i = 1; i <= n; i++) {
            sxy += (x[i] - mx) * (y[i] - my)
            sxx += (x[i] - mx) * (x[i] - mx)
        }
        slope = sxx > 0 ? sxy / sxx : my / mx
        start = my - slope * mx
    }
    /^#|^gpus/ { next }
    {
        shape = $4 "," $3 "," $8
        m = $2 / $3 / $9
        is_left = left != "" && index(" " left " ", " " $6 " ") > 0
        if ($10 == 1) {
            if (is_left) next
            k = shape "," $6
            if (!(k in points)) depths[shape] = depths[shape] " " $6
            points[k]++
            xs[k, points[k]] = m
            ys[k, points[k]] = $11
            next
        }
        if (left != "" && !is_left) next
        k = shape "," $6 "," $10 "," $9
        if (!(k in ms)) order[++cases] = k
        ms[k] = ms[k] (ms[k] == "" ? "" : ",") m
        times[k] = times[k] (times[k] == "" ? "" : ",") $11
    }
    END {
        for (shape in depths) {
            n = split(depths[shape], depth, " ")
            for (i = 1; i <= n; i++) {
                k = shape "," depth[i]
                for (j = 1; j <= points[k]; j++) { x[j] = xs[k, j]; y[j] = ys[k, j] }
                fit(x, y, points[k])
                each[i] = slope
                once[i] = start
            }
            fit(depth, each, n)
            a[shape] = slope
            c[shape] = start
            fit(depth, once, n)
            e[shape] = slope
        }
        for (i = 1; i <= cases; i++) {
            split(order[i], of, ",")
            shape = of[1] "," of[2] "," of[3]
            print of[3], of[4], of[5], a[shape], c[shape], e[shape], ms[order[i]], times[order[i]]
        }
    }' OFMT=%.17g CONVFMT=%.17g "$data" > "$folder/cases"

# layers TENSOR LAYERS A C E IS-EQUAL: a table of layers; IS-EQUAL: without a row for c.
layers() {
    awk -v tensor="$1" -v n="$2" -v a="$3" -v c="$4" -v e="$5" -v equal="$6" 'BEGIN {
        print "layer,bytes,forward_s,backward_s,update_s,group"
        if (equal) a += c / n
        for (i = 1; i <= n; i++)
            printf "t%d,0,%.17g,%.17g,%.17g,%d\n", i, a / 3e3, a / 1.5e3, e / 1e3, tensor
        if (!equal) printf "head,0,%.17g,%.17g,0,%d\n", c / 3e3, c / 1.5e3, tensor
    }'
}

# shares LAYERS PIPELINE IS-EQUAL: numbers of layers of the stages.
shares() {
    awk -v n="$1" -v P="$2" -v equal="$3" 'BEGIN {
        for (i = 1; i < P; i++) printf "%d,", n / P
        print n / P + !equal }'
}

while read -r tensor n pipeline a c e ms times; do
    for equal in 0 1; do
        layers "$tensor" "$n" "$a" "$c" "$e" "$equal" > "$folder/layers.csv"
        "$program" predict --mode allreduce --layers "$folder/layers.csv" \
            --pipeline "$pipeline" --workers "$((tensor * pipeline))" --accumulate "$ms" \
            --stages "$(shares "$n" "$pipeline" "$equal")" --format csv 2> "$folder/notes" |
            awk -F, -v equal="$equal" -v times="$times" '
                NR == 1 { for (i = 1; i <= NF; i++) if ($i == "step_s") at = i; next }
                NR == 2 { split(times, time, ",") }
                { print equal, 1e3 * $at / time[NR - 1] - 1 }'
    done
done < "$folder/cases" > "$folder/errors"

awk '{ e = $2 < 0 ? -$2 : $2; n[$1]++; sum[$1] += e; if (e > most[$1]) most[$1] = e }
    END {
        print "stages    rows  mean_pct  max_pct"
        for (i = 0; i < 2; i++)
            printf "%-8s  %4d  %8.2f  %7.2f\n", i ? "equal" : "head", n[i],
                100 * sum[i] / n[i], 100 * most[i]
        exit !(n[0] > 0 && sum[0] / n[0] <= 0.025 && most[0] <= 0.15)
    }' "$folder/errors"

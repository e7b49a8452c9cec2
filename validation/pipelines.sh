#!/bin/sh
# Iteration times of pipelines, predicted from rows without a pipeline: vTrain's GPT shapes on
# one machine. See FINDINGS.md.
#
#     sh validation/pipelines.sh           after `make`: all 720 rows
#     sh validation/pipelines.sh left-out  networks of 16 and 20 layers, from those of 12 and 24
#     sh validation/pipelines.sh measured  64 to 512 accelerators, and SimuMax' micro-batches
#
# For each hidden size, micro-batch and tensor group the rows of two copies without a pipeline
# give four numbers: a micro-batch takes a layers + c, and what comes once a step takes
# e layers + d. Stages have equal numbers of layers, and the last one also has c; d is left
# out. `equal`: c is spread over all layers, too.
#
# `measured`: vTrain's rows of many machines, each from the row of its network, tensor group and
# micro-batch with the shallowest pipeline, which gives one number, the time of a layer. `equal`: all
# layers alike; `head`: the head takes as long as its multiplications in layers. Then steps of 32
# micro-batches from those of 4 and 8, by a line, beside SimuMax' own predictions.
#
# The program is $SGDPERF, or sgdperf in $BUILD (build). Exit status 1 if the mean error is
# above 2.5 % or the largest above 15 %; of `measured`, if the means are above 6 and 2.5 %.
set -eu
here=$(dirname "$0")
data=$here/pipelines/vtrain_one_node.csv
program=${SGDPERF:-${BUILD:-build}/sgdperf}
case ${1:-all}:$# in
    all:0 | measured:1) left='' ;;
    left-out:1) left='16 20' ;;
    *)
        echo "usage: pipelines.sh [left-out|measured]" >&2
        exit 2
        ;;
esac
if ! command -v "$program" > /dev/null; then
    echo "pipelines.sh: $program is not there: make builds it" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# units TENSOR LAYERS PIPELINE MICRO-BATCHES HEAD: the step whose layers take 3 s each.
units() {
    awk -v n="$2" -v head="$5" -v tensor="$1" 'BEGIN {
        print "layer,bytes,forward_s,backward_s,update_s,group"
        for (i = 1; i <= n; i++) printf "t%d,0,1,2,0,%d\n", i, tensor
        if (head > 0) printf "head,0,%.17g,%.17g,0,%d\n", head, 2 * head, tensor }' \
        > "$folder/layers.csv"
    "$program" predict --mode allreduce --layers "$folder/layers.csv" --pipeline "$3" \
        --workers "$(($1 * $3))" --accumulate "$4" --format csv \
        --stages "$(awk -v n="$2" -v P="$3" -v head="$5" 'BEGIN {
            for (i = 1; i < P; i++) printf "%d,", n / P
            print n / P + (head > 0) }')" 2> "$folder/notes" |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["step_s"] }'
}

# errors KIND: of each row whose group has a row with a shallower pipeline.
errors() {
    while read -r group tensor n pipeline m head time; do
        [ "$1" = head ] || head=0
        echo "$group" "$pipeline" "$(units "$tensor" "$n" "$pipeline" "$m" "$head")" "$time"
    done < "$folder/rows" | awk '
        $1 != group { group = $1; shallow = $2; scale = $4 / $3; next }
        $2 > shallow { print scale * $3 / $4 - 1 }'
}

# table SOURCE: lines "name error" in a row each.
table() {
    awk -v source="$1" '{ e = $2 < 0 ? -$2 : $2; n[$1]++; sum[$1] += e
            if (e > most[$1]) most[$1] = e }
        END { for (k in n) printf "%-14s  %-8s  %4d  %8.2f  %7.2f\n", source, k, n[k],
            100 * sum[k] / n[k], 100 * most[k] }' | sort -k 2
}

measured() {
    awk -F, '/^#|^param/ { next }
        { printf "%s/%d/%d %d %d %d %d %.9g %s\n", $1, $9, $4, $9, $7, $11, $3 / $4 / $10,
            2 * 51200 / (24 * $5 + 4 * $8), $12 }' "$here/pipelines/vtrain_machines.csv" |
        sort -k 1,1 -k 4,4n > "$folder/rows"
    echo 'source          stages    rows  mean_pct  max_pct'
    for kind in equal head; do errors $kind | sed "s/^/$kind /"; done | table vtrain
    awk -F, 'NR == FNR && /^#/ || /^#/ { next }
        !named { for (i = 1; i <= NF; i++) at[$i] = i; named = 1; next }
        { t[$at["curve"], $at["accumulate"]] = 1 / $at["batches_per_s"]
          rival[$at["curve"], $at["accumulate"]] = 1 / $at["rival_batches_per_s"]
          curve[$at["curve"]] }
        END { for (k in curve) if ((k, 8) in t && (k, 32) in t) {
            print "line", (t[k, 8] + 6 * (t[k, 8] - t[k, 4])) / t[k, 32] - 1
            print "simumax", rival[k, 32] / t[k, 32] - 1 } }' \
        "$here/datasets/simumax_b200.csv" | table simumax
}

if [ "${1:-}" = measured ]; then
    measured > "$folder/table"
    cat "$folder/table"
    awk '$2 == "equal" && $4 <= 6 { good++ } $2 == "line" && $4 <= 2.5 { good++ }
        END { exit good != 2 }' "$folder/table"
    exit
fi

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

#!/bin/sh
# Balanced batches against other coordination schemes: Figs. 6a, 8, 9 and Table 3 of [CWWLL20]
# as tables, all from `sgdperf balance`. See SOURCES.md, section Balancing.
#
#     sh validation/balancing.sh               after `make`: all tables, half a minute
#     sh validation/balancing.sh PART [csv]
#     sh validation/balancing.sh check         expected times and orders; 1 if one fails
#
# fig6a   cluster A, 16 workers of four kinds: time of an update under each scheme
# fig8    four workers of cluster A, one of which has less bandwidth from iteration 151 on:
#         batches and times; csv: of every iteration
# fig9    cluster B, 32 workers beside tasks, and two spare ones: time of an iteration
# table3  predictors: their errors, and iterations balanced by them, on cluster B
#
# LB-BSP predicts by NARX as published, the network alone; NAME+line is a network with a line
# beside it, as `sgdperf balance` has it by default. Tasks of cluster B change, so that one
# stays 65 iterations in the mean, or stay for good (--task-length 1000000).
#
# SEEDS are those of clusters B ["0 100 200"], ITERATIONS those that count [1000]; SGDPERF names
# the program [build/sgdperf].
set -eu
here=$(dirname "$0")
program=${SGDPERF:-build/sgdperf}
seeds=${SEEDS:-0 100 200}
iterations=${ITERATIONS:-1000}
parts="fig6a fig8 fig9 table3"
part=${1:-all}
usage() {
    echo "usage: balancing.sh [$(echo $parts | tr ' ' '|') [csv] | check]" >&2
    exit 2
}
if ! command -v "$program" > /dev/null; then
    echo "balancing.sh: $program is not there: make builds it" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run COLUMNS WHAT CLUSTER OPTION...: these columns, behind WHAT, a row for each scheme.
run() {
    columns=$1 what=$2
    shift 2
    "$program" balance run "$@" --iterations "$iterations" --format csv > "$folder/run.csv"
    awk -F, -v columns="$columns" -v what="$what" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(columns, name, ","); next }
        { line = what
          for (i = 1; i <= n; i++) line = line (line == "" ? "" : ",") $at[name[i]]
          print line }' "$folder/run.csv"
}

# ---- Cluster A ---------------------------------------------------------------------

# Rows of lbbsp: with the published rule as it is when workers wait for its decision, and when
# they do not; and with what is advised. Steady: behind 200 iterations.
cluster_a() { # FILE WORKERS
    run scheme,per_update_s,reduction "$2" "$1" --scheme bsp,asp,ssp --warmup 200
    for way in "lbbsp --warmup 200" "lbbsp-waited-for --warmup 200 --blocking" \
        "lbbsp-advised --warmup 200 --rule advised" "lbbsp-waited-for-from-start --blocking"
    do
        run per_update_s,reduction "$2,${way%% *}" "$1" --scheme lbbsp ${way#* }
    done
}

fig6a_csv() {
    echo workers,scheme,per_update_s,reduction
    cluster_a "$here/clusters/a.csv" 16
    grep -v V100 "$here/clusters/a.csv" > "$folder/slow.csv"
    cluster_a "$folder/slow.csv" 12
}

fig8_csv() {
    grep -v '^#' "$here/clusters/a.csv" | cut -d, -f1,5-8 > "$folder/curves.csv"
    "$program" balance gpu --curves "$folder/curves.csv" --start 32 --iterations 300 \
        --change 150:M60:communication_s=0.4 --format csv "$@"
}

# ---- Cluster B ---------------------------------------------------------------------

# Ways to run cluster B: tasks change or stay; a row of a series is an iteration, or lasts so
# long; and what FlexRR pays for moving samples. What costs nothing is shown, but nothing is
# expected of it.
ways="change:iteration:0 change:iteration:100ms change:20s:0 change:20s:20ms
      stay:iteration:0 stay:iteration:20ms stay:iteration:100ms"

length() { case $1 in stay) echo 1000000 ;; *) echo 65 ;; esac; }

# Predictors learn from 500 iterations; so nothing before 510 counts.
run_b() { # COLUMNS WHAT TASKS SEED OPTION...
    columns_b=$1 what_b=$2 tasks_b=$3 seed_b=$4
    shift 4
    run "$columns_b" "$what_b" "$here/clusters/b.csv" --warmup 510 --seed "$seed_b" \
        --task-length $(length "$tasks_b") "$@"
}

fig9_csv() {
    echo tasks,row,migrate,seed,scheme,iteration_s,reduction
    for way in $ways; do
        row=${way#*:} tasks=${way%%:*}
        migrate=${row#*:} row=${row%:*}
        for seed in $seeds; do
            all="$tasks $seed --row $(echo $row | sed s/iteration/0/) --predictor narx"
            run_b scheme,iteration_s,reduction $tasks,$row,$migrate,$seed $all --no-line \
                --migrate $migrate
            run_b iteration_s,reduction $tasks,$row,$migrate,$seed,lbbsp+line $all \
                --scheme lbbsp
        done
    done
}

table3_csv() {
    echo tasks,seed,predictor,rmse,iteration_s,reduction
    for tasks in change stay; do
        for way in memoryless ema arima "rnn --no-line" "lstm --no-line" "narx --no-line" \
            "rnn+line" "lstm+line" "narx+line" arx
        do
            name=${way%% *}
            for seed in $seeds; do
                run_b prediction_rmse,iteration_s,reduction $tasks,$seed,$name $tasks $seed \
                    --scheme lbbsp --predictor $(echo "$way" | sed 's/+line//')
            done
        done
    done
}

# ---- The same for readers ----------------------------------------------------------

fig6a_text() {
    echo "Cluster A: seconds an update, and reduction against BSP"
    echo "workers  scheme                       per_update_s  reduction  [CWWLL20]"
    awk -F, '
        NR > 1 {
            if ($2 == "asp") asp = $3
            paper = ""
            if ($2 == "lbbsp-waited-for") {
                if ($1 == 16)
                    paper = sprintf("15 %% below ASP, here %.1f; ", 100 * (1 - $3 / asp))
                paper = paper "reduction with ResNet-32 0." ($1 == 16 ? 37 : 28)
            }
            printf "%7d  %-27s  %12.4f  %9.3f%s%s\n", $1, $2, $3, $4 + 0,
                   paper == "" ? "" : "  ", paper
        }' "$folder/fig6a.csv"
}

fig8_text() {
    echo "Four workers of cluster A, M60 with 0.4 s of communication from iteration 151 on"
    echo "iteration          V100          M60          K80         K520  longest"
    awk -F, '
        NR == 1 { next }
        $1 != last { if (last) show(); last = $1; line = ""; most = 0 }
        { line = line sprintf("  %3d %5.3f s", $3, $4); key = key "," $3; if ($4 > most) most = $4 }
        function show() {
            if (key != old || last == 1 || last == 151)
                printf "%9d  %s  %5.3f s\n", last, line, most
            old = key
            key = ""
        }
        END { show() }' "$folder/fig8.csv" | head -n "${ROWS:-40}"
    echo "and so on, a cycle of two; the best batches then:"
    "$program" balance gpu --curves "$folder/curves.csv" --start 32 --iterations 300 \
        --change 150:M60:communication_s=0.4 --rule advised
}

fig9_text() {
    echo "Cluster B: seconds an iteration, and normalised by BSP; mean of seeds $seeds"
    awk -F, '
        NR > 1 {
            way = "tasks " $1 ", a speed lasts " ($2 == "iteration" ? "one iteration" : $2) \
                  ", moving samples " ($3 == "0" ? "is free" : "takes " $3)
            if (!(way in seen)) { seen[way] = 1; list[++ways] = way }
            sum[way, $5] += $6
            part[way, $5] += 1 - $7
            n[way, $5]++
        }
        END {
            count = split("bsp ssp redundant flexrr asp lbbsp lbbsp+line", scheme, " ")
            paper["lbbsp"] = "0.42 (ResNet-32), 0.38 (SVM)"
            paper["flexrr"] = "second best; LB-BSP up to 38.7 % below it, here "
            paper["ssp"] = paper["redundant"] = "marginally below 1"
            for (k = 1; k <= ways; k++) {
                way = list[k]
                print "\n" way "\nscheme      iteration_s  normalised  [CWWLL20]"
                for (i = 1; i <= count; i++) {
                    s = scheme[i]
                    note = paper[s]
                    if (s == "flexrr")
                        note = note sprintf("%.1f", 100 * (1 - sum[way, "lbbsp"] / sum[way, s]))
                    line = sprintf("%-10s  %11.3f  %10.3f  %s", s, sum[way, s] / n[way, s],
                                   part[way, s] / n[way, s], note)
                    sub(/ +$/, "", line)
                    print line
                }
            }
        }' "$folder/fig9.csv"
}

table3_text() {
    cat << END
Predictors on cluster B whose tasks change, or stay; mean of seeds $seeds
             error, samples/s          iteration, normalised by BSP
predictor    change   stay  [CWWLL20]  change   stay  [CWWLL20]
END
    awk -F, '
        BEGIN {
            split("11.85 7.85 9.67 8.34 9.19 4.78", rmse, " ")
            split("0.58 0.48 0.52 0.49 0.51 0.42", time, " ")
        }
        NR > 1 {
            if (!($3 in seen)) { seen[$3] = 1; name[++count] = $3 }
            error[$1, $3] += $4; part[$1, $3] += 1 - $6; n[$1, $3]++
        }
        function mean_of(sum, tasks, p) { return sum[tasks, p] / n[tasks, p] }
        END {
            for (i = 1; i <= count; i++) {
                p = name[i]
                if (i == 7) print "ours: a line beside the networks, or alone"
                line = sprintf("%-11s  %6.2f  %5.2f  %9s  %6.3f  %5.3f  %9s", p,
                    mean_of(error, "change", p), mean_of(error, "stay", p), rmse[i],
                    mean_of(part, "change", p), mean_of(part, "stay", p), time[i])
                sub(/ +$/, "", line)
                print line
            }
        }' "$folder/table3.csv"
}

# ---- Expected ----------------------------------------------------------------------

# check_a WORKERS SCHEME COLUMN EXPECTED TOLERANCE
check_a() {
    awk -F, -v workers="$1" -v scheme="$2" -v column="$3" -v want="$4" -v tolerance="$5" '
        $1 == workers && $2 == scheme {
            error = $column / want - 1
            yes = error <= tolerance && error >= -tolerance
            printf "A, %d workers  %-17s  %-12s  %.4f, expected %s within %g %%: %s\n", workers,
                   scheme, column == 3 ? "per_update_s" : "reduction", $column, want,
                   100 * tolerance, yes ? "yes" : "NO"
        }' "$folder/fig6a.csv"
}

check() {
    fig6a_csv > "$folder/fig6a.csv"
    fig9_csv > "$folder/fig9.csv"
    table3_csv > "$folder/table3.csv"
    {
        check_a 16 bsp 3 0.1975 0.01
        check_a 16 asp 3 0.0843 0.01
        check_a 16 ssp 3 0.1975 0.01
        check_a 16 lbbsp-waited-for 3 0.0725 0.01
        check_a 16 lbbsp-advised 3 0.0725 0.01
        check_a 16 lbbsp-advised 4 0.63 0.01
        check_a 12 lbbsp-advised 4 0.36 0.01
        awk -F, '
            function less(title, x, name_x, y, name_y) {
                printf "B, %-40s  %-10s %6.3f < %-10s %6.3f: %s\n", title, name_x, x, name_y, y,
                       x < y ? "yes" : "NO"
            }
            FNR == 1 { file++; next }
            file == 1 && $3 != "0" && $1 $3 != "stay20ms" {
                way = "tasks " $1 ", " $2 ", " $3 ", seed " $4
                if (!(way in seen)) list[++ways] = way
                seen[way] = 1
                stay[way] = $1 == "stay"
                time_s[way, $5] = $6
            }
            file == 2 && $1 == "stay" { error[$3] += $4; part[$3] += 1 - $6; n[$3]++ }
            END {
                # While tasks change, the network alone is off where it has seen little.
                orders = split("flexrr<ssp ssp<bsp redundant<bsp lbbsp<flexrr", order, " ")
                for (k = 1; k <= ways; k++) for (o = 1; o <= orders; o++) {
                    if (o == 4 && !stay[list[k]]) order[o] = "lbbsp+line<flexrr"
                    split(order[o], side, "<")
                    less(list[k], time_s[list[k], side[1]], side[1], time_s[list[k], side[2]],
                         side[2])
                    order[4] = "lbbsp<flexrr"
                }
                orders = split("narx<rnn narx<lstm ema<arima rnn<arima lstm<arima arima<memoryless",
                               order, " ")
                for (o = 1; o <= orders; o++) {
                    split(order[o], side, "<")
                    less("tasks stay, Table 3, error", error[side[1]] / n[side[1]], side[1],
                         error[side[2]] / n[side[2]], side[2])
                    less("tasks stay, Table 3, time", part[side[1]] / n[side[1]], side[1],
                         part[side[2]] / n[side[2]], side[2])
                }
            }' "$folder/fig9.csv" "$folder/table3.csv"
    } > "$folder/lines"
    cat "$folder/lines"
    awk -v seeds="$(echo $seeds | wc -w)" '
        /yes$/ { yes++ }
        END { printf "\n%d of %d hold\n", yes, NR; exit !(NR == 19 + 12 * seeds && yes == NR) }' \
        "$folder/lines"
}

show() {
    "$1_csv" > "$folder/$1.csv"
    "$1_text"
}

case $part:$#:${2:-} in
    all:0: | all:1:)
        for each in $parts; do
            [ $each = fig6a ] || echo
            show $each
        done
        ;;
    check:1:) check ;;
    *)
        case " $parts " in *" $part "*) ;; *) usage ;; esac
        case $#:${2:-} in
            1:) show "$part" ;;
            2:csv) "${part}_csv" ;;
            *) usage ;;
        esac
        ;;
esac

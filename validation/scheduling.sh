#!/bin/sh
# Mean response times on a cluster of 100 nodes: Figs. 1, 12, 13 and 14 of [LPCG18] as
# tables, all from `sgdperf cluster`. See SOURCES.md, section Scheduling.
#
#     sh validation/scheduling.sh                    after `make`: all tables, a minute or two
#     JOBS=400000 sh validation/scheduling.sh        the long version
#     sh validation/scheduling.sh PART [csv]
#     sh validation/scheduling.sh check              expected means and orders; 1 if one fails
#     JOBS=400000 sh validation/scheduling.sh store [FOLDER]
#
# fig1              AlexNet jobs, one node a parameter server as the text has it, or none
# fig12a, fig12b    malleable jobs, four networks or the two large ones
# fig13a, fig13b    moldable jobs, the same
# fig14             early termination: mean time until tenths of a job are done
# fig14cdf          distributions of the times until 40 % of a job and all of it are done
# fig14times        the same by network: mean, median, 95th percentile, maximum
# store             all parts as csv into FOLDER [validation/scheduling]
#
# JOBS are the departures that count in a run [40000; check 400000], LOADS replaces the loads, as
# 0.3,0.5 or 0.1:0.9:0.1, GAMMAS the weights of Fig. 14; SGDPERF names the program
# [build/sgdperf].
set -eu
here=$(dirname "$0")
program=${SGDPERF:-build/sgdperf}
figures="fig1 fig12a fig12b fig13a fig13b fig14 fig14cdf fig14times"
part=${1:-all}
usage() {
    echo "usage: scheduling.sh [$(echo $figures | tr ' ' '|') [csv] | check | store [FOLDER]]" >&2
    exit 2
}
case $part in check) jobs=${JOBS:-400000} ;; *) jobs=${JOBS:-40000} ;; esac
if ! command -v "$program" > /dev/null; then
    echo "scheduling.sh: $program is not there: make builds it" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# cluster ARGUMENT...: a run of $jobs jobs; status 3 says that one did not converge.
cluster() {
    "$program" cluster --nodes 100 --min-jobs "$jobs" --max-jobs "$jobs" "$@" ||
        [ $? -eq 3 ]
}

# sweep LOADS POLICIES SUFFIX OPTION...: rows of the tables, without their header. A queue
# that grows for ever has no mean.
sweep() {
    sweep_loads=$1
    policies=$2
    suffix=$3
    shift 3
    cluster --sweep "$sweep_loads" --policies "$policies" "$@" --format csv > "$folder/sweep"
    awk -F, -v suffix="$suffix" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { mean = half = ""
          if ($at["status"] != "unstable") {
              mean = sprintf("%.6g", $at["mean_response_s"] / 86400)
              half = sprintf("%.3g", $at["ci95_half_width_s"] / 86400) }
          printf "%g,%s%s,%s,%s,%s,%s,%s,%.4f\n", $at["load"], $at["policy"], suffix,
                 $at["chunk"], $at["status"], $at["jobs"], mean, half, $at["utilization"] }
    ' "$folder/sweep"
}
columns=load,policy,chunk,status,jobs,mean_response_d,half_width_d,utilization

# ---- The figures, as csv -----------------------------------------------------------

malleable() {
    echo $columns
    sweep "$loads" hell,knee +fill --workload "$1" --fill
    sweep "$loads" hell,knee "" --workload "$1"
    sweep "$loads" waterfill,equal,srpt,jsq "" --workload "$1"
}

moldable() {
    echo $columns
    sweep "$loads" moldable-hell,moldable-knee,jsq "" --workload "$1"
}

# The search of jsq ends at chunks of 7; alone, smaller ones carry more load.
fig1_csv() {
    echo ps_nodes,$columns
    for ps_nodes in 1 0; do
        apart=
        [ $ps_nodes = 1 ] || apart=--no-ps-nodes
        { sweep "$loads" hell "" --workload alexnet $apart
          sweep "$loads" hell +fill --workload alexnet $apart --fill
          sweep "$loads" jsq "" --workload alexnet $apart
          for chunk in 1 2 3 4 5 6; do
              sweep "$loads" jsq -small --workload alexnet $apart --chunk $chunk
          done; } > "$folder/rows"
        awk -F, -v ps_nodes=$ps_nodes '
            { $0 = ps_nodes "," $0 }
            $3 != "jsq-small" { print; next }
            { if (!($2 in row)) order[++n] = $2
              if (!($2 in row) || $7 != "" && (best[$2] == "" || $7 + 0 < best[$2])) {
                  row[$2] = $0
                  best[$2] = $7 == "" ? "" : $7 + 0
              } }
            END { for (i = 1; i <= n; i++) print row[order[i]] }' "$folder/rows"
    done
}
fig12a_csv() { malleable four; }
fig12b_csv() { malleable large; }
fig13a_csv() { moldable four; }
fig13b_csv() { moldable large; }

# Mean hours until a part of a job is done, over five runs, from their differences an
# interval (Student's t); part 1 is the response time. An empty cluster takes long to fill.
fig14_csv() {
    echo load,gamma,fraction,mean_h,half_width_h
    for gamma in $gammas; do
        for seed in 1 2 3 4 5; do
            cluster --load "$loads" --fill --gamma "$gamma" --seed $seed \
                --warmup-jobs $((jobs / 10 + 1)) --format json
        done > "$folder/runs"
        grep -oE '"mean_response_s":[^,]*|"0\.[0-9]":[^,}]*' "$folder/runs" |
            awk -F: -v load="$loads" -v gamma="$gamma" '
            { gsub(/"/, "", $1)
              part = $1 == "mean_response_s" ? 1 : $1
              sum[part] += $2 / 3600
              squares[part] += ($2 / 3600) ^ 2
              runs[part]++ }
            END { for (i = 1; i <= 10; i++) {
                      part = i < 10 ? "0." i : 1
                      n = runs[part]
                      if (n != 5) { print "fig14: a part without a mean" > "/dev/stderr"; exit 1 }
                      mean = sum[part] / n
                      variance = (squares[part] - n * mean ^ 2) / (n - 1)
                      printf "%g,%g,%g,%.6g,%.3g\n", load, gamma, part, mean,
                             2.776 * sqrt(variance > 0 ? variance / n : 0) } }'
    done
}

fig14cdf_csv() {
    echo load,gamma,fraction,probability,time_h,half_width_h
    for gamma in $gammas; do
        cluster --load "$loads" --fill --gamma "$gamma" --fractions 0.4,1 --cdf --format csv \
            > "$folder/runs"
        awk -F, '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { printf "%g,%g,%g,%g,%.6g,%.3g\n", $at["load"], $at["gamma"], $at["fraction"],
                     $at["probability"], $at["time_s"] / 3600, $at["ci95_half_width_s"] / 3600 }
        ' "$folder/runs"
    done
}

# The same hours by network (all: of all jobs), and what lies between.
fig14times_csv() {
    echo load,gamma,network,fraction,jobs,mean_h,half_width_h,median_h,p95_h,max_h
    cluster --load "$loads" --fill --gamma "$(echo $gammas | tr ' ' ,)" --fractions 0.4,1 \
        --by-curve --format csv > "$folder/runs"
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { curve = $at["curve"] == "" ? "all" : $at["curve"]
          printf "%g,%g,%s,%g,%s,%.6g,%.3g,%.6g,%.6g,%.6g\n", $at["load"], $at["gamma"], curve,
                 $at["fraction"], $at["jobs"], $at["mean_time_s"] / 3600,
                 $at["ci95_half_width_s"] / 3600, $at["median_time_s"] / 3600,
                 $at["p95_time_s"] / 3600, $at["max_time_s"] / 3600 }' "$folder/runs"
}

# make_csv FIGURE: with the command that prints it on top.
make_csv() {
    case $1 in
        fig1) loads=${LOADS:-0.1,0.2,0.3,0.4,0.5,0.55,0.6,0.66} ;;
        fig14*) loads=${LOADS:-0.68} ;;
        *) loads=${LOADS:-0.1:0.9:0.1} ;;
    esac
    gammas=${GAMMAS:-0 0.5 1 1.01 1.05 1.1}
    printf '# %s%sJOBS=%s sh validation/scheduling.sh %s csv\n' \
        "${LOADS:+LOADS=$LOADS }" "${GAMMAS:+GAMMAS='$GAMMAS' }" "$jobs" "$1"
    "$1_csv"
}

# ---- The same for readers ----------------------------------------------------------

title() {
    case $1 in
        fig1) echo "AlexNet jobs" ;;
        fig12a) echo "Malleable jobs, four networks" ;;
        fig12b) echo "Malleable jobs, the two large networks" ;;
        fig13a) echo "Moldable jobs, four networks" ;;
        fig13b) echo "Moldable jobs, the two large networks" ;;
    esac
}

# Means with half-widths below their policies, a block for each ps_nodes.
table() {
    awk -F, -v title="$(title "$1")" '
        function cell(key) {
            if (!(key in mean)) return "-"
            if (mean[key] == "") return status[key]
            return sprintf("%.2f (%.2g)%s", mean[key], half[key],
                           status[key] == "converged" ? "" : "*")
        }
        function block(   i, j) {
            print (blocks++ ? "\n" : "") title note ": mean response, days (95 % half-width; * above 5 %)"
            printf "load"
            for (j = 1; j <= policies; j++) printf "  %15s", policy[j]
            print "  chunks"
            for (i = 1; i <= loads; i++) {
                printf "%4g", load[i]
                for (j = 1; j <= policies; j++) printf "  %15s", cell(load[i] "," policy[j])
                printf "  %s\n", chunks[load[i]]
            }
        }
        /^#/ || /load,policy/ { next }
        { if (NF == 9) { ps = $1; sub(/^[^,]*,/, "") } else ps = ""
          if (started && ps != last) {
              block()
              split("", mean); split("", chunks); split("", seen); loads = policies = 0
          }
          started = 1
          last = ps
          if (ps != "") note = ps == 1 ? ", one node a parameter server" : ", workers alone"
          if (!(("load", $1) in seen)) { seen["load", $1] = 1; load[++loads] = $1 }
          if (!(("policy", $2) in seen)) { seen["policy", $2] = 1; policy[++policies] = $2 }
          key = $1 "," $2
          mean[key] = $6; half[key] = $7; status[key] = $4
          if ($3 != "") chunks[$1] = chunks[$1] (chunks[$1] == "" ? "" : " ") $3 }
        END { block() }' "$folder/$1.csv"
}

# The nodes that hell wants for an AlexNet job, and so the load that it can carry; a chunk of
# jsq has its own.
limits() {
    for ps_nodes in 1 0; do
        apart=
        [ $ps_nodes = 1 ] || apart=--no-ps-nodes
        "$program" cluster --nodes 100 --workload alexnet $apart --curves-only \
            --format csv | awk -F, -v ps_nodes=$ps_nodes '
            NR > 1 { x[$2] = $3 / one; if ($2 == 1) { one = $3; x[1] = 1 } }
            END { best = 1
                  for (w = 2; w <= 100; w++) if (w / x[w] ^ 2 < best / x[best] ^ 2) best = w
                  n = int(100 / best)
                  rest = 100 - n * best
                  for (w = c = 1; w <= rest; w++) if (w / x[w] ^ 2 < c / x[c] ^ 2) c = w
                  printf "%s: hell takes %d nodes, %.2f times as fast as one: load at most %.3f",
                         ps_nodes ? "one node a parameter server" : "workers alone", best, x[best],
                         (n * x[best] + (rest > 0 ? x[c] : 0)) / 100
                  for (c = 7; c <= 40; c++) {
                      all = int(100 / c) * x[c]
                      if (all > most) most = all
                  }
                  printf "; jsq, chunks of 7 to 40: %.3f\n", most / 100 }'
    done
}

# gammas_table FIGURE TITLE PARTS WIDTH [FRACTION]: a row for each gamma; of the rows of that
# fraction, which is then left out.
gammas_table() {
    awk -F, -v title="$2" -v parts="$3" -v width="$4" -v fraction="${5:-}" '
        BEGIN { n = split(parts, part, " ") }
        /^#/ || /^load/ || fraction != "" && $3 != fraction { next }
        fraction != "" { $3 = $4; $4 = $5; $5 = $6 }
        { load = $1
          if (!(("gamma", $2) in seen)) { seen["gamma", $2] = 1; gamma[++gammas] = $2 }
          cell[$2, $3] = width > 7 ? sprintf("%.1f (%.2g)", $4, $5) : sprintf("%.1f", $4) }
        END {
            printf "Malleable HELL with filling, load %s: %s\ngamma", load, title
            for (i = 1; i <= n; i++) printf "  %*s", width, part[i]
            for (g = 1; g <= gammas; g++) {
                printf "\n%5s", gamma[g]
                for (i = 1; i <= n; i++) printf "  %*s", width, cell[gamma[g], part[i]]
            }
            print ""
        }' "$folder/$1.csv"
}

# A row for each gamma and network: hours until 40 % and all of a job are done.
times_table() {
    awk -F, '
        /^#/ || /^load/ { next }
        !head++ {
            printf "Malleable HELL with filling, load %s: hours until a part of a job is done\n", $1
            printf "%5s  %-9s  %4s  %18s  %8s  %8s  %8s\n", "gamma", "network", "part",
                   "mean (half-width)", "median", "95 %", "longest"
        }
        { printf "%5s  %-9s  %4s  %18s  %8.2f  %8.2f  %8.2f\n", $2, $3, $4,
                 sprintf("%.2f (%.2g)", $6, $7), $8, $9, $10 }' "$folder/fig14times.csv"
}

show() {
    make_csv "$1" > "$folder/$1.csv"
    case $1 in
        fig14)
            parts='0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1'
            gammas_table "$1" 'mean hours until a part of a job is done (95 % half-width)' \
                "$parts" 11
            ;;
        fig14cdf)
            parts='0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 0.95 0.99'
            gammas_table "$1" 'hours within which 40 % are done of a part of the jobs' \
                "$parts" 7 0.4
            echo
            gammas_table "$1" 'hours within which a part of the jobs is done' "$parts" 7 1
            ;;
        fig14times) times_table ;;
        *)
            table "$1"
            [ "$1" != fig1 ] || { echo; limits; }
            ;;
    esac
}

# ---- Expected ----------------------------------------------------------------------

# figure load policy mean, and the half-width where it is known, days. In Fig. 14 policy is
# the gamma and the part, the mean is in hours. Means of 400,000 jobs, simulated apart from
# this program; where no half-width was kept, that of the run here stands for both.
expected() {
    cat << 'END'
fig12a 0.1 hell+fill 2.16
fig12a 0.5 hell+fill 2.47
fig12a 0.7 hell+fill 3.32 2%
fig12a 0.1 knee+fill 2.14
fig12a 0.5 knee+fill 2.51
fig12a 0.7 knee+fill 5.1 7%
fig12a 0.1 waterfill 3.22
fig12a 0.5 waterfill 29.0
fig12a 0.7 waterfill 31.3
fig12a 0.1 jsq 2.21
fig12a 0.5 jsq 3.50
fig12a 0.7 jsq 7.36
fig12a 0.1 srpt 3.37
fig12a 0.2 srpt unstable
fig12b 0.1 hell+fill 3.69
fig12b 0.5 hell+fill 4.22
fig12b 0.7 hell+fill 5.79
fig13a 0.1 moldable-hell 2.38
fig13a 0.5 moldable-hell 2.68
fig13a 0.7 moldable-hell 7.4 15%
fig13a 0.1 moldable-knee 2.34
fig13a 0.5 moldable-knee 2.79
fig13a 0.7 moldable-knee 4.16 3%
fig14 0.68 0:0.4 41
fig14 0.68 1.05:0.4 26
fig14 0.68 0:1 75
fig14 0.68 1.05:1 162
END
}

# Expected to be the smaller one, and with what confidence: intervals that do not meet.
orders() {
    cat << 'END'
fig12a 0.7 hell+fill knee+fill
fig12a 0.7 knee+fill waterfill
fig12a 0.7 hell+fill jsq
fig13a 0.7 moldable-knee moldable-hell
fig14 0.68 1.05:0.4 0:0.4
fig14 0.68 0:1 1.05:1
END
}

# Only what is expected, at the LOADS that are given.
check_rows() {
    expected | awk '$1 != "fig14" { print $1, $3, $2 }' | sort -u > "$folder/wanted"
    for load in $(echo "${LOADS:-0.1,0.2,0.5,0.7,0.68}" | tr , ' '); do
        awk -v load="$load" '$3 == load { print $1, $2 }' "$folder/wanted" > "$folder/now"
        while read -r figure policy; do
            case $figure in *b) workload=large ;; *) workload=four ;; esac
            case $policy in
                *+fill) sweep "$load" "${policy%+fill}" +fill --workload $workload --fill ;;
                *) sweep "$load" "$policy" "" --workload $workload ;;
            esac > "$folder/run"
            awk -F, -v figure="$figure" '
                { print figure, $1, $2, $4 == "unstable" ? $4 : $6, $7 + 0, $3 }' "$folder/run"
        done < "$folder/now"
        if [ "$load" = 0.68 ]; then
            loads=$load
            gammas="0 1.05"
            fig14_csv > "$folder/run"
            awk -F, 'NR > 1 { print "fig14", $1, $2 ":" $3, $4, $5 }' "$folder/run"
        fi
    done
}

check() {
    check_rows > "$folder/rows"
    expected > "$folder/expected"
    orders > "$folder/orders"
    awk '
        function absolute(x) { return x < 0 ? -x : x }
        function holds(yes) { lines++; if (!yes) wrong++; return yes ? "yes" : "NO" }
        FILENAME ~ /rows$/ {
            key = $1 " " $2 " " $3
            mean[key] = $4; half[key] = $5; chunk[key] = $6
            next
        }
        { key = $1 " " $2 " " $3 }
        FILENAME ~ /expected$/ && key in mean {
            if (!head++) print "figure  load  policy         measured (half-width)  expected" \
                                 " (half-width)  holds  unit"
            unit = $1 != "fig14" ? "d" : "h until part " substr($3, index($3, ":") + 1) \
                                         ", gamma " substr($3, 1, index($3, ":") - 1)
            if (chunk[key] != "") unit = unit ", chunks of " chunk[key]
            if ($4 == "unstable" || mean[key] == "unstable")
                yes = $4 == mean[key]
            else {
                # Half a unit of the last digit printed is rounding.
                digits = index($4, ".") ? length($4) - index($4, ".") : 0
                known = NF > 4 ? $4 * $5 / 100 : half[key]
                yes = absolute(mean[key] - $4) <= half[key] + known + 0.5 / 10 ^ digits
            }
            name = $1 == "fig14" ? "hell+fill" : $3
            got = mean[key]
            if (got != "unstable") got = sprintf("%.3f (%.2g)", got, half[key])
            want = $4
            if (NF > 4) want = sprintf("%s (%.2g)", want, known)
            printf "%-6s  %4s  %-13s  %-21s  %-21s  %-5s  %s\n", $1, $2, name, got, want,
                holds(yes), unit
        }
        FILENAME ~ /orders$/ && key in mean && ($1 " " $2 " " $4) in mean {
            if (!tail++) print "\nfigure  load  first, and then" \
                               "                              apart  holds"
            other = $1 " " $2 " " $4
            yes = mean[key] != "unstable" &&
                  (mean[other] == "unstable" || mean[key] + 0 < mean[other] + 0)
            apart = yes && (mean[other] == "unstable" ||
                            mean[key] + half[key] < mean[other] - half[other])
            text = $3 " " mean[key] " < " $4 " " mean[other]
            text_apart = apart ? "yes" : "no"
            printf "%-6s  %4s  %-45s  %5s  %5s\n", $1, $2, text, text_apart, holds(yes)
        }
        # The paper has 26.8 h in place of 41.
        function early(   key, eager, less, about) {
            key = "fig14 0.68 0:0.4"
            eager = "fig14 0.68 1.05:0.4"
            if (!(key in mean) || !(eager in mean)) return
            less = 1 - mean[eager] / mean[key]
            about = (half[eager] + half[key] * mean[eager] / mean[key]) / mean[key]
            printf "\n40 %% of a job with gamma 1.05: %.1f +- %.1f %% sooner, 35 %% or more: %s\n",
                100 * less, 100 * about, holds(less + about >= 0.35)
        }
        END { early()
              printf "\n%d of %d hold\n", lines - wrong, lines
              exit !lines || wrong > 0 }' "$folder/rows" "$folder/expected" "$folder/orders"
}

case $part in
    all)
        [ $# -le 1 ] || usage
        for figure in $figures; do
            [ $figure = fig1 ] || echo
            show $figure
        done
        ;;
    check)
        [ $# -eq 1 ] || usage
        check
        ;;
    store)
        [ $# -le 2 ] || usage
        to=${2:-$here/scheduling}
        mkdir -p "$to"
        for figure in $figures; do
            make_csv $figure > "$folder/$figure.csv"
            mv "$folder/$figure.csv" "$to/$figure.csv"
        done
        ;;
    *)
        case " $figures " in *" $part "*) ;; *) usage ;; esac
        case $#:${2:-} in
            1:) show "$part" ;;
            2:csv) make_csv "$part" ;;
            *) usage ;;
        esac
        ;;
esac

#!/bin/sh
# The simulator and the exact solution of the queueing network, each as the other's referee.
#
#     sh validation/referee.sh [SEED [RUNS [STEPS]]]         defaults 1, 20, 8000
#     sh validation/referee.sh fcfs [SEED [RUNS [STEPS]]]    links served first come, first served
#
# Twenty settings of the coarse model: a step is a downlink, a computation, an uplink and an
# update; links and server are shared equally, times are exponential. `sgdperf mva` solves
# the network, `sgdperf simulate` runs it RUNS times for about STEPS steps of all workers.
# Printed: both throughputs, the half-width of the 95 % confidence interval of the simulated
# one, and whether the exact one is inside. Column traced: the same setting simulated without
# any variation, K / (compute + K (downlink + uplink + update)), as all workers stay in step.
# It is no judgement: it tells how much of the exact throughput is owed to variation.
#
# Of good intervals 95 % contain the truth: status 1 if so few do that it happens to fewer
# than one in 2000 sets of good ones. The program is $SGDPERF, or sgdperf in $BUILD (build).
#
# fcfs: Fig. 11b of [LPCG18] tells that the approximation of Eq. 2 falls where the network that
# it approximates does not. That network, links with deterministic times served first come,
# first served, computation and updates exponential, simulated with 1 to 10 workers, beside
# Eq. 2 and the hybrid of Eqs. 3 and 4. The first profile is that of Fig. 7, in s; the second
# has transfers of 232 MB at 3 Gbit/s, ResNet-152 of Fig. 11b, whose computation and update
# the paper does not print: 1.5 and 0.1 s are assumed. Columns shared and shared_tcp, as in
# Fig. 9: of the time in which the uplink carries something, the share in which it carries two
# transfers or more, of a simulation in which links are shared equally, and as TCP shares them.
set -u
part=exact
case ${1:-} in fcfs) part=fcfs; shift ;; esac
seed=${1:-1}
runs=${2:-20}
steps=${3:-8000}
sgdperf=${SGDPERF:-${BUILD:-build}/sgdperf}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# cell FILE COLUMN: of the first row of a CSV file.
cell() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == 2 { print $at }' "$1"
}

# simulate OUT OPTION...
simulate() {
    out=$1
    shift
    "$sgdperf" simulate "$folder/trace.csv" --workers "$workers" --mode async --bandwidth 1B/s \
        --updates shared --steps $((steps / workers)) --format csv "$@" > "$out"
}

# setting WORKERS DOWNLINK COMPUTE UPLINK UPDATE: one row. Transfers of as many bytes as
# seconds, at 1 B/s.
setting() {
    workers=$1
    printf '%s\n' class,population,think_s,downlink,uplink,server \
        "worker,$1,$3,$2,$4,$5" > "$folder/network.csv"
    printf '%s\n' step,op,resource,duration_s,bytes,waits_for "0,0,downlink,,$2," \
        "0,1,worker,$3,,0" "0,2,uplink,,$4,1" "0,3,server,$5,,2" > "$folder/trace.csv"
    "$sgdperf" mva "$folder/network.csv" --format csv > "$folder/exact" || exit 2
    simulate "$folder/drawn" --service exponential --window steady --runs "$runs" \
        --warmup $((steps / 20)) --seed "$seed" || exit 2
    # Says that such workers stay in step, which is what the column is for.
    simulate "$folder/traced" --warmup $((5 * workers)) 2> "$folder/said" ||
        { cat "$folder/said" >&2; exit 2; }
    seed=$((seed + 1))
    echo "$* $(cell "$folder/exact" throughput_per_s) $(cell "$folder/drawn" batches_per_s)" \
        "$(cell "$folder/drawn" ci95_half_width) $(cell "$folder/traced" batches_per_s)"
}

# drawn_trace DOWNLINK COMPUTE UPLINK UPDATE: 400 steps, whose computations and updates are the
# quantiles of exponential ones, in an order of their own each; steps are drawn from them.
drawn_trace() {
    awk -v down="$1" -v work="$2" -v up="$3" -v update="$4" 'BEGIN {
        print "step,op,resource,duration_s,bytes,waits_for"
        n = 400
        for (i = 0; i < n; i++) { q[i] = -log(1 - (i + 0.5) / n); sum += q[i] }
        for (i = 0; i < n; i++) {
            w = work * q[i] * n / sum
            s = update * q[i * 147 % n] * n / sum # 147 and 400 have no common factor
            printf "%d,0,downlink,,%g,\n%d,1,worker,%.9g,,0\n%d,2,uplink,,%g,1\n", i, down, i,
                w, i, up
            printf "%d,3,server,%.9g,,2\n", i, s
        } }' > "$folder/trace.csv"
}

# shared LINK: of the time of the uplink. A timeline has an event a line, in microseconds.
shared() {
    "$sgdperf" simulate "$folder/trace.csv" --workers "$workers" --mode async --bandwidth 1B/s \
        --updates queued --link "$1" --steps 300 --warmup $((5 * workers)) --seed "$seed" \
        --timeline "$folder/timeline" > "$folder/said" 2>&1 || { cat "$folder/said" >&2; exit 2; }
    sed -n 's/.*"ts":\([0-9.]*\),"dur":\([0-9.]*\),"cat":"uplink".*/\1 \2/p' "$folder/timeline" |
        awk '{ printf "%.3f 1\n%.3f -1\n", $1, $1 + $2 }' | LC_ALL=C sort -n -k1,1 -k2,2 |
        awk '{ if (active > 0) busy += $1 - now
               if (active > 1) both += $1 - now
               active += $2; now = $1 }
             END { printf "%.3f\n", (busy > 0 ? both / busy : 0) }'
}

# profile DOWNLINK COMPUTE UPLINK UPDATE: a table of 1 to 10 workers.
profile() {
    echo "downlink $1 s, computation $2 s, uplink $3 s, update $4 s"
    drawn_trace "$@"
    for workers in 1 2 3 4 5 6 7 8 9 10; do
        printf '%s\n' class,population,think_s,downlink,uplink,server \
            "worker,$workers,$2,$1,$3,$4" > "$folder/network.csv"
        for method in exact fcfs hybrid; do
            stations=
            [ $method = exact ] || stations="--fcfs downlink,uplink"
            "$sgdperf" mva "$folder/network.csv" --method $method $stations --format csv \
                > "$folder/$method" || exit 2
        done
        "$sgdperf" simulate "$folder/trace.csv" --workers "$workers" --mode async \
            --bandwidth 1B/s --link fcfs --updates queued --steps $((steps / workers)) \
            --window steady --runs "$runs" --warmup $((steps / 20 + 5 * workers)) \
            --seed "$seed" --format csv > "$folder/drawn" || exit 2
        echo "$workers $(cell "$folder/drawn" batches_per_s)" \
            "$(cell "$folder/drawn" ci95_half_width) $(cell "$folder/fcfs" throughput_per_s)" \
            "$(cell "$folder/hybrid" throughput_per_s) $(cell "$folder/exact" throughput_per_s)" \
            "$(shared ps) $(shared tcp)"
        seed=$((seed + 1))
    done > "$folder/rows"
    awk 'BEGIN { printf "%7s %11s %10s %9s %9s %9s %9s %9s %9s %7s %10s\n", "workers", "simulated",
            "half_width", "eq2", "error", "hybrid", "error", "exact", "error", "shared",
            "shared_tcp" }
        { printf "%7d %11.4f %10.4f %9.4f %8.2f%% %9.4f %8.2f%% %9.4f %8.2f%% %7s %10s\n", $1, $2,
              $3, $4, 100 * ($4 / $2 - 1), $5, 100 * ($5 / $2 - 1), $6, 100 * ($6 / $2 - 1), $7, $8
          if (NR > 1 && $2 < last - $3 - width) fell++
          if (NR > 1 && $4 < before) dips++
          last = $2; width = $3; before = $4; rows++ }
        END { printf "eq2 falls %d times as workers are added, the simulated network %d times\n",
                  dips, fell
              exit rows != 10 || fell > 0 }' "$folder/rows"
}

if [ $part = fcfs ]; then
    profile 0.072 0.029 0.072 0.018 || exit 1
    echo
    profile 0.619 1.5 0.619 0.1
    exit
fi

for workers in 2 4 8 16; do
    setting $workers 0.072 0.029 0.072 0.018 # links saturated from two workers on
    setting $workers 0.02 0.2 0.02 0.01      # mostly computing
    setting $workers 0.05 0.05 0.05 0.05     # balanced
    setting $workers 0.01 0.3 0.02 0.08      # the server saturates
    setting $workers 0.1 0.4 0.05 0.002      # one link saturates
done > "$folder/rows"

awk 'BEGIN { printf "%7s %8s %8s %8s %8s %11s %11s %10s %6s %9s\n", "workers", "down_s",
        "work_s", "up_s", "update_s", "exact_per_s", "simulated", "half_width", "inside",
        "traced" }
    { off = $7 - $6; if (off < 0) off = -off
      inside = off <= $8; count += inside
      printf "%7d %8g %8g %8g %8g %11.4f %11.4f %10.4f %6s %9.4f\n", $1, $2, $3, $4, $5, $6,
          $7, $8, inside ? "yes" : "no", $9 }
    END { for (i = 0; i <= NR; i++) {          # P(that many inside, or fewer)
              term = i ? term * (NR - i + 1) / i * 0.95 / 0.05 : 0.05 ^ NR
              if (i <= count) tail += term
          }
          printf "%d of %d exact throughputs are inside their 95 %% interval; ", count, NR
          printf "so few or fewer: in %.3g %% of sets\n", 100 * tail
          exit NR != 20 || tail < 0.0005 }' "$folder/rows"

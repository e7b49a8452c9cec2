#!/bin/sh
# The simulator and the exact solution of the queueing network, each as the other's referee.
#
#     sh validation/referee.sh [SEED [RUNS [STEPS]]]         defaults 1, 20, 8000
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
set -u
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

#!/bin/sh
# How the two numbers of `simulate --link tcp` were chosen, run in the repository root:
#
#     sh validation/calibrate_tcp.sh [RUNS [STEPS [TWO_WAY [SPREAD]]]]
#
# RUNS (10) replications of STEPS (5000) of each worker, a fifth of them warm-up; TWO_WAY and
# SPREAD are the numbers to try ("0 0.1 ... 0.8" and "0 0.1 ... 0.5"). Every pair is simulated
# on the rows of the testbed without layers and with two workers or more, asynchronous and
# synchronous; the pair with the least mean |error|, each row the same weight, is chosen.
#
# Printed: mean |error| of every pair, the pair chosen and its errors set by set; each effect
# alone; each set with the pair that the other sets choose; then the rows with layers, which
# choose nothing: their errors with the pair chosen, with each effect alone, and with the
# pairs that each set alone would have chosen. The program is $SGDPERF, or sgdperf in $BUILD (build).
set -u
runs=${1:-10}
steps=${2:-5000}
two_ways=${3:-0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8}
spreads=${4:-0 0.1 0.2 0.3 0.4 0.5}
sgdperf=${SGDPERF:-${BUILD:-build}/sgdperf}
datasets=validation/datasets
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

# rows PATTERN: of the datasets whose names match, one line each of
# set mode workers compute_s update_s bytes bandwidth cv layers batches_per_s.
rows() {
    awk -F, -v pattern="$1" '
        /^#/ { next }
        !n { for (n = 1; n <= NF; n++) at[$n] = n; next }
        $at["dataset"] !~ pattern || $at["role"] != "" { next }
        { split($at["point"], part, "-k[0-9]+$")
          print part[1], $at["mode"], $at["workers"], $at["forward_s"] + $at["backward_s"],
              $at["update_s"], $at["model_bytes"], $at["bandwidth_bytes_per_s"],
              $at["compute_cv"] + 0, $at["layers"] == "" ? "-" : $at["layers"],
              $at["batches_per_s"] }' "$datasets/tcp_testbed.csv"
}

# coarse COMPUTE UPDATE BYTES CV: the trace of a step; of 500 steps whose computations vary,
# by sums of twelve uniform numbers, where CV is above 0.
coarse() {
    awk -v compute="$1" -v update="$2" -v bytes="$3" -v cv="$4" 'BEGIN {
        print "step,op,resource,duration_s,bytes,waits_for"
        x = 1
        for (s = 0; s < (cv > 0 ? 500 : 1); s++) {
            sum = -6
            for (i = 0; i < 12; i++) { x = x * 16807 % 2147483647; sum += x / 2147483647 }
            printf "%d,0,downlink,,%s,\n%d,1,worker,%.9f,,0\n", s, bytes, s,
                compute * (1 + cv * sum)
            printf "%d,2,uplink,,%s,1\n%d,3,server,%s,,2\n", s, bytes, s, update
        } }'
}

# pair TWO_WAY SPREAD: simulates the rows of its input; adds the pair and the result to them.
pair() {
    while read -r set mode workers compute update bytes bandwidth cv layers measured; do
        trace=$folder/$set.csv
        if [ ! -f "$trace" ]; then
            if [ "$layers" = - ]; then coarse "$compute" "$update" "$bytes" "$cv"
            else "$sgdperf" trace-from-layers "$datasets/$layers"
            fi > "$trace" || exit 2
        fi
        count=$steps                   # steps with layers have many more operations
        [ "$layers" != - ] && [ "$count" -gt $((20000 / workers)) ] && count=$((20000 / workers))
        window=total
        [ "$mode" = async ] && window=steady
        "$sgdperf" simulate "$trace" --workers "$workers" --mode "$mode" --link tcp \
            --tcp-two-way "$1" --tcp-spread "$2" --bandwidth "${bandwidth}B/s" --steps "$count" \
            --warmup $((count / 5 * workers)) --window $window --runs "$runs" \
            --format csv > "$folder/result" 2> "$folder/said" ||
            { cat "$folder/said" >&2; exit 2; }    # a note where nothing varies is meant
        echo "$1 $2 $set $workers $measured $(sed -n '2s/,.*//p' "$folder/result")"
    done
}

# least SET: the pair with the least mean |error| on a set, on all but it (-SET), on "all", or
# on all without the two-way effect ("spread"), or without the spread ("two-way").
least() {
    awk -v set="$1" '
        set ~ /^-/ && "-" $3 == set { next }
        set == "spread" && $1 > 0 || set == "two-way" && $2 > 0 { next }
        set !~ /^-|^all$|^spread$|^two-way$/ && $3 != set { next }
        !(($1, $2) in sum) { pair[++pairs] = $1 SUBSEP $2 }
        { e = $6 / $5 - 1; sum[$1, $2] += e < 0 ? -e : e; rows[$1, $2]++ }
        END { for (i = 1; i <= pairs; i++) {
                  mean = sum[pair[i]] / rows[pair[i]]
                  if (i == 1 || mean < best) { best = mean; at = i }
              }
              split(pair[at], part, SUBSEP)
              print part[1], part[2] }' "$folder/coarse"
}

# errors TWO_WAY SPREAD FILE: a line for each set: name, mean |error|, errors of its rows.
errors() {
    awk -v x="$1" -v s="$2" '
        $1 != x || $2 != s { next }
        !($3 in rows) { name[++names] = $3 }
        { e = 100 * ($6 / $5 - 1); sum[$3] += e < 0 ? -e : e; rows[$3]++
          text[$3] = text[$3] sprintf(" %5.1f", e) }
        END { for (i = 1; i <= names; i++)
                  printf "  %-8s %5.2f  %s\n", name[i], sum[name[i]] / rows[name[i]],
                      text[name[i]] }' "$3"
}

rows '^testbed-(async|sync)$' > "$folder/rows"
rows '^testbed-overlap$' > "$folder/layered_rows"
for two_way in $two_ways; do
    for spread in $spreads; do
        pair "$two_way" "$spread" < "$folder/rows" || exit 2
    done
done > "$folder/coarse" || exit 2

echo "mean |error| of $(wc -l < "$folder/rows" | tr -d ' ') rows without layers, percent"
awk -v spreads="$spreads" '
    BEGIN { n = split(spreads, spread, " ")
            printf "two-way \\ spread"
            for (i = 1; i <= n; i++) printf " %6s", spread[i]
            print "" }
    !($1 in seen) { seen[$1]; two_way[++ways] = $1 }
    { e = $6 / $5 - 1; sum[$1, $2] += e < 0 ? -e : e; rows[$1, $2]++ }
    END { for (k = 1; k <= ways; k++) {
              printf "%16s", two_way[k]
              for (i = 1; i <= n; i++) {
                  at = two_way[k] SUBSEP spread[i]
                  printf " %6.3f", 100 * sum[at] / rows[at]
              }
              print ""
          } }' "$folder/coarse"

chosen=$(least all)
echo
echo "chosen: two-way ${chosen% *}, spread ${chosen#* }; mean |error| and errors of its rows"
errors ${chosen% *} ${chosen#* } "$folder/coarse"

# total TWO_WAY SPREAD FILE: mean |error| of all its rows.
total() {
    awk -v x="$1" -v s="$2" '$1 == x && $2 == s { e = $6 / $5 - 1; sum += e < 0 ? -e : e; n++ }
                             END { printf "%.2f\n", 100 * sum / n }' "$3"
}

echo
echo "each effect alone: least mean |error| on all rows without layers"
for alone in spread two-way; do
    own=$(least $alone)
    printf '  %-8s %3s %3s  %s\n' $alone ${own% *} ${own#* } \
        "$(total ${own% *} ${own#* } "$folder/coarse")"
done

echo
echo "each set by the pair that the others choose: mean |error| and errors of its rows"
for set in $(awk '!seen[$1]++ { print $1 }' "$folder/rows"); do
    own=$(least "-$set")
    printf '  %3s %3s' ${own% *} ${own#* }
    errors ${own% *} ${own#* } "$folder/coarse" | grep "^  $set "
done

echo
echo "rows with layers, by the pair that was chosen on"
for rows in all spread two-way $(awk '!seen[$1]++ { print $1 }' "$folder/rows"); do
    own=$(least "$rows")
    pair ${own% *} ${own#* } < "$folder/layered_rows" > "$folder/layered" || exit 2
    printf '  %-8s %3s %3s' "$rows" ${own% *} ${own#* }
    errors ${own% *} ${own#* } "$folder/layered" | sed 's/^  [^ ]*//'
done

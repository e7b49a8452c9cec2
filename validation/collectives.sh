#!/bin/sh
# Measured all-reduces and what is predicted of them: validation/collectives/measured/.
#
#     sh validation/collectives.sh [check]
#
# B-Caffe: Open MPI over TCP. Which algorithm, and whether a message goes at once or is announced
# first, is what its source says: doubling below 10000 bytes, else a ring (coll_tuned, the same in
# 2.1, 3.1 and 4.0); announced where a message has more than 64 KiB (eager limit of btl_tcp). a and
# b of least squares of relative errors; of the sizes of each way every other one, beginning with
# the least, calibrates, the others are scored. Fixed before any was scored.
#
# nccl-tests: powers of two from 1 MiB on, by nccl.csv or nccl-2.8.csv, whichever NCCL ran.
# declared: all links as their makers name them, nothing fitted. fitted: the bandwidth between
# machines, of one machine that inside, that makes the largest size of each table right; the others
# are scored.
#
# check fails where a mean error is above its bound. SGDPERF names the program [build/sgdperf].
set -euf
program=${SGDPERF:-build/sgdperf}
here=$(dirname "$0")/collectives
check=${1:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# exchange BYTES OPTIONS...: seconds of an all-reduce.
exchange() {
    printf 'layer,bytes,forward_s,backward_s,update_s,tensors\na,%s,0,0,0,%s\n' "$1" "$1" \
        > "$folder/layer.csv"
    shift
    "$program" predict --mode allreduce --layers "$folder/layer.csv" --overlap --format csv "$@" \
        2> "$folder/notes" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                                      { print $at["exchange_s"] }'
}

# bound NAME MEAN: the mean error may not exceed what validation/collectives/bounds.csv has.
bound() {
    [ "$check" = check ] || return 0
    awk -F, -v name="$1" -v mean="$2" '
        $1 == name { found = 1; if (mean > $2) { print name ": " mean " % is above " $2; bad = 1 } }
        END { if (!found) print name ": no bound"; exit bad || !found }' "$here/bounds.csv" || failed=1
}

# ---- B-Caffe -------------------------------------------------------------------------

# machines bytes seconds way rounds bytes-in-turn, the last two by the program: a times so many
# messages and b times so many bytes are the time.
awk -F, '/^#/ || $1 == "machines" { next }
         { way = $2 < 10000 ? "doubling" : $2 / $1 <= 65536 ? "ring" : "announced"
           print $1, $2, $3 / 1e6, way }' "$here/measured/bcaffe.csv" > "$folder/rows"
while read -r machines bytes seconds way; do
    how=ring:flat
    [ "$way" != doubling ] || how=doubling:flat
    a=$(exchange "$bytes" --workers "$machines" --collective $how --latency 1s --bandwidth 1e30B/s)
    b=$(exchange "$bytes" --workers "$machines" --collective $how --bandwidth 1B/s)
    echo "$machines $bytes $seconds $way $a $b"
done < "$folder/rows" > "$folder/terms"

# calibrated FIELDS...: errors with an a and a b for all that agree in these fields of the rows.
calibrated() {
    awk -v fields="$*" '
        function key(    k, i) { k = "all"; for (i = 1; i <= n; i++) k = k " " $field[i]; return k }
        BEGIN { n = split(fields, field, " ") }
        {
            k = key()
            odd = ++seen[$1, $4] % 2
            A = $5 / $3; B = $6 / $3
            if (odd) {
                aa[k] += A * A; ab[k] += A * B; bb[k] += B * B; a1[k] += A; b1[k] += B
            } else {
                rows++; of[rows] = k; first[rows] = A; second[rows] = B
            }
        }
        END {
            for (i = 1; i <= rows; i++) {
                k = of[i]; d = aa[k] * bb[k] - ab[k] ^ 2
                a = (a1[k] * bb[k] - b1[k] * ab[k]) / d; b = (b1[k] * aa[k] - a1[k] * ab[k]) / d
                e = a * first[i] + b * second[i] - 1; if (e < 0) e = -e
                sum += e; if (e > most) most = e
            }
            printf "%d %.2f %.1f\n", rows, 100 * sum / rows, 100 * most
        }' "$folder/terms"
}

echo "B-Caffe, Open MPI on 2, 4 and 8 machines, 4 B to 1 MiB; errors in percent"
echo
printf '%-44s %5s %7s %7s\n' "an a and a b for" rows mean max
while read -r fields name; do
    # shellcheck disable=SC2046
    set -- $(calibrated $(echo "$fields" | tr , ' '))
    printf '%-44s %5s %7s %7s\n' "$name" "$1" "$2" "$3"
    bound "bcaffe $name" "$2"
done <<'LIST'
1,4 each number of machines and each way
1 each number of machines
4 each way
LIST

# ---- nccl-tests ----------------------------------------------------------------------

# of TABLE: its file of constants, bytes/s between machines, of an accelerator's link, and the
# latency that the network's driver tells NCCL, of tables.csv.
of() {
    awk -F, -v table="$1" '$1 == table { print $2, $3 == "" ? 0 : $3, $4, $5 }' "$here/tables.csv"
}

# nccl BYTES BANDWIDTH: seconds, on $machines of $gpus.
nccl() {
    inside=$local
    [ "$machines" -gt 1 ] || inside=$2
    exchange "$1" --workers $((machines * gpus)) --gpus "$gpus" --bandwidth "$2B/s" \
        --local-bandwidth "${inside}B/s" --latency "$latency" --protocols "$here/$constants"
}

# fit BYTES SECONDS: the bandwidth that makes it so, by halving in logarithms.
fit() {
    low=$(awk -v x="$declared" 'BEGIN { print log(x / 30) }')
    high=$(awk -v x="$declared" 'BEGIN { print log(x * 3) }')
    for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
        middle=$(awk -v a="$low" -v b="$high" 'BEGIN { printf "%.9g", (a + b) / 2 }')
        s=$(nccl "$1" "$(awk -v x="$middle" 'BEGIN { printf "%.9g", exp(x) }')")
        if awk -v s="$s" -v t="$2" 'BEGIN { exit !(s > t) }'; then low=$middle; else high=$middle; fi
    done
    awk -v x="$middle" 'BEGIN { printf "%.6g", exp(x) }'
}

# errors FILE: rows, mean and largest error of lines `predicted measured`.
errors() {
    awk '{ e = $1 / $2 - 1; bias += e; if (e < 0) e = -e; sum += e; if (e > most) most = e }
         END { printf "%d %.1f %.1f %.1f", NR, 100 * sum / NR, 100 * most, 100 * bias / NR }' "$1"
}

echo
echo "nccl-tests, all-reduce of 1 MiB and more; errors in percent"
echo
printf '%-11s %8s %5s %5s %7s %7s %7s   %8s %7s %7s\n' table machines gpus rows declared max bias \
    fitted mean max
cat "$here/measured/nccl_tests.csv" "$here/measured/nccl_a100.csv" > "$folder/nccl"
awk -F, '/^#/ || $1 == "table" { next } { print $1, $2, $3 }' "$folder/nccl" | uniq > "$folder/tables"
while read -r table machines gpus <&3; do
    # shellcheck disable=SC2046
    set -- $(of "$table")
    constants=$1 declared=$2 local=$3 latency=$4 name="$table $machines"
    if [ "$machines" -eq 1 ]; then declared=$local name="$table $machines of $gpus"; fi
    awk -F, -v t="$table" -v m="$machines" -v g="$gpus" '
        function is_power(x) { while (x > 1) x /= 2; return x == 1 }
        $1 == t && $2 == m && $3 == g && $4 >= 1048576 && is_power($4) { print $4, $5 / 1e6 }' \
        "$folder/nccl" > "$folder/rows"
    while read -r bytes seconds <&4; do
        echo "$(nccl "$bytes" "$declared") $seconds"
    done 4< "$folder/rows" > "$folder/declared"
    fitted=$(fit $(tail -n 1 "$folder/rows"))
    sed '$d' "$folder/rows" > "$folder/scored"
    while read -r bytes seconds <&4; do
        echo "$(nccl "$bytes" "$fitted") $seconds"
    done 4< "$folder/scored" > "$folder/fitted"
    [ -z "${ROWS:-}" ] || paste -d' ' "$folder/rows" "$folder/declared" >&2
    # shellcheck disable=SC2046
    set -- $(errors "$folder/declared") $(errors "$folder/fitted")
    printf '%-11s %8s %5s %5s %7s %7s %7s   %8s %7s %7s\n' "$table" "$machines" "$gpus" \
        "$1" "$2" "$3" "$4" "$(awk -v x="$fitted" 'BEGIN { printf "%.1fe9", x / 1e9 }')" "$6" "$7"
    bound "$name declared" "$2"
    bound "$name fitted" "$6"
done 3< "$folder/tables"
exit $failed

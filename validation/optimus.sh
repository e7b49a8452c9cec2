#!/bin/sh
# Optimus' form with servers [PBCWG18] on a table of measured configurations, fitted to a
# few of them and scored on all others. The table is not part of this project: see SOURCES.md.
#
#     sh validation/optimus.sh TABLE.csv [N]    columns model,num_ps,workers,step_s
#
# Which are fitted was fixed before any was scored: the N [10, twice the parameters] that
# `sgdperf fit --suggest N` names among 1, 3, ..., 11 workers and servers while nothing has been
# measured, the same for each model. Scored: the other configurations of that square (inside),
# and those with more workers or servers (beyond). Beside it, what as many configurations drawn
# from the square by lot do inside: the mean of 20 draws, and the mean of the worst draw.
#
# SGDPERF names the program [build/sgdperf].
set -euf
program=${SGDPERF:-build/sgdperf}
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: optimus.sh TABLE.csv [N]" >&2
    exit 2
fi
table=$1
count=${2:-10}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$program" fit --model optimus-sync --suggest "$count" --candidates 1-11:2 \
    --among-servers 1-11:2 --format csv > "$folder/design"
echo "fitted, workers/servers: $(awk -F, 'NR > 1 { printf "%s/%s ", $1, $2 }' "$folder/design")"

# rows MODEL: workers,servers,batches_per_s of a model.
rows() {
    awk -F, -v model="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["model"] == model {
            printf "%s,%s,%.17g\n", $at["workers"], $at["num_ps"], $at["workers"] / $at["step_s"]
        }' "$table"
}

# errors: rows scored, their mean and largest error, of JSON on stdin.
errors() {
    sed 's/.*"score":{"rows":\([0-9]*\),"mean_error":\([^,]*\),.*"max_error":\([^,]*\),"b.*/\1 \2 \3/' |
        awk '{ printf "%d %.1f %.1f", $1, 100 * $2, 100 * $3 }'
}

# fitted MODEL INSIDE: the errors inside the square (1), or beyond it (0).
fitted() {
    rows "$1" | awk -F, -v inside="$2" '
        BEGIN { print "workers,servers,batches_per_s,role" }
        NR == FNR { if (FNR > 1) chosen[$1 "," $2] = 1; next }
        ($1 "," $2) in chosen { print $0 ",fit"; next }
        inside == ($1 <= 11 && $2 <= 11) { print $0 ",score" }' \
        "$folder/design" - > "$folder/points"
    "$program" fit "$folder/points" --model optimus-sync --workers 1 --format json | errors
}

# drawn MODEL: mean and largest error inside over 20 draws of as many configurations as the
# design has different ones.
drawn() {
    rows "$1" | awk -F, '$1 <= 11 && $2 <= 11' > "$folder/square"
    draw=1
    while [ $draw -le 20 ]; do
        awk -F, -v seed=$draw -v wanted="$different" '
            BEGIN { print "workers,servers,batches_per_s,role"; state = seed }
            {
                for (i = 0; i < 3; i++) state = (state * 16807) % 2147483647
                row[NR] = $0
                key[NR] = state
            }
            END {
                for (i = 1; i <= NR; i++) {
                    rank = 0
                    for (j = 1; j <= NR; j++) rank += key[j] < key[i]
                    print row[i] (rank < wanted ? ",fit" : ",score")
                }
            }' "$folder/square" > "$folder/points"
        "$program" fit "$folder/points" --model optimus-sync --workers 1 --format json | errors
        echo
        draw=$((draw + 1))
    done | awk '
        { sum += $2; if ($2 > most) most = $2 }
        END { printf "%.1f %.1f", sum / NR, most }'
}

different=$(tail -n +2 "$folder/design" | cut -d, -f1,2 | sort -u | wc -l)
echo "relative errors of the throughput, percent"
echo "model                   inside: rows  mean   max  beyond: rows  mean   max  drawn: mean  worst"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "model") at = i; next }
    !seen[$at]++ { print $at }' "$table" | while read -r model; do
    printf '%-22s %13d %5.1f %5.1f %13d %5.1f %5.1f %12.1f %6.1f\n' "$model" \
        $(fitted "$model" 1) $(fitted "$model" 0) $(drawn "$model")
done

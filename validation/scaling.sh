#!/bin/sh
# How profiled networks would scale, and what stops them: simulated with layers overlapped,
# simulated as a whole, and by the coarse models of predict. Nothing here is scored: no
# throughput of these networks on these links was measured. See SOURCES.md.
#
#     sh validation/scaling.sh                         after `make`: both parts
#     sh validation/scaling.sh networks [LAYERS.csv ...]
#     sh validation/scaling.sh servers
#
# networks  on 1 to 16 workers, one parameter server or a ring, 10 Gbit/s; five networks, or
#           those whose layers are given (columns of trace-from-layers)
# servers   VGG-11 on two servers instead of one, asynchronous: layers in whole pieces, and
#           with its largest one cut in two
#
# The program is $SGDPERF, or sgdperf in $BUILD (build); BANDWIDTH names the links [10Gbps].
set -eu
layers=$(dirname "$0")/datasets/layers/pipedream
program=${SGDPERF:-${BUILD:-build}/sgdperf}
bandwidth=${BANDWIDTH:-10Gbps}
part=${1:-all}
[ $# -eq 0 ] || shift
case $part:$# in
    networks:0 | all:0)
        set -- "$layers/squeezenet1_0.csv" "$layers/resnet50.csv" "$layers/vgg16.csv" \
            "$layers/alexnet.csv" "$layers/gnmt.csv"
        ;;
    networks:* | servers:0) ;;
    *)
        echo "usage: scaling.sh [networks [LAYERS.csv ...] | servers]" >&2
        exit 2
        ;;
esac
if ! command -v "$program" > /dev/null; then
    echo "scaling.sh: $program is not there: make builds it" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# trace LAYERS MODE SERVERS [OPTION]: the steps of these layers as a trace; those of
# asynchronous workers, which otherwise stay in step for ever, vary by 5 %.
trace() {
    "$program" trace-from-layers "$1" --servers "$3" ${4:-} \
        $([ "$2" = async ] && echo --vary 0.05)
}

# Of what the program prints as csv.
throughput() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "batches_per_s") column = i; next }
             { print $column }'
}

# simulated TRACE MODE WORKERS SERVERS STEPS [SERVICE]: a fifth of the steps does not count.
simulated() {
    "$program" simulate "$1" --mode "$2" --workers "$3" --steps "$5" \
        --warmup $(($5 / 5 * $3)) --bandwidth "$bandwidth" --service "${6:-traced}" \
        $([ "$4" -gt 1 ] && echo --servers "$4") \
        $([ "$2" = sync ] && echo --link average) $([ "$2" = async ] && echo --window steady) \
        $([ "$2" = allreduce ] && echo --overlap) \
        --format csv | throughput
}

# totals LAYERS: bytes, forward, backward and update seconds of the network.
totals() {
    awk -F, '!/^#/ && $1 != "layer" { b += $2; f += $3; w += $4; u += $5 }
             END { printf "%.0f %.9g %.9g %.9g\n", b, f, w, u }' "$1"
}

# predicted LAYERS MODE WORKERS SERVERS [OPTION]: by the model that is predict's default.
predicted() {
    option=${5:-}
    set -- "$1" "$2" "$3" "$4" $(totals "$1")
    "$program" predict --mode "$2" --workers "$3" --model-size "$5" --forward "$6" \
        --backward "$7" --update "$8" --bandwidth "$bandwidth" --format csv $option \
        $([ "$2" = async ] && echo --updates separate) \
        $([ "$4" -gt 1 ] && echo --servers "$4" --layers "$1") | throughput
}

# ---- Networks ----------------------------------------------------------------------

# study LAYERS...: rows "network mode workers" and throughputs, "network totals ..." last.
study() {
    for table; do
        network=$(basename "$table" .csv)
        for mode in async sync allreduce; do
            trace "$table" $mode 1 > "$folder/layered.csv"
            trace "$table" $mode 1 --whole > "$folder/whole.csv"
            for workers in 1 2 4 8 16; do
                echo $network $mode $workers \
                    $(simulated "$folder/layered.csv" $mode $workers 1 400) \
                    $(simulated "$folder/whole.csv" $mode $workers 1 400) \
                    $(predicted "$table" $mode $workers 1) \
                    $(predicted "$table" $mode $workers 1 --overlap) \
                    $([ $mode = async ] &&
                        simulated "$folder/layered.csv" async $workers 1 400 exponential)
            done
        done
        echo $network totals $(totals "$table")
    done
}

# Seconds of a byte on the link.
byte_s() {
    "$program" predict --mode async --workers 1 --model-size 1B --forward 0 --backward 0 \
        --update 0 --bandwidth "$bandwidth" --format csv | throughput |
        awk '{ printf "%.9g\n", 0.5 / $1 }' # down, and up
}

networks() {
    study "$@" > "$folder/rows"
    cat << END
Mini-batches per second of all workers; one parameter server or a ring, $bandwidth.
layers, whole: simulated layer by layer, and without overlap; exp: as layers, all times
exponential; coarse, overlap: predict, without and with --overlap
END
    awk -v byte_s="$(byte_s)" '
        function stop(computing, link) {
            if (computing > 0.9) return "nothing, workers compute"
            return link > 0.9 ? "the link is full" : "transfers that are partly hidden"
        }
        function compare(mode, pair, x, y,   d) {
            d = 100 * (x > y ? x / y - 1 : 1 - x / y)
            sum[mode, pair] += d
            count[mode, pair]++
            if (d > most[mode, pair] + 0) most[mode, pair] = d
        }
        BEGIN {
            split("async sync allreduce", modes, " ")
            header = sprintf("         %-35s  %-28s  all-reduce", "asynchronous", "synchronous")
            columns = "layers  whole coarse overlap"
            columns = "workers   layers    exp  whole coarse overlap   " columns "   " columns
        }
        $2 != "totals" {
            cell[$2, $3] = sprintf("  %7.3g%s%7.3g%7.3g%8.3g", $4,
                $2 == "async" ? sprintf("%7.3g", $8) : "", $5, $6, $7)
            layered[$2, $3] = $4
            compare($2, 1, $6, $5)
            compare($2, 2, $7, $4)
            if ($2 == "async") compare($2, 3, $7, $8)
            next
        }
        {
            bytes = $3
            compute_s = $4 + $5
            printf "\n%s: %.1f MB, %.0f ms of computation a step\n", $1, bytes / 1e6,
                   compute_s * 1e3
            print header "\n" columns
            for (w = 1; w <= 16; w *= 2)
                printf "%7d%s%s%s\n", w, cell["async", w], cell["sync", w], cell["allreduce", w]
            for (m = 1; m <= 3; m++) {
                x = layered[modes[m], 16]
                each = modes[m] == "allreduce" ? 2 * 15 / 16 / 16 : 1
                last[++n] = sprintf("%-13s  %-9s  %10.2f  %9.2f  %4.2f  %s", $1, modes[m],
                    x / (16 * layered[modes[m], 1]), x / 16 * compute_s,
                    x * each * bytes * byte_s, stop(x / 16 * compute_s, x * each * bytes * byte_s))
            }
        }
        END {
            print "\nWhat stops 16 workers, layer by layer: speed-up / 16, and the parts of the"
            print "time in which a worker computes, and in which a link carries data one way"
            print "network        mode       efficiency  computing  link"
            for (i = 1; i <= n; i++) print last[i]
            print "\nHow far predict is from the simulator, percent of its throughput: mean, most"
            print "mode       coarse from whole  overlap from layers  overlap from exp"
            for (m = 1; m <= 3; m++) {
                printf "%-9s", modes[m]
                for (i = 1; i <= 3 && count[modes[m], i] > 0; i++)
                    printf "  %*.1f %7.1f", i == 1 ? 9 : i == 2 ? 11 : 8,
                           sum[modes[m], i] / count[modes[m], i], most[modes[m], i]
                print ""
            }
        }' "$folder/rows"
}

# ---- Two servers -------------------------------------------------------------------

# shares TRACE: of two servers, in MiB, and all over the larger one.
shares() {
    awk -F, '$1 == 0 && $3 == "downlink" { held[$4] += $6 }
        END { most = held[0] > held[1] ? held[0] : held[1]
              printf "%.1f %.1f %.4f\n", held[0] / 1048576, held[1] / 1048576,
                     (held[0] + held[1]) / most }' "$1"
}

servers() {
    cut=$folder/cut.csv
    awk -F, -v OFS=, '$1 == "fc6" {
            $1 = "fc6a"; for (i = 2; i <= NF; i++) $i /= 2
            print; $1 = "fc6b"
        } { print }' "$layers/vgg11.csv" > "$cut"
    trace "$layers/vgg11.csv" async 1 > "$folder/one.csv"
    trace "$layers/vgg11.csv" async 2 > "$folder/two.csv"
    trace "$cut" async 2 > "$folder/cut_two.csv"
    echo "VGG-11 on two parameter servers, asynchronous, $bandwidth"
    set -- $(shares "$folder/two.csv")
    echo "whole layers: $1 and $2 MiB: a full link carries $3 times the steps of one server"
    set -- $(shares "$folder/cut_two.csv")
    echo "fc6 cut in 2: $1 and $2 MiB: a full link carries $3 times the steps of one server"
    echo "workers  service      one_server  two_servers   gain  gain_fc6_cut  gain_coarse"
    for service in traced exponential; do for workers in 1 2 4 8 16; do
        echo $workers $service \
            $(simulated "$folder/one.csv" async $workers 1 2000 $service) \
            $(simulated "$folder/two.csv" async $workers 2 2000 $service) \
            $(simulated "$folder/cut_two.csv" async $workers 2 2000 $service) \
            $(predicted "$layers/vgg11.csv" async $workers 1) \
            $(predicted "$layers/vgg11.csv" async $workers 2)
    done; done | awk '{ printf "%7d  %-11s  %10.3f  %11.3f  %.3f  %12.3f  %11.3f\n", $1, $2, $3, $4,
                        $4 / $3, $5 / $3, $7 / $6 }'
}

case $part in
    all)
        networks "$@"
        echo
        servers
        ;;
    *) $part "$@" ;;
esac

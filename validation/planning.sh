#!/bin/sh
# What plan says of the two networks of [YRHC15] on 20 machines, beside what the paper shows.
# Its constants are not published: those of planning.csv are chosen so that Table 1 comes out,
# and everything else follows from them. Nothing here is scored. See SOURCES.md.
#
#     sh validation/planning.sh              after `make`: all parts
#     sh validation/planning.sh PART         one of
#         table1   the rankings of Table 1
#         scaling  Figs. 2, 8 and 9: 1, 2, 4 workers, replicas or servers, 4 of the others
#         limits   MNIST: how far Table 1 and Fig. 8 can hold together, whatever the constants
#         parts    Fig. 11: what the epochs of Table 1 consist of
#         reads    Fig. 12: ImageNet-22K, by how often weights are read
#         output   Figs. 13 and 14: its output layer in four parts, or copied four times
#         all      Fig. 15: all configurations of 20 machines
#     sh validation/planning.sh check        exit 1 unless what SOURCES.md says of them holds
#
# SGDPERF names the program [build/sgdperf].
set -euf
here=$(dirname "$0")
program=${SGDPERF:-build/sgdperf}
part=${1:-every}
if [ $# -gt 1 ]; then part=none; fi
case $part in
    every | table1 | scaling | limits | parts | reads | output | all | check) ;;
    *)
        echo "usage: planning.sh [table1 | scaling | limits | parts | reads | output | all |" \
            "check]" >&2
        exit 2
        ;;
esac
if ! command -v "$program" > /dev/null; then
    echo "planning.sh: $program is not there: make builds it" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mnist_table="2/9/2 2/8/4 2/6/8 4/4/4 1/19/1 1/18/2 1/16/4 1/12/8"
imagenet_table="4/4/4 4/4/2 2/9/2 4/3/6 4/3/4 2/8/4 2/6/6 2/6/4"

# plan NETWORK OPTION...: on 20 machines, 16 threads, as CSV.
plan() {
    network=$1
    shift
    "$program" plan "$here/networks/$network.csv" --machines 20 --cores 16 --read-full \
        --constants "$here/planning.csv" --split '*=*/*/16' --format csv \
        --n-sample "$([ "$network" = mnist ] && echo 60000 || echo 15e6)" "$@"
}

# configs W/R/PS...: the options that rank these.
configs() {
    for config; do printf ' --config %s' "$config"; done
}

# columns NAME...: these columns of a CSV without quoted cells, separated by |.
columns() {
    awk -F, -v names="$*" '
        NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? "|" : "\n" }'
}

# ---- Table 1 -----------------------------------------------------------------------

# ranking NETWORK W/R/PS...: rank|W/R/PS|epoch|splits in the paper's order; our rank counts
# the faster ones, so that equal ones have the same. With the options in $also.
also=
ranking() {
    network=$1
    shift
    plan "$network" --max-replications 1 $also $(configs "$@") |
        columns workers replicas servers epoch_s splits |
        awk -F'|' -v paper="$*" '
            { c = $1 "/" $2 "/" $3; epoch[c] = $4; splits[c] = $5 }
            END {
                n = split(paper, config, " ")
                for (i = 1; i <= n; i++) {
                    rank = 1
                    for (c in epoch) if (epoch[c] < epoch[config[i]] * (1 - 1e-12)) rank++
                    printf "%d|%s|%.17g|%s\n", rank, config[i], epoch[config[i]],
                           splits[config[i]]
                }
            }'
}

show_ranking() {
    awk -F'|' -v title="$1" '
        NR == 1 {
            first = $3
            print title
            print "paper  rank   W/R/PS    epoch_s  slower  partitions of the layers"
        }
        {
            n = split($4, layer, " ")
            cut = ""
            for (i = 1; i <= n; i++) { split(layer[i], split_of, "/"); cut = cut " " split_of[1] }
            printf "%5d  %4d  %7s  %9.5g  %6.3f %s\n", NR, $1, $2, $3, $3 / first, cut
        }'
}

table1() {
    ranking mnist $mnist_table | show_ranking "Table 1, MNIST: workers / replicas / servers"
    cat << END
The best splits leave every layer whole: more workers pay through faster reads alone (Eq. 11).
In two parts everywhere MNIST is slower than whole (Fig. 8), and the order another.

END
    ranking imagenet22k $imagenet_table | show_ranking "Table 1, ImageNet-22K"
    cat << END
Two pairs are equal by Eq. 11, which knows no servers beyond the workers of a replica: 4/3/6
and 4/3/4, 2/6/6 and 2/6/4. The paper puts the one with more servers first.
END
}

# ---- Figs. 2, 8 and 9 --------------------------------------------------------------

# speedups NETWORK CUT OPTION...: dimension|1|2|4 against degree 1. CUT 1: every layer in as
# many parts as workers; 0: as many as is best.
speedups() {
    network=$1
    cut=$2
    shift 2
    for dimension in workers replicas servers; do
        printf '%s' $dimension
        for degree in 1 2 4; do
            case $dimension in
                workers) config=$degree/4/4 ;;
                replicas) config=4/$degree/4 ;;
                *) config=4/4/$degree ;;
            esac
            plan "$network" --max-replications 1 --config $config "$@" \
                $([ "$cut" = 0 ] || echo "--split *=${config%%/*}/1/16") |
                columns epoch_s | sed 's/^/|/' | tr -d '\n'
        done
        echo
    done | awk -F'|' '{ printf "%s|1|%.17g|%.17g\n", $1, $2 / $3, $2 / $4 }'
}

scaling() {
    echo "Figs. 2, 8 and 9: speed-up with 1, 2 and 4 of a dimension, 4 of the others"
    echo "network      dimension  eq. 11, all cut    eq. 11, best       eq. 10, all cut    paper"
    for network in mnist imagenet22k; do
        speedups $network 1 > "$folder/cut"
        speedups $network 0 > "$folder/best"
        speedups $network 1 --mix 1 > "$folder/worst"
        paste -d'|' "$folder/cut" "$folder/best" "$folder/worst" |
            awk -F'|' -v network=$network '
                function three(a, b, c) { return sprintf("%.2f %5.2f %5.2f", a, b, c) }
                BEGIN {
                    says["mnist", "workers"] = "1, 2, less than 4"
                    says["mnist", "replicas"] = "linear"
                    says["mnist", "servers"] = "none"
                    says["imagenet22k", "workers"] = "more than linear"
                    says["imagenet22k", "replicas"] = "about linear"
                    says["imagenet22k", "servers"] = "about linear to 2"
                }
                { printf "%-11s  %-9s  %-17s  %-17s  %-17s  %s\n", network, $1,
                         three($2, $3, $4), three($6, $7, $8), three($10, $11, $12),
                         says[network, $1] }'
    done
    cat << END
all cut: every layer in as many parts as there are workers; best: in as many as is best
What these constants do not give: MNIST linear to 2 workers (messages cost more than cutting
saves) and servers without gain (see limits), ImageNet-22K servers linear to 2 (its order of
Table 1 leaves reads too small a part of the epoch).
END
}

# ---- MNIST: Table 1 and Fig. 8 together ---------------------------------------------

# limit EQUATION TWO FOUR READ: an epoch of MNIST from numbers alone. TWO, FOUR: computing of a
# sample by 2 and 4 workers, messages included, by one is 1; READ: all weights from one server,
# per sample. Prints equation|order of Table 1 holds|speed-ups to 2 and 4 of workers, replicas,
# servers.
limit() {
    awk -v equation="$1" -v two="$2" -v four="$3" -v read="$4" -v table="$mnist_table" '
        function epoch(w, r, p,   reading) {
            reading = equation == 10 ? r * read : read / (p < w ? p : w)
            return reading + (w == 1 ? 1 : w == 2 ? two : four) / r
        }
        BEGIN {
            n = split(table, config, " ")
            for (i = 1; i <= n; i++) {
                split(config[i], x, "/")
                now = epoch(x[1], x[2], x[3])
                if (i > 1 && now <= before) wrong++
                before = now
            }
            printf "%s|%s", equation, wrong ? "no" : "yes"
            for (k = 2; k <= 4; k += 2) workers = workers "|" epoch(1, 4, 4) / epoch(k, 4, 4)
            for (k = 2; k <= 4; k += 2) replicas = replicas "|" epoch(4, 1, 4) / epoch(4, k, 4)
            for (k = 2; k <= 4; k += 2) servers = servers "|" epoch(4, 4, 1) / epoch(4, 4, k)
            print workers replicas servers
        }'
}

# Of a grid of TWO, FOUR and READ the points in the order of Table 1 with the largest gain of
# workers: with messages as by Eq. 6, at most twice as long in 4 parts as in 2; with any; and
# with any by Eq. 10.
all_limits() {
    limit 11 0.648 0.546 0.11194
    limit 11 0.5 0.4 0.0656
    limit 10 0.5 0.355 0.00242
}

limits() {
    echo "MNIST: the speed-ups of Fig. 8 that go with the order of Table 1, with free constants"
    echo "reads   messages  order  workers      replicas     servers"
    all_limits | awk -F'|' '{ printf "Eq. %d  %-8s  %-5s  %.2f %5.2f   %.2f %5.2f   %.2f %5.2f\n",
                              $1, NR == 1 ? "Eq. 6" : "any", $2, $3, $4, $5, $6, $7, $8 }'
    cat << END
the paper                2.00  <4     linear       1.00  1.00
By Eq. 11 servers gain 1.4 or more from 1 to 4, and with messages by Eq. 6, which take at most
twice as long in 4 parts as in 2, two workers gain 1.66 at most. By Eq. 10 all of Fig. 8 goes with
Table 1 if reading takes 0.24 to 0.28 % of the computing of one worker, and messages five times
as long in 4 parts as in 2. But 680,500 weights at 10 Gbit/s every 70 samples are 31 us a sample:
one sample would compute for 11 ms or more on 16 threads, 23 ns a multiply-add, where the machine
has 0.12. So what the paper says of MNIST cannot all hold by its equations.
END
}

# ---- Fig. 11 -----------------------------------------------------------------------

parts() {
    echo "Fig. 11: parts of an epoch, percent"
    echo "network       W/R/PS  forward  activations  backward  errors  update  latency  transfer"
    for network in mnist imagenet22k; do
        table=$mnist_table
        [ $network = mnist ] || table=$imagenet_table
        plan $network --max-replications 1 $(configs $table) |
            columns workers replicas servers epoch_s forward_s activations_s backward_s \
                errors_s update_s read_latency_s read_transfer_s |
            awk -F'|' -v network=$network '{
                split("9 13 10 8 8 9 10", width, " ")
                printf "%-11s  %7s", network, $1 "/" $2 "/" $3
                for (i = 1; i <= 7; i++) printf "%*.1f", width[i], 100 * $(i + 4) / $4
                print ""
            }'
    done
    echo "The paper compares parts with measured ones in a figure alone, without numbers."
}

# ---- Fig. 12 -----------------------------------------------------------------------

# reading N_read...: N_read|epoch|of it reading, for 4/4/4.
reading() {
    for n in "$@"; do
        plan imagenet22k --max-replications 1 --config 4/4/4 --n-read $n |
            columns epoch_s read_latency_s read_transfer_s |
            awk -F'|' -v n=$n '{ printf "%s|%.17g|%.17g\n", n, $1, $2 + $3 }'
    done
}

reads() {
    echo "Fig. 12: ImageNet-22K, 4/4/4, weights read after every N_read samples"
    echo "N_read    epoch_s  reading_s  percent"
    reading 35 70 100 150 300 |
        awk -F'|' '{ printf "%6d  %9.6g  %9.5g  %7.1f\n", $1, $2, $3, 100 * $3 / $2 }'
    echo "A straight line in 1 / N_read, falling as in the paper; writes are free."
}

# ---- Figs. 13 and 14 ---------------------------------------------------------------

# copies P/R OPTION...: 4/4/4 with the output layer so, all others in four parts.
copies() {
    split=$1
    shift
    plan imagenet22k --config 4/4/4 --split '*=4/1/16' --split "output=$split/16" "$@"
}

# both: in four parts, and copied: activations|forward|backward|update|read latency|read
# transfer of the output layer|errors of all layers|epoch.
both() {
    for split in 4/1 1/4; do
        copies $split --by-layer |
            columns layer activations_s forward_s backward_s update_s read_latency_s \
                read_transfer_s errors_s |
            awk -F'|' -v OFS='|' '{ errors += $8 }
                $1 == "output" { sub(/^output\|/, ""); sub(/\|[^|]*$/, ""); row = $0 }
                END { printf "%s|%.17g|", row, errors }'
        copies $split | columns epoch_s
    done
}

output() {
    echo "Figs. 13 and 14: output layer of ImageNet-22K on 4 workers, 4/4/4, other layers in 4"
    both | awk -F'|' '
        { for (i = 1; i <= NF; i++) x[NR, i] = $i }
        function row(name, i) {
            printf "%-22s %10.6g  %10.6g", name, x[1, i], x[2, i]
            if (x[2, i] > 0) printf "  %8.4g", x[1, i] / x[2, i]
            print ""
        }
        END {
            print "seconds of an epoch       4 parts    4 copies     ratio"
            row("forward", 2); row("backward", 3); row("update", 4)
            row("activations", 1); row("read latency", 5); row("read transfer", 6)
            row("errors, all layers", 7); row("epoch", 8)
            # What is read goes with 1 / N_read: where do both take as long?
            more = 70 * (x[2, 6] - x[1, 6])
            less = x[1, 8] - x[1, 6] - (x[2, 8] - x[2, 6])
            if (less > 0) printf "Copies pay where N_read is above %.3g.\n", more / less
            else print "Copies never pay: error terms cost more than activations save."
        }'
    cat << END
As the paper says, parts exchange four times the activations, and copies read four times the
weights. It finds copies better on its cluster; here, with N_read 70, they are not.
END
}

# ---- Fig. 15 -----------------------------------------------------------------------

# everything NETWORK COPIES: workers|replicas|servers|epoch, best first.
everything() {
    plan "$1" --max-replications "$2" --all | columns workers replicas servers epoch_s
}

all() {
    echo "Fig. 15: all configurations of 20 machines"
    echo "network      copies  number    best     best_s   worst    worst_s  ratio  best_to_4"
    for network in mnist imagenet22k; do for most in 1 19; do
        everything $network $most | awk -F'|' -v network=$network -v most=$most '
            { config = $1 "/" $2 "/" $3 }
            NR == 1 { best = config; least = $4 }
            $1 <= 4 && four == "" { four = config }
            END { printf "%-11s  %6s  %6d  %6s  %9.5g  %6s  %9.5g  %5.2f  %9s\n", network,
                         most == 1 ? "no" : "yes", NR, best, least, config, $4, $4 / least,
                         four }'
    done; done
    cat << END
copies: of a layer within a replica; best_to_4: with at most 4 workers of a replica, which is
what the paper's networks allow. The paper: 11.88 and 218.08 minutes for ImageNet-22K, 18.36.
END
    here_least=$(least_minutes "$(connections)")
    cat << END
Its absolute times contradict its own constants: 15 million samples of over 2 billion connections,
each a multiply-add forward, backward and in the weights, are $(least_minutes 2e9) minutes of
computing on 20 machines of 16 cores of 16.8 GFLOP/s, $here_least for the network here, if no core
ever waits; the paper's best epoch is 11.88. Ranks and ratios are compared, minutes are not.
END
}

# connections: of ImageNet-22K, without pooling.
connections() {
    awk -F, '
        /^#/ { next }
        !found { for (i = 1; i <= NF; i++) at[$i] = i; found = 1; next }
        $at["kind"] == "conv" {
            n += $at["c_in"] * $at["kernel"] ^ 2 * $at["c_out"] * $at["h_out"] * $at["w_out"]
        }
        $at["n_in"] != "" { n += $at["n_in"] * $at["n_out"] }
        END { printf "%.0f", n }' "$here/networks/imagenet22k.csv"
}

# least_minutes CONNECTIONS: of an epoch, if 320 cores do nothing but multiply and add.
least_minutes() { awk -v n="$1" 'BEGIN { printf "%.0f", 15e6 * n * 6 / (320 * 16.8e9) / 60 }'; }

# ---- Check -------------------------------------------------------------------------

# holds NAME CONDITION: an awk condition over the rows of standard input, whose cells are
# x[row, column] and whose number is n.
holds() {
    if awk -F'|' '{ n++; for (i = 1; i <= NF; i++) x[n, i] = $i }
            function same(a, b) { return a - b <= 1e-12 * a && b - a <= 1e-12 * a }
            END { exit !('"$2"') }'; then
        echo "ok      $1"
    else
        echo "failed  $1"
        failed=1
    fi
}

check() {
    failed=0
    ranking mnist $mnist_table > "$folder/mnist"
    ranking imagenet22k $imagenet_table > "$folder/imagenet"
    holds "Table 1, MNIST: strictly in order" 'n == 8 && x[1, 3] < x[2, 3] &&
        x[2, 3] < x[3, 3] && x[3, 3] < x[4, 3] && x[4, 3] < x[5, 3] && x[5, 3] < x[6, 3] &&
        x[6, 3] < x[7, 3] && x[7, 3] < x[8, 3]' < "$folder/mnist"
    holds "Table 1, ImageNet-22K: in order, 4/3/6 = 4/3/4 and 2/6/6 = 2/6/4" 'n == 8 &&
        x[1, 3] < x[2, 3] && x[2, 3] < x[3, 3] && x[3, 3] < x[4, 3] && same(x[4, 3], x[5, 3]) &&
        x[5, 3] < x[6, 3] && x[6, 3] < x[7, 3] && same(x[7, 3], x[8, 3])' < "$folder/imagenet"
    also="--mix 1"
    ranking mnist $mnist_table > "$folder/rows"
    also=
    holds "Table 1, MNIST: by Eq. 10 in another order" 'n == 8 && x[4, 3] < x[1, 3]' \
        < "$folder/rows"
    for config in 2/9/2 1/19/1; do
        plan mnist --config $config --split "*=${config%%/*}/1/16" | columns epoch_s
    done > "$folder/rows"
    holds "Table 1, MNIST: with all layers cut in another order" 'n == 2 && x[2, 1] < x[1, 1]' \
        < "$folder/rows"
    speedups imagenet22k 1 > "$folder/rows"
    holds "Fig. 9: ImageNet-22K, above 2 from 1 to 2 workers, above 4 to 4" \
        'n == 3 && x[1, 3] > 2 && x[1, 4] > 4' < "$folder/rows"
    holds "Fig. 9: above 1.8 from 1 to 2 replicas, servers gain less from 2 to 4" \
        'x[2, 3] > 1.8 && x[3, 4] / x[3, 3] < x[3, 3]' < "$folder/rows"
    speedups mnist 1 --mix 1 > "$folder/rows"
    holds "Fig. 8: by Eq. 10 servers give nothing" \
        'n == 3 && same(x[3, 3], 1) && same(x[3, 4], 1)' < "$folder/rows"
    all_limits > "$folder/rows"
    holds "Table 1 and Fig. 8, MNIST: Eq. 11 gains 1.4 by servers, Eq. 10 nothing" \
        'n == 3 && x[1, 2] == "yes" && x[2, 2] == "yes" && x[3, 2] == "yes" && x[1, 3] < 1.67 &&
        x[2, 8] > 1.4 && x[3, 3] > 1.9 && x[3, 6] > 3.5 && same(x[3, 8], 1)' < "$folder/rows"
    reading 70 140 280 > "$folder/rows"
    holds "Fig. 12: falls with N_read, and by what is read" 'n == 3 && x[1, 3] > 0 &&
        same(x[1, 3], 2 * x[2, 3]) && same(x[1, 2] - x[1, 3], x[3, 2] - x[3, 3]) &&
        x[1, 2] > x[2, 2] && x[2, 2] > x[3, 2]' < "$folder/rows"
    both > "$folder/rows"
    holds "Fig. 14: activations 4 : 1, weights 1 : 4, computation equal" 'n == 2 &&
        x[1, 6] > 0 && x[2, 1] > 0 && same(4 * x[1, 6], x[2, 6]) && same(x[1, 2], x[2, 2]) &&
        same(x[1, 3], x[2, 3]) && same(x[1, 4], x[2, 4]) && same(x[1, 1], 4 * x[2, 1])' \
        < "$folder/rows"
    everything imagenet22k 1 > "$folder/rows"
    holds "Fig. 15: ImageNet-22K, of 534 the worst takes above 10 times the best" \
        'n == 534 && x[n, 4] > 10 * x[1, 4]' < "$folder/rows"
    awk -F'|' '$1 <= 4' "$folder/rows" > "$folder/four"
    holds "Table 1: of all with at most 4 workers 4/4/4 is the best for ImageNet-22K" \
        'x[1, 1] == 4 && x[1, 2] == 4 && x[1, 3] == 4' < "$folder/four"
    least_minutes "$(connections)" > "$folder/least"
    holds "Fig. 15: 11.88 minutes are less than a fiftieth of the computing" \
        'n == 1 && x[1, 1] > 50 * 11.88 && x[1, 1] < 53 * 11.88' < "$folder/least"
    everything mnist 1 > "$folder/rows"
    holds "Table 1: of all 2/9/2 is the best for MNIST" \
        'n == 534 && x[1, 1] == 2 && x[1, 2] == 9 && x[1, 3] == 2' < "$folder/rows"
    return $failed
}

if [ "$part" = every ]; then
    for part in table1 scaling limits parts reads output all; do
        [ $part = table1 ] || echo
        $part
    done
else
    $part
fi

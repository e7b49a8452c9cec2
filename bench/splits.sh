#!/bin/sh
# How long `sgdperf advise --pipeline` takes for all splits of 512 accelerators: groups of 1, 2, 4
# and 8, pipelines of 1 to 64 stages of 96 layers, 1 to 256 micro-batches, both shardings.
#
#     sh bench/splits.sh      after `make`: splits, those that are timed, processor seconds of a run
#
# The program is $SGDPERF, or sgdperf in $BUILD (build). The target is 0.1 s.
set -eu
program=${SGDPERF:-${BUILD:-build}/sgdperf}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk 'BEGIN {
    OFS = ","
    print "layer,bytes,tensors,forward_s,backward_s,update_s,activations_bytes,output_bytes,group"
    for (t = 1; t <= 8; t *= 2) {
        f = (1 + 0.02 * t) / t
        print "embed", "1200000000", "1200000000", 0, 0, 2e-3 / t, 0, 50e6, t
        for (i = 1; i <= 94; i++)
            print "block" i, "7200000000", "7200000000", 40e-3 * f, 80e-3 * f, 1e-3 / t,
                900e6 / t, 50e6, t
        print "head", "1200000000", "1200000000", 20e-3 * f, 40e-3 * f, 2e-3 / t, 400e6 / t, 0, t
    } }' > "$folder/layers.csv"

# advise MEMORY: one run.
advise() {
    "$program" advise --mode allreduce --layers "$folder/layers.csv" --workers 512 --gpus 8 \
        --local-bandwidth 250GB/s --bandwidth 400Gbps --latency 10us --local-latency 3us \
        --precision mixed --pipeline 1,2,4,8,16,32,64 --accumulate 1,2,4,8,16,32,64,128,256 \
        --memory "$1" > "$folder/answer" 2> "$folder/notes"
}

echo 'memory  splits  timed  seconds'
for memory in 16GB 80GB 1TB; do
    (
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do advise $memory; done
        times
    ) | tail -n 1 > "$folder/time"
    awk -v memory=$memory '/^  of / { splits = $2; timed = $4 } /^[0-9]+m/ { for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); s += (60 * t[1] + t[2]) / 20 } }
        END { printf "%6s  %6d  %5d  %7.3f\n", memory, splits, timed, s }' \
        "$folder/answer" "$folder/time"
done

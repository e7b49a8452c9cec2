#!/bin/sh
# The picture of the README: sh plots/curve.sh OUT.svg. ResNet-32 was trained on 1 to 8 P100
# (CM-DARE). Its runs on one parameter server give the bandwidth of the link. From that and
# from the step of one worker the program predicts the throughput on two servers, and draws it
# beside the measured one. It needs no other program, so the picture is the same everywhere.
set -eu
sgdperf=${SGDPERF:-build/sgdperf}
out=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# rows_on SERVERS: what 1 to 8 workers reached.
rows_on() {
    awk -F , -v curve="resnet32-p100-$1ps-k" '
        /^dataset,/ { print "workers,batches_per_s,role,batches_per_s_sd" }
        index($2, curve) == 1 { print $4 "," $13 "," $16 "," $19 }' validation/datasets/cmdare.csv
}

job='--mode async --model-size 7430888 --update 0'
rows_on 1 | sed 2d > "$folder/one.csv" # one worker's row is the step below
rows_on 2 > "$folder/two.csv"
bandwidth=$("$sgdperf" calibrate "$folder/one.csv" $job --step 87.153ms --fit bandwidth \
    --format csv | awk -F , 'END { print $NF }')
"$sgdperf" predict $job --step 79.754ms --servers 2 --bandwidth "${bandwidth}B/s" \
    --inputs calibrated --workers 1-8 --format csv > "$folder/curve.csv"
"$sgdperf" plot "$folder/curve.csv" --points "$folder/two.csv" --engine own --out "$out" \
    --title 'ResNet-32 on 1 to 8 P100: calibrated on 1 server, predicted on 2' > "$folder/said"

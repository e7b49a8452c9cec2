# sgdperf advise by layers: what is compared by hand, what fits, what is said, bad input.
. tests/cli.sh

cp "$root/tests/data/three.csv" .
base='advise three.csv --mode allreduce --collective ring'
two="$base --workers 2 --bandwidth 1B/s"

# expect_rows "COLUMN COLUMN ..." "VALUES" ARGUMENT...: of the CSV, all rows on one line.
expect_rows() {
    columns=$1
    want=$2
    shift 2
    run "$@" --format csv
    got=$(awk -F, -v columns="$columns" '
        NR == 1 { n = split(columns, c, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (k = 1; k <= n; k++) printf "%s%s", $at[c[k]] == "" ? "-" : $at[c[k]], k < n ? ":" : " "
        }' .stdout)
    [ "$status" -eq 0 ] && [ "${got% }" = "$want" ]
    check $? "want $want, got $got" "$@"
}

# ---- Steps by hand: those of tests/cli/replica.sh
expect_rows 'workers sharding accumulate bucket_bytes step_s memory_bytes' \
    '2:ddp:1:26214400:30:80 2:ddp:2:26214400:39:80 2:ddp:4:26214400:57:80' $two --sharding ddp
expect_rows 'sharding accumulate step_s memory_bytes' 'ddp:1:30:80 zero-1:1:29.5:60 fsdp:1:39.5:72' \
    $two --sharding ddp,zero-1,fsdp --accumulate 1 --unit 1B --prefetch 0
expect_rows 'sharding bucket_bytes' 'ddp:16 ddp:26214400 fsdp:-' \
    $two --sharding ddp,fsdp --accumulate 1 --first-bucket 16B --bucket 16B,25MiB
expect_rows 'collective step_s' 'ring:30 tree:50' \
    advise three.csv --mode allreduce --workers 2 --bandwidth 1B/s --sharding ddp --accumulate 1 \
    --collective ring,tree
# One worker exchanges nothing: one way of each number of micro-batches. Inside a machine hsdp is
# fsdp. Computing of half the time, links twice as fast.
expect_rows 'workers sharding step_s' '1:ddp:10 1:ddp:19 1:ddp:37' $base --workers 1
expect_rows 'workers sharding' '2:ddp 2:zero-1 2:zero-2 2:fsdp 4:ddp 4:zero-1 4:zero-2 4:fsdp 4:hsdp' \
    $base --workers 2,4 --gpus 2 --bandwidth 1B/s --local-bandwidth 1B/s --accumulate 1
expect_rows 'offer step_s cost' 'a:30:60 b:15:60' $two --sharding ddp --accumulate 1 --steps 2 \
    --offer a,1/s,1,1B/s --offer b,2/s,0.5,2B/s
# A profile is spread evenly: pieces of 1 MiB, of 2, and each of 2 s of the backward pass: they
# are there at 4 and 6, and are exchanged in 1 s each.
expect_rows 'sharding step_s' 'ddp:7' advise --mode allreduce --workers 2 --bandwidth 1MiB/s \
    --forward 2s --backward 4s --model-size 2MiB --sharding ddp --accumulate 1 --bucket 1MiB \
    --collective ring
printf '%s\n' forward_s,backward_s,update_s,model_bytes 2,4,1,2097152 > profile.csv
expect_rows 'sharding step_s' 'ddp:8' advise profile.csv --mode allreduce --workers 2 \
    --bandwidth 1MiB/s --sharding ddp --accumulate 1 --bucket 1MiB --collective ring

# ---- Which of them: the quickest that fits; more micro-batches only where they are named
one="$two --sharding ddp,zero-1,fsdp --unit 1B --prefetch 0 --bucket 25MiB"
# Nothing fits: nothing is recommended, and the best estimate is of what needs least.
for format in table json csv; do
    run $one --memory 10B --format $format
    holds "want status 3, got $status" [ "$status" -eq 3 ]
done
run $one --memory 10B
matches "$(cat .stdout)" 'nothing fits into 1e-08 GB: nothing is recommended
nearest: zero-1, buckets of 25 MiB on 2 workers, *
  why: zero-1 on 2 workers needs least, 6e-08 GB

ways on 2 workers*'
check $? 'want nothing recommended' $one --memory 10B
run $one --memory 10B --format json
matches "$(cat .stdout)" '*"status":"nothing_fits","recommendation":null,"nearest":{"workers":2,*'
check $? 'want recommendation null' $one --memory 10B --format json
zero="$two --sharding zero-1 --bucket 25MiB"
# 79 bytes are 60 and activations: of twice the batch 60 + 2 x 19 would be needed.
run $zero --memory 90B --activations 19B
matches "$stderr" '*note: twice the batch does not fit into --memory*' &&
    ! grep -q 'help most.*twice the batch' .stdout
check $? 'want no twice the batch' $zero --memory 90B --activations 19B

# ---- What is left out or assumed is said
expect_note '*no --memory was given: memory is not checked*' $two
expect_note '*no --activations were given*' $two --memory 1kB
run $two --memory 1B                   # status 3
holds 'want a note' matches "$stderr" '*no way to train fits into --memory*'
expect_note '*bucket sizes are not compared without --latency*' $two
expect_note '*bucket sizes are not compared: local SGD has no buckets*' $two --local-steps 2 --latency 1us
expect_note '*more micro-batches a step are shown but not recommended*' $two
expect_note '*intervals are missing for *' $two
expect_note '*fsdp, hsdp are left out: they have no model with --overlap-exponent*' $two --overlap-exponent 2
expect_note '*zero-1, zero-2, fsdp, hsdp are left out: they have no model with --local-steps*' $two --local-steps 2
expect_note '*no table of layers is given: the 2.097e+06 bytes of profile.csv and the compute time *' \
    advise profile.csv --mode allreduce --workers 2 --bandwidth 1MiB/s --memory 1GB
expect_note '*--workers: 3, 5, 7 left out, as they do not fill machines of 2*' \
    $base --workers 2-8 --gpus 2 --bandwidth 1B/s --local-bandwidth 1B/s

# Buckets below 1 MiB are compared only where they are asked for.
awk 'BEGIN { print "layer,bytes,forward_s,backward_s,update_s,tensors"
    for (i = 0; i < 9; i++) print i ",524288,1,2,0,524288" }' > large.csv
large='advise large.csv --mode allreduce --workers 4 --bandwidth 1MB/s --latency 1ns --sharding ddp'
large="$large --accumulate 1 --first-bucket 1B"
expect_rows bucket_bytes '26214400 1048576' $large
expect_rows bucket_bytes 524288 $large --bucket auto

cli_report advise_ways

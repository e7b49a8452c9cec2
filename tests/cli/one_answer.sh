# One job has one answer: random jobs over links as their makers declare them, asked by totals,
# by layers, by replay, with --memory and by advise; and how to ask otherwise.
. tests/cli.sh

# job SEED: a job at random, as the options of a profile, in the files layers.csv, whole.csv
# and profile.csv.
job() {
    awk -v seed="$1" 'function pick(n) { return int(rand() * n) }
    BEGIN {
        srand(seed); rand()
        split("10 25 100 400", link); split("64 200 600 2400", inside); split("1 1 2 4 8", g)
        split("1 2 4 8 16 32 64", two)
        n = 1 + pick(40); M = 4 * int(1e6 * (1 + 400 * rand() * rand())); C = 0.02 + rand() * rand()
        F = C * (0.2 + 0.3 * rand()); U = pick(2) * 0.1 * C
        gpus = g[1 + pick(5)]; machines = two[gpus > 1 ? 1 + pick(6) : 2 + pick(6)]
        head = "layer,bytes,forward_s,backward_s,update_s,tensors"
        print head > "layers.csv"; print head > "whole.csv"
        for (i = 0; i < n; i++)
            printf "%d,%d,%.17g,%.17g,%.17g,%d\n", i, M, F / n, (C - F) / n, U / n, M > "layers.csv"
        printf "0,%.0f,%.17g,%.17g,%.17g,%.0f\n", M * n, F, C - F, U, M * n > "whole.csv"
        print "forward_s,backward_s,update_s,model_bytes" > "profile.csv"
        printf "%.17g,%.17g,%.17g,%.0f\n", F, C - F, U, M * n > "profile.csv"
        printf "--mode allreduce --workers %d --bandwidth %dGbps", machines * gpus, link[1 + pick(4)]
        if (gpus > 1) printf " --gpus %d --local-bandwidth %dGbps", gpus, inside[1 + pick(4)]
        if (pick(2)) printf " --latency 20us"
        if (pick(3) == 0) printf " --exposure %.1f", pick(8) / 4
        if (pick(3) == 0) printf " --growth %.2f", pick(4) / 20
        split("fsdp mxnet-amp paddlepaddle-amp", stack); split("ec2 ib-edr gce-gvnic", kind)
        if (pick(3) == 0) printf " --stack %s", stack[1 + pick(3)]
        if (pick(4) == 0) printf " --network %s", kind[1 + pick(3)]
        if (gpus > 1 && pick(3) == 0) printf " --local-network %s", kind[1 + pick(3)]
        if (gpus > 1 && pick(4) == 0) printf " --growth-between %.2f", pick(4) / 20
        if (pick(5) == 0) printf " --batch 8 --input-rate %d", 8 * (1 + pick(200))
        if (pick(3) == 0) printf " --alltoall-size %dMB", 1 + pick(400)
        print ""
    }'
}

# same ARGUMENT...: within 0.1 % of $want, which a pass of `answers` sets.
same() { expect_number batches_per_s "$want" 1e-3 "$@"; }

runs=12
[ -n "${TEST_FULL:-}" ] && runs=200
seed=0
while [ $seed -lt "$runs" ]; do
    seed=$((seed + 1))
    links=$(job $seed)
    run predict $links --profile profile.csv --format json
    want=$(printf '%s\n' "$stdout" | sed 's/.*"batches_per_s":\([^,]*\),.*/\1/')
    same advise profile.csv $links
    same predict $links --layers layers.csv
    same predict $links --layers whole.csv --memory 1TB
    same predict $links --layers layers.csv --bucket 1MB --inputs declared
    same advise profile.csv $links --memory 1TB --sharding ddp --accumulate 1
    same advise layers.csv $links --sharding ddp --accumulate 1
    case $links in *--input-rate*) continue ;; esac               # which simulate does not know
    same simulate $links --layers layers.csv --steps 5 --warmup 0
    case $links in *--latency* | *--network*) continue ;; esac    # which a trace has of each exchange
    for table in layers whole; do
        "$program" trace-from-layers $table.csv > trace.csv
        same simulate trace.csv $links --steps 5 --warmup 0
    done
done

# ---- How else to ask, and what says so
links='--mode allreduce --workers 8'
{ echo layer,bytes,forward_s,backward_s,update_s,tensors
  for layer in 1 2 3 4 5 6 7 8; do echo $layer,8000000,0.01,0.02,0.001,8000000; done; } > layers.csv
{ echo forward_s,backward_s,update_s,model_bytes; echo 0.08,0.16,0.008,64e6; } > profile.csv
layers="--layers layers.csv"
hidden='*note: exchanges overlap with computation as far as buckets allow; without overlap 8 workers *'
exposed='*note: exchanges are assumed not to overlap with computation; if buckets hid exchanges, 8 *'
expect_note "$exposed" predict $links $layers --bandwidth 10Gbps
expect_note '*note: the links are assumed as declared: *' predict $links $layers --bandwidth 10Gbps
expect_note "$hidden" predict $links $layers --bandwidth 5Gbps
expect_note "$hidden" predict $links $layers --bandwidth 10Gbps --inputs measured
for as in '--bandwidth 10Gbps --overlap' '--bandwidth 5Gbps --overlap' \
    '--bandwidth 10Gbps --overlap-exponent 2' '--bandwidth 10Gbps --interference 1.5'; do
    expect_none '*note: exchanges are *' predict $links $layers $as
    expect_none '*note: the links are taken*' predict $links $layers $as
done
expect_note '*note: the links are assumed as declared: *' simulate $links $layers --bandwidth 10Gbps
expect_none '*note: the links are taken*' simulate $links $layers --bandwidth 10Gbps --overlap
expect_none '*note: the links are taken*' \
    simulate $links $layers --bandwidth 10Gbps --inputs measured
# The latency of a kind of network is paid once a step, with --gpus 1 and without.
"$program" trace-from-layers layers.csv > trace.csv
for kind in ethernet-25 ib-edr 'ec2 --bandwidth 25Gbps'; do
    run predict --mode allreduce --workers 64 --profile profile.csv --network $kind --format json
    want=$(printf '%s\n' "$stdout" | sed 's/.*"batches_per_s":\([^,]*\),.*/\1/')
    same predict --mode allreduce --workers 64 $layers --network $kind
    for gpus in '' '--gpus 1'; do
        same simulate trace.csv --mode allreduce --workers 64 --network $kind $gpus --steps 5 \
            --warmup 0
    done
done
# What is sharded exchanges half as much again, as predict has it, replayed too.
for shards in zero-1 zero-2 fsdp; do
    run predict $links $layers --bandwidth 10Gbps --sharding $shards --accumulate 1 --format json
    want=$(printf '%s\n' "$stdout" | sed 's/.*"batches_per_s":\([^,]*\),.*/\1/')
    same simulate $links $layers --bandwidth 10Gbps --sharding $shards --steps 5 --warmup 0
done
# Names of operations go with them where a step is put in order.
file trace.csv <<'TRACE'
step,op,resource,duration_s,bytes,waits_for,name
0,0,worker,1,,,forward
0,1,worker,1,,0,late
0,2,uplink,,1.25e9,1,early gradients
0,3,server,0.5,,2,update
0,4,worker,2,,1,backward
0,5,uplink,,1.25e9,4,gradients
TRACE
expect_number makespan_s 7.1 1e-12 simulate trace.csv --mode allreduce --workers 2 \
    --bandwidth 10Gbps --steps 1 --warmup 0 --timeline drawn.json
grep -q '"name":"early gradients",[^}]*"ts":4100000' drawn.json
check $? 'want gradients to follow all computing' --timeline
expect_number makespan_s 5 1e-12 simulate trace.csv --mode allreduce --workers 2 \
    --bandwidth 10Gbps --steps 1 --warmup 0 --overlap
expect_number makespan_s 7.1 1e-12 simulate trace.csv --mode allreduce --workers 2 \
    --bandwidth 10Gbps --gpus 1 --steps 1 --warmup 0
for option in '--exposure 0.5' '--growth 0.1'; do
    expect_error "sgdperf: ${option% *}: cannot be combined with --overlap*" \
        simulate trace.csv --mode allreduce --workers 2 --bandwidth 1Gbps --overlap $option
    expect_error "sgdperf: ${option% *}: needs --mode allreduce" \
        simulate trace.csv --mode sync --workers 2 --bandwidth 1Gbps $option
    expect_error "sgdperf: ${option% *}: *cannot be combined with*" predict $links $layers --bandwidth 1Gbps \
        --overlap $option
    expect_error "sgdperf: ${option% *}: 'nan' *" predict $links $layers ${option% *} nan
done
expect_error "sgdperf: --exposure: '-1' is negative" predict $links $layers --exposure -1
expect_none '*note: exchanges are *' predict $links $layers --bandwidth 10Gbps --exposure 0.5
expect_error "sgdperf: --order: needs --overlap or --inputs measured: *" simulate trace.csv \
    --mode allreduce --workers 2 --bandwidth 10Gbps --order reverse
expect_status 0 simulate trace.csv --mode allreduce --workers 2 --bandwidth 10Gbps --warmup 0 \
    --order reverse --overlap
for option in --overlap '--inputs declared'; do
    expect_error "sgdperf: ${option%% *}: needs --mode allreduce" \
        simulate trace.csv --mode sync --workers 2 --bandwidth 10Gbps $option
done
# What is calibrated is not declared, but exposure and growth that calibrate found count alike.
told="$links --bandwidth 25Gbps --inputs calibrated --exposure 0.7 --growth 0.05"
run predict $told --profile profile.csv --format json
want=$(printf '%s\n' "$stdout" | sed 's/.*"batches_per_s":\([^,]*\),.*/\1/')
same predict $told $layers
same simulate $told $layers --steps 5 --warmup 0
run simulate $links $layers --bandwidth 25Gbps --inputs measured --steps 5 --warmup 0 --format json
want=$(printf '%s\n' "$stdout" | sed 's/.*"batches_per_s":\([^,]*\),.*/\1/')
same simulate $links $layers --bandwidth 25Gbps --inputs calibrated --steps 5 --warmup 0
expect_error "sgdperf: --inputs: 'known' is not one of measured, declared, calibrated" \
    simulate trace.csv --mode allreduce --workers 2 --bandwidth 10Gbps --inputs known
expect_error "sgdperf: --collective: 'cluster' cannot be combined with --protocols" predict $links $layers \
    --bandwidth 10Gbps --collective cluster --protocols $root/validation/collectives/nccl.csv
expect_note '*note: model hierarchical gives each of the 8 accelerators of a machine its own link *' \
    predict --mode allreduce --workers 16 --gpus 8 --local-bandwidth 600Gbps --step 1s \
    --bandwidth 100Gbps --model-size 1GB --model hierarchical
# What is within the deadline by more micro-batches alone is said so.
expect_stdout '*: nothing is within the deadline of 3 min; *; 4 micro-batches a step (--accumulate) are within, of a larger total batch*' \
    advise --mode allreduce --workers 16 --bandwidth 10Gbps --forward 50ms --backward 100ms \
    --model-size 4GB --steps 1000 --deadline 3min --memory 1TB

cli_report one-answer

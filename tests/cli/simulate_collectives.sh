# sgdperf simulate --mode allreduce on machines of accelerators: the steps that predict has,
# steps by hand, what varies, bad input.
. tests/cli.sh

resnet=$root/validation/datasets/layers/pipedream/resnet50.csv
nccl=$root/validation/collectives/nccl.csv

cp "$root/tests/data/three.csv" .
layers='simulate --mode allreduce --layers three.csv --warmup 0 --steps 4'
three="$layers --workers 2 --collective ring"
two="$three --bandwidth 1B/s"

# ---- By hand, as in replica.sh: four steps of each
expect_number makespan_s 108 1e-12 $two --first-bucket 16B --bucket 16B
expect_number exchanges 2 0 $two --first-bucket 16B --bucket 16B
expect_number exchange_s 20 1e-12 $two
expect_number batches_per_s 0.074074074074074074 1e-12 $two --first-bucket 16B --bucket 16B
expect_number makespan_s 144 1e-12 $two --first-bucket 1B --bucket 1B --latency 1.5s
expect_number makespan_s 120 1e-12 $two --bucket 25MiB --first-bucket 1MiB
expect_number makespan_s 120 1e-12 $two
expect_number makespan_s 106 1e-12 $two --first-bucket 16B --bucket 16B --sharding zero-1
expect_number makespan_s 142 1e-12 $two --sharding fsdp --unit 1B
expect_number makespan_s 158 1e-12 $two --sharding fsdp --unit 1B --prefetch 0
expect_number makespan_s 142 1e-12 $three --gpus 2 --local-bandwidth 1B/s --sharding hsdp --unit 1B \
    --overlap
expect_number makespan_s 40 1e-12 $layers --workers 1
expect_number makespan_s 136 1e-12 $layers --workers 4 --bandwidth 1B/s --collective byteps --cpu-machines 2
# {8}, {8} and {4} at once: 3 s of messages beside each other, 6-9, and 20 bytes by 29; the
# last is there at 9 and waits till 12, then the three share.
expect_number makespan_s 120 1e-12 $two --first-bucket 1B --bucket 1B --latency 1.5s --streams 3
# Two rings of half of the link each.
expect_number makespan_s 188 1e-12 $two --first-bucket 16B --bucket 16B --flow-cap 0.5B/s
expect_number makespan_s 108 1e-12 $two --first-bucket 16B --bucket 16B --flow-cap 0.5B/s --rings 2
expect_number utilization.:.*.network 0.740740740740740 1e-12 $two --first-bucket 16B --bucket 16B

# ---- What predict says, for whole networks: same_as_predict ARGUMENT...
same_as_predict() {
    for overlap in --overlap --inputs; do
        [ $overlap = --overlap ] || overlap='--inputs declared'
        run predict --mode allreduce --layers $resnet "$@" $overlap --format csv
        want=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "step_s") at = i }
                        NR == 2 { printf "%.17g", 10 * $at }' .stdout)
        expect_number makespan_s "$want" 1e-9 simulate --mode allreduce --layers $resnet "$@" \
            $overlap --steps 10 --warmup 0
    done
}
machines="--gpus 8 --local-bandwidth 100GB/s --latency 20us --local-latency 3us"
for sharding in ddp zero-1 zero-2 fsdp hsdp; do
    for workers in 1 8 512; do
        same_as_predict $machines --bandwidth 25Gbps --workers $workers --sharding $sharding
    done
    same_as_predict --bandwidth 10Gbps --latency 50us --workers 12 --sharding $sharding \
        --protocols $root/validation/collectives/gloo.csv --flow-cap 5Gbps
    same_as_predict $machines --bandwidth 25Gbps --workers 64 --protocols $nccl --rings 2 \
        --flow-cap 5Gbps --sharding $sharding
done
for collective in ring:flat ring:split ring:inside ring:pipelined halving:split doubling:inside \
    tree:inside double-tree:inside double-tree:pipelined; do
    same_as_predict $machines --bandwidth 25Gbps --workers 128 --collective $collective \
        --bucket 4MiB --first-bucket 300kB
done
for sharding in ddp zero-1 fsdp hsdp; do
    same_as_predict $machines --bandwidth 25Gbps --workers 64 --sharding $sharding --accumulate 3
    run predict --mode allreduce --layers $resnet $machines --bandwidth 25Gbps --workers 64 \
        --sharding $sharding --accumulate 3 --format csv
    expect_number batches_per_s "$(awk -F, 'NR == 2 { print $3 }' .stdout)" 1e-9 simulate \
        --mode allreduce --layers $resnet $machines --bandwidth 25Gbps --workers 64 --warmup 0 \
        --sharding $sharding --accumulate 3 --steps 10
done
# Updates of a trace are elsewhere than those of a table, which a note says.
"$program" trace-from-layers "$resnet" | sed '/,server,/s/,0,[^,]*,,/,0,0.001,,/' > updates.csv
step="--mode allreduce --workers 64 $machines --bandwidth 25Gbps --steps 20 --warmup 0"
expect_note '*note: each update of the trace runs right after its exchange, *after the last *exchange*' \
    simulate updates.csv --bucket 25MiB $step --overlap
expect_none '*updates of a trace*' simulate updates.csv --bucket 25MiB $step
expect_none '*updates of a trace*' simulate --layers "$resnet" $step
for unit in 1MB 10MB; do
    same_as_predict $machines --bandwidth 25Gbps --workers 64 --sharding fsdp --unit $unit \
        --prefetch 2
done
for library in $root/validation/collectives/*.csv; do
    head -n 40 "$library" | grep -q '^\(protocol,\)*collective,' || continue
    same_as_predict $machines --bandwidth 200Gbps --workers 64 --protocols "$library"
done
run simulate --mode allreduce --layers $resnet $machines --bandwidth 25Gbps --sweep 8,64,512 \
    --inputs measured
matches "$stdout" 'allreduce, ddp, *
workers  exchanges  exchange_s  network *local
      8          5  *
     64          5  *' && [ "$status" -eq 0 ] && [ -z "$stderr" ]
check $? 'a table of three points' --sweep

# ---- Traces: uplinks one by one, or in buckets in the order in which they are ready
file trace.csv <<'END'
step,op,resource,duration_s,bytes,waits_for,name
0,0,downlink,,99,,model
0,1,worker,1,,0,first
0,2,uplink,,8,1,a
0,3,worker,2,,1,second
0,4,uplink,,6,3,b
0,5,server,0.5,,2 4,update
END
trace='simulate trace.csv --mode allreduce --workers 2 --bandwidth 1B/s --warmup 0 --steps 4'
trace="$trace --collective ring"
expect_number makespan_s 62 1e-12 $trace
expect_number makespan_s 70 1e-12 $trace --bucket 1MB
expect_number makespan_s 62 1e-12 $trace --bucket 1MB --first-bucket 8B
expect_number makespan_s 70 1e-12 $trace --bucket 1MB --first-bucket 9B
# Gathered 49.5 s; then the uplinks take half as long.
expect_number makespan_s 232 1e-12 $trace --sharding fsdp
expect_stdout '*"sharding":"ddp",*"exchanges":2,*"bucket_bytes":null,*' $trace --format json
expect_stdout '*"gpus":1,"streams":2,*"bucket_bytes":1000,*"link_utilization":{"network":*' \
    $trace --format json --streams 2 --bucket 1kB
expect_number 'waiting_share":.*uplink' 0.77419354838709675 1e-12 $trace
expect_number 'waiting_share":.*server' 0.032258064516129031 1e-12 $trace
# One machine needs no network.
expect_number makespan_s 62 1e-12 simulate trace.csv --mode allreduce --workers 2 --warmup 0 \
    --steps 4 --gpus 4 --local-bandwidth 1B/s --overlap
# Of a slow and a fast worker the fast one waits.
sed 's/worker,2,,1/worker,5,,1/' trace.csv > slow.csv
expect_number makespan_s 62 1e-12 simulate trace.csv slow.csv --mode allreduce --workers 1,1 \
    --bandwidth 1B/s --warmup 0 --steps 4 --latency 0
expect_stdout '*"barrier":0}}*' $trace --format json
run simulate trace.csv slow.csv --mode allreduce --workers 1,1 --bandwidth 2B/s --warmup 0 \
    --steps 4 --latency 0 --format json
case $stdout in *'"types":'*'"barrier":0.'*'"barrier":0}}'*) pass ;;
    *) fail 'the fast worker waits for the slow one' slow.csv ;; esac
# Steps that vary: the slowest of the workers, and the same for the same seed.
awk 'NR == 1 || /^0/ { print } /^0/ { sub(/^0/, 1); sub(/worker,2/, "worker,9"); print }' \
    trace.csv > vary.csv
vary='simulate vary.csv --mode allreduce --bandwidth 1kB/s --latency 0 --steps 200 --workers'
run $vary 1 --format csv
one=$(cut -d, -f4 .stdout | tail -n 1)
run $vary 64 --format csv
many=$(cut -d, -f4 .stdout | tail -n 1)
awk -v one="$one" -v many="$many" 'BEGIN { exit !(one > 1100 && one < 1700 && many > 2090 && many < 2110) }'
check $? "of 64 one nearly always takes 9 s: $one, $many" vary.csv
run $vary 2 --runs 3 --format json
case $stdout in *'"ci95_half_width":0,'* | *'"ci95_half_width":null'*)
    fail 'an interval' vary.csv ;; *) pass ;; esac
run $trace --timeline t.json
[ "$status" -eq 0 ] && grep -q '"ts":' t.json && grep -q second t.json
check $? 'a timeline' $trace --timeline t.json
run ${trace% --steps 4*} --steps 3 --step-ends --format csv --gpus 1
[ "$(tr '\n' ' ' < .stdout)" = \
  'worker,step,end_s 0,0,15.5 0,1,31 0,2,46.5 1,0,15.5 1,1,31 1,2,46.5 ' ]
check $? 'ends of steps' $trace --step-ends

# ---- What it is not
run $two --first-bucket 1B --bucket 1B
case $stderr in *'no --latency was given'*) pass ;; *) fail 'want a note on latency' $two ;; esac
run $two --first-bucket 1B --bucket 1B --latency 1us
case $stderr in '') pass ;; *) fail 'want no note' $two --latency ;; esac

# ---- Bad input: every option with what it does not take
for option in --latency --local-bandwidth --local-latency --bucket --first-bucket --unit; do
    for value in -1 x nan ''; do
        expect_error "sgdperf: $option: *" $two --sharding ddp $option "$value"
    done
done
for option in --gpus --streams --rings --prefetch; do
    for value in -1 x 1.5 99999999999; do
        expect_error "sgdperf: $option: *" $two --sharding fsdp $option $value
    done
done
expect_error "sgdperf: --streams: *" $two --streams 0
expect_error "sgdperf: --bucket: *" $two --bucket 0
expect_error "sgdperf: --gpus: needs --local-bandwidth or --local-network" $two --gpus 2
expect_error "sgdperf: --bandwidth or --network is missing" $three
expect_error "sgdperf: 12 workers do not fill machines of 8 accelerators: give a multiple of --gpus" \
    simulate --mode allreduce --layers $resnet $machines --bandwidth 1Gbps --workers 12
printf '%s\n' layer,bytes,forward_s,backward_s,update_s,tensors 0,4,1e270,1e270,0,4 \
    1,4,1e308,1,0,4 > over.csv
for command in predict advise "simulate --steps 2 --warmup 0"; do
    for sharding in ddp fsdp; do
        expect_error 'sgdperf: over.csv:3: a time or size of the layer is too large' \
            $command --layers over.csv --mode allreduce --workers 2 --bandwidth 1GB/s \
            --sharding $sharding
    done
done
expect_error "sgdperf: --sweep: 9 workers do not fill machines of 8 accelerators: give a multiple of --gpus" \
    simulate --mode allreduce --layers $resnet $machines --bandwidth 1Gbps --sweep 9
run simulate --mode allreduce --layers $resnet $machines --bandwidth 25Gbps --sweep 4,12,64 \
    --format csv
[ "$status" -eq 0 ] && [ "$(cut -d, -f1 .stdout | tr '\n' ' ')" = 'workers 4 64 ' ] &&
    matches "$stderr" '*note: --sweep: 12 left out, as they do not fill machines of 8*'
check $? 'want rows of 4 and 64 workers' --sweep 4,12,64
expect_note '*note: --runs: nothing is random in this simulation, so all 3 runs are the same*' $two --runs 3
expect_error "sgdperf: --collective: 'rings' is neither auto, cluster, byteps nor an algorithm and a form*" \
    $layers --workers 2 --bandwidth 1B/s --collective rings
expect_error "sgdperf: --collective: 'halving:flat' is not a collective of --protocols */nccl.csv" \
    $layers --workers 2 --bandwidth 1B/s --collective halving:flat --protocols $nccl
expect_error "sgdperf: simulate: 2 workers: no algorithm of --collective *" \
    $layers --workers 2 --bandwidth 1B/s --collective pairwise
expect_error "sgdperf: --sharding: 'zero' *" $two --sharding zero
expect_error "sgdperf: --sharding zero-1: needs --layers" $trace --sharding zero-1
expect_error "sgdperf: --accumulate: cannot be combined with --sharding zero-2*" $two --sharding zero-2 \
    --accumulate 2
expect_error "sgdperf: --accumulate: needs --layers" $trace --accumulate 2
expect_error "sgdperf: --accumulate: 9999 micro-batches of 2 units make more than *" \
    $two --sharding fsdp --unit 1B --accumulate 9999
expect_error "sgdperf: --accumulate: *" $two --accumulate 0
expect_error "sgdperf: --bucket: cannot be combined with --sharding fsdp" $two --sharding fsdp --bucket 1MB
expect_error "sgdperf: --first-bucket: needs --bucket" $trace --first-bucket 1MB
expect_error "sgdperf: --unit: needs --layers" $trace --unit 1MB
expect_error "sgdperf: --prefetch: needs --sharding fsdp or hsdp" $two --prefetch 2
for option in '--link tcp' '--delay 1ms' '--stagger 1s' '--service exponential' '--order tic' \
    '--window steady' '--worker-bandwidth 1B/s'; do
    expect_error "sgdperf: ${option% *}: cannot be combined with --layers" $two $option
done
expect_error "sgdperf: --servers: cannot be combined with --mode allreduce" $two --servers 2
expect_error "sgdperf: --gpus: needs --local-bandwidth or --local-network" \
    simulate trace.csv --mode sync --workers 2 --bandwidth 1B/s --gpus 2
expect_error "sgdperf: --layers: needs --mode allreduce" \
    simulate --layers three.csv --mode sync --workers 2 --bandwidth 1B/s
expect_error "sgdperf: simulate: 'trace.csv' is one argument too many beside --layers" \
    $two trace.csv
expect_error "sgdperf: simulate: a file is missing, see --help" \
    simulate --mode allreduce --workers 2 --bandwidth 1B/s
expect_error "sgdperf: --warmup: is not a multiple of the 2 workers, whose steps end together" \
    simulate trace.csv --mode allreduce --workers 2 --bandwidth 1B/s --gpus 1 --warmup 3
cut -d, -f1-5 three.csv > none.csv
expect_error "sgdperf: none.csv:1: *'tensors'*" \
    simulate --mode allreduce --layers none.csv --workers 2 --bandwidth 1B/s
sed 's/uplink,,8,1/uplink,,8,3/' trace.csv > later.csv
expect_error "sgdperf: later.csv:4: column 'waits_for': op 3 has a higher number*" \
    simulate later.csv --mode allreduce --workers 2 --bandwidth 1B/s --gpus 1
sed 's/^1,2,uplink,,8/1,2,uplink,,7/' vary.csv > differs.csv
expect_error "sgdperf: differs.csv:*: column 'bytes': the exchanges of step *" \
    simulate differs.csv differs.csv --mode allreduce --workers 1,1 --bandwidth 1B/s --gpus 1
sed -e '/^1,[45]/d' vary.csv > lacks.csv
expect_error "sgdperf: lacks.csv:*: step 1 lacks an exchange of step 0" \
    simulate lacks.csv lacks.csv --mode allreduce --workers 1,1 --bandwidth 1B/s --gpus 1
sed 's/0,3,worker,2,,1/0,3,worker,2,,2/' trace.csv > itself.csv
expect_error "sgdperf: simulate: a bucket of --bucket waits for itself" \
    simulate itself.csv --mode allreduce --workers 2 --bandwidth 1B/s --bucket 1MB
cli_report simulate_collectives

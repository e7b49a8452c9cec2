# sgdperf predict: goldens, closed forms, options against each other, bad input.
. tests/cli.sh

# expect_column COLUMN "VALUES" TOLERANCE ARGUMENT...: of the CSV, within the relative
# tolerance; words as they are.
expect_column() {
    column=$1
    want=$2
    tolerance=$3
    shift 3
    launch "$@" --format csv
    got=$(awk -F, -v column="$column" -v want="$want" -v tol="$tolerance" '
        NR == 1 {
            while ($(NF - last) != column) last++   # a first column may hold commas
            next }
        { got = got $(NF - last) " " }
        END {
            print got
            n = split(got, g, " "); if (n != split(want, w, " ")) exit 1
            for (i = 1; i <= n; i++) {
                if (g[i] == w[i]) continue
                error = g[i] - w[i]; if (error < 0) error = -error
                if (!(error <= tol * (w[i] < 0 ? -w[i] : w[i]))) exit 1
            } }' .stdout) && [ "$status" -eq 0 ]
    check $? "want $column $want, got $got" "$@"
}

# The profile of the goldens: 29 ms of compute, 72 ms each way, 18 ms per update.
golden='--forward 10ms --backward 19ms --update 18ms --model-size 9MB --bandwidth 1Gbps'
async="predict --mode async $golden"
sync="predict --mode sync $golden"
compute='--forward 10ms --backward 19ms'
ring="predict --mode allreduce $compute --model-size 9MB --bandwidth 1Gbps"

# ---- Asynchronous: goldens
expect_column batches_per_s '8.0979 9.6937 10.6430 11.2527 11.6721 12.2082 12.5357' 6e-6 \
    $async --model exact --workers 2-6,8,10
expect_column batches_per_s '9.0976 11.5756 12.9218 13.5359 13.7742 13.8794 13.8882' 6e-6 \
    $async --model fcfs --workers 2-6,8,10
expect_column batches_per_s '9.0976 11.3772 12.0662 12.3548 12.5337 12.7733 12.9358' 6e-6 \
    $async --model hybrid --workers 2-6,8,10
expect_column batches_per_s '8.0979 9.6937 10.6430' 6e-6 $async --model switch --workers 2-4
expect_column batches_per_s '9.0976 9.6937 10.6430' 6e-6 $async --workers 2-4 --threshold 0.66
expect_column branch 'fcfs exact exact' 0 $async --workers 2-4 --threshold 0.66
expect_column branch 'fcfs exact' 0 $async --workers 1,2
expect_column branch exact 0 $async --workers 1 --threshold 0
expect_column branch 'fcfs fcfs' 0 $async --workers 2,3 --threshold 1
expect_column batches_per_s 12.9218 6e-6 $async --model hybrid --threshold 1 --workers 4
expect_column batches_per_s 13.998827323 1e-9 $async --model cynthia --workers 4
expect_column batches_per_s 5.2356020942408377 1e-14 $async --model interleaved --workers 1

# ---- Asynchronous: closed forms, by hand
repairman='predict --mode async --uplink 0 --downlink 0 --forward 1 --backward 0 --update 1'
expect_column batches_per_s '0.5 0.8 0.9375' 1e-14 $repairman --model exact --workers 1-3
expect_column batches_per_s '0.5 0.8' 1e-14 $repairman --model exact --workers 1,2 --updates queued
expect_column batches_per_s '0.5 1 1.5' 1e-14 \
    $repairman --model exact --workers 1-3 --updates separate
expect_column batches_per_s 2 1e-14 $repairman --model exact --workers 4 --updates separate
for model in exact fcfs hybrid switch; do
    run $async --model $model --workers 1-5 --updates queued --format csv
    cp .stdout queued
    run $async --model $model --workers 1-5 --updates shared --format csv
    cmp -s queued .stdout && [ "$status" -eq 0 ] && [ -s queued ]
    check $? 'want shared updates like queued ones' $async --model $model --updates shared
done
expect_column step_s 0.110 1e-14 $async --model exact --workers 1 --servers 2
expect_column step_s 0.1586 1e-14 $async --model exact --workers 1 --shares 0.8,0.2
expect_column step_s 0.1586 1e-14 $async --model exact --workers 1 --shares 0.8,0.2 --servers 2
file layers.csv <<'END'
layer,bytes,note
a,6e6,first
b,3000000,
c,1e6,
END
expect_column step_s 0.1262 1e-14 $async --model exact --workers 1 --servers 2 --layers layers.csv
expect_column step_s 0.335 1e-14 $async --workers 1 --flow-cap 500Mbps
expect_column step_s 0.162 1e-14 $async --workers 1 --overlap
expect_column step_s 0.162 1e-14 $async --workers 1 --overlap-iterate
expect_column step_s 0.318 1e-14 predict --mode async --forward 100ms --backward 200ms \
    --update 18ms --uplink 72ms --downlink 72ms --workers 1 --overlap

# ---- Synchronous, eqs. 7-10, by hand
expect_column step_s '0.191 0.335 0.479 0.623' 1e-14 $sync --model ps --workers 1-4
expect_column step_s '0.191 0.263 0.335 0.407' 1e-14 $sync --model fcfs --workers 1-4
expect_column step_s '0.191 0.299 0.407 0.515' 1e-14 $sync --model average --workers 1-4
overlapped='predict --mode sync --forward 100ms --backward 200ms --update 18ms --overlap'
overlapped="$overlapped --model-size 9MB --bandwidth 1Gbps"
expect_column step_s '0.318 0.362 0.450 0.594' 1e-14 $overlapped --model ps --workers 1-4
expect_column step_s '0.318 0.362 0.434 0.506' 1e-14 $overlapped --model fcfs --workers 1-4
expect_column step_s '0.318 0.362 0.434 0.506' 1e-14 $overlapped --model average --workers 1-4
expect_column batches_per_s '9.8280098280098276' 1e-14 $sync --model fcfs --workers 4
expect_column step_s '0.110 0.182' 1e-14 $sync --model ps --workers 1,2 --servers 2

# ---- All-reduce, eq. 11, by hand
expect_column step_s '0.029 0.101 0.125 0.137' 1e-14 $ring --workers 1-4
# One ring through two machines of 4, with two flows on the link; the step of a machine given.
full="predict --mode allreduce --step 500ms --model-size 80MB --bandwidth 10Gbps --gpus 4"
expect_column step_s '0.5 0.612' 1e-14 $full --model flat --workers 4,8
expect_column step_s '0.5 1.2' 1e-14 $full --model flat --workers 4,8 --flow-cap 100MB/s --rings 2
expect_column step_s '0.5 0.516' 1e-14 $full --model hierarchical --workers 4,8
expect_column step_s '0.5 0.564' 1e-14 $full --model ring --workers 4,8
expect_column step_s 0.5123904761019666 1e-12 $full --model flat --workers 8 --overlap-exponent 2
expect_column step_s '0.029 0.103 0.129 0.143' 1e-14 $ring --workers 1-4 --latency 1ms
# J rings: 29 ms off the links, 108 ms on them alone. Two of a delay and a station: of the
# states with 2 and 1 on it 1 and 29/108, so that each is on it for 108 ms (2 + 29/108) /
# (1 + 29/108).
expect_column step_s '0.137' 1e-12 $ring --workers 4 --jobs-on-network 1
expect_column step_s '0.22213868613138686' 1e-12 $ring --workers 4 --jobs-on-network 2
expect_column step_s '0.047 0.161' 1e-14 $ring --workers 1,4 --latency 1ms --update 18ms
expect_column step_s '0.029 0.102 0.175 0.175 0.248' 1e-14 \
    $ring --workers 1-5 --latency 1ms --model doubling
machines='predict --mode allreduce --forward 1 --backward 2 --model-size 100MB --bandwidth 1Gbps'
expect_column step_s '3 3.01 3.822 3.822' 1e-14 \
    $machines --workers 1-4 --gpus 2 --local-bandwidth 10GB/s --latency 1ms --model ring
expect_column step_s '3 3.0875 4.1025 4.1025' 1e-14 \
    $machines --workers 1-4 --gpus 2 --local-bandwidth 10GB/s --latency 1ms
# Of a machine's step of 4 s, alone and beside the 3 s of one accelerator: 1.25 and 2.9 times
# the exchange of two machines, 0.8 s.
expect_column step_s '4 5.04' 1e-14 predict --mode allreduce --workers 2,4 --gpus 2 --step 4s \
    --model-size 100MB --bandwidth 1Gbps
expect_column step_s '4 6.36' 1e-14 $machines --workers 2,4 --gpus 2 --step 4s
expect_column step_s '0.029 0.101' 1e-14 \
    predict --mode allreduce $compute --uplink 72ms --workers 1,2
expect_column step_s '0.029 0.101' 1e-14 \
    predict --mode allreduce $compute --uplink 10ms --downlink 72ms --workers 1,2
expect_column step_s '0.082 0.154' 1e-14 predict --mode allreduce --forward 10ms \
    --backward 72ms --update 0 --uplink 72ms --downlink 72ms --overlap --workers 1,4 --latency 6ms

# ---- What changes nothing
expect_same() {
    run $1 --format csv
    cp .stdout same
    shift
    run "$@" --format csv
    cmp -s same .stdout && [ "$status" -eq 0 ] && [ -s same ]
    check $? 'want the same output' "$@"
}
for base in "$async --workers 1-5" "$sync --workers 1-5" "$ring --workers 1-5"; do
    expect_same "$base" $base --gpus 1
    expect_same "$base" $base --gpus 1 --local-bandwidth 1GB/s
    expect_same "$base" $base --flow-cap 1Gbps
    expect_same "$base" $base --flow-cap 10Gbps
    expect_same "$base" $base --servers 1
done
expect_same "$async --workers 1-5" $async --workers 1-5 --shares 1
expect_same "$async --workers 1-5 --servers 4" \
    $async --workers 1-5 --servers 4 --shares 0.25,0.25,0.25,0.25
expect_same "$async --workers 1-5 --model switch" $async --workers 1-5 --threshold 0.6 --model switch
for units in '--bandwidth 125MB/s' '--bandwidth 1000Mbps' '--bandwidth 125000000' \
    '--bandwidth 1000000kbps' '--bandwidth 0.125GB/s' '--bandwidth 1.25e8B/s'; do
    expect_same "$async --workers 3" predict --mode async $compute --update 0.018 \
        --model-size 9000kB $units --workers 3
done

# ---- Worker types
expect_column batches_per_s 10.6430 6e-6 predict --mode async --model exact --update 18ms \
    --model-size 9MB --bandwidth 1Gbps --worker-type 3:10ms:19ms --worker-type 1:0.01:0.019
types='--worker-type 2:10ms:19ms --worker-type 3:20ms:29ms'
mixed="--update 18ms --model-size 9MB --bandwidth 1Gbps $types"
expect_column step_s 0.643 1e-14 predict --mode sync --model average $mixed
expect_column barrier_s 0.008 1e-13 predict --mode sync --model average $mixed

# ---- What a point holds
expect_column examples_per_s '167.539267 340.576' 6e-6 \
    $async --workers 1,4 --model exact --batch 32
expect_column speedup '1 2.03281' 1e-5 $async --workers 1,4 --model exact
expect_column efficiency '1 0.508203' 1e-5 $async --workers 1,4 --model exact
expect_column bottleneck 'worker worker link' 0 predict --mode allreduce --forward 1 --backward 0 \
    --uplink 1 --workers 1,2,8
expect_column bottleneck server 0 $repairman --workers 8
expect_column elasticity_forward '-0.052356' 1e-5 $async --workers 1 --elasticity
expect_column elasticity_transfer '-0.753927' 1e-5 $async --workers 1 --elasticity
expect_column elasticity_bandwidth '0.753927' 1e-5 $async --workers 1 --elasticity
expect_column elasticity_latency '-0.041958' 1e-4 $ring --workers 4 --latency 1ms --elasticity
expect_none '*knee*' $async --model fcfs --workers 2-10

error() {
    want=$1
    shift
    expect_error "sgdperf: $want" "$@"
}

# auto says what it took; a threshold asks for the switch.
expect_same "$async --workers 1-9" $async --workers 1-9 --model rhythm
expect_same "$async --workers 1-9 --threshold 0.5" $async --workers 1-9 --threshold 0.5 --model switch

# A worker's own link: one worker gains nothing from a second server but a shorter update;
# the papers' models know the link where it is given.
for servers in 1 2 3 4; do
    expect_same "$async --workers 1-6 --servers $servers --worker-bandwidth 1Gbps" \
        $async --workers 1-6 --servers $servers
    expect_same "$sync --workers 1-6 --servers $servers --worker-bandwidth 1Gbps" \
        $sync --workers 1-6 --servers $servers
done
for model in exact fcfs hybrid switch interleaved rhythm; do
    expect_column step_s 0.182 1e-12 $async --model $model --workers 1 --servers 2 \
        --worker-bandwidth 1Gbps
    expect_column step_s 0.335 1e-12 $async --model $model --workers 1 --worker-bandwidth 500Mbps
    expect_column step_s 0.201 1e-12 $async --model $model --workers 1 --delay 5ms
done
for model in ps fcfs average staggered; do
    expect_column step_s 0.182 1e-12 $sync --model $model --workers 1 --servers 2 \
        --worker-bandwidth 1Gbps
    expect_column step_s 0.201 1e-12 $sync --model $model --workers 1 --delay 5ms
done
# Two workers on two servers, each on a link of half the servers' speed, never meet.
expect_column step_s 0.326 1e-12 $sync --vary 0 --workers 2 --servers 2 --worker-bandwidth 500Mbps

# Workers far away.
network='--update 18ms --model-size 9MB --bandwidth 1Gbps'
near='--worker-type count=3,forward=10ms,backward=19ms'
expect_same "predict --mode async $network $near" \
    predict --mode async $network --worker-type 3:10ms:19ms
expect_same "predict --mode sync $network --worker-type backward=19ms,delay=0,forward=10ms,count=3" \
    predict --mode sync $network $near
# Of types the furthest decides: 10 + 19 + 2 x 120 ms, behind 4 downlinks and before 4 uplinks.
expect_column step_s 0.863 1e-12 predict --mode sync --model ps $network $near \
    --worker-type count=1,forward=10ms,backward=19ms,delay=120ms
for case in 'count=1,forward=1ms:has no backward' 'count=1,forward=1ms,backward=1ms,speed=2:*' \
    'count=1,count=1,forward=1ms,backward=1ms:*twice*' 'count=0,forward=1,backward=1:*' \
    'count=1,forward=-1,backward=1:*is negative' 'count=1,forward=,backward=1:*is empty'; do
    error "--worker-type: *${case#*:}" predict --mode sync $network --worker-type "${case%%:*}"
done
# After a second the window has been halved 5 times: each transfer takes as many round trips. Four
# that only send have each a fourth of 0.7 of the path and the port.
far='--backward 0 --update 0 --bandwidth 1Gbps'
for mode in async sync; do
    expect_column step_s 1.54 1e-12 predict --mode $mode $far --forward 1.1s --model-size 2MB \
        --delay 20ms --workers 1
    expect_column service_uplink_s 0.7368045113 1e-9 predict --mode $mode $far --forward 1ms \
        --model-size 20MB --delay 15ms --port-buffer 1MB --workers 4
    error '--port-buffer: needs --delay or --worker-type' predict --mode $mode $far \
        --forward 1s --model-size 2MB --workers 2 --port-buffer 1MB
done

# The slowest of n: an exponential time's is 1 + 1/2 + ... + 1/n of the mean, a sample's exact.
expect_column step_s '0.191 0.3495 0.503166667 0.654416667' 1e-8 \
    $sync --model ps --workers 1-4 --vary 1 --vary-shape exponential
file times.csv <<'END'
time_s
3
1
END
expect_column step_s '0.191 0.34225 0.489875' 1e-12 \
    $sync --model ps --workers 1-3 --vary-sample times.csv
expect_column step_s '0.029 0.1496875' 1e-12 $ring --model ring --workers 1,4 --vary-sample times.csv
for model in exact fcfs hybrid switch; do
    expect_same "$async --model $model --workers 1-4" $async --model $model --workers 1-4 --vary 0.3
done

# The switch may choose anew once transfers hide behind compute.
expect_status 0 $async --workers 1-9 --overlap --switch-anew

# The parts of a step add up to it, and it is the workers over the throughput.
for case in "$async --workers 1-9" "$sync --workers 1-9" "predict --mode sync $mixed" \
    "predict --mode async $mixed --overlap" "$async --workers 7 --model hybrid --overlap-iterate" \
    "$async --workers 1-9 --model interleaved" "$async --workers 1-9 --model cynthia" \
    "$machines --workers 1-9 --gpus 4 --local-bandwidth 1GB/s --update 1" \
    "$async --workers 1-9 --gpus 4 --local-bandwidth 1GB/s --flow-cap 300Mbps --overlap" \
    "$ring --workers 1-9 --overlap --latency 1us" "$overlapped --workers 1-9"; do
    run $case --format csv
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
        { sum = step = 0
          for (i = 1; i <= NF; i++) {
              if (name[i] ~ /^(service|waiting)_|^barrier_s/) sum += $i
              if (name[i] == "step_s") step = $i
              if (name[i] == "workers") workers = $i
              if (name[i] == "batches_per_s") rate = $i }
          error = sum / step - 1; other = workers / rate / step - 1
          if (error * error > 1e-24 || other * other > 1e-24) bad = 1 }
        END { exit bad || NR < 2 }' .stdout && [ "$status" -eq 0 ]
    check $? 'want parts that add up to step_s' $case
done

# ---- Profiles
file one.csv <<'END'
batch,update_s,forward_s,backward_s,model_bytes,bandwidth_bytes_per_s
1,0.018,0.010,0.019,9e6,125e6
END
file jobs.csv <<'END'
job,forward_s,backward_s,update_s,uplink_s,downlink_s,model_bytes,bandwidth_bytes_per_s,batch
"first, small",0.010,0.019,0.018,0.072,0.072,,,32
second,0.010,0.019,0.018,,,9e6,125e6,
third,0.5,0.5,0.1,0.2,0.2,9e6,125e6,8
END
expect_same "$async --workers 1-5 --batch 1" predict --mode async --profile one.csv --workers 1-5
stdin=one.csv
expect_same "$async --workers 1-5 --batch 1" predict --mode async --profile - --workers 1-5
stdin=/dev/null
jobs='predict --profile jobs.csv'
expect_column step_s '0.191 0.191 1.5' 1e-14 $jobs --mode async --workers 1
expect_column step_s '0.047 0.119 0.047 0.119 1.1 1.3' 1e-14 $jobs --mode allreduce --workers 1,2
# Without a batch there is no rate of examples: 1 would be one that nobody gave.
expect_column examples_per_s '167.539267 5.3333333' 1e-8 $jobs --mode async --workers 1
file part.csv <<'END'
# the rest by options
update_s,model_bytes
0.018,9000000
END
expect_same "$async --workers 1-5" \
    predict --mode async --profile part.csv $compute --bandwidth 1Gbps --workers 1-5
expect_column step_s 0.643 1e-14 predict --mode sync --model average --profile part.csv --bandwidth 1Gbps $types
file ring.csv <<'END'
job,forward_s,backward_s,uplink_s
r,0.010,0.019,0.072
END
expect_column step_s '0.029 0.101' 1e-14 predict --mode allreduce --profile ring.csv --workers 1,2

# ---- Options: missing, unknown, against each other
times="predict --mode async $compute --update 18ms --uplink 72ms --downlink 72ms"
expect_same "$times --workers 3" $times --workers 3 --gpus 1 --local-bandwidth 1 --model-size 1
expect_status 0 $times --workers 3 --flow-cap 500Mbps --bandwidth 1Gbps
expect_status 0 $times --workers 3 --gpus 2 --local-bandwidth 1GB/s --model-size 1MB
expect_status 0 predict --mode async --profile one.csv --batch 1 --workers 1
expect_status 0 predict --mode async --profile one.csv --worker-type 1:1:1

# ---- Options: bad values
for option in --forward --backward --update --uplink --downlink --latency; do
    for value in nan inf -1 -1ms 1e999 0x1 1mins '' ' 1' 1,5; do
        bulk error "$option: '*' *" predict --mode allreduce --workers 2 "$option=$value" \
            $(for other in --forward --backward --update --uplink --downlink --latency; do
                [ "$other" = "$option" ] || echo "$other 1ms"; done)
    done
done
for value in nan inf -1 0 1e999 1XB 1kb ''; do
    bulk error "--model-size: '$value' *" predict --mode allreduce $compute --bandwidth 1 --workers 2 \
        "--model-size=$value"
    bulk error "--bandwidth: '$value' *" predict --mode allreduce $compute --model-size 1 --workers 2 \
        "--bandwidth=$value"
    bulk error "--flow-cap: '$value' *" $ring --workers 2 "--flow-cap=$value"
    bulk error "--local-bandwidth: '$value' *" $ring --workers 2 --gpus 2 "--local-bandwidth=$value"
    bulk error "--batch: '$value' *" $ring --workers 2 "--batch=$value"
done
for value in 0 -1 1.5 nan x 4294967296 1- -5 1-4: 1-4:0 '' 1,,2 2:2; do
    bulk error "--workers: '*' *" $ring "--workers=$value"
done
for value in 0 -1 x 1.5 '' 1000001; do
    bulk error "--servers: '$value' *" $async --workers 1 "--servers=$value"
done
for value in 0 -1 x '' 4294967296; do
    bulk error "--gpus: '$value' *" $async --workers 1 --local-bandwidth 1 "--gpus=$value"
done
for value in -0.1 1.1 nan inf x ''; do
    bulk error "--threshold: '$value' *" $async --workers 1 "--threshold=$value"
    bulk error "--shares: '$value' *" $async --workers 1 "--shares=$value,0.5"
done
network='--update 0 --uplink 1 --downlink 1'
for value in 1 1:2 1:2:3:4 ''; do
    error "--worker-type: '$value' is not COUNT:FORWARD:BACKWARD" \
        predict --mode sync $network "--worker-type=$value"
done

# ---- Steps that take no time, or too much; too many workers
many=$(awk 'BEGIN { for (i = 1; i <= 600; i++) printf " --worker-type %d:%d:%d", i, i, i }')
error '* workers are too many for --model exact' \
    predict --mode async --model exact $network $many
expect_status 0 predict --mode sync $network $many

# A billion workers: a formula knows them at once, a network is refused or approximated.
expect_column step_s 144000000.047 1e-14 $sync --model ps --workers 1000000000
expect_column step_s 0.173 1e-8 $ring --workers 1000000000
expect_column batches_per_s 28.22104007 1e-8 $async --model cynthia --workers 1000000000
expect_column batches_per_s 13.88888889 1e-6 $async --model fcfs --workers 10000000
expect_column batches_per_s 13.88888889 1e-6 $async --model hybrid --workers 100000000
for model in exact switch; do
    error "4000000000 workers take too long with --model $model: *" \
        $async --model $model --workers 4000000000
done
if [ -n "${TEST_FULL:-}" ]; then       # to add up so many points takes seconds
    error 'these points take about * hours to solve: give fewer points*' \
        $async --model exact --overlap-iterate --workers 1-1000000
fi
expect_status 0 $async --workers 1-100000:9999
for format in table csv json; do
    for model in exact fcfs hybrid switch interleaved cynthia; do
        for size in 1e-300 1e300; do
            bulk expect_finite predict --mode async --model $model --forward $size \
                --backward 0 --update $size --uplink 1e-300 --downlink $size \
                --workers 1,3,4000 --format $format
        done
    done
done

# Nearly saturated links and a threshold just below: should the search for the weights end
# early, the best estimate is printed and the status says so.
hard="--worker-type 3:0.3ms:76ms --worker-type 30:5.96:2ms --worker-type 30:1.11:27ms"
if [ -n "${TEST_FULL:-}" ]; then       # a second under the sanitizers
    run predict --mode async --model hybrid --update 72ms --uplink 2.167 --downlink 2.5037 \
        $hard --worker-type 3:5.93:0.1ms --format json
    case $status in
        0) matches "$stdout" '*"status":"ok","points":*"status":"ok"*' ;;
        3) matches "$stdout" '*"status":"not_converged","points":*"status":"not_converged"*' ;;
        *) false ;;
    esac && matches "$stdout" '*"batches_per_s":0.399*'
    check $? 'want status 0 or 3, and the same in the JSON' predict --mode async $hard
fi

# ---- Bad profiles
printf '' > bad.csv
error 'bad.csv:1: the file is empty, but needs a header' predict --mode async --profile bad.csv --workers 2
printf '\177ELF\001\002\000' > bad.csv
error 'bad.csv:1: byte 0x7f is not text' predict --mode async --profile bad.csv --workers 2
error 'none.csv: *' predict --mode async --profile none.csv --workers 2

# ---- Bands: a share of the prediction, by the class of its inputs
printf 'class,low,high\ncalibrated,0.5,0.5\nmeasured,,\n' > bands.csv
expect_column low 5 1e-12 predict --mode sync --model ps --workers 1 --forward 0 --backward 0.1 \
    --update 0 --uplink 0 --downlink 0 --inputs calibrated --bands bands.csv
expect_column high 15 1e-12 predict --mode sync --model ps --workers 1 --forward 0 \
    --backward 0.1 --update 0 --uplink 0 --downlink 0 --inputs calibrated --bands bands.csv
expect_stdout '*"low":null,"high":null,"class":"measured"*' \
    predict --mode sync --model ps --workers 1 --forward 0 --backward 0.1 --update 0 \
    --uplink 0 --downlink 0 --bands bands.csv --format json
matches "$stderr" '*note: bands.csv: columns low and high have no values for class ?measured?, so predictions have no interval*'
check $? 'want a note' predict --bands bands.csv

# Of two steps unlike each other the interval reaches down to nothing.
printf 'forward_s,backward_s,update_s,uplink_s,downlink_s,steps,forward_ci95_half_width_s\n1,0,0,0,0,2,99\n' \
    > wide.csv
expect_note '*note: the interval of 1 of 1 points is wider than its mean: *' \
    predict --mode sync --workers 1 --profile wide.csv
expect_stdout '*"low":0,*' predict --mode sync --workers 1 --profile wide.csv --format json
expect_stdout '*"low":0,*' advise wide.csv --mode sync --workers 1 --format json

# ---- A unit that got lost, a decimal comma
run predict --mode sync --model ps --workers 1 --forward 0 --backward 5 --update 0 --uplink 0 --downlink 0
[ "$stderr" = "sgdperf: note: --backward: '5' has no unit and is taken for seconds: write 5ms or 5s" ]
check $? 'want a note' predict --backward 5

# ---- What has no effect is said
for model in exact fcfs; do
    expect_note "*sgdperf: note: --vary has no effect on model $model, *" \
        predict --mode async --model $model --workers 2 --forward 0 --backward 1 --update 1 \
        --uplink 1 --downlink 1 --vary 0.5
done

# What the papers' models lack.
expect_note '*model exact lets each worker send to all 2 servers at once*model exact counts the delay*' \
    $async --model exact --workers 2 --servers 2 --delay 5ms
expect_note '' $async --model exact --workers 2 --servers 2 --worker-bandwidth 1Gbps
expect_note '*model ps counts the delay*' predict --mode sync --model ps $network \
    $near,delay=5ms
# A worker's own link is no column.
expect_note "*at 1 of 2 points a worker's own link is the busiest resource (up to 48 % of a step*" \
    $async --workers 1,64 --worker-bandwidth 100Mbps
expect_note '' $async --workers 1,64
# Which collective auto takes; whose step it is.
full="predict --mode allreduce --step 500ms --model-size 80MB --bandwidth 10Gbps --gpus 4"
expect_note '*that of a full machine of 4*cluster reduces inside a machine*--model flat*' \
    $full --workers 8
expect_note '' $ring --workers 8
# Samples: of another mean, of fewer times than workers.
printf 'time_s\n0.02\n0.03\n0.037\n' > sample.csv
expect_note '*sample has 3 times for up to 4 workers*' $sync --workers 1,4 --vary-sample sample.csv
printf 'time_s\n0.2\n0.3\n' > sample.csv
expect_note '*sample: the mean is 0.25 s, but forward and backward take 0.029 s*' \
    $sync --workers 2 --vary-sample sample.csv

# What answers in place of the model asked for.
types=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    types="$types --worker-type count=9,forward=10.${i}1ms,backward=20ms"
done
of_types="--update 0 --model-size 9MB --bandwidth 1Gbps --format json"
expect_note '*note: with this many workers the equations of model *rhythm are approximated by the Linearizer; *' \
    predict --mode async $types $of_types
run predict --mode sync $types $of_types
[ -z "$stderr" ] && ! matches "$stdout" '*"branch"*' && ! matches "$stdout" '*"low":null*'
check $? 'want no note' predict --mode sync, 13 types of 9
types="$types $types $types $types $types" # 65
run predict --mode sync $types $of_types
matches "$stderr" '*note: model staggered handles at most 64 types *model ps predicts these points, without a band; *' &&
    matches "$stdout" '*"low":null,*"branch":"ps"*'
check $? 'want a note' predict --mode sync, more than 64 types

# A curve that takes longer to print than to predict says so.
if [ -n "${TEST_FULL:-}" ]; then
    expect_note '*note: 100000 points take longer to print *--workers 1-100000:100 *' \
        predict --mode sync --model ps --workers 1-100000 --forward 1 --backward 1 --update 1 \
        --uplink 1 --downlink 1 --format csv
    sanitized=$program program=$optimized
    run predict --mode sync --workers 1-28000 --forward 10ms --backward 19ms --update 18ms \
        --model-size 9MB --bandwidth 1Gbps --delay 10ms --format csv
    program=$sanitized
    matches "$stderr" '*note: 28000 points of model staggered take about * s *--workers 1-28000:100 *' &&
        ! matches "$stderr" '*longer to print*'
    check $? 'want a note of what it takes' predict --mode sync --workers 1-28000
fi

cli_report predict

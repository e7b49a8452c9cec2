# sgdperf advise: limits and prices, offers, traces, what would help, bad input.
. tests/cli.sh
file p.csv <<'END_OF_FILE'
forward_s,backward_s,update_s,model_bytes,batch
0.01,0.019,0.018,9e6,32
END_OF_FILE
# Of the bands, so that those shipped may change.
file bands.csv <<'END_OF_FILE'
class,half_width
measured,0.153
END_OF_FILE
base='advise p.csv --mode async --bandwidth 1Gbps --bands bands.csv'
async="$base --workers 1-6"

# column NAME ARGUMENT...: of the CSV, one value a row.
column() {
    name=$1
    shift
    run "$@" --format csv
    got=$(awk -F, -v name="$name" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { printf "%s ", $at }' .stdout)
}

# ---- The points are those of predict
expect_points() {
    run predict --mode async --bandwidth 1Gbps --workers 1-6 --forward 10ms --backward 19ms \
        --update 18ms --model-size 9MB --batch 32 --format csv "$@"
    predicted=$(awk -F, 'NR > 1 { print $1, $2 }' .stdout)
    run $async --format csv "$@"
    advised=$(awk -F, 'NR > 1 { print $1, $2 }' .stdout)
    [ "$predicted" = "$advised" ] && [ -n "$advised" ]
    check $? 'want the throughputs of predict' $async "$@"
}
expect_points
expect_points --model exact
expect_points --servers 2

run $async --steps 100 --offer a,1/h,,10
matches "$stderr" "*note: --offer: '10' has no unit and is taken for bytes per second*"
check $? 'want a note' advise --offer a,1/h,,10

# ---- Buckets: those of trace-from-layers, replayed
{ echo layer,bytes,forward_s,backward_s,update_s
  for layer in 1 2 3 4 5 6 7 8; do echo "$layer,8e6,0.01,0.02,0"; done; } > layers.csv
buckets='advise --mode allreduce --workers 4 --bandwidth 10Gbps --forward 80ms --backward 160ms'
buckets="$buckets --model-size 64MB --bucket-layers layers.csv"
run trace-from-layers layers.csv --bucket 10MiB
cp .stdout buckets.csv
run simulate buckets.csv --mode allreduce --workers 4 --bandwidth 10Gbps --delay 1ms --format json
step_s=$(printf '%s\n' "$stdout" | sed 's/.*"batches_per_s":\([^,]*\),.*/\1/' |
    awk '{ printf "%.12g", 4 / $1 }')
expect_number 'bucket_bytes":10485760,"step_s' "$step_s" 1e-9 $buckets --latency 1ms
expect_stdout '*
  size of buckets: 5 MiB (+8 % against the 25 MiB of PyTorch)
*' $buckets --latency 1ms
expect_stdout "*
  size of buckets: 25 MiB as PyTorch's: others are no better by 1 %
*" $buckets --latency 8ms
expect_error 'sgdperf: --bucket-layers: needs --latency, *' $buckets
printf 'layer,bytes,forward_s,backward_s,update_s\n1,8e6,1e308,0.02,0\n' > vast.csv
expect_error 'sgdperf: vast.csv:2: a layer of a time or size that is too large' advise \
    --mode allreduce --workers 4 --bandwidth 10Gbps --forward 80ms --backward 160ms \
    --model-size 64MB --latency 1ms --bucket-layers vast.csv
expect_error 'sgdperf: --bucket-layers: is for --mode allreduce' $base --bucket-layers layers.csv

# ---- Time and cost, by hand: 1 worker takes 0.191 s
one="$base --workers 1 --steps 36000"
plain='advise p.csv --mode async --bandwidth 1Gbps --workers 1 --steps 36000 --model exact'
expect_number time_s 6876 1e-12 $one
and_number time_low_s 5963.5732870771 1e-12
and_number time_high_s 8118.0637544274 1e-12
expect_number cost 4.7368 1e-9 $one --price 2.48/h
and_number cost_low 4.10823937 1e-8
expect_number cost 343.8 1e-9 $one --price 3/min
expect_number cost 8 1e-9 $one --price 0 --server-price 4.18848167539/h
expect_number cost 0 0 $one --price 0
expect_number time_s 6876 1e-12 advise p.csv --mode async --bandwidth 1Gbps --workers 1 \
    --epochs 9 --examples 128000
expect_number cost 9.4736 1e-9 $plain --price 2.48/h --server-price 2.48/h
and_number time_s 6876 1e-12
expect_stdout '*"low":null,*"time_low_s":null,*' $plain --format json
expect_stdout '*"time_s":null,*"cost":null,*' $async --format json
column workers advise p.csv --mode allreduce --bandwidth 1Gbps
[ "$(echo $got | wc -w)" -eq 64 ]
check $? "want 64 workers, got $got" advise p.csv

# A machine of 4 costs as much with one of its accelerators as with all of them.
column cost advise p.csv --mode allreduce --bandwidth 1Gbps --gpus 4 --local-bandwidth 10GB/s \
    --workers 3-5 --steps 1000 --price 1/s
costs=$got
column time_s advise p.csv --mode allreduce --bandwidth 1Gbps --gpus 4 --local-bandwidth 10GB/s \
    --workers 3-5 --steps 1000 --price 1/s
echo "$costs $got" | awk '{ exit !($1 == $4 && $2 == $5 && $3 == 2 * $6) }'
check $? "want machines paid for, got $costs for $got" advise --gpus 4

# ---- What is recommended
job="$async --steps 200000"
free="$base --steps 200000"
expect_stdout '*"recommendation":{"workers":2,*"rule":"cheapest"*"surest":{"workers":5,*' \
    $job --price 2.48/h --deadline 6h --format json
expect_stdout 'recommended: 2 workers, 5.86 h (*likely, not surely: its interval*surely within: 5 *' \
    $job --price 2.48/h --deadline 6h
expect_stdout '*"recommendation":{"workers":5,*"in_time":"yes",*"word":null,*' \
    $free --price 2.48/h --deadline 6h --workers 5,6 --format json
expect_stdout '*why: the fewest machine hours within the deadline of 6 h*' $job --deadline 6h
expect_stdout '*"recommendation":{"workers":4,*"rule":"fastest"*' \
    $job --price 2.48/h --budget 55 --format json
expect_stdout '*why: the fastest within the budget of 55*' $job --price 2.48/h --budget 55
expect_stdout '*"recommendation":{"workers":2,*"rule":"balanced"*' $job --price 2.48/h --format json
expect_stdout '*"recommendation":{"workers":2,*"rule":"balanced"*' $async --format json
# What is said of more workers is known of them.
expect_stdout '*why: the least time x cost: beyond it a percent more workers brings less than half*' \
    $async
expect_stdout '*why: the least time x cost: up to it a percent more workers brings half a percent*' \
    advise p.csv --mode async --bandwidth 100Gbps --workers 2,1
matches "$stderr" '*the most of --workers is recommended: more may be better*'
check $? 'want a note' $async --workers 2,1
expect_stdout '*why: the only choice
*' $base --workers 3
expect_stdout '*why: the least time x cost
*' $job --price 2/h --server-price 1/h
expect_stdout '*"recommendation":{"workers":6,*as none costs anything*' $job --price 0 --format json
expect_stdout '*fastest within the budget: 6 workers*' $job --price 2.48/h --budget 80 --deadline 6h

# ---- Nothing within
expect_stdout '*nothing is within the deadline of 1 h; this comes nearest, 3.75 h too late (+375 %)*' \
    $job --deadline 1h
expect_stdout '*"recommendation":{"workers":1,*"rule":"nearest",*16.3 over the budget (+163 %)*' \
    $job --price 2.48/h --budget 10 --format json
expect_stdout '*"cheapest":null,*' $job --deadline 1h --format json
expect_stdout '*nothing is within the deadline of 4.5 h and the budget of 30;*too late (*%), 40.7 over the budget (+136 %)*' \
    $free --price 2.48/h --deadline 4.5h --budget 30 --workers 6
expect_stdout '*"cheapest":{"workers":5,*"fastest":{"workers":2,*' \
    $job --price 2.48/h --deadline 5h --budget 30 --format json
expect_stdout '*but its interval reaches within: it may hold*' $free --workers 1 --deadline 10h

# ---- Offers
offers='--offer slow,1/h,,  --offer fast,3/h,0.5,10Gbps'
expect_stdout '*"points":[[]{"offer":"slow","workers":1,*{"offer":"fast","workers":1,*' \
    $job $offers --format json
column batches_per_s $free $offers --workers 3
two=$got
column batches_per_s predict --mode async --workers 3 --forward 5ms --backward 9.5ms \
    --update 18ms --model-size 9MB --bandwidth 10Gbps
echo "$two$got" | awk '{ d = $2 / $3 - 1; exit !(d < 1e-12 && d > -1e-12 && $1 < $2) }'
check $? "want the fast offer as predicted, got $two and $got" advise $offers
expect_stdout 'recommended: * of fast, *' $job $offers --deadline 2h

# ---- What stops it, and what would help
expect_stdout '*what stops it: the uplink, busy 68 %*help most: twice the batch (+81 %), then twice*' \
    $async
expect_stdout "*what stops it: a worker's own link, busy 4[0-9] % of the time each way*" \
    $async --worker-bandwidth 50Mbps
ring='advise --mode allreduce --forward 1s --backward 2s --model-size 1MB --bandwidth 10Gbps'
expect_stdout '*"bottleneck":"worker",*"stop":"compute, 100 % of *"help":"workers twice as fast (*' \
    $ring --workers 4 --format json
expect_stdout '*what would help most: workers twice as fast (+100 %)
*' $ring --workers 4

# ---- Traces
file t.csv <<'END_OF_FILE'
step,op,resource,server,duration_s,bytes,waits_for,name
0,0,downlink,0,,9000000,,weights
0,1,worker,0,0.010,,0,forward
0,2,worker,0,0.019,,1,backward
0,3,uplink,0,,9000000,2,gradients
0,4,server,0,0.018,,3,update
1,0,downlink,0,,9000000,,weights
1,1,worker,0,0.010,,0,forward
1,2,worker,0,0.019,,1,backward
1,3,uplink,0,,9000000,2,gradients
1,4,server,0,0.018,,3,update
END_OF_FILE
column batches_per_s $async
profile=$got
column batches_per_s advise t.csv --mode async --bandwidth 1Gbps --workers 1-6
[ "$got" = "$profile" ] && matches "$stderr" '*t.csv: a trace of 2 steps, *: forward 0.01 s, backward 0.019 s, *'
check $? "want $profile of the trace, got $got" advise t.csv
column batches_per_s advise t.csv --mode async --bandwidth 1Gbps --workers 1-6 --overlap
overlapped=$got
column batches_per_s $async --overlap
[ "$got" = "$overlapped" ]
check $? "want $got of the trace, got $overlapped" advise t.csv --overlap
grep -v downlink t.csv | sed 's/^\([01]\),1,worker\(.*\),0,forward/\1,1,worker\2,,forward/' |
    awk -F, -v OFS=, 'NR > 1 { $2 = $2 - 1; if ($7 != "") $7 = $7 - 1 } { print }' > rings.csv
expect_status 0 advise rings.csv --mode allreduce --bandwidth 1Gbps
! matches "$stderr" '*the larger counts*'
check $? 'want no note on downlinks' advise rings.csv --mode allreduce
expect_status 0 advise rings.csv --mode async --bandwidth 1Gbps
matches "$stderr" '*9e+06 bytes up and 0 down in a step: the larger counts for both*'
check $? 'want a note on downlinks' advise rings.csv --mode async
file log.csv <<'END_OF_FILE'
step,phase,start_s,end_s
0,forward,0,0.1
END_OF_FILE
expect_error '*log.csv:1: a log of phases, not a profile: first sgdperf profile log.csv --format csv' \
    advise log.csv --mode async --bandwidth 1Gbps

# ---- Bad input
expect_error '*--forward is missing' advise --mode async
expect_error '*--mode is missing*' advise p.csv
expect_error "*no column 'bandwidth_bytes_per_s', and no --bandwidth" advise p.csv --mode async
expect_error '*--deadline: how much work?*' $async --deadline 6h
expect_error '*--price: how much work?*' $async --price 1/h
expect_error '*--budget: needs --price or --offer' $job --budget 5
expect_error "*--deadline: '0' is not positive" $job --deadline 0
expect_error "*--budget: '0' is not positive" $job --price 1/h --budget 0
expect_error "*--price: '2.48' is a price of how long? 2.48/h, or /s /min /d" $job --price 2.48
expect_error "*--price: '2.48/y' has no unit of time behind the / (s min h d)" $job --price 2.48/y
expect_error "*--price: '2.48/' has no unit of time behind the / (s min h d)" $job --price 2.48/
expect_error "*--price: '-1/h' is negative" $job --price -1/h
expect_error "*--price: not with --offer*" $job --price 1/h --offer a,1/h,1,
expect_error "*--offer: 'a,1/h' is not NAME,PRICE,FORWARD-SCALE,BANDWIDTH" $job --offer a,1/h
expect_error "*--offer: 'a' occurs twice" $job --offer a,1/h,, --offer a,2/h,,
expect_error "*--offer: '0' is not positive" $job --offer a,1/h,0,
expect_error "*--offer: '10G' has an unknown unit*" $job --offer a,1/h,,10G
expect_error "*--offer: ',1/h,,' has no name" $job --offer ,1/h,,
expect_error '*--epochs: needs --examples*' $async --epochs 3
expect_error '*--examples: needs --epochs' $async --examples 3
expect_error '*--epochs: not with --steps' $job --epochs 3
expect_error "*--steps: '0' is not positive" $async --steps 0
expect_error '*--server-price: needs --price or --offer' $job --server-price 1/h
expect_error '*--worker-type: not with advise*' $async --worker-type 2:1:1
expect_error '*--profile: not with p.csv' $async --profile p.csv
file two.csv <<'END_OF_FILE'
forward_s,backward_s,update_s,model_bytes
1,1,1,1
2,2,2,2
END_OF_FILE
expect_error '*two.csv:3: a second job, advise takes one*' \
    advise --profile two.csv --mode async --bandwidth 1Gbps
expect_error '*two.csv:3: a second job, advise takes one*' advise two.csv --mode async --bandwidth 1Gbps
file none.csv <<'END_OF_FILE'
forward_s,backward_s,update_s,model_bytes
1,1,1,1e6
END_OF_FILE
expect_error '*--epochs: needs --batch*' advise none.csv --mode async --bandwidth 1Gbps --epochs 1 \
    --examples 100
expect_error '*too large for a number*' $async --steps 1e308 --price 1e9/s

# ---- Numbers and names that no sentence takes
expect_stdout '*2 workers, *comes nearest, 1.76 min too late
*' $base --workers 2 --steps 1000 --deadline 1e-308s
expect_stdout 'recommended: *, cost 5.859e+295 (*' $async --steps 1e300 --price 1/h
expect_stdout '*the fastest of those that cost nothing: *' $job --offer a,0,, --offer b,1/h,,
expect_stdout '*the fastest, as none costs anything: *' $job --offer a,0,, --offer b,0,2,
expect_error '*--offer: *has a name that is no text of UTF-8' $job --offer "$(printf 'a\377,0,,')"
expect_error '*--offer: *has a name that is no text of UTF-8' $job --offer "$(printf 'a\033,0,,')"
expect_error '*--offer: *has a name of more than 100 bytes' $job --offer "$(printf '%0101d,0,,' 0)"
cli_report advise

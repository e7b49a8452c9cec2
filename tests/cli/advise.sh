# sgdperf advise: limits and prices, offers, traces, what would help, bad input.
. tests/cli.sh
file p.csv <<'END_OF_FILE'
forward_s,backward_s,update_s,model_bytes,batch
0.01,0.019,0.018,9e6,32
END_OF_FILE
# Of the bands, so that those shipped may change.
file bands.csv <<'END_OF_FILE'
class,low,high
measured,0.153,0.153
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

expect_note "*note: --offer: '10' has no unit and is taken for bytes per second*" \
    $async --steps 100 --offer a,1/h,,10

# ---- Buckets: those of trace-from-layers, replayed
{ echo layer,bytes,forward_s,backward_s,update_s
  for layer in 1 2 3 4 5 6 7 8; do echo "$layer,8e6,0.01,0.02,0"; done; } > layers.csv
buckets='advise --mode allreduce --workers 4 --bandwidth 10Gbps --forward 80ms --backward 160ms'
buckets="$buckets --model-size 64MB --bucket-layers layers.csv"
run trace-from-layers layers.csv --bucket 10MiB
cp .stdout buckets.csv
run simulate buckets.csv --mode allreduce --workers 4 --bandwidth 10Gbps --delay 1ms --overlap \
    --format json
step_s=$(printf '%s\n' "$stdout" | sed 's/.*"batches_per_s":\([^,]*\),.*/\1/' |
    awk '{ printf "%.12g", 4 / $1 }')
expect_number 'bucket_bytes":10485760,"step_s' "$step_s" 1e-9 $buckets --latency 1ms
expect_stdout '*
  size of buckets: 5 MiB (+8 % against the 25 MiB of PyTorch)
*' $buckets --latency 1ms
expect_stdout "*
  size of buckets: 25 MiB as PyTorch's: others are no better by 1 %
*" $buckets --latency 8ms
expect_error 'sgdperf: --bucket-layers: needs --latency: *' $buckets
expect_error 'sgdperf: --bucket-layers: needs --mode allreduce' $base --bucket-layers layers.csv

# ---- Time and cost, by hand: 1 worker takes 0.191 s
column workers advise p.csv --mode allreduce --bandwidth 1Gbps
holds "want 64 workers, got $got" [ "$(echo $got | wc -w)" -eq 64 ]

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
# What is said of more workers is known of them.
expect_stdout '*recommended: 2 *why: no knee up to the largest number of workers: a worker there brings 94 % of*' \
    advise p.csv --mode async --bandwidth 100Gbps --workers 2,1
holds 'want a note' matches "$stderr" '*the recommended number of workers is the largest of --workers: larger numbers may be better; extend --workers*'

# Time x cost falls up to the largest number, which is no reason to take that one.
expect_stdout '*recommended: *why: the knee: beyond it a worker adds less than the average up to 8 workers*' \
    advise --mode allreduce --forward 10ms --backward 20ms --model-size 9MB --bandwidth 10Gbps \
    --latency 1ms --workers 1-8 --inputs measured
case $stdout in *'recommended: 8 '*) fail 'want fewer than 8' advise --workers 1-8 ;; *) pass ;; esac

# ---- Offers
offers='--offer slow,1/h,,  --offer fast,3/h,0.5,10Gbps'
column batches_per_s $free $offers --workers 3
two=$got
column batches_per_s predict --mode async --workers 3 --forward 5ms --backward 9.5ms \
    --update 18ms --model-size 9MB --bandwidth 10Gbps
echo "$two$got" | awk '{ d = $2 / $3 - 1; exit !(d < 1e-12 && d > -1e-12 && $1 < $2) }'
check $? "want the fast offer as predicted, got $two and $got" advise $offers

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
[ "$got" = "$profile" ] && matches "$stderr" '*t.csv: the trace of 2 steps is replaced by its mean profile: forward 0.01 s, backward 0.019 s, *'
check $? "want $profile of the trace, got $got" advise t.csv
column batches_per_s advise t.csv --mode async --bandwidth 1Gbps --workers 1-6 --overlap
overlapped=$got
column batches_per_s $async --overlap
holds "want $got of the trace, got $overlapped" [ "$got" = "$overlapped" ]
grep -v downlink t.csv | sed 's/^\([01]\),1,worker\(.*\),0,forward/\1,1,worker\2,,forward/' |
    awk -F, -v OFS=, 'NR > 1 { $2 = $2 - 1; if ($7 != "") $7 = $7 - 1 } { print }' > rings.csv
expect_status 0 advise rings.csv --mode allreduce --bandwidth 1Gbps
holds 'want no note on downlinks' ! matches "$stderr" '*the larger is used*'
expect_status 0 advise rings.csv --mode async --bandwidth 1Gbps
matches "$stderr" '*9e+06 bytes up and 0 bytes down: the larger number is used for both directions*'
check $? 'want a note on downlinks' advise rings.csv --mode async

# ---- Numbers and names that no sentence takes
expect_error '*--offer: *has a name that is not UTF-8 text' $job --offer "$(printf 'a\377,0,,')"
expect_error '*--offer: *has a name that is not UTF-8 text' $job --offer "$(printf 'a\033,0,,')"
# YAML ends a line at U+2028 and U+0085 too.
expect_status 0 $job --format skypilot --offer "$(printf 'a\342\200\250setup: x\302\205b,1/h,,')"
matches "$stdout" '# sgdperf advise: * of a[?]setup: x[?]b, *'
check $? 'want no line end of YAML in a comment' $job --format skypilot
cli_report advise

# sgdperf trace-from-layers: dependencies, buckets, bad input, and what simulate makes of it.
. tests/cli.sh

file layers.csv <<'END'
note,layer,bytes,forward_s,backward_s,update_s
first,conv,1000000,0.5,0.75,0.125
,"a,b",2000000,0.25,0.5,0.25
last,fc,4000000,1,2,0.5
END
run trace-from-layers layers.csv
[ "$status" -eq 0 ] && [ "$stdout" = 'step,op,resource,server,duration_s,bytes,waits_for,name
0,0,downlink,0,,1000000,,conv
0,1,downlink,0,,2000000,,"a,b"
0,2,downlink,0,,4000000,,fc
0,3,worker,0,0.5,,0,conv forward
0,4,worker,0,0.25,,1 3,"a,b forward"
0,5,worker,0,1,,2 4,fc forward
0,6,worker,0,2,,5,fc backward
0,7,worker,0,0.5,,6,"a,b backward"
0,8,worker,0,0.75,,7,conv backward
0,9,uplink,0,,4000000,6,fc grad
0,10,uplink,0,,2000000,7,"a,b grad"
0,11,uplink,0,,1000000,8,conv grad
0,12,server,0,0.5,,9,fc update
0,13,server,0,0.25,,10,"a,b update"
0,14,server,0,0.125,,11,conv update' ]
check $? 'want five operations a layer' trace-from-layers layers.csv

# Nothing overlaps.
expect_stdout '*
0,3,worker,0,0.5,,0 1 2,conv forward
0,4,worker,0,0.25,,3,*
0,9,uplink,0,,4000000,8,fc grad
0,10,uplink,0,,2000000,8,*
0,11,uplink,0,,1000000,8,*
0,12,server,0,0.5,,9,fc update*' trace-from-layers layers.csv --whole

# The first bucket is full with fc, the second at 3 MB with the others; 3.5 MB is not full.
expect_stdout '*
0,8,worker,0,0.75,,7,conv backward
0,9,uplink,0,,4000000,6,fc grad
0,10,uplink,0,,3000000,8,"conv..a,b grad"
0,11,server,0,0.5,,9,fc update
0,12,server,0,0.375,,10,"conv..a,b update"' trace-from-layers layers.csv --bucket 3MB
expect_stdout '*
0,10,uplink,0,,3000000,8,*
0,11,server,*
0,12,server,*' trace-from-layers layers.csv --bucket 3.5MB
expect_stdout '*
0,9,uplink,0,,4000000,6,fc grad
0,10,uplink,0,,2000000,7,"a,b grad"
0,11,uplink,0,,1000000,8,conv grad
0,12,server,*
0,13,server,*
0,14,server,0,0.125,,11,conv update' trace-from-layers layers.csv --bucket 1

# The first bucket closes at 1 MiB, not at the size of the others.
file small.csv <<'END'
layer,bytes,forward_s,backward_s,update_s
a,600000,1,1,1
b,500000,1,1,1
c,548576,1,1,1
d,500000,1,1,1
END
expect_stdout '*,bytes,*
0,12,uplink,0,,1048576,9,c..d grad
0,13,uplink,0,,1100000,11,a..b grad
0,14,server,0,2,,12,c..d update
0,15,server,0,2,,13,a..b update' trace-from-layers small.csv --bucket 25MB
expect_stdout '*,1048576,9,c..d grad
0,13,uplink,0,,500000,10,b grad
0,14,uplink,0,,600000,11,a grad*' trace-from-layers small.csv --bucket 500kB

# --batch multiplies the passes alone.
expect_stdout '*
0,3,worker,0,16,,0,conv forward
*
0,8,worker,0,24,,7,conv backward
*
0,14,server,0,0.125,,11,conv update' trace-from-layers layers.csv --batch 32
expect_stdout '{"operations":[[]{"step":0,"op":0,"resource":"downlink","server":0,"bytes":1000000,"waits_for":[[][]],"name":"conv"},*"waits_for":[[]1,3],"name":"a,b forward"}*"duration_s":0.125,"waits_for":[[]11],"name":"conv update"}],"traced":{}}' \
    trace-from-layers layers.csv --format json
stdin=layers.csv
expect_stdout 'step,op,*conv update' trace-from-layers -

# ---- Steps that vary: the computation of a step as a whole, and nothing else
stdin=/dev/null
run trace-from-layers layers.csv
one=$stdout
expect_stdout "$(printf '%s' "$one" | sed 's/[[]/[[]/g')" \
    trace-from-layers layers.csv --vary 0 --steps 1
run trace-from-layers layers.csv --vary 0.05
first=$stdout
printf '%s\n' "$stdout" | awk -F, '
    BEGIN { split("0.5 0.25 1 2 0.5 0.75", alone, " ") }
    $3 == "worker" && $2 == 3 { s[$1] = $5 / 0.5; sum += s[$1]; squares += s[$1] * s[$1]; n++ }
    $3 == "worker" { off = $5 / alone[$2 - 2] / s[$1] - 1; if (off * off > 1e-24) bad++ }
    $3 == "server" && $2 == 12 && $5 != 0.5 { bad++ }
    END { mean = sum / n; square = squares / n / (mean * mean) - 1      # of the variation
          exit !(n == 100 && !bad && mean > 0.985 && mean < 1.015 &&
                 square > 0.035 * 0.035 && square < 0.065 * 0.065) }'
check $? 'want 100 steps of mean 1 and variation 5 %' trace-from-layers --vary 0.05
run trace-from-layers layers.csv --vary 0.05 --seed 1 --steps 100
holds 'want the defaults' [ "$first" = "$stdout" ]
run trace-from-layers layers.csv --vary 0.05 --seed 2
holds 'want other factors' [ "$first" != "$stdout" ]
run trace-from-layers layers.csv --vary 0.05 --steps 7
holds 'want the first of them' matches "$first" "$stdout$newline*"
expect_stdout '*{"step":6,"op":14,*,"name":"conv update"}],"traced":{}}' \
    trace-from-layers layers.csv --vary 0.05 --steps 7 --format json
"$program" trace-from-layers layers.csv --vary 1 --steps 500 > trace.csv
expect_status 0 simulate trace.csv --workers 2 --mode async --bandwidth 1MB/s
[ -z "$stderr" ] && awk -F, '$3 == "worker" && $5 < 0 { exit 1 }' trace.csv
check $? 'want no warning, no time below 0' trace-from-layers --vary 1

# ---- Servers: each layer to the one that holds least
expect_stdout '*
0,0,downlink,0,,1000000,,conv
0,1,downlink,1,,2000000,,"a,b"
0,2,downlink,0,,4000000,,fc
*
0,9,uplink,0,,4000000,6,fc grad
0,10,uplink,1,,2000000,7,"a,b grad"
0,11,uplink,0,,1000000,8,conv grad
0,12,server,0,0.5,,9,fc update
0,13,server,1,0.25,,10,"a,b update"
0,14,server,0,0.125,,11,conv update' trace-from-layers layers.csv --servers 2
expect_stdout '*
0,10,uplink,1,,2000000,8,*' trace-from-layers layers.csv --servers 2 --whole
sed '1s/$/,server/; 2s/$/,3/; 3s/$/,/; 4s/$/,1/' layers.csv > placed.csv
expect_stdout '*
0,0,downlink,3,,1000000,,conv
0,1,downlink,0,,2000000,,"a,b"
0,2,downlink,1,,4000000,,fc
*
0,12,server,1,0.5,,9,fc update
*
0,14,server,3,0.125,,11,conv update' trace-from-layers placed.csv

# ---- Simulated at 1 MB/s: one worker by hand
# whole: 7 s down, 1.75 forward, 3.25 backward, 7 up, the updates hidden but the last
simulated() {
    want=$1
    shift
    "$program" trace-from-layers layers.csv "$@" > trace.csv
    expect_number makespan_s "$want" 1e-12 simulate trace.csv --workers 1 --mode async \
        --bandwidth 1MB/s --steps 2 --warmup 0
}
simulated 38.25 --whole
# down 1 3 7; forward ends 8, backward 10 10.5 11.25; up 14 16 17
simulated 34.25
# buckets: up 14, 17, update 17.375
simulated 34.75 --bucket 3MB

# ---- Layers of a trace: its columns go with them, so its links count as `predict` has them
# 30 ms, then 1e8 bytes among 16 at 0.8 of 100 Gbit/s, 2 15/16 1e8 / 1e10
file traced.csv <<'END'
layer,bytes,forward_s,backward_s,update_s,bandwidth_bytes_per_s,traced_workers,vary
one,1e8,0.01,0.02,0,1e10,8,0.1
rest,0,0,0,0,,,
END
steps='--mode allreduce --steps 10 --warmup 0'
"$program" trace-from-layers traced.csv > trace.csv
expect_number makespan_s 0.4875 1e-12 simulate trace.csv $steps --workers 16 --bandwidth 100Gbps
expect_number makespan_s 0.475 1e-12 simulate trace.csv $steps --workers 8
expect_note '*note: the links are assumed as declared: *overlaps with computation as in the trace*' \
    simulate trace.csv $steps --workers 16 --bandwidth 100Gbps
expect_note '*note: trace.csv holds the steps of the latest of 8 ranks*' simulate trace.csv $steps --workers 4
expect_error 'sgdperf: trace.csv: the mean of a trace of several workers *' \
    advise trace.csv --mode sync --bandwidth 1Gbps
expect_error 'sgdperf: traced.csv: the mean of a trace of several workers *' \
    advise traced.csv --mode sync --bandwidth 1Gbps
expect_stdout '*],"traced":{"bandwidth_bytes_per_s":10000000000,"traced_workers":8,"vary":0.1}}' \
    trace-from-layers traced.csv --format json
# Each worker draws the steps of --vary: the longest of 8 at 10 % is 1.14 as long.
"$program" trace-from-layers traced.csv --vary 0.1 > trace.csv
expect_number makespan_s 51.7 2e-2 simulate trace.csv --mode allreduce --steps 1000 --warmup 0 \
    --workers 8

# ---- Bad input
expect_error 'sgdperf: trace-from-layers: a file is missing, see --help' trace-from-layers
expect_error "sgdperf: trace-from-layers: 'x' is one argument too many*" \
    trace-from-layers layers.csv x
expect_error 'sgdperf: none.csv: *' trace-from-layers none.csv
expect_error 'sgdperf: --bucket: cannot be combined with --whole' \
    trace-from-layers layers.csv --whole --bucket 1MB
expect_error "sgdperf: --bucket: '0' is not positive" trace-from-layers layers.csv --bucket 0
expect_error "sgdperf: --bucket: '1s' has an unknown unit*" \
    trace-from-layers layers.csv --bucket 1s
expect_error "sgdperf: --batch: '-1' is negative" trace-from-layers layers.csv --batch -1
expect_error 'sgdperf: --buckets: unknown option, did you mean --bucket?' \
    trace-from-layers layers.csv --buckets 1
expect_error 'sgdperf: layers.csv: a time is too large' \
    trace-from-layers layers.csv --batch 1e308
expect_error 'sgdperf: --bucket: cannot be combined with --servers*' \
    trace-from-layers layers.csv --servers 2 --bucket 1MB
expect_error "sgdperf: --bucket: cannot be combined with a column 'server'" \
    trace-from-layers placed.csv --bucket 1MB
expect_error "sgdperf: --servers: cannot be combined with the column 'server' of placed.csv*" \
    trace-from-layers placed.csv --servers 2
sed 's/,3$/,x/' placed.csv > bad.csv
expect_error "sgdperf: bad.csv:2: column 'server': 'x' is not a whole number" \
    trace-from-layers bad.csv
expect_error "sgdperf: --servers: '0' is not a positive*" trace-from-layers layers.csv --servers 0
printf 'layer,bytes,forward_s,backward_s,update_s\nx,0,1,1,1\n' > bad.csv
expect_error "sgdperf: bad.csv:1: column 'bytes': all cells are 0" \
    trace-from-layers bad.csv --servers 2
expect_error 'sgdperf: --steps: needs --vary' trace-from-layers layers.csv --steps 2
expect_error 'sgdperf: --seed: needs --vary' trace-from-layers layers.csv --seed 2
expect_error "sgdperf: --vary: '-0.1' is not between 0 and 1" \
    trace-from-layers layers.csv --vary -0.1
expect_error "sgdperf: --steps: '0' is not a positive*" \
    trace-from-layers layers.csv --vary 0.1 --steps 0
expect_error 'sgdperf: layers.csv: a time is too large' \
    trace-from-layers layers.csv --batch 4e307 --vary 1
bad() {
    printf 'layer,bytes,forward_s,backward_s,update_s\nx,1,1,1,1\n%s\n' "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:3: $2" trace-from-layers bad.csv
}
bad ',1,1,1,1' "column 'layer': the cell is empty"
bad 'x,1,1,1,1' "column 'layer': 'x' occurs twice, first in line 2"
bad 'y,-1,1,1,1' "column 'bytes': -1 is negative"
bad 'y,,1,1,1' "column 'bytes': the cell is empty"
bad 'y,1,nan,1,1' "column 'forward_s': 'nan' is not a number"
bad 'y,1,1,1e999,1' "column 'backward_s': '1e999' is too large"
bad 'y,1,1,1,one' "column 'update_s': 'one' is not a number"
bad 'y,1,1,1' 'the row has 4 cells, but 5 are in the header'
for column in layer bytes forward_s backward_s update_s; do
    sed "s/$column/other/" small.csv > bad.csv
    expect_error "sgdperf: bad.csv:1: column '$column' is missing" trace-from-layers bad.csv
done
printf 'layer,bytes,forward_s,backward_s,update_s\nx,1e308,1,1,1\ny,1e308,1,1,1\n' > bad.csv
expect_stdout '*,1e+308,*' trace-from-layers bad.csv
printf 'layer,bytes,forward_s,backward_s,update_s\nx,1,1,1,1e308\ny,1,1,1,1e308\n' > bad.csv
expect_error 'sgdperf: bad.csv:1: the sum over a bucket is too large' \
    trace-from-layers bad.csv --bucket 1
printf 'layer,bytes,forward_s,backward_s,update_s\n' > bad.csv
expect_error 'sgdperf: bad.csv:2: the table has no rows under the header' trace-from-layers bad.csv
awk 'BEGIN { print "layer,bytes,forward_s,backward_s,update_s"
    for (i = 0; i < 13108; i++) print i ",1,1,1,1" }' > many.csv
expect_error 'sgdperf: many.csv:13108: the table has more than 13106 layers' trace-from-layers many.csv
cli_report trace-from-layers

# sgdperf validate: errors known exactly, what is scored, bounds, every kind of bad input.
. tests/cli.sh

columns=dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s

# Steps of model ps: 0.6 s on one worker, 0.8 s on two, 1.2 s on four, by [LPGLY22, eq. 7];
# of fcfs 0.7 s on two.
file sync.csv <<END
$columns,steps,role
mine,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,10,fit
mine,k2,sync,2,1,,0.1,0.2,0.1,1e6,1e7,0,2,10,
mine,k4,sync,4,1,,0.1,0.2,0.1,1e6,1e7,0,4,10,
END
# expect_result MODEL KEY VALUE TOLERANCE ARGUMENT...: of the first result of that model.
expect_result() {
    expect_key="model\":\"$1\",[^}]*\"$2"
    shift 2
    expect_number "$expect_key" "$@"
}
# and_result MODEL KEY VALUE TOLERANCE: of the same output.
and_result() {
    expect_key="model\":\"$1\",[^}]*\"$2"
    shift 2
    and_number "$expect_key" "$@"
}
expect_fitted() {
    expect_key="model\":\"$1\",\"quantity\":[^}]*\"value"
    shift
    expect_number "$expect_key" "$@"
}
expect_result ps rows 2 0 validate sync.csv
and_result ps mean_error 0.20833333333333333 1e-12
and_result ps median_error 0.20833333333333333 1e-12
and_result ps p95_error 0.24583333333333333 1e-12
and_result ps max_error 0.25 1e-12
and_result ps bias 0.041666666666666667 1e-12
and_result fcfs max_error 0.42857142857142857 1e-12
and_result average bias 0.14285714285714286 1e-12

# What a measured cluster has besides: eq. 7 with links of workers, delays and stragglers. Two
# workers on two servers, each on a link of half a server's speed: 2 (0.2) + 0.3 + 0.05 s.
file links.csv <<END
$columns,worker_bandwidth_bytes_per_s,delay_s,compute_cv,steps,worker_types
own,k2,sync,2,2,,0.1,0.2,0.1,1e6,1e7,0,2.6666666666666667,5e6,0,0,60,
far,k2,sync,2,1,,0.1,0.2,0.1,1e6,1e7,0,2,,0.1,0,60,
one,k2,sync,2,1,,,,0.1,1e6,1e7,0,2,,,0,60,1:0.1:0.2:0.1 1:0.1:0.2
cv,k2,sync,2,1,,0.1,0.2,0.1,1e6,1e7,0,2,,,0.42,60,
END
expect_result ps max_error 0 1e-9 validate links.csv
for set in far one; do and_number "dataset\":\"$set\",\"model\":\"ps\",[^}]*\"max_error" 0 0; done
and_number 'dataset":"cv","model":"ps",[^}]*"max_error' 0.1479898 1e-4
expect_stdout '*"model":"staggered",*"default":true}*' validate sync.csv --format json
expect_stdout '*"model":"ps",*"default":false}*' validate sync.csv --format json
# How steps vary is known, or taken to be 2 %.
sed 's/,0.42,60,$/,,60,/' links.csv > unknown.csv
sed 's/,0.42,60,$/,0.02,60,/' links.csv > known.csv
run validate unknown.csv --rows --format csv
unknown=$(echo "$stdout" | grep '^cv,.*,staggered,')
run validate known.csv --rows --format csv
check $([ "$unknown" = "$(echo "$stdout" | grep '^cv,.*,staggered,')" ]; echo $?) \
    'want staggered to take 2 %' validate unknown.csv

# A row is scored or not by its role alone.
sed 's/,fit$/,/' sync.csv > all.csv
expect_result ps rows 3 0 validate all.csv
and_result ps mean_error 0.19444444444444444 1e-12
stdin=sync.csv
expect_result ps rows 2 0 validate -
stdin=/dev/null

# ---- Fitted quantities: 0.1 s for an exchange of two, 0.15 s for one of four
file ring.csv <<END
$columns,fit,group,role
mine,k2,allreduce,2,,,0.1,0.2,,1e6,,0,5,bandwidth,g,fit
mine,k4,allreduce,4,,,0.1,0.2,,1e6,,0,8,bandwidth,g,score
END
expect_fitted ring 1e7 1e-4 validate ring.csv
expect_result ring mean_error 0.11111111111111111 1e-4 validate ring.csv
sed 's/bandwidth,g,fit/bandwidth,g,score/; s/,8,bandwidth,g,score/,8,bandwidth,g,fit/' ring.csv > swapped.csv
expect_result ring bias -0.0769230769 1e-4 validate swapped.csv
# The group is of the file, not of the dataset; a bandwidth of its own for each model.
sed 's/^mine,k4/other,k4/' ring.csv > across.csv
expect_result ring mean_error 0.11111111111111111 1e-4 validate across.csv
expect_fitted doubling 1e7 1e-4 validate across.csv
# Latency: 2 (K - 1) messages.
file latency.csv <<END
$columns,fit,group,role
mine,k2,allreduce,2,,,0.1,0.2,0.1,1e6,1e7,0,2.857142857142857,latency,g,fit
mine,k4,allreduce,4,,,0.1,0.2,0.1,1e6,1e7,0,4,latency,g,score
END
expect_fitted ring 0.1 1e-4 validate latency.csv
expect_result ring mean_error 0.13043478 1e-3 validate latency.csv
# The update of one worker is what 0.5 s of compute and transfers leave of 0.7 s.
file server.csv <<END
$columns,fit,group,role
mine,k1,async,1,1,,0.1,0.2,,1e6,1e7,0,1.4285714285714286,server,g,fit
mine,k4,async,4,1,,0.1,0.2,,1e6,1e7,0,4,server,g,score
END
expect_fitted exact 0.2 1e-4 validate server.csv
expect_fitted cynthia 0.2 1e-4 validate server.csv
# A threshold is fitted where there is one; the other models go without.
file threshold.csv <<END
$columns,fit,group,role
mine,k4,async,4,1,,0.01,0.019,0.018,8.999e6,125e6,0,10.643,threshold,g,fit
mine,k8,async,8,1,,0.01,0.019,0.018,8.999e6,125e6,0,12.2,threshold,g,score
END
expect_stdout '*"fitted":[[]{"dataset":"mine","group":"g","model":"hybrid","quantity":"threshold","value":*},{*"model":"switch","quantity":"threshold","value":*}]*' validate threshold.csv --format json
expect_result exact rows 1 0 validate threshold.csv

# ---- What a model needs: no profile at all leaves the black boxes
file curve.csv <<END
$columns,fit,group,role
mine,k1,allreduce,1,,,,,,,,,10,,c,fit
mine,k2,allreduce,2,,,,,,,,,18.181818181818183,,c,fit
mine,k4,allreduce,4,,,,,,,,,30.76923076923077,,c,fit
mine,k8,allreduce,8,,,,,,,,,50,,c,score
END
expect_result amdahl mean_error 0.058823529411764705 1e-9 validate curve.csv
expect_result usl mean_error 0.058823529411764705 1e-9 validate curve.csv
expect_result optimus-sync mean_error 0.058823529411764705 1e-9 validate curve.csv
run validate curve.csv
! matches "$stdout" '*ernest*' && ! matches "$stdout" '*ring*' && ! matches "$stdout" '*optimus-async*'
check $? 'want neither ernest, nor ring, nor optimus-async' validate curve.csv
sed 's/^mine,k1,allreduce,1,,,/mine,k1,allreduce,1,,,0.1/' curve.csv > uneven.csv
expect_error "sgdperf: uneven.csv:5: column 'overlap': the cell is empty, but all models need the value" validate uneven.csv
sed 's/,role$/,roles/; s/,bandwidth,g/,,g/' ring.csv > unfitted.csv
expect_error "sgdperf: unfitted.csv:2: column 'bandwidth_bytes_per_s': *column 'fit' has bandwidth*" \
    validate unfitted.csv
# Curves: by the column, or by the point's name.
file named.csv <<END
$columns,curve
mine,a-k1,allreduce,1,,,0.01,0.02,0,1e6,1e8,0,30,
mine,a-k2,allreduce,2,,,0.01,0.02,0,1e6,1e8,0,50,mine of 2
END
expect_stdout '*"point":"a-k1",*"curve":"a",*"curve":"mine of 2"*' \
    validate named.csv --rows --format json
# Cynthia knows neither overlap nor unequal workers.
file types.csv <<END
$columns,worker_types
mine,a,async,4,1,,,,0.1,1e6,1e7,0,4,1:0.1:0.2 3:0.2:0.4
END
run validate types.csv
[ "$status" -eq 0 ] && matches "$stdout" '*interleaved*' && ! matches "$stdout" '*cynthia*'
check $? 'want no cynthia' validate types.csv
file step.csv <<END
$columns,one_worker_step_s,downlink_s
mine,a,async,1,1,,,,0.1,1e6,1e7,0,2,0.5,0
mine,b,async,1,1,,,,,1e6,1e7,0,2,0.5,0
END
expect_result exact rows 1 0 validate step.csv
expect_stdout '*"not_predicted":[[]{"dataset":"mine","rows":1,"file":"step.csv","line":3,"column":"update_s"}]*' validate step.csv --format json
expect_stdout "*not predicted: 1 row of mine; step.csv:3: column 'update_s': the cell is empty*" validate step.csv

# Optional columns. Alone a step takes 0.3 s; two exchange for 0.1 s, capped 0.2 s; two machines of
# two, 0.02 s inside the machine and 0.1 s between them.
file options.csv <<END
$columns,flow_cap_bytes_per_s,gpus,local_bandwidth_bytes_per_s,latency_s
overlap,a,allreduce,2,,,0.1,0.2,,1e6,1e7,1,5,,,,
cap,a,allreduce,2,,,0.1,0.2,,1e6,1e7,0,5,5e6,,,
gpus,a,allreduce,4,,,0.1,0.2,,1e6,1e7,0,10,,2,1e8,
gpus,b,allreduce,4,,,0.1,0.2,,1e6,1e7,0,10,,2,,
late,a,allreduce,2,,,0.1,0.2,,1e6,1e7,0,5,,,,0.05
small,a,allreduce,2,,,0.1,0.2,,0,,0,5,,,,
half,a,allreduce,2,,,0.1,,,1e6,1e7,0,5,,,,
END
expect_bias() {
    expect_number "dataset\":\"$1\",\"model\":\"ring\",[^}]*\"bias" "$2" 1e-9 validate options.csv
}
expect_bias overlap 0.33333333333333333
expect_bias cap -0.2
expect_bias gpus -0.047619047619047619
expect_bias late -0.2
expect_bias small 0.33333333333333333
expect_stdout '*not predicted: 1 row of gpus; options.csv:5: column *local_bandwidth_bytes_per_s*not predicted: 1 row of half; options.csv:8: column *backward_s*' validate options.csv

# ---- Replays. Steps that do not meet: 0.1 + 0.3 + 0.1 + 0.1 s alone, 1e6 bytes at 1e7/s.
file replay.csv <<END
$columns,layers,compute_cv
sync,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,,
sync,k2,sync,2,1,,0.1,0.2,0.1,1e6,1e7,0,2,,
ring,k4,allreduce,4,,,0.1,0.2,0.1,1e6,1e7,0,4,,
async,k1,async,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,,0.01
hidden,k1,async,1,1,,0.1,0.2,0.1,1e6,1e7,1,2,,
layers,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,1,2,sub/two.csv,
whole,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,sub/two.csv,
fast,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,1,2,sub/two.csv,0.2
END
mkdir -p sub
file sub/two.csv <<'END'
layer,bytes,forward_s,backward_s,update_s
a,1e6,0.1,0.2,0.01
b,2e6,0.3,0.4,0.02
END
# and_replay DATASET POINT PREDICTED TOLERANCE
and_replay() {
    and_number "dataset\":\"$1\",\"point\":\"$2\",[^}]*\"model\":\"${5-simulated}\",[^}]*\"predicted" \
        "$3" "$4"
}
run validate replay.csv --rows --format json
and_replay sync k1 1.6666666666666667 1e-9
# Shared equally 0.2 + 0.3 + 0.2 + 0.1 s; in turn 0.7 s. The mean of both throughputs.
and_replay sync k2 2.6785714285714286 1e-9
# 0.3 + 0.15 + 0.1 s.
and_replay ring k4 7.2727272727272727 1e-9
and_replay async k1 1.6666666666666667 1e-3
# Downloads end at 0.1 and 0.3, forward passes at 0.2 and 0.6, backward at 1.0 and 1.2, uploads at
# 1.2 and 1.3, the last update at 1.31 s. Nothing overlapped: 0.3 + 1.0 + 0.3 + 0.01 s.
and_replay layers k1 0.76335877862595420 1e-9
and_replay layers k1 0.76335877862595420 1e-9 simulated-tcp
and_replay whole k1 0.62111801242236020 1e-9
and_replay fast k1 0.76335877862595420 0.02
# Transfers hide, but nobody knows how without layers; nor is a replay fitted.
tr '{' '\n' < .stdout | grep '"dataset":"hidden"' > hidden && ! grep -q simulated hidden
check $? 'want no replay of hidden' validate replay.csv --rows --format json
run validate replay.csv --format csv
matches "$stdout" "*${newline}sync,simulated-tcp,2,*" && matches "$stdout" '*layers,simulated-tcp,1,*' &&
    matches "$stdout" '*ring,simulated-tcp*' && matches "$stdout" '*async,simulated-tcp*' &&
    ! matches "$stdout" '*hidden,simulated-tcp*'
check $? 'want simulated-tcp for all that is replayed' validate replay.csv --format csv
! matches "$stdout" "*${newline}sync,simulated-exp*" && matches "$stdout" '*async,simulated-exp,1,*' &&
    ! matches "$stdout" '*hidden,simulated*'
check $? 'want simulated-exp for async alone' validate replay.csv --format csv
expect_none '*simulated*' validate ring.csv
# Replays have an update of each worker, queued, where models count one a step.
sed '1s/$/,updates/; 2,$s/$/,queued/' replay.csv > queued.csv
expect_note "*note: 2 rows of mode sync or allreduce with updates 'queued': models simulated\* replay*" \
    validate queued.csv --format csv
# Several servers, each with a part of the layer, the worker's own link and its delay; types;
# messages of a ring that are late; a flow's cap.
file ends.csv <<END
$columns,worker_bandwidth_bytes_per_s,delay_s,worker_types,latency_s,flow_cap_bytes_per_s,steps
two,k1,async,1,2,,0.1,0.2,0.1,1e6,1e7,0,2,,,,,,
slow,k1,sync,1,2,,0.1,0.2,0.1,1e6,1e7,0,2,5e6,,,,,
wide,k1,sync,1,2,,0.1,0.2,0.1,1e6,1e7,0,2,2e7,,,,,
far,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,,0.05,,,,
types,k2,sync,2,2,,,,0.1,1e6,1e7,0,2,2e7,,1:0.1:0.2 1:0.3:0.4,,,
ring,k4,allreduce,4,,,0.1,0.2,0.1,1e6,1e7,0,4,,,,0.01,,
cap,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,,,,,2e6,
long,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,,,,,,30
END
run validate ends.csv --rows --format json
and_ends() {
    and_number "dataset\":\"$1\",[^}]*\"model\":\"simulated$3\",[^}]*\"predicted" "$2" 1e-9
}
and_ends two 1.8181818181818181 -tcp
and_ends slow 1.3333333333333333 -tcp
and_ends wide 2.2222222222222223 -tcp
and_ends far 1.4285714285714286 -tcp
# 0.1 s down, both; the slower one 0.7 s, 0.05 s up, 0.05 s to update. In turn as well.
and_ends types 2.2222222222222223 ''
and_ends ring 6.5573770491803280 -tcp
and_ends cap 0.71428571428571428 -tcp
and_ends long 1.6666666666666667 -tcp

# Layers whole on the less loaded of two servers: 0.3 + 1.0 + 0.3 s by the worker's link, 0.02 s
# for the larger one. Downloads in reverse: 0.3 s before anything. Exchanges of a ring in one
# bucket behind it all, 1.0 + 0.45 + 0.01 s; or each, from 0.8 and 1.1 s on, until 1.25 s.
file placed.csv <<END
$columns,layers,place,order,bucket_bytes
place,k1,sync,1,2,,0.1,0.2,0.1,1e6,1e7,0,2,sub/two.csv,balanced,,
back,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,1,2,sub/two.csv,,reverse,
any,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,1,2,sub/two.csv,,random,
ring,k4,allreduce,4,,,0.1,0.2,0.1,1e6,1e7,1,4,sub/two.csv,,,2.5e6
each,k4,allreduce,4,,,0.1,0.2,0.1,1e6,1e7,1,4,sub/two.csv,,,1e6
END
run validate placed.csv --rows --format json
and_ends place 0.61728395061728395 ''
and_ends back 0.70921985815602837 ''
and_ends ring 2.7397260273972603 ''
and_ends each 3.1746031746031744 ''
matches "$stdout" '*"dataset":"any",*"model":"simulated",*"predicted":0.7[06]*'
check $? 'want one order or the other' validate placed.csv

# The measured length: 20 replays, their mean and their extremes.
file long.csv <<END
$columns,steps,updates
mine,k2,async,2,1,,0.02,0,0.002,1e6,1e8,0,42,40,queued
mine,k3,async,3,1,,0.02,0,0.002,1e6,1e8,0,500,40,
END
run validate long.csv --rows --format csv
printf '%s\n' "$stdout" | awk -F, 'NR == 1 { if ($11 != "low" || $12 != "high") exit 1; next }
    $5 == "simulated-tcp" || $5 == "simulated" { n++
        if (!($11 < $7 && $7 < $12)) bad = 1 }
    $5 == "exact" && $11 $12 != "" { bad = 1 }
    END { exit !(n == 4 && !bad) }'
check $? 'want means within extremes' validate long.csv --rows --format csv
printf '%s\n' "$stdout" | awk -F, '$5 == "simulated-tcp" { tcp[$2] = $7 $11 $12 }
    $5 == "simulated-chain" { n++; if (tcp[$2] != $7 $11 $12) bad = 1 }
    END { exit !(n == 2 && !bad) }'
check $? 'want the chain of one server as simulated-tcp' validate long.csv --rows --format csv
expect_stdout '*mine, simulated-tcp: measured inside the spread of 20 replays in 1 of 2 rows*' \
    validate long.csv
expect_stdout '*"model":"simulated-tcp",*"low":*,"high":*}*' validate long.csv --rows --format json
# The same in any number of processes: results, notes and what is wrong first.
file asked.csv <<END
$columns,stepss,orderr
late,k2,async,2,1,,0.01,0.01,0.002,1e6,1e8,0,500,40,
END
printf 'layer,bytes,forward_s,backward_s,update_s\na,0,0,0,0\n' > nothing.csv
file slow.csv <<END
$columns,layers
late,k8,async,8,1,,0.02,0,0.002,1e6,1e8,0,500,
late,k2,async,2,1,,0.01,0.01,0.002,1e6,1e8,0,500,nothing.csv
late,k3,async,3,1,,0.01,0.01,0.002,1e6,1e8,0,500,nothing.csv
END
for set in 'long.csv --rows' asked.csv slow.csv; do
    for processes in 1 3; do
        run validate $set --processes $processes
        printf '%s\n' "$status" "$stdout" "$stderr" > "by.$processes"
    done
    holds 'want the same of 1 and 3 processes' cmp -s by.1 by.3
done
matches "$(cat by.1)" "2*sgdperf: slow.csv:3: model simulated: *"
check $? 'want the first row that fails' validate slow.csv
expect_error "sgdperf: --processes: '0'*" validate long.csv --processes 0
sed 's/,40,/,1,/' long.csv > short.csv
expect_error "sgdperf: short.csv:2: column 'steps': *1*" validate short.csv
# One worker of two servers counts its cycle: 5 ms down and up, each on a link of its own, 30 ms,
# and 2 ms to update on each.
file counted.csv <<END
$columns,compute_cv,updates,steps,worker_bandwidth_bytes_per_s
split,k1,async,1,2,,0.01,0.02,0.004,1e6,1e8,0,23.8,1e-9,queued,30,1e9
END
run validate counted.csv --rows --format csv
printf '%s\n' "$stdout" | awk -F, '$5 == "simulated-chain" { n++
        if ($7 < (1 - 1e-6) / 0.042 || $7 > (1 + 1e-6) / 0.042) bad = 1 }
    END { exit !(n == 1 && !bad) }'
check $? 'want the rate of the cycle' validate counted.csv --rows
mkdir -p elsewhere
{ sed -n 1p replay.csv; grep '^layers' replay.csv | sed 's|sub/|../sub/|'; } > elsewhere/replay.csv
expect_result simulated rows 1 0 validate elsewhere/replay.csv
stdin=elsewhere/replay.csv
expect_error 'sgdperf: ../sub/two.csv: *' validate -
stdin=/dev/null
# bad_replay LAYERS CV EXPECTED
bad_replay() {
    printf '%s\n%s\n' "$columns,layers,compute_cv" "d,a,sync,1,1,,1,1,1,1,1,1,1,$1,$2" > bad.csv
    bulk expect_error "sgdperf: $3" validate bad.csv
}
bad_replay none.csv '' 'none.csv: *'
bad_replay '' -1 "bad.csv:2: column 'compute_cv': -1 is negative"
printf 'layer,bytes,forward_s,backward_s\na,1,1,1\n' > table.csv
bad_replay table.csv '' "table.csv:1: column 'update_s' is missing"
printf 'layer,bytes,forward_s,backward_s,update_s\na,-1,1,1,1\n' > table.csv
bad_replay table.csv '' "table.csv:2: column 'bytes': -1 is negative"
printf 'layer,bytes,forward_s,backward_s,update_s\na,0,0,0,0\n' > table.csv
bad_replay table.csv '' 'bad.csv:2: model simulated: *'

# Black boxes: rows with a role, one curve, that of the mode; groups are of the file.
{ cat curve.csv; echo mine,k16,allreduce,16,,,,,,,,,60,,c,; } > more.csv
expect_result amdahl rows 1 0 validate more.csv
expect_stdout '*"not_predicted":[[]{"dataset":"mine","rows":1,*' validate more.csv --format json
sed 's/allreduce/async/' curve.csv > async.csv
expect_result optimus-async rows 1 0 validate async.csv
expect_none '*optimus-sync*' validate async.csv
sed 's/^mine,k8/other,k8/' curve.csv > parted.csv
expect_error "sgdperf: parted.csv:5: column 'overlap': the cell is empty*" validate parted.csv
sed 's/^mine/other/; s/,5,bandwidth/,6,bandwidth/' ring.csv > other.csv
expect_stdout '*"fitted":[[]{"dataset":"mine","group":"g","model":"ring",*{"dataset":"other","group":"g","model":"ring",*' validate ring.csv other.csv --format json

# ---- Formats
expect_stdout 'dataset,model,rows,mean_error,median_error,p95_error,max_error,bias,bound_mean,bound_max,ok
mine,ps,2,0.2083*,0.2083*,0.2458*,0.25*,0.0416*,,,true
mine,fcfs,2,*
mine,average,2,*' validate sync.csv --format csv
expect_stdout 'dataset,point,mode,workers,model,measured,predicted,error,role,curve,low,high,source,class,band_low,band_high
mine,k1,sync,1,ps,2,1.666*,-0.166*,fit,mine,,,mine,,,
*mine,k4,sync,4,average,4,*,mine,,*' validate sync.csv --rows --format csv
expect_stdout '*,"rows":[[]{"dataset":"mine","point":"k1","mode":"sync","workers":1,"model":"ps","measured":2,"predicted":1.66*,"role":"fit","curve":"mine",*}*}]}' validate sync.csv --rows --format json
expect_stdout '*predicted*mine*k1*percent*mine*ps*20.8*' validate sync.csv --rows
expect_stdout '*usage: sgdperf validate*Example*' validate --help
# The example of the help runs.
"$program" validate --help | sed -n '/^  \$ /,$p' | sed "s|^  \\$ ||; s|sgdperf|\"$program\"|" > example.sh
stdout=$(sh example.sh 2>&1)
holds 'want the example to run' matches "$stdout" '*mine*switch*2*'

# Names of curves: the point without its number of workers.
file names.csv <<END
$columns,steps
d,a-b-k10,sync,10,1,,1,1,1,1,1,0,1,10
d,run_2,sync,2,1,,1,1,1,1,1,0,1,10
d,run7,sync,3,1,,1,1,1,1,1,0,1,10
d,1,sync,1,1,,1,1,1,1,1,0,1,10
END
expect_stdout '*a-b-k10,*,a-b,*
*run_2,*,run,*
*run7,*,run7,*
*1,sync,*,d,*' validate names.csv --rows --format csv

# ---- Bounds
bounds() { printf 'dataset,model,mean_error,max_error\n%s\n' "$1" > bounds.csv; }
bounds 'mine,ps,0.21,0.25001'
expect_stdout '*"bound_mean":0.21,"bound_max":0.25*,"ok":true*"model":"fcfs"*"bound_mean":null,"bound_max":null,"ok":true*' validate sync.csv --bounds bounds.csv --format json
expect_stdout '*ps*yes*0 of 1 bounds exceeded' validate sync.csv --bounds bounds.csv
bounds 'mine,ps,0.2083,0.3'
expect_status 1 validate sync.csv --bounds bounds.csv
holds 'want the bound marked' matches "$stdout" '*ps*NO*1 of 1 bounds exceeded'
bounds 'mine,ps,0.3,0.2499'
expect_status 1 validate sync.csv --bounds bounds.csv --format json
holds 'want ok false' matches "$stdout" '*"ok":false*'
bounds 'yours,ps,0,0'
expect_status 0 validate sync.csv --bounds bounds.csv
bounds 'mine,ring,1,1'
expect_error "sgdperf: bounds.csv:2: column 'model': dataset 'mine' has no result of 'ring'" validate sync.csv --bounds bounds.csv
bounds 'mine,ps,-1,1'
expect_error "sgdperf: bounds.csv:2: column 'mean_error': -1 is negative" validate sync.csv --bounds bounds.csv
bounds 'mine,ps,,1'
expect_error "sgdperf: bounds.csv:2: column 'mean_error': the cell is empty" validate sync.csv --bounds bounds.csv
bounds 'mine,ps,1,1
mine,fcfs,1,1
mine,ps,1,1'
expect_error "sgdperf: bounds.csv:4: column 'model': 'ps' occurs twice, first in line 2" validate sync.csv --bounds bounds.csv
printf 'dataset,model,max_error\nmine,ps,1\n' > bounds.csv
expect_error "sgdperf: bounds.csv:1: column 'mean_error' is missing" validate sync.csv --bounds bounds.csv
expect_error 'sgdperf: none.csv: *' validate sync.csv --bounds none.csv
expect_error 'sgdperf: --bounds: a value is missing' validate sync.csv --bounds

# ---- The default folder
expect_error 'sgdperf: validation/datasets: *' validate
mkdir -p validation/datasets
expect_error 'sgdperf: validation/datasets: no file ends in .csv' validate
cp sync.csv validation/datasets/b.csv
sed 's/^mine/first/' sync.csv > validation/datasets/a.csv
echo 'not read' > validation/datasets/notes.txt
echo 'not read' > validation/datasets/.c.csv
expect_stdout '*first*ps*mine*ps*' validate
bounds 'yours,ps,1,1'
expect_error "sgdperf: bounds.csv:2: column 'dataset': 'yours' is not in validation/datasets" validate --bounds bounds.csv
rm -r validation
ln -s "$root/validation" validation
# Those of the project, within their bounds; all of them: make validate, and tests/cli/docs.sh.
expect_stdout '*cmdare*0 of [1-9]* bounds exceeded' \
    validate validation/datasets/cmdare.csv --bounds validation/bounds.csv
expect_stdout '*infiniband-cards*ring*infiniband-mpi*0 of 7 bounds exceeded' \
    validate validation/infiniband.csv --bounds validation/infiniband_bounds.csv

# ---- Bad cells: bad ROW EXPECTED, below a good row, under all columns
bad() {
    printf '%s\n%s\n%s\n' "$columns,fit,group,role,gpus,worker_types,one_worker_step_s" \
        'd,a,sync,1,1,,1,1,1,1,1,0,1,,,,,,' "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:3: $2" validate bad.csv
}
bad ',b,sync,1,1,,1,1,1,1,1,0,1,,,,,,' "column 'dataset': the cell is empty"
bad 'd,,sync,1,1,,1,1,1,1,1,0,1,,,,,,' "column 'point': the cell is empty"
bad 'd,a,sync,1,1,,1,1,1,1,1,0,1,,,,,,' "column 'point': 'a' occurs twice, first in line 2"
bad 'd,b,magic,1,1,,1,1,1,1,1,0,1,,,,,,' "column 'mode': 'magic' is not one of async, sync, allreduce"
bad 'd,b,,1,1,,1,1,1,1,1,0,1,,,,,,' "column 'mode': '' is not one of *"
bad 'd,b,async,1,1,,1,1,1,1,1,0,1,,,,,,' "column 'mode': 'async', but dataset 'd' is sync in line 2*"
bad 'd,b,sync,0,1,,1,1,1,1,1,0,1,,,,,,' "column 'workers': 0 is not a positive whole number"
bad 'd,b,sync,,1,,1,1,1,1,1,0,1,,,,,,' "column 'workers': the cell is empty"
bad 'd,b,sync,1000001,1,,1,1,1,1,1,0,1,,,,,,' "column 'workers': 1000001 is too large"
bad 'd,b,sync,1,0,,1,1,1,1,1,0,1,,,,,,' "column 'servers': 0 is not a positive whole number"
bad 'd,b,sync,1,1,0,1,1,1,1,1,0,1,,,,,,' "column 'batch': 0 is not positive"
bad 'd,b,sync,1,1,,-3,1,1,1,1,0,1,,,,,,' "column 'forward_s': -3 is negative"
bad 'd,b,sync,1,1,,1,x,1,1,1,0,1,,,,,,' "column 'backward_s': 'x' is not a number"
bad 'd,b,sync,1,1,,1,1,1,-1,1,0,1,,,,,,' "column 'model_bytes': -1 is negative"
bad 'd,b,sync,1,1,,1,1,1,1,0,0,1,,,,,,' "column 'bandwidth_bytes_per_s': 0 is not positive"
bad 'd,b,sync,1,1,,1,1,1,1,1,2,1,,,,,,' "column 'overlap': 2 is too large"
bad 'd,b,sync,1,1,,1,1,1,1,1,yes,1,,,,,,' "column 'overlap': 'yes' is not a whole number"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,0,,,,,,' "column 'batches_per_s': 0 is not positive"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,,,,,,,' "column 'batches_per_s': the cell is empty"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,nan,,,,,,' "column 'batches_per_s': 'nan' is not a number"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,,,,0,,' "column 'gpus': 0 is not a positive whole number"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,,,,,,0' "column 'one_worker_step_s': 0 is not positive"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,magic,g,fit,,,' "column 'fit': 'magic' is not one of server, bandwidth, latency, threshold, exposure"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,,g,magic,,,' "column 'role': 'magic' is not one of fit, score"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,server,,fit,,,' "column 'fit': 'server', but the row belongs to no group: fill column 'group'"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,server,g,,,,' "column 'fit': 'server', but the row has no role: give role 'fit' or 'score'"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,,,score,,,' "column 'role': 'score', but the row belongs to no group: fill column 'group', or leave column 'role' empty"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,server,g,score,,,' "column 'group': no row of group 'g' has role 'fit'"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,,g,score,,,' "column 'group': no row of group 'g' has role 'fit'"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,threshold,g,fit,,,' "column 'fit': no model of mode sync has the input threshold"
bad 'd,b,sync,1,1,,1,1,1,1,1,0,1,latency,g,fit,,,' "column 'fit': no model of mode sync has the input latency"
bad 'd,b,sync,2,1,,,,1,1,1,0,1,,,,,2:1,' "column 'worker_types': '2:1' is not COUNT:FORWARD:BACKWARD*"
bad 'd,b,sync,2,1,,,,1,1,1,0,1,,,,,2:1:-1,' "column 'worker_types': '2:1:-1' is not *"
bad 'd,b,sync,2,1,,,,1,1,1,0,1,,,,,1:1:1  1:1:1,' "column 'worker_types': '' is not *"
bad 'd,b,sync,3,1,,,,1,1,1,0,1,,,,,2:1:1,' "column 'worker_types': the types have 2 workers, but column 'workers' has 3"
bad 'd,b,sync,2,1,,1,,1,1,1,0,1,,,,,2:1:1,' "column 'forward_s': cannot be used beside column 'worker_types'"
bad 'd,b,sync,2,1,,,,1,1,1,0,1,,,,,2:1:1,1' "column 'one_worker_step_s': cannot be used beside column 'worker_types'"
bad 'd,b,sync,2,1,,0,0,0,0,1,0,1,,,,,,' 'model ps: *'

# ---- How a row was run

# One of two workers far away is two types; shares of servers tell how large the largest is.
file run.csv <<END
$columns,steps,delay_s,worker_types,delayed_workers,shares,jitter,updates
types,k2,async,2,1,,,,0.1,1e6,1e7,0,2,20,,1:0.1:0.2:0.5 1:0.1:0.2:0,,,none,queued
part,k2,async,2,1,,0.1,0.2,0.1,1e6,1e7,0,2,20,0.5,,1,,none,queued
whole,k2,async,2,1,,0.1,0.2,0.1,1e6,1e7,0,2,20,0.5,,2,,none,queued
even,k2,sync,2,2,,0.1,0.2,0.1,1e6,1e7,0,2,20,,,,0.5 0.5,none,
uneven,k2,sync,2,2,,0.1,0.2,0.1,1e6,1e7,0,2,20,,,,0.75 0.25,none,
END
run validate run.csv --rows --format csv
# row_of DATASET MODEL: what is predicted.
row_of() { echo "$stdout" | grep "^$1,.*,$2," | cut -d, -f7; }
[ -n "$(row_of types rhythm)" ] && [ "$(row_of types rhythm)" = "$(row_of part rhythm)" ]
check $? "a delayed worker and another are two types" validate run.csv
holds "one delayed worker is not two" [ "$(row_of part rhythm)" != "$(row_of whole rhythm)" ]
[ -n "$(row_of even ps)" ] && [ "$(row_of even ps)" != "$(row_of uneven ps)" ]
check $? "the largest share counts" validate run.csv
sed 's/,none,/,normal,/' run.csv | sed '1s/$/,compute_cv/; 2,$s/$/,0.5/' > varied.csv
sed 's/,none,/,none,/' run.csv | sed '1s/$/,compute_cv/; 2,$s/$/,0.5/' > steady.csv
steady=$(row_of even ps)
run validate steady.csv --rows --format csv
holds "no jitter, no variation" [ "$(row_of even ps)" = "$steady" ]
run validate varied.csv --rows --format csv
holds "a barrier waits for the slowest" [ "$(row_of even ps)" != "$steady" ]
# Whole layers on servers, and no table of them: no model, and that is the reason.
printf '%s,place\nd,k2,async,2,2,,1,1,1,1,1,1,1,balanced\n' "$columns" > placed.csv
expect_error 'sgdperf: placed.csv:2: no model describes servers that hold whole layers, except replays of layers' \
    validate placed.csv
# Runs that no model knows are left out, and that is said.
for foreign in 'every,16,several mini-batches an exchange' 'backup,1,backup workers' \
    'jobs,2,several jobs on the same links' 'durations,d.csv,computations that are replayed' \
    emulated,ssp,ssp emulated,tree,tree; do
    is=${foreign##*,}
    foreign=${foreign%,*}
    column=${foreign%,*}
    printf '%s,%s\nknown,k2,sync,2,1,,1,1,1,1,1,0,0.3,\nforeign,k3,sync,3,1,,1,1,1,1,1,0,1,%s\n' \
        "$columns" "$column" "${foreign#*,}" > foreign.csv
    run validate foreign.csv --format csv
    matches "$stderr" "sgdperf: note: 1 row is left out: no model describes $is" &&
        matches "$stdout" '*known,ps,*' && ! matches "$stdout" '*foreign,*'
    check $? "a row with '$column' is left out, with a note" validate foreign.csv
    expect_stdout "*not predicted: 1 row of foreign; foreign.csv:3: no model of $is" \
        validate foreign.csv
    sed -i /known/d foreign.csv
    expect_error "*sgdperf: foreign.csv:2: column '$column': no model of $is" validate foreign.csv
done
# bad_run COLUMN VALUE MESSAGE
bad_run() {
    printf '%s,%s\nd,k3,async,3,2,,1,1,1,1,1,0,1,%s\n' "$columns" "$1" "$2" > bad.csv
    bulk expect_error "sgdperf: bad.csv:2: column '$1': $3" validate bad.csv
}
bad_run shares '0.5 0.6' "'0.5 0.6' adds up to 1.1, not 1"
bad_run shares '0.5 0.2 0.3' '*is not a fraction per server*'
bad_run shares '2 -1' '*is not a fraction per server*'
bad_run delayed_workers 4 '*'
bad_run delayed_workers 1.5 '*'
bad_run jitter wild '*'
bad_run updates shared '*'

# ---- Bad groups and files
conflict() {
    printf '%s\n%s\n%s\n' "$columns,fit,group,role" "$1" "$2" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$3" validate bad.csv
}
conflict 'd,a,async,1,1,,1,1,1,1,1,0,1,server,g,fit' 'd,b,async,2,1,,1,1,1,1,1,0,1,bandwidth,g,score' \
    "3: column 'fit': 'bandwidth', but group 'g' has 'server' in line 2: all rows of a group need *"
conflict 'd,a,async,1,1,,1,1,1,1,1,0,1,server,g,fit' 'd,b,async,2,1,,1,1,1,1,1,0,1,,g,score' \
    "3: column 'fit': '', but group 'g' has 'server' in line 2: all rows of a group need *"
conflict 'd,a,async,1,1,,1,1,1,1,1,0,1,server,g,fit' 'e,b,sync,2,1,,1,1,1,1,1,0,1,server,g,score' \
    "3: column 'mode': 'sync', but group 'g' is async in line 2: all rows of a group need *"
# One worker of a ring sends nothing: its bandwidth cannot be fitted, nor be known.
conflict 'd,a,allreduce,1,,,1,1,,1,,0,1,bandwidth,g,fit' 'd,b,allreduce,2,,,1,1,,1,,0,1,bandwidth,g,score' \
    "3: no model can be fitted to the group of the row"
conflict 'd,a,async,1,1,,1,1,1,1,1,0,1,,,fit' 'd,b,async,2,1,,1,1,1,1,1,0,1,,,fit' '*no row is scored*'
conflict 'd,a,async,1,1,,1,1,1,1,1,0,1,,,fit' 'd,b,async,2,,,1,1,1,1,1,0,1,,,' \
    "3: column 'servers': the cell is empty, but all models need the value"
expect_error "sgdperf: sync.csv:2: column 'dataset': dataset 'mine' also occurs in all.csv" validate all.csv sync.csv
expect_error "sgdperf: sync.csv:2: column 'dataset': dataset 'mine' also occurs in sync.csv" validate sync.csv sync.csv
for column in $(echo $columns | tr , ' '); do
    echo ",$columns," | sed "s/,$column,/,x,/; s/^,//; s/,\$//" > bad.csv
    printf 'd,a,sync,1,1,,1,1,1,1,1,0,1\n' >> bad.csv
    expect_error "sgdperf: bad.csv:1: column '$column' is missing" validate bad.csv
done
expect_error 'sgdperf: none.csv: *' validate none.csv
expect_error 'sgdperf: --bond: unknown option, did you mean --bounds?' validate sync.csv --bond x
# ---- Coverage: the shipped bands are those of the shipped rows, rounded up. Of classes with 60
# rows or more 88 to 93 % of the rows of sources that are left out lie in them.
( cd "$root" && SGDPERF=$program sh validation/bands.sh check ) > .stdout 2> .stderr
check $? "want tools/files/bands.def as the rows shipped give it" validate --coverage
( cd "$root" && "$program" validate --coverage --format csv 2> /dev/null ) > coverage.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
         $at["left_out_rows"] >= 60 {
             n++
             if ($at["covered"] < 0.88 || $at["covered"] > 0.93) { print; bad = 1 } }
         END { exit !(n >= 6 && !bad) }' coverage.csv
check $? "want 88 to 93 % covered" validate --coverage
{
    printf 'dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,model_bytes,'
    printf 'bandwidth_bytes_per_s,overlap,batches_per_s,inputs\n'
    awk 'BEGIN { for (d = 0; d < 2; d++) for (i = 1; i <= 45; i++)
        printf "d%d,p%d,allreduce,2,,1,0.5,0.5,0,0,1,0,%.17g,declared\n", d, i, 2 + i / 50 }'
} > known.csv
expect_stdout 'class,level,*
declared,0.9,0,*,2,90,90,1,*' validate known.csv --coverage --format csv
expect_stdout '{"classes":[[]{"class":"declared",*"covered":1,*' \
    validate known.csv --coverage --format json
sed '2s/declared/x/' known.csv > bad.csv
expect_error "sgdperf: bad.csv:2: column 'inputs': 'x' is *" validate bad.csv

# ---- Kinds of clusters: classes by where a row ran, and rivals at the same rows
file kinds.csv <<'END'
dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s,fit,group,role,one_worker_step_s,gpus,local_bandwidth_bytes_per_s,inputs,network,machines,source,kind,rival_batches_per_s
in,k2,allreduce,2,,8,0.4,0.6,0,1e6,1e11,0,1.5,,,,,1,,declared,,,us,,
in,k3,allreduce,3,,8,0.4,0.6,0,1e6,1e9,0,4,,,,,1,,declared,,1,us,,
far,k8,allreduce,8,,8,0.4,0.6,0,1e6,1e10,0,4,,,,,4,1e11,declared,,,us,,
far,k16,allreduce,16,,8,0.4,0.6,0,1e6,1e10,0,8,,,,,4,1e11,declared,ib-edr,,them,,16
full,k8,allreduce,8,,8,,,0,1e6,1e10,0,4,,,,1.25,4,1e11,declared,,,them,,
own,k8,allreduce,8,,8,,,0,1e6,1e10,0,4,,,,1.25,4,1e11,declared,,,them,my kind,
cal,k2,allreduce,2,,8,,,0,1e8,,0,1.6,bandwidth,g,fit,1,1,,,,,us,,
cal,k4,allreduce,4,,8,,,0,1e8,,0,2.5,bandwidth,g,score,1,1,,,,,us,,
END
run validate kinds.csv --rows --format csv
for class in in,k2,*inside in,k3,*inside far,k8,*declared far,k16,*network full,k8,*machine cal,k4,*calibrated; do
    grep -q "^${class%%\**}.*,${class#*\*},[0-9.]*,[0-9.]*\$" .stdout
    check $? "want the class $class" validate kinds.csv --rows
done
expect_stdout '*"kinds":[[]{"kind":"one machine","rows":2,"sources":1,*"too_fast":0.5,*"kind":"several machines from a full one","rows":1,*"linear":0.6*"kind":"my kind","rows":1,*' validate kinds.csv --format json
expect_stdout 'kind,source,rival,rows,ours,theirs
*several machines with --network,all,printed,1,*,1
*accelerators calibrated,us,amdahl,1,*' validate kinds.csv --rivals --format csv
expect_error 'sgdperf: --rows: cannot be combined with --rivals' validate kinds.csv --rivals --rows
sed 's/ib-edr/ib-xdr/' kinds.csv > bad.csv
expect_error "sgdperf: bad.csv:5: column 'network': 'ib-xdr' is not a kind of network*" validate bad.csv
sed 's/,16$/,-16/' kinds.csv > bad.csv
expect_error "sgdperf: bad.csv:5: column 'rival_batches_per_s': -16 is negative" validate bad.csv
sed 's/,1,us,,$/,4,us,,/' kinds.csv > bad.csv
expect_error "sgdperf: bad.csv:3: column 'machines': *4*" validate bad.csv

# ---- Black boxes of workers and servers, which no other one is applied to.
awk -v columns="$columns" 'BEGIN {
    print columns ",group,role"
    for (n = 1; n <= 4; n++) for (p = 1; p <= 3; p++) {
        step = 2 / n + 0.5 + 0.25 * n / p + 0.01 * n + 0.02 * p
        printf "s,n%d-p%d,sync,%d,%d,,,,,,,0,%.17g,g,%s\n", n, p, n, p, n / step,
            n < 4 ? "fit" : "score"
    }
}' > surface.csv
expect_number 'model":"optimus-sync-servers","rows' 3 0 validate surface.csv
awk -v error="$(sed 's/.*"max_error":\([^,]*\),.*/\1/' .stdout)" 'BEGIN { exit !(error < 1e-9) }'
check $? 'want no error' validate surface.csv
expect_stdout '*optimus-sync-servers  *' validate surface.csv
holds 'want no curve' ! matches "$stdout" '*ernest*'

# ---- All rows of an architecture, whatever their datasets; one that has a single one says
# nothing more. Steps of ps: 0.8 s on two workers, 0.6 s on one.
file two.csv <<END
$columns
a,k2,sync,2,1,,0.1,0.2,0.1,1e6,1e7,0,2
b,k2,sync,2,1,,0.1,0.2,0.1,1e6,1e7,0,5
END
cp two.csv pooled.csv
awk -F, -v OFS=, '{ print } NR > 1 { $2 = $2 "-again"; print }' two.csv |
    sort -t, -k2 -r > mixed.csv
expect_stdout 'relative errors of the predicted throughput, percent

kind *servers with measured inputs     2        2 *all of  model *sync    ps  *2     2  *37.5*dataset  model*' validate pooled.csv
expect_number 'mode":"sync","model":"ps","datasets":2,"rows":2,"mean_error' 0.375 1e-9 \
    validate pooled.csv
and_number 'mode":"sync","model":"ps",[^}]*"bias' -0.125 1e-9
expect_stdout '{"status":"ok","results":[[]*"pooled":[[]*"mode":"sync","model":"staggered","datasets":2,*"default":true}*' \
    validate pooled.csv --format json
expect_number 'mode":"sync","model":"ps","datasets":2,"rows' 4 0 validate mixed.csv
expect_none '*all of*' validate sync.csv

# ---- Beside them what papers print. The targets are read where the program runs.
mkdir targets
cp sync.csv pooled.csv targets
cd targets || exit 1
expect_error 'sgdperf: validation/paper_targets.csv: *' validate sync.csv --targets
mkdir -p validation
targets() {
    { echo 'source,figure,model,measured_on,class,analogue,mean_error,max_error'; cat; } > new.csv
    mv new.csv validation/paper_targets.csv
}
targets <<'END'
A22,Fig. 1,coarse,two networks,sync,ps,0.03,0.1
A22,Fig. 2,coarse,"no, corrected",sync-overlap,ps uncorrected,,0.2
B20,Table 1,streams,a network,,,0.5,
C20,Fig. 3,fine,none,allreduce-machines,ring,0.01,0.02
END
expect_stdout '*class * ours * rows * mean * max *their_mean  their_max
sync  *auto  *
sync  *ps  *2  37.5 *50  A22  *Fig. 1  *coarse  *two networks  *3         10*sync-overlap *ps uncorrected     0     -     -*allreduce-machines  ring  *0  *1 other figures of the papers have no analogue here: validation/FINDINGS.md' \
    validate pooled.csv --targets
expect_stdout 'class,ours,rows,mean,max,source,*sync,ps,2,0.37*,0.5*,A22,Fig. 1,coarse,two networks,0.03,0.1*' \
    validate pooled.csv --targets --format csv
expect_number 'class":"sync","model":"ps","rows":2,"mean_error' 0.375 1e-9 \
    validate pooled.csv --targets
expect_stdout '*{"class":"sync-overlap","model":"ps uncorrected","rows":0,"mean_error":null,*"their_mean_error":null,"their_max_error":0.2}*"without_analogue":1}' \
    validate pooled.csv --targets --format json
# Without the correction for overlap the step is that of the row without overlap.
sed 's/,0,2$/,1,2/; s/,0,5$/,1,5/' pooled.csv > overlap.csv
expect_number 'model":"ps uncorrected","rows":2,"mean_error' 0.375 1e-9 validate overlap.csv --targets
sed 's/,sync,ps,/,sync,pss,/' validation/paper_targets.csv | grep -v '^source' | targets
expect_error "sgdperf: validation/paper_targets.csv:2: column 'analogue': 'pss' is not a model" \
    validate pooled.csv --targets
sed 's/,sync,pss,/,snc,ps,/' validation/paper_targets.csv | grep -v '^source' | targets
expect_error "sgdperf: validation/paper_targets.csv:2: column 'class': 'snc' is not a class of rows" \
    validate pooled.csv --targets
expect_error 'sgdperf: --coverage: cannot be combined with --targets' validate pooled.csv --coverage --targets
expect_error 'sgdperf: --rows: cannot be combined with --targets' validate pooled.csv --rows --targets
# Every target of the shipped file can be set beside ours.
cp "$root/validation/paper_targets.csv" validation
expect_stdout '*LPCG18,Table II,exact MVA,*LPGLY22,Fig. 22(e-f),fine,*' \
    validate pooled.csv --targets --format csv
cli_report validate

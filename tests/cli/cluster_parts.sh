# sgdperf cluster: times until parts of jobs are done, policies of both kinds in one table,
# limits of nodes, curves that end.
. tests/cli.sh

# wrong PATTERN ARGUMENT...
wrong() {
    want=$1
    shift
    expect_error "sgdperf: $want" cluster "$@"
}

# ---- Parts of jobs: by hand. On one node, one job after the other (gamma 1 keeps the order):
# the first has 10 s, the second, which comes at 2, 20 s.
file jobs.csv <<'END2'
job,arrival_s,size,curve
a,0,10,slow
b,2,20,fast
END2
printf '%s\n' curve,nodes,throughput slow,1,1 fast,1,1 > curves.csv
hand="cluster --nodes 1 --jobs jobs.csv --curves curves.csv --gamma 1"
expect_stdout 'load,policy,chunk,gamma,curve,fraction,jobs,mean_time_s,ci95_half_width_s,median_time_s,p95_time_s,max_time_s
,hell,,1,,0.4,2,10,,4.0*,16,16
,hell,,1,,1,2,19,,*,28,28
,hell,,1,slow,0.4,1,4,,*,4
,hell,,1,slow,1,1,10,,*,10
,hell,,1,fast,0.4,1,16,,*,16
,hell,,1,fast,1,1,28,,*,28' $hand --fractions 0.4,1 --by-curve --format csv
expect_stdout '*"fractions":[[]{"curve":null,"fraction":0.4,"jobs":2,"mean_time_s":10,"ci95_half_width_s":null,*"max_time_s":16,"quantiles":[[]{"probability":0.5,"time_s":*,"ci95_half_width_s":null},*],"cdf":[[]{"probability":0.01,*}]}],*' \
    $hand --fractions 0.4 --cdf --format json
expect_stdout '*
until a fraction of a job is done
load  policy  chunk  gamma  curve  fraction  jobs  mean_time_s *
   -  hell *0.4 *2 *10 *
*distribution of times until a fraction of a job is done
*' $hand --fractions 0.4 --cdf
# Who gives up is not counted beyond.
expect_stdout 'load,*
,hell,,1,,0.4,2,7.5,,4.0*,11,11
,hell,,1,,0.9,0,,,,,' $hand --fractions 0.4,0.9 --quit 0.5:1 --format csv
# Tables: the rows of each alone, however many processes
sweep="cluster --nodes 10 --load 0.4 --min-jobs 2000 --max-jobs 2000 --fill --fractions 0.4,1 --format csv"
for cdf in '' --cdf; do
    run $sweep --policies hell,knee --gamma 0,1.05 $cdf --processes 4
    cp .stdout all
    for policy in hell knee; do
        for gamma in 0 1.05; do
            run $sweep --policy $policy --gamma $gamma $cdf
            grep -c "^0.4,$policy,,$gamma," .stdout > count
            grep -c "^0.4,$policy,,$gamma," all | cmp -s - count && tail -n +2 .stdout > rows &&
                grep "^0.4,$policy,,$gamma," all | cmp -s - rows
            check $? 'want the rows of the table' $sweep --policy $policy --gamma $gamma $cdf
        done
    done
done
run $sweep --policy hell --cdf
awk -F, 'NR == 1 { next } $6 == 0.4 { n++; if ($8 < last) bad = 1; last = $8 }
    END { exit bad || n != 99 }' .stdout
check $? 'want an ascending distribution' $sweep --cdf
# A part of 1 is the response time; the means are those of "until a fraction".
run cluster --nodes 10 --load 0.4 --max-jobs 2000 --fractions 0.4,1 --format json
tr ',{}[]' '\n\n\n\n\n' < .stdout | awk -F: '
    function far(a, b) { d = a / b - 1; return !(d < 1e-9 && d > -1e-9) }
    $1 == "\"mean_response_s\"" { want[2] = $2 }
    $1 == "\"0.4\"" { want[1] = $2 }
    $1 == "\"mean_time_s\"" { n++; if (far($2, want[n])) bad = 1 }
    END { exit bad || n != 2 }'
check $? 'want the same means' --fractions 0.4,1
expect_stdout 'load  policy  chunk  gamma  status *
 0.4  hell        -      0 *
 0.4  hell        -   1.05 *
 0.4  jsq *  - *' cluster --nodes 10 --load 0.4 --policies hell,jsq --gamma 0,1.05 --min-jobs 1000
wrong '--by-curve: needs --fractions' --nodes 5 --load 0.5 --by-curve
wrong "--fractions: '1.1' *" --nodes 5 --load 0.5 --fractions 1.1
wrong "--fractions: '0' not of less than 1e-06" --nodes 5 --load 0.5 --fractions 0
wrong "--fractions: '0.5,1e-12' not of less than 1e-06" --nodes 5 --load 0.5 --fractions 0.5,1e-12
wrong '--cdf: for one policy and load, or with --fractions' --nodes 5 --load 0.5 --gamma 0,1 --cdf
wrong '--completions: for one policy*' --nodes 1 --jobs jobs.csv --curves curves.csv --gamma 0,1 \
    --completions
wrong "--gamma: 'x' is not a number" --nodes 5 --load 0.5 --gamma 1,x

# ---- Policies of both kinds on one log: by hand, with the waits that were observed
printf '%s\n' '; MaxProcs: 4' '1 0 5 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1' \
    '2 1 0 10 3 -1 -1 3 5 -1 1 1 1 1 1 1 -1 -1' '3 2 7 10 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1' > w.swf
log="cluster --jobs w.swf --trace-format swf"
both="$log --policies easy,hell,equal,jsq --chunk 2 --curves linear"
# hell: 1 from 0 with 4, then 3 (10 units) from 2 to 4.5, 1 until 12.5, 2 until 20.
expect_stdout 'policy,nodes,jobs,killed,backfilled,most_waiting,utilization,end_s,mean_wait_s,*
easy,4,3,0,0,2,1,20,5.66*,8,8.9,9,15.66*
hell,4,3,,,,1,20,*
equal,4,3,,,,1,20,0,0,0,0,14.166666666666666,17.5,*
jsq,4,3,,,,*
observed,4,3,,,,,,4,5,6.8,7,14,*' $both --format csv
matches "$stderr" '*policies that change the nodes of jobs are taken to know each job'"'"'s size, to pause it at no cost, and to give it 1 to 4 nodes; speed-ups are those of linear, slow-downs over the time that it needs on its own nodes'
check $? 'want a note on what is assumed' $both
expect_stdout '{"points":[[]{"status":"done","policy":"easy",*"killed":0,*},{"status":"done","policy":"hell","nodes":4,"killed":null,"backfilled":null,"most_waiting":null,*],"observed":{"jobs":3,"mean_wait_s":4,*"widths":*' \
    $both --format json
# The same answers as alone.
for policy in hell equal; do
    run $both --format csv
    mean=$(grep "^$policy," .stdout | cut -d, -f13)
    expect_number mean_response_s "$mean" 1e-12 $log --policy $policy --curves linear
    run $both --by-width --format csv
    grep -q "^$policy,3,4,2," .stdout
    check $? 'want widths of both' $both --by-width
done
# On its own nodes at most, never less, hell is first come, first served.
expect_stdout '*
hell,4,3,,,,1,20,5.66*,8,8.9,9,15.66*
observed,*' $log --policies easy,hell --curves linear --max-nodes own --format csv
file mixed.csv <<'END2'
job,arrival_s,nodes,run_s,curve,min_nodes,max_nodes,gang_nodes
a,0,4,10,line,,2,
b,0,2,10,line,2,,2
c,1,1,5,flat,,,
END2
awk 'BEGIN { print "curve,nodes,throughput"
    for (n = 1; n <= 4; n++) print "line," n "," n "\nflat," n ",1" }' > four.csv
expect_stdout 'policy,nodes,*
fcfs,*
equal,4,3,,,,0.7222222222222222,22.5,0,0,0,0,12.5,*' cluster --nodes 4 --jobs mixed.csv --policies fcfs,equal --curves four.csv \
    --format csv
run $log --policies easy,hell --curves linear --gang 3
matches "$stderr" '*and to give it 3 to 3 nodes; *'
check $? 'want whole gangs in the note' $log --gang 3
wrong "--gamma: '0,1' one beside policies of rigid jobs" --jobs w.swf --trace-format swf \
    --policies easy,hell --curves linear --gamma 0,1
# 80 node-seconds from 1 s to 19 s
run $log --policy easy
matches "$stderr" '*w.swf: from the first start to the last end 4.44444 nodes were at work on the average: the waits observed are those of a cluster of more than 4'
check $? 'want a note on a larger cluster' $log
run $log --policy easy --nodes 5
matches "$stderr" '*at work on the average*'
[ $? -ne 0 ]
check $? 'want no note on a larger cluster' $log --nodes 5
wrong '--policies: policies that change the nodes of jobs need --curves' --jobs w.swf \
    --trace-format swf --policies easy,hell
wrong "--policies: 'jsq' needs --chunk beside policies of rigid jobs" --jobs w.swf \
    --trace-format swf --policies easy,jsq --curves linear
wrong '--fill: is for hell and knee' --jobs w.swf --trace-format swf --policies easy,equal \
    --curves linear --fill
wrong '--gamma: not for rigid jobs' --jobs w.swf --trace-format swf --policies easy,fcfs --gamma 1
wrong '--sweep: not for rigid jobs' --jobs w.swf --trace-format swf --policies easy,hell \
    --curves linear --sweep 0.1
wrong '--chunk: is for jsq' --jobs w.swf --trace-format swf --policies easy,hell --chunk 2 \
    --curves linear

# ---- Sizes and curves in place of times: 10 units on 2 nodes, then 20 on 4
file sized.csv <<'END2'
job,arrival_s,size,curve,nodes,walltime_s
a,0,10,line,2,20
b,1,20,line,4,30
END2
cut -d, -f1-3,5- sized.csv > uncurved.csv
queued='job,start_s,completion_s,wait_s,response_s,observed_wait_s
a,0,5,0,5,
b,5,10,4,9,'
expect_stdout "$queued" cluster --nodes 4 --policy easy --jobs sized.csv --curves four.csv \
    --completions --format csv
# A built-in curve is that of all jobs, where nothing else is said.
for policy in '--policy easy' --rigid; do
    expect_stdout "$queued" cluster --nodes 4 $policy --jobs uncurved.csv --curves linear \
        --completions --format csv
done
cut -d, -f1-3 sized.csv > bare.csv
expect_stdout 'job,completion_s,response_s
a,10,10
b,21,20' cluster --nodes 4 --policy equal --jobs bare.csv --curves amdahl:1 --completions \
    --format csv
expect_status 0 cluster --nodes 4 --policies easy,hell --jobs uncurved.csv --curves linear
wrong "sized.csv:2: column 'curve': 'line' is no curve of linear" --nodes 4 --policy easy \
    --jobs sized.csv --curves linear
wrong "bare.csv:1: no column 'curve'" --nodes 4 --jobs bare.csv --curves four.csv
wrong "uncurved.csv:1: no column 'curve'" --nodes 4 --policy easy --jobs uncurved.csv \
    --curves four.csv

# ---- Limits: a has 2 nodes at most, b 3 or none
file limits.csv <<'END2'
job,arrival_s,size,curve,min_nodes,max_nodes
a,0,30,linear,1,2
b,0,30,linear,3,
END2
limits="cluster --nodes 3 --jobs limits.csv --curves linear --policy equal --completions --format csv"
expect_stdout 'job,completion_s,response_s
a,25,25
b,10,10' $limits
cut -d, -f1-4 limits.csv > plain.csv
expect_stdout '*
a,30,30
b,30,30' cluster --nodes 3 --jobs plain.csv --curves linear --policy equal --completions \
    --format csv --max-nodes 1
wrong "job 'a' can have no number of nodes: from 3, up to 2, in gangs of 1" --nodes 3 \
    --jobs plain.csv --curves linear --min-nodes 3 --max-nodes 2
wrong "job 'a' can have no number of nodes: from 1, up to 2, in gangs of 3" --nodes 3 \
    --jobs plain.csv --curves linear --gang 3 --max-nodes 2
wrong "--min-nodes: '4' *" --nodes 3 --jobs plain.csv --curves linear --min-nodes 4
wrong "--max-nodes: 'all' *" --nodes 3 --jobs plain.csv --curves linear --max-nodes all
wrong "--max-nodes: 'own' is for jobs of a trace*" --nodes 3 --jobs plain.csv --curves linear \
    --max-nodes own
wrong "job 'a' may not have the 2 nodes of a chunk: --chunk" --nodes 3 --jobs plain.csv \
    --curves linear --policy jsq --chunk 2 --max-nodes 1
sed 's/linear,3,/linear,4,/' limits.csv > bad.csv
wrong "bad.csv:3: column 'min_nodes': 4 are more than the 3 of the cluster" --nodes 3 \
    --jobs bad.csv --curves linear
sed 's/linear,3,/linear,0,/' limits.csv > bad.csv
wrong "bad.csv:3: column 'min_nodes': 0 is not a positive whole number" --nodes 3 \
    --jobs bad.csv --curves linear
run cluster --nodes 20 --load 0.3 --max-jobs 1000 --format csv
cp .stdout free
run cluster --nodes 20 --load 0.3 --max-jobs 1000 --max-nodes 4 --format csv
! cmp -s free .stdout
check $? 'want another answer' cluster --load 0.3 --max-nodes 4

# ---- A linear curve of 4 rows and of 128: the same answer, or a refusal
for rows in 4 128; do
    awk -v rows=$rows 'BEGIN { print "curve,nodes,throughput"
        for (n = 1; n <= rows; n++) print "linear," n "," n }' > rows-$rows.csv
done
for policy in hell equal srpt waterfill knee; do
    given="$log --policy $policy --nodes 4 --format json"
    run $given --curves rows-4.csv
    cp .stdout short
    run $given --curves rows-128.csv
    [ "$status" -eq 0 ] && cmp -s short .stdout
    check $? 'want the same from 128 rows as from 4' $given
    expect_error "sgdperf: job '1' may have 8 nodes, curve 'linear' ends at 4: more rows, *" \
        $log --policy $policy --nodes 8 --curves rows-4.csv
    given="$log --policy $policy --nodes 8 --max-nodes 4 --format json"
    run $given --curves rows-4.csv
    cp .stdout short
    run $given --curves rows-128.csv
    [ "$status" -eq 0 ] && cmp -s short .stdout
    check $? 'want the same from 128 rows as from 4' $given
done
expect_status 0 cluster --nodes 8 --jobs plain.csv --curves rows-4.csv
matches "$stderr" '*note: 2 of 2 jobs may have more nodes than their curves have rows: *'
check $? 'want a note on curves that end' cluster --nodes 8 --jobs plain.csv --curves rows-4.csv
sed 's/ 4 -1 -1 4 / 6 -1 -1 6 /' w.swf > wide.swf
for policies in "--policy hell" "--policies easy,hell"; do
    wide="cluster --jobs wide.swf --trace-format swf --nodes 8 $policies"
    expect_error "sgdperf: *job '1' ha? 6 nodes, curve 'linear' ends at 4: more rows, *" \
        $wide --curves rows-4.csv
    run $wide --curves rows-128.csv
    [ "$status" -eq 0 ]
    check $? 'want an answer from 128 rows' $wide
done

# ---- Every number that is told of rigid jobs has its key, in CSV and JSON
run $log --policy easy --format csv
head -n 1 .stdout | tr ',' '\n' > keys
for what in wait_s response_s slowdown bounded_slowdown; do
    for statistic in mean median p95 max; do
        case $statistic-$what in mean-*slowdown) key=$what ;; *) key=${statistic}_$what ;; esac
        grep -qx "$key" keys
        check $? "want the column $key" $log --policy easy --format csv
        expect_stdout "*\"$key\":[0-9]*\"widths\":*\"$key\":[0-9]*" $log --policy easy --format json
    done
done
cli_report cluster_parts

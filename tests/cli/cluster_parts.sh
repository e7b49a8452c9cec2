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
matches "$stderr" '*policies that change the number of nodes *know each *to pause jobs at no cost and to give each 1 to 4 nodes; speed-ups follow --curves linear, *'
check $? 'want a note on what is assumed' $both
# The same answers as alone.
for policy in hell equal; do
    run $both --format csv
    mean=$(grep "^$policy," .stdout | cut -d, -f13)
    expect_number mean_response_s "$mean" 1e-12 $log --policy $policy --curves linear
    run $both --by-width --format csv
    holds 'want widths of both' grep -q "^$policy,3,4,2," .stdout
done
# On its own nodes at most, never less, hell is first come, first served.
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
expect_note '*and to give each 3 to 3 nodes; *' $log --policies easy,hell --curves linear --gang 3
# 80 node-seconds from 1 s to 19 s
expect_note '*w.swf: on average 4.44444 nodes worked between the first start and the last end: the observed waits belong to a cluster of more than 4 nodes*' \
    $log --policy easy
run $log --policy easy --nodes 5
matches "$stderr" '*at work on average*'
holds 'want no note on a larger cluster' [ $? -ne 0 ]

# ---- Sizes and curves in place of times: 10 units on 2 nodes, then 20 on 4
file sized.csv <<'END2'
job,arrival_s,size,curve,nodes,walltime_s
a,0,10,line,2,20
b,1,20,line,4,30
END2
cut -d, -f1-3,5- sized.csv > uncurved.csv
queued='job,start_s,completion_s,wait_s,response_s,observed_wait_s,nodes
a,0,5,0,5,,2
b,5,10,4,9,,4'
expect_stdout "$queued" cluster --nodes 4 --policy easy --jobs sized.csv --curves four.csv \
    --completions --format csv
# A built-in curve is that of all jobs, where nothing else is said.
for policy in '--policy easy' --rigid; do
    expect_stdout "$queued" cluster --nodes 4 $policy --jobs uncurved.csv --curves linear \
        --completions --format csv
done
cut -d, -f1-3 sized.csv > bare.csv
expect_status 0 cluster --nodes 4 --policies easy,hell --jobs uncurved.csv --curves linear
wrong "bare.csv:1: column 'curve' is missing" --nodes 4 --jobs bare.csv --curves four.csv
wrong "uncurved.csv:1: column 'curve' is missing" --nodes 4 --policy easy --jobs uncurved.csv \
    --curves four.csv

# ---- Limits: a has 2 nodes at most, b 3 or none
file limits.csv <<'END2'
job,arrival_s,size,curve,min_nodes,max_nodes
a,0,30,linear,1,2
b,0,30,linear,3,
END2
cut -d, -f1-4 limits.csv > plain.csv
wrong "--max-nodes: 'all' *" --nodes 3 --jobs plain.csv --curves linear --max-nodes all
run cluster --nodes 20 --load 0.3 --max-jobs 1000 --format csv
cp .stdout free
run cluster --nodes 20 --load 0.3 --max-jobs 1000 --max-nodes 4 --format csv
holds 'want another answer' ! cmp -s free .stdout

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
    expect_error "sgdperf: job '1' may have 8 nodes, but curve 'linear' ends at 4 nodes: add rows to the curve, *" \
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
    expect_error "sgdperf: *job '1' ha? 6 nodes, but curve 'linear' ends at 4 nodes: add rows to the curve, *" \
        $wide --curves rows-4.csv
    run $wide --curves rows-128.csv
    holds 'want an answer from 128 rows' [ "$status" -eq 0 ]
done

# ---- Every number that is told of rigid jobs has its key, in CSV and JSON
run $log --policy easy --format csv
head -n 1 .stdout | tr ',' '\n' > keys
for what in wait_s response_s slowdown bounded_slowdown; do
    for statistic in mean median p95 max; do
        case $statistic-$what in mean-*slowdown) key=$what ;; *) key=${statistic}_$what ;; esac
        holds "want the column $key" grep -qx "$key" keys
        expect_stdout "*\"$key\":[0-9]*\"widths\":*\"$key\":[0-9]*" $log --policy easy --format json
    done
done
cli_report cluster_parts

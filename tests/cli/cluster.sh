# sgdperf cluster: the golden curves and runs, closed forms, the interface, public traces,
# bad input.
. tests/cli.sh
awk -f "$root/tests/flat.awk" "$root/tests/golden/sched.json" > flat
data=$root/tests/data

# expect_reached STATUS PATTERN ARGUMENT...: exit status and all of stdout.
expect_reached() {
    want_status=$1
    want=$2
    shift 2
    run "$@"
    [ "$status" -eq "$want_status" ] && matches "$stdout" "$want"
    check $? "want status $want_status, stdout $want" "$@"
}

# same FILE FILE REASON ARGUMENT...: equal and not empty
same() {
    [ -s "$1" ] && cmp -s "$1" "$2"
    set -- $? "$@"
    equal=$1
    shift 3
    check "$equal" "$@"
}

# ---- Golden: the throughputs of the four networks in all models
for model in hybrid exact fcfs; do
    curves="cluster --nodes 100 --curves-only --model $model --format csv"
    run $curves
    awk -F '[.\t]' -v model=X_$model 'BEGIN { name["GNet"] = "GoogLeNet"; name["Alex"] = "AlexNet" }
        FNR == NR && $1 == "throughput" && $3 == model {
            network = $2 in name ? name[$2] : $2
            want[network, $4 + 1] = substr($0, index($0, "\t") + 1)
            next }
        FNR == NR || FNR == 1 { next }
        { split($0, cell, ",")
          error = cell[3] / want[cell[1], cell[2]] - 1
          rows++
          if (!(error <= 1e-9 && error >= -1e-9)) wrong++ }
        END { exit !(rows == 400 && !wrong) }' flat .stdout
    check $? 'want the golden throughputs' $curves
done

# ---- Golden: runs, as files and lines of arguments, means and completions
awk -F '\t' 'function option(name, key) {
        if (get[c, key] + 0 != 0) args = args " --" name " " get[c, key]
    }
    BEGIN { policy["mold_hell"] = "moldable-hell"; policy["mold_knee"] = "moldable-knee" }
    $1 !~ /^cluster_runs\./ { next }
    { n = split($1, at, ".")
      c = at[2]
      cases = c + 1
      key = at[3]
      for (i = 4; i <= n; i++) key = key "," at[i]
      get[c, key] = $2
      if (at[3] == "X") { jobs[c] = at[4] + 1; nodes[c, at[4]] = at[5] + 1 } }
    END {
        for (c = 0; c < cases; c++) {
            alg = get[c, "alg"]
            if (alg in policy) alg = policy[alg]
            args = "--nodes " get[c, "W"] " --policy " alg " --jobs jobs-" c ".csv --curves curves-" c ".csv"
            if (get[c, "par,fill"] == "true") args = args " --fill"
            if (get[c, "par,backfill"] == "false") args = args " --order hol"
            option("alpha", "par,alpha"); option("alpha-low", "par,alpha_L")
            option("alpha-high", "par,alpha_H"); option("load", "par,load")
            option("gamma", "gamma"); option("chunk", "par,chunk")
            print "job,arrival_s,size,curve" > "jobs-" c ".csv"
            print "curve,nodes,throughput" > "curves-" c ".csv"
            numbers = get[c, "mean_response"]
            for (j = 0; j < jobs[c]; j++) {
                print "job " j "," get[c, "arrival," j] "," get[c, "size," j] ",c" j > "jobs-" c ".csv"
                for (w = 1; w <= nodes[c, j]; w++)
                    print "c" j "," w "," get[c, "X," j "," w - 1] > "curves-" c ".csv"
                numbers = numbers " " get[c, "completion," j]
            }
            close("jobs-" c ".csv")
            close("curves-" c ".csv")
            print args
            print numbers
        } }' flat > golden
cases=0
while read -r arguments && read -r numbers; do
    expect_number mean_response_s "${numbers%% *}" 1e-9 cluster $arguments
    grep -o '"completion_s":[-0-9.e+]*' .stdout | sed 's/.*://' |
        awk -v want="${numbers#* }" 'BEGIN { n = split(want, w, " ") }
            { error = $1 / w[NR] - 1; if (!(error <= 1e-9 && error >= -1e-9)) wrong++ }
            END { exit !(NR == n && !wrong) }'
    check $? "want completions ${numbers#* }" cluster $arguments
    cases=$((cases + 1))
done < golden
holds "want 6 golden runs, got $cases" [ "$cases" -eq 6 ]

# ---- By hand: linear jobs on 3 nodes, one after the other; the second gives up
file curves.csv <<'END'
nodes,curve,note,throughput
2,linear,,2
1,linear,,1
3,linear,,3
1,flat,,2
END
file jobs.csv <<'END'
job,arrival_s,size,curve
first,1,30,linear
"second, flat",5,6,flat
END
given="cluster --nodes 3 --jobs jobs.csv --curves curves.csv"
expect_stdout '{"status":"done","policy":"srpt","nodes":3,"jobs":2,"cancelled":0,"mean_response_s":8,"ci95_half_width_s":null,"utilization":1,"jobs_present":1.230769230769230*,"slowdown":1.15,"slowdown_ci95_half_width":null,"end_s":14,"decisions":*,"mean_fraction_response_s":{"0.1":0.6*,"0.2":1.*,"0.3":1.9*,"0.4":2.6*,"0.5":4.75,*},"quantiles":[[]{"probability":0.5,"response_s":*,"ci95_half_width_s":null},*],"completions":[[]{"job":"first","completion_s":14},{"job":"second, flat","completion_s":8}]}' \
    $given --policy srpt --format json
expect_stdout 'job,completion_s,response_s,start_s,nodes,nodes_over_time
first,14,13,1,2.307692307692307*,1:3 5:0 8:3
"second, flat",8,3,5,3,5:3' $given --policy srpt --completions --format csv
expect_stdout 'load  policy  chunk  status  jobs  mean_response_s  ci95_half_width_s  utilization  slowdown
   -  srpt        -  done       2                8                  - *
*response times
*until a fraction of a job is done
*completions
job           completion_s  response_s  start_s   nodes
first                   14          13        1  2.3077
second, flat             8           3        5       3' $given --policy srpt --completions
expect_stdout 'load,policy,chunk,status,jobs,mean_response_s,ci95_half_width_s,utilization,slowdown,cancelled,jobs_present
,srpt,,done,2,8,,*' $given --policy srpt --format csv
expect_stdout 'job,completion_s,response_s,cancelled,start_s,nodes,nodes_over_time
first,7,6,1,1,*
"second, flat",6.5,1.5,1,5,*' $given --policy equal --quit 0.5:1 --completions --format csv
expect_stdout '*"seed":1,*"cancelled":2,*"0.5":3.5,"0.6":null,*"cancelled":true}]}' \
    $given --quit 0.5:0.5 --quit 0.25:0.5 --format json
# Beyond the histogram of quantiles the mean still is exact.
printf 'job,arrival_s,size,curve\na,0,4e12,flat\n' > late.csv
expect_stdout '*"mean_response_s":2000000000000,*"quantiles":[[]{"probability":0.5,"response_s":null,*' \
    cluster --nodes 3 --jobs late.csv --curves curves.csv --format json
# --restart-cost: the first loses 2 s when it gets its nodes back.
expect_stdout '*"completion_s":16},*"completion_s":8}]}' \
    $given --policy srpt --restart-cost 2 --format json
expect_stdout '*"completion_s":16},*"completion_s":8}]}' \
    $given --policy srpt --restart-cost 2000ms --format json
run $given --policy srpt --format json
cp .stdout plain
run $given --policy srpt --restart-cost 0 --format json
same plain .stdout 'want the same bits' $given --restart-cost 0
# JSQ: one chunk of 2 nodes, or three of 1; the search finds the better one.
expect_stdout '*"chunk":2,*"completion_s":16},*"completion_s":19}]}' \
    $given --policy jsq --chunk 2 --format json
expect_stdout '*"chunk":3,*"completion_s":11},*"completion_s":14}]}' \
    $given --policy jsq --format json
expect_stdout 'load  policy  chunk  status *
   -  srpt        -  done *
   -  jsq         3  done *' $given --policies srpt,jsq
stdin=jobs.csv
expect_stdout '*"completion_s":14}*' cluster --nodes 3 --jobs - --curves curves.csv \
    --policy srpt --format json
stdin=/dev/null

# ---- Closed forms: M/D/1 at 0.5 has a mean response of 1.5 services, and with jobs that
# speed up linearly, one after the other on all nodes, it is the same queue.
printf '%s\n' curve,weight,size_mean,size_deviation linear,2,10,0 > constant.csv
for queue in "--nodes 1" "--nodes 3 --policy jsq --chunk 3"; do
    md1="cluster $queue --curves curves.csv --workload constant.csv --load 0.5"
    run $md1 --format json
    case $queue in *1) want=15 ;; *) want=5 ;; esac
    expect_number mean_response_s $want 0.03 $md1 --precision 0.01
done
expect_number utilization 0.5 0.03 $md1 --precision 0.01
expect_number seed 9 0 $md1 --seed 9
# At higher loads many more than 10 jobs are present at times: the queue still is stable.
md1="cluster --nodes 1 --curves curves.csv --workload constant.csv"
expect_number mean_response_s 21.6667 0.03 $md1 --load 0.7 --precision 0.01
if [ -n "${TEST_FULL:-}" ]; then       # half a second each
    expect_number mean_response_s 55 0.1 $md1 --load 0.9
    expect_reached 0 '*0.7  hell *converged *
*0.8  hell *converged *
*0.9  hell *converged *' $md1 --sweep 0.7,0.8,0.9
fi
expect_reached 3 '{"status":"unstable",*' $md1 --load 1.1 --format json

# ---- Workloads: the named one is the same as its files
curves="cluster --nodes 20 --curves-only"
run $curves --format csv
cp .stdout four.csv
awk 'BEGIN { print "curve,weight,size_mean,size_deviation"; s = 1.4142135623730951 / 1024
    printf "NiN,1,9765.625,%.17g\nGoogLeNet,1,234375,%.17g\n", 50e3 * s, 1.2e6 * s
    printf "AlexNet,1,105468.75,%.17g\nVGG19,1,86718.75,%.17g\n", 1.2e6 * s, 1.2e6 * s }' > kinds.csv
load="cluster --nodes 20 --load 0.4 --fill --min-jobs 2000 --format json"
run $load
cp .stdout named
run $load --curves four.csv --workload kinds.csv
same named .stdout 'want the same as --workload four' $load --curves four.csv
run $load --workload four
same named .stdout 'want four by default' $load --workload four
run $load --seed 2
cmp -s named .stdout
holds 'want other jobs' [ $? -eq 1 ]

# ---- Stopping
expect_reached 3 '{"status":"unstable","policy":"srpt",*' \
    cluster --nodes 20 --load 2 --policy srpt --format json
expect_reached 3 '{"status":"not_converged",*"jobs":500,"cancelled":0,"mean_response_s":[0-9]*,"ci95_half_width_s":[0-9]*' \
    cluster --nodes 20 --load 0.5 --max-jobs 500 --precision 0.001 --format json
expect_reached 3 '* not_converged *' cluster --nodes 20 --load 0.5 --max-jobs 500 --precision 1e-9
expect_reached 3 '*"jobs":0,"cancelled":0,"mean_response_s":null,*"0.1":null,*' \
    cluster --nodes 2 --load 50 --warmup-jobs 100000 --format json

# ---- The distribution
cdf="cluster --nodes 20 --load 0.4 --min-jobs 1000 --cdf"
run $cdf --format csv
awk -F, 'NR == 1 { good = $0 == "probability,response_s,ci95_half_width_s"; next }
    { d = $1 - (NR - 1) / 100; if (d > 1e-9 || d < -1e-9 || $2 < last) good = 0; last = $2 }
    END { exit !(good && NR == 100) }' .stdout
check $? 'want a distribution' $cdf

# ---- Sweeps: the same however many processes, each row the same as alone
sweep="cluster --nodes 10 --sweep 0.1:0.3:0.1 --policies hell,jsq --min-jobs 1000"
run $sweep --format csv --processes 1
cp .stdout one
for processes in 2 5; do
    run $sweep --format csv --processes $processes
    same one .stdout 'want the same' $sweep --processes $processes
done
run $sweep --format csv
same one .stdout 'want the same' $sweep
holds 'want 6 rows' [ "$(grep -c . one)" -eq 7 ]
best=$(sed -n '7p' one | cut -d, -f3,6)
for chunk in 7 8 9 10; do
    run cluster --nodes 10 --load 0.3 --policy jsq --chunk $chunk --min-jobs 1000 --format csv
    printf '%s\n' "$stdout" | sed -n 2p | cut -d, -f3,6
done | sort -t, -k2,2g > chunks
[ "$(head -n 1 chunks)" = "$best" ] && [ "$(grep -c . chunks)" -eq 4 ]
check $? "want the best chunk, $(cat chunks)" $sweep
expect_reached 3 'load  policy *
 0.1  srpt *converged *
   3  srpt *unstable *' cluster --nodes 5 --sweep 0.1,3 --policy srpt --min-jobs 1000

# ---- Public traces: on one node each job takes the time recorded; linear ones share it
awk 'BEGIN { print "curve,nodes,throughput"
    for (n = 1; n <= 20; n++) print "flat," n ",2\nlinear," n "," n }' > x.csv
# trace FORMAT FILE LEFT-OUT WANT-ON-ONE-NODE WANT-IN-TURN [OPTION...]
trace() {
    format=$1
    jobs=$2
    note=$3
    apart=$4
    shared=$5
    shift 5
    apart=$(printf '%s\n' "$apart" | sed 's/$/,*/') shared=$(printf '%s\n' "$shared" | sed 's/$/,*/')
    set -- --trace-format "$format" --jobs "$jobs" --curves x.csv --completions --format csv "$@"
    expect_stdout "job,completion_s,response_s,start_s,nodes,nodes_over_time$newline$apart" \
        cluster --nodes 20 --policy equal "$@"
    matches "$stderr" "sgdperf: note: $jobs: $note left out: *" &&
        ! matches "$stderr" "*sgdperf: *sgdperf: *sgdperf: *"
    check $? "want a note on $note" cluster "$@"
    expect_stdout "job,completion_s,response_s,start_s,nodes,nodes_over_time$newline$shared" \
        cluster --nodes 4 --policy srpt --trace-curve linear "$@"
}
trace swf "$data/jobs.swf" '2 of 6 jobs' '1,30,30
2,50,40
3,40.5,20.5
6,190,90' '1,7.5,7.5
2,30,20
3,50.5,30.5
6,167.5,67.5'
trace philly "$data/cluster_job_log.json" '4 of 6 jobs' 'application_1_1,10,10
application_1_2,100,90' 'application_1_1,2.5,2.5
application_1_2,77.5,67.5'
trace helios "$data/cluster_log.csv" '2 of 5 jobs' '11,30,30
12,50,40
15,19140,20' '11,7.5,7.5
12,30,20
15,19140,20'
trace pai "$data/pai_task_table.csv" '3 of 6 jobs' 'joba,30,30
jobb,70,40
jobc,160,60' 'joba,7.5,7.5
jobb,40,10
jobc,160,60'
{ echo job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type
  cat "$data/pai_task_table.csv"; } > named.csv
trace pai named.csv '3 of 6 jobs' 'joba,30,30
*' 'joba,7.5,7.5
*'
tail -n +2 "$data/pai_job_table.csv" | awk -F, -v OFS=, '{ print $2, $3, $1, $4, $5, $6 }' > bare.csv
for submits in "$data/pai_job_table.csv" bare.csv; do
    trace pai "$data/pai_task_table.csv" '3 of 6 jobs' 'jobb,40,40
joba,35,30
jobc,170,60' 'jobb,10,10
joba,17.5,12.5
jobc,170,60' --trace-submits "$submits"
done

# Bad lines of traces
bad_trace() {
    format=$1
    want=$2
    shift 2
    bulk expect_error "sgdperf: bad:$want" cluster --nodes 4 --jobs bad --curves x.csv \
        --trace-format "$format" "$@"
}
swf='1 0 0 10 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1'
bad_swf() {
    printf '; comment\n%s\n%s\n' "$swf" "$1" > bad
    bad_trace swf "$2"
}
bad_swf '2 0 0 10 1' '3: the line has 5 fields, but SWF has 18'
bad_swf "$(echo "$swf" | sed 's/^[^ ]*/x/')" "3: column 'job number': 'x' is not a number"
bad_swf "$swf" "3: column 'job number': '1' occurs twice"
bad_swf "2 x${swf#1 0}" "3: column 'submit time': 'x' is not a number"
bad_swf "2 0 0 ten${swf#1 0 0 10}" "3: column 'run time': 'ten' is not a number"
bad_swf "2 0 0 10 5e9${swf#1 0 0 10 1}" "3: column 'allocated processors': 5e+09 is too large"
printf '1 0\000' > bad
bad_trace swf '1: byte 0x00 is not text'
printf '; nothing\n' > bad
expect_error 'sgdperf: bad: no job of the log used GPUs or processors' cluster --nodes 4 --jobs bad \
    --curves x.csv --trace-format swf
bad_philly() {
    printf '%s\n' "$1" > bad
    bad_trace philly "$2"
}
times='"submitted_time": "2017-10-07 01:11:39"'
bad_philly '{}' '1: not an array of jobs'
bad_philly '[1]' '1: a job is not an object'
bad_philly '' '2: the text ends inside a JSON value'
bad_philly "[{\"jobid\": \"a\", $times, \"attempts\": []}, {$times, \"attempts\": []}]" \
    "1: a job has no 'jobid'"
bad_philly '[{"jobid": "a", "attempts": []}]' "1: a job has no 'submitted_time'"
bad_philly "[{\"jobid\": \"a\", $times}]" "1: a job has no 'attempts'"
bad_philly "[
{\"jobid\": \"a\", $times, \"attempts\": []},
{\"jobid\": \"a\", $times, \"attempts\": []}]" "3: column 'jobid': 'a' occurs twice"
bad_philly '[{"jobid": 1' "1: 'jobid' is not text"
bad_philly '[{"jobid": "a", "jobid": "b"}]' '1: a job has a key twice'
bad_philly '[{"jobid": "a", "submitted_time": "yesterday"}]' \
    "1: 'submitted_time': 'yesterday' is not a time like 2017-10-07 01:11:39"
bad_philly '[{"jobid": "a", "submitted_time": "2017-02-29 01:11:39"}]' \
    "1: 'submitted_time': '2017-02-29 01:11:39' is not a time like *"
bad_philly '[{"attempts": 3}]' "1: 'attempts' is not an array"
bad_philly '[{"attempts": [3]}]' "1: 'attempts' holds more than objects"
bad_philly '[{"attempts": [{"end_time": 3}]}]' '1: a time is not text'
bad_philly '[{"attempts": [{"detail": {}}]}]' "1: 'detail' is not an array"
bad_philly '[{"attempts": [{"detail": [{"gpus": 8}]}]}]' "1: 'gpus' is not an array"
bad_philly '[
{"a": 1,}]' '2: a key of an object is missing'
printf '%0200d' 0 | tr 0 '[' > bad
bad_trace philly '1: *'
head=job_id,gpu_num,submit_time,duration
bad_helios() {
    printf '%s\n' "$head" '1,2,2020-06-09 18:41:01,10' "$1" > bad
    bad_trace helios "$2"
}
bad_helios '1,2,2020-06-09 18:41:01,10' "3: column 'job_id': '1' occurs twice"
bad_helios ',2,2020-06-09 18:41:01,10' "3: column 'job_id': the name is empty"
bad_helios '2,-2,2020-06-09 18:41:01,10' "3: column 'gpu_num': '-2' is negative"
bad_helios '2,2,2020-06-09,10' "3: column 'submit_time': '2020-06-09' is not a time like *"
bad_helios '2,2,2020-06-09 24:41:01,10' "3: column 'submit_time': *"
bad_helios '2,2,2020-06-09 18:41:01,soon' "3: column 'duration': 'soon' is not a number"
bad_helios '2,2,2020-06-09 18:41:01' '3: the row has 3 cells, but 4 are in the header'
for column in job_id gpu_num submit_time duration; do
    printf '%s\n' "$head" '1,2,2020-06-09 18:41:01,10' | sed "1s/$column/other/" > bad
    bad_trace helios "1: column '$column' is missing"
done
bad_pai() {
    printf '%s\n' 'a,t,1.0,Terminated,1.0,2.0,1,1,100.0,T4' "$1" > bad
    bad_trace pai "$2"
}
bad_pai ',t,1.0,Terminated,1.0,2.0,1,1,100.0,T4' "2: column 'job_name': the name is empty"
bad_pai 'b,t,x,Terminated,1.0,2.0,1,1,100.0,T4' "2: column 'inst_num': 'x' is not a number"
bad_pai 'b,t,1,Terminated,x,2.0,1,1,100.0,T4' "2: column 'start_time': 'x' is not a number"
bad_pai 'b,t,1,Terminated,1,2.0,1,1,-100.0,T4' "2: column 'plan_gpu': '-100.0' is negative"
bad_pai 'b,t,1,Terminated,1,2.0' '2: the row has 6 cells, but 10 are in the first row'
printf 'a,b\n' > bad
bad_trace pai '1: the line has 2 columns and is no header; a table without a header needs 10 columns'
sed '1s/plan_gpu/other/' named.csv > bad
bad_trace pai "1: column 'plan_gpu' is missing"
printf '%s\n' joba,i1,u1,Terminated,1,2 joba,i1,u1,Terminated,1,2 > bad
expect_error "sgdperf: bad:2: column 'job_name': 'joba' occurs twice" cluster --nodes 4 \
    --jobs "$data/pai_task_table.csv" --curves x.csv --trace-format pai --trace-submits bad

# wrong PATTERN ARGUMENT...
wrong() {
    want=$1
    shift
    bulk expect_error "sgdperf: $want" cluster "$@"
}

# ---- A job as wide as it was: never on the last row of a curve that ends before
printf '%s\n' '; MaxProcs: 4' '1 0 5 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1' \
    '2 1 0 10 3 -1 -1 3 5 -1 1 1 1 1 1 1 -1 -1' '3 2 7 10 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1' > w.swf
wide="cluster --jobs w.swf --trace-format swf"
awk 'BEGIN { print "curve,nodes,throughput"
    for (n = 1; n <= 128; n++) print "linear," n "," n }' > long.csv
expect_stdout '*"observed":{"jobs":3,"mean_wait_s":4,"mean_response_s":14},*' \
    $wide --nodes 4 --policy srpt --curves long.csv --format json
cp .stdout long
run $wide --policy srpt --curves linear --format json
sed 's/,"notes":.*/}/' .stdout > without_notes
same long without_notes 'want the same from 128 rows' $wide
expect_number mean_response_s 10 1e-12 cluster --jobs w.swf --trace-format swf --nodes 3 \
    --policy equal --curves amdahl:1
matches "$stderr" '*1 of 3 jobs used more nodes than the 3 of the cluster, up to 4, and here has fewer'
check $? 'want a note on wide jobs' $wide --nodes 3

# ---- Rigid jobs
for processors in '1,024' 4k 0 99999999999; do
    sed "1s/4/$processors/" w.swf > header.swf
    expect_error 'sgdperf: --nodes is missing: the largest job *' cluster --policy fcfs --jobs header.swf --trace-format swf
done
rigid="cluster --jobs w.swf --trace-format swf --completions --format csv"
expect_stdout 'job,start_s,completion_s,wait_s,response_s,observed_wait_s,nodes
1,0,10,0,10,5,4
2,10,20,9,19,0,3
3,10,20,8,18,7,1' $rigid --policy fcfs
matches "$stderr" '*2 of 3 jobs ran beyond *the header of the log gives 4 processors*'
check $? 'want notes' $rigid
expect_stdout 'job,start_s,completion_s,wait_s,response_s,observed_wait_s,nodes
2,1,11,0,10,0,3
3,11,21,9,19,7,1' $rigid --policy easy --nodes 3
matches "$stderr" '*w.swf: 1 of 3 jobs left out: it needs more than the 3 nodes, up to 4*'
check $? 'want a note on what was left out' $rigid --nodes 3
file rigid.csv <<'END'
job,arrival_s,nodes,run_s,walltime_s
a,0,6,100,100
b,1,8,50,50
c,2,2,90,
d,3,1,150,150
e,4,2,200,200
END
given="cluster --nodes 10 --jobs rigid.csv"
expect_stdout 'job,start_s,completion_s,wait_s,response_s,observed_wait_s,nodes
a,0,100,0,100,,6
b,100,150,99,149,,8
c,2,92,0,90,,2
d,3,153,0,150,,1
e,150,350,146,346,,2' $given --policy easy --completions --format csv
matches "$stderr" 'sgdperf: note: 1 of 5 jobs has no walltime: policies use run times, so waits look too short; add walltimes'
check $? 'want a note' $given
# Waits as the other logs tell them; PAI does with the table of submissions alone
observed() {
    want=$1
    shift
    expect_stdout "$want" cluster --nodes 16 --policy easy --completions --format csv "$@"
}
observed '*application_1_1,0,10,0,10,30,1*application_1_2,10,100,0,90,20,3' --trace-format philly \
    --jobs "$data/cluster_job_log.json"
observed '*11,0,30,0,30,0,1*12,10,50,0,40,0,2*15,19120,19140,0,20,5,4' --trace-format helios \
    --jobs "$data/cluster_log.csv"
observed '*jobb,0,40,0,40,40,1*joba,5,35,0,30,5,1*jobc,110,170,0,60,0,4' --trace-format pai \
    --jobs "$data/pai_task_table.csv" --trace-submits "$data/pai_job_table.csv"
observed '*joba,0,30,0,30,,1*jobc,100,160,0,60,,4' --trace-format pai \
    --jobs "$data/pai_task_table.csv"
# More fields than the format has, and a row of names
{ echo id submit wait run n cpu mem n time mem status u g x q p j t more
  sed 's/$/ D-1/' w.swf; } > more.swf
expect_stdout '*1,0,10,*2,10,20,*3,10,20,*' cluster --jobs more.swf --trace-format swf --rigid \
    --nodes 4 --completions --format csv
matches "$stderr" '*more.swf: SWF has 18 fields: further fields of a row are not read*'
check $? 'want a note on more fields' cluster --jobs more.swf

# ---- Bad jobs, curves and workloads
bad_jobs() {
    printf '%s\n' job,arrival_s,size,curve a,1,10,flat "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$2" cluster --nodes 3 --jobs bad.csv --curves curves.csv
}
bad_jobs 'a,2,10,flat' "3: column 'job': 'a' occurs twice, first in line 2"
bad_jobs 'b,0.5,10,flat' "3: column 'arrival_s': 0.5 is before 1 of the row above: sort the jobs by arrival"
bad_jobs 'b,-1,10,flat' "3: column 'arrival_s': -1 is negative"
bad_jobs 'b,2,0,flat' "3: column 'size': 0 is not positive"
bad_jobs 'b,2,x,flat' "3: column 'size': 'x' is not a number"
bad_jobs 'b,2,10,round' "3: column 'curve': 'round' is not a curve of curves.csv"
printf 'job,arrival_s,size,curve\n' > bad.csv
expect_error 'sgdperf: bad.csv:2: the table has no rows under the header' \
    cluster --nodes 3 --jobs bad.csv --curves curves.csv
bad_curves() {
    printf '%s\n' curve,nodes,throughput linear,1,1 flat,1,1 "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:4: $2" cluster --nodes 3 --jobs jobs.csv --curves bad.csv
}
bad_curves 'linear,3,2' "column 'nodes': 3, but curve 'linear' has no row for 2: nodes go from 1 up without gaps"
bad_curves 'linear,1,2' "column 'nodes': 1 nodes occur twice for 'linear', first in line 2"
bad_curves 'linear,2,0' "column 'throughput': 0 is not positive"
bad_curves 'linear,2,-1' "column 'throughput': -1 is negative"
bad_curves 'linear,2,nan' "column 'throughput': 'nan' is not a number"
bad_curves 'linear,2,1e71' "column 'throughput': 1e71 is not between 1e-70 and 1e+70"
bad_curves 'linear,0,1' "column 'nodes': 0 is not a positive whole number"
bad_kinds() {
    printf '%s\n' curve,weight,size_mean,size_deviation flat,1,1,0 "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:3: $2" \
        cluster --nodes 3 --load 0.5 --workload bad.csv --curves curves.csv
}
bad_kinds 'linear,0,1,0' "column 'weight': 0 is not positive"
bad_kinds 'linear,1,0,0' "column 'size_mean': 0 is not positive"
bad_kinds 'linear,1,1,-1' "column 'size_deviation': -1 is negative"
bad_kinds 'round,1,1,0' "column 'curve': 'round' is not a curve of curves.csv"
bad_kinds 'flat,1,1,0' "column 'curve': 'flat' occurs twice, first in line 2"

# ---- Usage
wrong '--jobs: needs --curves, or a policy of rigid jobs, as --policy fcfs' --nodes 5 --jobs jobs.csv
wrong '--curves: needs --jobs or --workload' --nodes 5 --load 0.5 --curves curves.csv
wrong 'five: *' --nodes 5 --load 0.5 --workload five --curves curves.csv
wrong '--model: cannot be combined with --curves' --nodes 5 --load 0.5 --workload kinds.csv \
    --curves four.csv --model exact
for option in '--workload four' --no-ps-nodes '--model exact' --curves-only '--sweep 0.1' \
    '--precision 0.1' '--min-jobs 1' '--max-jobs 9' '--seed 2'; do
    wrong "${option%% *}: cannot be combined with --jobs*" --nodes 3 --jobs jobs.csv --curves curves.csv $option
done
wrong '--trace-curve: needs --trace-format' --nodes 5 --jobs jobs.csv --curves curves.csv \
    --trace-curve flat
wrong "--trace-format: 'tsv' is not one of swf, sacct, slurm, philly, helios, pai, sia, pollux, gavel, csv, columns; did you mean csv?" \
    --nodes 5 --jobs jobs.csv --curves curves.csv --trace-format tsv
wrong "--trace-curve: 'x' is not a curve of curves.csv" --nodes 5 --jobs "$data/jobs.swf" \
    --curves curves.csv --trace-format swf --trace-curve x
wrong '--trace-submits: needs --trace-format pai' --nodes 5 --jobs "$data/jobs.swf" \
    --curves curves.csv --trace-format swf --trace-submits jobs.csv
wrong '--load: can only be used with --policy moldable-knee' --nodes 3 --jobs jobs.csv --curves curves.csv --load 0.5
any="--nodes 5 --load 0.5"
wrong "cluster: 'curves.csv' is one argument too many, see --help" jobs.csv curves.csv $any

cli_report cluster

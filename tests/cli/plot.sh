# sgdperf plot: what a picture holds, which picture it is, who draws it, bad input. What the
# program draws itself is asked for by --engine own; matplotlib draws with TEST_FULL=1 alone.
. tests/cli.sh
job='--mode async --forward 10ms --backward 19ms --update 18ms --model-size 9MB --bandwidth 1Gbps'
"$program" predict $job --workers 1-8 --format csv > curve.csv
"$program" predict $job --workers 1-8 --format json > curve.json
file points.csv <<'END_OF_FILE'
workers,batches_per_s,role,low,high
1,5.1,fit,4.9,5.3
2,9.0,score,8.5,9.6
4,11.2,score,,
END_OF_FILE

xmllint=
has xmllint && xmllint=xmllint
# expect_marks ELEMENT COUNT: so many of it are in the picture p.svg, which is well-formed.
expect_marks() {
    got=$(grep -c "^<$1" p.svg)
    [ "$got" -eq "$2" ] && head -n 1 p.svg | grep -q '^<svg xmlns=' && [ "$(tail -n 1 p.svg)" = '</svg>' ]
    check $? "want $2 <$1>, got $got" plot
    if [ -n "$xmllint" ]; then
        xmllint --noout p.svg 2> .stderr
        check $? 'want XML' plot
    fi
}

# expect_text TEXT: a label of p.svg.
expect_text() {
    grep -qF ">$1</text>" p.svg
    check $? "want the text $1" plot
}

# ---- Throughput
expect_stdout '*throughput       1       3     0       0  p.svg' \
    plot curve.csv --points points.csv --out p.svg --engine own
expect_marks "path [^>]*stroke-width=\"2\"" 1
expect_marks polygon 1
expect_marks "path [^>]*stroke=\"black\"" 2
expect_text workers
expect_text 'throughput, mini-batches per second'
expect_text 'measured, an input'
expect_text '90 % interval'
[ "$(grep -c '^<title id="t[0-9]*">..*</title>$' p.svg)" -eq 1 ] && grep -q '^<desc id="d' p.svg &&
    head -n 1 p.svg | grep -q 'role="img" aria-labelledby="t[0-9]* d[0-9]*"'
check $? 'want a picture with words for who does not see it' plot curve.csv
expect_stdout '*"picture":"throughput","curves":1,*' plot curve.json --out q.svg --engine own --format json
expect_stdout '*' plot curve.csv --out p.svg --engine own
holds 'want the same picture of CSV and of JSON' cmp -s p.svg q.svg
expect_stdout '*throughput       0       3 *' plot points.csv --out p.svg --engine own
"$program" advise $job --workers 1-100:9 --steps 1000 --offer 'a<b,1/h,,' --offer 'b,2/h,0.5,' \
    --format csv > offers.csv
expect_stdout '*throughput       2       0 *' plot offers.csv --out p.svg --engine own --title 'R&D "x"'
expect_text 'a&lt;b'
expect_text 'R&amp;D &quot;x&quot;'
expect_text 64                        # workers by powers of two
expect_marks "path [^>]*stroke-width=\"2\"" 2
expect_marks polygon 2
# Lines differ in their marks too: discs and squares, one more of each in the legend.
discs=$(grep -c 'a2.8 2.8 0' p.svg)
[ "$discs" -eq 13 ] && [ "$(grep -c 'h5.2v5.2h-5.2z' p.svg)" -eq 13 ]
check $? "want 13 discs and as many squares, got $discs" plot offers.csv

# A long curve has few of them, wide apart.
"$program" predict $job --workers 1-256 --format csv > long.csv
expect_stdout '*throughput       1       0 *' plot long.csv --out p.svg --engine own
discs=$(grep -c 'a2.8 2.8 0' p.svg)
[ "$discs" -gt 6 ] && [ "$discs" -le 14 ]
check $? "want about 12 discs, got $discs" plot long.csv

# One that begins late, and a late point, do not leave most of the picture empty.
printf 'workers,batches_per_s,step_s\n16,5,1\n32,9,1\n' > late.csv
expect_stdout '*throughput       1       0 *' plot late.csv --out p.svg --engine own
expect_text 15
printf 'workers,batches_per_s,step_s\n128,5,1\n' > late.csv
expect_stdout '*throughput       1       0 *' plot late.csv --out p.svg --engine own
expect_text 127

# At most 16 ticks: powers of two, then of four.
printf 'workers,batches_per_s\n1,1\n32768,2\n' > wide.csv
expect_status 0 plot wide.csv --out p.svg --engine own
expect_text 16384
printf 'workers,batches_per_s\n1,1\n65536,2\n' > wide.csv
expect_status 0 plot wide.csv --out p.svg --engine own
expect_text 16384
! grep -q '>32768</text>' p.svg
check $? 'want powers of four' plot wide.csv

# Numbers too close together for ticks, and the ends of a double, are drawn all the same.
printf 'workers,batches_per_s\n1,5e-324\n2,5e-324\n' > tiny.csv
expect_status 0 plot tiny.csv --out p.svg --engine own
holds 'want numbers' ! grep -q 'nan\|inf' p.svg
printf 'workers,batches_per_s\n1e17,1e307\n2e17,1e307\n' > large.csv
expect_status 0 plot large.csv --out p.svg --engine own
printf '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1e15,"dur":0.000001}]}' > far.json
expect_status 0 plot far.json --out p.svg --engine own
holds 'want numbers' ! grep -q 'nan\|inf' p.svg

# ---- Parts of a step
expect_stdout '*step          0       0     8       0  p.svg' \
    plot curve.csv --picture step --out p.svg --engine own
expect_text 'time of a step, milliseconds'
expect_text 'waiting for uplink'
# The legend has the order of the stack: from its top to its bottom.
order=$(sed -n 's|.*>\([a-z ]*\)</text>$|\1|p' p.svg | grep -x 'compute\|.*link' | tr '\n' ,)
[ "$order" = 'waiting for uplink,uplink,waiting for downlink,downlink,compute,' ]
check $? "want the legend in the order of the stack, got $order" plot curve.csv --picture step
expect_stdout '*' plot curve.json --picture step --out q.svg --engine own
holds 'want the same parts of CSV and of JSON' cmp -s p.svg q.svg
file waits.csv <<'END_OF_FILE'
workers,step_s,service_worker_s,waiting_worker_s,service_link_s,waiting_link_s,barrier_s
4,15,1,2,3,4,5
END_OF_FILE
expect_stdout '*' plot waits.csv --picture step --out p.svg --engine own
expect_marks 'rect [^>]*width="56.0"' 5
# Computing behind the exchange is computing: no exchange is left to draw, but the update.
file hidden.csv <<'END_OF_FILE'
workers,step_s,utilization_worker,service_worker_s,service_link_s,service_server_s
4,10,0.9,2,7,1
END_OF_FILE
expect_stdout '*' plot hidden.csv --picture step --out p.svg --engine own
expect_marks 'rect [^>]*width="56.0"' 2
file profile.csv <<'END_OF_FILE'
forward_s,backward_s,update_s,uplink_s,downlink_s,step_s,steps
1,2,0.5,1.5,1.5,6.5,3
END_OF_FILE
expect_stdout '*step          0       0     1 *' plot profile.csv --out p.svg --engine own
expect_text 'time of a step, seconds'
expect_text 'one worker'
"$program" predict $job --workers 4 --format csv | (cat > four.csv)
expect_stdout '*step          0       0     1 *' plot four.csv --out p.svg --engine own

# ---- Timelines
file trace.csv <<'END_OF_FILE'
step,op,resource,duration_s,bytes,waits_for,name
0,0,downlink,,1000000,,parameters
0,1,worker,0.03,,0,compute
0,2,uplink,,1000000,1,gradients
0,3,server,0.002,,2,update
END_OF_FILE
"$program" simulate trace.csv --workers 3 --mode sync --bandwidth 1Gbps --steps 60 \
    --timeline line.json > .stdout       # steps of 80 ms: 24 + 30 + 24 + 2
expect_stdout '*timeline       0       0     0      30  p.svg' plot line.json --out p.svg --engine own --to 0.2
expect_text 'worker 0: downlink'
expect_text 'worker 2: server'
expect_text compute
expect_text 'time, seconds'
expect_stdout '*      18  p.svg' plot line.json --out p.svg --engine own --from 80ms --to 0.2
expect_stdout '*     399  p.svg' plot line.json --out p.svg --engine own
holds 'want a note' matches "$stderr" '*the first 400 of 720 bars*'

file two.json <<'END_OF_FILE'
{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":"x","ts":0,"dur":1e6},
{"ph":"X","name":"b","pid":2,"tid":"y","ts":2e6,"dur":1e6},{"ph":"i","name":"c","pid":3,"ts":5}]}
END_OF_FILE
expect_stdout '*       1  p.svg' plot two.json --out p.svg --engine own --to 1.5s
expect_text '1: x'
holds 'want no row without a slice' ! grep -q '>2: y<' p.svg
expect_stdout '*       2  p.svg' plot two.json --out p.svg --engine own

# ---- Policies, jobs, stages, errors
file rigid.csv <<'END_OF_FILE'
job,arrival_s,nodes,run_s,walltime_s
a,0,6,100,120
b,1,8,50,60
c,2,2,90,100
d,3,1,150,150
e,4,2,200,200
END_OF_FILE
rigid='cluster --nodes 10 --jobs rigid.csv'
"$program" $rigid --policies fcfs,easy --format csv > policies.csv
"$program" $rigid --policies fcfs,easy --format json > policies.json
expect_stdout '*policies       0       0     2       0  p.svg' plot policies.csv --out p.svg --engine own
expect_text fcfs
expect_text 'mean response time, seconds'
expect_text running
expect_text '95th percentile'
expect_marks "rect [^>]*fill=\"#CCE3F0\"" 3     # waiting: a bar for each policy, and the legend
expect_marks circle 3
expect_stdout '*policies       0       0     2 *' plot policies.json --out q.svg --engine own
holds 'want the same policies of CSV and of JSON' cmp -s p.svg q.svg
"$program" $rigid --policies fcfs,easy --by-width --format csv > widths.csv
expect_stdout '*policies       0       0     6 *' plot widths.csv --out p.svg --engine own
expect_text 'fcfs, from 5 nodes'
"$program" $rigid --policy easy --completions --format csv > done.csv
expect_stdout '*jobs          2       0     0       0  p.svg' plot done.csv --out p.svg --engine own
expect_text waiting
expect_text 'time, seconds'
"$program" plot done.csv --out p.svg --engine own --title 'a title' > .stdout
expect_text 'a title'
file sweep.csv <<'END_OF_FILE'
load,policy,chunk,status,jobs,mean_response_s,ci95_half_width_s
0.3,hell,,converged,1000,206931,7037
0.3,knee,,converged,1000,199937,6929
0.6,hell,,converged,1000,229018,12697
0.6,knee,,unstable,1000,,
END_OF_FILE
expect_stdout '*response       2       0     0       0  p.svg' plot sweep.csv --out p.svg --engine own
expect_text 'mean response time, days'
expect_text 'offered load'
expect_marks polygon 1
grep '^load\|0.3' sweep.csv > load.csv
expect_stdout '*policies       0       0     2 *' plot load.csv --out p.svg --engine own
expect_marks "path [^>]*stroke=\"black\"" 3  # two intervals, and the legend
printf '%s\n' probability,response_s,ci95_half_width_s 0.5,90,2 0.9,200,7 0.99,700, > cdf.csv
expect_stdout '*distribution       1 *' plot cdf.csv --out p.svg --engine own
expect_text 'jobs that are done by then, %'
expect_text 'time since arrival, minutes'
expect_text 'all jobs'
printf '%s\n' policy,gamma,fraction,mean_time_s,ci95_half_width_s hell,0,0.4,9,1 hell,0,1,20,2 \
    hell,1.05,0.4,7,1 hell,1.05,1,30,2 > parts.csv
expect_stdout '*progress       2 *' plot parts.csv --out p.svg --engine own
expect_text 'hell, gamma 1.05'
"$program" simulate trace.csv --workers 2 --mode sync --bandwidth 1Gbps --steps 60 --warmup 0 \
    --step-ends --format csv > ends.csv
expect_stdout '*rate          1       0     0       0  p.svg' plot ends.csv --out p.svg --engine own
expect_text 'throughput, mini-batches per second'
printf '%s\n' job,nodes,service_s net,1,80 net,2,42 big,1,300 big,2,151 > jobs.csv
for form in csv json; do
    "$program" allocate jobs.csv --nodes 4 --policy hell --format $form > allocation.$form
    expect_stdout '*allocation       0       0     2 *' plot allocation.$form --out p.svg --engine own
done
expect_text big
printf '%s\n' layer,bytes,forward_s,backward_s,update_s a,1e6,1,1,0 b,1e6,1,1,0 c,1e6,2,1,0 \
    d,1e6,1,2,0 > layers.csv
for form in csv json; do
    "$program" plan stages --layers layers.csv --pipeline 2 --interleave 2 --accumulate 8 --format $form \
        > stages.$form 2> .stderr
    expect_stdout '*stages  *0       0     2 *' plot stages.$form --out p.svg --engine own
done
expect_text 'device 1'
expect_text 'waiting for the slowest device'
printf '%s\n' dataset,model,rows,mean_error,p95_error mine,exact,3,0.05,0.12 mine,ps,3,0.2,0.4 > errors.csv
expect_stdout '*errors  *0       0     2 *' plot errors.csv --out p.svg --engine own
expect_text 'mean error of the throughput, %'
printf '{"results":[{"dataset":"mine","model":"exact","mean_error":0.05,"p95_error":0.12},'\
'{"dataset":"mine","model":"ps","mean_error":0.2,"p95_error":0.4}]}' > errors.json
expect_stdout '*errors  *0       0     2 *' plot errors.json --out q.svg --engine own
holds 'want the same errors of CSV and of JSON' cmp -s p.svg q.svg
printf '%s\n' mode,workers,model,measured,predicted,band_low async,1,exact,10,11,9 async,1,ps,10,20, \
    sync,2,ps,40,30,28 sync,2,ps,40,, > against.csv
expect_stdout '*predicted       1       2     0       0  p.svg' \
    plot against.csv --picture predicted --out p.svg --engine own
expect_text 'predicted as measured'
expect_text sync
expect_text 16

# ---- Bad input: one line, and no file
# refused BYTES PATTERN: of a table.
refused() {
    printf "$1" > bad.csv
    expect_error "$2" plot bad.csv --out p.svg
}
rm -f p.svg
printf '%s\n' mode,measured,predicted sync,4,0 > rows.csv
expect_error 'sgdperf: plot: a file is missing, see --help' plot --out p.svg
expect_error 'sgdperf: --out is missing*' plot curve.csv
expect_error "sgdperf: --out: 'p.jpg' does not end in .svg, .png or .pdf" plot curve.csv --out p.jpg
cp curve.csv in.svg
expect_error "*--out: *in.svg*" plot in.svg --out in.svg
holds 'want the input as it was' cmp -s curve.csv in.svg
expect_error "*--picture: 'timeline' cannot be made of curve.csv, which is a table" \
    plot curve.csv --picture timeline --out p.svg --engine own
expect_error "*--picture: 'step' cannot be made of line.json, which is a timeline" \
    plot line.json --picture step --out p.svg --engine own
expect_error '*--points: can only be used with --picture throughput' \
    plot curve.csv --picture step --points points.csv --out p.svg --engine own
expect_error '*--from: can only be used with --picture timeline' plot curve.csv --from 1s --out p.svg
expect_error "*--to: '1s' is not after --from" plot line.json --from 2s --to 1s --out p.svg
expect_error '*line.json: no bar lies between --from and --to: choose another time range' plot line.json --from 2h --to 3h --out p.svg
refused 'workers,batches_per_s\n1,-2\n' "*bad.csv:2: column 'batches_per_s': -2 is negative"
refused 'workers,batches_per_s\n0,2\n' "*bad.csv:2: column 'workers': 0 is not positive"
refused 'workers,batches_per_s\n1,nan\n' "*bad.csv:2: column 'batches_per_s': 'nan' *"
printf 'workers,batches_per_s,low,high\n1,5,7,6\n' > bad.csv
expect_error "*bad.csv:2: column 'low': is above column 'high'" plot bad.csv --out p.svg
printf '{"points":[{"workers":1,"batches_per_s":5},\n{"workers":1,"batches_per_s":-5}]}' > bad.json
expect_error "*bad.json:2: column 'batches_per_s': -5 is negative" plot bad.json --out p.svg
printf '{"points":[{"workers":1,"batches_per_s":NaN}]}' > bad.json
expect_error '*bad.json:1: a JSON value is missing*' plot bad.json --out p.svg
refused 'policy,mean_response_s,mean_wait_s\neasy,5,-1\n' "*bad.csv:2: column 'mean_wait_s': -1 is negative"
refused 'policy,mean_response_s,mean_wait_s\neasy,5,6\n' \
    "*bad.csv:2: column 'mean_wait_s': is above column 'mean_response_s'"
refused 'policy,mean_response_s\neasy,\n' "*bad.csv: column 'mean_response_s' is empty"
refused 'policy,mean_response_s\neasy,inf\n' "*bad.csv:2: column 'mean_response_s': 'inf' *"
refused 'load,mean_response_s\n0.1,1\n0,2\n' "*bad.csv:3: column 'load': 0 is not positive"
refused 'job,start_s,completion_s,response_s\na,9,5,5\n' \
    "*bad.csv:2: column 'start_s': is after column 'completion_s'"
refused 'job,start_s,completion_s,response_s\na,5,5,0\n' '*bad.csv: all times are equal: there is nothing to draw'
refused 'worker,step,end_s\n0,0,nan\n' "*bad.csv:2: column 'end_s': 'nan' *"
refused 'worker,step,end_s\n0,0,0\n' '*bad.csv: all times are equal: there is nothing to draw'
refused 'stage,device,time_s\n1,1,1e308\n' "*bad.csv:2: column 'time_s': 1e+308 is too large for a picture"
expect_error "*curve.csv:1: column 'probability' is missing*" \
    plot curve.csv --picture distribution --out p.svg
expect_error "*rows.csv: a prediction is 0, which has no place on a logarithmic axis" \
    plot rows.csv --picture predicted --out p.svg
refused '\037\213\010\000' '*bad.csv: the file is compressed by gzip: *'
refused 'a,b\n1,2\n' '*bad.csv:1: no column has a part of a step*'
refused 'workers,rate\n1,2\n' "*bad.csv:1: * 'batches_per_s'*"
head -c 300 curve.json > cut.json
expect_error '*cut.json:1: *' plot cut.json --out p.svg
head -c 900 line.json > cut.json
expect_error '*cut.json:*: *' plot cut.json --out p.svg
printf '{"traceEvents":[]}' > cut.json
expect_error '*cut.json: the file has no complete events*' plot cut.json --out p.svg
awk 'BEGIN { printf "{\"a\":"; for (i = 0; i < 100000; i++) printf "[" }' > deep.json
expect_error '*deep.json:1: *' plot deep.json --out p.svg
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "{\"a\":" }' > deep.json
expect_error '*deep.json:1: *' plot deep.json --out p.svg
: > empty.csv
expect_error '*empty.csv:1: *' plot empty.csv --out p.svg
holds 'want no picture' [ ! -e p.svg ]
# ---- More of what the program prints
expect_stdout '*throughput       1       0 *' plot curve.json --out p.svg --engine own
printf '%s\n' workers,batches_per_s,role 2,8.1,fit 4,10.6,fit 8,12.2,score > fitted.csv
"$program" fit fitted.csv --model amdahl --workers 1-8 --format json > fit.json
expect_stdout '*throughput       1       0 *' plot fit.json --out p.svg --engine own
"$program" calibrate fitted.csv --fit bandwidth --mode async --model exact --forward 10ms \
    --backward 19ms --update 18ms --model-size 9MB --format csv > calibrated.csv 2> .stderr
expect_stdout '*throughput       1       3 *' plot calibrated.csv --out p.svg --engine own
expect_text 'measured, an input'
expect_text predicted
file rows.csv <<'END_OF_FILE'
dataset,point,mode,workers,model,measured,predicted,error,role,curve,low,high
d,a,async,1,exact,5,5.1,0.02,fit,base,,
d,a,async,1,switch,5,5.2,0.04,fit,base,4,6
d,b,async,2,exact,9,,,score,base,,
d,b,async,2,switch,9,8.5,-0.05,score,base,8,9
END_OF_FILE
expect_stdout '*throughput       2       2 *' plot rows.csv --out p.svg --engine own
expect_text 'base, exact'
expect_text 'base, switch'
printf '[{"ph":"X","name":"a\\"\\u00e9\\n","pid":1,"tid":1,"ts":0,"dur":1e6}]' > array.json
expect_stdout '*timeline       0       0     0       1 *' plot array.json --out p.svg --engine own
expect_text "$(printf 'a&quot;\303\251 ')"

# ---- Few points, many, the same twice, in any order
printf 'workers,batches_per_s,step_s,low,high\n4,9,1,8,9.5\n' > one.csv
expect_stdout '*throughput       1       0 *' plot one.csv --out p.svg --engine own
expect_marks "path [^>]*stroke=\"black\"" 1    # its interval
expect_text 3                          # workers are whole
holds 'want no half workers' ! grep -q '>3.5</text>' p.svg
{ head -n 1 curve.csv; tail -n +2 curve.csv | sort -r; } > reversed.csv
"$program" plot curve.csv --out q.svg --engine own > .stdout
expect_stdout '*' plot reversed.csv --out p.svg --engine own
holds 'want the same picture of rows in another order' cmp -s p.svg q.svg
printf 'workers,batches_per_s\n2,9\n2,9\n2,8\n' > twice.csv
expect_stdout '*throughput       0       3 *' plot twice.csv --out p.svg --engine own
rows=10001
[ -n "${TEST_FULL:-}" ] && rows=200000
awk -v n=$rows 'BEGIN { print "workers,batches_per_s"; for (i = n; i > 0; i--) print i ",1" }' > many.csv
expect_error "sgdperf: many.csv: $rows rows are too many: a picture shows at most 10000" \
    plot many.csv --out p.svg --engine own
awk 'BEGIN { print "forward_s,backward_s"; for (i = 0; i < 257; i++) print "1,1" }' > many.csv
expect_error '*257 rows are too many: a picture shows at most 256' plot many.csv --out p.svg --engine own
awk -v n=$((rows * 2)) 'BEGIN { print "{\"traceEvents\":["
    for (i = 1; i <= n; i++)
        print "{\"ph\":\"X\",\"ts\":" i ",\"dur\":1,\"tid\":1}" (i < n ? "," : "]}") }' > many.json
expect_stdout '*timeline       0       0     0     400 *' plot many.json --out p.svg --engine own
expect_error "*many.json: $((rows * 2)) slices * are too many: a picture shows at most 20000" \
    plot many.json --out p.svg --engine own --to 1h

# ---- Who draws: a python3 of the test's own, and a program that has the script beside it
printf 'workers,batches_per_s,step_s\n1,5,1\n2,9,1\n' > line.csv
"$program" plot line.csv --out own.svg --engine own > .stdout
built=$program
mkdir bin fake
cp "$built" bin/sgdperf
program=$folder/bin/sgdperf
# A python3 that keeps the description of a picture.
make_python() {
    printf '%s\n' '#!/bin/sh' 'echo "$*" > arguments' 'IFS= read -r picture' \
        'printf "%s\n" "$picture" > picture.json' 'case $FAKE in' \
        'svg) echo "<svg by python3/>" ;;' 'talk) echo hello ;;' \
        'end) kill -TERM $PPID ;;' '*) echo trouble >&2; echo "it broke" >&2; exit 1 ;;' 'esac' > fake/python3
    chmod +x fake/python3
}
make_python
path=$PATH
PATH=$folder/fake:$PATH
export FAKE=svg
expect_stdout '*p.svg' plot line.csv --out p.svg
cmp -s p.svg own.svg && [ ! -e arguments ]
check $? 'want the own picture where there is no script' plot line.csv
expect_error 'sgdperf: --engine: *plots/picture.py is not beside the program*' \
    plot line.csv --out p.svg --engine matplotlib
mkdir -p share/sgdperf/plots
: > share/sgdperf/plots/picture.py
chmod a+w share/sgdperf/plots/picture.py
expect_error '*is not beside the program*' plot line.csv --out p.svg --engine matplotlib
chmod 644 share/sgdperf/plots/picture.py
expect_stdout '*p.svg' plot line.csv --out p.svg --title 'a" $(touch hacked) `touch hacked` $b'
[ "$(cat p.svg)" = '<svg by python3/>' ] && [ -z "$stderr" ]
check $? 'want the picture of python3, and no note' plot line.csv
[ "$(cat arguments)" = "-I -B $folder/bin/../share/sgdperf/plots/picture.py svg" ] && [ ! -e hacked ] &&
    grep -qF '"title":"a\" $(touch hacked) `touch hacked` $b"' picture.json
check $? 'want the title in the description, untouched' plot line.csv
holds 'want the numbers in the description' grep -qF '"x":[1,2],"y":[5,9]' picture.json
rm arguments
expect_stdout '*p.svg' plot line.csv --out p.svg --engine own
cmp -s p.svg own.svg && [ ! -e arguments ]
check $? 'want the own picture' plot line.csv --engine own
PATH=fake:./fake::$path            # folders that PATH names relatively are left out
rm -f arguments
run plot line.csv --out p.svg
holds 'want no program of a relative folder' [ "$status" -eq 0 ] && [ ! -e arguments ]
PATH=$folder/fake:$path
for FAKE in fail talk; do
    echo old > p.svg
    expect_stdout '*p.svg' plot line.csv --out p.svg
    case $FAKE in fail) why='status 1: it broke' ;; *) why='status 0' ;; esac
    matches "$stderr" "sgdperf: note: the picture is drawn without matplotlib: python3 fails over *, $why" &&
        ! matches "$stderr" "*$newline*" && cmp -s p.svg own.svg
    check $? 'want a note and the own picture' plot line.csv, $FAKE
    echo old > p.svg
    expect_error 'sgdperf: --engine: *python3 fails over plots/picture.py, status *' \
        plot line.csv --out p.svg --engine matplotlib
    holds 'want the file as it was' [ "$(cat p.svg)" = old ]
done
FAKE=end
run plot line.csv --out p.svg
[ "$status" -eq 143 ] && [ "$(cat p.svg)" = old ] && [ -z "$(ls -A | grep '^.sgdperf-')" ]
check $? 'want the file as it was, and no other' plot line.csv, ended

# Other formats where nothing makes them
FAKE=fail
without_programs() {
    PATH=$folder/fake
    "$program" plot line.csv --out n.png > .stdout 2> .stderr
    status=$?
    PATH=$path
    stdout=$(cat .stdout)
    stderr=$(cat .stderr)
}
without_programs
[ "$status" -eq 0 ] && [ ! -e n.png ] && cmp -s n.svg own.svg && matches "$stdout" '*  n.svg'
check $? 'want the own picture as n.svg' plot --out n.png
matches "$stderr" '*note: n.png needs python3 with matplotlib, * or ImageMagick, which is not found: the picture is written as n.svg'
check $? 'want a word on what is missing' plot --out n.png
echo old > n.svg
without_programs
[ "$status" -eq 2 ] && [ "$(cat n.svg)" = old ] && [ -z "$stdout" ] &&
    matches "$stderr" "*--out: 'n.png' needs *, and n.svg exists already: *"
check $? 'want no file overwritten that was not named' plot --out n.png
rm n.svg
ln -s n.svg n.svg                      # nothing that can be opened, and not nothing
without_programs
[ "$status" -eq 2 ] && [ -L n.svg ] && matches "$stderr" '* n.svg exists already: *'
check $? 'want a link left that leads nowhere' plot --out n.png
rm n.svg

# What turns the own picture into others: the first that gives what was asked for
printf '%s\n' '#!/bin/sh' 'echo hello' > fake/rsvg-convert
printf '%s\n' '#!/bin/sh' 'exit 1' > fake/inkscape
printf '%s\n' '#!/bin/sh' "printf '\\211PNG\\r\\n\\032\\n%s' \"\$*\"" > fake/magick
chmod +x fake/rsvg-convert fake/inkscape fake/magick
without_programs
[ "$status" -eq 0 ] && [ ! -e n.svg ] && matches "$(tr -d '\0' < n.png)" '*PNG*-density 192 svg:- png:-'
check $? 'want the picture of the third program' plot --out n.png
rm n.png fake/rsvg-convert fake/inkscape fake/magick

# No python3 has matplotlib
echo 'raise SystemExit(3)' > share/sgdperf/plots/picture.py
printf '%s\n' '#!/bin/sh' 'exit 3' > fake/python3
PATH=$folder/fake:$PATH
expect_stdout '*p.svg' plot line.csv --out p.svg
cmp -s p.svg own.svg && [ -z "$stderr" ]
check $? 'want the own picture, and no note' plot line.csv
expect_error 'sgdperf: --engine: *python3 with matplotlib is not found' \
    plot line.csv --out p.svg --engine matplotlib
PATH=$path
rm fake/python3
without_programs
[ "$status" -eq 0 ] && cmp -s n.svg own.svg && matches "$stderr" '*note: n.png needs *'
check $? 'want the own picture where there is no python3' plot --out n.png
program=$built

# ---- matplotlib itself
python=
for p in python3 /usr/bin/python3; do
    [ -z "$python" ] && "$p" -c 'import matplotlib' 2> .stderr && python=$p
done
# draws PICTURE.json: as SVG, the same bytes twice, and as PNG.
draws() {
    for drawn in 1.svg 2.svg 1.png; do             # a second each
        "$python" -B "$root/plots/picture.py" ${drawn#*.} < $1 > $drawn 2> .stderr
        status=$?
        [ "$status" -eq 0 ] && [ ! -s .stderr ]
        check $? "want $drawn, and no word: $(tail -n 1 .stderr)" picture.py $1
    done
    cmp -s 1.svg 2.svg && grep -q '<svg ' 1.svg && ! grep -qi 'nan\|inf"' 1.svg &&
        head -c 4 1.png | grep -q PNG
    check $? 'want a picture, always the same' picture.py $1
}
if [ -n "${TEST_FULL:-}" ] && [ -n "$python" ]; then
    mkdir -p share/sgdperf/plots
    cp "$root/plots/common.py" "$root/plots/picture.py" share/sgdperf/plots/
    cp curve.csv step.csv
    program=$folder/bin/sgdperf
    FAKE=svg
    make_python
    for what in 'curve.csv --points points.csv --title $\nope{$' \
        'step.csv --picture step' line.json one.csv tiny.csv large.csv far.json offers.csv policies.csv load.csv \
        done.csv cdf.csv ends.csv stages.csv errors.csv 'against.csv --picture predicted'; do
        rm -f picture.json
        PATH=$folder/fake:$PATH
        "$program" plot $what --out p.svg > .stdout 2> .stderr
        PATH=$path
        holds "want a description of $what" [ -s picture.json ]
        mv picture.json described.json
        draws described.json
    done
    rm fake/python3
    expect_stdout '*p.pdf' plot curve.csv --out p.pdf --engine matplotlib
    printf '%s\n' job,workers,batches_per_s,step_s _a,1,2,1 _a,2,3,1 '$b$,1,1,1' '$b$,2,2,1' > under.csv
    expect_stdout '*u.svg' plot under.csv --out u.svg --engine matplotlib
    grep -q '<!-- _a -->' u.svg && grep -qF '<!-- $b$ -->' u.svg
    check $? 'want names as they are, also after _' plot under.csv
    name=$(printf '%060d' 0 | tr 0 n)
    printf '%s\n' dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,model_bytes,\
bandwidth_bytes_per_s,overlap,batches_per_s | tr -d '\n' > named.csv
    printf '\n%s\n' "mine,$name,async,2,1,32,0.01,0.019,0.018,9e6,125e6,0,8.4" >> named.csv
    "$python" -B "$root/plots/plot_validation.py" "$built" drawn named.csv > .stdout 2> .stderr
    # The label ends at its x, in points; 78 characters of 9 points are longer than 400.
    awk -v name="$name, 2 workers" 'index($0, "<text") && index($0, name) && /text-anchor: end/ {
            match($0, / x="[0-9.]*/)
            exit x = !(substr($0, RSTART + 4, RLENGTH - 4) > 400)
        } END { exit x == "" ? 1 : x }' drawn/validation-mine.svg
    check $? 'want a name of 60 characters whole' plot_validation.py named.csv
    program=$built
fi

# ---- Slices that all begin together, and numbers that no axis takes
awk 'BEGIN { printf "{\"traceEvents\":["
    for (i = 0; i < 800; i++)
        printf "%s{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":9}",
            i ? "," : "", i % 9, i < 500 ? 0 : 9
    print "]}" }' > together.json
expect_stdout '*timeline *  500  p.svg' plot together.json --out p.svg --engine own
printf '%s\n' workers,batches_per_s 1,1e308 > above.csv
expect_error "*above.csv:2: column 'batches_per_s': 1e+308 is too large for a picture" \
    plot above.csv --out p.svg

# ---- Bytes and characters that XML and CSV do not have
printf 'workers,batches_per_s\n1,2\n2,3\n' > odd.csv
expect_stdout '*odd.svg' plot odd.csv --out odd.svg --engine own \
    --title "$(printf 'a\357\277\276b\357\277\277c\377d')"
holds 'want U+FFFD for what is no character' grep -q 'a�b�c�d' odd.svg
expect_stdout '*,odd�.svg' plot odd.csv --out "$(printf 'odd\377.svg')" --engine own --format csv
cli_report plot

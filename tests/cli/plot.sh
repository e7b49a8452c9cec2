# sgdperf plot: what a picture holds, which picture it is, bad input.
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

# expect_marks ELEMENT COUNT: so many of it are in the picture p.svg, which is well-formed.
expect_marks() {
    got=$(grep -c "^<$1" p.svg)
    [ "$got" -eq "$2" ] && head -n 1 p.svg | grep -q '^<svg xmlns=' && [ "$(tail -n 1 p.svg)" = '</svg>' ]
    check $? "want $2 <$1>, got $got" plot
    if command -v xmllint > /dev/null; then
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
    plot curve.csv --points points.csv --out p.svg
expect_marks polyline 1
expect_marks polygon 1
expect_marks path 2
expect_text workers
expect_text 'throughput, mini-batches per second'
expect_text 'measured, an input'
expect_text 'its interval'
expect_stdout '*"picture":"throughput","curves":1,*' plot curve.json --out q.svg --format json
expect_stdout '*' plot curve.csv --out p.svg
cmp -s p.svg q.svg
check $? 'want the same picture of CSV and of JSON' plot curve.json
expect_stdout '*throughput       0       3 *' plot points.csv --out p.svg
"$program" advise $job --workers 1-100:9 --steps 1000 --offer 'a<b,1/h,,' --offer 'b,2/h,0.5,' \
    --format csv > offers.csv
expect_stdout '*throughput       2       0 *' plot offers.csv --out p.svg --title 'R&D "x"'
expect_text 'a&lt;b'
expect_text 'R&amp;D &quot;x&quot;'
expect_text 64                        # workers by powers of two
expect_marks polyline 2
expect_marks polygon 2

# Numbers too close together for ticks, and the ends of a double, are drawn all the same.
printf 'workers,batches_per_s\n1,5e-324\n2,5e-324\n' > tiny.csv
expect_status 0 plot tiny.csv --out p.svg
! grep -q 'nan\|inf' p.svg
check $? 'want numbers' plot tiny.csv
printf 'workers,batches_per_s\n1e17,1e307\n2e17,1e307\n' > large.csv
expect_status 0 plot large.csv --out p.svg
printf '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1e15,"dur":0.000001}]}' > far.json
expect_status 0 plot far.json --out p.svg
! grep -q 'nan\|inf' p.svg
check $? 'want numbers' plot far.json

# ---- Parts of a step
expect_stdout '*step          0       0     8       0  p.svg' \
    plot curve.csv --picture step --out p.svg
expect_text 'time of a step, milliseconds'
expect_text 'waiting for uplink'
expect_stdout '*' plot curve.json --picture step --out q.svg
cmp -s p.svg q.svg
check $? 'want the same parts of CSV and of JSON' plot curve.json --picture step
file profile.csv <<'END_OF_FILE'
forward_s,backward_s,update_s,uplink_s,downlink_s,step_s,steps
1,2,0.5,1.5,1.5,6.5,3
END_OF_FILE
expect_stdout '*step          0       0     1 *' plot profile.csv --out p.svg
expect_text 'time of a step, seconds'
expect_text 'one worker'
"$program" predict $job --workers 4 --format csv | (cat > four.csv)
expect_stdout '*step          0       0     1 *' plot four.csv --out p.svg

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
expect_stdout '*timeline       0       0     0      30  p.svg' plot line.json --out p.svg --to 0.2
expect_text 'worker 0: downlink'
expect_text 'worker 2: server'
expect_text compute
expect_text 'time, seconds'
expect_stdout '*      18  p.svg' plot line.json --out p.svg --from 80ms --to 0.2
expect_stdout '*     399  p.svg' plot line.json --out p.svg
matches "$stderr" '*the first 400 of 720 slices*'
check $? 'want a note' plot line.json

file two.json <<'END_OF_FILE'
{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":"x","ts":0,"dur":1e6},
{"ph":"X","name":"b","pid":2,"tid":"y","ts":2e6,"dur":1e6},{"ph":"i","name":"c","pid":3,"ts":5}]}
END_OF_FILE
expect_stdout '*       1  p.svg' plot two.json --out p.svg --to 1.5s
expect_text '1: x'
! grep -q '>2: y<' p.svg
check $? 'want no row without a slice' plot two.json --to 1.5s
expect_stdout '*       2  p.svg' plot two.json --out p.svg

# ---- Bad input: one line, and no file
rm -f p.svg
expect_error 'sgdperf: plot: a file is missing, see --help' plot --out p.svg
expect_error 'sgdperf: --out is missing*' plot curve.csv
expect_error "sgdperf: --out: 'p.jpg' does not end in .svg, .png or .pdf" plot curve.csv --out p.jpg
cp curve.csv in.svg
expect_error "*--out: *in.svg*" plot in.svg --out in.svg
cmp -s curve.csv in.svg
check $? 'want the input as it was' plot in.svg --out in.svg
expect_error "*--picture: 'timeline' cannot be made of curve.csv, which is a table" \
    plot curve.csv --picture timeline --out p.svg
expect_error "*--picture: 'step' cannot be made of line.json, which is a timeline" \
    plot line.json --picture step --out p.svg
expect_error '*--points: only with --picture throughput' \
    plot curve.csv --picture step --points points.csv --out p.svg
expect_error '*--from: only with --picture timeline' plot curve.csv --from 1s --out p.svg
expect_error "*--to: '1s' is not after --from" plot line.json --from 2s --to 1s --out p.svg
expect_error '*line.json: nothing between --from and --to' plot line.json --from 2h --to 3h --out p.svg
printf 'workers,batches_per_s\n1,-2\n' > bad.csv
expect_error "*bad.csv:2: column 'batches_per_s': -2 is negative" plot bad.csv --out p.svg
printf 'workers,batches_per_s\n0,2\n' > bad.csv
expect_error "*bad.csv:2: column 'workers': 0 is not positive" plot bad.csv --out p.svg
printf 'a,b\n1,2\n' > bad.csv
expect_error '*bad.csv:1: no parts of a step*' plot bad.csv --out p.svg
printf 'workers,rate\n1,2\n' > bad.csv
expect_error "*bad.csv:1: * 'batches_per_s'*" plot bad.csv --out p.svg
head -c 300 curve.json > cut.json
expect_error '*cut.json:1: *' plot cut.json --out p.svg
head -c 900 line.json > cut.json
expect_error '*cut.json:*: *' plot cut.json --out p.svg
printf '{"traceEvents":[]}' > cut.json
expect_error '*cut.json: no slices*' plot cut.json --out p.svg
awk 'BEGIN { printf "{\"a\":"; for (i = 0; i < 100000; i++) printf "[" }' > deep.json
expect_error '*deep.json:1: *' plot deep.json --out p.svg
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "{\"a\":" }' > deep.json
expect_error '*deep.json:1: *' plot deep.json --out p.svg
: > empty.csv
expect_error '*empty.csv:1: *' plot empty.csv --out p.svg
[ ! -e p.svg ]
check $? 'want no picture' plot
PATH=/nowhere
expect_error_without_programs() {
    "$program" plot curve.csv --out p.png > .stdout 2> .stderr
    status=$?
}
expect_error_without_programs
PATH=/usr/local/bin:/usr/bin:/bin
stderr=$(cat .stderr)
[ "$status" -eq 2 ] && [ ! -e p.png ] && matches "$stderr" "*needs rsvg-convert, inkscape or *"
check $? 'want a word on what is missing' plot --out p.png
cli_report plot

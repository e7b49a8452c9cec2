# sgdperf import: traces of other programs to ours, what they hold, broken and cut files.
. tests/cli.sh

# One worker of two, two steps of 100 ms. Kernels (ms from the start of a step): 10 to 30,
# 20 to 40; an all-reduce 35 to 60; a kernel 65 to 75 that was launched at 50, and so waited
# for it from 50 on; the last one, at 85 to 95, was launched at 84. Compute 50, exchange
# 25, both 5, stalled 9.99 ms.
#   trace CHARACTERS-IN-A-NAME VALUE-OF-A-DESCRIPTION [RANK START-OF-ALL-REDUCE MS-AHEAD STEPS]
trace() {
    awk -v text="$1" -v value="$2" -v rank="${3:-0}" -v reduce="${4:-35}" -v ahead="${5:-0}" \
        -v steps="${6:-2}" '
        function event(category, name, start, length_, args) {
            printf "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 1, \"tid\": 7,\n" \
                "\"ts\": %.3f, \"dur\": %.3f, \"args\": {%s}}", comma, category, name,
                5e9 + 1000 * (at + start + ahead), 1000 * length_, args
            comma = ","
        }
        function kernel(name, launched, start, length_, args) {
            event("cuda_runtime", "cudaLaunchKernel", launched, 0.01, "\"correlation\": " ++id)
            event("kernel", name, start, length_, "\"stream\": 7, \"correlation\": " id args)
        }
        BEGIN {
            print "{\"schemaVersion\": 1,\n\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " rank ", " \
                "\"world_size\": 2},\n\"traceEvents\": ["
            for (step = 4; step < 4 + steps; step++) {
                at = 100 * (step - 4)
                event("user_annotation", "ProfilerStep#" step, 0, 100, "")
                kernel("gemm" text, 9, 10, 20, "")
                kernel("relu", 19, 20, 20, "")
                kernel("ncclKernel_AllReduce_RING_LL_Sum_float(int)", reduce, reduce, 60 - reduce,
                       ", \"Collective name\": \"allreduce\", \"In msg nelems\": 1000000, " \
                       "\"dtype\": \"Float\", \"Group size\": 2, " \
                       "\"Process Group Description\": " value)
                kernel("gemm", 50, 65, 10, "")
                kernel("gemm", 84, 85, 10, "")
                event("gpu_user_annotation", "ProfilerStep#" step, 10, 90, "")
                printf ",{\"ph\": \"s\", \"id\": 1, \"ts\": 1, \"cat\": \"ac2g\", \"name\": \"ac2g\"}"
            }
            print "],\n\"traceName\": \"x\"}"
        }'
}
# expect_cells COLUMN VALUE TOLERANCE ARGUMENT...: the same in every row of the CSV.
expect_cells() {
    cells_column=$1
    cells_want=$2
    cells_tolerance=$3
    shift 3
    run "$@" --format csv
    printf '%s\n' "$stdout" | awk -F, -v column="$cells_column" -v want="$cells_want" \
        -v tolerance="$cells_tolerance" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
        { error = $at - want; if (error < 0) error = -error
          if (!at || $at == "" || error > tolerance) bad = 1 }
        END { exit bad || NR < 2 }'
    check $? "want $cells_column $cells_want" "$@"
}
# expect_said PATTERN ARGUMENT...: on stderr of a run that succeeds.
expect_said() {
    said=$1
    shift
    run "$@"
    if [ "$status" -eq 0 ] && matches "$stderr" "$said"; then pass
    else fail "want on stderr $said" "$@"; fi
}
expect_trace() {
    expect_cells step_s 0.1 1e-12 import "$@"
    expect_cells compute_s 0.05 1e-12 import "$@"
    expect_cells communication_s 0.025 1e-12 import "$@"
    expect_cells overlap_s 0.005 1e-12 import "$@"
    expect_cells exposed_s 0.00999 1e-12 import "$@"
    expect_cells bytes 4000000 0 import "$@"
    expect_stdout '{"source":"kineto","workers":2,"steps":2,*"collectives":?{"kind":"allreduce","bytes":4000000}?,"bound":"accelerator"*,"dropped":{*}}' \
        import "$@" --format json
}

# ---- Kineto: from a file, from stdin, compressed, both ways
trace '' '"default_pg"' > kineto.json
gzip -k kineto.json
expect_trace kineto.json
expect_trace kineto kineto.json.gz
stdin=kineto.json
expect_trace -
stdin=kineto.json.gz
expect_trace -
stdin=/dev/null
piped() { cat "$1" | "$program" import - --format csv 2> .stderr; }
holds 'want the same from a pipe of gzip' [ "$(piped kineto.json.gz)" = "$(piped kineto.json)" ]

# ---- What is no JSON but written by profilers, and what is cut off
trace "$(printf '\001\tx')" '' > broken.json
expect_trace broken.json
expect_said '*left out: values that are missing or not JSON: 2*' import broken.json
sed 's/^],$/,],/' kineto.json > comma.json
expect_trace comma.json
trace '' NaN > nan.json
expect_trace nan.json
head -c 3700 kineto.json > cut.json
expect_said '*cut.json: the file is cut off after * events: only complete events and whole steps count*' \
    import cut.json
head -c $(($(wc -c < kineto.json.gz) - 24)) kineto.json.gz > cut.json.gz
gzip -dc cut.json.gz 2> .stderr | grep -q .
gives_cut=$?
[ $gives_cut -eq 0 ] || echo 'skipped: gzip gives nothing of what is cut off'
[ $gives_cut -ne 0 ] || expect_said '*cut off*' import cut.json.gz
sed 's/"ts": /"ts" /' kineto.json > colon.json
expect_error 'sgdperf: colon.json:5: byte *: a colon is missing after a key' import colon.json
sed 's/"pid": 1,/"pid": 1/' kineto.json > comma.json
expect_error 'sgdperf: comma.json:4: byte *: a comma or a closing bracket is missing' \
    import comma.json
awk 'BEGIN { printf "{\"schemaVersion\": 1, \"deviceProperties\": "
    for (i = 0; i < 1000000; i++) printf "[" }' > deep.json
expect_error 'sgdperf: deep.json:1: byte *: arrays or objects are nested too deeply' import deep.json
awk 'BEGIN { printf "{\"schemaVersion\": 1, \"traceEvents\": [], \"deviceProperties\": \""
    for (i = 0; i < 400000; i++) printf "%s", "a text of some bytes that does not end" i
    }' > endless.json
expect_error 'sgdperf: endless.json*' import endless.json
cp kineto.json.gz bad.json.gz
printf 'xxxxxxxxxxxxxxxx' | dd of=bad.json.gz bs=1 seek=100 conv=notrunc 2> .dd
expect_error 'sgdperf: bad.json.gz*' import bad.json.gz
sed 's/"ts": 5000100000.000/"ts": 5000050000.000/' kineto.json > overlap.json
expect_error 'sgdperf: overlap.json: ProfilerStep#5 begins before ProfilerStep#4 ends' \
    import overlap.json
sed 's/ProfilerStep#/Step /' kineto.json > nosteps.json
expect_said "*no 'ProfilerStep#' annotation, so the whole trace counts as one step*" \
    import nosteps.json

# insert EVENTS: copies kineto.json with more events before its first.
insert() { awk -v more="$1" '{ print } /"traceEvents": \[$/ { print more "," }' kineto.json; }
# annotation NAME START DURATION ARGS: in microseconds from the start of the trace
annotation() {
    printf '{"ph": "X", "cat": "user_annotation", "name": "%s", "pid": 1, "tid": 8, ' "$1"
    printf '"ts": 5000%06d, "dur": %d, "args": {%s}}' "$2" "$3" "$4"
}

# ---- Annotations of a step on two threads, and several accelerators
insert "$(annotation 'ProfilerStep#4' 10000 50000 ''),
$(annotation 'ProfilerStep#5' 100000 99000 '')" > twice.json
expect_trace twice.json
expect_said '*left out: annotations of a step that has one already: 2*' import twice.json
awk '{ kernels += sub(/"stream": 7/, "\"device\": " (kernels == 3) ", &"); print }' \
    kineto.json > devices.json
expect_trace devices.json
expect_said '*kernels of several accelerators, which all count as one worker*' import devices.json

# ---- A gathering of which the part that a worker has is told: all have two of them
dims='"Input Dims": [[500, 1000], []], "Input type": ["float", ""]'
insert "$(annotation nccl:_all_gather_base 34000 2000 "$dims"),
$(annotation nccl:_all_gather_base 134000 2000 "$dims")" |
    sed 's/"Collective name": "allreduce", "In msg nelems": 1000000, "dtype": "Float", //
        s/"Group size": 2, //; s/ncclKernel_AllReduce_RING_LL_Sum/ncclKernel_AllGather_RING_LL/' \
    > gather.json
expect_cells bytes 4000000 0 import gather.json
expect_number bandwidth_bytes_per_s 80000000 1e-9 import gather.json
sed 's/"world_size": 2/"world": 2/' gather.json > unknown.json
expect_said '*the sizes of 2 of its 2 exchanges are missing*' import unknown.json

# ---- The traced step is the first prediction
run import kineto.json --profile profile.csv --trace trace.csv --points points.csv
check "$status" 'want three files' import kineto.json
expect_number step_s 0.1 1e-9 predict --mode allreduce --workers 2 --profile profile.csv
expect_number batches_per_s 20 1e-9 simulate trace.csv --mode allreduce --workers 2 \
    --bandwidth 160000000
expect_number predicted_step_s 0.1 1e-9 import kineto.json
and_number simulated_step_s 0.1 1e-9
and_number bandwidth_bytes_per_s 160000000 1e-9
expect_stdout '*predict, *+0.00 % from*simulate, *+0.00 % from*made from these steps*no forecast*' \
    import kineto.json
awk -F, 'NR == 2 { exit !($1 == 2 && $2 > 19.999999 && $2 < 20.000001) }' points.csv
check $? 'want 2 workers, 20 batches/s' import kineto.json --points
run predict --mode allreduce --workers 64 --profile profile.csv --format json
case $stdout in *'"step_s":0.11'* | *'"step_s":0.12'*) pass ;;
*) fail 'want a longer step' predict --workers 64 ;; esac
expect_said "*--overlap is used in place of the column 'overlap_exponent' of profile.csv" \
    predict --mode allreduce --workers 2 --profile profile.csv --overlap
expect_cells step_s 0.07 1e-12 import kineto.json --view gpu
expect_number predicted_step_s 0.07 1e-9 import kineto.json --view gpu
run import kineto.json --view gpu --trace gpu.csv
expect_number batches_per_s 28.571428571428573 1e-9 simulate gpu.csv --mode allreduce --workers 2 \
    --bandwidth 160000000
expect_number simulated_step_s 0.07 1e-9 import kineto.json --view gpu
expect_number bandwidth_bytes_per_s 280000000 1e-9 import kineto.json --measured-on 8
expect_said '*kineto.json: the file says 2 workers, --measured-on says 8: --measured-on is used*' \
    import kineto.json --measured-on 8

# Bytes are those of the trace, also if an exchange waits: 25 and 20 ms for 4 MB. What import prints
# as simulate is what simulate prints on the file, which has the bandwidth.
sed '/"ts": 5000135000.000/s/"dur": 25000.000/"dur": 20000.000/' kineto.json > uneven.json
run import uneven.json --trace uneven.csv --format json
simulated=$(printf '%s\n' "$stdout" | sed 's/.*"simulated_step_s":\([^,]*\).*/\1/')
awk -F, 'NR > 1 && $3 == "uplink" { n++; bad += $6 != 4000000 } END { exit n != 2 || bad }' uneven.csv
check $? 'want 4 MB in each step' import uneven.json --trace uneven.csv
[ "$(sed -n '1s/.*name,//p; 2s/.*compute,//p' uneven.csv)" = 'bandwidth_bytes_per_s,traced_workers
177777777.7777777,2' ]
check $? 'want the bandwidth and 2 workers' import uneven.json --trace uneven.csv
expect_number batches_per_s "$(awk -v s="$simulated" 'BEGIN { printf "%.17g", 2 / s }')" 1e-12 \
    simulate uneven.csv --mode allreduce --workers 2
expect_number batches_per_s 20 1e-9 simulate trace.csv --mode allreduce --workers 2
sed '3s/,,$/,1e9,/' uneven.csv > differ.csv
expect_error "sgdperf: differ.csv:3: column 'bandwidth_bytes_per_s': 1e9 differs from *" \
    simulate differ.csv --mode allreduce --workers 2 --bandwidth 1GB/s
sed '2s/177777777.7777777/1e9/' uneven.csv > other.csv
expect_error 'sgdperf: --bandwidth: is needed, as the traces were recorded at different bandwidths: 177777778 and 1e+09 B/s' \
    simulate uneven.csv other.csv --mode allreduce --workers 1,1

# Beyond the trace predict and simulate agree, also where nothing of the exchange was ever exposed:
# by hand it begins 35 ms into the step, which takes the longer of 100 ms and that with the exchange.
sed 's/"ts": 5000050000/"ts": 5000064000/; s/"ts": 5000150000/"ts": 5000164000/' kineto.json > hidden.json
run import hidden.json --profile hidden.csv --trace hidden-trace.csv
expect_said '*hidden.json: the worker never waits for an exchange: the cost of a slower link or of more*' \
    import hidden.json
run import kineto.json
case $stderr in *'never waits'*) fail 'want no such note' import kineto.json ;; *) pass ;; esac
expect_number predicted_step_s 0.1 1e-9 import hidden.json
expect_number step_s 0.231875 1e-3 predict --mode allreduce --workers 64 --profile hidden.csv \
    --bandwidth 40MB/s --inputs measured
# expect_agreement NAME TOLERANCE: of both with NAME.csv and NAME-trace.csv
expect_agreement() {
    for at in 2,20MB/s 2,400MB/s 8,40MB/s 64,40MB/s 64,80MB/s 64,160MB/s 64,1GB/s; do
        run simulate "$1-trace.csv" --mode allreduce --workers "${at%,*}" --bandwidth "${at#*,}" \
            --inputs measured --format csv
        rate=$(printf '%s\n' "$stdout" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++)
            if ($i == "batches_per_s") at = i } NR == 2 { print $at }')
        expect_number batches_per_s "$rate" "$2" predict --mode allreduce --workers "${at%,*}" \
            --profile "$1.csv" --bandwidth "${at#*,}" --inputs measured
    done
}
expect_agreement hidden 0.005
expect_number batches_per_s 640 1e-9 simulate hidden-trace.csv --mode allreduce --workers 64 \
    --bandwidth 10Gbps
run import kineto.json --profile seen.csv --trace seen-trace.csv
expect_agreement seen 0.03
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "overlap_part") at = i }
    NR > 1 { $at = 1.5 } { print }' hidden.csv > part.csv
expect_error "sgdperf: part.csv:2: column 'overlap_part': 1.5 is above 1" \
    predict --mode allreduce --workers 2 --profile part.csv

# Its buckets as layers, the last one first: the all-reduce begins 35 ms into the step, and what waits
# for none hides it. Layers tell the traced links, so they answer as profile and trace do.
run import hidden.json --layers hidden-layers.csv --whole-layers
for command in predict 'simulate --warmup 0 --steps 5'; do
    expect_number batches_per_s 276.0108 1e-5 $command --layers hidden-layers.csv --mode allreduce \
        --workers 64 --bandwidth 40MB/s --inputs measured
done
run import kineto.json --layers buckets.csv --whole-layers
matches "$(sed 1d buckets.csv)" 'behind the buckets,0,0,0.01501*,0,,,1*,2
bucket 1,4000000,0.01166*,0.02333*,0.03999*,,4000000,,'
check $? 'want the all-reduce as a layer' import kineto.json --layers buckets.csv
expect_number step_s 0.1 1e-9 predict --layers buckets.csv --mode allreduce --workers 2
awk '/"In msg nelems"/ && !seen++ { sub(/1000000/, "2000000") } { print }' kineto.json > unlike.json
expect_error 'sgdperf: --layers: unlike.json: its steps exchange different buckets' \
    import unlike.json --layers no.csv
sed 's/allreduce/broadcast/; s/AllReduce/Broadcast/' kineto.json > others.json
expect_error 'sgdperf: --layers: others.json: its steps have exchanges that are not all-reduces, *' \
    import others.json --layers no.csv
expect_note '*note: --layers no.csv is not written: others.json: its steps have exchanges that are not *' \
    import others.json --layers no.csv --profile yes.csv
holds 'want the other file alone' [ ! -e no.csv -a -e yes.csv ]

# A size that one step lacks is that of another step; without any the exchanges keep their times.
awk '/"In msg nelems"/ && !seen++ { sub(/"In msg nelems": 1000000, /, "") } { print }' \
    kineto.json > lacks.json
expect_said '*lacks.json: the sizes of 1 of its 2 exchanges are missing, and are taken from the same exchanges of other*' \
    import lacks.json
expect_cells bytes 4000000 0 import lacks.json
sed 's/"In msg nelems": 1000000, //' kineto.json > sizeless.json
expect_number simulated_step_s 0.1 1e-9 import sizeless.json

# All workers run the same step if exchanges differ: 1 and 3 s of exchange, 1 s of computing.
file sizes.csv <<'END'
step,op,resource,duration_s,bytes,waits_for
0,0,worker,1,,
0,1,uplink,,1,0
1,0,worker,1,,
1,1,uplink,,3,0
END
expect_number makespan_s 30 1e-12 simulate sizes.csv --mode allreduce --workers 2 --bandwidth 1 \
    --steps 10 --warmup 0

# What the host takes of the worker's time, 40 of 90 ms, goes with the profile to advise.
expect_stdout '*stops it: compute, 100 % of a worker*; 44 % of this compute is the host?s: launches and gaps*' \
    advise profile.csv --mode allreduce --workers 1 --format table
expect_said '*44 % of the compute time is host time*nor with the batch*' \
    advise profile.csv --mode allreduce --workers 1
# Halved, the other 50 ms make 90 of 65; a batch of twice the size takes 140.
expect_stdout '*would help most: workers twice as fast (+38 %), then twice the batch (+29 %)*' \
    advise profile.csv --mode allreduce --workers 1
expect_number batches_per_s 15.384615384615385 1e-3 \
    advise profile.csv --mode allreduce --workers 1 --steps 100 \
    --offer fast,1/h,0.5,
sed '1s/$/,batch/; 2s/$/,32/' profile.csv > batch.csv
expect_number step_s 0.14 1e-3 predict --mode allreduce --profile batch.csv --workers 1 --batch 64
# Two accelerators of a machine: nothing tells the link to another one.
sed 's/^{"schemaVersion": 1,/& "deviceProperties": [{"id": 0}, {"id": 1}],/' kineto.json > machine.json
run import machine.json --profile machine.csv --trace machine-trace.csv
expect_said '*machine.csv: the bandwidth is that inside a machine of 2 accelerators: larger numbers*' \
    advise machine.csv --mode allreduce --workers 1-8
expect_stdout '*recommended: 2 workers*' advise machine.csv --mode allreduce
expect_error 'sgdperf: --workers: 4 workers are more than the 2 accelerators of the traced machine, *' \
    advise machine.csv --mode allreduce --workers 4-8
expect_status 0 advise machine.csv --mode allreduce --workers 4-8 --bandwidth 1Gbps
expect_stdout '*
2,20,*' predict --mode allreduce --profile machine.csv --workers 2,3 --format csv
expect_said '*machine.csv: the bandwidth is that inside a machine of 2 accelerators: larger numbers*' \
    predict --mode allreduce --profile machine.csv --workers 1-8
expect_error 'sgdperf: --workers: 64 workers are more than the 2 accelerators of the traced machine, *' \
    predict --mode allreduce --profile machine.csv --workers 64
expect_status 0 predict --mode allreduce --profile machine.csv --workers 64 --bandwidth 10Gbps
expect_said '*machine-trace.csv: the bandwidth is that inside a machine of 2 accelerators: larger*' \
    simulate machine-trace.csv --mode allreduce --sweep 1-4
expect_error 'sgdperf: --workers: 3 workers are more than the 2 accelerators of the traced machine, *' \
    simulate machine-trace.csv --mode allreduce --workers 3
expect_number batches_per_s 20 1e-9 simulate machine-trace.csv --mode allreduce --workers 2
expect_status 0 simulate machine-trace.csv --mode allreduce --workers 64 --network ec2 \
    --bandwidth 25Gbps
for bad in 0 -1 nan x 1.5; do
    sed "2s/,2\$/,$bad/" machine-trace.csv > bad.csv
    expect_error "sgdperf: bad.csv:2: column 'machine_accelerators': *" \
        simulate bad.csv --mode allreduce --workers 2
done
run import kineto.json --view gpu --profile gpu-profile.csv
expect_stdout "*stops it: compute, 100 % of a worker's step
*" advise gpu-profile.csv --mode allreduce --workers 1
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "host_s") at = i } NR > 1 && at { $at = 9 }
    { print }' \
    profile.csv > host.csv
expect_error "sgdperf: host.csv:2: column 'host_s': 9 is more than the sum of forward and backward" \
    advise host.csv --mode allreduce --workers 1
# A step of which most is the host's.
insert "$(annotation 'ProfilerStep#6' 200000 400000 ''),
$(annotation ncclKernel_AllReduce 210000 10000 \
    '"Collective name": "allreduce", "In msg nelems": 1000000, "dtype": "Float"' |
    sed 's/user_annotation/kernel/')" > late.json
expect_said '*the host limits the step time, and a profiler slows the host*' import late.json --warmup 2

# ---- Steps that the trace cuts off. The host launches 20 kernels of 4 ms in each of 5 steps; the
# first two steps take 20 ms, as the accelerator is idle before, the others 80 ms.
#   behind LAST: kernels up to that number
behind() {
    awk -v most="$1" 'function event(category, name, start, length_, args) {
            printf "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"tid\": 1, " \
                "\"ts\": %d, \"dur\": %d, \"args\": {%s}}\n", comma, category, name, 1000 * start,
                1000 * length_, args
            comma = ","
        }
        BEGIN {
            print "{\"schemaVersion\": 1, \"traceEvents\": ["
            for (step = 0; step < 5; step++) {
                from = step < 2 ? 20 * step : 40 + 80 * (step - 2)
                event("user_annotation", "ProfilerStep#" step, from, step < 2 ? 20 : 80, "")
                for (i = 0; i < 20 && 20 * step + i < most; i++) {
                    event("cuda_runtime", "cudaLaunchKernel", from + i / 2, 0.1,
                          "\"correlation\": " ++id)
                    event("kernel", "gemm", 4 * (id - 1), 4, "\"correlation\": " id)
                }
            }
            print "]}"
        }'
}
behind 100 > behind.json
expect_cells step_s 0.08 1e-12 import behind.json
expect_said '*left out: steps that the start or end of the trace cuts off: 2*' import behind.json
behind 60 > behind.json
expect_cells step_s 0.08 1e-12 import behind.json
expect_said '*cuts off: 3*' import behind.json
behind 20 | sed '/ProfilerStep#[1-4]/d' > behind.json
expect_said '*none of its steps has all of its kernels: trace more steps*' import behind.json
# The host marks 20 ms for each step that it launches: the accelerator takes 80.
behind 40 | sed '/ProfilerStep#[2-4]/d' > behind.json
expect_cells step_s 0.08 1e-12 import behind.json
expect_cells compute_s 0.08 1e-12 import behind.json
expect_said '*cuts off: 1*the accelerator runs late*' import behind.json --notes
# What is launched outside of the steps counts in none. A step that launches nothing is left out.
behind 60 | sed '/ProfilerStep#[2-4]/d' > behind.json
expect_cells step_s 0.08 1e-12 import behind.json
behind 40 | sed '/ProfilerStep#0/s/20000/10000/
    /ProfilerStep#4/{ s/200000/10000/; s/80000/10000/; }' > behind.json
expect_cells step_s 0.08 1e-12 import behind.json
expect_said '*cuts off: 4*' import behind.json --notes
# The host waits in its last step until all kernels have run.
behind 60 | sed '/ProfilerStep#2/s/80000/200000/; /ProfilerStep#[34]/d' > behind.json
expect_cells step_s 0.08 1e-12 import behind.json
# Kernels are missing at the end, or calls at the start. Where no step is left, the host's count.
behind 58 | sed '/ProfilerStep#2/s/80000/20000/; /ProfilerStep#[34]/d' > behind.json
expect_cells step_s 0.08 1e-12 import behind.json
behind 60 | sed '/cudaLaunch.*"correlation": 1*[0-9]}/d; /cudaLaunch.*"correlation": 20}/d
    /ProfilerStep#0/s/20000/10000/
    /ProfilerStep#4/{ s/200000/10000/; s/80000/10000/; }' > behind.json
expect_cells step_s 0.08 1e-12 import behind.json
sed '/"correlation": [4-6][0-9]}/d' behind.json > none.json
expect_said '*none of its steps has all of its kernels*' import none.json

# ---- Several ranks. Rank 1 comes to the all-reduce at 55 ms, rank 0 at 35, with nothing else to do
# from 50.01 on: it waits 4.99 ms, the transfer takes 5. The clock of rank 1 is 3 ms ahead.
trace '' '"x"' 1 55 3 > rank1.json
# expect_rank ROW COLUMN VALUE: of the table of ranks
expect_rank() {
    run import kineto kineto.json rank1.json --format csv
    printf '%s\n' "$stdout" | awk -F, -v row="$1" -v column="$2" -v want="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        NR == row + 1 { error = $at - want; if (error < 0) error = -error; seen = at != "" }
        END { exit !seen || error > 1e-9 }'
    check $? "want of rank $1 $2 $3" import kineto kineto.json rank1.json
}
for cell in rank:0:1 step_s:0.1:0.1 compute_s:0.05:0.05 waiting_s:0.00499:0 transfer_s:0.005:0.005 \
    behind_s:0.01001:0 host_s:0.03:0.045 last:0:2 caused_s:0:0.02 clock_s:0:0.003; do
    of=${cell#*:}
    expect_rank 1 "${cell%%:*}" "${of%:*}"
    expect_rank 2 "${cell%%:*}" "${of#*:}"
done
run import kineto kineto.json rank1.json --format csv
printf '%s\n' "$stdout" | awk -F, '
    NR > 1 { error = $3 + $4 + $5 + $6 + $7 - $2; bad += error > 1e-12 || error < -1e-12; n++ }
    END { exit bad || n != 2 }'
check $? 'want parts of each rank that add up to its step' import kineto kineto.json rank1.json
expect_stdout '*late: rank 1, for which the other ranks wait 0.02 s a step*--vary 0.03114*' \
    import kineto rank1.json kineto.json
expect_stdout '{*"ranks":?{"rank":0,*,"late_rank":1,"vary":0.0311*' \
    import kineto kineto.json rank1.json --format json
# What is written has the transfer alone, and the spread: the traced workers take the traced step.
expect_number bandwidth_bytes_per_s 8e8 1e-9 import kineto kineto.json rank1.json
run import kineto kineto.json rank1.json --profile ranks.csv --trace ranks-trace.csv
expect_number step_s 0.1 1e-9 predict --mode allreduce --workers 2 --profile ranks.csv
expect_number step_s 0.1 1e-6 predict --mode allreduce --workers 2 --profile ranks.csv \
    --vary 0.031144228
expect_number batches_per_s 20 1e-9 simulate ranks-trace.csv --mode allreduce --workers 2
expect_said '' simulate ranks-trace.csv --mode allreduce --workers 2
expect_said '*ranks-trace.csv holds the steps of the latest of 2 ranks*' \
    simulate ranks-trace.csv --mode allreduce --workers 4
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "vary") at = i }
    NR > 1 { $at = -1 } { print }' ranks.csv > vary.csv
expect_error "sgdperf: vary.csv:2: column 'vary': -1 *" \
    predict --mode allreduce --workers 2 --profile vary.csv
# Where a rank lacks an exchange, as with groups of ranks, those whose ends meet are the same.
insert "$(annotation ncclKernel_AllReduce 190000 2000 \
    '"Collective name": "allreduce", "In msg nelems": 1000000, "dtype": "Float"' |
    sed 's/user_annotation/kernel/')" > more.json
trace '' '"x"' 0 35 0 5 | awk 'NR == FNR { if (/ts": 5000190000/) more = $0 ; next }
    { print } /"traceEvents": \[$/ { print more }' more.json - > five0.json
trace '' '"x"' 1 55 3 5 > five1.json
expect_said '*1 of 11 exchanges are in only one file: their waiting is unknown and counts as transfer*' \
    import kineto five0.json five1.json
expect_stdout '*late: rank 1, for which the other ranks wait 0.02 s a step*' \
    import kineto five0.json five1.json
# Of any number of ranks on any clocks, waiting and transfer are what they were made of.
if has python3; then
    seeds=8
    [ -z "${TEST_FULL:-}" ] || seeds=60
    seed=0
    while [ $seed -lt $seeds ]; do
        seed=$((seed + 1))
        rm -f rank-*.json
        python3 "$root/tests/ranks.py" "$seed"
        run import kineto rank-*.json --format csv
        printf '%s\n' "$stdout" | awk -F, '
            NR == FNR { for (i = 1; i < 7; i++) want[$1, i] = $i; ranks = FNR; next }
            FNR > 1 { got[2] = $2; got[3] = $3; got[4] = $4; got[5] = $5; got[6] = $10
                for (i = 2; i < 7; i++) {
                    error = got[i] - want[$1, i]
                    bad += error > 1e-6 || error < -1e-6
                }
                n++ }
            END { exit bad || n != ranks }' expected.csv -
        check $? "want what ranks.py made with seed $seed" import kineto 'rank-*.json'
    done
fi
# many RANK EXCHANGES LACKS CLOCK: one step of exchanges 10 to 40 us apart, of which the file lacks
# each LACKS-th, on a clock that is ahead by so many us.
many() {
    awk -v rank="$1" -v n="$2" -v lacks="$3" -v clock="$4" 'BEGIN {
        printf "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":2},", rank
        printf "\"traceEvents\":["
        for (i = at = 0; i < n; i++) {
            gap = (gap * 421 + 1663) % 7875
            if (lacks == 0 || i % lacks != 3)
                printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclKernel_AllReduce\",\"ts\":%d,\"dur\":%d,\"args\":{\"stream\":7,\"In msg nelems\":8,\"dtype\":\"Float\",\"Group size\":2}},\n", clock + at, 8
            at += 10 + int(gap / 263)
        }
        printf "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,"
        printf "\"tid\":1,\"ts\":%d,\"dur\":%d}]}\n", clock, at }'
}
# A file that lacks a seventh of many exchanges: the others still meet, on their clock.
many 0 4200 0 0 > many0.json
many 1 4200 7 123456 > many1.json
run import kineto many0.json many1.json --format json --notes
matches "$stderr" '*note: 600 of 7800 exchanges are in only one file: their waiting is unknown and counts as transfer*' &&
    matches "$stdout" '*"rank":1,*"clock_s":0.123456*'
check $? 'want all but those that are lacking' import kineto many0.json many1.json
many 0 21844 0 0 > many0.json
expect_error 'sgdperf: many0.json: step 1 has 21844 exchanges, but a step is replayed with at most 21843: *' \
    import kineto many0.json

# Files that are not ranks of one job, and one that is cut off.
expect_error 'sgdperf: kineto.json: the file is of rank 0, and so is kineto.json: give each rank once' \
    import kineto kineto.json kineto.json
sed 's/"world_size": 2/"world_size": 4/' rank1.json > wrong.json
expect_error 'sgdperf: wrong.json: the job has 4 ranks, but that of kineto.json has 2: give ranks of one job' \
    import kineto kineto.json wrong.json
sed 's/"rank": 1/"rank": 7/' rank1.json > wrong.json
expect_error 'sgdperf: wrong.json: the file is of rank 7, but the job has only 2 ranks, from rank 0' \
    import kineto kineto.json wrong.json
for rank in NaN -1 1e12 '"x"'; do
    sed "s/\"rank\": 1/\"rank\": $rank/" rank1.json > wrong.json
    expect_error 'sgdperf: wrong.json: the file does not name its rank: *' \
        import kineto kineto.json wrong.json
done
sed 's/ProfilerStep#/&1/' rank1.json > wrong.json
expect_error 'sgdperf: kineto.json: the file has no whole step that is in all other files' \
    import kineto kineto.json wrong.json
sed 's/ncclKernel_AllReduce/gemm/; s/"Collective name": "allreduce", //' rank1.json > wrong.json
expect_error 'sgdperf: wrong.json: the file has no exchange with other ranks' \
    import kineto kineto.json wrong.json
sed '/"ts": 5000158000.000/s/"dur": 5000.000/"dur": 95.000/' rank1.json > wrong.json
expect_error 'sgdperf: wrong.json: the exchanges do not end when those of kineto.json end: *' \
    import kineto kineto.json wrong.json
printf '%s\n' step,phase,start_s,end_s 0,uplink,0,1 > up.csv
expect_error 'sgdperf: up.csv: the file is not a trace of PyTorch (Kineto), but *' \
    import kineto kineto.json up.csv
expect_error 'sgdperf: up.csv: is a log of transfers*: only traces of PyTorch (kineto), one of each rank, can be given together' \
    import auto kineto.json up.csv
head -c 3700 rank1.json > short.json
expect_said '*short.json: the file is cut off after *' import kineto kineto.json short.json
expect_said '*kineto.json: left out: steps that another rank?s file lacks: 1*' \
    import kineto kineto.json short.json
sed 's/"world_size": 2/"world_size": 3/' kineto.json > one.json
sed 's/"world_size": 2/"world_size": 3/' rank1.json > two.json
expect_said '*only 2 of 3 ranks have a file: the late rank may be one without a file*' import kineto one.json two.json

# ---- PyTorch built without Kineto: an array, without categories. Of a step of 100 ms, in ms:
# operations 0 to 20, 20 to 60 and 85 to 95, an all-reduce 50 to 80.
awk 'function event(name, thread, start, length_) {
        printf "%s{\"name\": \"%s\", \"ph\": \"X\", \"ts\": %d, \"dur\": %d, \"tid\": %d, " \
            "\"pid\": \"CPU functions\", \"args\": {}}", comma, name, 1000 * (at + start),
            1000 * length_, thread
        comma = ", "
    }
    BEGIN { printf "["
        for (at = 0; at < 200; at += 100) {
            event("ProfilerStep#" 3 + at / 100, 1, 0, 100)
            event("DistributedDataParallel.forward", 1, 0, 25)
            event("aten::linear", 1, 0, 20)
            event("aten::addmm", 1, 5, 10)
            event("autograd::engine::evaluate_function: AddmmBackward0", 2, 20, 40)
            event("gloo:all_reduce", 2, 50, 30)
            event("Optimizer.step#SGD.step", 1, 80, 20)
            event("aten::add_", 1, 85, 10)
        }
        printf "]" }' > bare.json
for cell in step_s:0.1 compute_s:0.07 communication_s:0.03 overlap_s:0.01 exposed_s:0.02; do
    expect_cells "${cell%:*}" "${cell#*:}" 1e-12 import bare.json --measured-on 2
done
expect_number predicted_step_s 0.1 1e-9 import bare.json --measured-on 2
expect_said '*the sizes of 2 of its 2 exchanges are missing*' import bare.json --measured-on 2
# Without an accelerator it is the processor that computes.
expect_stdout '*"bound":"processor",*' import bare.json --measured-on 2 --format json
expect_stdout '*neither: gaps *bound by: processor*' import bare.json --measured-on 2
head -c $(($(wc -c < bare.json) - 20)) bare.json > cut.json
expect_said '*cut.json: the file is cut off after * events: only complete events and whole steps count*' \
    import cut.json --measured-on 2
sed 's/{"name": "aten::add_"/7, &/' bare.json > seven.json
expect_error 'sgdperf: seven.json:1: byte *: an event is not an object' import seven.json

# ---- PipeDream
file graph.txt <<'END'
node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, activation_size=4.0, parameter_size=0.000
node2 -- Conv2d(3, 64, kernel_size=(3, 3)) -- forward_compute_time=4.5, backward_compute_time=7.25, activation_size=[44.0; 2.0], parameter_size=3539968.000
	node1 -- node2
END
expect_stdout '{"source":"pipedream","layers":2,"forward_s":0.0045,"backward_s":0.00725,"bytes":3539968,"dropped":{}}' \
    import graph.txt --format json
run import graph.txt --layers layers.csv --profile net.csv
[ "$(cat layers.csv)" = 'layer,bytes,forward_s,backward_s,update_s,output_bytes
node1 Input0,0,0,0,0,4
node2 Conv2d,3539968,0.0045,0.00725,0,46' ]
check $? 'want these layers' import graph.txt --layers
expect_status 0 trace-from-layers layers.csv
expect_number step_s 0.01175 1e-12 predict --mode allreduce --workers 1 --bandwidth 1Gbps \
    --profile net.csv
# Its tensors are not known: buckets want them, each layer as one has to be asked for.
buckets="--mode allreduce --workers 2 --bandwidth 1GB/s"
for command in "predict --layers layers.csv" "advise layers.csv" "simulate --layers layers.csv"; do
    expect_error "sgdperf: layers.csv:1: column 'tensors' is missing: import its source again with --layers FILE --whole-layers, *" \
        $command $buckets
done
run import graph.txt --layers whole.csv --whole-layers
[ "$(cat whole.csv)" = 'layer,bytes,forward_s,backward_s,update_s,output_bytes,tensors
node1 Input0,0,0,0,0,4,
node2 Conv2d,3539968,0.0045,0.00725,0,46,3539968' ]
check $? 'want these tensors' import graph.txt --whole-layers
# 11.75 ms of computing, then 3539968 bytes at 1 GB/s
expect_number step_s 0.015289968 1e-12 predict --layers whole.csv $buckets
expect_status 0 advise whole.csv $buckets
expect_status 0 simulate --layers whole.csv $buckets
sed 's/3539968.000/3539968.500/' graph.txt > half.txt
expect_error "sgdperf: --whole-layers: half.txt: layer 'node2 Conv2d' has 3539968.5 bytes, *" \
    import half.txt --layers half.csv --whole-layers
expect_error 'sgdperf: --whole-layers: needs --layers' import graph.txt --whole-layers
sed 's/=4.5/=4.5x/' graph.txt > number.txt
expect_error "sgdperf: number.txt:2: 'forward_compute_time': '4.5x' is not a number" \
    import number.txt
sed 's/node1 -- node2/node1 -- node3/' graph.txt > edge.txt
expect_error "sgdperf: edge.txt:3: 'node3' is not a node" import edge.txt
sed '2s/^node2/node1/' graph.txt > twice.txt
expect_error "sgdperf: twice.txt:2: a node occurs twice" import twice.txt
head -c 250 graph.txt > short.txt
expect_error "sgdperf: short.txt:2: no '*'" import short.txt

# ---- Transfers alone
file log.csv <<'END'
step,phase,start_s,end_s,bytes
0,downlink,0,0.125,1000000
0,uplink,0.375,0.5,1000000
1,downlink,0.5625,0.6875,1000000
1,uplink,0.9375,1.0625,1000000
END
expect_stdout '*"phases":{"downlink":0.125,"forward":0.25,"uplink":0.125,"update":0.0625}*' \
    import log.csv --format json
run import transfers log.csv --profile link.csv --trace link-trace.csv
expect_number step_s 0.5625 1e-12 predict --mode async --model exact --workers 1 --profile link.csv
expect_number batches_per_s 1.7777777777777777 1e-9 simulate link-trace.csv --mode async \
    --workers 1 --bandwidth 8MB/s
sed 's/0,uplink/0,update/' log.csv > phases.csv
expect_error "sgdperf: phases.csv:3: column 'phase': 'update' is not a transfer: use sgdperf profile for a log of all phases" \
    import phases.csv

cut -d, -f1-4 log.csv > unsized.csv
expect_error 'sgdperf: --trace: *add --bandwidth, the bandwidth of the traced network' \
    import unsized.csv --trace no.csv
expect_status 0 import unsized.csv --trace sized.csv --bandwidth 8MB/s
holds 'want transfers of their time times the bandwidth' cmp -s sized.csv link-trace.csv
sed 's/0.125$/1e307/; s/0.375,0.5/1e307,1.1e307/; /^1/d' unsized.csv > late.csv
expect_error 'sgdperf: late.csv: at this --bandwidth a transfer has too many bytes: give a smaller bandwidth' \
    import late.csv --trace no.csv --bandwidth 8MB/s
sed '/^1/d' log.csv > single.csv
expect_said '*single.csv: the update time of the server is unknown, *' import single.csv

# With servers and several workers at work the profile says so, and predict takes it out.
expect_said '*transfer times include waiting for other workers (3 workers): *' import log.csv --measured-on 3 \
    --profile link.csv
expect_number step_s 0.5625 1e-5 predict --mode async --model exact --workers 3 --profile link.csv
expect_number predicted_step_s 0.5625 1e-5 import log.csv --measured-on 3
expect_said '*no bandwidth gives 1000 workers the traced step time in model exact: *' \
    import log.csv --measured-on 1000
sed 's/start_s,end_s/start,end_s/' log.csv > near.csv
expect_error "sgdperf: near.csv:1: column 'start_s' is missing; did you mean 'start'?" import transfers near.csv
sed 's/,bytes$/,Bytes/' log.csv > near.csv
expect_said "*near.csv:1: column 'Bytes' is not known; did you mean 'bytes'?*" import near.csv

# ---- First steps left out
expect_cells step 5 0 import kineto.json --warmup 1
expect_cells compute_s 0.05 1e-12 import kineto.json --warmup 1
file two.csv <<'END'
step,op,resource,server,duration_s,bytes,waits_for,name
0,0,worker,0,0.5,,,a
0,1,uplink,0,,7,0,b
0,2,worker,0,0.5,,0 1,c
1,0,worker,0,0.25,,,d
1,1,uplink,0,,9,0,e
END
run import two.csv --warmup 1 --trace later.csv
holds 'want the second step' [ "$(cat later.csv)" = "$(sed -n '1p; s/^1,/0,/p' two.csv)" ]
# Of CSV a part is none: what is left of its last number looks whole.
for whole in two.csv log.csv; do
    gzip -c $whole > whole.gz
    head -c $(($(wc -c < whole.gz) - 12)) whole.gz > cut.gz
    [ $gives_cut -ne 0 ] ||
        expect_error 'sgdperf: cut.gz: the gzip file is cut off' import cut.gz
done
expect_said '*left out: steps of --warmup: 1*' import kineto.json --warmup 1
expect_error 'sgdperf: --warmup: leaves no step: 2 of the 2 steps in kineto.json would be left out' \
    import kineto.json --warmup 2
expect_error "sgdperf: --warmup: '-1' is not a whole number" import kineto.json --warmup -1

# ---- Numbers of workers, bytes and steps that are none
sed 's/"world_size": 2/"world_size": 1000000000/' kineto.json > crowd.json
expect_error 'sgdperf: crowd.json: the file says that 1000000000 workers ran together, *--measured-on' \
    import crowd.json
expect_stdout '*predict,  2 workers: *' import crowd.json --measured-on 2
sed 's/"world_size": 2/"world": 2/; s/"Group size": 2/"Group size": 5e9/' kineto.json > groups.json
expect_said '*groups.json: the file does not give the number of workers: add --measured-on*' \
    import groups.json
sed 's/"In msg nelems": 1000000/"In msg nelems": 1e308/' kineto.json > exchange.json
expect_error 'sgdperf: exchange.json: an operation sends too many bytes' import exchange.json
sed 's/"cat": "kernel"/"cat": "kernels"/' kineto.json > idle.json
expect_error 'sgdperf: idle.json: no kernel runs in step 4, *' import idle.json --view gpu
sed 's/"dur": 100000.000/"dur": 0/' kineto.json > short.json
expect_error 'sgdperf: --profile: short.json has no steps with a duration' \
    import short.json --profile no.csv
expect_error 'sgdperf: --points: cannot be combined with --view gpu*' import kineto.json --view gpu --points no.csv
holds 'want no file' [ ! -e no.csv ]
awk '{ print } /"traceEvents": \[$/ { for (i = 0; i < 60; i++)
         printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"nccl:all_reduce\", " \
             "\"ts\": 50000%05d, \"dur\": 50},\n", i * 100 }' kineto.json > many.json
expect_said '*many.json: the trace is too long for import to replay on 200000 workers*' \
    import many.json --measured-on 200000

# ---- Names of any text come through, those of no text as blanks
printf 'node1 -- %b -- forward_compute_time=1, backward_compute_time=1, %s\n' \
    'Schicht-\303\244,"\342\202\254"' 'activation_size=1, parameter_size=4' > names.txt
printf 'node2 -- a\377b\177c -- forward_compute_time=1, %s\n\tnode1 -- node2\n' \
    'backward_compute_time=1, activation_size=1, parameter_size=4' >> names.txt
expect_status 0 import names.txt --layers names.csv
grep -q '^"node1 Schicht-ä,""€""",4,' names.csv && grep -q '^node2 a b c,4,' names.csv
check $? "want names of UTF-8: $(cat names.csv)" import names.txt --layers names.csv

printf 'node1 -- a -- forward_compute_time=1, backward_compute_time=1, %s\n\tnode1 -- node1\n' \
    'activation_size=1, parameter_size=1e308' > heavy.txt
expect_error 'sgdperf: heavy.txt: a time or size of a layer is too large' import heavy.txt

# ---- An input without an end
if [ -n "${TEST_FULL:-}" ]; then
    stdin=/dev/zero
    expect_error 'sgdperf: stdin: the text is longer than 2 GiB' advise - --mode async --bandwidth 1Gbps
    stdin=/dev/null
fi

# ---- Logs of jobs are no traces of steps
printf 'JobID|State|Submit\n1|COMPLETED|2020-04-25T13:24:54\n' > sacct.txt
expect_error "sgdperf: sacct.txt: the file is a list of jobs by Slurm's sacct -P: sgdperf cluster --trace-format sacct *" \
    import sacct.txt
printf '; MaxNodes: 4\n1 0 1 2 3\n' > log.swf
printf 'id\tsubmit\twait\truntime\n1\t2\t0\t4\n' > tabs.swf
printf '1 0 5 60 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n' > bare.swf
for log in log.swf tabs.swf bare.swf; do
    expect_error "sgdperf: $log: *: sgdperf cluster --trace-format swf --jobs reads the file" import $log
done
printf 'job_id,user,vc,gpu_num\n1,a,b,2\n' > helios.csv
expect_error 'sgdperf: helios.csv: *sgdperf cluster --trace-format helios --jobs reads the file' \
    import helios.csv
expect_error 'sgdperf: helios.csv: *sgdperf cluster --trace-format helios --jobs reads the file' \
    fit helios.csv --model usl
printf 'job_name,task_name,inst_num,status,plan_gpu\na,b,1,c,1\n' > pai.csv
expect_error 'sgdperf: pai.csv: *sgdperf cluster --trace-format pai --jobs reads the file' import pai.csv
printf '[{"jobid": "a", "attempts": [], "vc": "b"}]' > philly.json
expect_error 'sgdperf: philly.json: *sgdperf cluster --trace-format philly --jobs reads the file' \
    import philly.json
given='cluster --nodes 4 --policy equal --curves linear --trace-format swf --jobs'
expect_error 'sgdperf: kineto.json: *sgdperf import kineto reads the file' $given kineto.json
printf 'id submit wait run %s dag\n1 0 5 60 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1 x\n' \
    'a b c d e f g h i j k l m n' > more.swf
expect_said '*more.swf: SWF has 18 fields: further fields of a row are not read' $given more.swf
expect_error 'sgdperf: helios.csv: the file holds a log of jobs of Helios, not swf: use --trace-format helios' \
    $given helios.csv
expect_error "sgdperf: sacct.txt: the file holds a list of jobs by Slurm's sacct -P, not swf*" $given sacct.txt

# ---- Told by content, everywhere
expect_error 'sgdperf: kineto.json: the file is a trace of PyTorch (Kineto), not CSV: sgdperf import kineto reads the file' \
    predict --mode sync --workers 1 --profile kineto.json
expect_error 'sgdperf: kineto.json: *sgdperf import kineto reads the file' simulate kineto.json \
    --mode sync --workers 1 --bandwidth 1Gbps
expect_error 'sgdperf: kineto.json: *sgdperf import kineto reads the file' profile kineto.json
expect_error 'sgdperf: graph.txt: *sgdperf import pipedream reads the file' trace-from-layers graph.txt
expect_error 'sgdperf: kineto.json.gz: the file is compressed by gzip*' fit kineto.json.gz --model usl
expect_error 'sgdperf: graph.txt: the file is not a trace of PyTorch*, but a graph of PipeDream*' \
    import kineto graph.txt
expect_error "sgdperf: 'kino' is not a format: name one of auto, kineto*" import kino kineto.json
expect_error 'sgdperf: link.csv: the format is unknown: name the format before the file, one of kineto*' import link.csv
expect_error 'sgdperf: nothing.json: No such file*' import nothing.json
expect_error "sgdperf: --trace: * is also an input file*" import kineto.json --trace kineto.json
expect_error 'sgdperf: --layers: log.csv: the file has no layers' import log.csv --layers l.csv
holds 'want no file' [ ! -e l.csv ]
# ---- Logs of nccl-tests: JSON by its schema, gzip, and a last row that is cut off
printf '%s\n' '# nThread 1 nGpus 1 minBytes 8' '# Rank 0 Pid 1 on a device 0 [0x00] A' \
    '# Rank 1 Pid 2 on a device 1 [0x00] A' \
    '# size count type redop time algbw busbw error time algbw busbw error' > two.log
for size in 1 2 4 8; do
    echo "${size}000000 1 float sum ${size}0.00 100.0 100.0 0e+00 ${size}1.00 100.0 100.0 0e+00"
done >> two.log
expect_stdout '*"source":"nccl","protocols":\[*"most_bytes_per_s":1*"errors":\[{*"points":4,"mean_error":*' \
    import nccl two.log --format json
gzip -c two.log > two.log.gz
printf '16000000 1 float sum 160.00 100.0 100.0 0e+00 160' >> two.log
expect_stdout '*all-reduce *2 *1 *8 *' import nccl two.log two.log.gz --protocols /dev/null
matches "$stderr" '*1 row left out: 0 with wrong results, 0 without bytes or a time, 1 cut off*'
check $? 'want a note on the row that is cut off' import nccl

cli_report import

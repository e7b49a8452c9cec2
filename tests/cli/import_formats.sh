# import_formats.sh - sgdperf import: Chakra, TensorFlow, and traces of ours to Chakra. The samples
# are written by tests/foreign.py, which shares nothing with the program.
. tests/cli.sh
has python3 || cli_report import_formats

python3 "$root/tests/foreign.py" chakra chakra-double chakra-float chakra-sint64 \
    chakra-fixed64 chakra-sfixed32 chakra-json chakra-cycle chakra-itself chakra-twice \
    chakra-missing chakra-negative chakra-long stats stats-text stats-worker metadata \
    stats-skewed stats-late timeline timeline-memory timeline-steps trace xspace \
    xspace-nosteps xspace-idle xspace-nccl xspace-grpc

same() {
    cmp -s "$1" "$2"
    check $? "$1 and $2 differ" "${3:-import}"
}

# and_first KEY VALUE TOLERANCE: the first number of an array of what was last printed.
and_first() {
    sed "s/.*\"$1\":\[\([^],]*\).*/{\"$1\":\1}/" .stdout > .first
    mv .first .kept
    cp .stdout .whole
    cp .kept .stdout
    and_number "$1" "$2" "$3"
    cp .whole .stdout
}

# ---- Chakra: processor, accelerator and network one at a time, 64 us by hand

# Numbers are written in many ways; the quick size reads the shortest and the longest.
kinds='chakra chakra-double chakra-json'
[ -z "${TEST_FULL:-}" ] ||
    kinds="$kinds chakra-float chakra-sint64 chakra-fixed64 chakra-sfixed32"
for kind in $kinds; do
    expect_stdout '*"source":"chakra","workers":2,"steps":1,*"bytes":\[1000000\],*"kind":"allreduce","bytes":1000000*' \
        import $kind --measured-on 2 --format json
    and_first step_s 64e-6 1e-9
    and_first compute_s 41e-6 1e-9
    and_first communication_s 30e-6 1e-9
    and_first overlap_s 7e-6 1e-9
    and_number predicted_step_s 64e-6 1e-6
    and_number simulated_step_s 64e-6 1e-6
    and_number bandwidth_bytes_per_s 33333333333 1e-6
    holds "a note that it has no times" matches "$stderr" '*has no start times*'
    expect_status 0 import $kind --measured-on 2 --trace $kind.csv
    same $kind.csv chakra.csv
done
expect_number batches_per_s 31250 1e-6 simulate chakra.csv --workers 2 --mode allreduce \
    --steps 20 --warmup 2
expect_status 0 import auto chakra --measured-on 2 --trace again.csv
same again.csv chakra.csv
gzip -c chakra > chakra.gz
expect_status 0 import chakra chakra.gz --measured-on 2 --trace again.csv
same again.csv chakra.csv

expect_stdout '*"dependencies on nodes that are not in the file":1*' \
    import chakra-missing --measured-on 2 --format json
expect_error "sgdperf: chakra-cycle: 'launch': its waits_for leads into a cycle*" import chakra-cycle
printf '{"workload_graph":[%s,"data_deps":[1]},%s,"data_deps":[0]}]}' \
    '{"Id":0,"Name":"a","NodeType":"COMP_NODE","runtime":9' \
    '{"Id":1,"Name":"b","NodeType":"COMP_NODE","runtime":9' > cycle.json
expect_error "sgdperf: cycle.json: 'waits_for' of operation 0 of step 0 leads into a cycle*" \
    import cycle.json --trace no.csv
expect_error 'sgdperf: chakra-itself: node 205: it depends on itself' import chakra-itself
expect_error 'sgdperf: chakra-twice: node 101: its id occurs twice' import chakra-twice
expect_error "sgdperf: chakra-negative: node 301: 'comm_size' is negative*" import chakra-negative
expect_error 'sgdperf: chakra-long: byte *, in node number 2: the file ends within a *' \
    import chakra-long

printf '{\n  "schema": "1.1.1-chakra.0.0.4", "pid": 7, "nodes": []}\n' > observed.json
expect_error 'sgdperf: observed.json: an execution trace of PyTorch has no durations: *' \
    import observed.json
printf '{"schema": "1.0.1", "pid": 7, "time": "2023-01-05 10:35:03", "start_ts": 9, "nodes": [' \
    > observed.json
expect_error 'sgdperf: observed.json: an execution trace of PyTorch has no durations: *' \
    import observed.json

# ---- Damaged: a line, or an answer; never anything else

ends_well() {
    run import "$1"
    [ "$status" -eq 0 ] || { [ "$status" -eq 2 ] && [ ! -s .stdout ] &&
        ! matches "$stderr" "*$newline*"; }
    check $? "an answer, or one line" import "$1"
}
for kind in chakra chakra-json stats stats-text metadata timeline trace xspace; do
    size=$(wc -c < $kind)
    for part in 1 2 3 4 5 6 7; do
        head -c $((size * part / 8)) $kind > cut.$kind
        bulk ends_well cut.$kind
    done
    { head -c $((size / 2)) $kind; printf '\377\377\377\377\377\377\377\377\377\177'
      tail -c $((size / 3)) $kind; } > rubbish.$kind
    bulk ends_well rubbish.$kind
done
head -c 200 chakra > cut
expect_error 'sgdperf: cut: byte *: the file ends within a *' import chakra cut
{ printf '{"workload_graph":'; head -c 1000000 /dev/zero | tr '\000' '['; } > deep
expect_error 'sgdperf: deep:1: *' import deep
{ printf '{"traceEvents":[{"cat":"Op","args":{"name":"/job:x Compute"},"x":'
  head -c 1000000 /dev/zero | tr '\000' '['; } > deep2
expect_error 'sgdperf: deep2:1: *arrays or objects are nested too deeply' import tensorflow deep2

# ---- Traces of ours to Chakra and back, to the last bit

file layers.csv <<'END'
layer,bytes,forward_s,backward_s,update_s
"conv, ""1""",4000000.5,0.0123456789,0.02,1e-9
dense,5000000,0.25,0.5,0.25
END
"$program" trace-from-layers layers.csv --vary 0.05 --steps 3 > whole.csv
"$program" trace-from-layers layers.csv --servers 2 > two.csv
grep -v downlink chakra.csv | sed '1s/,bandwidth.*//; 2s/,[^,]*,[^,]*$//; 3,$s/,,$//' > rings.csv
for trace in whole two rings; do
    for name in out.et out.json; do
        expect_status 0 import $trace.csv --chakra $name
        expect_status 0 import $name --trace back.csv
        same back.csv $trace.csv "import $trace.csv --chakra $name"
    done
done
expect_error "sgdperf: whole.csv: the file is not a Chakra execution trace, but a trace of operations*" \
    import chakra whole.csv
file bad.csv <<'END'
step,op,resource,server,duration_s,bytes,waits_for,name
0,0,worker,0,-1,,,a
END
expect_error "sgdperf: bad.csv:2: column 'duration_s': -1 is negative" \
    import bad.csv --chakra out.et

# ---- TensorFlow: a worker and a server, 145 ms by hand

for kind in stats stats-text metadata stats-skewed timeline-memory; do
    expect_stdout '*"source":"tensorflow","workers":1,"steps":1,*"bytes":\[10000000\],*' \
        import $kind --format json
    and_first step_s 0.145 1e-9
    and_first compute_s 0.09 1e-9
    and_number predicted_step_s 0.145 1e-6
    and_number simulated_step_s 0.145 1e-6
    and_number bandwidth_bytes_per_s 1e8 1e-6
    expect_status 0 import $kind --trace $kind.csv --profile $kind.profile
    expect_number batches_per_s 6.8965517 1e-6 simulate $kind.csv --workers 1 --mode async \
        --bandwidth 100MB/s --steps 20 --warmup 5
    expect_number batches_per_s 6.8965517 1e-6 predict --profile $kind.profile --mode async \
        --workers 1
done
same stats.csv metadata.csv
same stats.csv stats-text.csv
expect_status 0 import stats-skewed
matches "$stderr" '*clock of parameter server 0 is assumed to be 3600 s fast*'
check $? "a note on the clock" import stats-skewed
expect_stdout '*"steps":3,*' import timeline-steps --format json
and_number simulated_step_s 0.145 1e-6
expect_stdout '*"overhead":{"s_per_byte":*' import stats --bandwidth 100MB/s --format json
and_number simulated_step_s 0.145 1e-6
expect_number simulated_step_s 0.147 1e-6 import stats-late --bandwidth 100MB/s
and_first step_s 0.147 1e-9
and_number s 0.002 1e-6

# The server's part is missing: what the worker waits for still shows.
expect_stdout '*"steps":1,*"bytes":\[5000000\],*' import stats-worker --format json
matches "$stderr" '*no uploads to it: trace the server, too*'
check $? "a note that the server is missing" import stats-worker
expect_status 0 import stats-worker --trace worker.csv
grep -c 'worker,0,0.0[12]9*[0-9e-]*,,[0-9]* [0-9]*,.*/forward' worker.csv > waits
holds "two ops that wait for a download" matches "$(cat waits)" 2

# Without sizes
expect_number simulated_step_s 0.145 1e-6 import timeline
expect_error 'sgdperf: --trace: the file does not give the sizes of its transfers: add --bandwidth*' \
    import timeline --trace t.csv
expect_status 0 import timeline --trace t.csv --bandwidth 100MB/s
expect_number batches_per_s 6.8965517 1e-6 simulate t.csv --workers 1 --mode async \
    --bandwidth 100MB/s --steps 20 --warmup 5

# TensorFlow 2: the same two steps in both forms
for kind in trace xspace xspace-nccl; do
    expect_stdout '*"steps":2,*"kind":"allreduce"*' import $kind --measured-on 2 --format json
    and_first step_s 0.01 1e-9
    and_first compute_s 0.006 1e-9
    and_first communication_s 0.005 1e-9
    and_first overlap_s 0.003 1e-9
done
expect_note '*does not mark steps: the whole trace counts as one step*' \
    import xspace-nosteps --measured-on 2 --format json
and_first step_s 0.020 1e-9
expect_error "sgdperf: xspace-grpc: the workers exchange by 'CollectiveReduceV2:CollectiveReduceV2', *" \
    import xspace-grpc
expect_error 'sgdperf: xspace-idle: the accelerator ran no kernel' import xspace-idle
printf '/host:CPU' | awk '{ printf "\n\013\022\011%s", $0 }' > host
expect_error 'sgdperf: host: the trace has no accelerator, *' import host
file bad.pbtxt <<'END'
step_stats {
  dev_stats { device: "cpu" node_stats { node_name: "a"
    all_start_micros: 12x
END
expect_error "sgdperf: bad.pbtxt:3: 'all_start_micros': '12x' is not a number" import bad.pbtxt
head -c 300 stats-text > cut.pbtxt
expect_error 'sgdperf: cut.pbtxt:*: the file ends within a message: it is cut off' import cut.pbtxt
{ printf 'step_stats {'; yes 'a {' | head -n 1000000; } > deep.pbtxt
expect_error 'sgdperf: deep.pbtxt:*: messages are nested too deeply' import deep.pbtxt
printf '\377\376{' > wide.json
expect_error 'sgdperf: wide.json: the text is UTF-16: save it as UTF-8' import wide.json

cli_report import_formats

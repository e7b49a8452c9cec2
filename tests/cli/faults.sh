# sgdperf when the system fails: each call that writes or reads, each allocation, stdout, a full
# disk, signals at any time. No file is lost, none is half written under its name, no temporary
# file stays, and status 0 means that all of it is right (tests/faults.c).
#
# The quick size tries a few commands and a few faults of each; TEST_FULL all commands, and
# every call that writes; FAULTS_ALL=1 every call, every allocation, every error of each.
# FAULTS_FULL=1 is that of TEST_FULL, and FAULTS_MEMORY=1000 fails so many allocations of each
# command [4; 6 in full].
# FAULTS_SIGNALS=1000 sends as many signals to each command at random times [3; 6 in full];
# FAULTS_SEED says which times [1].
# At the size of `make check` the program is as users build it, but for two failed writes of each
# command and the allocations that fail, which are of the one with sanitizers.
. tests/cli.sh
sanitized=$program
program=$optimized
case ${BUILD:=build} in /*) built=$BUILD/test ;; *) built=$root/$BUILD/test ;; esac
[ -x "$built/faults" ] || {
    echo "skipped: faults: no $built/faults"
    echo "cli faults: 0 passed, 0 failed"
    exit 0
}
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"      # which traces the process itself
export ASAN_OPTIONS
all=${FAULTS_ALL:-}
full=${FAULTS_FULL:-${TEST_FULL:-$all}}
seed=${FAULTS_SEED:-1}
signals=${FAULTS_SIGNALS:-$([ -n "$full" ] && echo 6 || echo 3)}
signalled=0
mkdir inputs work full

# ---- What the commands read -----------------------------------------------------------
cd inputs || exit 1
file trace.csv <<'END_OF_FILE'
step,op,resource,server,duration_s,bytes,waits_for,name
0,0,downlink,0,,25000000,,model
0,1,worker,0,0.125,,0,forward
0,2,worker,0,0.375,,1,backward
0,3,uplink,0,,25000000,2,gradients
0,4,server,0,0.0625,,3,update
END_OF_FILE
file layers.csv <<'END_OF_FILE'
layer,bytes,forward_s,backward_s,update_s
conv,1000000,0.5,0.75,0.125
fc,4000000,1,2,0.5
END_OF_FILE
file net.csv <<'END_OF_FILE'
name,kind,n_in,n_out
hidden,fc,4096,4096
out,softmax,4096,1000
END_OF_FILE
file points.csv <<'END_OF_FILE'
workers,batches_per_s,role
1,5.2,fit
2,8.1,fit
4,10.6,fit
8,12.2,score
END_OF_FILE
{ cat points.csv; seq -f '# %g: a comment' 6000; echo 16,13.1,score; } > long.csv
columns=dataset,point,mode,workers,servers,batch,forward_s,backward_s,update_s,model_bytes,bandwidth_bytes_per_s,overlap,batches_per_s
file rows.csv <<END_OF_FILE
$columns,steps,role
mine,k1,sync,1,1,,0.1,0.2,0.1,1e6,1e7,0,2,10,fit
mine,k2,sync,2,1,,0.1,0.2,0.1,1e6,1e7,0,2,10,
mine,k4,sync,4,1,,0.1,0.2,0.1,1e6,1e7,0,4,10,
END_OF_FILE
file phases.csv <<'END_OF_FILE'
step,phase,start_s,end_s
0,downlink,0,0.125
0,uplink,0.375,0.5
1,downlink,0.5625,0.6875
1,uplink,0.9375,1.0625
END_OF_FILE
file graph.txt <<'END_OF_FILE'
node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, activation_size=0.0, parameter_size=0.000
node2 -- Conv2d(3, 64) -- forward_compute_time=1.500, backward_compute_time=3.000, activation_size=200.0, parameter_size=4000.000
	node1 -- node2
END_OF_FILE
file queue.csv <<'END_OF_FILE'
class,population,think_s,uplink,server,downlink
w,4,0.029,0.072,0.018,0.072
END_OF_FILE
file wait.csv <<'END_OF_FILE'
job,nodes,service_s
short,1,60
short,2,50
long,1,300
long,2,150
END_OF_FILE
printf '%s\n' job,arrival_s,size a,0,5 b,1,5 > jobs.csv
echo '[{"ph":"X","pid": "CPU functions","name":"a","ts":0,"dur":9,"tid":1}]' > host.json
echo 'step_stats { dev_stats { device: "/cpu:0" node_stats { node_name: "a" } } }' > stats.txt
echo '{"workload_graph": [{"Id": 1, "Name": "a", "type": 4}]}' > graph.json
printf '%s\n' config,epoch_s,accurate 4/4/4,700,1 2/9/2,570,0 > trials.csv
gzip -c phases.csv > phases.gz
job='--mode async --forward 10ms --backward 19ms --update 18ms --model-size 9MB --bandwidth 1Gbps'
one="simulate trace.csv --workers 3 --bandwidth 100MB/s --warmup 0 --mode sync"
sweep="simulate trace.csv --sweep 1,2,3,4 --steps 20 --warmup 0 --mode sync --bandwidth 1Gbps"
"$program" predict $job --workers 1-8 --format csv > curve.csv
"$program" predict $job --workers 1-8 --format json > curve.json
"$program" $sweep --shard 1/2 --journal one.part 2> said && "$program" $sweep --shard 2/2 --journal two.part 2> said
status=$? stderr= stdout=
check $status 'want two shards' $sweep
rm -f said
cd ..

# ---- Faults ------------------------------------------------------------------------------

# fresh FILE...: work/ holds the inputs, and something under these names.
fresh() {
    rm -rf work
    cp -R inputs work
    for name; do echo "what was in $name before" > "work/$name"; done
}

# faulty KIND OPTION... -- PROGRAM ARGUMENT...: one test.
faulty() {
    (cd work && exec "$built/faults" "$@") > said 2>&1
    status=$?
    stderr=$(cat said)
    stdout=
    [ "$status" -eq 77 ] && { echo "skipped: faults: $1: $stderr"; return; }
    case $1 in time) signalled=$((signalled + 0$(sed -n 's/^time: \([0-9]*\) runs.*/\1/p' said))) ;; esac
    [ -n "${V:-}" ] && echo "$(tail -n 1 said) $*"
    check "$status" "want no failure" "$@"
}

# most N: --most N, or with FAULTS_ALL=1 all, and each error.
most() { if [ -z "$all" ]; then echo "--most $1"; else echo --each; fi; }

# survives OUTPUTS ARGUMENT...: all faults of a command that writes these files, and perhaps its
# journal, whose name is then j.
survives() {
    outputs=$1
    shift
    journal=
    case " $* " in *' --journal j '*) journal='--journal j' ;; esac
    fresh $outputs
    set -- $journal -- "$program" "$@"
    if [ -z "$full" ]; then
        faulty write --most 8 --seed "$seed" "$@"
        faulty call --most 3 --seed "$seed" "$@"
    else
        faulty write --each "$@"
        faulty write $(most 5) --lasting --seed "$seed" "$@"
        faulty read $(most 4) --seed "$seed" "$@"
        faulty call $(most 6) --seed "$seed" "$@"
    fi
    faulty time --most "$signals" --seed "$seed" "$@"
    if [ -n "$full" ] && [ -n "$outputs" ]; then
        fresh                          # as nothing stood there
        faulty write $(most 4) --seed "$seed" "$@"
        faulty call $(most 3) --seed "$seed" "$@"
        faulty time --most "$signals" --seed "$seed" "$@"
    fi
    [ -n "$journal" ] && shift 2
    shift 2
    [ "$program" = "$sanitized" ] ||
        faulty write --most 2 --seed "$seed" $journal -- "$sanitized" "$@"
    few=${FAULTS_MEMORY:-$([ -n "$full" ] && echo 6 || echo 4)}
    [ ! -x "$built/sgdperf-memory" ] ||
        faulty memory $(most "$few") --seed "$seed" $journal -- "$built/sgdperf-memory" "$@"
    [ ! -x "$built/sgdperf-memory" ] || [ -z "$full" ] ||
        faulty memory --most 3 --lasting $journal -- "$built/sgdperf-memory" "$@"
}

# forgets ARGUMENT...: allocations alone fail, of a command that reads.
forgets() {
    fresh
    [ ! -x "$built/sgdperf-memory" ] ||
        faulty memory $(most "${FAULTS_MEMORY:-6}") --seed "$seed" -- "$built/sgdperf-memory" "$@"
}

survives t.json $one --steps 8 --timeline t.json
survives 'n.csv t.csv' import phases.csv --bandwidth 1Gbps --profile n.csv --trace t.csv
survives '' $sweep --processes 2 --journal j
survives p.svg plot curve.csv --out p.svg --engine own
if [ -n "$full" ]; then
    survives '' predict $job --workers 1-8 --format csv
    survives o.csv $one --steps 2 --order random --seed 3 --order-out o.csv
    survives '' $sweep --journal j
    survives 't.json' $one --steps 20 --service exponential --runs 4 --processes 3 --timeline t.json
    survives 'l.csv n.csv' import graph.txt --layers l.csv --profile n.csv
    survives 'n.csv' import phases.gz --bandwidth 1Gbps --profile n.csv
    survives 'c.et' import trace trace.csv --bandwidth 1Gbps --chakra c.et
    survives 'c.json' import trace trace.csv --bandwidth 1Gbps --chakra c.json
    survives r.html report rows.csv --out r.html
    survives r.html report rows.csv --out r.html --processes 2
    survives '' validate rows.csv
    survives '' calibrate points.csv --fit bandwidth --mode async --model exact --forward 10ms \
        --backward 19ms --update 18ms --model-size 9MB
    survives '' fit points.csv --model amdahl --workers 8,16
    survives '' fit long.csv --model amdahl
    survives '' mva queue.csv --method fcfs
    survives '' profile phases.csv
    survives '' allocate wait.csv --nodes 4 --fill
    survives '' balance cpu --speeds 3.3,1.1,5.6 --total 128
    survives '' advise $job --workers 1-8 --steps 1000 --price 2.48/h
    survives '' cluster --nodes 8 --sweep 0.1,0.3 --min-jobs 60 --max-jobs 60 --processes 2 --journal j
    survives '' trace-from-layers layers.csv
    survives '' plan net.csv --machines 4 --cores 2 --c-muladd 1ns --c-nbw 10Gbps --n-sample 60000
    survives '' plan order trials.csv
    survives '' merge one.part two.part
    fresh                              # nothing can be begun: no process, no thread, no pipe
    faulty system --journal j -- "$program" $sweep --processes 3 --journal j
    fresh
    faulty system -- "$program" import phases.gz --bandwidth 1Gbps
    fresh
    faulty system -- "$program" plan measure --quick --threads 2 --largest 16KiB --shared 16KiB
    logs='cluster --nodes 64 --rigid --trace-format'
    data=$root/tests/data
    forgets $logs swf --jobs "$data/jobs.swf"
    forgets $logs pai --jobs "$data/pai_task_table.csv"
    forgets $logs pai --jobs "$data/pai_task_table.csv" --trace-submits "$data/pai_job_table.csv"
    forgets $logs sacct --jobs "$data/sacct.txt"
    forgets $logs helios --jobs "$data/cluster_log.csv"
    forgets $logs philly --jobs "$data/cluster_job_log.json"
    forgets $logs sia --jobs "$data/sia.csv" --trace-times "$data/sia_times.csv"
    forgets $logs gavel --jobs "$data/gavel.trace" --trace-times "$data/gavel_times.csv"
    forgets plot curve.json --out p.svg --engine own
    forgets plot host.json --out p.svg --engine own
    forgets cluster --nodes 4 --jobs jobs.csv --curves amdahl:0.1 --policy hell
    forgets import host.json
    forgets import stats.txt
    forgets import graph.json
fi

# ---- Standard output is full ---------------------------------------------------------------

# full_stdout OUTPUT ARGUMENT...: says so, and OUTPUT stays as it was.
full_stdout() {
    output=$1
    shift
    fresh "$output"
    cp "work/$output" before
    stdout=
    stderr=$(cd work && "$program" "$@" 2>&1 > /dev/full < /dev/null)
    status=$?
    [ "$status" -eq 2 ] && matches "$stderr" 'sgdperf: *standard output*' &&
        ! matches "$stderr" "*$newline*" && cmp -s before "work/$output"
    check $? 'want standard output named, and the file as it was' "$@"
}
if [ -w /dev/full ]; then
    full_stdout t.json $one --steps 8 --timeline t.json
    full_stdout p.svg plot curve.csv --out p.svg --engine own
    full_stdout n.csv import phases.csv --bandwidth 1Gbps --profile n.csv
    full_stdout r.html report rows.csv --out r.html
    full_stdout none predict $job --workers 1-8
    full_stdout none predict $job --workers 1-8 --format json
    full_stdout none --help
    full_stdout none predict --help
    full_stdout none --version
    full_stdout none --options
    full_stdout none validate rows.csv
    full_stdout none trace-from-layers layers.csv
    full_stdout none merge one.part two.part
else
    echo 'skipped: faults: no /dev/full'
fi

# ---- A full disk: a small file system of its own ---------------------------------------------

# By root, or in a name space of one's own; said has "mounted" where that went.
file disk.sh <<'END_OF_FILE'
mount -t tmpfs -o size=256k none full 2> /dev/null || exit 77
echo mounted
fill=0
while [ "$fill" -le 252 ]; do
    rm -f full/*
    echo 'what was before' > full/t.json
    head -c "${fill}k" /dev/zero > full/zeros
    "$@" > out 2> err
    status=$?
    if [ "$status" -eq 0 ]; then
        cmp -s full/t.json right.json || echo "wrong with $fill kB"
        worked=1
    else
        echo 'what was before' | cmp -s - full/t.json || echo "touched with $fill kB"
        grep -q '^sgdperf: --timeline: .*full/t.json.*cannot be written: No space' err ||
            cat err
        refused=1
    fi
    [ "$(ls -A full | wc -l)" -eq 2 ] || echo "left behind with $fill kB"
    fill=$((fill + ${step:-28}))
done
umount full
[ -n "${worked:-}" ] && [ -n "${refused:-}" ] && echo done
END_OF_FILE
fresh
set -- "$program" simulate work/trace.csv --workers 3 --bandwidth 100MB/s --warmup 0 --mode sync \
    --steps 30
"$@" --timeline right.json > .stdout
step=$([ -n "$full" ] && echo 4 || echo 63)
export step
sh disk.sh "$@" --timeline full/t.json > said 2>&1
status=$?
if [ "$status" -eq 77 ]; then
    unshare -rm sh disk.sh "$@" --timeline full/t.json > said 2>&1
    status=$?
fi
if [ "$(head -n 1 said)" != mounted ]; then
    echo 'skipped: faults: no file system can be mounted'
else
    stderr=$(cat said) stdout=
    holds 'want the whole file, or the old one and a reason' [ "$stderr" = "mounted${newline}done" ]
fi

echo "signals at random times: $signalled, seed $seed"
cli_report faults

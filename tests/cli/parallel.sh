# Work on several processes, its journal, its shards and sgdperf merge: the same bytes however
# the work is done; a process that is killed, and a run that goes on.
#
# PARALLEL_KILLS=100 kills as many processes [2].
. tests/cli.sh

cp "$root/tests/data/two_steps.csv" trace.csv
cp "$root/tests/data/three_fc.csv" layers.csv

# kept FILE: status, stdout and stderr of what ran last go into it.
kept() { { echo "$status"; cat .stdout .stderr; } > "$1"; }

# same ARGUMENT...: 1, 2 and 5 processes print the same, on stdout and stderr.
same() {
    launch "$@" --processes 1
    kept one
    for processes in 2 5; do
        launch "$@" --processes $processes
        kept other
        [ "$(wc -l < one)" -ge 2 ] && cmp -s one other
        check $? "want what one process prints" "$@" --processes $processes
    done
}

sweep="cluster --nodes 8 --sweep 0.1,0.3,0.5,0.2,0.4 --min-jobs 300 --max-jobs 300"
runs="simulate trace.csv --workers 3 --mode async --bandwidth 1Gbps --service exponential"
plan="plan layers.csv --machines 4,6 --cores 2 --c-muladd 1ns --c-nbw 10Gbps --n-sample 60000"

# ---- The same bytes
same $sweep --format csv
same simulate trace.csv --sweep 1-9 --mode sync --link average --bandwidth 1Gbps --runs 3 --steps 60
same $runs --steps 40 --runs 20 --warmup 0 --format json
same $plan --format json --all
same $plan --max-replications 1
same calibrate "$root/validation/datasets/tcp_testbed.csv" --fit bandwidth --mode sync
# The parts of one search, from noisy points.
printf '%s\n' workers,batches_per_s 2,15.4 4,27.9 8,41.3 16,47.2 > noisy.csv
one_search="calibrate noisy.csv --fit bandwidth,server --mode sync --model ps --forward 10ms
    --backward 19ms --model-size 9MB --format json"
same $one_search
expect_error 'sgdperf: --shard: cannot be used with a single group, *' \
    $one_search --shard 1/2 --journal shard.journal
# Ends of steps and the timeline are those of the first run.
for processes in 1 3; do
    launch $runs --steps 20 --runs 4 --step-ends --timeline t.json --processes $processes
    cat t.json >> .stdout
    kept timeline.$processes
done
holds 'want the same timeline' cmp -s timeline.1 timeline.3

# ---- The first that fails, and its line
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,worker,1e308,,  > long.csv
for processes in 1 4; do
    expect_error 'sgdperf: simulate: the times of --steps 40 add up to more *' simulate long.csv --sweep 1-20 --mode sync \
        --bandwidth 1Gbps --steps 40 --warmup 0 --processes $processes
done

# ---- A journal
launch $sweep --format csv
mv .stdout one.out
# expect_same REASON ARGUMENT...: what the sweep prints as CSV.
expect_same() {
    reason=$1
    shift
    launch "$@"
    holds "$reason" cmp -s one.out .stdout
}
expect_same 'want the same with a journal' $sweep --format csv --journal whole
was=$(cksum < whole)
expect_same 'want the same from the journal' $sweep --format csv --journal whole --processes 1
holds 'want nothing done again' [ "$was" = "$(cksum < whole)" ]
bytes=$(wc -c < whole)
# Cut anywhere: in the text, at a record, within one.
cut=1
while [ $cut -lt "$bytes" ]; do
    head -c $cut whole > part
    expect_same "want to go on from byte $cut" $sweep --format csv --journal part
    launch $sweep --format csv --journal part --processes 1
    holds "want a whole journal from byte $cut" [ "$(wc -c < part)" -eq "$bytes" ]
    [ -n "${TEST_FULL:-}" ] && cut=$((cut + 97)) || cut=$((cut + 1499))
done
# A last record of zeroes, as a machine that goes down may leave.
head -c $((bytes - 1000)) whole > part
head -c 1000 /dev/zero >> part
expect_same 'want to go on behind zeroes' $sweep --format csv --journal part
# Damage elsewhere is refused, and left as it is.
{ head -c 500 whole; printf x; tail -c +502 whole; } > part
was=$(cksum < part)
expect_error 'sgdperf: part: damaged at byte *' $sweep --format csv --journal part
holds 'want it left as it is' [ "$was" = "$(cksum < part)" ]
# Of another run
expect_error 'sgdperf: whole: the journal belongs to another run: sgdperf cluster --nodes 8 --sweep *' \
    $sweep --seed 2 --journal whole
# Of another program: its records are other structures.
head -n 3 whole | grep -q '^build [0-9][0-9]*-[0-9][0-9]*-[0-9]*[01]$'
check $? 'want the sources that it is of' $sweep --journal whole
version=$(sed -n 's/^version //p; 2q' whole)
{ printf 'sgdperf journal 2\nversion %s\nbuild 1-2-8881\n' "$version"; tail -n +4 whole; } > built
was=$(cksum < built)
expect_error "sgdperf: built: the journal was written by another build of version $version: 1-2-8881, this is *" \
    $sweep --journal built
expect_error "sgdperf: built: the journal was written by another build of version $version: *" merge built
expect_error "sgdperf: whole: the journal was written by another build of version $version: *" merge built whole
holds 'want it left as it is' [ "$was" = "$(cksum < built)" ]
{ printf 'sgdperf journal 2\nversion 0.0.1\n'; tail -n +3 whole; } > old
expect_error "sgdperf: old: the journal was written by version 0.0.1, this is version $version" $sweep --journal old
{ printf 'sgdperf journal 1\n'; tail -n +2 whole; } > old
expect_error 'sgdperf: old: the journal was written by another version and cannot be read: name another file' \
    $sweep --journal old
expect_error 'sgdperf: trace.csv: the file is not a journal of sgdperf: name another file' $sweep --journal trace.csv
expect_error "sgdperf: --journal: '' cannot be written: *" $sweep --journal ''
launch $runs --steps 40 --runs 4 --journal inputs
sed 's/0.03/0.02/' trace.csv > changed.csv
mv changed.csv trace.csv
expect_error 'sgdperf: inputs: the journal belongs to a run with other inputs' $runs --steps 40 --runs 4 --journal inputs
launch cluster --nodes 8 --load 0.5 --min-jobs 300 --max-jobs 300 --journal none
matches "$stderr" '*note: --journal has no effect: there is only one task*' && [ ! -e none ]
check $? 'want a note' cluster --load 0.5 --journal none

# ---- Shards
for i in 1 2 3; do
    launch $sweep --format csv --shard $i/3 --journal shard.$i
    [ "$status" -eq 0 ] && [ ! -s .stdout ] &&
        matches "$stderr" "sgdperf: note: shard $i/3: * of 5 tasks; the finished work is in shard.$i"
    check $? 'want nothing printed but where it is' $sweep --shard $i/3
done
expect_same 'want the whole from shards' merge shard.3 shard.1 shard.2
expect_error 'sgdperf: shard 2/3 is missing' merge shard.1 shard.3
expect_error 'sgdperf: shard.2: is shard 2/3, and so is shard.2' merge shard.1 shard.2 shard.2
expect_error 'sgdperf: whole: is one of 1 shards, shard.1 of 3' merge shard.1 whole
expect_error 'sgdperf: nowhere: No such file or directory' merge shard.1 nowhere
expect_error 'sgdperf: trace.csv: the file is not a journal of sgdperf: name another file' merge trace.csv
expect_error 'sgdperf: shard.1: the journal is of shard 1/3, not 2/3' $sweep --format csv --shard 2/3 \
    --journal shard.1
head -c $(($(wc -c < shard.2) - 10)) shard.2 > short.2
expect_error 'sgdperf: short.2: the shard is not finished: task * of 5 is missing: run the shard again to continue' \
    merge shard.1 short.2 shard.3
launch $sweep --seed 2 --shard 2/3 --journal foreign.2
expect_error 'sgdperf: foreign.2: the journal belongs to another run: *' merge shard.1 foreign.2 shard.3
launch $sweep --format json
mv .stdout one.json
launch merge shard.1 shard.2 shard.3 --format json
[ -s one.json ] && cmp -s one.json .stdout
check $? 'want the format that is asked for' merge --format json
for wrong in 0/2 3/2 1 1/0 a/b 1/2/3; do
    expect_error "sgdperf: --shard: '$wrong' is not I/N, with I from 1 to N" $sweep --shard $wrong \
        --journal j
done
expect_error 'sgdperf: --shard: needs --journal FILE*' $sweep --shard 1/2
expect_error 'sgdperf: --shard: there is only one task: remove the option' cluster --nodes 8 \
    --load 0.5 --min-jobs 300 --max-jobs 300 --shard 1/2 --journal none
# Standard input is read again, and notes are those of the whole.
grep -E '^dataset|,resnet50' "$root/validation/datasets/pytorch_ddp.csv" > rows.csv
stdin=rows.csv
launch validate -
kept one
for i in 1 2; do launch validate - --shard $i/2 --journal v.$i; done
launch merge v.1 v.2
kept other
holds 'want what one process prints' cmp -s one other
sed 's/resnet50/resnet-50/' rows.csv > others.csv
stdin=others.csv
expect_error 'sgdperf: v.1: the journal belongs to a run with other inputs' merge v.1 v.2
stdin=/dev/null

# ---- Signals: tasks that take minutes
long="$runs --steps 30000000 --runs 2"

# The processes whose parent is $1.
children() { ps -eo pid=,ppid= | awk -v parent="$1" '$2 == parent { print $1 }'; }

# start COUNT ARGUMENT...: the program with two children, at work for so many looks; sets
# $starter and $at_work.
start() {
    looks=$1
    shift
    rm -f journal
    "$program" "$@" --processes 2 --journal journal > .stdout 2> .stderr &
    starter=$!
    at_work=
    while [ "$(echo $at_work | wc -w)" -lt 2 ] || [ "$looks" -gt 0 ]; do
        kill -0 $starter 2> /dev/null || break
        at_work=$(children $starter)
        looks=$((looks - 1))
        sleep 0.02
    done
}

# gone PID...: within 5 s each; who is not is ended.
gone() {
    for pid; do
        tries=0
        while kill -0 "$pid" 2> /dev/null; do
            tries=$((tries + 1))
            if [ $tries -gt 250 ]; then
                kill -9 "$@" 2> /dev/null
                return 1
            fi
            sleep 0.02
        done
    done
}

# Below nohup a process is born deaf to SIGHUP, and stays so.
signals="TERM HUP KILL"
if [ -n "$(sh -c 'kill -HUP $$; echo ignored' 2> /dev/null)" ]; then
    echo 'skipped: SIGHUP is ignored here'
    signals="TERM KILL"
fi
if has ps; then
    for signal in $signals; do
        start 0 $long
        kill -$signal $starter
        wait $starter 2> /dev/null
        status=$?
        [ "$(echo $at_work | wc -w)" -eq 2 ] && [ $status -gt 128 ] && [ ! -s .stdout ] &&
            { [ $signal = KILL ] && [ "$(uname)" != Linux ] || gone $at_work; }
        check $? "want its end by SIG$signal, and of its children" $long
        stderr=$(cat .stderr)
        [ $signal = KILL ] || [ "$stderr" = 'sgdperf: ended by a signal: 0 of 2 runs are in journal, from which the same command continues' ]
        check $? 'want a line of how to go on' $long
        [ "$(uname)" = Linux ] || gone $at_work
    done
    # One of its children
    k=0
    while [ $k -lt "${PARALLEL_KILLS:-2}" ]; do
        k=$((k + 1))
        start $((k % 7)) $long
        kill -9 $(echo "$at_work" | sed -n $((k % 2 + 1))p)
        wait $starter
        status=$?
        stderr=$(cat .stderr)
        [ $status -eq 4 ] && [ ! -s .stdout ] && gone $at_work && matches "$stderr" \
            'sgdperf: runs: signal 9 ended the process with task * of 2; the finished work is in *'
        check $? 'want status 4 and a line' $long
    done
    # A run that goes on
    short="$runs --steps 2000 --runs 60 --format csv"
    launch $short
    mv .stdout one.out
    start 5 $short
    kill -9 $starter 2> /dev/null
    wait $starter 2> /dev/null
    expect_same 'want to go on' $short --journal journal
fi

cli_report parallel

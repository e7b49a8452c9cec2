# The program under mpirun: the same bytes as one process, whatever ranks do the work; a rank
# that dies, and a run that goes on from its journal. Needs `make mpi`: make mpi-test runs it.
#
# MPI_KILLS=100 kills as many ranks [3].
. tests/cli.sh
BUILD=${BUILD:-build}
case $BUILD in /*) parallel=$BUILD/sgdperf-mpi ;; *) parallel=$root/$BUILD/sgdperf-mpi ;; esac
mpirun=${MPIRUN:-mpirun --oversubscribe}
[ "$(id -u)" -ne 0 ] || mpirun="$mpirun --allow-run-as-root"
if ! $mpirun -n 1 true > /dev/null 2>&1; then
    echo 'skipped: no mpirun'
    cli_report mpi
fi

cp "$root/tests/data/two_steps.csv" trace.csv
cp "$root/tests/data/three_fc.csv" layers.csv

file jobs.csv <<'END'
job,forward_s,backward_s,update_s,model_bytes,bandwidth_bytes_per_s
a,0.01,0.02,0.004,4e6,1e9
b,0.02,0.03,0.004,8e6,1e9
c,0.03,0.04,0.004,9e6,1e9
END
awk 'BEGIN {
    print "job,arrival_s,nodes,run_s,walltime_s"
    for (i = 0; i < 800; i++)
        printf "%d,%d,%d,%d,%d\n", i, 60 * i, i * 7 % 12 + 1, i * 37 % 500 + 1, i * 37 % 500 + 200
}' > rigid.csv

# ranks N ARGUMENT...: status, and what is printed in the files .stdout and .stderr.
ranks() {
    n=$1
    shift
    # shellcheck disable=SC2086
    timeout 300 $mpirun -n "$n" "$parallel" "$@" < "$stdin" > .stdout 2> .stderr
    status=$?
    stdout=
    stderr=$(cat .stderr)
}

# The notes, without what mpirun says of an exit status that is not 0.
notes() { grep '^sgdperf: ' .stderr; }

# same ARGUMENT...: four ranks print what one process prints, notes and status among it.
same() {
    launch "$@"
    want=$status
    mv .stdout one.out
    notes > one.notes
    ranks 4 "$@"
    notes > ranks.notes
    [ -s one.out ] && cmp -s one.out .stdout && cmp -s one.notes ranks.notes &&
        [ "$status" -eq "$want" ]
    check $? "want what one process prints, and status $want" "$@"
}

# ---- Sweeps
sweep="cluster --nodes 20 --sweep 0.1:0.6:0.1 --min-jobs 2000 --max-jobs 3000"
runs="simulate trace.csv --workers 8 --mode async --bandwidth 1Gbps --service exponential"
same $sweep --format csv
same simulate trace.csv --sweep 1-30 --mode async --bandwidth 1Gbps --steps 200 --format csv
same $runs --steps 200 --runs 50 --format json
same plan layers.csv --machines 6,8 --cores 4 --c-muladd 1ns --c-nbw 10Gbps --n-sample 60000 \
    --format json --all
same calibrate "$root/validation/datasets/tcp_testbed.csv" --fit bandwidth --mode sync
same predict --mode async --model hybrid --profile jobs.csv --workers 1-60 --format csv
same cluster --nodes 32 --jobs rigid.csv --policies fcfs,easy,conservative --format csv
# A file of rows that are replayed, as standard input.
stdin=$root/validation/datasets/pytorch_ddp.csv
same validate - --rows --format csv
stdin=/dev/null

# ---- What is alike in all ranks, and files, which rank 0 alone writes
same $runs --steps 50 --format json
ranks 3 $runs --runs 4 --warmup 0 --timeline ranks.json
launch $runs --runs 4 --warmup 0 --timeline one.json
holds 'want the same timeline' cmp -s one.json ranks.json
holds 'want no temporary file' [ -z "$(find . -name '.sgdperf-*')" ]

# ---- Failures: one line, in whatever rank, and the status
ranks 3 cluster --nodes 20 --sweep 0.1:x:2
[ "$status" -eq 2 ] && [ "$(notes)" = "sgdperf: --sweep: 'x' is not a number" ]
check $? 'want one line' cluster --sweep 0.1:x:2
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,worker,1e308,,  > long.csv
ranks 3 simulate long.csv --sweep 1-20 --mode sync --bandwidth 1Gbps --steps 40 --warmup 0
[ "$status" -eq 2 ] && matches "$(notes)" 'sgdperf: simulate: the times of *' &&
    [ "$(notes | wc -l)" -eq 1 ]
check $? 'want one line, of the task that failed' simulate long.csv --sweep 1-20
ranks 3 $sweep --processes 2
[ "$status" -eq 2 ] && [ "$(notes | head -n 1)" = \
    'sgdperf: --processes: cannot be used under mpirun, which sets the number of processes' ]
check $? 'want one line' $sweep --processes 2
ranks 3 $sweep --shard 1/2 --journal part
[ "$status" -eq 2 ] && [ ! -e part ]
check $? 'want a refusal' $sweep --shard 1/2

# ---- A rank that dies, and a run that goes on

# The processes whose parent is $1.
children() { ps -eo pid=,ppid= | awk -v parent="$1" '$2 == parent { print $1 }'; }

# kill_one RANK BYTES ARGUMENT...: kills the RANK-th process of mpirun with SIGKILL once the
# journal has so many bytes; the status of mpirun.
kill_one() {
    rank=$1
    bytes=$2
    shift 2
    # shellcheck disable=SC2086
    $mpirun -n 4 "$parallel" "$@" --journal journal > .stdout 2> .stderr < /dev/null &
    starter=$!
    { sleep 120 && kill -9 $starter; } 2> /dev/null &  # a run that hangs is one that fails
    watch=$!
    while kill -0 $starter 2> /dev/null; do
        [ ! -e journal ] || [ "$(wc -c < journal)" -lt "$bytes" ] || break
        sleep 0.02
    done
    victim=$(children $starter | sed -n "${rank}p")
    [ -n "$victim" ] && kill -9 "$victim" 2> /dev/null
    wait $starter
    status=$?
    kill $(children $watch) $watch 2> /dev/null
    wait $watch 2> /dev/null
}

long="$runs --steps 1500 --runs 300 --format csv"
launch $long
mv .stdout one.out
kills=${MPI_KILLS:-3}
k=0
while [ $k -lt "$kills" ]; do
    k=$((k + 1))
    rm -f journal
    kill_one $((k % 4 + 1)) $((k * 7919 % 24000 + 500)) $long
    died=$status
    [ "$died" -ne 0 ] && [ ! -s .stdout ]
    check $? "want a status that is not 0, and nothing printed" $long "(rank $k)"
    was=$(wc -c < journal)
    if [ $((k % 2)) -eq 0 ]; then ranks 3 $long --journal journal
    else launch $long --journal journal; fi
    [ "$status" -eq 0 ] && cmp -s one.out .stdout && [ "$(wc -c < journal)" -ge $((was - 400)) ]
    check $? "want to go on from the journal" $long "(rank $k)"
done
# A journal of ranks is whole: nothing is done again, and it can be merged.
was=$(cksum < journal)
launch $long --journal journal
[ "$was" = "$(cksum < journal)" ] && cmp -s one.out .stdout
check $? 'want nothing done again' $long --journal journal
launch merge journal
holds 'want what one process prints' cmp -s one.out .stdout

cli_report mpi

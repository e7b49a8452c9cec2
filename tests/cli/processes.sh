# Commands that deal their work to processes, and print many rows on several: the same bytes,
# notes and status for any number of them. tests/cli/parallel.sh has journals and signals.
. tests/cli.sh

file jobs.csv <<'END'
job,forward_s,backward_s,update_s,model_bytes,bandwidth_bytes_per_s,batch
a,0.01,0.02,0.004,4e6,1e9,32
b,0.02,0.03,0.004,8e6,1e9,32
c,0.03,0.04,0.004,9e6,1e9,16
END
file cluster.csv <<'END'
worker,count,kind,speed,series,batch
a,3,cpu,100,1,60
b,3,cpu,50,,60
END
awk 'BEGIN {
    print "job,arrival_s,nodes,run_s,walltime_s"
    for (i = 0; i < 5500; i++)
        printf "%d,%d,%d,%d,%d\n", i, 150 * i, i * 7 % 12 + 1, i * 37 % 500 + 1, i * 37 % 500 + 200
}' > rigid.csv

# same STATUS ARGUMENT...: 1, 3 and, at full size, 2 and 5 processes print the same; leaves
# that in one.out.
same() {
    want=$1
    shift
    launch "$@" --processes 1
    was=$status
    mv .stdout one.out
    mv .stderr one.err
    for processes in 3 ${TEST_FULL:+2 5}; do
        launch "$@" --processes $processes
        [ "$was" -eq "$want" ] && [ "$status" -eq "$want" ] && [ -s one.out ] &&
            cmp -s one.out .stdout && cmp -s one.err .stderr
        check $? "want what one process prints, and status $want" "$@" --processes $processes
    done
}

times="--forward 10ms --backward 19ms --update 18ms --uplink 72ms --downlink 72ms"
types="--worker-type 9:10ms:20ms --worker-type 8:20ms:30ms --worker-type 7:5ms:5ms"

# ---- Points of predict and advise: parts of a curve, jobs, types
same 0 predict --mode async --model hybrid --profile jobs.csv --workers 1-60 --format csv
same 0 predict --mode async --overlap --workers 1-300 $times --elasticity --format json
same 0 predict --mode async --model exact $types --update 18ms --uplink 72ms --downlink 72ms \
    --elasticity
same 0 predict --mode sync --profile jobs.csv --workers 1-40 --format json
head -n 2 jobs.csv > job.csv
same 0 advise job.csv --mode async --model hybrid --workers 1-60 --steps 10000 \
    --offer a,2/h,1,1Gbps --offer b,3/h,0.5,2Gbps
# By layers: ways times workers
layers="--layers $root/validation/datasets/layers/pipedream/resnet50.csv --workers 1-16"
layers="$layers --bandwidth 1GB/s --latency 10us"
same 0 predict --mode allreduce $layers --sharding ddp,zero-1,fsdp --bucket 25MiB,auto --format csv
same 0 advise --mode allreduce $layers --steps 10000 --offer a,2/h,1,1Gbps --offer b,3/h,0.5,2Gbps
for i in 1 2; do launch predict --mode allreduce $layers --shard $i/2 --journal ways.$i; done
launch predict --mode allreduce $layers --format json
mv .stdout one.out
launch merge ways.1 ways.2 --format json
[ -s one.out ] && [ -s ways.2 ] && cmp -s one.out .stdout
check $? 'want what one process prints' merge ways.1 ways.2
# Elasticities of parts: a shard does some, merge prints all.
grid="predict --mode async --model hybrid --profile jobs.csv --workers 1-60 --elasticity"
launch $grid --format csv
mv .stdout one.out
for i in 1 2; do launch $grid --shard $i/2 --journal grid.$i; done
launch merge grid.1 grid.2 --format csv
[ -s one.out ] && cmp -s one.out .stdout
check $? 'want what one process prints' merge grid.1 grid.2

# ---- Rows, in pieces: the same as those of few, in their order
many="predict --mode async $times --workers"
for format in csv json table; do
    same 0 $many 1-9000 --format $format
done
same 0 predict --mode async --profile jobs.csv --workers 1-3000 --format table
launch $many 1-9000 --format csv --processes 3
head -n 1501 .stdout > first
launch $many 1-1500 --format csv
holds 'want the rows of a shorter curve' cmp -s first .stdout
launch $many 1-9000 --format json --processes 3
[ "$(tail -c 2 .stdout)" = '}' ] && [ "$(tr '{' '\n' < .stdout | grep -c '^"workers":')" -eq 9000 ]
check $? 'want all points' $many 1-9000 --format json
# Bad input, found behind the last point: nothing is printed
expect_error 'sgdperf: --workers: *' $many 1-9000,0 --processes 3
# Nobody reads: no message, no process left
for processes in 1 3; do
    { "$program" $many 1-20000 --processes $processes 2> .stderr; echo $? > ended; } | head -n 1 > line
    [ -s line ] && [ "$(cat ended)" -gt 128 ] && ! grep -v '^sgdperf: note:' .stderr
    check $? 'want its end by SIGPIPE' $many 1-20000 --processes $processes
done
if [ -c /dev/full ]; then
    for processes in 1 3; do
        "$program" $many 1-9000 --processes $processes > /dev/full 2> .stderr
        [ $? -eq 2 ] && [ "$(cat .stderr)" = \
            'sgdperf: cannot write the results to standard output' ]
        check $? 'want one line' $many 1-9000 --processes $processes
    done
fi

# ---- Policies of rigid jobs, and others beside them; schemes
same 0 cluster --nodes 32 --jobs rigid.csv --policies fcfs,easy,conservative,sjf --format csv
same 0 cluster --nodes 32 --jobs rigid.csv --policies easy,hell --curves linear --format json
for i in 1 2; do
    launch cluster --nodes 32 --jobs rigid.csv --policies easy,hell --curves linear --format json \
        --shard $i/2 --journal part.$i
done
launch merge part.1 part.2
holds 'want what one process prints' cmp -s one.out .stdout
iterations=${TEST_FULL:+10000}
iterations=${iterations:-3000}
same 0 balance run cluster.csv --iterations $iterations --per-worker
same 0 balance run cluster.csv --iterations $iterations --scheme asp,bsp,lbbsp --row 2s --format json

cli_report processes

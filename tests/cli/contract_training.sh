# What the design document calls options of training, by hand: backup workers, machines of CPUs
# beside workers, jobs that share a network.
. tests/cli.sh

# expect_step VALUE ARGUMENT...: the step of the last point, to 1e-9 of it.
expect_step() {
    want=$1
    shift
    run "$@" --format csv
    got=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "step_s") at = i; next }
                   { last = $at } END { print last }' .stdout)
    [ "$status" -eq 0 ] &&
        awk -v g="$got" -v w="$want" 'BEGIN { d = g - w; exit !(d <= 1e-9 * w && -d <= 1e-9 * w) }'
    check $? "want step_s $want, got $got" "$@"
}

# ---- Backup workers: 2 s of transfers each way for 10, and 3 s (1/10 + 1/9 + ... + 1/3)
sync='predict --mode sync --model ps --forward 1 --backward 2 --update 0.5 --model-size 2 --bandwidth 10'
exponential='--vary 1 --vary-shape exponential'
expect_step 13.2869047619047619 $sync --workers 10 $exponential
expect_step 8.7869047619047619 $sync --workers 10 $exponential --backup 2
expect_step 4.8 $sync --workers 10 $exponential --backup 9
expect_step 7.5 $sync --workers 10 --backup 2
expect_stdout 'sync, model average (by auto)*' predict --mode sync --workers 4 --forward 1 --backward 1 \
    --update 0 --model-size 1 --bandwidth 1 --vary 0.2 --backup 1
expect_note '*note: --backup without --vary*' $sync --workers 4 --backup 1
expect_note '*note: --backup: model average replaces model staggered*' \
    predict --mode sync --workers 4 --forward 1 --backward 1 --update 0 --model-size 1 --bandwidth 1 \
    --vary 0.2 --backup 1
expect_error "sgdperf: --backup: '4' leaves none of 3 workers: give a smaller number" $sync --workers 3,8 --backup 4
expect_error 'sgdperf: --backup: needs --mode sync or allreduce' \
    predict --mode async --workers 4 --forward 1 --backward 1 --update 0 --model-size 1 --bandwidth 1 --backup 1
# The ring has all ten workers: 2 9/10 8/2, and 3 (1/10 + ... + 1/3) s of computing.
allreduce='predict --mode allreduce --forward 1 --backward 2 --model-size 8 --bandwidth 2'
expect_step 11.4869047619047619 $allreduce --workers 10 $exponential --backup 2
expect_step 10.2 $allreduce --workers 10 --backup 2
expect_note '*note: intervals are missing: training with backup workers was not measured*' \
    $allreduce --workers 10 $exponential --backup 2
expect_none '*intervals are missing*' $allreduce --workers 10 $exponential
expect_note '*note: intervals are missing: a job with a stated overlap over declared links*' \
    $allreduce --workers 10 --overlap --inputs declared --notes
expect_error 'sgdperf: --backup: cannot be combined with --model staggered' \
    predict --mode sync --model staggered --workers 4 --forward 1 --backward 1 --update 0 \
    --model-size 1 --bandwidth 1 --backup 1
expect_error 'sgdperf: --gpus: cannot be combined with --backup' $sync --workers 4 --backup 1 --gpus 2

# ---- BytePS: no machine beside is the ring, as many as workers M/B and two messages
ring='predict --mode allreduce --workers 4 --forward 1 --backward 2 --model-size 8 --bandwidth 2'
expect_step 9 $ring
expect_step 9 $ring --cpu-machines 0
expect_step 7 $ring --cpu-machines 4
expect_step 7.2 $ring --cpu-machines 4 --latency 0.1
expect_step 7.8 $ring --cpu-machines 2
expect_note '*note: intervals are missing: training with machines that only sum *' $ring --cpu-machines 2
expect_error 'sgdperf: --cpu-machines: cannot be combined with --model doubling' $ring --model doubling --cpu-machines 2
expect_error 'sgdperf: --cpu-machines: needs --mode allreduce' $sync --workers 2 --cpu-machines 2

# ---- Jobs on one network
expect_error 'sgdperf: --jobs-on-network: needs --mode allreduce' $sync --workers 2 --jobs-on-network 2
file three.csv <<'END'
layer,bytes,forward_s,backward_s,update_s,tensors
0,4,1,1,0.5,4
END
expect_error 'sgdperf: --jobs-on-network: cannot be combined with --layers' \
    predict --mode allreduce --layers three.csv --workers 2 --bandwidth 1B/s --jobs-on-network 2

# ---- Names of logs: those of the design document, and what the readers call them
for format in slurm:sacct pollux:sia columns:csv; do
    run cluster --nodes 4 --policy easy --jobs three.csv --trace-format ${format#*:}
    same=$(echo "$stderr" | sed "s/format ${format#*:}/format ${format%:*}/")
    run cluster --nodes 4 --policy easy --jobs three.csv --trace-format ${format%:*}
    [ "$status" -eq 2 ] && [ "$stderr" = "$same" ]
    check $? "want the same as of ${format#*:}: $same" --trace-format ${format%:*}
done
cli_report contract_training

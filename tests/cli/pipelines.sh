# validation/pipelines.sh: vTrain's rows are met as far as FINDINGS.md says.
. tests/cli.sh
SGDPERF=$program
export SGDPERF

# script WANT ARGUMENT...: a table whose row `head` matches.
script() {
    want=$1
    shift
    stdout=$(sh "$root/validation/pipelines.sh" "$@" 2> .stderr < /dev/null)
    status=$?
    stderr=$(cat .stderr)
    [ "$status" -eq 0 ] && [ -z "$stderr" ] && matches "$stdout" "$want"
    check $? "want $want" pipelines.sh "$@"
}

[ -z "${TEST_FULL:-}" ] || script '*head * 720 * 1.17 * 6.17*equal * 720 * 8.71 * 33.69'
script '*head * 360 * 1.13 * 5.08*equal * 360 * 8.43 * 28.71' left-out
script '*vtrain * equal * 48 * 5.03 * 25.61*head * 48 * 8.18*line * 6 * 1.29 *simumax * 6 * 5.97*' measured

# advise finds what predict prints for the best of all splits: layers and links at random.
splits=1,2,4
runs=4
[ -z "${TEST_FULL:-}" ] || runs=60
seed=0
while [ $seed -lt "$runs" ]; do
    seed=$((seed + 1))
    awk -v seed=$seed 'BEGIN {
        srand(seed); rand()
        print "layer,bytes,tensors,forward_s,backward_s,update_s,activations_bytes,output_bytes,group"
        n = 4 + int(8 * rand())
        for (i = 1; i <= n; i++) {
            b = 4000 * (1 + int(9000 * rand())); f = rand(); r = rand()
            for (t = 1; t <= 2; t++)
                printf "t%d,%d,%d,%.9g,%.9g,0.001,%d,%d,%d\n", i, b, b, 0.01 * f / t,
                    0.02 * f * r / t, 1e6 * r, 1e6, t > ("group" t)
        } }' > head
    cat head group1 group2 > layers.csv
    links="--mode allreduce --bandwidth $((1 + seed % 7))Gbps --latency 20us --workers 8 --memory 150MB"
    [ $((seed % 2)) -eq 0 ] && links="$links --gpus 4 --local-bandwidth 20GB/s"
    : > points
    for group in 1 2; do
        for sharding in ddp zero-1; do
            "$program" predict --layers layers.csv --pipeline $splits --accumulate 1,4 $links \
                --group $group --sharding $sharding --format csv 2> .stderr > part
            awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                $at["fits"] == "yes" { print $at["batches_per_s"] }' part >> points
        done
    done
    want=$(awk '$1 + 0 > most { most = $1 + 0; text = $1 } END { print text }' points)
    [ -z "$want" ] || expect_number batches_per_s "$want" 1e-9 advise layers.csv $links \
        --pipeline $splits --accumulate 1,4
done

sh "$root/validation/pipelines.sh" none > .stdout 2> .stderr
status=$?
stdout=$(cat .stdout)
stderr=$(cat .stderr)
[ "$status" -eq 2 ] && matches "$stderr" 'usage: *'
check $? 'want the usage' pipelines.sh none
cli_report pipelines

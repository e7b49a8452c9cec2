# Layer-wise exchange as B-Caffe measured it: the wait-free backward pass of GoogLeNet, in which a
# layer's gradients are exchanged as soon as they are there, one layer at a time.
. tests/cli.sh

table=$root/validation/layers/bcaffe_googlenet.csv
# trace NODES: uplink bytes are microseconds of a measured exchange, to be sent at 1e6 B/s.
trace() {
    awk -F, -v nodes="$1" '
        /^#/ { next }
        !seen { seen = 1; for (i = 1; i <= NF; i++) column[$i] = i; next }
        { backward[n] = $column["bwd_us_" nodes "nodes"]
          exchange[n++] = $column["comm_us_" nodes "nodes"] }
        END {
            print "step,op,resource,duration_s,bytes,waits_for"
            for (i = 0; i < n; i++) {
                printf "0,%d,worker,%.9f,,%s\n", i, backward[n - 1 - i] / 1e6, (i > 0 ? i - 1 : "")
                printf "0,%d,uplink,,%.3f,%d\n", n + i, exchange[n - 1 - i], i
            }
        }' "$table" > "nodes$1.csv"
}
# The time of one step from the throughput; within 10 % of the reference, and that of the
# recursion end = max(end, backward) + exchange to rounding.
expect_step() {
    trace "$1"
    expect_number batches_per_s "$(awk -v ms="$2" 'BEGIN { printf "%.17g", 1e3 / ms }')" 0.1 \
        simulate "nodes$1.csv" --workers 1 --mode sync --bandwidth 1MB/s --steps 20 --warmup 5
    exact=$(awk -F, '
        $3 == "worker" { ready[$2] = done += $4 }
        $3 == "uplink" { end = (end > ready[$6] ? end : ready[$6]) + $5 / 1e6 }
        END { printf "%.17g", 1 / end }' "nodes$1.csv")
    expect_number batches_per_s "$exact" 1e-9 \
        simulate "nodes$1.csv" --workers 1 --mode sync --bandwidth 1MB/s --steps 20 --warmup 5
}
if [ -f "$table" ]; then
    expect_step 2 201
    expect_step 4 262
    expect_step 8 311
fi
cli_report bcaffe

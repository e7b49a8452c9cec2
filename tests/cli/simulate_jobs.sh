# sgdperf simulate --jobs and cluster --network-sharing: jobs of tests/jobs.py, by hand, measured
# jobs, bad input.
. tests/cli.sh

# ---- Against simulations of their own
if command -v python3 > /dev/null; then
    python3 "$root/tests/jobs.py" "$program" "$([ -n "${TEST_FULL:-}" ] && echo 40 || echo 3)" \
        > .said 2>&1
    status=$? stdout=$(cat .said) stderr=
    check $status 'want the rates of tests/jobs.py'
fi

# ---- By hand: exchanges of 1 s on a ring of two beside computation of 1 s, in turn; alone 2 s
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,worker,1,, 0,1,uplink,,1,0 > ring.csv
printf '%s\n' job,trace,mode,workers one,ring.csv,allreduce,2 > one.csv
jobs='simulate --bandwidth 1B/s --warmup 0 --jobs'
expect_number batches_per_s 1 1e-12 $jobs one.csv
and_number slowdown 1 0
# Both at once: each exchange takes 2 s, or in turn 1 s beside the other's computation.
printf '%s\n' two,ring.csv,allreduce,2 | cat one.csv - > two.csv
expect_number step_s 3 1e-12 $jobs two.csv
and_number slowdown 1.5 1e-12
expect_number step_s 2 1e-12 $jobs two.csv --link fcfs
# On machines of their own they do not meet.
sed 's/op,resource,/op,resource,server,/; s/worker,/worker,0,/; s/uplink,/uplink,1,/' ring.csv > far.csv
printf '%s\n' two,far.csv,allreduce,2 | cat one.csv - > apart.csv
expect_number slowdown 1 1e-12 $jobs apart.csv --servers 2 --link fcfs
# ---- Two jobs of the testbed: validation/datasets/testbed.csv and testbed_unseen.csv
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,worker,0.01,, 0,1,uplink,,4e6,0 > ring.csv
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,downlink,,2097152, \
    0,1,worker,0.007,,0 0,2,uplink,,2097152,1 0,3,server,0.004,,2 > async.csv
measured() {
    printf '%s\n' job,trace,mode,workers "a,$1.csv,$2,$3" "b,$1.csv,$2,$3" > jobs.csv
    expect_number batches_per_s "$4" "$5" simulate --jobs jobs.csv --bandwidth 117685000B/s \
        --link tcp --updates queued
}
measured ring allreduce 3 32.5902 0.05
measured async async 4 24.5589 0.02
measured async async 2 21.0945 0.07

# ---- A cluster: alone for 5 s, then with a partner, by the sum over the states of the network
printf '%s\n' curve,nodes,throughput,network_share a,1,1,0 a,2,2,0.6 > curves.csv
printf '%s\n' job,arrival_s,size,curve first,0,20,a second,5,20,a > jobs.csv
shared='cluster --nodes 4 --curves curves.csv --network-sharing --policy equal --max-nodes 2'
expect_number completion_s 11.8 1e-12 $shared --jobs jobs.csv
printf '%s\n' job,arrival_s,size first,0,20 > jobs.csv
expect_error "sgdperf: --network-sharing: needs a table of --curves with the column network_share, not linear" \
    cluster --nodes 4 --jobs jobs.csv --curves linear --network-sharing
cli_report simulate_jobs

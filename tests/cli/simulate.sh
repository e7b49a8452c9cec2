# sgdperf simulate: closed forms by hand, the interface, the timeline, bad input.
. tests/cli.sh

# M/B = 0.25 s, forward 0.125 s, backward 0.375 s, update 0.0625 s.
head=step,op,resource,server,duration_s,bytes,waits_for,name
file trace.csv <<END
# a coarse step
$head
0,0,downlink,0,,25000000,,model
0,1,worker,0,0.125,,0,forward
0,2,worker,0,0.375,,1,backward
0,3,uplink,0,,25000000,2,"gradients, all"
0,4,server,0,0.0625,,3,update
END
sim="--bandwidth 100MB/s --warmup 0 --steps 8"
three="simulate trace.csv --workers 3 $sim"

# ---- Closed forms [LPGLY22]: eq. 7, 8, their mean, 11 (with the update)
expect_number makespan_s 16.5 1e-12 $three --mode sync
expect_number batches_per_s 1.4545454545454546 1e-12 $three --mode sync --link ps
expect_number makespan_s 12.5 1e-12 $three --mode sync --link fcfs
expect_number batches_per_s 1.92 1e-12 $three --mode sync --link fcfs
expect_number batches_per_s 1.6872727272727273 1e-12 $three --mode sync --link average
expect_number makespan_s 14.5 1e-12 $three --mode sync --link average
expect_number events 240 0 $three --mode sync --link average
expect_number batches_per_s 3.3488372093023258 1e-12 $three --mode allreduce
expect_number makespan_s 16.5 1e-12 $three --mode async
expect_number makespan_s 8.5 1e-12 simulate trace.csv --workers 1 $sim --mode async
expect_number batches_per_s 0.94117647058823528 1e-12 \
    simulate trace.csv --workers 1 --steps 8 --warmup 3 --mode async --bandwidth 800Mbps
expect_number events 120 0 $three --mode async
expect_stdout '*"examples_per_s":null,*' $three --mode sync --format json
expect_number examples_per_s 93.090909090909093 1e-12 $three --mode sync --batch 64
expect_number 'utilization":[^}]*"uplink' 0.36363636363636365 1e-12 $three --mode sync
expect_number 'utilization":[^}]*"worker' 0.24242424242424243 1e-12 $three --mode sync
expect_number 'utilization":[^}]*"server' 0.030303030303030304 1e-12 $three --mode sync
expect_number computing_share 0.24242424242424243 1e-12 $three --mode sync
expect_number 'waiting_share":.*"downlink' 0.36363636363636365 1e-12 $three --mode sync
expect_number 'waiting_share":.*"barrier' 0.16 1e-12 $three --mode sync --link fcfs

# ---- Options, one worker by hand: 1.0625 s a step
one="simulate trace.csv --workers 1 $sim --mode async"
expect_number makespan_s 12.5 1e-12 $one --flow-cap 50MB/s
expect_number makespan_s 8.5 1e-12 $one --flow-cap 1GB/s
expect_number makespan_s 16.5 1e-12 $one --overhead 0,0.5
expect_number makespan_s 16.5 1e-12 $one --overhead 0s,500ms
expect_number makespan_s 12.5 1e-12 $one --overhead 10ns,0
expect_number makespan_s 10.5 1e-12 $one --overhead 1e-8,-125ms
expect_number events 56 0 $one --overhead 0,0.5
expect_number makespan_s 8.5 1e-12 $one --http2-window 5MB
expect_number events 56 0 $one --http2-window 5MB
expect_number events 40 0 $one --http2-window 25MB

# Transfers that arrive late: two in a step, 2 (K-1) messages on a ring. An idle link's worth.
expect_number makespan_s 10.5 1e-12 $one --delay 125ms
expect_number makespan_s 8.5 1e-12 $one --delay 0
expect_number 'waiting_share":.*"uplink' 0.2857142857142857 1e-12 $one --delay 125ms
expect_number batches_per_s 2.7376425855513309 1e-12 $three --mode allreduce --delay 50ms

# A worker's own link, which its transfers to two servers share; a ring is as fast as it.
file two.csv <<END
$head
0,0,downlink,0,,25000000,,
0,1,downlink,1,,25000000,,
0,2,worker,0,0.5,,0 1,
0,3,uplink,0,,25000000,2,
0,4,uplink,1,,25000000,2,
END
two="simulate two.csv --workers 1 $sim --mode async --servers 2"
expect_number makespan_s 12 1e-12 $two
expect_number makespan_s 8 1e-12 $two --two-ps unit
expect_number makespan_s 12 1e-12 $two --worker-bandwidth 100MB/s
expect_number makespan_s 8 1e-12 $two --worker-bandwidth 200MB/s
expect_number makespan_s 20 1e-12 $two --worker-bandwidth 50MB/s
for link in 'fcfs' 'tcp --tcp-spread 0'; do
    expect_number makespan_s 8 1e-12 $two --link $link
    expect_number makespan_s 12 1e-12 $two --link $link --worker-bandwidth 100MB/s
    expect_number makespan_s 20 1e-12 $two --link $link --flow-cap 25MB/s
done
expect_number makespan_s 12.5 1e-12 $one --worker-bandwidth 50MB/s
expect_number batches_per_s 2.4406779661016949 1e-12 $three --mode allreduce --flow-cap 50MB/s
expect_number batches_per_s 2.4406779661016949 1e-12 \
    $three --mode allreduce --link tcp --worker-bandwidth 50MB/s
expect_number makespan_s 12 1e-12 \
    simulate two.csv two.csv --workers 1,1 $sim --mode sync --servers 2 --worker-bandwidth 1GB/s,100MB/s

# Staggered starts: one worker's steps are as long, and begin later; with two, which have the
# same steps, it decides whether they meet.
expect_number batches_per_s 0.94117647058823528 1e-12 simulate trace.csv --workers 1 --steps 8 \
    --warmup 1 --mode async --bandwidth 800Mbps --stagger 5
run $one --stagger 5 --format json
printf '%s\n' "$stdout" | awk 'match($0, /"makespan_s":[0-9.]+/) {
    m = substr($0, RSTART + 13, RLENGTH - 13) + 0; exit !(m > 8.5 && m < 13.5) }'
check $? 'want a start within 5 s' $one --stagger 5

# The order is of a worker that starts at once.
expect_stdout '*order reverse: a step of one worker takes 1.0625 s, 1.0625 s without*' \
    $one --order reverse --stagger 5
expect_number batches_per_s 1 1e-12 simulate two.csv --sweep 1 --warmup 0 --steps 8 \
    --mode async --servers 2 --bandwidth 1GB/s --worker-bandwidth 200MB/s

# Two rates: workers whose updates queue stay in step or take turns, as they started.
"$program" trace-from-layers "$root/validation/datasets/layers/tcp_testbed_vgg.csv" \
    --vary 0.05 > vary.csv
apart="simulate vary.csv --workers 3 --mode async --bandwidth 940Mbps --updates queued
    --stagger 150ms --steps 60 --warmup 15 --window steady"
run $apart --runs 20
printf '%s\n' "$stdout" | awk '/^two rates with 3 workers:/ { found = $6 > 6 && $6 < 7.5 &&
    $11 > 12 && $11 < 14.1 && $9 + $13 == 20 && $9 > 3 && $13 > 3 } END { exit !found }'
check $? 'want two rates' $apart --runs 20
expect_stdout '*"rates":\[{"batches_per_s":*,"runs":*},{"batches_per_s":*,"runs":*}\]*' \
    $apart --runs 20 --format json
expect_note '*note: workers stay in lockstep, *' \
    simulate vary.csv --workers 3 --mode async --bandwidth 940Mbps --updates queued --steps 60
expect_none '*note: workers keep in step*' \
    simulate vary.csv --workers 3 --mode async --bandwidth 940Mbps --link tcp --updates queued \
    --steps 60
# Workers that wait for nobody but a long path are not held by each other.
expect_none '*note: workers keep in step*' \
    simulate vary.csv --workers 3 --mode async --bandwidth 100Gbps --delay 1s --steps 60
expect_stdout '*"rates":\[{"batches_per_s":*,"runs":10}\]*' $three --mode sync --runs 10 --format json
expect_none '*"rates"*' $three --mode sync --runs 9 --format json

# Streams of TCP. One download against two uploads, 1 s each, has sqrt(1/2) of its link, and
# without its two effects --link tcp is ps.
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,uplink,,1, > up.csv
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,downlink,,2, > down.csv
against="simulate up.csv down.csv --workers 2,1 --steps 1 --warmup 0 --bandwidth 1 --mode async"
expect_number makespan_s 2 1e-12 $against
expect_number makespan_s 2.5857864376269051 1e-12 $against --link tcp --tcp-spread 0
expect_number makespan_s 3 1e-12 $against --link tcp --tcp-spread 0 --tcp-two-way 1
expect_number makespan_s 2 1e-12 $against --link tcp --tcp-spread 0 --tcp-two-way 0
expect_number makespan_s 8.5 1e-12 $one --link tcp
expect_number makespan_s 16.5 1e-12 $three --mode sync --link tcp --tcp-spread 0
expect_number makespan_s 16.5 1e-12 $three --mode async --link tcp --tcp-spread 0
expect_stdout '*"link":"tcp"*' $three --mode sync --link tcp --format json
run $three --mode async --link tcp --format csv
first=$stdout
run $three --mode async --link tcp --tcp-two-way 0.5 --tcp-spread 0.2 --format csv
[ "$status" -eq 0 ] && [ "$stdout" = "$first" ]
check $? 'want the defaults' $three --mode async --link tcp
run $three --mode async --link tcp --seed 2 --format csv
holds 'want other weights' [ "$stdout" != "$first" ]

# Two types: 0.5 s of compute, and 1 s. Both down at 0.5; up at 1.25 and 1.75; update.
sed 's/0.375/0.875/' trace.csv > slow.csv
both="simulate trace.csv slow.csv --workers 1,1 $sim"
expect_number makespan_s 14.5 1e-12 $both --mode sync
expect_number 'types":.*"computing_share' 0.55172413793103448 1e-12 $both --mode sync
expect_stdout '*"trace":"trace.csv","workers":2,*"trace":"slow.csv","workers":1,*' \
    simulate trace.csv slow.csv --workers 2,1 $sim --mode sync --format json

# Two servers: both transfers of a lone worker at once.
file two.csv <<END
$head
0,0,downlink,0,,25000000,,
0,1,downlink,1,,25000000,,
0,2,worker,,0.5,,0 1,
END
two="simulate two.csv --servers 2 --workers 1 $sim --mode async"
expect_number makespan_s 8 1e-12 $two
expect_number makespan_s 8 1e-12 $two --two-ps half
expect_number makespan_s 6 1e-12 $two --two-ps unit

# Updates of two workers on separate cores, or one after the other.
file update.csv <<'END'
step,op,resource,duration_s,bytes,waits_for
0,0,server,0.5,,
END
update="simulate update.csv --workers 2 $sim --mode sync"
expect_number makespan_s 4 1e-12 $update
expect_number makespan_s 4 1e-12 $update --updates separate
expect_number makespan_s 8 1e-12 $update --updates queued
expect_number 'utilization":[^}]*"server' 1 1e-12 $update --updates queued
expect_number makespan_s 8 1e-12 $update --updates shared
expect_stdout '*"step_ends_s":[[][[]0.5,1.5,*' $update --updates queued --step-ends --format json
expect_stdout '*"step_ends_s":[[][[]1,2,*' $update --updates shared --step-ends --format json
expect_number makespan_s 8 1e-12 $update --updates shared --flow-cap 0.5

# What the cap leaves of an FCFS link: eq. 8 with 0.5 s a transfer, or both side by side.
capped="simulate trace.csv --workers 2 $sim --mode sync --link fcfs --flow-cap 50MB/s"
expect_number makespan_s 16.5 1e-12 $capped
expect_number makespan_s 12.5 1e-12 $capped --fcfs-spill

# Steps of 1 s and of 4 s: the window closes at the end, or when the first is through.
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,worker,1,, > s1.csv
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,worker,4,, > s4.csv
window="simulate s1.csv s4.csv --workers 1,1 --steps 3 --warmup 0 --mode async --bandwidth 1"
expect_number batches_per_s 0.5 1e-12 $window
expect_number batches_per_s 0.5 1e-12 $window --window total
expect_number batches_per_s 1 1e-12 $window --window steady

# Order: the upload waits for op 1, which goes first or second.
file order.csv <<'END'
step,op,resource,duration_s,bytes,waits_for
0,0,worker,1,,
0,1,worker,2,,
0,2,uplink,,25000000,1
END
order="simulate order.csv --workers 1 --mode async --bandwidth 100MB/s --steps 1 --warmup 0"
printf '1\n0\n' > numbers
printf '# first\nop\n1\n' > named.csv
expect_number makespan_s 3.25 1e-12 $order
expect_number makespan_s 3 1e-12 $order --order numbers
expect_number makespan_s 3 1e-12 $order --order named.csv
printf '0' > numbers
expect_number makespan_s 3.25 1e-12 $order --order numbers

# Sequence: steps of 1 s and of 3 s, rows of the trace in any order.
file steps.csv <<'END'
name,waits_for,bytes,op,step,resource,duration_s
b,0,,1,1,worker,1
a,,,0,0,worker,1
a,,,0,1,worker,2
END
printf 'worker,k,step\n0,0,1\n0,1,0\n1,1,1\n1,0,0\n' > sequence.csv
sequence="simulate steps.csv --workers 2 --mode async --bandwidth 1 --steps 2 --warmup 0"
expect_stdout '*"step_ends_s":[[][[]3,4],[[]1,4]]}' \
    $sequence --sequence sequence.csv --step-ends --format json
expect_stdout 'worker,step,end_s
0,0,3
0,1,4
1,0,1
1,1,4' $sequence --sequence sequence.csv --step-ends --format csv
expect_stdout '*ends of steps
worker  step  end_s
     0     0      3
*' $sequence --sequence sequence.csv --step-ends
printf 'worker,k,step\n' > none.csv
expect_status 0 $sequence --sequence none.csv

# Exchanges of a ring without a latency: the more of them the better, which is said.
file ring.csv <<'END'
step,op,resource,duration_s,bytes,waits_for
0,0,worker,0.5,,
0,1,uplink,,1000000,0
0,2,uplink,,1000000,0
END
ring="simulate ring.csv --mode allreduce --bandwidth 100MB/s --steps 20 --warmup 0"
expect_note '*note: the 2 exchanges of a step have no latency, so small buckets look too fast: *--delay*' \
    $ring --workers 2
expect_none '*buckets*' $ring --workers 2 --delay 1ms

# ---- The interface
expect_stdout '{"status":"ok","mode":"sync","link":"ps","workers":3,"steps":8,"warmup":0,"batches_per_s":*,"examples_per_s":*,"makespan_s":16.5,"events":120,"seed":7,"runs":1,"ci95_half_width":null,"bottleneck":"uplink","utilization":{"worker":*,"uplink":*,"server":*,"downlink":*},"contended":{"uplink":*,"server":*,"downlink":*},"types":[[]{"trace":"trace.csv","workers":3,"computing_share":*,"waiting_share":{"downlink":*,"uplink":*,"server":*,"barrier":*}}]}' \
    $three --mode sync --seed 7 --format json
expect_stdout '*"link":"ring"*' $three --mode allreduce --format json
expect_stdout 'sync, link ps, 3 workers, 8 steps each
batches_per_s  ci95_half_width *
*utilization
*worker *uplink *server *downlink
*trace *workers *computing *barrier
trace.csv        3 *' $three --mode sync
expect_stdout 'batches_per_s,examples_per_s,ci95_half_width,makespan_s,events,seed,bottleneck,utilization_worker,utilization_uplink,utilization_server,utilization_downlink,contended_uplink,contended_server,contended_downlink,status
1.45*,,,16.5,120,1,uplink,*,ok' $three --mode sync --format csv
stdin=trace.csv
expect_stdout '*"trace":"stdin"*' simulate - --workers 3 $sim --mode sync --format json
stdin=/dev/null

# Same seed, same bits; replications draw anew and have an interval.
random="simulate steps.csv --workers 4 --mode async --bandwidth 1 --steps 50 --format json"
run $random
first=$stdout
expect_stdout "$(printf '%s' "$first" | sed 's/[[]/[[]/g')" $random --seed 1
run $random --seed 2
holds 'want other draws' [ "$stdout" != "$first" ]
run $random --runs 5
! matches "$stderr" '*wider than the mean*' &&
    matches "$stdout" '*"runs":5,"ci95_half_width":0.*' && ! matches "$stdout" '*"batches_per_s":0,*'
check $? 'want an interval' $random --runs 5
exponential="simulate trace.csv --workers 2 --mode async --bandwidth 100MB/s --service exponential"
expect_stdout '*"ci95_half_width":0.0*' $exponential --runs 10 --format json
# Nothing is drawn: all runs are equal, and an interval would say nothing.
fixed='*"events":360,*"ci95_half_width":null,*'
expect_stdout "$fixed" $three --mode sync --runs 3 --format json
expect_stdout '*"runs":3,"ci95_half_width":null,*' simulate up.csv down.csv --workers 2,1 \
    --steps 1 --warmup 0 --bandwidth 1 --mode async --link tcp --tcp-spread 0 --runs 3 --format json
{ cat trace.csv; sed -n 's/^0,/1,/p' trace.csv; } > alike.csv
alike="simulate alike.csv --workers 3 $sim --mode sync"
expect_stdout "$fixed" $alike --runs 3 --format json
{ cat trace.csv; sed -n 's/^0,\(.*\)0.125/1,\10.25/p; s/^0,/1,/p' trace.csv | sort -u -t, -k1,2; } > varied.csv
varied="simulate varied.csv --workers 3 $sim --mode sync --runs 3 --format json"
expect_stdout '*"runs":3,"ci95_half_width":0.*' $varied
awk 'BEGIN { print "worker,k,step"
    for (w = 0; w < 3; w++) for (k = 0; k < 8; k++) print w "," k "," k % 2 }' > fixed.csv
expect_stdout '*"ci95_half_width":null,*' $varied --sequence fixed.csv
head -n 4 fixed.csv > open.csv
expect_stdout '*"ci95_half_width":0.*' $varied --sequence open.csv

# The warm-up: warned about below 5 steps a worker, refused where nothing is left.
warns() {
    want=$1
    shift
    run "$@"
    [ "$status" -eq 0 ] && matches "$stderr" "$want"
    check $? "want stderr $want" "$@"
}
base="simulate trace.csv --workers 2 --mode sync --bandwidth 1GB/s --steps 10"
warns 'sgdperf: note: --warmup 8 is fewer than 5 step completions per worker, so the start of the run still counts: use --warmup *' $base --warmup 8
warns '' $base --warmup 10
warns 'sgdperf: note: --warmup 0 is fewer than 5 step completions per worker, so the start of the run still counts: use --warmup *' $base --warmup 0
warns 'sgdperf: note: --warmup 2 is fewer than 5 step completions per worker, so the start of the run still counts: use --warmup *' $base --warmup 2 --step-ends
warns '' $base --warmup 0 --step-ends
warns '' $base --warmup 0 --timeline out.json
expect_number batches_per_s 2 1e-12 simulate s1.csv --workers 2 --mode sync --bandwidth 1 \
    --steps 10 --warmup 10
expect_error 'sgdperf: --warmup: 50, the default, is not below the 20 step completions of the run, so none counts: *' $base
expect_error 'sgdperf: --warmup: 20 is not below*' $base --warmup 20
none='sgdperf: simulate: the warm-up leaves no time to measure'
expect_error "$none" $base --warmup 19
expect_error "$none" simulate s1.csv s4.csv --workers 1,1 --steps 3 --warmup 4 --window steady \
    --mode async --bandwidth 1
expect_error 'sgdperf: simulate: the times of --steps 1000 add up to more than a number can hold; *trace.csv:* bytes at 1e-300 B/s, --bandwidth' \
    simulate trace.csv --workers 2 --mode sync \
    --bandwidth 1e-300 --warmup 10
# Times near the largest number: their means are finite, and what is not is refused.
printf '%s\n' "$head" 0,0,worker,,1e308,,, > huge.csv
huge="simulate huge.csv --mode async --bandwidth 1 --steps 1 --warmup 0"
expect_number makespan_s 1e308 1e-12 $huge --workers 1 --runs 3
expect_error 'sgdperf: simulate: the times of --steps 1 add up *the longest: huge.csv:2 takes 1e+308 s' \
    $huge --workers 2

# The default warm-up of synchronous workers ends with a step of all of them: 7 workers need
# 7 (0.25 + 0.25) + 0.5 + 0.0625 s a step, or 12/7 0.25 + 0.5625 s over a ring.
seven="simulate trace.csv --workers 7 --bandwidth 100MB/s --steps 100"
expect_number batches_per_s 1.7230769230769232 1e-12 $seven --mode sync
expect_number batches_per_s 7.0630630630630629 1e-12 $seven --mode allreduce
expect_stdout '*"steps":100,"warmup":56,*' $seven --mode sync --format json
expect_stdout '*"steps":100,"warmup":50,*' $seven --mode async --format json
expect_stdout '*"warmup":50,*"warmup":51,*' \
    simulate trace.csv --sweep 2,3 --mode sync --bandwidth 1B/s --format json
# Up to the last step, where no other is left; and one that was given stays.
expect_number warmup 40 0 simulate trace.csv --workers 40 --mode sync --bandwidth 1GB/s --steps 2
expect_number warmup 50 0 $seven --mode sync --warmup 50
cut='sgdperf: note: --warmup 50 ends within a step of the 7 workers, so a part of the step counts: use 49 or 56'
warns "$cut" $seven --mode sync --warmup 50
warns "$cut" $seven --mode allreduce --warmup 50
warns '' $seven --mode sync --warmup 49
warns '' $seven --mode async --warmup 50 --link fcfs

# Asynchronous workers that never vary stay in step: as fast as synchronous ones.
step='sgdperf: note: workers whose steps never vary stay in lockstep on equally shared links*'
in="simulate trace.csv --workers 3 --bandwidth 100MB/s --warmup 15 --steps 100"
warns "$step" $in --mode async
run $in --mode sync --format csv
first=$stdout
run $in --mode async --format csv
holds 'want the synchronous throughput' [ "$first" = "$stdout" ]
warns "$step" simulate trace.csv slow.csv --workers 2,1 --bandwidth 1GB/s --warmup 15 \
    --steps 100 --mode async
warns "$step" simulate alike.csv --workers 2 --bandwidth 1GB/s --mode async
warns "$step" $in --mode async --link tcp --tcp-spread 0
warns '' $in --mode async --link tcp
warns '' $in --mode async --link fcfs
warns '' $in --mode async --service exponential
warns '' $in --mode sync
warns '' simulate varied.csv --workers 3 --bandwidth 100MB/s --mode async
warns '' simulate trace.csv --workers 1 --bandwidth 100MB/s --mode async
warns '' simulate s1.csv --workers 2 --bandwidth 1B/s --mode async

# Updates of a synchronous step that wait for each other.
warns '*5 step completions per worker*note: a step has 2 updates, one of each worker, which wait for each other: *' \
    $update --updates queued
warns '*5 step completions per worker, *' $update --updates separate

# Servers without an operation.
idle='sgdperf: note: 2 of 4 servers have no operation, the first of them server 2: *'
base2="simulate two.csv --workers 1 --bandwidth 1GB/s --mode async"
warns "$idle" $base2 --servers 4
warns '' $base2 --servers 2

# The resource with the largest utilization; worker: the share of time in which it computes.
expect_stdout '*,bottleneck,*,uplink,*' $three --mode sync --format csv
expect_stdout '*"bottleneck":"worker"*' simulate trace.csv --workers 1 --bandwidth 1GB/s \
    --mode sync --format json
expect_stdout '*"bottleneck":"server"*' $update --updates queued --format json
expect_stdout '*"bottleneck":"downlink"*' simulate down.csv --workers 1 --steps 1 --warmup 0 \
    --bandwidth 1 --mode sync --format json
expect_stdout '*seed  bottleneck
*uplink
*' $three --mode sync

# A sweep: a row for each number of workers, each that of a run of its own.
sweep="simulate trace.csv $sim --mode sync"
{ printf 'workers,'
  for workers in 1 2 4; do
      run $sweep --workers $workers --format csv
      [ $workers -eq 1 ] && printf '%s\n' "$stdout" | head -n 1
      printf '%s,' $workers
      printf '%s\n' "$stdout" | tail -n 1
  done; } > want.csv
expect_stdout "$(cat want.csv)" $sweep --sweep 1,2,4 --format csv
run $sweep --workers 2 --format json
first=$(printf '%s' "$stdout" | sed 's/[[]/[[]/g')
expect_stdout "{\"status\":\"ok\",\"points\":[[]*,$first,*]}" $sweep --sweep 1,2,4 --format json
expect_stdout 'sync, link ps, 8 steps each
workers *
      1 *
      2 *
utilization
workers *
      2 *
trace.csv        2 *' $sweep --sweep 1-2
warns 'sgdperf: note: --warmup 16 is fewer than 5 step completions per worker, so the start of the run still counts: use --warmup *' \
    simulate trace.csv --sweep 2,4 --mode sync --bandwidth 1B/s --warmup 16
expect_error 'sgdperf: --warmup: 50, the default, is not below the 10 step completions of the run, so none counts: *' \
    simulate trace.csv --sweep 1,100 --mode sync --bandwidth 1 --steps 10
expect_error 'sgdperf: --workers: cannot be combined with --sweep' $sweep --sweep 1,2 --workers 2
expect_error 'sgdperf: --step-ends: cannot be combined with --sweep' $sweep --sweep 1,2 --step-ends
expect_error 'sgdperf: --timeline: cannot be combined with --sweep' $sweep --sweep 1,2 --timeline out.json
expect_error 'sgdperf: --sequence: cannot be combined with --sweep' $sweep --sweep 1,2 --sequence fixed.csv
expect_error 'sgdperf: --sweep: needs one trace file' \
    simulate trace.csv slow.csv $sim --mode sync --sweep 1,2
expect_error 'sgdperf: --sweep: needs one trace file' \
    simulate trace.csv slow.csv $sim --mode allreduce --flow-cap 1MB/s --sweep 1,2

# ---- The timeline
expect_status 0 $three --mode async --timeline out.json
lines() { grep -c "$1" out.json; }
[ "$(head -c 44 out.json | tr -d '\n')" = '{"displayTimeUnit":"ms","traceEvents":[{"ph' ] &&
    [ "$(tail -n 1 out.json)" = ']}' ] && [ "$(lines '"ph":"X"')" -eq 120 ] &&
    [ "$(lines '"ph":"s"')" -eq 96 ] && [ "$(lines '"ph":"f"')" -eq 96 ] &&
    [ "$(lines '"process_name"')" -eq 3 ] && [ "$(lines '"thread_name"')" -eq 12 ] &&
    [ "$(lines '"name":"gradients, all".*"cat":"uplink","cname":')" -eq 24 ] &&
    [ "$(lines '"name":"forward","pid":1,.*"ts":750000.000,"dur":125000.000,')" -eq 1 ]
check $? 'want a timeline' $three --timeline out.json
[ "$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' out.json | sort | uniq -c | awk '$1 != 2' | wc -l)" -eq 0 ]
check $? 'want arrows with two ends' $three --timeline out.json
if has python3; then
    python3 -c 'import json; json.load(open("out.json"))' 2> /dev/null
    check $? 'want JSON' $three --timeline out.json
fi
# Slices of a thread do not overlap, whatever the link does.
file wide.csv <<END
$head
0,0,downlink,0,,3000000,,a
0,1,downlink,0,,4000000,,b
0,2,downlink,0,,5000000,,c
0,3,worker,0,0.1,,0 1 2,
END
for options in "" "--overhead 0,10ms" "--reappend select" "--link fcfs"; do
    wide="simulate wide.csv --workers 3 $sim --mode async --http2-window 1MB $options"
    expect_status 0 $wide --timeline out.json
    tr ',' '\n' < out.json | awk -F: '
        /^"pid"/ { pid = $2 } /^"tid"/ { tid = $2 } /^"ts"/ { ts = $2 }
        /^"dur"/ { slices++; dur = $2; if (ts < until[pid, tid] - 1e-6) bad++
                   until[pid, tid] = ts + dur }
        END { exit bad > 0 || slices < 96 }'
    check $? 'want slices in a row' $wide --timeline out.json
done
# A run that fails, or is ended, leaves the file that was there.
echo before > out.json
expect_error '*' $base --warmup 19 --timeline out.json
holds 'want the file as it was' [ "$(cat out.json)" = before ]
if [ -w /dev/full ]; then
    "$program" $base --warmup 0 --timeline out.json > /dev/full 2> .stderr < /dev/null
    status=$?
    [ "$status" -eq 2 ] && [ "$(cat out.json)" = before ]
    check $? 'want the file as it was' "$base --timeline out.json > /dev/full"
fi
long="simulate trace.csv --workers 2 --mode sync --bandwidth 1GB/s --steps 4000000"
"$program" $long --timeline out.json > .stdout 2>&1 < /dev/null &
pid=$!
trap 'kill $pid 2> /dev/null; rm -rf "$folder"; exit 1' EXIT INT TERM HUP # or it runs on for an hour
while kill -0 $pid 2> /dev/null && ! ls -A | grep -q '^[.]sgdperf-'; do sleep 0.05; done
kill -TERM $pid
wait $pid 2> /dev/null
status=$?
trap 'rm -rf "$folder"' EXIT
trap - INT TERM HUP
[ "$status" -gt 128 ] && [ "$(cat out.json)" = before ] && ! ls -A | grep -q '^[.]sgdperf-'
check $? 'want the file as it was, and nothing else' "$long --timeline out.json, ended"
# An output that is an input.
cp trace.csv copy.csv
ln -s copy.csv link.csv
for output in copy.csv ./copy.csv link.csv; do
    expect_error "sgdperf: --timeline: '$output' *" simulate copy.csv --workers 2 $sim \
        --mode sync --timeline $output
done
holds 'want the trace as it was' cmp -s trace.csv copy.csv
rm -f out.json
expect_error '*' simulate trace.csv --workers 2 --mode sync --bandwidth 0 --timeline out.json
expect_error '*' $base --warmup 19 --timeline out.json
holds 'want no file' [ ! -e out.json ]
expect_error "sgdperf: --timeline: 'no/such/out.json' cannot be written: *" \
    $three --mode sync --timeline no/such/out.json

# ---- Usage
expect_error 'sgdperf: simulate: a file is missing, see --help' simulate --workers 2 --mode sync \
    --bandwidth 1
expect_error 'sgdperf: --mode is missing: async, sync or allreduce' simulate trace.csv --workers 2
expect_error 'sgdperf: --bandwidth or --network is missing' simulate trace.csv --workers 2 --mode sync
expect_error 'sgdperf: --workers or --sweep is missing' simulate trace.csv --mode sync --bandwidth 1
expect_error "sgdperf: --workers: '2,3' has 2 numbers for 1 trace file: give one for each; --sweep *" \
    simulate trace.csv --workers 2,3 --mode sync --bandwidth 1
expect_error "sgdperf: --workers: '2' has 1 number for 2 trace files: give one for each" \
    simulate trace.csv slow.csv --workers 2 --mode sync --bandwidth 1
expect_error "sgdperf: --workers: '0' is not a positive whole number" \
    simulate trace.csv --workers 0 --mode sync --bandwidth 1
expect_error 'sgdperf: absent.csv: *' simulate absent.csv --workers 2 --mode sync --bandwidth 1
wrong() {
    want=$1
    shift
    bulk expect_error "sgdperf: $want" simulate trace.csv --workers 2 "$@"
}
any="--mode sync --bandwidth 1Gbps"
wrong "--mode: 'bsp' is not one of async, sync, allreduce" --mode bsp --bandwidth 1
wrong "--bandwidth: '0' is not positive" --mode sync --bandwidth 0
wrong "--bandwidth: '10ms' has an unknown unit*" --mode sync --bandwidth 10ms
wrong "--link: 'ring' is not one of ps, fcfs, average, tcp" $any --link ring
for option in --tcp-two-way --tcp-spread; do
    wrong "$option: needs --link tcp" $any $option 0.5
    wrong "$option: needs --link tcp" --mode allreduce --bandwidth 1 $option 0.5
    for value in -0.1 1.1; do
        wrong "$option: '$value' is not between 0 and 1" $any --link tcp $option $value
    done
    wrong "$option: 'nan' is not a number" $any --link tcp $option nan
done
wrong '--link average: needs --mode sync' --mode async --bandwidth 1 --link average
wrong '--step-ends: cannot be combined with --link average*' $any --link average --step-ends
wrong '--timeline: cannot be combined with --link average*' $any --link average --timeline x
wrong '--link ps: cannot be combined with --mode allreduce' --mode allreduce --bandwidth 1 --link=ps
for option in --two-ps=unit --fcfs-spill; do
    wrong "${option%%=*}: cannot be combined with --worker-bandwidth" $any $option --worker-bandwidth 1MB/s
done
for option in --worker-bandwidth --delay; do
    wrong "$option: '1,2' has 2 numbers for 1 trace file: give one for all, or one for each" \
        $any $option 1,2
    wrong "$option: '-1' is negative" $any $option -1
done
wrong "--worker-bandwidth: '0' is not positive" $any --worker-bandwidth 0
wrong "--stagger: '-1' is negative" $any --stagger -1
for option in --servers=1 --http2-window=1 --overhead=0,1 --reappend=select --two-ps=unit \
    --fcfs-spill --updates=queued; do
    wrong "${option%%=*}: cannot be combined with --mode allreduce" --mode allreduce --bandwidth 1 $option
done
wrong "--steps: '0' is not a positive whole number" $any --steps 0
wrong "--warmup: '-1' is not a whole number" $any --warmup -1
wrong "--seed: 'x' is not a whole number" $any --seed x
wrong "--runs: '0' is not a positive whole number" $any --runs 0
wrong "--batch: '0' is not positive" $any --batch 0
wrong "--http2-window: '-1' is negative" $any --http2-window -1
wrong "--overhead: '1' is not two numbers A,B" $any --overhead 1
wrong "--overhead: 'x' is not a number" $any --overhead 1,x
wrong "--flow-cap: '0' is not positive" $any --flow-cap 0
wrong "--servers: '0' is not a positive whole number" $any --servers 0
wrong "--updates: 'own' is not one of separate, queued, shared" $any --updates own
wrong "--service: 'x' is not one of traced, exponential" $any --service x
wrong "--window: 'x' is not one of total, steady" $any --window x
wrong "--reappend: 'x' is not one of complete, select" $any --reappend x
wrong "--two-ps: 'x' is not one of half, unit" $any --two-ps x
wrong '--fcfs-spill: takes no value' $any --fcfs-spill=1
# A variant of what is not there would do nothing.
wrong '--reappend: needs --http2-window' $any --reappend select
wrong '--two-ps: needs --servers 2' $any --two-ps unit
wrong '--two-ps: needs --link ps or average' $any --two-ps unit --servers 2 --link fcfs
wrong '--fcfs-spill: needs --link fcfs or average' $any --fcfs-spill --flow-cap 1
wrong '--fcfs-spill: needs --flow-cap' $any --fcfs-spill --link fcfs
wrong '--timelines: unknown option, did you mean --timeline?' $any --timelines x

# ---- Bad traces: a good first row, and a second
bad() {
    printf '%s\n' "$head" '0,0,downlink,0,,1,,' "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:3: $2" simulate bad.csv --workers 1 $any
}
bad '-1,1,worker,0,1,,,' "column 'step': -1 is not a whole number"
bad 'x,1,worker,0,1,,,' "column 'step': 'x' is not a whole number"
bad ',1,worker,0,1,,,' "column 'step': the cell is empty"
bad '2,0,worker,0,1,,,' "column 'step': 2, but step 1 is missing"
bad '0,1.5,worker,0,1,,,' "column 'op': 1.5 is not a whole number"
bad '0,65535,worker,0,1,,,' "column 'op': 65535 is too large"
bad '0,0,worker,0,1,,,' "column 'op': 0 occurs twice in step 0, first in line 2"
bad '0,2,worker,0,1,,,' "column 'op': 2, but step 0 has no op 1"
bad '1,1,worker,0,1,,,' "column 'op': 1, but step 1 has no op 0"
bad '0,1,gpu,0,1,,,' "column 'resource': 'gpu' is not one of downlink, worker, uplink, server"
bad '0,1,server,1,1,,,' "column 'server': '1' is not below the number of servers"
bad '0,1,server,-1,1,,,' "column 'server': -1 is not a whole number"
bad '0,1,worker,0,-1,,,' "column 'duration_s': -1 is negative"
bad '0,1,worker,0,,1,,' "column 'duration_s': the cell is empty"
bad '0,1,worker,0,3ms,,,' \
    "column 'duration_s': '3ms' is not a number: write the number in the unit of the column, without the unit itself"
bad '0,1,uplink,0,,1 MB,,' \
    "column 'bytes': '1 MB' is not a number: write the number in the unit of the column, without the unit itself"
bad '0,1,server,0,nan,,,' "column 'duration_s': 'nan' is not a number"
bad '0,1,uplink,0,1,,,' "column 'bytes': the cell is empty"
bad '0,1,uplink,0,,-1,,' "column 'bytes': -1 is negative"
bad '0,1,uplink,0,,1e999,,' "column 'bytes': '1e999' is too large"
bad '0,1,uplink,0,soon,1,,' "column 'duration_s': 'soon' is not a number"
bad '0,1,worker,0,1,much,,' "column 'bytes': 'much' is not a number"
bad '0,1,worker,0,1,,x,' "column 'waits_for': 'x' is not a whole number"
bad '0,1,worker,0,1,,0 -1,' "column 'waits_for': '-1' is not a whole number"
bad '0,1,worker,0,1,,"0,0",' "column 'waits_for': '0,0' is not a whole number"
bad '0,1,worker,0,1,,99999999999,' "column 'waits_for': '99999999999' is too large"
bad '0,1,worker,0,1,,aaaaaaaaaaaaaaaaaaaaaaaaaaaa,' "column 'waits_for': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa' is not an op number"
bad '0,1,worker,0,1,,2,' "column 'waits_for': '2' names an op that is not there"
bad '0,1,worker,0,1,,1,' "column 'waits_for': '1' names the op itself"
bad '0,1,worker,0,1,,0  0,' "column 'waits_for': '0  0' names an op twice"
bad '0,1,worker,0,1,' 'the row has 6 cells, but 8 are in the header'
printf '%s\n' "$head" 0,0,worker,,1,,, 1,1,worker,,1,,0, 1,0,worker,,1,,1, > bad.csv
expect_error "sgdperf: bad.csv:4: column 'waits_for': '1' leads into a cycle" \
    simulate bad.csv --workers 1 $any
expect_error 'sgdperf: bad.csv:4: *' simulate trace.csv bad.csv --workers 1,1 $any
printf '%s\n' "$head" 0,0,worker,,0,,, > bad.csv
expect_error 'sgdperf: bad.csv:2: step 0 takes no time' simulate bad.csv --workers 1 $any
expect_number makespan_s 8 1e-12 simulate bad.csv two.csv --servers 2 --workers 1,1 $sim \
    --mode async --overhead 0,0
printf '%s\n' "$head" 1,1,uplink,,9,0,, 1,0,worker,,0,7,, 0,0,worker,,1,,, > bad.csv
expect_status 0 simulate bad.csv --workers 1 $any --overhead 0,1ms
printf '%s\n' "$head" 1,1,uplink,,,0,, 1,0,worker,,0,,, 0,0,worker,,1,,, > bad.csv
expect_error 'sgdperf: bad.csv:3: step 1 takes no time' simulate bad.csv --workers 1 $any
printf '%s\n' "$head" > bad.csv
expect_error 'sgdperf: bad.csv:2: the table has no rows under the header' simulate bad.csv --workers 1 $any
for column in step op resource duration_s bytes waits_for; do
    sed "2s/\\b$column\\b/other/" trace.csv > bad.csv
    expect_error "sgdperf: bad.csv:2: column '$column' is missing" simulate bad.csv --workers 1 $any
done
expect_status 0 simulate two.csv --servers 3 --workers 1 $any

# ---- Bad orders and sequences
bad_order() {
    printf "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$2" $order --order bad.csv
}
bad_order 'op\n3\n' "2: column 'op': '3' is not an op of any step"
bad_order '3\n' "1: column 'op': '3' is not an op of any step"
bad_order '1\n0\n1\n' "3: column 'op': '1' occurs twice"
bad_order 'op\n1\nx\n' "3: column 'op': 'x' is not a whole number"
bad_order '1\n-1\n' "2: column 'op': '-1' is not a whole number"
bad_order 'number\n1\n' "1: column 'op' is missing"
bad_order '' '1: the file is empty, but needs a header'
bad_sequence() {
    printf 'worker,k,step\n0,0,0\n%s\n' "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:3: $2" $sequence --sequence bad.csv
}
bad_sequence '2,0,0' "column 'worker': 2 is not below the number of workers, 2: workers count from 0"
bad_sequence '-1,0,0' "column 'worker': -1 is not a whole number"
bad_sequence '0,2,0' "column 'k': 2 is not below --steps, 2: k counts from 0"
bad_sequence '0,1,2' "column 'step': 2 is not a step of steps.csv"
bad_sequence '0,1,' "column 'step': the cell is empty"
bad_sequence '0,0,1' "column 'k': 0 occurs twice for worker 0"
printf 'worker,step\n0,0\n' > bad.csv
expect_error "sgdperf: bad.csv:1: column 'k' is missing" $sequence --sequence bad.csv
# Rules: layer 1 (op 1) is computed first; 0.25 s a download, 1 s and 0.5 s of compute.
file layers.csv <<'EOF'
step,op,resource,duration_s,bytes,waits_for
0,0,downlink,,25000000,
0,1,downlink,,25000000,
0,2,worker,1,,1
0,3,worker,0.5,,0 2
EOF
layers="simulate layers.csv --workers 1 --mode async --bandwidth 100MB/s --steps 1 --warmup 0"
expect_number makespan_s 2 1e-12 $layers
for rule in tic tac reverse search; do
    expect_number makespan_s 1.75 1e-12 $layers --order $rule
done
expect_status 0 $layers --order random --seed 3
printf '0\n1\n' > tic
expect_number makespan_s 2 1e-12 $layers --order ./tic
expect_error "sgdperf: --order: 'tictac' is neither a file nor one of reverse, random, tic, tac, search" \
    $layers --order tictac
# What an order does for one worker, and the order as a file.
expect_stdout '*
order tac: a step of one worker takes 1.75 s, 2 s without
*' $layers --order tac
expect_stdout '*,"order":{"given":"./tic","step_s":2,"unordered_step_s":2}}' \
    $layers --order ./tic --format json
for rule in reverse search; do
    expect_number 'order":.*"step_s' 1.75 1e-12 $layers --order $rule --order-out out.csv
    holds 'want the order' [ "$(cat out.csv)" = "op${newline}1${newline}0" ]
    expect_number makespan_s 1.75 1e-12 $layers --order out.csv
done
cp out.csv given.csv
expect_error "sgdperf: --order-out: 'given.csv' *" \
    $layers --order given.csv --order-out given.csv
expect_error "sgdperf: --order-out: 'layers.csv' *" $layers --order tac --order-out layers.csv
expect_error "sgdperf: * 'both' *" $layers --order tac --order-out both --timeline both
expect_error '*' $layers --order tac --order-out out.csv --timeline no/such/out
expect_error '*' $layers --order random --seed 3 --order-out out.csv --warmup 1
cmp -s out.csv given.csv && [ ! -e both ]
check $? 'want the order as it was' $layers --order-out out.csv
expect_error 'sgdperf: --order-out: needs --order' $layers --order-out out.csv
expect_error "sgdperf: --order-out: 'no/such/out' cannot be written: *" \
    $layers --order tac --order-out no/such/out
printf '%s\n' step,op,resource,duration_s,bytes,waits_for 0,0,downlink,,1, > down.csv
expect_error 'sgdperf: --order: the steps take no time' simulate down.csv --workers 2 \
    --mode allreduce --bandwidth 1 --order reverse

cli_report simulate

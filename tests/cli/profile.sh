# sgdperf profile: unions, statistics, the profile that predict takes, bad input.
. tests/cli.sh

# Three steps in any order. The downlinks of a step cover 2, 1 and 3 s, as they overlap,
# touch, or leave a gap; backward occurs in two of them, an empty update in one.
file log.csv <<'END'
worker,step,phase,start_s,end_s
0,7,forward,20,21
0,0,downlink,0,1
0,0,downlink,0.5,2
0,0,downlink,0.75,0.8
0,0,forward,2,3
0,0,backward,3,4
0,0,uplink,3.5,4.5
0,1,downlink,10,10.5
0,1,downlink,10.5,11
0,1,forward,10,11
0,1,backward,11,14
0,1,uplink,14,15
0,7,downlink,17,18
0,7,downlink,18.5,20.5
0,7,uplink,21,23
0,7,update,23,23
END
# expect_times NAME CYCLES MEAN DEVIATION HALF-WIDTH FILE, of a phase or "step"
expect_times() {
    name="phase\":\"$1\","
    [ "$1" = step ] && name='step":.'
    expect_number "$name\"cycles" "$2" 0 profile "$6"
    expect_number "$name[^}]*\"mean_s" "$3" 1e-12 profile "$6"
    expect_number "$name[^}]*\"deviation_s" "$4" 1e-12 profile "$6"
    expect_number "$name[^}]*\"ci95_half_width_s" "$5" 1e-12 profile "$6"
}
expect_number steps 3 0 profile log.csv
expect_times downlink 3 2 1 2.4841377117503 log.csv
expect_times forward 3 1 0 0 log.csv
expect_times backward 2 2 1.4142135623730951 12.7062047361747 log.csv
expect_times uplink 3 1.3333333333333333 0.57735026918962576 1.4342175765832 log.csv
expect_times update 1 0 0 0 log.csv
# Steps 0 and 1 take 4.5 and 5 s from the first start to the last end; step 7 lacks the
# backward that both others have, which do not lack its update.
expect_times step 2 4.75 0.35355339059327379 3.17655118404367 log.csv
expect_number cut_steps 1 0 profile log.csv
# The last step of a log is its downlink alone: cut short. In an order of any kind.
{ grep -v '^0,7' log.csv; echo 0,2,downlink,15,15.5; } > cut.csv
expect_times step 2 4.75 0.35355339059327379 3.17655118404367 cut.csv
expect_stdout '*backward occurs in 2 of 3 steps, its mean is that of those*
1 step is cut short, not counted as whole' profile cut.csv
# Every second step has an update: all are whole. One step alone is too.
printf '%s\n' step,phase,start_s,end_s 0,forward,0,1 0,update,1,2 1,forward,2,3 2,forward,3,4 \
    2,update,4,5 3,forward,5,6 > second.csv
expect_times step 4 1.5 0.57735026918962573 0.91869311551854 second.csv
head -n 3 second.csv > one.csv
expect_number 'step":."cycles' 1 0 profile one.csv
# Two steps of which each lacks what the other has: no whole one, and no step_s.
printf '%s\n' step,phase,start_s,end_s 0,forward,0,1 1,update,1,2 > neither.csv
expect_stdout 'forward_s,update_s,steps
1,1,2' profile neither.csv --format csv

# ---- The profile
expect_stdout '*"profile":{"forward_s":1,"backward_s":2,"update_s":0,"uplink_s":1.333*,"downlink_s":2}}' \
    profile log.csv --format json
unsure=forward_ci95_half_width_s,backward_ci95_half_width_s,uplink_ci95_half_width_s,downlink_ci95_half_width_s,step_ci95_half_width_s
expect_stdout "forward_s,backward_s,update_s,uplink_s,downlink_s,step_s,steps,$unsure
1,2,0,1.3333333333333333,2,4.75,3,0,12.7*,1.434*,2.484*,3.17*" profile log.csv --format csv
expect_stdout 'phase*cycles*mean_s*step  *backward occurs in 2 of 3 steps, its mean is that of those
update occurs in 1 of 3 steps, its mean is that of those
1 step is cut short, not counted as whole' profile log.csv
stdin=log.csv
expect_stdout '*step*' profile -
stdin=/dev/null
run profile log.csv --format csv
cp .stdout profile.csv
expect_number step_s 4.75 1e-14 predict --mode async --profile profile.csv --workers 1
expect_number examples_per_s 6.7368421052631575 1e-14 \
    predict --mode async --profile profile.csv --workers 1 --batch 32

# A step of which phases cover half: the rest is the worker's. As long as its phases: nothing
# is said.
head=forward_s,backward_s,update_s,uplink_s,downlink_s,step_s
printf '%s\n1,2,0,1,1,10\n' $head > host.csv
printf '%s\n1,2,0,1,1,5\n' $head > whole.csv
printf '%s\n1,2,0,1,1,4\n' $head > shorter.csv
expect_number step_s 10 1e-14 predict --mode async --profile host.csv --workers 1
expect_note '*the phases cover 50 % of the step of 10 s: the other 5 s count as *' \
    predict --mode async --profile host.csv --workers 1
expect_number step_s 5 1e-14 predict --mode async --profile whole.csv --workers 1
expect_note '' predict --mode async --profile whole.csv --workers 1
expect_number step_s 4 1e-14 predict --mode async --profile shorter.csv --workers 1
expect_note '*the phases sum to 5 s in a step of 4 s, so they overlap: compute is the time that*' \
    predict --mode async --profile shorter.csv --workers 1
expect_note '*the phases sum to 5 s in a step of 4 s, so they overlap: with --overlap*' \
    predict --mode async --profile shorter.csv --workers 1 --overlap

# A log of training without servers has no transfers: they come on top of its phases, 5 + 2 s;
# with a gap of 1 s in its step, that is said.
for step in 5 6; do
    printf 'forward_s,backward_s,update_s,step_s\n1,3,1,%s\n' $step > alone.csv
    run predict --mode async --profile alone.csv --workers 1 --model-size 1B \
        --bandwidth 1B/s --format csv
    matches "$stdout" "*${newline}1,0.142857142857142*" &&
        matches "$stderr" "$([ $step = 5 ] || echo '*the step of 6 s has no room for transfers of 2 s*')"
    check $? 'want a step of 7 s' predict --profile alone.csv
done
expect_number step_s 8 1e-14 predict --mode async --profile alone.csv --workers 1 --model-size 1.5B \
    --bandwidth 1B/s

# Measured with four workers at work, Eq. 7: 0.4 s of compute and update, 4 transfers of 0.05 s
# each way. Alone a worker takes 0.5 s, not 0.8; the bandwidth is 1 MB in 0.05 s.
file four.log <<'END'
step,phase,start_s,end_s
0,downlink,0,0.2
0,forward,0.2,0.3
0,backward,0.3,0.5
0,uplink,0.5,0.7
0,update,0.7,0.8
END
run profile four.log --measured-on 4 --format csv
cp .stdout four.csv
expect_stdout '*"measured_on":4}}' profile four.log --measured-on 4 --format json
expect_stdout '*measured on 4 workers: transfers hold the waiting of all of them*' \
    profile four.log --measured-on 4
ps="predict --mode sync --model ps"
expect_number step_s 0.8 1e-6 $ps --profile four.csv --workers 4
expect_number step_s 0.5 1e-6 $ps --profile four.csv --workers 1
expect_number step_s 1.2 1e-6 $ps --profile four.csv --workers 8
expect_note '*note: the profile: measured on 4 workers: *transfers of 0.05 s up and 0.05 s down*' \
    $ps --profile four.csv --workers 1
expect_note '*note: the profile: measured on 4 workers: *bandwidth of 2e+07 B/s*' \
    $ps --profile four.csv --workers 1 --model-size 1MB
expect_number step_s 0.5 1e-6 $ps --profile four.csv --workers 1 --model-size 1MB
given="--forward 0.1 --backward 0.2 --update 0.1"
for of in "--uplink 0.2 --downlink 0.2" "--step 0.8 --model-size 1MB" \
    "--uplink 0.1 --downlink 0.3 --model-size 1MB"; do
    expect_number step_s 0.5 1e-6 $ps $given $of --measured-on 4 --workers 1
done
# Half a second that no phase explains is the worker's; so it is with all-reduce.
expect_number step_s 1 1e-6 $ps $given --uplink 0.2 --downlink 0.2 --step 1.3 --measured-on 4 \
    --workers 1
expect_note '*the phases cover 62 % of the step of 1.3 s: the other 0.5 s count as computation*' \
    $ps $given --uplink 0.2 --downlink 0.2 --step 1.3 --measured-on 4 --workers 1
ring="predict --mode allreduce --model ring --forward 0.1 --backward 0.2 --measured-on 4"
expect_number step_s 0.48 1e-6 $ring --uplink 0.18 --workers 4
expect_number step_s 0.51 1e-6 $ring --uplink 0.18 --workers 8
expect_number step_s 0.3 1e-9 $ring --uplink 0.18 --workers 1
# Where phases overlap, with --overlap the step counts.
expect_number step_s 0.7 1e-6 $ps $given --uplink 0.2 --downlink 0.2 --step 0.7 --overlap \
    --measured-on 4 --workers 4
expect_error 'sgdperf: --measured-on: update and transfers leave no compute time in the step*' \
    $ps $given --uplink 0.2 --downlink 0.2 --step 0.45 --measured-on 4 --workers 1
expect_error 'sgdperf: --measured-on: update and transfers leave no compute time*give --step' \
    $ps $given --uplink 0.2 --downlink 0.2 --overlap --measured-on 4 --workers 1
expect_error 'sgdperf: --measured-on: cannot be combined with a bandwidth: the option computes the bandwidth from the step' \
    $ps $given --model-size 1MB --bandwidth 1Gbps --step 1 --measured-on 4 --workers 1
expect_error 'sgdperf: --measured-on: 4 workers cannot have the measured step of 0.41 s *' \
    $ps $given --uplink 0.005 --downlink 0.005 --vary 0.9 --measured-on 4 --workers 1
expect_error 'sgdperf: --downlink is missing' $ps $given --uplink 1 --measured-on 4 --workers 1
expect_error 'sgdperf: --model-size is missing' $ps $given --step 1 --measured-on 4 --workers 1
expect_error "sgdperf: --measured-on: '0' *" $ps $given --step 1 --measured-on 0 --workers 1
expect_error 'sgdperf: --measured-on: cannot be combined with --worker-type' $ps --worker-type 2:1:1 --update 1 \
    --uplink 1 --downlink 1 --measured-on 2
expect_status 0 $ps --profile four.csv --measured-on 3 --workers 1
matches "$stderr" "*measured on 3 workers*--measured-on is used in place of the column 'measured_on' of four.csv"
check $? 'want a note' $ps --profile four.csv --measured-on 3
sed 's/,4$/,0/' four.csv > zero.csv
expect_error "sgdperf: zero.csv:2: column 'measured_on': *0*" $ps --profile zero.csv --workers 1

# How sure the profile is widens the band: by ln(1 + 1.6464 / 1.9623 0.2), 90 % of 1 s in 5 s,
# whose square and that of the class add.
run predict --mode sync --profile whole.csv --workers 1 --format json
low=$(echo "$stdout" | sed 's/.*"low":\([^,]*\),.*/\1/' |
    awk '{ near = 1 - $1 / 0.2; square = near * near + 0.15516 * 0.15516
           for (k = 0; k < 60; k++) near = (near + square / near) / 2      # its root
           printf "%.9g", 0.2 * (1 - near) }')
printf '%s,step_ci95_half_width_s\n1,2,0,1,1,5,1\n' $head > unsure.csv
expect_number profile_half_width 0.15516 1e-3 predict --mode sync --profile unsure.csv --workers 1
and_number low $low 1e-3
! matches "$(run predict --mode sync --profile whole.csv --workers 1 --format json; echo "$stdout")" \
    '*profile_half_width*'
check $? 'want no half-width' predict --profile whole.csv
sed 's/,1$/,-1/' unsure.csv > bad.csv
expect_error "sgdperf: bad.csv:2: column 'step_ci95_half_width_s': -1 is negative" \
    predict --mode sync --profile bad.csv --workers 1
printf 'step,phase,start_s,end_s\n18446744073709551615,forward,-2,-1\n' > single.csv
expect_times forward 1 1 0 0 single.csv
expect_stdout 'phase*downlink       0       -            -                  -
forward        1       1            -                  -
*step           1       1            -                  -' profile single.csv

# A constant is recovered from many steps, and a known spread: 0.9 and 1.1 in turn.
awk 'BEGIN { print "step,phase,start_s,end_s"
    for (i = 0; i < 1000; i++) {
        printf "%d,downlink,%d,%d.25\n%d,forward,%d.25,%.2f\n", i, 2 * i, 2 * i, i, 2 * i,
            2 * i + 0.25 + (i % 2 ? 1.1 : 0.9) } }' > many.csv
expect_number 'phase":"downlink",[^}]*"mean_s' 0.25 1e-12 profile many.csv
expect_number 'phase":"forward",[^}]*"mean_s' 1 1e-12 profile many.csv
expect_number 'phase":"forward",[^}]*"deviation_s' 0.10005003753127737 1e-9 profile many.csv
expect_number 'phase":"forward",[^}]*"ci95_half_width_s' 0.00620857362744 1e-9 profile many.csv

# ---- An interval wider than the mean
printf '%s\n' step,phase,start_s,end_s 0,forward,0,1 0,uplink,1,2 1,forward,3,7 1,uplink,7,8 > wide.csv
run profile wide.csv
[ "$stderr" = "sgdperf: note: wide.csv: 95 % intervals are wider than the mean (forward): measure more than 2 steps" ]
check $? 'want a note' profile wide.csv

# ---- Bad input
bad() {
    printf 'step,phase,start_s,end_s\n%s\n' "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:2: $2" profile bad.csv
}
bad '-1,forward,0,1' "column 'step': -1 is not a whole number"
bad '1.5,forward,0,1' "column 'step': 1.5 is not a whole number"
bad '18446744073709551616,forward,0,1' "column 'step': 18446744073709551616 is too large"
bad ',forward,0,1' "column 'step': the cell is empty"
bad '0,think,0,1' "column 'phase': 'think' is not one of downlink, forward, backward, uplink, update"
bad '0,,0,1' "column 'phase': '' is not one of *"
bad '0,forward,nan,1' "column 'start_s': 'nan' is not a number"
bad '0,forward,0,inf' "column 'end_s': 'inf' is not a number"
bad '0,forward,0,' "column 'end_s': the cell is empty"
bad '0,forward,0,1e999' "column 'end_s': '1e999' is too large"
bad '0,forward,0,1s' "column 'end_s': '1s' is not a number: write *"
bad '0,forward,2,1.5' "column 'end_s': 1.5 is before the start, 2"
bad '0,forward,-1e308,1e308' "column 'end_s': 1e308 is too long after the start"
bad '0,forward,0' 'the row has 3 cells, but 4 are in the header'
bad '0,forward,0,"1' 'a quote is not closed'
whole() {
    printf "$1" > bad.csv
    expect_error "sgdperf: bad.csv:$2" profile bad.csv
}
whole '' '1: the file is empty, but needs a header'
whole 'step,phase,start_s,end_s\n' '2: the table has no rows under the header'
whole 'phase,start_s,end_s\nforward,0,1\n' "1: column 'step' is missing"
whole 'step,start_s,end_s\n0,0,1\n' "1: column 'phase' is missing"
whole 'step,phase,end_s\n0,forward,1\n' "1: column 'start_s' is missing"
whole 'step,phase,start_s\n0,forward,1\n' "1: column 'end_s' is missing"
whole 'step,phase,start_s,end_s,step\n0,forward,0,1,0\n' "1: column 'step' occurs twice"
whole 'step,phase,start_s,end_s\n0,forward,0,1\n1,forw' '3: the row has 2 cells, but 4 are in the header'
whole '\211PNG\r\n\032\n' '1: byte 0x89 is not UTF-8 text'
printf 'step,phase,start_s,end_s\n0,forward,-8e307,8e307\n1,forward,0,1\n' > far.csv
expect_error 'sgdperf: far.csv: the times are too far apart for a number' profile far.csv
expect_error 'sgdperf: profile: a file is missing, see --help' profile
expect_error "sgdperf: profile: 'b.csv' is one argument too many, see --help" profile log.csv b.csv
expect_error 'sgdperf: --steps: unknown option*' profile log.csv --steps 3
expect_error 'sgdperf: none.csv: *' profile none.csv
expect_error "sgdperf: --format: 'xml' is not one of table, csv, json" profile log.csv --format xml

# ---- Transfers alone: the times between them; step 2 is missing
file gaps.csv <<'END'
step,phase,start_s,end_s
0,downlink,0,2
0,uplink,5,6
0,uplink,5.5,7
1,downlink,7.5,9
1,uplink,10,11
3,downlink,20,21
3,uplink,24,25
END
expect_times forward 3 2.3333333333333333 1.1547005383792515 2.868435153166308 gaps.csv
expect_times update 1 0.5 0 0 gaps.csv
# Two of the three steps have no gap for an update, so their length is not that of a step.
expect_stdout 'forward_s,backward_s,update_s,uplink_s,downlink_s,steps,*
2.333*,0,0.5,1.333*,1.5,3,*' profile gaps.csv --format csv
holds 'want a note' matches "$stderr" '*note: gaps.csv: the log has transfers only: *'
sed 's/7.5,9$/7.5,10.5/' gaps.csv > overlap.csv
expect_error 'sgdperf: overlap.csv: the transfers overlap, *' profile overlap.csv
cli_report profile

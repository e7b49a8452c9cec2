# sgdperf balance run: closed forms, files, the two clusters, bad input.
. tests/cli.sh

# ---- Closed forms of constant speeds: v = 100, 50, 25, x = 60
file cpus.csv <<'END'
worker,kind,speed,batch
a,cpu,100,60
b,cpu,50,60
c,cpu,25,60
END
expect_run() { # SCHEME KEY VALUE TOLERANCE OPTION...
    scheme=$1 key=$2 want=$3 tolerance=$4
    shift 4
    expect_number "$key" "$want" "$tolerance" \
        balance run cpus.csv --scheme "$scheme" --iterations 100 "$@"
}
expect_run bsp iteration_s 2.4 1e-12
expect_run bsp samples_per_s 75 1e-12
expect_run bsp waiting_share 0.41666666666666669 1e-12
expect_run bsp iteration_s 3 1e-12 --barrier 600ms
expect_run asp per_update_s 0.34285714285714286 0.01
expect_run asp waiting_share 0 0
expect_run ssp per_update_s 0.8 1e-9 --warmup 100
expect_run ssp per_update_s 0.8 1e-9 --warmup 100 --staleness 0
run balance run cpus.csv --scheme ssp --staleness 4 --format csv
expect_stdout "$stdout" balance run cpus.csv --scheme ssp --format csv
expect_run lbbsp iteration_s 1.04 1e-12 --warmup 1
expect_run lbbsp reduction 0.56666666666666665 1e-12 --warmup 1
expect_run lbbsp iteration_s 1.54 1e-12 --warmup 1 --update 0.5
expect_run lbbsp iteration_s 1.04 1e-12 --warmup 3 --update 0.5 --non-blocking
expect_run lbbsp prediction_rmse 0 0 --warmup 1 --predictor ema
expect_run redundant iteration_s 1.2 1e-12 --spare 1
expect_run redundant iteration_s 0.6 1e-12
expect_number 'lbbsp".*"last_batch":103.*"last_batch":51.*"last_batch' 26 0 \
    balance run cpus.csv --scheme bsp,lbbsp
run balance run cpus.csv --scheme flexrr,bsp,lbbsp --warmup 10 --format csv
awk -F, 'NR == 2 { flexrr = $3 } NR == 3 { bsp = $3 } NR == 4 { lbbsp = $3 }
         END { exit !(lbbsp <= flexrr && flexrr < bsp && NR == 4) }' .stdout
check $? 'want lbbsp <= flexrr < bsp' balance run cpus.csv
expect_stdout 'scheme,per_update_s,*
bsp,*
asp,*
ssp,*
lbbsp,*
redundant,*
flexrr,*' balance run cpus.csv --format csv
expect_stdout 'scheme,worker,waiting,updates,last_batch
asp,a,0,*
asp,b,*
asp,c,*' balance run cpus.csv --scheme asp --per-worker --format csv

# Spare workers are those of redundant execution alone.
printf '%s\n' worker,count,kind,speed,batch,spare s,1,cpu,100,60,1 w,2,cpu,50,60,0 > spare.csv
expect_stdout 'scheme,worker,waiting,updates,last_batch
redundant,w-1,*
redundant,w-2,*
redundant,s,*
bsp,w-1,*
bsp,w-2,*' balance run spare.csv --scheme redundant,bsp --per-worker --format csv

# Series: a file beside the cluster's, uses of --series, seeded tasks.
mkdir -p sub
printf '%s\n' speed 100 50 > sub/two.csv
printf '%s\n' worker,kind,series,batch a,cpu,two.csv,100 > sub/one.csv
expect_number iteration_s 1.5 1e-12 balance run sub/one.csv --scheme bsp --iterations 10
expect_number iteration_s 1 1e-12 balance run sub/one.csv --scheme bsp --iterations 1
expect_number iteration_s 1.9 1e-12 \
    balance run sub/one.csv --scheme bsp --iterations 10 --row 1
expect_number iteration_s 1 1e-12 balance run sub/one.csv --scheme bsp --iterations 10 --row 1h
printf '%s\n' iteration,worker,cpu,memory,speed 0,a,1,1,20 0,b,1,1,60 1,a,1,1,10 > uses.csv
expect_number iteration_s 4.5 1e-12 \
    balance run cpus.csv --scheme bsp --iterations 10 --series uses.csv
printf '%s\n' iteration,worker,cpu,memory 0,c,1,0.1125 > uses.csv
expect_number iteration_s 4.8 1e-12 \
    balance run cpus.csv --scheme bsp --iterations 10 --series uses.csv
b=$root/validation/clusters/b.csv
expect_stdout '*' balance run "$b" --iterations 50 --format csv
bsp=$stdout
expect_stdout "$bsp" balance run "$b" --iterations 50 --format csv
run balance run "$b" --iterations 50 --seed 1 --format csv
[ "$status" -eq 0 ] && [ "$stdout" != "$bsp" ]
check $? 'want another run' balance run "$b" --seed 1
for predictor in ema arima rnn lstm narx arx; do
    expect_status 0 balance run "$b" --scheme lbbsp --iterations 30 --train 10 --warmup 20 \
        --predictor $predictor
done
run balance run "$b" --scheme lbbsp --iterations 5 --train 10 --predictor ema
matches "$stderr" '*note: --train has no effect on predictor ema, which trains nothing*'
check $? 'want a note' balance run --predictor ema --train 10
run balance run "$b" --scheme lbbsp --iterations 5 --train 10 --predictor arx
! matches "$stderr" '*--train*'
check $? 'want no note' balance run --predictor arx --train 10
a=$root/validation/clusters/a.csv
expect_number per_update_s 0.1975 0.01 balance run "$a" --scheme bsp
expect_number per_update_s 0.0843 0.01 balance run "$a" --scheme asp --warmup 100
expect_number per_update_s 0.0725 0.01 balance run "$a" --scheme lbbsp --warmup 200 --blocking
expect_number per_update_s 0.0725 0.01 balance run "$a" --scheme lbbsp --warmup 200 --rule advised

for pair in "--iterations 0" "--warmup -1" "--barrier -1" "--update x" "--migrate -1" \
    "--staleness -1" "--spare 0" "--checks 0" "--trigger 0" "--shed 2" \
    "--rule faster" "--balance evenly" "--least-batch -1" "--row -1" "--predictor var" "--seed x"
do
    expect_error "sgdperf: ${pair% *}: '${pair#* }' *" balance run cpus.csv $pair
done
expect_error 'sgdperf: --non-blocking: contradicts --blocking' \
    balance run cpus.csv --blocking --non-blocking
expect_error "sgdperf: --scheme: 'gossip' is none of all bsp*" \
    balance run cpus.csv --scheme bsp,gossip
expect_error "sgdperf: --spare: '3' leaves none of 3 workers" balance run cpus.csv --spare 3
expect_error "sgdperf: --predictor: 'narx' is for cpus" \
    balance run "$a" --balance speed --predictor narx
expect_error "sgdperf: --predictor: 'arx' needs series with columns cpu and memory" \
    balance run sub/one.csv --predictor arx
expect_error 'sgdperf: --least-batch: no batches within the limits have this sum' \
    balance run cpus.csv --least-batch 61

# Options of schemes that do not run would do nothing.
other() { # OPTION WANT ARGUMENT...
    want="sgdperf: $1: $2"
    shift 2
    expect_error "$want" balance run "$@"
}
for pair in ssp:staleness redundant:spare flexrr:checks flexrr:trigger flexrr:shed \
    flexrr:migrate lbbsp:update; do
    other "--${pair#*:}" "is for --scheme ${pair%:*}" cpus.csv --scheme bsp "--${pair#*:}" 1
done
other --blocking 'is for --scheme lbbsp' cpus.csv --scheme bsp,asp --blocking
other --predictor 'is for --scheme lbbsp with --balance speed' cpus.csv --scheme bsp --predictor ema
other --predictor 'is for --scheme lbbsp with --balance speed' "$a" --predictor ema
other --least-batch 'is for --scheme lbbsp with --balance speed' "$a" --least-batch 1
other --rule 'is for --scheme lbbsp with --balance pairs' cpus.csv --rule advised
other --smoothing 'is not for memoryless' cpus.csv --smoothing 0.5
other --epochs 'is for arima, rnn, lstm and narx' cpus.csv --predictor ema --epochs 3
other --no-line 'is for rnn, lstm and narx' cpus.csv --predictor arima --no-line
other --row 'needs a series' cpus.csv --row 1
expect_status 0 balance run cpus.csv --staleness 1 --spare 1 --checks 9 --predictor ema --iterations 9

# A flag says what is so by default, too.
run balance run cpus.csv --scheme lbbsp --update 0.5 --format csv
expect_stdout "$stdout" balance run cpus.csv --scheme lbbsp --update 0.5 --blocking --format csv
run balance run cpus.csv --scheme lbbsp --balance pairs --update 0.5 --format csv
expect_stdout "$stdout" \
    balance run cpus.csv --scheme lbbsp --balance pairs --update 0.5 --non-blocking --format csv

# Nothing is known before the first iteration, whose speed nobody predicts.
expect_number prediction_rmse 0 0 balance run cpus.csv --scheme lbbsp
# A worker without a batch has no speed that a prediction could miss.
printf '%s\n' speed 100 200 > turns.csv
printf '%s\n' worker,kind,speed,batch,series turns,cpu,,8,turns.csv slow,cpu,0.1,8, > idle.csv
expect_number prediction_rmse 100 1e-12 \
    balance run idle.csv --scheme lbbsp --warmup 5 --iterations 20

head=worker,count,kind,speed,launch_s,slope_s,floor_s,communication_s,max_batch,batch,series,spare
bad_worker() {
    printf '%s\n' $head a,1,cpu,100,,,,,,8,,0 "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$2" balance run bad.csv
}
printf '%s\n' $head a,1,cpu,100,0,0,0,0,,60,,0 b,1,gpu,0,0,0.02,0,0,,60,,0 > mixed.csv
expect_number iteration_s 1.2 1e-12 balance run mixed.csv --scheme bsp
expect_number 'lbbsp".*"iteration_s' 0.8 0.01 \
    balance run mixed.csv --scheme bsp,lbbsp --rule advised --warmup 100
expect_number 'lbbsp".*"iteration_s' 0.8 0.01 \
    balance run mixed.csv --scheme bsp,lbbsp --balance speed --warmup 100
bad_worker 'a,1,cpu,100,,,,,,8,,0' "3: column 'worker': 'a' occurs twice*"
bad_worker ',1,cpu,100,,,,,,8,,0' "3: column 'worker': the cell is empty"
bad_worker 'b,0,cpu,100,,,,,,8,,0' "3: column 'count': 0 is not a positive whole number"
bad_worker 'b,9999999,cpu,100,,,,,,8,,0' "3: column 'count': 9999999 is *"
bad_worker 'b,1,tpu,100,,,,,,8,,0' "3: column 'kind': 'tpu' is none of cpu gpu"
bad_worker 'b,1,cpu,-1,,,,,,8,,0' "3: column 'speed': -1 is negative"
bad_worker 'b,1,cpu,nan,,,,,,8,,0' "3: column 'speed': 'nan' is not a number"
bad_worker 'b,1,cpu,,,,,,,8,,0' "3: column 'speed': the cell is empty"
bad_worker 'b,1,cpu,1,1,,,,,8,,0' "3: column 'launch_s': 1, but a cpu has none"
bad_worker 'b,1,cpu,1,,,,,,0,,0' "3: column 'batch': 0 is not a positive whole number"
bad_worker 'b,1,cpu,1,,,,,7,8,,0' "3: column 'batch': 8 is above the max_batch 7"
bad_worker 'b,1,cpu,1,,,,,,8,,2' "3: column 'spare': 2 is too large"
bad_worker 'b,1,gpu,1,0,1,0,0,,8,,0' "3: column 'speed': 1, but a gpu has none"
bad_worker 'b,1,gpu,,0,1,0,0,,8,3,0' "3: column 'series': 3, but a gpu has none"
bad_worker 'b,1,gpu,,-1,1,0,0,,8,,0' "3: column 'launch_s': -1 is negative"
bad_worker 'b,1,gpu,,0,1,0,,,8,,0' "3: column 'communication_s': the cell is empty"
bad_worker 'b,1,cpu,1,,,,,,8,sub/two.csv,0' "3: column 'speed': 1, but 'sub/two.csv' has speeds"
bad_worker 'b,1,cpu,1e-308,,,,,,8,,0' '3: a batch of 8 takes longer than a double can say'
expect_error 'sgdperf: absent.csv: *' balance run absent.csv
printf '%s\n' $head > bad.csv
expect_error 'sgdperf: bad.csv:2: no rows under the header' balance run bad.csv
printf '%s\n' $head a,1,cpu,100,,,,,,8,,1 > bad.csv
expect_error "sgdperf: bad.csv:2: column 'spare': all workers are spare ones" balance run bad.csv
printf '%s\n' $head a,2,cpu,100,,,,,,8,,0 a-2,1,cpu,100,,,,,,8,,0 > bad.csv
expect_error "sgdperf: bad.csv:3: column 'worker': 'a-2' occurs twice" balance run bad.csv
printf '%s\n' $head a,1,cpu,,,,,,,8,empty.csv,0 > bad.csv
printf 'speed\n' > empty.csv
expect_error 'sgdperf: empty.csv:2: no rows under the header' balance run bad.csv
printf 'speed\n0\n' > empty.csv
expect_error "sgdperf: empty.csv:2: column 'speed': 0 is not positive" balance run bad.csv
bad_use() {
    printf '%s\n' iteration,worker,cpu,memory 0,a,1,1 "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$2" balance run cpus.csv --series bad.csv
}
bad_use '1,z,1,1' "3: column 'worker': 'z' is no worker of cpus.csv"
bad_use '2,a,1,1' "3: column 'iteration': 2, but 1 is the next of 'a'"
bad_use '1,a,-1,1' "3: column 'cpu': -1 is negative"
bad_use '1,a,1,nan' "3: column 'memory': 'nan' is not a number"
bad_use '1,a,0,1' "3: column 'cpu': the worker would stand still"
printf '%s\n' iteration,worker,cpu,memory 0,V100-1,1,1 > uses.csv
expect_error "sgdperf: uses.csv:2: column 'worker': 'V100-1' is a gpu, or has a series" \
    balance run "$a" --series uses.csv

cli_report balance_run

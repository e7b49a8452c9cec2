# sgdperf balance run: closed forms, files, the two clusters, bad input.
. tests/cli.sh

# ---- Closed forms of constant speeds: v = 100, 50, 25, x = 60
file cpus.csv <<'END'
worker,kind,speed,batch
a,cpu,100,60
b,cpu,50,60
c,cpu,25,60
END
run balance run cpus.csv --scheme ssp --staleness 4 --format csv
run balance run cpus.csv --scheme flexrr,bsp,lbbsp --warmup 10 --format csv
awk -F, 'NR == 2 { flexrr = $3 } NR == 3 { bsp = $3 } NR == 4 { lbbsp = $3 }
         END { exit !(lbbsp <= flexrr && flexrr < bsp && NR == 4) }' .stdout
check $? 'want lbbsp <= flexrr < bsp' balance run cpus.csv

# Series: a file beside the cluster's, uses of --series, seeded tasks.
mkdir -p sub
printf '%s\n' speed 100 50 > sub/two.csv
printf '%s\n' worker,kind,series,batch a,cpu,two.csv,100 > sub/one.csv
expect_number iteration_s 1.5 1e-12 balance run sub/one.csv --scheme bsp --iterations 10
expect_number iteration_s 1 1e-12 balance run sub/one.csv --scheme bsp --iterations 1
expect_number iteration_s 1.9 1e-12 \
    balance run sub/one.csv --scheme bsp --iterations 10 --row 1
expect_number iteration_s 1 1e-12 balance run sub/one.csv --scheme bsp --iterations 10 --row 1h
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
expect_note '*note: --train has no effect on predictor ema, which is not trained*' \
    balance run "$b" --scheme lbbsp --iterations 5 --train 10 --predictor ema
expect_none '*--train*' balance run "$b" --scheme lbbsp --iterations 5 --train 10 --predictor arx
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
expect_error "sgdperf: --predictor: 'narx' can only be used if all workers have kind cpu, *" \
    balance run "$a" --balance speed --predictor narx
expect_error "sgdperf: --predictor: 'arx' needs series with columns cpu and memory" \
    balance run sub/one.csv --predictor arx

# Options of schemes that do not run would do nothing.
other() { # OPTION WANT ARGUMENT...
    want="sgdperf: $1: $2"
    shift 2
    expect_error "$want" balance run "$@"
}
for option in staleness spare checks trigger shed migrate update; do
    other "--$option" 'cannot be combined with --scheme bsp' cpus.csv --scheme bsp "--$option" 1
done
other --predictor 'needs --balance speed' "$a" --predictor ema
other --least-batch 'needs --balance speed' "$a" --least-batch 1
expect_status 0 balance run cpus.csv --staleness 1 --spare 1 --checks 9 --predictor ema --iterations 9

# A flag says what is so by default, too.
run balance run cpus.csv --scheme lbbsp --update 0.5 --format csv
run balance run cpus.csv --scheme lbbsp --balance pairs --update 0.5 --format csv

head=worker,count,kind,speed,launch_s,slope_s,floor_s,communication_s,max_batch,batch,series,spare
bad_worker() {
    printf '%s\n' $head a,1,cpu,100,,,,,,8,,0 "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$2" balance run bad.csv
}
bad_worker 'b,1,cpu,1,,,,,,8,sub/two.csv,0' "3: column 'speed': 1, but the speeds are in 'sub/two.csv': leave the cell empty"
printf '%s\n' iteration,worker,cpu,memory 0,V100-1,1,1 > uses.csv
expect_error "sgdperf: uses.csv:2: column 'worker': worker 'V100-1' is a gpu, or has a series already" \
    balance run "$a" --series uses.csv

cli_report balance_run

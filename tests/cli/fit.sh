# sgdperf fit: generated curves give their parameters back, errors, bad input.
. tests/cli.sh

# curve NAME "STEP": rows workers,batches_per_s of an awk expression for the step in n, of which
# ln[n] is the logarithm: not every awk has one.
logarithms="0 0.69314718055994529 1.0986122886681098 1.3862943611198906 1.6094379124341003
    1.791759469228055 1.9459101490553132 2.0794415416798357 2.1972245773362196
    2.3025850929940459 2.3978952727983707 2.4849066497880004"
curve() {
    awk -v logarithms="$(echo $logarithms)" "BEGIN { split(logarithms, ln, \" \"); print \"workers,batches_per_s\"
        for (n = 1; n <= 12; n++) printf \"%d,%.17g\\n\", n, n / ($2) }" > "$1"
}
curve ernest.csv '0.5 + 2 / n + 0.25 * ln[n] + 0.125 * n'
curve async.csv '0.75 + 0.03125 * n'
curve sync.csv '2 / n + 0.5 + 0.01 * n'
curve amdahl.csv '(1 + 0.04 * (n - 1)) / 3'
curve usl.csv '(1 + 0.04 * (n - 1) + 0.003 * n * (n - 1)) / 3'

# expect_parameters MODEL FILE NAME VALUE...
expect_parameters() {
    model=$1
    points=$2
    shift 2
    while [ $# -gt 0 ]; do
        expect_number "$1" "$2" 1e-6 fit "$points" --model "$model"
        shift 2
    done
    run fit "$points" --model "$model" --format json
    got=$(sed 's/.*"fit":{"rows":[0-9]*,"mean_error":\([^,]*\),.*/\1/' .stdout)
    holds 'want an error of 0' awk -v error="$got" 'BEGIN { exit !(error != "" && error < 1e-9) }'
}
expect_parameters ernest ernest.csv \
    constant_s 0.5 parallel_s 2 logarithmic_s 0.25 linear_s 0.125
expect_parameters optimus-async async.csv constant_s 0.75 linear_s 0.03125
expect_parameters optimus-sync sync.csv parallel_s 2 constant_s 0.5 linear_s 0.01
expect_parameters amdahl amdahl.csv rate_per_s 3 serial 0.04
expect_parameters usl usl.csv rate_per_s 3 contention 0.04 coherency 0.003

# Beyond the points: the curve that they were made of.
expect_number 'workers":40,"batches_per_s' 20 1e-6 \
    fit async.csv --model optimus-async --workers 8,40
expect_number 'workers":64,"batches_per_s' 54.545454545454547 1e-6 fit amdahl.csv --model amdahl
expect_stdout '{"model":"usl","parameters":{"rate_per_s":*,"contention":*,"coherency":*},"peak_workers":17.88854381*,"fit":{"rows":12,"mean_error":*,"median_error":*,"max_error":*,"bias":*},"score":null,"curve":[[]{"workers":2,"batches_per_s":*},{"workers":4,*}]}' \
    fit usl.csv --model usl --workers 2-5:2 --format json
expect_stdout 'usl, fitted to 12 points*rate_per_s*contention*role*fit*workers*batches_per_s*step_s*' \
    fit usl.csv --model usl
expect_stdout 'workers,batches_per_s,step_s,speedup,efficiency
8,*
16,*' fit async.csv --model optimus-async --workers 8,16 --format csv
run fit async.csv --model optimus-async --format csv
holds 'want 64 points' [ "$(wc -l < .stdout)" -eq 65 ]
cp .stdout curve.csv
stdin=curve.csv
expect_number linear_s 0.03125 1e-6 fit - --model optimus-async
stdin=/dev/null

# Parameters are not negative: a superlinear curve is at best linear.
printf 'workers,batches_per_s\n1,1\n2,3\n4,10\n8,30\n' > super.csv
expect_number contention 0 0 fit super.csv --model usl
expect_number coherency 0 0 fit super.csv --model usl

# ---- Several servers
# surface NAME "STEP": all of 1..6 workers and 1..3 servers, of a step in n and p.
surface() {
    awk "BEGIN { print \"servers,workers,batches_per_s\"
        for (n = 1; n <= 6; n++) for (p = 1; p <= 3; p++)
            printf \"%d,%d,%.17g\n\", p, n, n / ($2) }" > "$1"
}
surface sync2.csv '2 / n + 0.5 + 0.25 * n / p + 0.01 * n + 0.02 * p'
surface async2.csv '0.5 + 0.25 * n / p + 0.01 * n + 0.02 * p'
expect_parameters optimus-sync sync2.csv \
    parallel_s 2 constant_s 0.5 shared_s 0.25 linear_s 0.01 servers_s 0.02
expect_parameters optimus-async async2.csv constant_s 0.5 shared_s 0.25 linear_s 0.01 servers_s 0.02
expect_parameters optimus-async-servers async2.csv shared_s 0.25
expect_stdout '{"model":"optimus-sync-servers",*"curve":[[]{"workers":8,"servers":1,"batches_per_s":*},{"workers":8,"servers":2,*{"workers":8,"servers":3,"batches_per_s":*}]}' \
    fit sync2.csv --model optimus-sync --workers 8 --format json
expect_number 'servers":4,"batches_per_s' 6.8965517241379306 1e-6 \
    fit async2.csv --model optimus-async --workers 8 --servers 4
expect_stdout 'workers,servers,batches_per_s,step_s,speedup,efficiency
8,4,6.896*' fit async2.csv --model optimus-async --workers 8 --servers 4 --format csv
sed '1s/$/,servers/; 2,$s/$/,1/' sync.csv > one.csv
expect_parameters optimus-sync one.csv parallel_s 2 constant_s 0.5 linear_s 0.01
expect_error "sgdperf: sync2.csv:3: column 'servers': 2, but 1 in another row: --model ernest needs one number of servers; the models optimus-*-servers take several" \
    fit sync2.csv --model ernest
expect_error 'sgdperf: --servers: cannot be combined with --model usl, which describes one number of servers' \
    fit usl.csv --model usl --servers 2
sed '1s/$/,servers/; 2,$s/$/,0/' sync.csv > bad.csv
expect_error "sgdperf: bad.csv:2: column 'servers': 0 is not a positive whole number" \
    fit bad.csv --model optimus-sync
head -n 4 sync2.csv > few.csv

# ---- Points to measure: a line at its ends, alternating
expect_stdout '{"model":"optimus-sync-servers","parameters":{*"suggested":[[]{"workers":*,"servers":*,"spread":*},{"workers":*}]}' \
    fit sync2.csv --model optimus-sync --suggest 2 --workers 1 --format json
# What is suggested before a fit makes one possible.
run fit --model optimus-sync --suggest 5 --candidates 1-6 --among-servers 1-3 --format csv
awk -F, 'NR == FNR { if (FNR > 1) want[$1 "," $2] = 1; next }
    FNR == 1 || ($2 "," $1) in want' .stdout sync2.csv > chosen.csv
expect_parameters optimus-sync chosen.csv \
    parallel_s 2 constant_s 0.5 shared_s 0.25 linear_s 0.01 servers_s 0.02
run fit few.csv --model optimus-sync --suggest 2 --format json
matches "$stdout" '{"model":"optimus-sync-servers","parameters":null,"peak_workers":null,"fit":null,"score":null,"curve":[[]],"suggested":[[]{"workers":*' &&
    matches "$stderr" '*note: too few points for a fit: only points to measure are printed*'
check $? 'want points alone' fit few.csv --model optimus-sync --suggest 2
expect_error 'sgdperf: --candidates: needs --suggest' fit usl.csv --model usl --candidates 1-4
# Not a list of four billion numbers of servers, which memory may not hold.
expect_error 'sgdperf: --among-servers: needs --suggest' \
    fit sync2.csv --model optimus-sync --among-servers 2

# ---- Usage
expect_error 'sgdperf: --model is missing: ernest*' fit usl.csv
expect_error "sgdperf: --model: 'linear' is not one of ernest, optimus-async, optimus-sync, amdahl, usl*" \
    fit usl.csv --model linear
expect_error 'sgdperf: --fit: unknown option*' fit usl.csv --model usl --fit server
expect_error "sgdperf: --workers: '0' is not a positive whole number" \
    fit usl.csv --model usl --workers 0
printf 'workers,batches_per_s\n1,1\n2,2\n2,2.5\n1,1.1\n' > same.csv
expect_error 'sgdperf: same.csv: points at 2 different numbers*' fit same.csv --model optimus-sync
expect_status 0 fit same.csv --model amdahl

# ---- Bad points
whole() {
    printf "$1" > bad.csv
    expect_error "sgdperf: bad.csv:$2" fit bad.csv --model amdahl
}
whole '' '1: the file is empty, but needs a header'
whole '\000\001\002' '1: byte 0x00 is not text'

# A fit through all of its points, and a curve beyond them, are said.
printf 'workers,batches_per_s\n1,10\n4,31\n' > two.csv
expect_note '*2 points for 2 parameters: *beyond 4 workers, the largest number fitted, *' \
    fit two.csv --model amdahl --workers 4,5
printf '2,18\n' >> two.csv
run fit two.csv --model amdahl --workers 4
check ${#stderr} 'want no note' fit two.csv

# Extreme rates give numbers or are refused.
printf 'workers,batches_per_s\n1,1e-308\n2,1e308\n3,1\n4,1e-300\n' > extreme.csv
for model in ernest optimus-async optimus-sync amdahl usl optimus-sync-servers; do
    for format in table csv json; do
        bulk expect_finite fit extreme.csv --model $model --format $format
    done
done
cli_report fit

# sgdperf fit: generated curves give their parameters back, errors, bad input.
. tests/cli.sh

# curve NAME "STEP": rows workers,batches_per_s of an awk expression for the step in n.
curve() {
    awk "BEGIN { print \"workers,batches_per_s\"
        for (n = 1; n <= 12; n++) printf \"%d,%.17g\\n\", n, n / ($2) }" > "$1"
}
curve ernest.csv '0.5 + 2 / n + 0.25 * log(n) + 0.125 * n'
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
    awk -v error="$got" 'BEGIN { exit !(error != "" && error < 1e-9) }'
    check $? 'want an error of 0' fit "$points" --model "$model"
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
expect_stdout '{"model":"usl","parameters":{"rate_per_s":*,"contention":*,"coherency":*},"fit":{"rows":12,"mean_error":*,"median_error":*,"max_error":*,"bias":*},"score":null,"curve":[[]{"workers":2,"batches_per_s":*},{"workers":4,*}]}' \
    fit usl.csv --model usl --workers 2-5:2 --format json
expect_stdout 'usl, fitted to 12 points*rate_per_s*contention*role*fit*workers*batches_per_s*step_s*' \
    fit usl.csv --model usl
expect_stdout 'workers,batches_per_s,step_s
8,*
16,*' fit async.csv --model optimus-async --workers 8,16 --format csv
run fit async.csv --model optimus-async --format csv
[ "$(wc -l < .stdout)" -eq 65 ]
check $? 'want 64 points' fit async.csv --model optimus-async --format csv
cp .stdout curve.csv
stdin=curve.csv
expect_number linear_s 0.03125 1e-6 fit - --model optimus-async
stdin=/dev/null

# Scored rows do not count in the fit. The model of the fitted ones is exact.
file roles.csv <<'END'
role,workers,batches_per_s,note
fit,1,1,
score,4,5,far off
fit,2,2,
score,8,4,
END
expect_number rate_per_s 1 1e-9 fit roles.csv --model amdahl
expect_number 'score":.*"mean_error' 0.6 1e-9 fit roles.csv --model amdahl
expect_number 'score":.*"max_error' 1 1e-9 fit roles.csv --model amdahl
expect_number 'score":.*"bias' 0.4 1e-9 fit roles.csv --model amdahl
expect_stdout '*fit    *score  *' fit roles.csv --model amdahl

# Parameters are not negative: a superlinear curve is at best linear.
printf 'workers,batches_per_s\n1,1\n2,3\n4,10\n8,30\n' > super.csv
expect_number contention 0 0 fit super.csv --model usl
expect_number coherency 0 0 fit super.csv --model usl

# ---- Usage
expect_error 'sgdperf: --model is missing: ernest*' fit usl.csv
expect_error "sgdperf: --model: 'linear' is none of ernest optimus-async optimus-sync amdahl usl" \
    fit usl.csv --model linear
expect_error 'sgdperf: fit: a file is missing, see --help' fit --model usl
expect_error 'sgdperf: --fit: unknown option*' fit usl.csv --model usl --fit server
expect_error "sgdperf: --workers: '0' is not a positive whole number" \
    fit usl.csv --model usl --workers 0
expect_error 'sgdperf: none.csv: *' fit none.csv --model usl
expect_error 'sgdperf: roles.csv: 2 different numbers of workers to be fitted, but --model usl has 3 parameters' \
    fit roles.csv --model usl
printf 'workers,batches_per_s\n1,1\n2,2\n2,2.5\n1,1.1\n' > same.csv
expect_error 'sgdperf: same.csv: 2 different numbers*' fit same.csv --model optimus-sync
expect_status 0 fit same.csv --model amdahl

# ---- Bad points
bad() {
    printf 'workers,batches_per_s,role\n%s\n' "$1" > bad.csv
    expect_error "sgdperf: bad.csv:2: $2" fit bad.csv --model amdahl
}
bad '0,1,fit' "column 'workers': 0 is not a positive whole number"
bad '-1,1,fit' "column 'workers': -1 is not a positive whole number"
bad '1.5,1,fit' "column 'workers': 1.5 is not a positive whole number"
bad '4294967296,1,fit' "column 'workers': 4294967296 is too large"
bad ',1,fit' "column 'workers': the cell is empty"
bad '1,0,fit' "column 'batches_per_s': 0 is not positive"
bad '1,-1,fit' "column 'batches_per_s': -1 is negative"
bad '1,nan,fit' "column 'batches_per_s': 'nan' is not a number"
bad '1,inf,fit' "column 'batches_per_s': 'inf' is not a number"
bad '1,1e999,fit' "column 'batches_per_s': '1e999' is too large"
bad '1,,fit' "column 'batches_per_s': the cell is empty"
bad '1,1,test' "column 'role': 'test' is none of fit score"
bad '1,1,' "column 'role': '' is none of fit score"
bad '1,1' '2 cells in a row, 3 in the header'
whole() {
    printf "$1" > bad.csv
    expect_error "sgdperf: bad.csv:$2" fit bad.csv --model amdahl
}
whole '' '1: no header: the file is empty'
whole 'workers,batches_per_s\n' '2: no rows under the header'
whole 'workers,rate\n1,1\n' "1: no column 'batches_per_s'"
whole 'batches_per_s\n1\n' "1: no column 'workers'"
whole 'workers,workers,batches_per_s\n1,1,1\n' "1: column 'workers' occurs twice"
whole '\000\001\002' '1: byte 0x00 is not text'

# Extreme rates give numbers or are refused.
printf 'workers,batches_per_s\n1,1e-308\n2,1e308\n3,1\n4,1e-300\n' > extreme.csv
for model in ernest optimus-async optimus-sync amdahl usl; do
    for format in table csv json; do
        run fit extreme.csv --model $model --format $format
        ! matches "$stdout" '*[nN]a[nN]*' && ! matches "$stdout" '*[iI]nf*' &&
            { [ "$status" -eq 0 ] || [ "$status" -eq 2 ]; }
        check $? 'want no NaN or infinity' fit extreme.csv --model $model --format $format
    done
done
cli_report fit

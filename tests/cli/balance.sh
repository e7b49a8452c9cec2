# sgdperf balance: golden batches, traces and predictions, bad input; all but balance run.
. tests/cli.sh

# ---- Golden: lines PATH VALUE, the parts of a path between points
awk -f "$root/tests/flat.awk" "$root/tests/golden/balance.json" > golden
cases=0
awk -F '[.\t]' '$1 == "alg1" && $3 == "X" { total[$2] = $4; cases = $2 + 1 }
    $1 == "alg1" && $3 != "X" {
        value = $0
        sub(/.*\t/, "", value)
        list[$2, $3] = list[$2, $3] ($4 > 0 ? "," : "") value
    }
    END { for (i = 0; i < cases; i++) print list[i, "v"], total[i], list[i, "expect"] }' \
    golden > shares
while read -r speeds total batches; do
    run balance cpu --speeds "$speeds" --total "$total" --format json
    [ "$status" -eq 0 ] && [ "${stdout%,\"optimum\"*}" = "{\"batches\":[$batches]" ]
    check $? "want $batches" balance cpu --speeds "$speeds" --total "$total"
    cases=$((cases + 1))
done < shares
holds "want 4 golden shares, got $cases" [ "$cases" -eq 4 ]

# The trace as CSV has the batches of each iteration, the golden one those after it.
{
    echo worker,launch_s,slope_s,floor_s,communication_s
    sed -n 's/^alg2.curve_[a-z_]*\.[0-9]\.[0-9]	//p' golden | paste -d , - - - - |
        awk '{ print "w" 5 - NR "," $0 }'
} > curves.csv
sed -n 's/^alg2.trace.*	//p' golden | paste -d , - - - - > want
run balance gpu --curves curves.csv --start 32,32,32,32 --iterations 120 --format json
[ "$status" -eq 0 ] && [ "$(wc -l < want)" -eq 120 ] && matches "$stdout" \
    "{\"batches\":[[]89,21,12,6],\"trace\":[[][[]$(paste -s -d ' ' want | sed 's/ /],[[]/g')]],*"
check $? "want the golden trace" balance gpu
run balance gpu --curves curves.csv --start 32 --iterations 121 --format csv
awk -F, 'NR == 1 { exit $0 != "iteration,worker,batch,time_s" }' .stdout &&
    awk -F, 'NR > 5 { printf "%s%s", $3, (NR - 1) % 4 == 0 ? "\n" : "," }' .stdout | cmp -s - want
check $? "want the golden trace" balance gpu --format csv

{ echo speed; sed -n 's/^predictors.series.*	//p' golden; } > series.csv
for predictor in memoryless ema; do
    run balance predict series.csv --predictor $predictor --format csv
    sed -n "s/^predictors.$predictor[^.]*\.[0-9]*	//p" golden > want
    tail -n +2 .stdout | cut -d, -f3 | paste -d ' ' - want | awk '
        { error = $1 / $2 - 1; if (error > 1e-12 || error < -1e-12) bad = 1; n++ }
        END { exit bad || n != 10 }'
    check $? "want the golden predictions" balance predict --predictor $predictor
done

# ---- gpu
expect_stdout '*iteration 1.16 s, optimum 1.16 s; mean of 120 iterations *' \
    balance gpu --curves curves.csv --start 32
# A worker of less bandwidth: the published rule cycles, what is advised finds the optimum.
changed="balance gpu --curves curves.csv --start 32 --iterations 300
    --change 150:w3:communication_s=400ms"
expect_stdout '*iteration 1.2369 s, optimum 1.2214 s;*' $changed
expect_stdout '*iteration 1.2214 s, optimum 1.2214 s;*' $changed --rule advised
expect_stdout '*,"optimum":[[]96,13,13,6],"remove":null}' $changed --format json
# Without a change from outside, none before it either.
run $changed --format csv
awk -F, '$2 == "w3" && ($1 == 150 || $1 == 151) { sum += $1 == 150 ? $4 - 1.16 : $4 - 1.46; n++ }
         END { exit !(n == 2 && sum * sum < 1e-20) }' .stdout
check $? "want 1.16 s in iteration 150, 1.46 s in 151" $changed
# One that cannot keep up, even with a step's samples.
stdin=curves.csv
expect_status 0 balance gpu --curves - --start 32
stdin=/dev/null
gpu() { want=$1; shift; expect_error "sgdperf: $want" balance gpu --curves curves.csv "$@"; }
gpu '--start is missing'
gpu "--start: '32,32' has 2 numbers for 4 workers" --start 32,32
gpu "--start: '0' is not a positive whole number" --start 0
gpu "--iterations: '0' is not a positive whole number" --start 1 --iterations 0
gpu "--change: '5' is not K:WORKER:COLUMN=SECONDS" --start 1 --change 5
gpu "--change: 'w9' is not a worker of --curves" --start 1 --change 5:w9:slope_s=1
gpu "--change: 'slope' is not one of launch_s*" --start 1 --change 5:w1:slope=1
gpu "--change: '-1' is negative" --start 1 --change 5:w1:slope_s=-1
gpu "--change: '121' is after the last of 120 iterations" --start 1 --change 121:w1:slope_s=1
gpu "--change: 'w1' has neither slope_s nor floor_s after iteration 5" \
    --start 1 --change 5:w1:slope_s=0
gpu "--rule: 'best' is not one of published, advised" --start 1 --rule best
for option in --step --window --fine-step --fine-window; do
    gpu "$option: '0' is not a positive whole number" --start 1 $option 0
done
# Workers that tie but for rounding count as equal: batches come to rest.
file ties.csv <<'END'
worker,launch_s,slope_s,floor_s,communication_s
V100,0.27929824561403493,0.008771929824561403,0,0.1
M60,0.43,0.03,0,0.1
K80,0.46,0.05,0,0.1
K520,0.5984615384615383,0.07692307692307693,0,0.1
END
run balance gpu --curves ties.csv --start 32 --iterations 1000 --format csv
awk -F, '$1 > 500 && $2 == "V100" && $3 == 89 { n++ } END { exit n != 500 }' .stdout
check $? "want 89 for good" balance gpu
# The constants of either rule are those that are named.
run balance gpu --curves curves.csv --start 32 --format csv
published=$stdout
expect_stdout "$published" balance gpu --curves curves.csv --start 32 --rule published \
    --step 5 --window 5 --fine-step 1 --fine-window 20 --format csv
run balance gpu --curves curves.csv --start 32 --rule advised --fine-window 10 --format csv
advised=$stdout
expect_stdout "$advised" balance gpu --curves curves.csv --start 32 --rule advised --format csv
for constant in "--step 4" "--window 6" "--fine-step 2" "--fine-window 3"; do
    run balance gpu --curves curves.csv --start 32 $constant --format csv
    [ "$status" -eq 0 ] && [ "$stdout" != "$published" ] && [ "$stdout" != "$advised" ]
    check $? "want other batches" balance gpu $constant
done

# bad HEADER ROW MESSAGE COMMAND...: a good row and a bad one.
printf '%s\n' worker,launch_s,slope_s,floor_s,communication_s > bad.csv
for column in worker launch_s slope_s floor_s communication_s; do
    sed "1s/$column/other/" curves.csv > bad.csv
    expect_error "sgdperf: bad.csv:1: column '$column' is missing" balance gpu --curves bad.csv --start 4
done

# ---- predict
"$program" balance series --seed 3 --iterations 700 --format csv > long.csv
expect_stdout '{"predictor":"ema","rmse":*,"rows_scored":9,*"predictions":[[]100,*]*}' \
    balance predict series.csv --predictor ema --format json
for predictor in memoryless ema arima rnn lstm narx arx; do
    expect_stdout "*,\"rows_scored\":190,\"first_scored\":510,*" \
        balance predict long.csv --predictor $predictor --format json
    eval "$predictor=\$(printf '%s' \"\$stdout\" | sed 's/.*\"rmse\":\([^,]*\).*/\1/')"
done
awk "BEGIN { exit !($arx < 0.6 * $ema && $narx < 0.6 * $ema && $ema < $memoryless) }"
check $? "want arx $arx and narx $narx below 0.6 ema $ema, below $memoryless" balance predict
expect_stdout '*"rmse":'"$narx"',*' \
    balance predict long.csv --predictor narx --seed 1 --format json
expect_stdout '*"clamped":0,*' balance predict long.csv --predictor narx --unclamped --format json
expect_none '*"rmse":'"$narx"',*' balance predict long.csv --predictor narx --seed 2 --format json
"$program" balance series --seed 4 --iterations 700 --format csv > other.csv
run balance predict long.csv --predictor narx --weights-from other.csv --format json
[ "$status" -eq 0 ] && ! matches "$stdout" '*"rmse":'"$narx"',*'
check $? "want another rmse than $narx" balance predict --weights-from other.csv
expect_error 'sgdperf: --weights-from: needs --predictor arima, rnn, lstm or narx' \
    balance predict long.csv --predictor ema --weights-from other.csv
expect_error "sgdperf: series.csv:1: column 'cpu' is missing" balance predict series.csv --predictor narx
expect_error "sgdperf: series.csv:1: column 'cpu' is missing" balance predict series.csv --predictor arx
expect_error "sgdperf: --predictor: 'var' is not one of memoryless, ema*" \
    balance predict series.csv --predictor var
expect_error "sgdperf: --train: '9' is *" balance predict series.csv --train 9
expect_error "sgdperf: --smoothing: '0' is not positive" \
    balance predict series.csv --predictor ema --smoothing 0
expect_error "sgdperf: --smoothing: '2' is *" \
    balance predict series.csv --predictor ema --smoothing 2

# ---- series
"$program" balance series --seed 3 --iterations 20 --format csv > short.csv
head -n 21 long.csv | cmp -s - short.csv
check $? 'want the rows of a longer series' balance series --seed 3 --iterations 20
"$program" balance series --seed 3 --iterations 20 --speed 220 --format csv |
    paste -d , - short.csv | awk -F, 'NR > 1 { error = $1 / $4 - 2
        if (error > 1e-9 || error < -1e-9 || $2 != $5 || $3 != $6) exit 1 }'
check $? 'want twice the speed' balance series --seed 3 --iterations 20 --speed 220

# ---- fit: points of two curves, mixed; back to the curves
file points.csv <<'END'
worker,batch,time_s
gpu,8,0.5
line,1,1.25
gpu,96,1.7
gpu,16,0.5
line,2,1.5
gpu,32,0.7
line,5,2.25
gpu,64,1.2
END
"$program" balance fit points.csv --format csv > fitted.csv
expect_status 0 balance gpu --curves fitted.csv --start 8

cli_report balance

# sgdperf plan: by hand, parts that add up, rankings, mappings, trials, bad input.
. tests/cli.sh
networks=$root/validation/networks

file two.csv <<'EOF'
name,kind,n_in,n_out
hidden,fc,1000,1000
out,softmax,1000,100
EOF
constants='--c-muladd 1ns --c-nbw 8Gbps --n-sample 7000'
small="--machines 3 --cores 1 $constants"

# Two workers, cut in two: each needs 500 activations, or 50 error terms, of the other.
set -f                                 # * is not for the shell

# ---- Search: nothing given is better than the best, parts add up, places differ
cores=4                                # with 16 it takes ten times as long
[ -n "${TEST_FULL:-}" ] && cores=16
mnist="$networks/mnist.csv --machines 20 --cores $cores --c-muladd 1ns --c-act 5ns --c-err 5ns
    --c-interf $cores:1.5 --c-ncost 50us --c-nbw 10Gbps --n-sample 60000"
run plan $mnist --all --format csv
printf '%s\n' "$stdout" | awk -F, 'NR > 1 {
        sum = $7 + $8 + $9 + $10 + $11 + $12 + $13 + $14
        if (sum < $6 * (1 - 1e-12) || sum > $6 * (1 + 1e-12)) bad++
        if ($6 < last || $3 * $4 + $5 > 20 || seen[$3, $4, $5]++) bad++
        last = $6; rows++ }
    END { exit !(rows == 534 && bad == 0) }'
check $? 'want 534 configurations in order' plan $mnist --all
best=$(printf '%s\n' "$stdout" | awk -F, 'NR == 2 { print $6 }')
expect_number epoch_s "$best" 1e-12 plan $mnist
for config in 2/9/2 4/4/4 1/19/1; do
    run plan $mnist --config $config --format csv
    printf '%s\n' "$stdout" | awk -F, -v best="$best" 'NR == 2 && $6 >= best { ok = 1 }
        END { exit !ok }'
    check $? "want at least $best" plan $mnist --config $config
done
run plan $mnist --threads-differ --format csv --runners-up 0
printf '%s\n' "$stdout" | awk -F, -v best="$best" 'NR == 2 && $6 <= best { ok = 1 }
    END { exit !(ok && NR == 2) }'
check $? "want at most $best" plan $mnist --threads-differ
run plan $mnist --max-replications 1 --format csv
printf '%s\n' "$stdout" | awk -F, -v best="$best" 'NR > 1 && ($6 < best || $15 ~ "/[2-9]/") {
    bad++ } END { exit !(NR == 12 && bad == 0) }'
check $? 'want no replications' plan $mnist --max-replications 1

# ranked NUMBER CONFIG...: the order of the ranking.
run plan $mnist --config 4/4/4 --config 1/12/8 --config 2/9/2 --format csv
[ "$(printf '%s\n' "$stdout" | awk -F, 'NR > 1 { n++; if ($2 != n || $6 < last) exit 1
    last = $6 } END { print n }')" = 3 ]
check $? 'want three in order' plan $mnist --config ...
expect_stdout 'machines,rank,*
20,1,*' plan $mnist --config 4/4/4 --config 1/12/8 --runners-up 0 --format csv
holds 'want the best of those given' [ "$(printf '%s\n' "$stdout" | wc -l)" -eq 2 ]
# Equal epochs: --all has them in the order of the ranking.
tied="$networks/mnist.csv --machines 12 --cores 2 --c-muladd 1 --c-nbw 1e300 --n-sample 7000"
run plan $tied --runners-up 60 --format csv
printf '%s\n' "$stdout" | head -n 60 > ranking
awk -F, 'NR > 2 && $6 == last { ties++ } { last = $6 } END { exit ties == 0 }' ranking &&
    [ "$(wc -l < ranking)" -eq 60 ]
check $? 'want equal epochs' plan $tied
run plan $tied --all --format csv
[ "$(printf '%s\n' "$stdout" | head -n 60)" = "$(cat ranking)" ]
check $? 'want the order of the ranking' plan $tied --all
expect_stdout 'machines,rank,*20,1,*30,1,*' plan $networks/mnist.csv --cores 2 $constants \
    --machines 20,30 --runners-up 0 --max-replications 1 --format csv

# Each worker holds one segment of a layer at most, and all segments are there.
run plan $networks/imagenet22k.csv --machines 20 --cores 4 $constants --format json
printf '%s\n' "$stdout" | tr '{' '\n' | sed 's/[][}"]//g' | awk -F'[:,]' '
    $1 == "servers" && workers == 0 { workers = $6 }
    $1 == "name" && $3 == "partitions" && !($2 in want) { want[$2] = $4 * $6 }
    $1 == "layer" { got[$2]++; if (seen[$2, $8]++ || $8 >= workers) bad++ }
    END { for (l in want) { layers++; if (got[l] != want[l]) bad++ }
          exit !(layers == 11 && bad == 0) }'
check $? 'want every segment on a worker of its own' plan imagenet22k.csv

# ---- Measured constants: all of them, positive, and plan takes them
run plan measure --quick --threads 2 --format csv
cp .stdout measured.csv
awk -F, 'NR == 1 { if ($0 != "constant,at,value,unit,spread") bad++; next }
    { n[$1]++; if (!($3 > 0 && $5 >= 0)) bad++ }
    $1 == "C_muladd" { size = size ? 2 * size : 16384; if ($2 != size || $3 > 1e-6) bad++ }
    $1 == "C_interf" { if ($2 != n[$1] || ($2 == 1 && $3 != 1)) bad++ }
    END { exit !(bad == 0 && n["C_muladd"] == 7 && n["C_act"] == 1 && n["C_err"] == 1 &&
                 n["C_interf"] == 2) }' measured.csv
check $? 'want a table of constants' plan measure --quick --format csv
expect_stdout '*best: *' plan two.csv --machines 4 --cores 2 --constants measured.csv \
    --c-nbw 1Gbps --n-sample 60000
run plan measure --quick --threads 1 --largest 32KiB --format csv
[ "$status" -eq 0 ] && [ "$(grep -c C_muladd .stdout)" -eq 2 ] &&
    [ "$(grep -c C_interf .stdout)" -eq 1 ]
check $? 'want two sizes and one thread' plan measure --largest 32KiB
run plan measure --quick --threads 1 --largest 2MiB --shared 16KiB --format csv
[ "$status" -eq 0 ] && matches "$stdout" '*C_muladd,2097152,*C_act,,*'
check $? 'want a size beside those that C_act is of' plan measure --largest 2MiB

# A plan's places are those of the search exactly where the epoch would be longer.
run plan $mnist --format json
printf '%s\n' "$stdout" | tr ',{' '\n\n' | awk -F: '$1 == "\"epoch_s\"" { n++; if (n == 1) best = $2
        if (n == 1) next } /"mapping"/ { in_mapping = 1 }
    in_mapping && $1 == "\"epoch_s\"" && !(mapped) { mapped = $2 }
    END { exit !(mapped > 0 && mapped <= best * (1 + 1e-12)) }'
check $? 'want places that cost no more than the search thought' plan $mnist

# ---- Which to try first
run plan two.csv $small --all --format csv
holds 'want all configurations' [ "$(printf '%s\n' "$stdout" | wc -l)" -eq 5 ]
printf 'config,epoch_s\nx,-2\n' > bad.csv
printf 'config,epoch_s,accurate\nx,2,2\n' > bad.csv
printf 'config,epoch_s,accurate\nx,2,0\ny,1,0\n' > bad.csv
printf 'config,epoch_s,accurate\nx,1e308,0\ny,1e308,1\n' > bad.csv

# ---- Usage
expect_error "sgdperf: --split: layer 'pool2' on 19 workers: more partitions than the layer has*" \
    plan $mnist --split pool2=5/1/1
for scale in '--compute-scale 1e-320' '--bandwidth-scale 1e308'; do
    expect_error 'sgdperf: a constant is too large*' plan two.csv $small $scale
done

# ---- Bad layers
header=name,kind,c_in,h_in,w_in,c_out,h_out,w_out,kernel,stride,pad,n_in,n_out,steps
bad() {
    printf '%s\n%b\n' $header "$2" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$1: $3" plan bad.csv $small
}

# ---- Bad constants

# A bandwidth that has lost its unit is noted.
run plan two.csv --machines 3 --cores 1 --c-muladd 1ns --n-sample 7000 --c-nbw 10
[ "$status" -eq 0 ] &&
    matches "$stderr" "sgdperf: note: --c-nbw: '10' has no unit and is taken for bytes per second: *"
check $? 'want a note of the lost unit' plan two.csv --c-nbw 10

# Times beyond a double are refused, with one line.
for extreme in '1ns --c-nbw 1e-300 --c-bits 1e20' '1e308 --c-nbw 1' '1 --c-nbw 1 --c-ncost 1e308'; do
    expect_error 'sgdperf: two.csv: no allowed configuration takes a finite time' \
        plan two.csv --machines 3 --cores 1 --n-sample 7000 --c-muladd $extreme
done

# Extreme constants give numbers or are refused.
for muladd in 0 1e-300 1e300; do
    for format in table csv json; do
        bulk expect_finite plan two.csv --machines 4 --cores 2 --n-sample 1e300 \
            --c-muladd $muladd --c-nbw 1e-300 --format $format
    done
done
cli_report plan

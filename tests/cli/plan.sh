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

# By hand, one worker: forward 1.1e6 connections, backward those of `out`, update as forward:
# 2.3 ms a sample; 100 reads of 1.1e6 * 32 bits take 0.44 s.
expect_number epoch_s 16.54 1e-12 plan two.csv $small --config 1/1/1
expect_number read_transfer_s 0.44 1e-12 plan two.csv $small --config 1/1/1
expect_number forward_s 7.7 1e-12 plan two.csv $small --config 1/1/1
expect_number backward_s 0.7 1e-12 plan two.csv $small --config 1/1/1
expect_number read_transfer_s 0.22 1e-12 plan two.csv $small --config 1/1/1 \
    --bandwidth-scale 2
expect_number forward_s 1.925 1e-12 plan two.csv $small --config 1/1/1 --compute-scale 4
# Two replicas share the samples, not the reads; --read-per-replica shares them.
expect_number epoch_s 8.49 1e-12 plan two.csv $small --config 1/2/1
expect_number read_transfer_s 0.22 1e-12 plan two.csv $small --config 1/2/1 --read-per-replica
expect_number read_transfer_s 0.88 1e-12 plan two.csv $small --config 1/2/1 --mix 1
expect_number write_s 0.88 1e-12 plan two.csv $small --config 1/1/1 --n-write 35
# Biases: 1100 more weights.
expect_number read_transfer_s 0.44044 1e-12 plan two.csv $small --config 1/1/1 --biases
# Two workers, cut in two: each needs 500 activations, or 50 error terms, of the other.
cut="--config 2/1/1 --split *=2/1/1"
set -f                                 # * is not for the shell
expect_number activations_s 0.014 1e-12 plan two.csv $small $cut
expect_number errors_s 0.0014 1e-12 plan two.csv $small $cut
expect_number 'layers":.*"name":"hidden","sum' 0 0 plan two.csv $small $cut
expect_number 'layers":.*"name":"out","sum' 1000 0 plan two.csv $small $cut
expect_number 'layers":.*"name":"out","sum":1000,"largest' 500 0 plan two.csv $small $cut \
    --objective largest
# A message costs its latency only if something is remote.
expect_number activations_s 7.014 1e-12 plan two.csv $small $cut --c-ncost 1ms
expect_number activations_s 0 0 plan two.csv $small --config 1/1/1 --c-ncost 1ms
expect_number activations_s 7 1e-12 plan two.csv $small --config 1/1/1 --c-ncost 1ms \
    --latency-always
# Two threads, 1.5 times as long each; a table gives the same at its point.
threads="--machines 2 --cores 2 $constants --split *=*/*/2"
expect_number forward_s 5.775 1e-12 plan two.csv $threads --c-interf 1.5
expect_number forward_s 5.775 1e-12 plan two.csv $threads --c-interf 2:1.5,4:2
expect_number read_transfer_s 0.88 1e-12 plan two.csv $threads
expect_number read_transfer_s 0.44 1e-12 plan two.csv $threads --read-full
expect_number forward_s 15.4 1e-12 plan two.csv --machines 2 --cores 1 --c-nbw 1Gbps \
    --n-sample 7000 --c-muladd 1kB:1ns,1MB:2ns --c-bits 64000
# Halfway in the logarithm: 4 MB of weights between 1 and 16 MB; the other layer holds 0.4 MB.
expect_number forward_s 11.9 1e-12 plan two.csv --machines 2 --cores 1 --c-nbw 1Gbps \
    --n-sample 7000 --c-muladd 1MB:1ns,16MB:2.2ns

# Constants from a file; options come before it.
file constants.csv <<'EOF'
constant,at,value,unit
C_muladd,,1e-9,s
C_nbw,,1e9,B/s
C_interf,2,1.5,
C_interf,4,2,
N_sample,,7000,
EOF
expect_number epoch_s 16.54 1e-12 plan two.csv --machines 3 --cores 1 --config 1/1/1 \
    --constants constants.csv
expect_number forward_s 5.775 1e-12 plan two.csv --machines 2 --cores 2 --split '*=*/*/2' \
    --constants constants.csv
expect_number forward_s 15.4 1e-12 plan two.csv --machines 3 --cores 1 --config 1/1/1 \
    --constants constants.csv --c-muladd 2ns

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
[ "$(printf '%s\n' "$stdout" | wc -l)" -eq 2 ]
check $? 'want the best of those given' plan $mnist --config ... --runners-up 0
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
expect_stdout '{"scenarios":[[]{"machines":2,*{"machines":3,*' plan two.csv --cores 1 \
    $constants --machines 2,3 --format json
expect_stdout '{"machines":3,"configurations":4,"best":{"servers":1,*"mapping":*"all":*' \
    plan two.csv $small --all --format json
expect_stdout '*best: 1 server, 2 replicas of 1 worker*partitions*on_workers*rank*' \
    plan two.csv $small
expect_stdout 'layer,partitions,*on_workers
hidden,2,1,1,*,0 1
out,2,1,1,*,0 1' plan two.csv $small $cut --by-layer --format csv

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
expect_stdout '{"constants":[[]{"constant":"C_muladd","at":16384,"value":*,*"spread":*},*' \
    plan measure --quick --threads 1 --largest 32KiB --shared 16KiB --format json
run plan measure --quick --threads 1 --largest 32KiB --format csv
[ "$status" -eq 0 ] && [ "$(grep -c C_muladd .stdout)" -eq 2 ] &&
    [ "$(grep -c C_interf .stdout)" -eq 1 ]
check $? 'want two sizes and one thread' plan measure --largest 32KiB
run plan measure --quick --threads 1 --largest 2MiB --shared 16KiB --format csv
[ "$status" -eq 0 ] && matches "$stdout" '*C_muladd,2097152,*C_act,,*'
check $? 'want a size beside those that C_act is of' plan measure --largest 2MiB
expect_error "sgdperf: --largest: '20KiB' is no power of two*" plan measure --largest 20KiB
expect_error "sgdperf: --shared: '1KiB' is no power of two*" plan measure --shared 1KiB
expect_error "sgdperf: --threads: '0' *" plan measure --threads 0
expect_error "sgdperf: plan measure: 'x' is one argument too many, see --help" plan measure x

# A plan's places are those of the search exactly where the epoch would be longer.
expect_stdout '*"mapping":{"objective":"sum","epoch_s":*,"contiguous":false,*' \
    plan two.csv $small --format json
run plan $mnist --format json
printf '%s\n' "$stdout" | tr ',{' '\n\n' | awk -F: '$1 == "\"epoch_s\"" { n++; if (n == 1) best = $2
        if (n == 1) next } /"mapping"/ { in_mapping = 1 }
    in_mapping && $1 == "\"epoch_s\"" && !(mapped) { mapped = $2 }
    END { exit !(mapped > 0 && mapped <= best * (1 + 1e-12)) }'
check $? 'want places that cost no more than the search thought' plan $mnist

# ---- Which to try first
file trials.csv <<'EOF'
config,epoch_s,accurate
a,4,1
b,1,0
c,3,0
d,2,1
EOF
expect_stdout 'trial,config,epoch_s,accurate
1,b,1,0
2,d,2,1
3,c,3,0
4,a,4,1' plan order trials.csv --format csv
expect_number ordered_s 3 1e-12 plan order trials.csv
expect_number random_s 4.333333333333333 1e-12 plan order trials.csv
expect_stdout '*until the first accurate one: 3 s*' plan order trials.csv
printf 'config,epoch_s\nx,2\ny,1\n' > plain.csv
expect_stdout '{"order":[[]{"config":"y","epoch_s":1},{"config":"x","epoch_s":2}[]]}' \
    plan order plain.csv --format json
run plan two.csv $small --all --format csv
[ "$(printf '%s\n' "$stdout" | wc -l)" -eq 5 ]
check $? 'want all configurations' plan two.csv --all
expect_error "sgdperf: *--cores*" plan order plain.csv --cores 4
expect_error "sgdperf: two.csv:1: no column 'epoch_s'" plan order two.csv
expect_error 'sgdperf: plan order: *' plan order
expect_error 'sgdperf: --trial-order: unknown option*' plan two.csv $small --trial-order
expect_stdout 'usage: sgdperf plan order*' plan order --help
expect_stdout 'usage: sgdperf plan measure*' plan measure --help
printf 'config,epoch_s\nx,-2\n' > bad.csv
expect_error "sgdperf: bad.csv:2: column 'epoch_s': -2 is negative" plan order bad.csv
printf 'config,epoch_s,accurate\nx,2,2\n' > bad.csv
expect_error "sgdperf: bad.csv:2: column 'accurate': *" plan order bad.csv
printf 'config,epoch_s,accurate\nx,2,0\ny,1,0\n' > bad.csv
expect_stdout '*none is accurate: all of them take 3 s' plan order bad.csv
printf 'config,epoch_s,accurate\nx,1e308,0\ny,1e308,1\n' > bad.csv
expect_error 'sgdperf: bad.csv: the epochs add up to more than a double' plan order bad.csv
expect_error 'sgdperf: --help: No such file or directory' plan order -- --help

# ---- Usage
expect_error 'sgdperf: --runners-up: not with --all' plan two.csv $small --all --runners-up 3
expect_error 'sgdperf: --machines is missing' plan two.csv --cores 1 $constants
expect_error 'sgdperf: --cores is missing' plan two.csv --machines 4 $constants
expect_error 'sgdperf: --c-muladd is missing' plan two.csv --machines 4 --cores 2
expect_error "sgdperf: --machines: '0' is not a positive whole number" \
    plan two.csv --machines 0 --cores 1 $constants
expect_error 'sgdperf: --machines: 1 is below 2*' plan two.csv --machines 1 --cores 1 $constants
expect_error "sgdperf: --cores: *0*" plan two.csv --machines 4 --cores 0 $constants
expect_error 'sgdperf: --n-read: 8000 is more than the 7000 samples of --n-sample' \
    plan two.csv $small --n-read 8000
expect_error "sgdperf: --c-act: '-1' is negative" plan two.csv $small --c-act -1
expect_error "sgdperf: --c-err: 'nan' is not a number" plan two.csv $small --c-err nan
expect_error "sgdperf: --mix: '1.5' *" plan two.csv $small --mix 1.5
expect_error "sgdperf: --c-interf: '2' does not lie above the point before" \
    plan two.csv $small --c-interf 4:1.5,2:1.2
expect_error "sgdperf: --c-interf: '0' is not positive" plan two.csv $small --c-interf 0
expect_error "sgdperf: --c-interf: '4' is not a point AT:VALUE" plan two.csv $small --c-interf 2:1,4
expect_error "sgdperf: --config: '1/2' is not three numbers*" plan two.csv $small --config 1/2
expect_error "sgdperf: --config: '1/0/1' has a part that *" plan two.csv $small --config 1/0/1
expect_error "sgdperf: --config: '1/1/1' is given twice" plan two.csv $small --config 1/1/1 \
    --config 1/1/1
expect_error "sgdperf: --config: '2/1/2' on 3 machines: C1: servers + replicas * workers exceed*" \
    plan two.csv $small --config 2/1/2
expect_error "sgdperf: --split: layer 'out' on 2 workers: C2: more threads than cores" \
    plan two.csv $small --split out=1/1/2
expect_error "sgdperf: --split: layer 'out' on 1 worker: C3: partitions * replications exceed*" \
    plan two.csv $small --split out=1/2/1 --config 1/1/1
expect_error "sgdperf: --split: layer 'pool2' on 19 workers: more partitions than the layer has*" \
    plan $mnist --split pool2=5/1/1
expect_error "sgdperf: --split: 'none=1/1/1' names no layer" plan two.csv $small --split none=1/1/1
expect_error "sgdperf: two.csv: no configuration is allowed*" \
    plan two.csv --machines 4 --cores 2 $constants --split hidden=1/1/1 --split out=1/1/2
for scale in '--compute-scale 1e-320' '--bandwidth-scale 1e308'; do
    expect_error 'sgdperf: a constant is too large*' plan two.csv $small $scale
done
expect_error 'sgdperf: --by-layer *' plan two.csv $small --by-layer

# ---- Bad layers
header=name,kind,c_in,h_in,w_in,c_out,h_out,w_out,kernel,stride,pad,n_in,n_out,steps
bad() {
    printf '%s\n%b\n' $header "$2" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$1: $3" plan bad.csv $small
}
bad 2 'a,tanh,,,,,,,,,,10,10,' "column 'kind': 'tanh' is none of conv pool fc softmax recurrent"
bad 2 'a,fc,,,,,,,,,,-10,10,' "column 'n_in': -10 is not a positive whole number"
bad 2 'a,fc,,,,,,,,,,10,,' "column 'n_out': the cell is empty"
bad 2 ',fc,,,,,,,,,,10,10,' "column 'name': the cell is empty"
bad 2 'a,fc,,,,,,,,,,10,nan,' "column 'n_out': *"
bad 3 'a,fc,,,,,,,,,,10,20,\nb,fc,,,,,,,,,,30,10,' "layer 'b': inputs are not the outputs*"
bad 3 'a,fc,,,,,,,,,,10,10,\na,fc,,,,,,,,,,10,10,' "column 'name': *"
bad 2 'a,conv,1,28,28,20,25,24,5,1,0,,,' "layer 'a': h_out is not *"
bad 2 'a,conv,1,28,28,20,24,25,5,1,0,,,' "layer 'a': w_out is not *"
bad 2 'a,conv,1,28,28,20,24,24,5,0,0,,,' "column 'stride': *"
bad 2 'a,conv,1,28,28,20,38,38,5,1,7,,,' "layer 'a': padding as wide as the kernel"
bad 2 'a,pool,2,4,4,3,2,2,2,2,0,,,' "layer 'a': a pooling layer has as many channels*"
bad 3 'a,conv,1,28,28,20,24,24,5,1,0,,,\nb,fc,,,,,,,,,,11521,10,' "layer 'b': inputs are not*"
bad 2 'a,recurrent,,,,,,,,,,4000000000,4000000000,4000000000' "layer 'a': more than 2^63*"
printf '%s\n' $header > bad.csv
expect_error 'sgdperf: bad.csv:2: no rows under the header' plan bad.csv $small
printf 'name,kind,n_in\na,fc,3\n' > bad.csv
expect_error "sgdperf: bad.csv:1: no column 'n_out'" plan bad.csv $small

# ---- Bad constants
bad_constant() {
    printf 'constant,at,value\n%b\n' "$2" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$1: $3" plan two.csv $small --constants bad.csv
}
bad_constant 2 'C_mul,,1' "column 'constant': 'C_mul' is none of C_muladd *"
bad_constant 2 'C_act,,-1' "column 'value': -1 is negative"
bad_constant 2 'C_act,,nan' "column 'value': 'nan' is not a number"
bad_constant 2 'C_nbw,,0' "column 'value': 0 is not positive"
bad_constant 2 'C_act,5,1' "column 'at': C_act has no table"
bad_constant 3 'C_act,,1\nC_act,,2' "column 'constant': C_act is given twice"
bad_constant 3 'C_muladd,,1\nC_muladd,4,2' "column 'at': 4 is given as a number and as a table"
bad_constant 3 'C_muladd,4,1\nC_muladd,4,2' "column 'at': 4 does not lie above the point before"

# Units are said once more, or not at all; a bandwidth in bits is not taken for bytes.
bad_unit() {
    printf 'constant,at,value,unit\n%b\n' "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:2: column 'unit': $2" plan two.csv $small --constants bad.csv
}
bad_unit 'C_nbw,,1e10,bit/s' "'bit/s', but C_nbw is in B/s"
bad_unit 'C_act,,1,ms' "'ms', but C_act is in s"
bad_unit 'C_bits,,4,B' "'B', but C_bits is in bit"
bad_unit 'N_sample,,60,ksamples' "'ksamples', but N_sample is in samples"
bad_unit 'C_interf,2,150,percent' "'percent', but C_interf has no unit"
printf 'constant,at,value,unit\nC_nbw,,1e9,B/s\nC_bits,,64,bit\n' > units.csv
expect_number read_transfer_s 0.88 1e-12 plan two.csv --machines 3 --cores 1 --config 1/1/1 \
    --c-muladd 1ns --n-sample 7000 --constants units.csv

# A bandwidth that has lost its unit is noted.
run plan two.csv --machines 3 --cores 1 --c-muladd 1ns --n-sample 7000 --c-nbw 10
[ "$status" -eq 0 ] &&
    matches "$stderr" "sgdperf: note: --c-nbw: '10' has no unit and is taken for bytes per second"
check $? 'want a note of the lost unit' plan two.csv --c-nbw 10

# Times beyond a double are refused, with one line.
for extreme in '1ns --c-nbw 1e-300 --c-bits 1e20' '1e308 --c-nbw 1' '1 --c-nbw 1 --c-ncost 1e308'; do
    expect_error 'sgdperf: two.csv: no configuration is allowed, or takes a finite time' \
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

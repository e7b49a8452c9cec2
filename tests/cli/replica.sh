# sgdperf predict --mode allreduce --layers: steps by hand, what fits, bad input.
. tests/cli.sh

resnet=$root/validation/datasets/layers/pipedream/resnet50.csv

# expect_cells COLUMN "VALUES" TOLERANCE ARGUMENT...: of the CSV; words as they are.
expect_cells() {
    column=$1
    want=$2
    tolerance=$3
    shift 3
    run "$@" --format csv
    got=$(awk -F, -v column="$column" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
        { printf "%s ", $at }' .stdout)
    awk -v got="$got" -v want="$want" -v tol="$tolerance" 'BEGIN {
        n = split(got, g, " "); if (n != split(want, w, " ")) exit 1
        for (i = 1; i <= n; i++) {
            if (g[i] == w[i]) continue
            error = g[i] - w[i]; if (error < 0) error = -error
            if (!(error <= tol * (w[i] < 0 ? -w[i] : w[i]))) exit 1
        } }' && [ "$status" -eq 0 ]
    check $? "want $column $want, got $got" "$@"
}

cp "$root/tests/data/three.csv" .
three='predict --mode allreduce --layers three.csv --collective ring --workers 2'
two="$three --bandwidth 1B/s"

# ---- By hand: two workers send S once to reduce it all, S/2 to scatter or to gather
# Forward until 3, {8,8} are there at 6 and {4} at 9; exchanges 6-22-26, the update a second.
expect_cells step_s 27 1e-12 $two --first-bucket 16B --bucket 16B
expect_cells exchanges 2 0 $two --first-bucket 16B --bucket 16B
expect_cells exposed_s 17 1e-12 $two --first-bucket 16B --bucket 16B
expect_cells efficiency 0.37037037037037 1e-12 $two --first-bucket 16B --bucket 16B
# {8}, {8}, {4}, of two messages with 1.5 s each: 6-17-28-35.
expect_cells step_s 36 1e-12 $two --first-bucket 1B --bucket 1B --latency 1.5s
# One bucket, at 9.
expect_cells step_s 30 1e-12 $two
expect_cells step_s 30 1e-12 $two --bucket 25MiB --first-bucket 1MiB
# Another micro-batch is 9 s; the parameters every fourth step; as a norm 9 + 20.
expect_cells step_s 39 1e-12 $two --accumulate 2
expect_cells batches_per_s 0.10256410256410256 1e-12 $two --accumulate 2
expect_cells step_s 15 1e-12 $two --local-steps 4
expect_cells step_s 30 1e-12 $two --overlap-exponent 1
expect_cells step_s 22.931712199461309 1e-12 $two --overlap-exponent 2
# The slower of two workers of normal times is 1 + cv / sqrt(pi) as slow: 9 s are 10.015.
expect_cells step_s 31.0155412503859621 1e-6 $two --vary 0.2
# Half of an exchange gets done in the 3 s of backward that are left; or they take 6.
expect_cells step_s 28.5 1e-12 $two --first-bucket 16B --bucket 16B --interference 1:2
expect_cells step_s 27 1e-12 $two --first-bucket 16B --bucket 16B --interference 2
# Scattered 6-14-16, half an update, gathered 10 s.
expect_cells step_s '26.5 26.5' 1e-12 $two --first-bucket 16B --bucket 16B \
    --sharding zero-1,zero-2
# Units of 4 and 16 bytes: gathers 0-2-10, forward 2-3 and 10-12, gathers 12-20-22, backward
# 20-25 and 25-26, scatters 25-33-35; half an update. None ahead: gathers 0-2, 3-11, then
# 13-21, backward 21-26, scatter 26-34, gather 34-36, backward 36-37, scatter 37-39.
expect_cells step_s 35.5 1e-12 $two --sharding fsdp --unit 1B
expect_cells step_s 39.5 1e-12 $two --sharding fsdp --unit 1B --prefetch 0
# Computing takes twice as long during an exchange: gather 2-10, forward 2-3 becomes 2-4, and
# backward 20-25, at once with the gather 20-22, becomes 20-26, the last 26-27 with the first
# second of the scatter 26-34 becomes 26-28; scattered until 36, half an update.
expect_cells step_s 36.5 1e-12 $two --sharding fsdp --unit 1B --interference 2
# Inside one machine hsdp is fsdp.
expect_cells step_s '35.5 35.5' 1e-12 $three --gpus 2 --local-bandwidth 1B/s \
    --sharding fsdp,hsdp --unit 1B --overlap
expect_cells step_s '10 10' 1e-12 predict --mode allreduce --layers three.csv --workers 1 \
    --sharding ddp,zero-2

# ---- Memory: 5 parameters; the larger unit, of 4, gathered with its gradients
memory="$two --sharding ddp,zero-1,zero-2,fsdp --unit 1B --prefetch 0"
expect_cells memory_bytes '80 60 50 72' 1e-12 $memory
expect_cells memory_bytes '80 50 45 56' 1e-12 $memory --precision mixed
expect_cells memory_bytes '87 67 57 79' 1e-12 $memory --activations 7B
expect_cells fits 'no yes yes yes' 0 $memory --memory 79B
# Optimizers, by hand: tensors of 1, 2 and 2 parameters, too small for rows and columns.
for state in 'adam 80 80' 'sgd 40 40' 'momentum 60 60' 'adafactor 60 60' \
    'adam-8bit 50.01953125 50.01953125' 'momentum-8bit 45.009765625 45.009765625'; do
    set -- $state
    expect_cells memory_bytes $2 1e-12 $two --optimizer $1
    expect_cells memory_bytes $3 1e-12 $two --optimizer $1 --precision mixed
done
expect_note '*--optimizer adafactor: each tensor is assumed to be a square matrix, with 4 bytes *' \
    $two --optimizer adafactor
expect_error "sgdperf: --optimizer: 'lion' *" $two --optimizer lion

# ---- BytePS: n 2(n-1)/(n^2 + kn - 2k) of 20 bytes for n = 4, then all on as many as workers
sum='predict --mode allreduce --layers three.csv --workers 4 --bandwidth 1B/s --collective byteps'
expect_cells exchange_s 30 1e-12 $sum
expect_cells exchange_s 26.666666666666667 1e-12 $sum --cpu-machines 1
expect_cells exchange_s 24 1e-12 $sum --cpu-machines 2
expect_cells exchange_s 20 1e-12 $sum --cpu-machines 9
expect_cells exchange_s 21 1e-12 $sum --cpu-machines 9 --latency 0.5s
expect_cells way byteps:inside 0 $sum --cpu-machines 2
# Inside machines of two 2 s to reduce and 2 s to broadcast.
expect_cells exchange_s 28 1e-12 predict --mode allreduce --layers three.csv --workers 8 --gpus 2 \
    --local-bandwidth 10B/s --bandwidth 1B/s --inputs measured --collective byteps --cpu-machines 2
expect_error "sgdperf: --collective: 'byteps' cannot be combined with --sharding fsdp" $sum --sharding ddp,fsdp
expect_error "sgdperf: --collective: 'byteps' cannot be combined with --protocols" $sum \
    --protocols $root/validation/collectives/nccl.csv
expect_error 'sgdperf: --cpu-machines: needs --collective byteps' $two --cpu-machines 2
expect_note '*note: zero-1, zero-2, fsdp, hsdp are left out: they have no model with --collective byteps*' \
    advise three.csv --mode allreduce --workers 4 --bandwidth 1B/s --collective byteps --cpu-machines 2
expect_note '*note: prices cover only the machines of workers: *' \
    advise three.csv --mode allreduce --workers 4 --bandwidth 1B/s --collective byteps --cpu-machines 2 \
    --steps 9 --price 1/h --notes
expect_stdout '*
quickest on 2 workers of those that fit: zero-?*' $memory --memory 79B
expect_stdout '*
quickest on 2 workers of those that fit: none fits*' $memory --memory 1B
expect_stdout '*"memory_bytes":80,"fits":true,"quickest":true}]}*' $two --memory 80B --format json
expect_stdout '*"memory_bytes":80,"fits":null,"quickest":true}]}*' $two --format json

# ---- The keys that all predictions have: 10 s of computing and 20 of exchange, nothing hidden
expect_stdout '{"mode":"allreduce","model":"layers","points":[{"workers":2,"sharding":"ddp",*"low":null,'\
'"high":null,"class":null,"speedup":0.6666666666666666,"utilization":{"worker":0.3333333333333333,"link"'\
':0.6666666666666666},"bottleneck":"link","time_s":{"worker":{"service":10,"waiting":0},"link":{"service"'\
':20,"waiting":0},"barrier":0},"step_s":30,*' $two --format json

# ---- A network as PyTorch has it: five buckets, the last two of them exposed in part
layers="predict --mode allreduce --layers $resnet --gpus 8 --latency 10us --bandwidth 25GB/s"
layers="$layers --local-latency 3us --local-bandwidth 150GB/s"
expect_cells exchanges '5 5' 0 $layers --overlap --workers 8,512
expect_cells exchanges '1 1' 0 $layers --workers 8,512
expect_cells exchanges 5 0 $layers --overlap --workers 8 --protocols $root/validation/collectives/nccl.csv
for library in nccl mpi gloo; do
    expect_status 0 $layers --workers 4,16 --sharding ddp,zero-1,fsdp,hsdp \
        --protocols $root/validation/collectives/$library.csv
done
# The quickest of all powers of two, which are tried here one by one.
bucket=65536
while [ $bucket -le 134217728 ]; do
    run $layers --overlap --workers 64 --bucket ${bucket}B --format csv
    awk -F, -v bucket=$bucket 'NR > 1 { print $5, bucket }' .stdout
    bucket=$((bucket * 2))
done > steps
expect_cells bucket_bytes "$(sort -g steps | sed -n '1s/.* //p')" 0 $layers --workers 64 --overlap \
    --bucket auto

# ---- What could be taken for more than it is
run $two
case $stderr in *'no --latency was given'*) pass ;; *) fail 'want a note on latency' $two ;; esac
run $two --latency 1us
holds 'want no note on latency' ! matches "$stderr" '*no --latency*'

plain='predict --mode allreduce --layers three.csv --workers 2 --bandwidth 1B/s'
expect_note '*--collective auto assumes the fastest algorithm, called at no cost*nccl.csv*' $plain
expect_note '*--precision mixed halves the bytes of three.csv, which are assumed to be 4 per parameter*autocast*' \
    $two --precision mixed
expect_note '*more micro-batches a step enlarge the total batch*' $two --accumulate 1,2
expect_note '*--local-steps: *parameters differ between two averages*' $two --local-steps 2
expect_note '*buckets of less than 1 MiB look too fast: *' $two --bucket 16B
expect_note '*efficiency is above 1 because it is relative to one worker of ddp*' \
    $three --bandwidth 1MB/s --sharding zero-1
expect_note '*--workers: 3, 5, 7 left out, as they do not fill machines of 2*' \
    predict --mode allreduce --layers three.csv --workers 2-8 --gpus 2 --bandwidth 1B/s \
    --local-bandwidth 1B/s

# ---- The ways that are taken: all that a ring can be; of few bytes and of many
expect_cells way 'ring:flat ring:flat' 0 $two --sharding ddp,zero-1 --bucket 25MiB
expect_stdout '*"collective":"auto","way":"doubling:flat",*' $plain --latency 1us --format json
expect_cells collective auto 0 $plain --latency 1us
file two_ways.csv <<'EOF'
collective,algorithm,form,from_bytes,below_bytes
all-reduce,ring,flat,,8
all-reduce,tree,flat,8,
EOF
expect_cells way ring:flat+tree:flat 0 $plain --protocols two_ways.csv \
    --first-bucket 16B --bucket 16B
expect_cells examples_per_s 0.66666666666666663 1e-12 $two --batch 10

# ---- Bad input
expect_error "sgdperf: --workers: 12, 20 workers do not fill machines of 8 accelerators: give a multiple of --gpus" \
    $layers --workers 12,20
expect_error "sgdperf: --gpus: needs --local-bandwidth or --local-network" $two --gpus 2
expect_error "sgdperf: --bandwidth or --network is missing" $three
expect_error "sgdperf: --sharding: 'zero' is not one of ddp, zero-1, zero-2, fsdp, hsdp" \
    $two --sharding ddp,zero
expect_error "sgdperf: --bucket: 'auto' needs --latency*" $two --bucket auto
expect_error "sgdperf: --bucket: 'auto' cannot be combined with --local-steps*" $two --bucket auto --local-steps 2
expect_error "sgdperf: --local-steps: cannot be combined with --sharding zero-1" \
    $two --sharding zero-1 --local-steps 2
expect_error "sgdperf: --overlap-exponent: '0.5' is below 1" $two --overlap-exponent 0.5
expect_error "sgdperf: --vary: '200' is too large" $two --vary 200
expect_error "sgdperf: --vary: cannot be combined with --local-steps" $two --vary 0.1 --local-steps 2
expect_error "sgdperf: --model: cannot be combined with --layers" $two --model ring
expect_error "sgdperf: --sharding: needs --layers" \
    predict --mode allreduce --sharding ddp --workers 2
expect_error "sgdperf: --bucket: needs --mode allreduce" \
    predict --mode sync --bucket 1MiB --workers 2
network='predict --mode allreduce --layers three.csv --workers 2 --bandwidth 1B/s'
expect_error "sgdperf: --collective: 'rings' is neither auto, cluster, byteps nor an algorithm and a form*" \
    $network --collective rings
expect_error "sgdperf: --collective: 'halving:flat' is not a collective of --protocols */nccl.csv" \
    $network --collective halving:flat --protocols $root/validation/collectives/nccl.csv
expect_error "sgdperf: 2 workers, ddp: no algorithm of --collective *" \
    $network --collective pairwise
cut -d, -f1-5 three.csv > none.csv
expect_error "sgdperf: none.csv:1: column 'tensors' is missing: *256+256*" \
    predict --mode allreduce --layers none.csv --workers 2 --bandwidth 1B/s
sed 's/8+8/8+7/' three.csv > less.csv
expect_error "sgdperf: less.csv:4: column 'tensors': the tensors have 15 bytes, but the layer has 16" \
    predict --mode allreduce --layers less.csv --workers 2 --bandwidth 1B/s
sed 's/8+8/8+8.0/' three.csv > part.csv
expect_error "sgdperf: part.csv:4: column 'tensors': '8.0' *" \
    predict --mode allreduce --layers part.csv --workers 2 --bandwidth 1B/s
sed 's/8+8/10+6/' three.csv > odd.csv
expect_error "sgdperf: odd.csv: column 'tensors': 6 bytes are no multiple of 4*" \
    predict --mode allreduce --layers odd.csv --workers 2 --bandwidth 1B/s --precision mixed
table() { printf '%s\n' collective,algorithm,form,fraction,from_bytes,below_bytes "$1" > ways.csv; }
ways="$network --protocols ways.csv"
table all-reduce,ring,flat,,,
expect_cells step_s 30 1e-12 $ways
table all-reduce,ring,flat,0.5,,
expect_cells step_s 50 1e-12 $ways
table all-reduce,ring,flat,0,,
expect_error "sgdperf: ways.csv:2: column 'fraction': 0 is not a bandwidth: give a positive fraction" $ways
table all-reduce,pairwise,flat,,,
expect_error "sgdperf: ways.csv:2: column 'algorithm': 'pairwise' cannot do all-reduce" $ways
table all-reduce,rings,flat,,,
expect_error "sgdperf: ways.csv:2: column 'algorithm': 'rings' *" $ways
table all-reduce,ring,flat,,8,8
expect_error "sgdperf: ways.csv:2: column 'below_bytes': 8 is not above from_bytes" $ways
table all-reduce,ring,flat,,21,
expect_error "sgdperf: 2 workers, ddp: no algorithm*" $ways
cli_report replica

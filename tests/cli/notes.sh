# Notes on stderr: the three that change most and a count of the others, all of them with --notes,
# in JSON always; once, however many processes, shards or machines there are.
. tests/cli.sh

cp "$root/tests/data/three.csv" .
ways='advise three.csv --mode allreduce --collective ring --workers 2 --bandwidth 1B/s'
three='sgdperf: note: no --memory was given: *
sgdperf: note: no --latency was given, *
sgdperf: note: rows with more micro-batches a step *'
counted="$three${newline}sgdperf: 2 more notes: --notes prints all notes"
all="$three
sgdperf: note: bucket sizes are not compared *
sgdperf: note: intervals are missing for *"

# expect_notes PATTERN ARGUMENT...: status 0, and lines of stderr, as many as the pattern has
expect_notes() {
    want=$1
    shift
    run "$@"
    [ "$status" -eq 0 ] && matches "$stderr" "$want" &&
        [ "$(wc -l < .stderr)" -eq "$(printf '%s\n' "$want" | wc -l)" ]
    check $? "want on stderr $want" "$@"
}

# ---- Three, all
expect_notes "$counted" $ways
cp .stdout plain
expect_notes "$all" $ways --notes
cmp -s plain .stdout
check $? 'want the same answer' $ways --notes
expect_notes "$all" $ways --format csv --notes --notes
expect_error "sgdperf: --notes: takes no value*" $ways --notes=all
# JSON has all, in the order of their rank.
expect_notes "$counted" $ways --format json
keys=$(grep -o '"key":"[^"]*"' .stdout | cut -d'"' -f4 | tr '\n' ' ')
[ "$keys" = 'memory-not-asked free-messages larger-batch buckets-not-compared no-intervals ' ]
check $? "want the keys of all notes, got $keys" $ways --format json

# ---- What may make the answer wrong is said, in as many lines as that takes
allreduce='predict --mode allreduce --step 2 --model-size 10 --bandwidth 10 --workers 4'
expect_notes "sgdperf: note: --latency: *
sgdperf: note: --model-size: *
sgdperf: note: --bandwidth: *
sgdperf: note: --step: *
sgdperf: note: --local-bandwidth has no effect*
sgdperf: 3 more notes: --notes prints all notes" $allreduce --latency 1 --local-bandwidth 1GB/s --gpus 2
# Where ways are compared, no note asks for a model, which is refused there.
expect_none '*--model flat*' advise --mode allreduce --forward 20ms --backward 40ms --bandwidth 1Gbps \
    --model-size 9MB --workers 4,8 --gpus 4 --local-bandwidth 9GB/s --memory 16GB --notes
# A run that fails says why, and no more.
expect_error "sgdperf: --bucket: 'x' is not *" $ways --bucket x

# ---- Processes, shards
for processes in 1 3; do
    expect_notes "$counted" $ways --processes $processes
    expect_notes "$all" $ways --processes $processes --notes
done
for i in 1 2; do
    launch $ways --shard $i/2 --journal part.$i
done
expect_notes "$counted" merge part.1 part.2
expect_notes "$all" merge part.1 part.2 --notes
# It is no other run for that.
expect_notes "$counted" $ways --journal whole
expect_notes "$all" $ways --journal whole --notes

cli_report notes

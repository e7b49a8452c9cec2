# import_damaged.sh - damaged copies of a file of each format that sgdperf import reads: one line
# that says what is wrong, or an answer; never anything else.
. tests/cli.sh
# Itself, as what stands for it on PATH may take longer to find it than it runs.
has python3 || cli_report import_damaged
python=$(python3 -c 'import sys; print(sys.executable)')

kinds="pipedream transfers own"        # import.sh and import_formats.sh have a few of the others
places=2                               # 24 were tried once, of all
[ -n "${TEST_FULL:-}" ] && kinds="$kinds kineto chakra chakra-json stats stats-text \
    metadata timeline-memory trace xspace"

# One line on stderr, and nothing else; or an answer, perhaps with notes.
ends_well() {
    run "$@"
    case $status in
    0) true ;;
    2) [ ! -s .stdout ] && matches "$stderr" 'sgdperf: *' && ! matches "$stderr" "*$newline*" ;;
    *) false ;;
    esac
    check $? "an answer, or one line" "$@"
}

for kind in $kinds; do
    "$python" "$root/tests/foreign.py" $kind
    expect_status 0 import $kind --measured-on 2
    "$python" "$root/tests/damage.py" $kind $places $kind
    for copy in $kind-cut-* $kind-control-* $kind-comma-* $kind-deep-*; do
        [ -f "$copy" ] || continue
        ends_well import "$copy" --measured-on 2
        if [ -n "${TEST_FULL:-}" ]; then
            ends_well import "$copy" --measured-on 2 --format json
            ends_well import "$copy" --trace t.csv --profile p.csv
            ends_well predict "$copy" --mode allreduce --workers 2
            ends_well simulate "$copy" --workers 2 --mode async --bandwidth 1GB/s --steps 5
            ends_well advise "$copy"
        fi
    done
    rm -f $kind-cut-* $kind-control-* $kind-comma-* $kind-deep-*
done

# What is compressed and cut, or changed
"$python" "$root/tests/foreign.py" kineto
gzip -c kineto > whole.gz
size=$(wc -c < whole.gz)
for part in 1 2 3; do
    head -c $((size * part / 4)) whole.gz > cut.gz
    ends_well import cut.gz
    { head -c $((size * part / 4)) whole.gz; printf 'xxxxxxxx'
      tail -c +$((size * part / 4 + 9)) whole.gz; } > changed.gz
    ends_well import changed.gz
done

# One rank of two, whole beside damaged
sed 's/"rank": 0/"rank": 1/' kineto > other
expect_status 0 import kineto kineto other
"$python" "$root/tests/damage.py" other $places other
for copy in other-cut-* other-control-* other-comma-* other-deep-*; do
    [ -f "$copy" ] && ends_well import kineto kineto "$copy" --profile p.csv
done
rm -f other-cut-* other-control-* other-comma-* other-deep-*

# As many operations that wait for transfers as a timeline of a long run has: in a second, where
# a look at each transfer for each of them takes minutes.
if [ -n "${TEST_FULL:-}" ]; then
    "$python" "$root/tests/foreign.py" timeline-long
    timeout 60 "$program" import timeline-long --format json > .long 2> .said
    check $? "an answer within a minute" import timeline-long
    holds "120000 operations of one step" matches "$(cat .long)" '*"steps":1,"operations":120000,*'

    # So many steps, and so many threads, each told apart from all others.
    awk 'BEGIN { print "{\"schemaVersion\": 1, \"traceEvents\": ["
        for (i = 0; i < 300000; i++) {
            event = "{\"ph\": \"X\", \"ts\": " 10 * i ", \"dur\": 9, \"tid\": " i ", \"name\": "
            print event "\"ProfilerStep#" i "\", \"cat\": \"user_annotation\"},"
            print event "\"add\", \"cat\": \"cpu_op\"}" (i < 299999 ? "," : "")
        }
        print "]}" }' > many.json
    timeout 60 "$program" import many.json --format csv > .many 2> .said
    check $? "an answer within a minute" import many.json
    holds "300000 steps" [ "$(wc -l < .many)" -eq 300001 ]
fi

cli_report import_damaged

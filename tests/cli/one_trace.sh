# A trace has one answer: its profile, its layers, itself and the trace of its layers agree, or
# a note says how far a replay is off. Public traces are asked where they lie beside the tree.
. tests/cli.sh

# answer COMMAND...: its batches/s; "none" where it refuses; its notes go to said.
answer() {
    rate=$("$program" "$@" $links --mode allreduce --notes --format json 2>> said |
        sed -n 's/.*"batches_per_s":\([0-9.e+]*\).*/\1/p')
    echo "${rate:-none}"
}

# agree TRACE OPTION...: at two bandwidths and two numbers of workers.
agree() {
    trace=$1
    shift
    rm -f p.csv t.csv l.csv lt.csv
    expect_status 0 import "$trace" --profile p.csv --trace t.csv --layers l.csv --whole-layers
    [ ! -f l.csv ] || "$program" trace-from-layers l.csv > lt.csv
    for links in '--workers 16 --bandwidth 10Gbps' '--workers 64 --bandwidth 10Gbps' \
        '--workers 16 --bandwidth 100Gbps' '--workers 64 --bandwidth 100Gbps'; do
        links="$links $*"
        : > said
        rates="$(answer predict --profile p.csv) $(answer simulate t.csv)"
        [ ! -f l.csv ] || rates="$rates $(answer predict --layers l.csv) $(answer simulate lt.csv)"
        near=0.03
        grep -q 'the two may differ as much on other links' said && near=0.12
        echo "$rates" | awk -v near="$near" '{
            for (i = 1; i <= NF; i++) { if ($i > most) most = $i; if (!low || $i < low) low = $i }
            exit !(NF > 1 && low > 0 && most <= low * (1 + near)) }'
        check $? "one answer within $near, got $rates" "$trace" $links
    done
}

if has python3; then
    python3 "$root/tests/foreign.py" kineto
    agree kineto
fi
public=$root/../shared/data/foreign
if [ -d "$public" ]; then
    agree "$public/kineto_nccl_data.json.gz"
    agree "$public/kineto_ddp_8_ranks.json.gz" --gpus 8
    agree "$public/kineto_sampled_rank0.json.gz"
else
    echo 'skipped: no public traces beside the tree'
fi

cli_report one-trace

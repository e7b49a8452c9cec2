# Tables of ways to do collectives are read or refused by their cells, hold for so many machines,
# and validation/collectives.sh keeps its bounds.
. tests/cli.sh

file one.csv <<'END'
layer,bytes,forward_s,backward_s,update_s,tensors
a,1000000,0,0,0,1000000
END
predict="predict --mode allreduce --layers one.csv --latency 0s --bandwidth 1e6B/s"
head='collective,algorithm,form,from_machines,below_machines,most_bytes_per_s'
way() { printf '%s\n' "$head" "$@" > ways.csv; }

# ---- By machines, and no more than a library carries
way all-reduce,ring,streamed,,3, all-reduce,ring,streamed,3,,5e5
expect_number exchange_s 1 1e-12 $predict --workers 2 --protocols ways.csv
expect_number exchange_s 2.6666666666666665 1e-12 $predict --workers 3 --protocols ways.csv
way all-reduce,ring,flat,,3, all-reduce,tree,flat,2,4,
expect_number exchange_s 4 1e-12 $predict --workers 3 --protocols ways.csv
expect_error "sgdperf: 4 workers, ddp: no algorithm of --collective *" \
    $predict --workers 4 --protocols ways.csv

# ---- Bad input
way all-reduce,ring,flat,3,3,
expect_error "sgdperf: ways.csv:2: column 'below_machines': 3 is not above from_machines" \
    $predict --workers 2 --protocols ways.csv
way all-reduce,ring,flat,0.5,3,
expect_error "sgdperf: ways.csv:2: *'from_machines'*" $predict --workers 2 --protocols ways.csv
way all-reduce,ring,flat,,,0
expect_error "sgdperf: ways.csv:2: *'most_bytes_per_s'*" $predict --workers 2 --protocols ways.csv
way all-gather,double-tree,streamed,,,
expect_error "sgdperf: ways.csv:2: column 'algorithm': 'double-tree' cannot do all-gather" \
    $predict --workers 2 --protocols ways.csv
expect_error "sgdperf: --collective: 'ring:streamed' needs --protocols, the table of its costs" \
    $predict --workers 2 --collective ring:streamed

# ---- Measured all-reduces, within their bounds; and a bound that is missed fails
SGDPERF=$optimized
export SGDPERF
if [ -n "${TEST_FULL:-}" ]; then
    sh "$root/validation/collectives.sh" check > .stdout 2> .stderr
    check $? 'want all within their bounds' collectives.sh check
    mkdir -p copy && cp -R "$root/validation/collectives" "$root/validation/collectives.sh" copy
    sed 's/^\(abci-a 4 fitted\),.*/\1,0.1/' copy/collectives/bounds.csv > less
    cp less copy/collectives/bounds.csv
    grep -E '^(#|table|abci-a,4,)' "$root/validation/collectives/measured/nccl_tests.csv" > less
    cp less copy/collectives/measured/nccl_tests.csv
    grep -E '^(#|machines|2,)' "$root/validation/collectives/measured/bcaffe.csv" > less
    cp less copy/collectives/measured/bcaffe.csv
    ! sh copy/collectives.sh check > .stdout 2> .stderr && grep -q '^abci-a 4 fitted: ' .stdout
    check $? 'want a bound that is missed to fail' collectives.sh check
fi
cli_report collectives

#!/bin/sh
# validation/scaling.sh: what it says of two servers and of a network follows from the split
# and from what a link carries.
. tests/cli.sh
SGDPERF=$program
export SGDPERF

# script ARGUMENT...: sets $stdout, $stderr and $status, as run does.
script() {
    sh "$root/validation/scaling.sh" "$@" < /dev/null > .stdout 2> .stderr
    status=$?
    stdout=$(cat .stdout)
    stderr=$(cat .stderr)
}

# ---- VGG-11 on two servers: the greedy split is the published one [LYPG20, section 5]
if [ -z "${TEST_FULL:-}" ]; then       # with a tenth of the steps
    cat > shorter << 'END'
#!/bin/sh
for word; do
    shift
    case ${last:-} in --steps | --warmup) word=$((word / 10)) ;; esac
    last=$word
    set -- "$@" "$word"
done
exec "$REAL" "$@"
END
    chmod +x shorter
    REAL=$program
    SGDPERF=$PWD/shorter
    export REAL
fi
script servers
SGDPERF=$program
matches "$stdout" '*whole layers: 406.7 and 100.2 MiB: a full link carries 1.2464 times *'
check $? 'want the greedy split' scaling.sh servers

# gain WORKERS COLUMN CONDITION: of the exponential rows, whose workers do not fall into step;
# ceiling is all parameters over those of the larger server.
gain() {
    printf '%s\n' "$stdout" | awk -v workers="$1" -v column="$2" '
        /^whole layers/ { for (i = 2; i <= NF; i++) if ($i == "times") ceiling = $(i - 1) + 0 }
        $1 == workers && $2 == "exponential" { gain = $column; rows++ }
        END { exit !(rows == 1 && ceiling > 1 && ('"$3"')) }'
    check $? "want $3 at $1 workers, column $2" scaling.sh servers
}
gain 2 5 'gain > 1 && gain <= ceiling'
gain 4 5 'gain > 1 && gain <= ceiling'
gain 16 5 'gain > 0.99 * ceiling && gain < 1.01 * ceiling'
gain 4 6 'gain > ceiling'              # the largest layer cut in two
gain 16 6 'gain > ceiling'

# ---- A network: three modes, parts of the time that are parts, the busy link named
printf 'layer,bytes,forward_s,backward_s,update_s\n' > net.csv
printf 'a,1e8,0.01,0.02,0\nb,1e8,0.01,0.02,0\n' >> net.csv
BANDWIDTH=8Gbps
export BANDWIDTH
script networks net.csv
[ "$status" -eq 0 ] && matches "$stdout" '*net: 200.0 MB, 60 ms of computation a step*'
check $? 'want the totals' scaling.sh networks
printf '%s\n' "$stdout" | awk '
    $1 == "net" && NF >= 5 { parts++; if (!($4 > 0 && $4 <= 1.02 && $5 > 0 && $5 <= 1.02)) bad++ }
    $1 == "net" && $2 == "async" && !(/the link is full/ && $5 > 0.9) { bad++ }
    /^ *[0-9]+ / { rows++; for (i = 2; i <= 14; i++) if (!($i > 0)) bad++ }
    # By hand, a ring of 2: b leaves after 0.04 s, a after it, 0.1 s each; or all after 0.06 s.
    $1 == 2 && !($11 > 8.32 && $11 < 8.34 && $12 > 7.68 && $12 < 7.70) { bad++ }
    END { exit !(parts == 3 && rows == 5 && bad == 0) }'
check $? 'want five rows, three parts' scaling.sh networks

script networks absent.csv
[ "$status" -ne 0 ] && matches "$stderr" 'sgdperf: absent.csv: *'
check $? 'want the missing file named' scaling.sh networks
script servers net.csv
holds 'want the usage' [ "$status" -eq 2 ]
cli_report scaling

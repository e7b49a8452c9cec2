# validation/referee.sh: twenty settings, the exact throughputs inside the simulated intervals,
# and a simulator of something else found out.
. tests/cli.sh

runs=5
[ -n "${TEST_FULL:-}" ] && runs=10

# referee STATUS PROGRAM: short runs; sets $stdout.
referee() {
    want=$1
    stdout=$(SGDPERF=$2 sh "$root/validation/referee.sh" 1 $runs 2000 2> .stderr)
    status=$?
    stderr=$(cat .stderr)
    holds "want status $want" [ "$status" -eq "$want" ]
}
referee 0 "$program"
[ -z "$stderr" ] && printf '%s\n' "$stdout" | awk '
    NR == 1 { good = NF == 10 && $1 == "workers"; next }
    /exact throughputs are inside/ { told = $1; of = $3; next }
    { rows++
      off = $6 - $7; if (off < 0) off = -off
      inside += $9 == "yes"
      if (($9 == "yes") != (off <= $8 + 1e-4) && ($9 == "yes") != (off <= $8 - 1e-4)) good = 0
      least = $1 / ($3 + $1 * ($2 + $4 + $5)) # without variation: in step for ever
      off = $10 / least - 1; if (off < 0) off = -off
      if (off > 1e-3) good = 0 }
    END { exit !(good && rows == 20 && of == 20 && told == inside) }'
check $? 'want a table of twenty settings' '(referee.sh)'

file wrong <<END
#!/bin/sh
for word; do
    shift
    [ "\$word" = shared ] && word=separate
    set -- "\$@" "\$word"
done
exec "$program" "\$@"
END
chmod +x wrong
referee 1 ./wrong
referee 2 ./absent

# Links served first come, first served: two tables of ten; shares grow from none. Faults of
# Eq. 2 and of the hybrid are those of the models; one worker waits for nobody.
if [ -n "${TEST_FULL:-}" ]; then
    stdout=$(SGDPERF=$program sh "$root/validation/referee.sh" fcfs 1 4 2000 2> .stderr)
    status=$?
    stderr=$(cat .stderr)
    [ $status -eq 0 ] && [ -z "$stderr" ] && printf '%s\n' "$stdout" | awk '
        /^ +[0-9]/ { rows++
            if ($1 == 1 && ($10 != 0 || $11 != 0 || $5 + 0 > 2 || $5 + 0 < -2)) bad = 1
            if ($1 > 1 && ($10 <= last || $10 > 1)) bad = 1
            last = $1 == 10 ? 0 : $10 }
        /simulated network 0 times/ { told++ }
        END { exit !(rows == 20 && told == 2 && !bad) }'
    check $? 'want two tables of ten' '(referee.sh fcfs)'
fi

cli_report referee

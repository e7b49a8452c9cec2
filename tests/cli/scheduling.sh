#!/bin/sh
# validation/scheduling.sh: the stored tables are what the program prints, the check fails
# where a policy is another one, and what the tables say of the paper holds.
. tests/cli.sh
SGDPERF=$program
export SGDPERF
stored=$root/validation/scheduling

# script ARGUMENT...: sets $stdout, $stderr and $status, as run does.
script() {
    sh "$root/validation/scheduling.sh" "$@" < /dev/null > .stdout 2> .stderr
    status=$?
    stdout=$(cat .stdout)
    stderr=$(cat .stderr)
}

# ---- Stored tables: complete, of long runs, and what a short run prints
# agrees FIGURE KEYS VALUE HALF ROWS: rows of the short run, whose first KEYS columns name
# them, are within both intervals of the stored ones; unstable ones are not compared.
agrees() {
    head -n 1 "$stored/$1.csv" | grep -q "^# JOBS=400000 sh validation/scheduling.sh $1 csv\$"
    check $? 'want the command in the first line' "$1.csv"
    awk -F, -v keys="$2" -v value="$3" -v half="$4" -v rows="$5" '
        function key(   i, k) { for (i = 1; i <= keys; i++) k = k "," $i; return k }
        /^#/ { next }
        FNR == NR { kept[key()] = $0; next }
        !(key() in kept) { exit bad = 1 }
        $value == "" || $value + 0 != $value { next }
        { split(kept[key()], old, ",")
          d = $value - old[value]
          if (d < 0) d = -d
          # Six digits are kept, half a unit of the last one is rounding.
          if (!(d <= $half + old[half] + 1e-5 * $value)) bad = 1
          n++ }
        END { exit bad || n != rows }' "$stored/$1.csv" .stdout
    check $? "want what is stored, $5 rows" scheduling.sh "$1" csv
}
JOBS=40000
export JOBS LOADS
if [ -n "${TEST_FULL:-}" ]; then
    LOADS=0.4
    script fig1 csv
    agrees fig1 3 7 8 8
    script fig12a csv
    agrees fig12a 2 6 7 7
    LOADS=0.5
    script fig12b csv
    agrees fig12b 2 6 7 7
    script fig13b csv
    agrees fig13b 2 6 7 3
fi
LOADS=0.5
script fig13a csv
agrees fig13a 2 6 7 3
unset LOADS
GAMMAS='0 1.05'
export GAMMAS
script fig14cdf csv
agrees fig14cdf 4 5 6 396
script fig14times csv
agrees fig14times 4 6 7 20
if [ -n "${TEST_FULL:-}" ]; then
    script fig14 csv
    agrees fig14 3 4 5 20
fi
unset GAMMAS

# ---- The tables for readers
JOBS=1000
LOADS=0.66
export LOADS
script fig1
matches "$stdout" 'AlexNet jobs, one node a parameter server: *0.66 *
AlexNet jobs, workers alone: *0.66 *
one node a parameter server: hell takes 7 nodes, 4.30 times as fast as one: load at most 0.613; *
workers alone: hell takes 5 nodes, 3.95 times as fast as one: load at most 0.791; *'
check $? 'want both tables and what hell can carry' scheduling.sh fig1

# ---- The check
JOBS=20000
LOADS=0.2 held=1
[ -n "${TEST_FULL:-}" ] && LOADS=0.1,0.2 held=9
script check
[ "$status" -eq 0 ] && matches "$stdout" "*srpt           unstable *yes *
$held of $held hold"
check $? 'want all to hold' scheduling.sh check
# Without filling the same means are others.
cat > unfilled << 'END'
#!/bin/sh
for word; do
    shift
    [ "$word" = --fill ] && continue
    set -- "$@" "$word"
done
exec "$REAL" "$@"
END
chmod +x unfilled
REAL=$program
SGDPERF=$PWD/unfilled
LOADS=0.1
export REAL
script check
[ "$status" -eq 1 ] && matches "$stdout" '*hell+fill *2.16 * NO *5 of 8 hold'
check $? 'want three that do not hold' scheduling.sh check
LOADS=0.25
script check
[ "$status" -eq 1 ] && matches "$stdout" '*0 of 0 hold'
check $? 'want nothing checked to be a failure' scheduling.sh check
SGDPERF=$program

script fig2
[ "$status" -eq 2 ] && [ -z "$stdout" ]
check $? 'want the usage' scheduling.sh fig2
script fig12a table
[ "$status" -eq 2 ] && [ -z "$stdout" ]
check $? 'want the usage' scheduling.sh fig12a table
LOADS=x
for part in fig1 'fig13a csv' 'fig14 csv' fig14cdf fig14times; do
    script $part
    [ "$status" -ne 0 ] && matches "$stderr" "sgdperf: --*: 'x' is not a number"
    check $? 'want what is wrong' scheduling.sh $part
done
cli_report scheduling

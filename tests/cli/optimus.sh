# validation/optimus.sh: a table of Optimus' own form is met exactly, whatever is fitted.
. tests/cli.sh
SGDPERF=$program
export SGDPERF

# script ARGUMENT...: sets $stdout, $stderr and $status, as run does.
script() {
    sh "$root/validation/optimus.sh" "$@" < /dev/null > .stdout 2> .stderr
    status=$?
    stdout=$(cat .stdout)
    stderr=$(cat .stderr)
}

awk 'BEGIN {
    print "step_s,model,num_ps,workers,note"
    for (n = 1; n <= 15; n += 2) for (p = 1; p <= 13; p += 2) {
        printf "%.17g,net,%d,%d,x\n", 3 / n + 0.2 + 0.3 * n / p + 0.01 * n + 0.02 * p, p, n
        printf "%.17g,other,%d,%d,x\n", 5 / n + 0.1 + 0.2 * n / p + 0.05 * p, p, n
    }
}' > table.csv
script table.csv
[ "$status" -eq 0 ] && [ ! -s .stderr ]
check $? 'want both networks' optimus.sh table.csv
holds 'want the rows that are fitted' matches "$stdout" 'fitted, workers/servers: *'
awk '$1 == "net" || $1 == "other" { if ($2 + $5 < 40 || $3 + $4 + $6 + $7 + $8 + $9 > 0) bad = 1; n++ }
    END { exit !(n == 2 && !bad) }' .stdout
check $? 'want no error' optimus.sh table.csv

# A step that is not of this form is not met.
awk -F, -v OFS=, 'NR > 1 { $1 += ($3 % 4) / 10 } { print }' table.csv > rough.csv
script rough.csv 6
holds 'want an error' awk '$1 == "net" && $3 > 1 { found = 1 } END { exit !found }' .stdout

script
[ "$status" -eq 2 ] && matches "$stderr" 'usage: *'
check $? 'want the usage' optimus.sh
cli_report optimus

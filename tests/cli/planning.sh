# validation/planning.sh: what it says of the paper's networks holds, and fails where it does not.
. tests/cli.sh
SGDPERF=$program
export SGDPERF

# script ARGUMENT...: sets $stdout, $stderr and $status, as run does.
script() {
    sh "$root/validation/planning.sh" "$@" < /dev/null > .stdout 2> .stderr
    status=$?
    stdout=$(cat .stdout)
    stderr=$(cat .stderr)
}

script check
[ "$status" -eq 0 ] && [ "$(grep -c '^ok ' .stdout)" -eq 14 ] && ! grep -q failed .stdout
check $? 'want fourteen checks to hold' planning.sh check

if [ -n "${TEST_FULL:-}" ]; then
    script
    [ "$status" -eq 0 ] && [ ! -s .stderr ] && [ "$(grep -c '^Fig\|^Table 1,' .stdout)" -eq 7 ]
    check $? 'want all parts' planning.sh
else
    script output
    [ "$status" -eq 0 ] && [ ! -s .stderr ]
    check $? 'want a part' planning.sh output
fi
awk '/^Copies pay where/ { n++ } END { exit n != 1 }' .stdout
check $? 'want where copies of the output layer begin to pay' planning.sh

# What the paper's own constants say of its minutes is said where they are printed.
script all
matches "$stdout" '*contradict its own constants:*are 558 minutes of*, 612 for the network here,*'
check $? 'want the contradiction said' planning.sh all

# On a network ten times as fast the ranking of MNIST is another.
mkdir copy
cp -r "$root/validation/networks" copy
cp "$root/validation/planning.sh" copy
sed 's/^C_nbw,,1.25e9/C_nbw,,1.25e10/' "$root/validation/planning.csv" > copy/planning.csv
sh copy/planning.sh check > .stdout 2> .stderr
status=$?
stdout=$(cat .stdout)
[ "$status" -eq 1 ] && matches "$stdout" '*failed  Table 1, MNIST*'
check $? 'want another ranking noticed' planning.sh check

script table2
[ "$status" -eq 2 ] && matches "$stderr" 'usage: *'
check $? 'want the usage' planning.sh table2
cli_report planning

#!/bin/sh
# validation/stacks.py: the program, the table and the measured rows tell the same.
. tests/cli.sh

# ---- The program has the table
run stacks --format csv
[ "$stdout" = "$(cat "$root/validation/stacks.csv")" ]
check $? 'want validation/stacks.csv' stacks --format csv

# ---- The table is that of the shipped rows, but for the stack that has others
if command -v python3 > found; then
    (cd "$root" && python3 validation/stacks.py) > .table
    grep -v '^pytorch-ddp,' .table > .some
    grep -v '^pytorch-ddp,' "$root/validation/stacks.csv" > .shipped
    diff .some .shipped > .differ
    check $? "$(cat .differ)" python3 validation/stacks.py
    (cd "$root" && python3 validation/stacks.py --judge) > .judged
    tail -n 1 .judged | awk -F, '{ exit !($1 == "all" && $3 > 2 * $4 && $5 < $3 && $9 < $7) }'
    check $? "want all rows better with a stack: $(tail -n 1 .judged)" stacks.py --judge
else
    echo 'skipped: no python3'
fi
cli_report stacks

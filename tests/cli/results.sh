#!/bin/sh
# The stored table of all errors, validation/RESULTS.md, is what the program prints, and the
# rows in README.md are some of its. Run by tests/run.sh in the repository root, with the
# optimised program: the table is about its results, not about memory.
set -u
BUILD=${BUILD:-build}
said=$(SGDPERF=$BUILD/sgdperf sh validation/results.sh check 2>&1)
if [ $? -eq 0 ]; then
    echo "cli results: 1 passed, 0 failed"
else
    printf 'failed: validation/results.sh check\n%s\n' "$said" >&2
    echo "cli results: 0 passed, 1 failed"
    exit 1
fi

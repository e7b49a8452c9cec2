# validation/calibrate_tcp.sh on a small grid: the table, the pair with the least error, and
# that the defaults of --link tcp are better there than equal sharing.
. tests/cli.sh

steps=150
[ -n "${TEST_FULL:-}" ] && steps=300
calibrate() {
    (cd "$root" && SGDPERF=$1 sh validation/calibrate_tcp.sh 1 $steps "0 0.5" "0 0.2")
}
stdout=$(calibrate "$program" 2> .stderr)
status=$?
stderr=$(cat .stderr)
[ "$status" -eq 0 ] && [ -z "$stderr" ] && printf '%s\n' "$stdout" | awk '
    NR == 1 { good = $4 == 29 }
    NR == 2 { good = good && $4 == 0 && $5 == 0.2 }
    NR == 3 || NR == 4 {
        grid[$1, "0"] = $2; grid[$1, "0.2"] = $3; good = good && NF == 3 }
    /^chosen/ { x = $3; s = $5; sub(",", "", x); sub(";", "", s); chosen = 1 }
    chosen && /^  [a-z]/ { for (i = 3; i <= NF; i++) { sum += $i < 0 ? -$i : $i; n++ } }
    /^each effect/ { chosen = 0; alone = 1 }
    alone && /^  spread/ { good = good && $2 == 0 && $3 == 0.2 && $4 == grid["0", "0.2"] + 0 ||
                                  good && $4 - grid["0", "0.2"] < 0.006 }
    /^each set/ { alone = 0; out = 1 }
    out && /^ +[0-9.]+ [0-9. ]+ [a-z]/ { others++ }
    /^rows with layers/ { out = 0; layered = 1 }
    layered && /^  / { sets++; if (NF != 10) good = 0 }
    END {
        for (at in grid) if (grid[at] < grid[x, s]) good = 0
        off = sum / n - grid[x, s]; if (off < 0) off = -off
        exit !(good && n == 29 && off < 0.06 && sets == 8 && others == 5 && x == 0.5 && s == 0.2 &&
               grid["0.5", "0.2"] < 5 && grid["0", "0"] > 10)
    }'
check $? 'want a grid and its least pair' '(calibrate_tcp.sh)'
stdout=$(calibrate ./absent 2> .stderr)
status=$?
stderr=$(cat .stderr)
holds 'want status 2' [ "$status" -eq 2 ]

cli_report calibrate_tcp

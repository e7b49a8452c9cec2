# sgdperf allocate: the golden decisions, the interface, bad input.
. tests/cli.sh

# ---- Golden: files case-N.csv, and a line of arguments and a line of JSON for each
awk -f "$root/tests/flat.awk" "$root/tests/golden/sched.json" | awk -F '\t' '
    function option(name, key) {
        if (get[c, key] + 0 != 0) args = args " --" name " " get[c, key]
    }
    BEGIN { policy["mold_hell"] = "moldable-hell"; policy["mold_knee"] = "moldable-knee" }
    $1 !~ /^allocations\./ { next }
    { n = split($1, at, ".")
      c = at[2]
      cases = c + 1
      key = at[3]
      for (i = 4; i <= n; i++) key = key "," at[i]
      get[c, key] = $2
      if (at[3] == "S") { jobs[c] = at[4] + 1; nodes[c, at[4]] = at[5] + 1 } }
    END {
        for (c = 0; c < cases; c++) {
            file = "case-" c ".csv"
            alg = get[c, "alg"]
            if (alg in policy) alg = policy[alg]
            args = file " --nodes " get[c, "W"] " --policy " alg
            if (get[c, "fill"] == "true") args = args " --fill"
            if (get[c, "backfill"] == "false") args = args " --order hol"
            option("alpha", "alpha"); option("alpha-low", "alpha_L")
            option("alpha-high", "alpha_H"); option("load", "load")
            want = ""
            print "job,nodes,service_s,held" > file
            for (j = 0; j < jobs[c]; j++) {
                # rows of a job backwards: any order will do
                for (i = nodes[c, j]; i >= 1; i--)
                    print j "," i "," get[c, "S," j "," i - 1] "," get[c, "fixed," j] + 0 > file
                want = want (j > 0 ? "," : "") "{\"job\":\"" j "\",\"nodes\":" get[c, "expect," j] "}"
            }
            close(file)
            print args
            print "{\"policy\":\"" alg "\",\"allocations\":[" want "],\"idle\":" get[c, "idle"] "}"
        } }' > golden
cases=0
while read -r arguments && read -r want; do
    run allocate $arguments --format json
    [ "$status" -eq 0 ] && [ "$stdout" = "$want" ]
    check $? "want $want" allocate $arguments
    cases=$((cases + 1))
done < golden
[ "$cases" -eq 21 ]
check $? "want 21 golden decisions, got $cases" allocate

# ---- The interface
file jobs.csv <<'END'
# rows in any order, jobs mixed, an unknown column, a quoted name
nodes,job,other,service_s
2,"b ""2""",,50
1,a,,300
1,"b ""2""",x,60
3,a,,110
2,a,,150
END
expect_stdout '{"policy":"hell","allocations":[[]{"job":"b \\"2\\"","nodes":1},{"job":"a","nodes":3}],"idle":0}' \
    allocate jobs.csv --nodes 4 --format json
expect_stdout 'job    nodes
b "2"      1
a          3

hell, 4 nodes, idle 0' allocate jobs.csv --nodes 4
expect_stdout 'job,nodes
"b ""2""",1
a,3' allocate jobs.csv --nodes 4 --format csv
expect_stdout '*"policy":"hell"*' allocate jobs.csv --nodes 4 --policy hell --format json
# A node beyond the table helps nobody; filling gives none away for nothing.
expect_stdout '*"nodes":2},{"job":"a","nodes":3}],"idle":5}' \
    allocate jobs.csv --nodes 10 --fill --format json
expect_stdout '*"nodes":1},{"job":"a","nodes":3}],"idle":6}' \
    allocate jobs.csv --nodes 10 --format json
expect_stdout '*"nodes":2},{"job":"a","nodes":2}],"idle":0}' \
    allocate jobs.csv --nodes 4 --policy equal --format json
expect_stdout '*"nodes":4},{"job":"a","nodes":0}],"idle":0}' \
    allocate jobs.csv --nodes 4 --policy srpt --format json
# Knees: 300 to 150 gains 0.5, 150 to 110 gains 0.27; 60 to 50 gains 0.17, which at 0.4 is
# no knee, but the least.
expect_stdout '*"nodes":2},{"job":"a","nodes":3}],"idle":5}' \
    allocate jobs.csv --nodes 10 --policy knee --format json
expect_stdout '*"nodes":2},{"job":"a","nodes":2}],"idle":6}' \
    allocate jobs.csv --nodes 10 --policy knee --alpha 0.4 --format json
expect_stdout '*"nodes":2},{"job":"a","nodes":2}],"idle":6}' \
    allocate jobs.csv --nodes 10 --policy moldable-knee --alpha -0.4 --format json
# alpha of a load, 0 + 0.8 * 0.5
expect_stdout '*"nodes":2},{"job":"a","nodes":2}],"idle":6}' allocate jobs.csv --nodes 10 \
    --policy moldable-knee --alpha-low 0 --alpha-high 0.5 --load 0.8 --format json

# Moldable: what is held is kept; a job that does not fit is skipped, or holds up others.
file held.csv <<'END'
job,nodes,service_s,held
a,1,10,4
a,2,5,4
b,1,30,3
b,2,20,3
c,1,40,0
c,2,39,0
END
expect_stdout '*"nodes":4},{"job":"b","nodes":0},{"job":"c","nodes":1}],"idle":0}' \
    allocate held.csv --nodes 5 --policy moldable-hell --format json
expect_stdout '*"nodes":4},{"job":"b","nodes":0},{"job":"c","nodes":0}],"idle":1}' \
    allocate held.csv --nodes 5 --policy moldable-hell --order hol --format json

printf 'job,nodes,service_s\n' > none.csv
expect_stdout '{"policy":"knee","allocations":[[]],"idle":7}' \
    allocate none.csv --nodes 7 --policy knee --format json
expect_stdout 'job,nodes' allocate none.csv --nodes 7 --format csv
stdin=jobs.csv
expect_stdout '*"idle":0}' allocate - --nodes 4 --format json
stdin=/dev/null

# ---- Usage
expect_error 'sgdperf: allocate: a file is missing, see --help' allocate --nodes 4
expect_error "sgdperf: allocate: 'x' is one argument too many*" allocate jobs.csv x --nodes 4
expect_error 'sgdperf: --nodes is missing' allocate jobs.csv
expect_error 'sgdperf: absent.csv: *' allocate absent.csv --nodes 4
wrong() {
    want=$1
    shift
    bulk expect_error "sgdperf: $want" allocate jobs.csv --nodes 4 "$@"
}
expect_error "sgdperf: --nodes: '0' is not a positive whole number" allocate jobs.csv --nodes 0
expect_error "sgdperf: --nodes: '1e3' is not a positive whole number" \
    allocate jobs.csv --nodes 1e3
wrong "--policy: 'fifo' is none of hell knee moldable-hell*" --policy fifo
wrong "--policy: 'jsq' has queues, which only sgdperf cluster knows" --policy jsq
wrong "--alpha: '0' is zero*" --alpha 0
wrong "--alpha: 'x' is not a number" --alpha x
wrong "--alpha-low: '-1' is negative" --alpha-low -1
wrong "--alpha-high: '-1' is negative" --alpha-high -1
wrong '--alpha-low: is zero, and so is --alpha-high' --alpha-low 0 --alpha-high 0
wrong "--load: '0' is not positive" --load 0
wrong '--fill: takes no value' --fill=1
wrong "--order: 'fifo' is none of skip hol" --order fifo
wrong '--gamma: unknown option*' --gamma 1

# What a policy does not know would do nothing.
wrong '--fill: is for hell and knee' --policy equal --fill
wrong '--order: is for moldable-hell and moldable-knee' --policy knee --order hol
wrong '--alpha: is for knee and moldable-knee' --alpha 0.1
wrong '--alpha-low: is for moldable-knee with --load' --policy knee --alpha-low 0.1
wrong '--alpha-high: is for moldable-knee with --load' --policy moldable-knee --alpha-high 0.1
wrong '--alpha: moldable-knee with a load goes by *' --policy moldable-knee --load 0.8 --alpha 0.1
wrong '--load: is for moldable-knee' --policy knee --load 0.8

# ---- Bad jobs: two good rows, and a third
bad() {
    printf '%s\n' job,nodes,service_s,held a,1,10,1 a,2,6,1 "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$2" allocate bad.csv --nodes 4
}
bad ',1,5,0' "4: column 'job': the cell is empty"
bad 'b,0,5,0' "4: column 'nodes': 0 is not a positive whole number"
bad 'b,-1,5,0' "4: column 'nodes': -1 is not a positive whole number"
bad 'b,1.5,5,0' "4: column 'nodes': 1.5 is not a positive whole number"
bad 'b,,5,0' "4: column 'nodes': the cell is empty"
bad 'b,99999999999,5,0' "4: column 'nodes': 99999999999 is too large"
bad 'b,2,5,0' "4: column 'nodes': 2, but 'b' has no row for 1"
bad 'a,4,5,1' "4: column 'nodes': 4, but 'a' has no row for 3"
bad 'a,4000000000,5,1' "4: column 'nodes': 4000000000, but 'a' has no row for 3"
bad 'a,2,5,1' "4: column 'nodes': 2 occurs twice for 'a', first in line 3"
bad 'b,1,0,0' "4: column 'service_s': 0 is not positive"
bad 'b,1,-5,0' "4: column 'service_s': -5 is negative"
bad 'b,1,nan,0' "4: column 'service_s': 'nan' is not a number"
bad 'b,1,1e999,0' "4: column 'service_s': '1e999' is too large"
bad 'b,1,9e-71,0' "4: column 'service_s': 9e-71 is not within 1e-70 .. 1e+70"
bad 'b,1,,0' "4: column 'service_s': the cell is empty"
bad 'b,1,5,5' "4: column 'held': 5 is more than the 4 nodes"
bad 'b,1,5,-1' "4: column 'held': -1 is not a whole number"
bad 'a,3,5,2' "4: column 'held': 2, but 1 in line 2 of 'a'"
bad 'b,1,5' '4: 3 cells in a row, 4 in the header'
for column in job nodes service_s; do
    sed "2s/\\b$column\\b/other_/" jobs.csv > bad.csv
    expect_error "sgdperf: bad.csv:2: no column '$column'" allocate bad.csv --nodes 4
done

cli_report allocate

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
holds "want 21 golden decisions, got $cases" [ "$cases" -eq 21 ]

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

stdin=jobs.csv
expect_stdout '*"idle":0}' allocate - --nodes 4 --format json
stdin=/dev/null

# ---- Bad jobs
for column in job nodes service_s; do
    sed "2s/\\b$column\\b/other_/" jobs.csv > bad.csv
    expect_error "sgdperf: bad.csv:2: column '$column' is missing" allocate bad.csv --nodes 4
done

cli_report allocate

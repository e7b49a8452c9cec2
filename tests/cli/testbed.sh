# validation/testbed: plans that are refused, a run over loopback without any right, its log
# into profile and its dataset into validate; with TEST_FULL and root, namespaces, and
# whether anything is left of a run that is ended.
node=$PWD/${BUILD:-build}/testbed/node
case ${BUILD:-build} in /*) node=$BUILD/testbed/node ;; esac
. tests/cli.sh
has python3 || cli_report testbed
# Itself, not what looks for it each time.
interpreter=$(python3 -c 'import sys; print(sys.executable)')

# testbed STATUS ARGUMENT...: sets $stdout and $stderr.
testbed() {
    want=$1
    shift
    "$interpreter" "$root/validation/testbed/testbed.py" --node "$node" "$@" > .stdout 2> .stderr
    status=$?
    stdout=$(cat .stdout)
    stderr=$(cat .stderr)
    holds "want status $want" [ "$status" -eq "$want" ]
}

# refused PATTERN ARGUMENT...: status 2, one line that matches.
refused() {
    pattern=$1
    shift
    testbed 2 "$@"
    matches "$stderr" "$pattern" && ! matches "$stderr" "*$newline*"
    check $? "want stderr $pattern" "(testbed.py $*)"
}

# ---- Plans that are refused
header=dataset,point,mode,workers,servers,forward_s,update_s,model_bytes,bandwidth_bytes_per_s
# All in one process, as it is long to start: plans 1.csv and so on, whose messages come last.
cases=0
# wrong ROW PATTERN [COLUMN]
wrong() {
    cases=$((cases + 1))
    printf '%s\n' "$header${3:+,$3}" "$1" > $cases.csv
    printf '%s\n' "testbed: $cases.csv:2: $2" > $cases.want
}
# bad COLUMN VALUE PATTERN: a good row with one more column; *PATTERN is about another one.
bad() {
    case $3 in
        \**) wrong "a,b,async,2,1,0.01,0,1000,1e8,$2" "${3#?}" "$1" ;;
        *) wrong "a,b,async,2,1,0.01,0,1000,1e8,$2" "column '${1%%,*}': '${2%%,*}' $3" "$1" ;;
    esac
}
file cases.py <<'END'
import contextlib, io, sys
sys.path.insert(0, sys.argv[1] + "/validation/testbed")
import testbed
for case in range(1, int(sys.argv[2]) + 1):
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        status = testbed.main([f"{case}.csv", "--estimate"])
    with open(f"{case}.said", "w", encoding="utf-8") as out:
        out.write(f"{status} {said.getvalue()}")
END
wrong a,b,async,0,1,0.01,0,1000,1e8 "column 'workers': '0' is below 1"
wrong a,b,async,65,1,0.01,0,1000,1e8 "column 'workers': '65' is no whole number from 1 to 64"
wrong a,b,async,1.5,1,0.01,0,1000,1e8 "column 'workers': '1.5' is no whole number*"
wrong a,b,asynk,1,1,0.01,0,1000,1e8 "column 'mode': 'asynk' is none of async sync ssp ring tree"
wrong a,b,,1,1,0.01,0,1000,1e8 "column 'mode': '' is needed"
wrong a,,async,1,1,0.01,0,1000,1e8 "column 'point': '' is needed"
wrong a,b,async,1,1,-1,0,1000,1e8 "column 'forward_s': '-1' is below 0"
wrong a,b,async,1,1,nan,0,1000,1e8 "column 'forward_s': 'nan' is no number that makes sense"
wrong a,b,async,1,1,x,0,1000,1e8 "column 'forward_s': 'x' is no number"
wrong a,b,async,1,1,0,0,0,1e8 "column 'model_bytes': '0' is not above 0"
wrong a,b,async,1,1,0,0,,1e8 "column 'model_bytes': '' is needed"
wrong a,b,async,1,1,0,0,1000,0 "column 'bandwidth_bytes_per_s': '0' is not above 0"
wrong a,b,async,1,1,0,0,1000 "8 cells, but 9 columns"
bad steps 5 'is below 10'
bad steps 100000 'would take * s, more than 600'
bad shares '0.5 0.5' 'is not a share for each server, of sum 1'
bad place '0 1' 'is of no effect on a run without overlap'
bad worker_types 1:2 'is not COUNT:FORWARD:BACKWARD, separated by blanks'
bad worker_types 3:0.1:0 'are not 2 workers'
bad backup 1 'is only for sync, one server, and below the workers'
bad staleness 1 'is only for ssp'
bad compute_cv 0.1 'needs column jitter'
bad jitter uniform 'is none of none normal lognormal exponential'
bad delayed_workers,delay_s 3,.1 'are more than there are'
bad jobs 9 'is no whole number from 1 to 8'
bad flow_cap_bytes_per_s 4294967296 'is above 4294967294, what the kernel takes'
bad shares '0.5_0 0.5' 'is no list of numbers, separated by blanks'

# ---- Cells that would be of no effect
bad overlap 1 'is of no effect on one layer'
bad buckets 4 'is of no effect on a run without overlap'
bad order reverse 'is of no effect on one layer'
bad bucket_bytes 1000 'is of no effect on servers'
bad delayed_workers 1 'is of no effect on workers without delay_s'
bad jitter normal 'needs column compute_cv'
bad compute_cv,jitter 0.6,normal 'is above 0.5, where normal jitter is cut at 0 too often*'
bad worker_types 2:0.1:0 "*column 'forward_s': '0.01' is not to be given beside worker_types"
wrong a,b,ring,2,2,0.01,0,1000,1e8 "column 'servers': '2' is of no effect on an all-reduce"
wrong a,b,ring,1,,0.01,0,1000,1e8 "column 'workers': '1' is of no effect on an all-reduce of one"
wrong 'a,x/../y,async,1,1,0,0,1000,1e8' \
    "column 'point': 'x/../y' has others than letters, digits and . _ + -"
wrong 'a,"b,c",async,1,1,0,0,1000,1e8' "column 'point': 'b,c' has others than*"
printf '%s\n' compute_s 0 0 > zero.csv
bad durations zero.csv 'are all 0'
"$interpreter" cases.py "$root" $cases > .stdout 2> .stderr
check $? 'want status 0' '(cases.py)'
for case in $(seq $cases); do
    said=$(cat $case.said)
    matches "$said" "2 $(cat $case.want)" && ! matches "$said" "*$newline*"
    check $? "want status 2 and $(cat $case.want), not $said" "(testbed.py, $(sed -n 2p $case.csv))"
done

# ---- The rate of one worker
# Servers share an update as they share bytes, so a step takes 2 bytes / bandwidth and the update
# of the largest share.
printf '%s\n' "$header,shares" 'a,one,async,1,1,0,0.5,1000,16000,' 'a,two,async,1,2,0,0.5,1000,16000,' \
    'a,four,async,1,4,0,0.5,1000,16000,' 'a,uneven,async,1,2,0,0.5,1000,16000,0.75 0.25' > own.csv
"$interpreter" -c 'import sys
sys.path.insert(0, sys.argv[1] + "/validation/testbed")
import plan
print(*(1 / point.own_rate() for point in plan.read("own.csv")[1]))' "$root" > .stdout 2> .stderr
said=$(cat .stdout .stderr)
[ "$said" = '0.625 0.375 0.25 0.5' ]
check $? "want 0.625 0.375 0.25 0.5 s of one worker, not $said" '(plan.py own_rate)'

# ---- What is refused before it is measured
printf '%s\n' "$header,rol" "a,b,async,1,1,0,0,1000,1e8," > bad.csv
refused "testbed: bad.csv: column 'rol' is not known" bad.csv
printf '%s\n' "$header" "a,b,async,1,1,0,0,1000,1e8" "a,b,async,2,1,0,0,1000,1e8" > bad.csv
refused "testbed: bad.csv:3: column 'point': 'b' stands in line 2 too" bad.csv
printf '%s\n' "$header" "a,b,ssp,1,1,0,0,1000,1e8" "a,c,sync,2,1,0,0,1000,1e8" > bad.csv
refused "testbed: bad.csv:3: column 'mode': 'sync' is synchronous, but dataset 'a' has 'ssp' in line 2, which is asynchronous" bad.csv
printf '%s\n' "$header,layers" "a,b,async,1,1,,,,1e8,absent.csv" > bad.csv
refused "testbed: */absent.csv: No such file or directory" bad.csv
printf '%s\n' bytes,forward_s,backward_s,update_s 10,0,0,0 > absent.csv # as sgdperf wants it
refused "testbed: */absent.csv:1: no column 'layer', a name for each" bad.csv
printf '%s\n' layer,bytes,forward_s,backward_s,update_s 0,10,x,0,0 > layers.csv
printf '%s\n' "$header,layers" "a,b,async,1,1,,,,1e8,layers.csv" > bad.csv
refused "testbed: */layers.csv:2: column 'forward_s': 'x' is no number" bad.csv
refused 'testbed: none.csv: No such file or directory' none.csv
echo "$header" > bad.csv
refused 'testbed: bad.csv: no rows' bad.csv

# ---- The draw: half of the points, the same for the same seed
{ echo "$header"; for i in 1 2 3 4 5 6 7 8 9; do echo "a,b$i,async,1,1,0,0,1000,1e8"; done; } > plan.csv
{ head -n 1 plan.csv; echo '# a comment'; tail -n +2 plan.csv | sort -r; } > turned.csv
testbed 0 plan.csv --draw 7
testbed 0 turned.csv --draw 7
[ "$(grep -c ',1$' plan.csv)" -eq 4 ] && [ "$(sed -n 2p turned.csv)" = '# a comment' ] &&
    [ "$(sort plan.csv)" = "$(grep -v '^#' turned.csv | sort)" ]
check $? 'want 4 of 9 points, the same in any order of rows' '(testbed.py --draw)'
refused "testbed: plan.csv:1: column 'held_out' is there: a plan is drawn from once" plan.csv --draw 8

# ---- What is missing
{ echo "$header"; echo a,b,async,1,1,0,0,1000,1e8; } > plan.csv
python=$(command -v /usr/bin/python3)
if [ "$(id -u)" -eq 0 ] && [ -n "$python" ] &&
    setpriv --reuid=65534 --regid=65534 --clear-groups true 2> /dev/null; then
    chmod 755 . && : > .stderr && chmod 666 .stderr
    said=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$python" -B \
        "$root/validation/testbed/testbed.py" plan.csv --node "$node" 2>&1 > .stdout)
    status=$?
    [ $status -eq 2 ] && case $said in
        'testbed: needs root, for network namespaces' | *'node builds it' | \
            *"can't open file"*) true ;;
        *) false ;;
    esac
    check $? "without root: $said" '(testbed.py)'
fi
refused "testbed: */none is not there: make build/testbed/node builds it" plan.csv \
    --node "$folder/none"
[ -x "$node" ] || { echo "skipped: no $node"; cli_report testbed; }
echo 127.0.0.1 > hosts
refused "testbed: hosts:1: no command behind the address '127.0.0.1'" plan.csv --hosts hosts
echo '127.0.0.1 /no/such/command' > hosts
refused "testbed: hosts:1: no such command: '/no/such/command'" plan.csv --hosts hosts
echo '127.0.0.1 sh -c "x' > hosts
refused "testbed: hosts:1: no closing quotation" plan.csv --hosts hosts
# What only namespaces shape, and files that are not to be written to.
echo '127.0.0.1 env' > hosts
printf '%s\n' "$header,delay_s" "a,b,async,1,1,0,0,1000,1e8,0.01" > bad.csv
refused "testbed: bad.csv:2: column 'delay_s': '0.01' is shaped between namespaces only, *" bad.csv \
    --hosts hosts
mkfifo pipe
refused 'testbed: pipe: is there, and no file' plan.csv --hosts hosts --out pipe
refused 'testbed: plan.csv: is read too: *' plan.csv --hosts hosts --out plan.csv
refused 'testbed: plan.csv/x: *' plan.csv --hosts hosts --out plan.csv/x
refused 'testbed: x.csv: is that of the held-out points too' plan.csv --hosts hosts --out x.csv \
    --held-out ./x.csv
# A node that cannot be, and runs that are not those of the plan: said, at once.
# dropped COMMAND PATTERN
dropped() {
    echo "127.0.0.1 $1" > hosts
    testbed 1 plan.csv --hosts hosts --out x.csv --repetitions 1 --realtime 0 --keep
    case $stderr in
        *"a,b: seed 100000 does not count: "$2"; repeated$newline"*"; lost, as it was"*) true ;;
        *) false ;;
    esac && [ ! -e x.csv ]
    check $? "want $2" "(testbed.py, hosts: $1)"
}
dropped "sh -c 'echo --- >&2; echo refuses root >&2; exit 1'" 'server 0 on 127.0.0.1: refuses root'
dropped true 'server 0 on 127.0.0.1: a log is not whole: exit status 0'
dropped "sh -c 'exec \"\$0\" \"\$@\" steps=12'" '12 of 60 steps were done'
"$node" role=worker workers=1 2> .stderr
[ $? -eq 2 ] && [ "$(cat .stderr)" = 'testbed: bytes: not given' ]
check $? 'want one line' '(node without bytes)'
"$node" role=worker bytes=1,x 2> .stderr
[ $? -eq 2 ] && [ "$(cat .stderr)" = "testbed: bytes: 'x' is no number from 0 up" ]
check $? 'want one line' '(node with a bad number)'

# ---- Over loopback, as over hosts: all modes, layers, several servers
printf '%s\n' layer,bytes,forward_s,backward_s,update_s 0,50000,.001,.002,.0005 1,0,.001,.001,0 \
    2,90000,.002,.001,.0005 > layers.csv
cat > plan.csv <<END
dataset,point,mode,workers,servers,forward_s,update_s,model_bytes,bandwidth_bytes_per_s,overlap,layers,place,backup,staleness,jitter,compute_cv,buckets,steps
loop,async-k1,async,1,1,0.005,0.002,100000,1e9,,,,,,,,,20
loop,layers-k2,async,2,2,,,,1e9,1,layers.csv,1 0 0,,,,,,20
loop-sync,backup-k3,sync,3,1,0.005,0.002,100000,1e9,,,,1,,normal,0.3,,20
loop,stale-k2,ssp,2,1,0.005,0.002,100000,1e9,,,,,1,lognormal,0.5,,20
loop-ring,ring-k3,ring,3,,0.004,0.002,100000,1e9,1,,,,,,,4,20
loop-ring,tree-k4,tree,4,,0.004,0.002,100000,1e9,,,,,,,,,20
END
echo '127.0.0.1 env' > hosts
testbed 0 plan.csv --hosts hosts --out out.csv --logs logs --repetitions 1 --realtime 0 --keep
# With nothing on the wires one worker takes 7 ms; rates cannot be above their bounds.
awk -F, '/^#/ { next } !n { for (i = 1; i <= NF; i++) at[$i] = i; n = 1; next }
    { rate[$at["point"]] = $at["batches_per_s"]; rows++ }
    END { exit !(rows == 6 && rate["async-k1"] <= 1.001 / 0.007 && rate["async-k1"] > 20 &&
                 rate["layers-k2"] <= 2.002 / 0.008 && rate["backup-k3"] > 20 &&
                 rate["ring-k3"] <= 3.003 / 0.006 && rate["tree-k4"] <= 4.004 / 0.006) }' out.csv
check $? 'want six rates within their bounds' '(testbed.py over loopback)'
expect_status 0 validate out.csv
# What the plan said stands in the dataset as it said it.
grep -q '^loop,async-k1,async,1,1,,0.005,0,0.002,100000,1e9,0,' out.csv
check $? 'want the words of the plan' '(testbed.py, dataset)'
# A worker without backward has one of 0, and its log makes a profile that predict takes.
log=$(echo logs/loop-async-k1-*/job0-worker0.csv)
expect_number 'phase":"forward","cycles' 20 0 profile "$log"
expect_number 'phase":"forward","cycles":20,"mean_s' 0.005 1e-6 profile "$log"
expect_number 'phase":"update","cycles":20,"mean_s' 0.002 1e-6 profile "$log"
expect_number 'phase":"backward","cycles":20,"mean_s' 0 0 profile "$log"
run profile "$log" --format csv
cp .stdout profile.csv
expect_status 0 predict --mode async --profile profile.csv --workers 2
# The layer without bytes is never sent; the others go to the servers that the plan names.
log=$(echo logs/loop-layers-k2-*/job0-worker1.csv)
awk -F, '$2 == "uplink" { sent[$6 " " $7]++ } END { for (k in sent) n++
    exit !(n == 2 && sent["1 0"] > 5 && sent["0 2"] > 5) }' "$log"
check $? 'want layer 0 at server 1, layer 2 at server 0' '(node)'
# Hosts that started at different times: the same, where the kernel lets us have them.
unshare=$(command -v unshare)
if [ "$(id -u)" -eq 0 ] && unshare -T --monotonic 5000 --fork true 2> .stderr; then
    printf '127.0.0.1 %s\n' env "$unshare -T --monotonic 5000 --fork" \
        "$unshare -T --monotonic 100000 --fork" > hosts
    { sed 2q plan.csv; sed -n '2s/k1,async,1,1/k2,async,2,2/p' plan.csv
        sed -n '2s/k1,async,1,1/k1s,async,3,1/p' plan.csv; } > apart.csv
    testbed 0 apart.csv --hosts hosts --out apart-out.csv --repetitions 1 --realtime 0 --keep \
        --logs apart
    awk -F, '/^#/ { next } !n { for (i = 1; i <= NF; i++) at[$i] = i; n = 1; next }
        { u = $at["clock_uncertainty_s"]; good += u > 0 && u < 0.02 && $at["batches_per_s"] > 20 }
        END { exit good != 3 }' apart-out.csv
    check $? 'want rates and clocks' '(testbed.py, hosts with other uptimes)'
    # All began within a second, by the clock of server 0.
    cat apart/loop-async-k1s-*/job0-worker?.csv | awk -F, '$2 == "downlink" && $1 == 0 {
        if (!n++ || $3 < low) low = $3; if ($3 > high) high = $3 } END { exit !(n == 3 && high - low < 1) }'
    check $? 'want one clock' '(node, logs)'
fi
echo '127.0.0.1 env LANG=C sh -c' > hosts # a shell gets one command line
# A held-out point goes into a file of its own, and its rate is not printed.
sed '1s/$/,held_out/; 2,$s/$/,0/; 2s/0$/1/' plan.csv | head -n 2 > held.csv
testbed 0 held.csv --hosts hosts --out open.csv --held-out closed.csv --repetitions 1 --keep \
    --realtime 0
[ ! -e open.csv ] && grep -q async-k1 closed.csv && grep -q 'async-k1  held out' .stdout
check $? 'want a file of its own' '(testbed.py, held out)'

# ---- Two jobs count both; buckets are as large as the plan says
if [ -n "${TEST_FULL:-}" ]; then
    echo '127.0.0.1 sh -c '\''exec "$0" "$@"'\' > hosts
    cat > more.csv <<'END'
dataset,point,mode,workers,forward_s,model_bytes,bandwidth_bytes_per_s,bucket_bytes,worker_types,buckets,jobs,steps
two,k2,async,2,0.01,100000,1e9,,,,2,20
ring,k2,ring,2,,4194304,1e9,1048576,2:0.01:0.01,16,,12
END
    testbed 0 more.csv --hosts hosts --out more-out.csv --repetitions 1 --realtime 0 --keep --logs more
    holds 'want logs of both jobs' [ "$(ls more/two-k2-*/job1-worker?.csv | wc -l)" -eq 2 ]
    # Without overlap nothing is sent before all is computed, of any type of worker.
    awk -F, '$1 != 1 { next } $2 == "uplink" { if ($8 != 1048576) exit 1; n++
            if (!first || $3 < first) first = $3 }
        $2 == "backward" && $4 > last { last = $4 }
        END { exit !(n == 4 && first >= last) }' more/ring-k2-*/job0-worker0.csv
    check $? 'want four buckets of 1 MiB behind the computation' '(testbed.py, bucket_bytes)'
fi

# ---- Nodes that are nobody's children, as those behind ssh, end with their stdin
# A node writes over the = of its arguments.
running() { pgrep -f "$node role" > /dev/null; }
ended() {
    for turn in 1 2 3 4 5 6 7 8 9 10; do # who has idle priority is slow to end
        running || return 0
        sleep 0.5
    done
    return 1
}
if [ -n "${TEST_FULL:-}" ] && command -v setsid > /dev/null; then
    file remote.sh <<'END'
exec 3<&0
(setsid "$@" <&3 3<&- & echo $! > pid.$$)
while kill -0 "$(cat pid.$$)" 2> pid.err; do sleep 0.05; done
END
    echo "127.0.0.1 sh $folder/remote.sh" > hosts
    { echo "$header,steps"; echo a,b,async,2,1,0.05,0,1000,1e8,1000; } > long.csv
    file drive.py <<'END'
import os, signal, subprocess, sys, time
driver = subprocess.Popen([sys.executable] + sys.argv[2:], stdout=subprocess.DEVNULL)
time.sleep(1.5)
seen = subprocess.call(["pgrep", "-f", sys.argv[4] + " role"], stdout=subprocess.DEVNULL)
os.kill(driver.pid, getattr(signal, "SIG" + sys.argv[1]))
sys.exit(0 if driver.wait(60) != 0 and seen == 0 else 1)
END
    for signal in INT KILL; do
        "$interpreter" drive.py $signal "$root/validation/testbed/testbed.py" --node "$node" \
            --hosts hosts --realtime 0 --keep --out x.csv long.csv 2> .stderr
        check $? 'want nodes, and a driver that ends' "(testbed.py --hosts, SIG$signal)"
        ended
        check $? 'want no node' "(testbed.py --hosts, SIG$signal)"
    done
fi

# ---- Namespaces: real links, and nothing left whatever happens
left() { ip netns list | grep -c '^sgdtb-'; }
[ -n "${TEST_FULL:-}" ] && [ "$(id -u)" -eq 0 ] || cli_report testbed
"$interpreter" "$root/validation/testbed/testbed.py" --node "$node" --keep --repetitions 1 \
    --out small.csv "$root/validation/testbed/plans/smoke.csv" > .stdout 2> .stderr
status=$?
if [ $status -eq 2 ]; then
    echo "skipped: $(cat .stderr)"
    cli_report testbed
fi
check $status 'want status 0' '(testbed.py, smoke plan)'
expect_status 0 validate small.csv
# 1 MiB each way, 7 and 4 ms: 29 ms. A busy machine is slower, never quicker.
awk -F, '/async-k1/ { good = $13 > 5 && $13 < 1.02 / (0.011 + 2 * 1048576 / 1.17685e8) }
    END { exit !good }' small.csv
check $? 'want the rate of one worker' '(testbed.py, smoke plan)'

# ends SIGNAL: while the second point runs. A shell's background would ignore SIGINT.
file ends.py <<'END'
import os, signal, subprocess, sys, time
folder = sys.argv[3] + "/validation/testbed/"
driver = subprocess.Popen([sys.executable, folder + "testbed.py", "--node", sys.argv[2], "--out",
                           "killed.csv", folder + "plans/smoke.csv"], stdout=subprocess.PIPE)
driver.stdout.readline()
if sys.argv[1] != "TWICE": # else while the namespaces are made
    driver.stdout.readline()
time.sleep(0.3)
seen = subprocess.call(["pgrep", "-f", sys.argv[2] + " role"], stdout=subprocess.DEVNULL)
if seen != 0 and sys.argv[1] != "TWICE":
    sys.exit(1)
for number in ("TERM", "TERM") if sys.argv[1] == "TWICE" else sys.argv[1:2]:
    os.kill(driver.pid, getattr(signal, "SIG" + number))
    time.sleep(0.05)
sys.exit(0 if driver.wait(60) != 0 else 1)
END
{ echo "$header"; echo a,b,async,1,1,0.001,0,1000,1e8; } > one.csv
# Logs of drivers that were killed go with the next start.
logs_left() { ls -d "${TMPDIR:-/tmp}"/testbed-*-* 2> .ls | wc -l; }
before=$(logs_left)
for signal in INT TERM TWICE KILL; do
    "$interpreter" ends.py $signal "$node" "$root"
    check $? 'want a driver that ends' "(testbed.py, SIG$signal)"
    if [ $signal = KILL ]; then # the next start cleans
        holds 'want something left' [ "$(left)" -gt 0 ]
        testbed 0 one.csv --out one-out.csv --repetitions 1 --keep
        holds 'want no logs' [ "$(logs_left)" -le "$before" ]
    fi
    holds 'want no namespace' [ "$(left)" -eq 0 ]
    ended
    check $? 'want no process' "(testbed.py, SIG$signal)"
done

# ---- Two namespaces of our own as two hosts, joined by a cable
ip netns add sgdtest-a && ip netns add sgdtest-b &&
    ip -n sgdtest-a link add eth0 type veth peer name eth0 netns sgdtest-b &&
    for host in a b; do
        ip -n sgdtest-$host addr add 10.98.0.$((host_number = ${host_number:-0} + 1))/24 dev eth0
        ip -n sgdtest-$host link set lo up
        ip -n sgdtest-$host link set eth0 up
    done
printf '%s\n' '# the server, then who works' '10.98.0.1 ip netns exec sgdtest-a' \
    '10.98.0.2 ip netns exec sgdtest-b' > hosts
testbed 0 plan.csv --hosts hosts --out two.csv --repetitions 1 --keep
holds 'want six rows' [ "$(grep -c '^loop' two.csv)" -eq 6 ]
ip netns del sgdtest-a
ip netns del sgdtest-b

cli_report testbed

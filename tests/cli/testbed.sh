# validation/testbed: plans that are refused, a run over loopback without any right, its log
# into profile and its dataset into validate; with TEST_FULL and root, namespaces, and
# whether anything is left of a run that is ended.
node=$PWD/${BUILD:-build}/testbed/node
case ${BUILD:-build} in /*) node=$BUILD/testbed/node ;; esac
. tests/cli.sh
# Itself, not what looks for it each time.
interpreter=$(python3 -c 'import sys; print(sys.executable)' 2> /dev/null) ||
    { echo 'skipped: no python3'; cli_report testbed; }

# testbed STATUS ARGUMENT...: sets $stdout and $stderr.
testbed() {
    want=$1
    shift
    "$interpreter" "$root/validation/testbed/testbed.py" --node "$node" "$@" > .stdout 2> .stderr
    status=$?
    stdout=$(cat .stdout)
    stderr=$(cat .stderr)
    [ "$status" -eq "$want" ]
    check $? "want status $want" "(testbed.py $*)"
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
# bad COLUMN VALUE PATTERN: a good row with one more column.
bad() {
    printf '%s\n' "$header,$1" "a,b,async,2,1,0.01,0,1000,1e8,$2" > bad.csv
    refused "testbed: bad.csv:2: column '$1': '$2' $3" bad.csv --estimate
}
# wrong ROW PATTERN
wrong() {
    printf '%s\n' "$header" "$1" > bad.csv
    refused "testbed: bad.csv:2: $2" bad.csv --estimate
}
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
bad place '0 1' 'is not a server from 0 for each of 1 layers'
bad worker_types 1:2 'is not COUNT:FORWARD:BACKWARD, separated by blanks'
bad worker_types 3:0.1:0 'are not 2 workers'
bad backup 1 'is only for sync, one server, and below the workers'
bad staleness 1 'is only for ssp'
bad compute_cv 0.1 'needs column jitter'
bad jitter uniform 'is none of none normal lognormal exponential'
bad delayed_workers 3 'are more than there are'
bad jobs 9 'is no whole number from 1 to 8'
printf '%s\n' "$header,rol" "a,b,async,1,1,0,0,1000,1e8," > bad.csv
refused "testbed: bad.csv: column 'rol' is not known" bad.csv
printf '%s\n' "$header" "a,b,async,1,1,0,0,1000,1e8" "a,b,async,2,1,0,0,1000,1e8" > bad.csv
refused "testbed: bad.csv:3: column 'point': 'b' stands in line 2 too" bad.csv
printf '%s\n' "$header" "a,b,async,1,1,0,0,1000,1e8" "a,c,sync,2,1,0,0,1000,1e8" > bad.csv
refused "testbed: bad.csv:3: column 'mode': 'sync' is sync, but dataset 'a' is async" bad.csv
printf '%s\n' "$header,layers" "a,b,async,1,1,,,,1e8,absent.csv" > bad.csv
refused "testbed: */absent.csv: No such file or directory" bad.csv
printf '%s\n' layer,bytes,forward_s,backward_s,update_s 0,10,x,0,0 > layers.csv
printf '%s\n' "$header,layers" "a,b,async,1,1,,,,1e8,layers.csv" > bad.csv
refused "testbed: */layers.csv:2: column 'forward_s': 'x' is no number" bad.csv
refused 'testbed: absent.csv: No such file or directory' absent.csv
echo "$header" > bad.csv
refused 'testbed: bad.csv: no rows' bad.csv

# ---- The draw: half of the points, the same for the same seed
{ echo "$header"; for i in 1 2 3 4 5 6 7 8 9; do echo "a,b$i,async,1,1,0,0,1000,1e8"; done; } > plan.csv
testbed 0 plan.csv --draw 7
cp plan.csv drawn.csv
testbed 0 plan.csv --draw 7
cmp -s plan.csv drawn.csv && [ "$(grep -c ',1$' plan.csv)" -eq 4 ]
check $? 'want 4 of 9 points, the same again' '(testbed.py --draw)'

# ---- What is missing
{ echo "$header"; echo a,b,async,1,1,0,0,1000,1e8; } > plan.csv
python=$(command -v /usr/bin/python3)
if [ "$(id -u)" -eq 0 ] && [ -n "$python" ] && command -v setpriv > /dev/null; then
    chmod 755 . && : > .stderr && chmod 666 .stderr
    said=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$python" -B \
        "$root/validation/testbed/testbed.py" plan.csv --node "$node" 2>&1 > .stdout)
    status=$?
    [ $status -eq 2 ] && case $said in
        'testbed: needs root, for network namespaces' | *'is not there: make testbed builds it' | \
            *"can't open file"*) true ;;
        *) false ;;
    esac
    check $? "without root: $said" '(testbed.py)'
fi
refused "testbed: */none is not there: make testbed builds it" plan.csv --node "$folder/none"
[ -x "$node" ] || { echo "skipped: no $node"; cli_report testbed; }
echo 127.0.0.1 > hosts
refused "testbed: hosts:1: no command behind the address '127.0.0.1'" plan.csv --hosts hosts
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
log=$(echo logs/loop-async-k1-*/job0-worker0.csv)
expect_number 'phase":"forward","cycles' 20 0 profile "$log"
expect_number 'phase":"forward","cycles":20,"mean_s' 0.005 1e-6 profile "$log"
expect_number 'phase":"update","cycles":20,"mean_s' 0.002 1e-6 profile "$log"
# The layer without bytes is never sent; the others go to the servers that the plan names.
log=$(echo logs/loop-layers-k2-*/job0-worker1.csv)
awk -F, '$2 == "uplink" { sent[$6 " " $7]++ } END { for (k in sent) n++
    exit !(n == 2 && sent["1 0"] > 5 && sent["0 2"] > 5) }' "$log"
check $? 'want layer 0 at server 1, layer 2 at server 0' '(node)'
# A held-out point goes into a file of its own, and its rate is not printed.
sed '1s/$/,held_out/; 2,$s/$/,0/; 2s/0$/1/' plan.csv | head -n 2 > held.csv
testbed 0 held.csv --hosts hosts --out open.csv --held-out closed.csv --repetitions 1 --keep \
    --realtime 0
[ ! -e open.csv ] && grep -q async-k1 closed.csv && grep -q 'async-k1  held out' .stdout
check $? 'want a file of its own' '(testbed.py, held out)'

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
driver.stdout.readline()
time.sleep(0.3)
os.kill(driver.pid, getattr(signal, "SIG" + sys.argv[1]))
sys.exit(0 if driver.wait(60) != 0 else 1)
END
{ echo "$header"; echo a,b,async,1,1,0.001,0,1000,1e8; } > one.csv
for signal in INT TERM KILL; do
    "$interpreter" ends.py $signal "$node" "$root"
    check $? 'want a driver that ends' "(testbed.py, SIG$signal)"
    if [ $signal = KILL ]; then # the next start cleans
        [ "$(left)" -gt 0 ]
        check $? 'want something left' '(testbed.py, SIGKILL)'
        testbed 0 one.csv --out one-out.csv --repetitions 1 --keep
    fi
    [ "$(left)" -eq 0 ]
    check $? 'want no namespace' "(testbed.py, SIG$signal)"
    for turn in 1 2 3 4 5 6 7 8 9 10; do # who has idle priority is slow to end
        pgrep -f "$node role=" > /dev/null || break
        sleep 0.5
    done
    ! pgrep -f "$node role=" > /dev/null
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
[ "$(grep -c '^loop' two.csv)" -eq 6 ]
check $? 'want six rows' '(testbed.py --hosts)'
ip netns del sgdtest-a
ip netns del sgdtest-b

cli_report testbed

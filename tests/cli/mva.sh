# sgdperf mva, and what all commands share: numbers, formats, every kind of bad input.
. tests/cli.sh

file net.csv <<'END'
class,population,think_s,uplink,server,downlink
w,4,0.029,0.072,0.018,0.072
END
file two.csv <<'END'
# columns in any order, quoted, CRLF below
downlink,"think_s",server,population,uplink,class
0.072,0.029,0.018,2,0.072,fast
0.072,0.060,0.018,2,0.072,"slow, old"
END

# ---- Servers: oracles of other programs; what a class has adds up to the station
file servers.csv <<'END'
class,population,think_s,cpu,disk,net
a,2,0,0.2,0.24,0.4
b,1,0,0.2,0.18,1.4
END
expect_stdout '*tasks of each class*cpu*utilization by each class*' mva servers.csv \
    --method linearizer --capacity cpu=1.5
matches "$stderr" 'sgdperf: note: --method linearizer approximates a station*errors of up to 20 %'
check $? 'want a note of the error'

# ---- Formats
stdin=net.csv
expect_stdout '*10.643*' mva -
stdin=two.csv
expect_stdout '*fast*' mva -- -
stdin=/dev/null

# ---- Bad files
whole() {
    printf "$1" > bad.csv
    expect_error "sgdperf: bad.csv:$2" mva bad.csv
}
whole '' '1: the file is empty, but needs a header'
whole 'class,population,think_s,a\nw,4,1,\000\n' '2: byte 0x00 is not text'
whole 'class,population,think_s,a\n\377,4,1,1\n' '2: byte 0xff is not UTF-8 text'
whole 'class,population,think_s,a\rw,4,1,1\r' '1: a carriage return is not followed by a line feed'
whole '\177ELF\002\001\001\000\000\000' '1: byte 0x7f is not text'

# ---- Too large, not converged
awk 'BEGIN { print "class,population,think_s,uplink,server,downlink"
    for (i = 1; i <= 40; i++) 
        printf "c%d,40,%g,%g,%g,%g\n", i, i, 1 + i % 7, 1 + i % 5, 1 + i % 3 }' > large.csv
expect_error 'sgdperf: large.csv: the network is too large for --method exact: use --method linearizer' \
    mva large.csv
expect_error 'sgdperf: large.csv: the network is too large for --method fcfs: use --method linearizer --fcfs uplink,downlink' \
    mva large.csv --method fcfs
expect_error 'sgdperf: large.csv: the network is too large for --method interleaved: use another method' \
    mva large.csv --method interleaved
expect_status 0 mva large.csv --method linearizer
expect_status 0 mva large.csv --method schweitzer --fcfs uplink,downlink
[ -n "${TEST_FULL:-}" ] && expect_status 0 mva large.csv --method linearizer --fcfs uplink --threshold 0.7
expect_status 0 mva large.csv --method bounds

# Not reached within the iterations: the best estimate, its status, and status 3.
file restless.csv <<'END'
class,population,think_s,a,b
x,1000000,0,3,3
y,2,1000,0,1.0001
z,1000000,0,1e-150,1e-12
END
expect_status 3 mva restless.csv --method linearizer --fcfs a,b --format json
matches "$stdout" '{"method":"linearizer","status":"not_converged","throughput_per_s":0.*' &&
    [ -z "$stderr" ]
check $? 'want the best estimate' mva restless.csv
expect_status 3 mva restless.csv --method linearizer --fcfs a,b
holds 'want the best estimate' matches "$stdout" '*not converged: residual*after*iterations*'

# ---- Extreme numbers print no NaN and no infinity
printf 'class,population,think_s,a,b\nw,1000,0,1e-149,1e-149\n' > tiny.csv
printf 'class,population,think_s,a,b\nw,3,1e149,1e149,1e-308\n' > huge.csv
printf 'class,population,think_s,a,b\nw,4294967295,1,2,3\nv,1,4,5,0\n' > crowd.csv
for network in tiny.csv huge.csv crowd.csv; do
    for method in exact schweitzer linearizer bounds; do
        for format in table csv json; do
            bulk expect_finite mva $network --method $method --format $format
        done
    done
done

# A full disk is noticed.
if [ -c /dev/full ]; then
    "$program" mva net.csv > /dev/full 2> .stderr
    status=$?
    stderr=$(cat .stderr)
    [ "$status" -eq 2 ] && matches "$stderr" 'sgdperf: cannot write the results*'
    check $? 'want status 2' mva net.csv '> /dev/full'
fi
# A wait beyond a double is refused.
file vast.csv <<'END'
class,population,think_s,a
x,1,0.0126,2.5
y,4294967295,0.03,1e150
END
for method in schweitzer linearizer; do
    expect_error 'sgdperf: vast.csv: *out of domain' mva vast.csv --method $method --fcfs a
done
cli_report mva

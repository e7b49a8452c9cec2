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

# ---- Numbers: goldens of the four-worker network, and a closed form
expect_number throughput_per_s 10.6430 1e-5 mva net.csv
expect_number throughput_per_s 12.9218 1e-5 mva net.csv --method fcfs
expect_number throughput_per_s 12.9218 1e-5 mva net.csv --method fcfs --fcfs uplink,downlink
expect_number throughput_per_s 12.0662 1e-5 mva net.csv --method hybrid
expect_number throughput_per_s 12.9218 1e-5 mva net.csv --method hybrid --threshold 1
expect_number throughput_per_s 10.6430 0.06 mva net.csv --method schweitzer
expect_number throughput_per_s 10.6430 0.01 mva net.csv --method linearizer
expect_number throughput_per_s 10.70957 1e-6 mva net.csv --method interleaved
file balanced.csv <<'END'
class,population,think_s,a,b
x,7,0,0.5,0.5
END
expect_number throughput_per_s 1.75 1e-13 mva balanced.csv
expect_number 'station":"a","queue' 3.5 1e-13 mva balanced.csv
expect_number 'station":"b","queue":[-0-9.e]*,"utilization' 0.875 1e-13 mva balanced.csv
expect_number 'response_s":{"a' 2 1e-13 mva balanced.csv
file many.csv <<'END'
class,population,think_s,server
x,1000,0.5,0.001
END
expect_number throughput_per_s 999.99999 1e-4 mva many.csv

# ---- Servers: oracles of other programs; what a class has adds up to the station
file servers.csv <<'END'
class,population,think_s,cpu,disk,net
a,2,0,0.2,0.24,0.4
b,1,0,0.2,0.18,1.4
END
file rates.csv <<'END'
station,tasks,rate
cpu,2,2
cpu,1,1
END
file empty.csv <<'END'
class,population,think_s,cpu
a,0,1,0
b,3,1,0.5
END
expect_number 'class":"a".*"throughput_per_s' 0.524244955378731 1e-12 \
    mva servers.csv --capacity cpu=2 --delay net
and_number 'class":"a","population":2,"throughput_per_s' 2.11346551193564 1e-12
and_number 'queue":{"cpu' 0.42818833252736616 1e-12
and_number 'station":"disk","queue' 0.8848859190222886 1e-12
expect_number 'population":2,"throughput_per_s' 2.11346551193564 1e-12 \
    mva servers.csv --rates rates.csv --delay=net
file eight.csv <<'END'
class,population,think_s,s
w,100000,10,4
END
expect_number throughput_per_s 2 1e-13 mva eight.csv --capacity s=8
expect_number 'response_s":{"s' 49990 1e-13 mva eight.csv --capacity s=8
expect_stdout 'class,*,response_s,queue,utilization
a,0,0,cpu,0,0,0
b,3,2,cpu,0.5,1,1' mva empty.csv --delay cpu --format csv
expect_stdout '*tasks of each class*cpu*utilization by each class*' mva servers.csv \
    --method linearizer --capacity cpu=1.5
matches "$stderr" 'sgdperf: note: --method linearizer takes the servers*20 % off*'
check $? 'want a note of the error'
bulk expect_stdout '*lower_per_s*upper_per_s*' mva servers.csv --method bounds --rates rates.csv
bulk expect_error "sgdperf: --capacity: 'cpu' is not a station, =, and*" \
    mva servers.csv --capacity cpu
bulk expect_error "sgdperf: --capacity: 'cpu=two' has servers whose number is not a number" \
    mva servers.csv --capacity cpu=two
bulk expect_error "sgdperf: --capacity: 'cpu=0.5' is less than one server" \
    mva servers.csv --capacity cpu=0.5
bulk expect_error "sgdperf: --capacity: 'gpu' is no station of servers.csv" \
    mva servers.csv --capacity gpu=2
bulk expect_error "sgdperf: --delay: 'cpu' is named by --capacity, too" \
    mva servers.csv --capacity cpu=2 --delay cpu
bulk expect_error "sgdperf: --capacity: 'cpu' is named twice" \
    mva servers.csv --capacity cpu=2,cpu=3
bulk expect_error "sgdperf: --delay: 'cpu' is named by --fcfs, too" \
    mva servers.csv --method fcfs --fcfs cpu --delay cpu
bulk expect_error 'sgdperf: --rates: not with --method fcfs' \
    mva servers.csv --method fcfs --fcfs cpu --rates rates.csv
bulk expect_error "sgdperf: rates.csv:2: column 'station': 'cpu' is named by --delay, too" \
    mva servers.csv --rates rates.csv --delay cpu
# bad_rates ROWS EXPECTED
bad_rates() {
    printf 'station,tasks,rate\n%b\n' "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:$2" mva servers.csv --rates bad.csv
}
bad_rates 'cpu,1,1\ncpu,3,2\ndisk,1,1' "3: column 'tasks': the rate with 2 tasks is missing"
bad_rates 'cpu,2,2' "2: column 'tasks': a rate with fewer tasks is missing"
bad_rates 'gpu,1,1' "2: column 'station': 'gpu' is no station of servers.csv"
bad_rates 'cpu,1,0' "2: column 'rate': 0 is not positive"
bad_rates 'cpu,1,1e101' "2: column 'rate': 1e101 is beyond 1e-100 to 1e100"
bad_rates 'cpu,1,1\ncpu,1,2' "3: *occurs twice*"

# ---- Formats
expect_stdout '{"method":"exact","status":"ok","throughput_per_s":10.64*,"classes":[[]'\
'{"class":"w","population":4,"throughput_per_s":10.64*,"response_s":'\
'{"uplink":*,"server":*,"downlink":*},"queue":{*},"utilization":{*}}],"stations":[[]'\
'{"station":"uplink","queue":*,"utilization":*},*]}' mva net.csv --format json
expect_stdout '*"class":"slow, old","population":2*' mva two.csv --format json
expect_stdout 'class,population,throughput_per_s,station,response_s,queue,utilization
fast,2,*,downlink,*
fast,2,*,server,*
*"slow, old",2,*,uplink,*' mva two.csv --format=csv
expect_stdout 'exact (*): 10.643 cycles per second*class*uplink*station*queue*utilization*' \
    mva net.csv
expect_stdout '*lower_per_s*upper_per_s*' mva net.csv --method bounds
expect_stdout '{"method":"bounds","status":"ok","classes":[[]{"class":"w","population":4,'\
'"lower_per_s":10.0566*,"upper_per_s":12.180*}]}' mva net.csv --method bounds --format json
expect_stdout '*usage: sgdperf mva*Example*' mva --help
expect_stdout 'sgdperf [0-9]*.[0-9]*.[0-9]*' --version
expect_stdout '*mva*predict*' --help
stdin=net.csv
expect_stdout '*10.643*' mva -
stdin=two.csv
expect_stdout '*fast*' mva -- -
stdin=/dev/null
expect_error 'sgdperf: stdin:1: no header*' mva -

# ---- Usage
expect_error 'sgdperf: a command is missing*'
expect_error "sgdperf: 'mvaa' is not a command*" mvaa
expect_error 'sgdperf: mva: a file is missing*' mva
expect_error "sgdperf: mva: 'b.csv' is one argument too many*" mva net.csv b.csv
expect_error 'sgdperf: --methd: unknown option, did you mean --method?' mva net.csv --methd exact
expect_error 'sgdperf: --zzzzzzzzzz: unknown option*' mva net.csv --zzzzzzzzzz
expect_error 'sgdperf: -m: unknown option*' mva net.csv -m
expect_error 'sgdperf: --method: a value is missing' mva net.csv --method
expect_error 'sgdperf: --method: a value is missing' mva net.csv --method --format json
expect_error 'sgdperf: --method: given twice' mva net.csv --method exact --method=exact
expect_error "sgdperf: --method: 'magic' is none of exact fcfs*" mva net.csv --method magic
expect_error "sgdperf: --method: '' is none of*" mva net.csv --method=
expect_error "sgdperf: --format: 'xml' is none of table csv json" mva net.csv --format xml
expect_error 'sgdperf: --help: takes no value' mva net.csv --help=yes
expect_error "sgdperf: --threshold: '1.5' is not between 0 and 1" \
    mva net.csv --method hybrid --threshold 1.5
expect_error "sgdperf: --threshold: 'nan' is not a number" \
    mva net.csv --method hybrid --threshold nan
expect_error 'sgdperf: --threshold: only with*' mva net.csv --threshold 0.5
expect_error 'sgdperf: --threshold: only with*' \
    mva net.csv --method fcfs --fcfs uplink --threshold 0.5
expect_error 'sgdperf: --fcfs: not with --method exact' mva net.csv --fcfs uplink
expect_error "sgdperf: --fcfs: 'upstream' is no station of net.csv" \
    mva net.csv --method fcfs --fcfs upstream
expect_error "sgdperf: --fcfs: '' is no station of net.csv" \
    mva net.csv --method fcfs --fcfs uplink,
expect_error "sgdperf: --fcfs: 'uplink' is named twice" \
    mva net.csv --method fcfs --fcfs uplink,server,uplink
expect_error 'sgdperf: --fcfs is missing*' mva balanced.csv --method fcfs
expect_error 'sgdperf: --fcfs is missing*' mva balanced.csv --method hybrid
expect_error 'sgdperf: none.csv: *' mva none.csv
expect_error 'sgdperf: .: *' mva .

# ---- Bad cells: bad VALUES EXPECTED, with VALUES the row under the usual header
bad() {
    printf 'class,population,think_s,uplink\n%s\n' "$1" > bad.csv
    bulk expect_error "sgdperf: bad.csv:2: $2" mva bad.csv
}
bad 'w,4,-3,1' "column 'think_s': -3 is negative"
bad 'w,4,nan,1' "column 'think_s': 'nan' is not a number"
bad 'w,4,0,inf' "column 'uplink': 'inf' is not a number"
bad 'w,4,0,-inf' "column 'uplink': '-inf' is not a number"
bad 'w,4,0,1e999' "column 'uplink': '1e999' is too large"
bad 'w,4,0,0x1p3' "column 'uplink': '0x1p3' is not a number"
bad 'w,4,0,1s' "column 'uplink': '1s' is not a number: units *"
bad 'w,4,0, 1' "column 'uplink': ' 1' is not a number"
bad 'w,4,0,' "column 'uplink': the cell is empty"
bad 'w,4,0,"1,5"' "column 'uplink': '1,5' has a comma: *"
bad 'w,-1,0,1' "column 'population': -1 is not a whole number"
bad 'w,1.5,0,1' "column 'population': 1.5 is not a whole number"
bad 'w,4294967296,0,1' "column 'population': 4294967296 is too large"
bad 'w,99999999999999999999,0,1' "column 'population': 99999999999999999999 is too large"
bad 'w,,0,1' "column 'population': the cell is empty"
bad 'w,4,0,0' "the times of class 'w' are all 0"
bad 'w,4,0,1e-300' "column 'uplink': 1e-300 is too small to compute with, and no time*"
bad 'w,4,1e307,1e308' "column 'uplink': 1e308 is too large to compute with"
bad 'w,4,1e308,1e308' "column 'think_s': 1e308 is too large to compute with"
bad ',4,0,1' "column 'class': the cell is empty"
bad 'w,4,0' '3 cells in a row, 4 in the header'
bad 'w,4,0,1,2' '5 cells in a row, 4 in the header*'
bad 'w,4,0,"1' 'a quote is not closed'
bad 'w,4,0,1"' 'a quote inside an unquoted cell'
bad '"w"x,4,0,1' 'text after a closing quote'

# ---- Bad files
whole() {
    printf "$1" > bad.csv
    expect_error "sgdperf: bad.csv:$2" mva bad.csv
}
whole '' '1: no header: the file is empty'
whole '# only a comment\n' '2: no header: the file is empty'
whole 'class,population,think_s,uplink\n' '2: no rows under the header'
whole 'class,population,uplink\nw,4,1\n' "1: no column 'think_s'"
whole 'class,think_s,uplink\nw,0,1\n' "1: no column 'population'"
whole 'population,think_s,uplink\n4,0,1\n' "1: no column 'class'"
whole 'class,population,think_s\nw,4,1\n' "1: no station's column"
whole 'class,population,think_s,\nw,4,1,1\n' '1: a column without a name'
whole 'class,population,think_s,a,a\nw,4,1,1,1\n' "1: column 'a' occurs twice"
whole 'class,population,think_s,a\nw,4,1,1\nv,4,1,1\nw,2,1,1\n' \
    "4: column 'class': 'w' occurs twice, first in line 2"
whole 'class,population,think_s,a\nw,4,1,1\n\001\n' '3: byte 0x01 is not text'
whole 'class,population,think_s,a\nw,4,1,\000\n' '2: byte 0x00 is not text'
whole 'class,population,think_s,a\n\377,4,1,1\n' '2: byte 0xff is not UTF-8 text'
whole 'class,population,think_s,a\rw,4,1,1\r' '1: a carriage return without a line feed'
whole '\177ELF\002\001\001\000\000\000' '1: byte 0x7f is not text'
whole '"a\nb",population,think_s,class\n1,4,1,w,5\n' '3: 5 cells in a row, 4 in the header*'

# A newline in a value does not break the message's line.
file newline.csv <<'END'
class,population,think_s,a
w,"4
5",1,1
END
expect_error "sgdperf: newline.csv:2: column 'population': '4[?]5' is not a whole number" \
    mva newline.csv

# ---- Too large, not converged
awk 'BEGIN { print "class,population,think_s,uplink,server,downlink"
    for (i = 1; i <= 40; i++) 
        printf "c%d,40,%g,%g,%g,%g\n", i, i, 1 + i % 7, 1 + i % 5, 1 + i % 3 }' > large.csv
expect_error 'sgdperf: large.csv: too large for --method exact, use --method linearizer' \
    mva large.csv
expect_error 'sgdperf: large.csv: too large for --method fcfs, use --method linearizer --fcfs uplink,downlink' \
    mva large.csv --method fcfs
expect_error 'sgdperf: large.csv: too large for --method interleaved' \
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
matches "$stdout" '*not converged: residual*after*iterations*'
check $? 'want the best estimate' mva restless.csv

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

# sgdperf cluster, logs of jobs as others write them: sacct, Sia, Gavel, tables of any columns,
# compressed ones, parts of GPUs; what is left out, and what is refused where.
. tests/cli.sh
data=$root/tests/data
rows=job,start_s,completion_s,wait_s,response_s,observed_wait_s,nodes

# noted PATTERN ARGUMENT...: stderr of the run before
noted() {
    want=$1
    shift
    holds "want a note $want" matches "$stderr" "$want"
}

# log FORMAT FILE WANT [OPTION...]: rigid jobs in order of arrival, each with its nodes
log() {
    format=$1
    jobs=$2
    want=$(printf '%s\n' "$3" | sed 's/$/,*/')
    shift 3
    expect_stdout "$rows$newline$want" cluster --trace-format "$format" --jobs "$jobs" --rigid \
        --completions --format csv --notes "$@"
}

# bad FORMAT WANT [OPTION...]: what is wrong in the file bad
bad() {
    format=$1
    want=$2
    shift 2
    bulk expect_error "sgdperf: bad:$want" cluster --nodes 8 --rigid --trace-format "$format" \
        --jobs bad "$@"
}

# ---- sacct: GPUs, without steps; attempts and parts of a job together
gpus='101,0,30,0,30,30
102_3,10,50,0,40,20
103,20,80,0,60,100
105,40,70,0,30,20'
log sacct "$data/sacct.txt" "$gpus" --nodes 10
sacct=$data/sacct.txt
noted "*$sacct: the GPUs of the log count as nodes: --trace-nodes sets another unit
*$sacct: 4 of 8 jobs left out: 3 without a recorded run, 1 without GPUs
*$sacct: 2 rows of job steps left out: only whole jobs count
*$sacct: jobs were requeued (1 more row): all attempts of a job count as one job
*$sacct: heterogeneous jobs have 1 more row: all parts of a job count as one job" cluster
# Widths: two GPUs in all, told twice; of two types; of two parts; one
log sacct "$sacct" '101,0,30,*
102_3,30,70,*
103,70,130,*
105,70,100,*' --nodes 4
log sacct "$sacct" '*102_3,10,50,*' --nodes 6
log sacct "$sacct" '*103,30,90,*105,90,120,*' --nodes 3
log sacct "$sacct" "$gpus
107,55,115,0,60,0" --nodes 37 --trace-nodes processors
log sacct "$sacct" "$gpus
107,55,115,0,60,0" --nodes 6 --trace-nodes nodes
noted '*3 of 8 jobs left out: 3 without a recorded run, 0 without nodes
*' cluster --trace-nodes nodes
# Backfilling goes by the time limits: 7 nodes; 2 that end early are taken to stay a minute.
printf '%s\n' 'Timelimit|NCPUS|End|Start|Submit|JobID' \
    '00:01:00|6|2026-04-25T10:00:40|2026-04-25T10:00:00|2026-04-25T10:00:00|a' \
    'UNLIMITED|7|2026-04-25T10:01:00|2026-04-25T10:00:40|2026-04-25T10:00:01|b' \
    '55|1|2026-04-25T10:00:32|2026-04-25T10:00:02|2026-04-25T10:00:02|c' > limits
sed 's/^55/00:00:55/' limits > short
sed 's/^55/1-00:00:55/' limits > long
log sacct short '*c,2,32,*' --nodes 7 --policy easy
log sacct long '*c,60,90,*' --nodes 7 --policy easy
noted '*1 of 3 jobs has no walltime: policies use run times, so waits look too short; add walltimes*' cluster
sed 's/^Timelimit/&Raw/; s/^00:01:00/1/; s/^55/1/' limits > minutes
log sacct minutes '*c,60,90,*' --nodes 7 --policy easy
printf '%s\r\n' 'JobID|Submit|Start|End|AllocTRES' \
    '1|2026-04-25T10:00:00|2026-04-25T10:00:05|2026-04-25T10:00:25|node=1,cpu=2' > crlf
log sacct crlf '1,0,20,0,20,5' --nodes 2
# Columns in other orders and of other names, -p's last bar, CRLF, times to the minute or as
# numbers
printf '%s\r\n' 'AllocNodes|TimelimitRaw|ElapsedRaw|JobIDRaw|Start|Submit|' \
    '2|1|30|8|2026-04-25T10:00|2026-04-25T10:00|' '1||20|9|1777111230|1777111215|' > other
log sacct other '8,0,30,0,30,0
9,15,35,0,20,15' --nodes 4
# A last bar in the header alone
printf '%s\n' 'JobID|Submit|Start|End|ReqNodes|Timelimit|' '1|2018-12-31T08:27|2018-12-31T08:27|'\
'2019-01-01T08:27|7|1-00:00' '2|2018-12-31T08:27|2018-12-31T08:27|2019-01-01T08:27|7|' > bar
log sacct bar '1,0,86400,0,86400,0
2,86400,*' --nodes 8
printf '%s\n' 'JobID|Submit|Start|Elapsed|NNodes' '1|2026-04-25T10:00:00|2026-04-25T10:00:05|01:02.5|1' \
    '2|2026-04-25T10:00:00|2026-04-25T10:00:05|1-00:00:01|1' > elapsed
log sacct elapsed '1,0,62.5,*2,0,86401,*' --nodes 4

head='JobID|State|Submit|Start|End|AllocTRES|Timelimit'
row='1|COMPLETED|2026-04-25T10:00:00|2026-04-25T10:00:10|2026-04-25T10:00:20|cpu=1|00:10:00'
bad_sacct() {
    printf '%s\n' "$head" "$row" "$1" > bad
    bad sacct "$2"
}
bad_sacct "$row" "3: column 'JobID': '1' occurs twice, first in line 2, and was not requeued"
bad_sacct "2${row#1}|x" '3: the row has 8 cells, but 7 are in the header: is there a bar in a name?*'
bad_sacct '2|COMPLETED' '3: the row has 2 cells, but 7 are in the header'
bad_sacct "${row#1}" "3: column 'JobID': the name is empty"
bad_sacct "2${row#1}x" "3: column 'Timelimit': '00:10:00x' is not a time like 1-02:03:04"
bad_sacct "$(echo "2${row#1}" | sed 's/cpu=1/cpu=x/')" \
    "3: column 'AllocTRES': 'cpu=x' has no number after the ="
bad_sacct "$(echo "2${row#1}" | sed 's/T10:00:10/T10-00/')" \
    "3: column 'Start': '2026-04-25T10-00' is not a time like 2020-06-09T18:41:01"
bad_sacct "$(echo "2${row#1}" | sed 's/T10:00:20/T24:00:20/')" "3: column 'End': *"
for column in JobID Submit Start; do
    printf '%s\n' "$head" "$row" | sed "1s/$column/other/" > bad
    bad sacct "1: column '$column' is missing"
done
printf '%s\n' "$head" "$row" | sed 1s/End/other/ > bad
bad sacct "1: column 'End' or 'Elapsed' is missing"
printf '%s\n' "$head" "$row" | sed 1s/AllocTRES/other/ > bad
bad sacct "1: column 'AllocTRES', 'NCPUS' or 'NNodes' is missing"
printf '%s\n' "$head" > bad
bad sacct '2: the table has no rows under the header'
: > bad
bad sacct '1: the file is empty, but needs a header'
printf '%s\n' 'JobID           State' '------------ ----------' '7            COMPLETED' > bad
bad sacct '1: the columns are not separated by bars: list the jobs by sacct -P'
printf '%s\n\001\n' "$head" > bad
bad sacct '2: byte 0x01 is not text'
printf '%s\n' "$head" "$row" | sed 2s/COMPLETED/a\\x01b/ > bad
bad sacct '2: byte 0x01 is not text'
printf '%s\n' "$head" "$row" | head -c 90 > bad
bad sacct '2: the row has * cells, but 7 are in the header'

# ---- Sia and Pollux: times from a table, or of the jobs that they are drawn from
log sia "$data/sia.csv" 'cifar10-0,0,60,0,60,
ncf-1,60,90.5,56.5,87,
cifar10-2,60,160,32,132,' --nodes 2 --trace-times "$data/sia_times.csv"
log sia "$data/sia_jobs.csv" '2,0,40,0,40,
1,60,126,0,66,' --nodes 4
noted '*2 of 4 jobs left out: 1 without a recorded run, 1 without GPUs or processors*' cluster
sed '2s/,2,/,0,/' "$data/sia.csv" > none.csv
log sia none.csv 'ncf-1,0,30.5,*' --nodes 2 --trace-times "$data/sia_times.csv"
noted '*none.csv: 1 of 3 jobs left out: 0 without a recorded run, 1 without GPUs*' cluster
printf '%s\n' time,num_gpus,gpu_time 0,2,60 5,1,7 > gpu_time
log sia gpu_time '1,0,30,*2,30,37,*' --nodes 2
expect_error 'sgdperf: *sia.csv:1: column ?duration? or ?gpu_time? is missing: *--trace-times FILE' \
    cluster --nodes 2 --rigid --trace-format sia --jobs "$data/sia.csv"
sed '2s/,2,/,3,/' "$data/sia.csv" > bad
bad sia "2: *sia_times.csv has no row for 'cifar10' on 3 nodes" --trace-times "$data/sia_times.csv"
sed '2s/107/soon/' "$data/sia.csv" > bad
bad sia "2: column 'time': 'soon' is not a number" --trace-times "$data/sia_times.csv"
sed '3s/40.0/forty/' "$data/sia_jobs.csv" > bad
bad sia "3: column 'duration': 'forty' is not a number"
sed '3s/2017-10-09/2017-13-09/' "$data/sia_jobs.csv" > bad
bad sia "3: column 'timestamp': '2017-13-09 07:00:55' is not a number"
sed 1s/num_gpus/other/ "$data/sia_jobs.csv" > bad
bad sia "1: column 'num_replicas' or 'num_gpus' is missing"
cp "$data/sia_jobs.csv" bad
bad sia "1: column 'application' is missing, which --trace-times needs" --trace-times "$data/sia_times.csv"
sed '3p' "$data/sia.csv" > bad
bad sia "4: column 'name': 'ncf-1' occurs twice" --trace-times "$data/sia_times.csv"
# What is wrong in the table of times
bad_times() {
    printf '%s\n' "$1" 'ncf,1,10' "$2" > bad
    expect_error "sgdperf: bad:$3" cluster --nodes 2 --rigid --trace-format sia \
        --jobs "$data/sia.csv" --trace-times bad
}
bad_times curve,nodes,duration_s ncf,1,5 "3: column 'curve': 'ncf' occurs twice for the same number of nodes, 1"
bad_times curve,nodes,duration_s ncf,0,5 "3: column 'nodes': '0' is not a positive whole number"
bad_times curve,nodes,duration_s ncf,2,0 "3: column 'duration_s': '0' is not positive"
bad_times curve,nodes,throughput ncf,2,5 "1: column 'duration_s' is missing"

# ---- Gavel: steps over throughputs; later forms have more fields, Shockwave durations
gavel="--trace-times $data/gavel_times.csv"
log gavel "$data/gavel.trace" '1,0,25,0,25,
0,10,50,0,40,' --nodes 4 $gavel
awk -F '\t' -v OFS='\t' '{ print $1, $2, $3, $4, $5, $7, 1, "-1.000000", $6 }' \
    "$data/gavel.trace" > nine
awk -F '\t' -v OFS='\t' '{ print $1, $2, "x", $3, $4, $5, $6, $7, $8, $9 }' nine > ten
awk -F '\t' -v OFS='\t' '{ $7 = $7 OFS "static"; print }' ten > eleven
awk -F '\t' -v OFS='\t' '{ $11 = 100 * NR OFS $11; print }' eleven > twelve
for trace in nine ten eleven twelve; do
    log gavel $trace '1,0,25,0,25,
0,10,50,0,40,' --nodes 4 $gavel
done
log gavel twelve '1,0,200,0,200,
0,10,110,0,100,' --nodes 4
expect_error 'sgdperf: *gavel.trace:1: the jobs are counted in steps: *--trace-times FILE' \
    cluster --nodes 2 --rigid --trace-format gavel --jobs "$data/gavel.trace"
bad_gavel() {
    sed "$1" "$data/gavel.trace" > bad
    bad gavel "$2" $gavel
}
bad_gavel 's/2$/0/' "1: column 'scale_factor': '0' is not a positive whole number"
bad_gavel 's/2$/8/' "1: *gavel_times.csv has no row for 'ResNet-18 (batch size 16)' on 8 nodes"
bad_gavel 2s/1000/many/ "2: column 'total_steps': 'many' is not a number"
bad_gavel 2s/10.000000/late/ "2: column 'arrival_time': 'late' is not a number"
bad_gavel '2s/1$/1	1/' '2: the row has 8 cells, but 7 are in the first row'
bad_gavel 's/1$/1	1/;s/2$/1	1/' '1: 8 fields between tabs, traces of Gavel have 7, *'

# ---- Any columns
file c.csv <<'END'
id,"sub,mit",began,ended,gpus,limit
a,2020-06-09T18:41:01,2020-06-09 18:41:11,2020-06-09T18:41:41.5,2,00:01:00
b,2020-06-09T18:42:00Z,NaT,None,1,
c,2020-06-09T20:42:01+02:00,2020-06-09 18:42:01,2020-06-10 18:42:01,0.25,2-00:00:00
d,2020-06-09 18:42,2020-06-09 18:42:01,2020-06-10 18:42:01,-1,
END
sed 's/"sub,mit"/submitted/' c.csv > plain.csv
role=submit=submitted,start=began,end=ended,nodes=gpus,job=id,walltime=limit
kept='a,0,30.5,0,30.5,10
c,60,86460,0,86400,0'
log csv plain.csv "$kept" --nodes 4 --columns $role
noted '*plain.csv: 1 of 2 jobs used fractions of GPUs: each job is rounded up, in all from 0.25 to 1' cluster
noted '*plain.csv: 2 of 4 jobs left out: 1 without a recorded run, 1 without GPUs or processors
*' cluster
for separator in '\t' '|' ';'; do
    tr , "$separator" < plain.csv > other.csv
    log csv other.csv "$kept" --nodes 4 --columns $role
done
sed 's/^a/"a|1"/' plain.csv | tr , '|' > quoted.csv
log csv quoted.csv 'a|1,0,30.5,*' --nodes 4 --columns $role
sed 's/^\([a-z]*\),\([^,]*\),/\1,\2,x y,/' plain.csv > wider.csv
log csv wider.csv "$kept" --nodes 4 --columns \
    submit=submitted,start=began,end=ended,nodes=gpus,job=#1,walltime=limit
sed 1d plain.csv > headless.csv
log csv headless.csv "$kept" --nodes 4 --columns submit=#2,start=#3,end=#4,nodes=#5,job=#1
# Numbers with units; lengths; no names; submitted when they began; waits
printf '%s\n' at,took,width 5000,1,200 6000,00:02:00,100 > n.csv
log csv n.csv '1,0,60,0,60,
2,1,121,0,120,' --nodes 4 --columns submit=at:ms,duration=took:min,nodes=width:0.01
log csv n.csv '1,0,60,*' --nodes 4 --columns start=at:0.001,duration=took:min,nodes=width:0.01
printf '%s\n' at,gone,sat,width 0,30,10,1 5,30,-1,1 > w.csv
log csv w.csv '1,0,20,0,20,10' --nodes 4 --columns submit=at,end=gone,wait=sat,nodes=width
expect_stdout '*mean_response_s*' cluster --trace-format csv --jobs n.csv --nodes 300 --policy hell \
    --curves linear --columns submit=at,duration=took,nodes=width
# What could be hours and minutes
printf '%s\n' at,took,limit,width 0,90,2:00,1 1,1:30,1-02:03,1 2,00:01:30,,1 > short.csv
log csv short.csv '1,0,90,0,90,
2,1,91,0,90,
3,2,92,0,90,' --nodes 4 --columns submit=at,duration=took,walltime=limit,nodes=width
noted "*short.csv:2: column 'limit': '2:00' is read as minutes and seconds, as are 1 more \
durations*" cluster
printf '%s\n' at,took,width 0,1,4294967295 1,1,2 > wide.csv
log csv wide.csv '2,1,2,*' --nodes 4 --columns submit=at,duration=took,nodes=width
noted '*: it needs more than the 4 nodes, up to 4294967295' cluster
printf '%s\n' at,took,width 0,1,1 1e12,2,1 > far.csv
log csv far.csv '1,*' --nodes 4 --columns submit=at,duration=took,nodes=width
noted '*far.csv: the times are 3.17e+04 years apart: if they are not in seconds, *' cluster

bad_csv() {
    printf '%s\n' at,took,width,who 1,2,1,a "$1" > bad
    bad csv "$2" --columns submit=at,duration=took,nodes=width,job=who
}
bad_csv soon,2,1,b "3: column 'at': 'soon' is not a time: a number, or like 2020-06-09 18:41:01"
bad_csv 2020-06-09,2,1,b "3: column 'at': '2020-06-09' is a date, but other times are numbers"
bad_csv 1,long,1,b "3: column 'took': 'long' is not a duration: *"
bad_csv 1,00:61:00,1,b "3: column 'took': '00:61:00' is not a duration: *"
bad_csv 1,2,few,b "3: column 'width': 'few' is not a number"
bad_csv 1,2,-2,b "3: column 'width': '-2' is negative"
bad_csv 1,2,1e30,b "3: column 'width': 1e+30 is too large"
bad_csv 1,2,1,a "3: column 'who': 'a' occurs twice"
bad_csv 1,2,1, "3: column 'who': the name is empty"
bad_csv 1,2 '3: the row has 2 cells, but 4 are in the header'
bad_csv '"1,2,1,b' '3: a quote is not closed'
bad_csv 1,1e-200,1,b '3: a run time of 1e-200 s is too short'
cp n.csv bad
for unit in 0 00 e1 .h; do
    bad csv "1: column 'took:$unit' is missing" --columns "submit=at,duration=took:$unit,nodes=width"
done
bad csv "1: column 'take' is missing" --columns submit=at,duration=take,nodes=width
bad csv "1: column '#5' is missing" --columns submit=at,duration=#5,nodes=width
printf 'at\ttook\twidth\n1\t2\t1\n"1"x\t2\t1\n' > bad
bad csv '3: text follows the closing quote of a cell' --columns submit=at,duration=took,nodes=width
printf '\000\001' > bad
bad csv '1: *' --columns submit=at,duration=took,nodes=width

# wrong WANT COLUMNS
wrong() {
    bulk expect_error "sgdperf: --columns: $1" cluster --nodes 4 --rigid --trace-format csv \
        --jobs plain.csv --columns "$2"
}
wrong "'at' is not ROLE=COLUMN, as submit=submit_time" at
wrong "'when=at' is not one of job, submit, start, end*" when=at
wrong "'submit=b' gives a role that is given already" submit=a,submit=b
wrong "'submit=' names no column" submit=
wrong 'needs submit=COLUMN' duration=a,nodes=b
wrong 'needs duration=COLUMN, or start=COLUMN and end=COLUMN' submit=a,end=c,nodes=b
wrong 'needs nodes=COLUMN' submit=a,duration=b
echo job,arrival_s,nodes,run_s > empty.csv
other="cluster --nodes 4 --rigid --jobs plain.csv"
expect_stdout '*' $other --columns $role
expect_error 'sgdperf: --trace-nodes: needs --trace-format sacct or slurm' cluster --nodes 4 \
    --rigid --jobs empty.csv --trace-nodes gpus
expect_error "sgdperf: --trace-format csv: needs --columns" $other --trace-format csv
expect_error 'sgdperf: --columns: needs --trace-format csv or columns' $other --trace-format swf \
    --columns $role
expect_error 'sgdperf: --trace-nodes: needs --trace-format sacct or slurm' $other --trace-format swf \
    --trace-nodes gpus
expect_error 'sgdperf: --trace-times: needs --trace-format sia, pollux or gavel' $other \
    --trace-format swf --trace-times x
expect_error "sgdperf: --trace-nodes: 'cards' is not one of gpus, processors, nodes" $other \
    --trace-format sacct --trace-nodes cards

# ---- SWF of others: unsorted, floats, 19 to 21 fields, -1 for what is missing
printf '%s\n' '; MaxProcs: 4' '2 20.5 -1 10.5 -1 -1 -1 1.5 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 a' \
    '1 0.5 2 20 4 -1 -1 4 30.0 -1 1 1 1 1 1 1 -1 -1 a b c' \
    '3 21 0 -1 1 -1 -1 1 -1 -1 5 1 1 1 1 1 -1 -1 a b' > more.swf
log swf more.swf '1,0,20,0,20,2
2,20,30.5,0,10.5,'
noted '*more.swf: 1 of 3 jobs left out: 1 without a recorded run, *
*more.swf: 1 of 2 jobs used fractions of GPUs: each job is rounded up, in all from 1.5 to 2
*more.swf: SWF has 18 fields: further fields of a row are not read*' cluster

# ---- Parts of GPUs of PAI
printf '%s\n' a,t,1,Terminated,1,11,600,29.5,25,T4 b,t,3,Terminated,1,11,600,29.5,50,T4 \
    c,t,2,Terminated,1,11,600,29.5,50,T4 > parts
log pai parts 'a,0,10,*b,0,10,*c,0,10,*' --nodes 4
noted '*parts: 2 of 3 jobs used fractions of GPUs: each job is rounded up, in all from 1.75 to 3' \
    cluster

# ---- Compressed ones, which are told by their first bytes
zipped() {
    format=$1
    shift
    expect_stdout '*' cluster --rigid --completions --format csv --nodes 40 --trace-format "$format" \
        --jobs "$@"
    cp .stdout want
    gzip -c "$1" > log.gz
    shift
    run cluster --rigid --completions --format csv --nodes 40 --trace-format "$format" --jobs log.gz "$@"
    [ "$status" -eq 0 ] && [ -s want ] && cmp -s want .stdout
    check $? "want the same from gzip" "$format" "$@"
}
zipped swf "$data/jobs.swf"
zipped philly "$data/cluster_job_log.json"
zipped helios "$data/cluster_log.csv"
zipped pai "$data/pai_task_table.csv"
zipped sacct "$data/sacct.txt"
gzip -c "$data/sia_times.csv" > times.gz
zipped sia "$data/sia.csv" --trace-times times.gz
zipped gavel "$data/gavel.trace" $gavel
zipped csv plain.csv --columns $role
stdin=log.gz
log csv - "a,0,*" --nodes 4 --columns $role
stdin=/dev/null
gzip -c "$data/sacct.txt" | head -c 200 > cut.gz
expect_error 'sgdperf: cut.gz: the gzip file is cut off' cluster --nodes 4 --rigid \
    --trace-format sacct --jobs cut.gz
{ head -c 40 cut.gz; echo damaged; } > damaged.gz
expect_error 'sgdperf: damaged.gz: *' cluster --nodes 4 --rigid --trace-format sacct --jobs damaged.gz
gzip -c more.swf > more.swf.gz
expect_stdout 'policy *' cluster more.swf.gz --nodes 4 --notes
noted '*more.swf.gz: read as a log of jobs in the Standard Workload Format, whose jobs keep their number of nodes: *' cluster
expect_error 'sgdperf: more.swf.gz: the file is compressed by gzip, *cluster --trace-format *' fit more.swf.gz \
    --model usl
expect_error 'sgdperf: more.swf.gz: *: sgdperf cluster --trace-format swf --jobs reads the file' \
    import more.swf.gz

# Comments are not held, what expands without end is refused, and no gzip of a relative folder runs.
{ printf 's,d,n\n# "one\n'; yes '# comment' | head -n 300000; printf '0,10,"2"\n#1,"\n5,10,4\n'; } |
    gzip -c > comments.gz
log csv comments.gz '1,0,*2,10,*' --nodes 4 --columns submit=s,duration=d,nodes=n
yes ';;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;' | head -c 80000000 | gzip -c > endless.gz
expect_error 'sgdperf: endless.gz: the gzip file expands to more than 64 MiB and 200 times its size: *' \
    cluster --nodes 4 --rigid --jobs endless.gz --trace-format swf
mkdir relative
printf '%s\n' '#!/bin/sh' 'touch ran' 'exit 1' > relative/gzip
chmod +x relative/gzip
path=$PATH
PATH=relative:./relative::$PATH
run cluster --rigid --nodes 40 --trace-format swf --jobs log.gz
PATH=$path
[ ! -e ran ]
check $? 'want no gzip of a folder that PATH names relatively' cluster

# ---- Each log as another is told apart
told() {
    expect_error "sgdperf: $1: the file holds $2, not $3: use --trace-format $4" cluster --nodes 4 --rigid \
        --trace-format "$3" --jobs "$1"
}
told "$data/sacct.txt" "a list of jobs by Slurm's sacct -P" swf sacct
told "$data/sia.csv" 'a workload of jobs of Pollux or Sia' helios sia
told "$data/sia_jobs.csv" 'a workload of jobs of Pollux or Sia' sacct sia
told "$data/gavel.trace" 'a trace of jobs of Gavel' pai gavel
told "$data/jobs.swf" 'a log of jobs in the Standard Workload Format' gavel swf

# ---- A pipe is read once: a log in it is told from a table, and read where its format is named
mkfifo log.pipe
cat "$data/jobs.swf" > log.pipe &
expect_error '*log.pipe: the file is a log of jobs in the Standard Workload Format: sgdperf cluster --trace-format swf*' \
    cluster log.pipe --policy fcfs --nodes 200
wait
cat "$data/jobs.swf" > log.pipe &
expect_stdout '*fcfs         4  *' cluster log.pipe --policy fcfs --nodes 200 --trace-format swf
wait

cli_report cluster_logs

# What the program says of itself: --help, its examples and its options, held against
# what it does; and the manual page, which is made from it.
. tests/cli.sh
PATH=$(dirname "$program"):$PATH
"$program" --options > options.csv
awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' options.csv > commands

# ---- Help, in all its ways
expect_stdout 'usage: sgdperf COMMAND *' --help
help=$stdout
for way in -h help; do
    run $way
    [ "$status" -eq 0 ] && [ "$stdout" = "$help" ]
    check $? 'want the help' $way
done
expect_stdout 'sgdperf [0-9]*.[0-9]*.[0-9]*' --version
expect_stdout "$stdout" -V
while read -r command; do
    expect_stdout "usage: sgdperf ${command%% *}*sgdperf $command --help has all*" $command -h
    [ "$(printf '%s\n' "$stdout" | awk 'length > 80 || NR > 10' | wc -l)" -eq 0 ]
    check $? 'want ten lines of 80 columns' $command -h
    expect_stdout "usage: sgdperf ${command%% *}*" $command --help
    help=$stdout
    # What the program prints in an example may be wider.
    printf '%s\n' "$help" | awk '
        /^Example/ { on = 1; if (length > 80) exit 1 } !on && length > 80 { exit 1 }'
    check $? 'want 80 columns' $command --help
    run help $command
    [ "$status" -eq 0 ] && [ "$stdout" = "$help" ]
    check $? 'want the help' help $command
done < commands
expect_error 'sgdperf: a command is missing*'
expect_error "sgdperf: 'predcit' is not a command, did you mean predict?" predcit
expect_error "sgdperf: 'predcit' is not a command, did you mean predict?" help predcit
expect_error "sgdperf: balance: 'gup' is not one of *; did you mean gpu?" help balance gup
expect_error 'sgdperf: --policy: unknown option of predict; these take it: allocate, cluster*' \
    predict --mode async --policy hell
: > layers.csv
expect_error 'sgdperf: --bandwidth: unknown option of plan; these take it: predict, *; did you mean --bandwidth-scale?' \
    plan layers.csv --bandwidth 10Gbps
expect_error "sgdperf: plan: 'lyers.csv' is not one of measure, order, stages, nor a file" plan lyers.csv
expect_error "sgdperf: --fill: takes no value, but '1' follows" allocate jobs.csv --nodes 4 --fill 1
expect_error "sgdperf: plan: 'mesure' is not one of measure, order, stages, nor a file; did you mean measure?" plan mesure
expect_error "sgdperf: plan: 'ordr' is not one of measure, order, stages, nor a file; did you mean order?" help plan ordr
expect_error "sgdperf: help: 'csv' is one argument too many*" help predict csv
expect_error "sgdperf: --version: 'predict' is one argument too many*" --version predict
expect_error "sgdperf: --options: 'predict' is one argument too many*" --options predict
expect_stdout 'usage: sgdperf COMMAND *' help help
expect_stdout 'usage: sgdperf predict *' --help predict

# ---- Examples
# An example is a command after "$ ", going on in the next line after \ or |, and below it
# its output, all indented by two blanks. Once more with --format json, each begins with
# its schema.
expect_example() {
    "$program" "$@" --help | awk '/^Example/ { on = 1; next }
        !on { next }
        { sub(/^  /, "") }
        sub(/^\$ /, "") { command = 1 }
        command { sub(/ plot - /, " plot - --engine own ")      # matplotlib takes a second
                  print > "example.sh"; command = /[\\|]$/; next }
        { print > "want" }'
    sh example.sh > got 2> .stderr < /dev/null
    status=$?
    stdout=$(cat got)
    stderr=$(cat .stderr)
    [ "$status" -eq 0 ] && [ -s want ] && cmp -s want got
    check $? "want $(cat want)" "$@" --help
    expect_schema "$@"
    rm -f example.sh want
}

expect_schema() {
    sed -e 's/ --format [a-z]*//' -e 's/ | grep .*//' -e '$s/$/ --format json/' \
        example.sh > json.sh                             # all lines, not those that grep picks
    sh json.sh > got 2> .stderr < /dev/null
    schema=$(sed -n '1s/^{"schema":"\([^"]*\)",.*}$/\1/p' got)
    used=$(sed -n "s/.*sgdperf \($1 *[a-z]*\) .*/\1/p" example.sh | head -n 1)
    grep -qx "$used" commands || used=${used%% *}
    [ "$used" != merge ] || used=simulate                # what it merges
    [ "$schema" = "sgdperf.$(echo "$used" | tr ' ' .)/1" ] && [ "$(wc -l < got)" -eq 1 ]
    check $? "want the schema of $used, got $schema" "$@" --help
    { echo "strict sgdperf $*"; cat got; } >> .json
    rm -f json.sh
}

# What measures this machine, or needs the datasets of the repository, prints other numbers.
while read -r command; do
    case $command in 'plan measure' | validate) ;; *) expect_example $command < /dev/null ;; esac
done < commands

# ---- Schemas
# A file of docs/schema for what each command prints. `balance` prints nothing by itself, and
# `merge` what it merges.
grep -vxE 'command|balance|merge' commands | tr ' ' . | sort > printing
ls "$root/docs/schema" | sed 's/\.json$//' | sort > described
stdout=$(diff printing described)
check $? 'want a schema for each command' docs/schema
echo 'strict sgdperf validate' >> .json
"$program" validate "$root/validation/datasets/pytorch_ddp.csv" --format json >> .json
rm -f printing described

# ---- Options
# none WHAT: the file `wrong`, of what is wrong, one a line, is empty.
none() {
    stdout=$(cat wrong)
    stderr=
    status=0
    holds "want no $1" [ -z "$stdout" ]
}
while read -r command; do
    "$program" $command --help | awk -v command="$command" '/^Example/ { exit }
        /^$/ { on = 1 }
        on && /^  --/ {
            head = substr($0, 3)
            if (match(head, /  /)) head = substr(head, 1, RSTART - 1)
            n = split(head, word, /[ ,=]/)
            for (i = 1; i <= n; i++) if (word[i] ~ /^--/) print command "," word[i]
        }'
done < commands | sort -u > in_help
sed '1d; s/,[a-z]*$//; /,--help$/d' options.csv | sort > in_table
comm -23 in_table in_help > wrong
none 'options without a line "  --name VALUE  meaning" in --help'
comm -13 in_table in_help > wrong
none 'options of --help that the command does not take'
# Twelve words for what an option is, and for each of its choices; what is in brackets is a default.
"$program" --options all | awk -F'\t' '$1 == "option" {
    n = split($4, line, /\\n/)
    for (i = 1; i <= n; i++) {
        sub(/^.*\\t/, "", line[i])
        gsub(/\[[^]]*\]/, "", line[i])
        if (split(line[i], word, " ") > 12) print $2 ": " line[i]
    } }' > wrong
none 'meanings of more than twelve words'
sed '1d; s/^[^,]*,//; s/,.*//' options.csv | sort -u > names
grep -vE '^--[a-z][a-z0-9]*(-[a-z0-9]+)*$' names > wrong
none 'names that are not kebab-case'
grep -E -e '-(ns|us|ms|s|min|h|seconds|bytes|kb|mb|gb|bps|percent)$' names > wrong
none 'names that end in a unit'
sed '1d; s/repeated$/value/' options.csv | awk -F, '
    $2 in kind && kind[$2] != $3 { print $2 ": a " kind[$2] " of " first[$2] ", a " $3 " of " $1 }
    !($2 in kind) { kind[$2] = $3; first[$2] = $1 }' > wrong
none 'name that is a flag here, a value there'

# ---- The manual page
# dated PAGE: its day is the one on which its version was released, whatever day it is.
version=$("$program" --version)
day=$(sed -n "s/^## ${version##* } - \(20[-0-9]*\)$/\1/p" "$root/CHANGELOG.md")
dated() {
    [ -n "$day" ] && grep -q "^\.TH [^ ]* [13] \"$day\" \"sgdperf [0-9.]*\" " "$1"
    check $? "want the day $day of the version, got $(grep '^\.TH' "$1")" "$1"
}
sh "$root/tools/manual.sh" "$program" "$root/tools/sgdperf.1.in" > sgdperf.1 2> .stderr
status=$?
stderr=$(cat .stderr)
stdout=
[ "$status" -eq 0 ] && [ -z "$stderr" ] && ! grep '@' sgdperf.1 | grep -q '^@\|@$'
check $? 'want a manual page' manual
dated sgdperf.1
sh "$root/tools/release_date.sh" 99.0.0 > got 2> .stderr
status=$?
[ "$status" -eq 1 ] && [ ! -s got ] && grep -q 'no day of version 99.0.0' .stderr
check $? 'want no day of a version that the changelog lacks' release_date.sh
grep -oE '\\-\\-[a-z-]+(\\-[a-z]+)*' "$root/tools/sgdperf.1.in" | sed 's/\\//g' | sort -u |
    grep -vxF -f names | grep -vx -e --version -e --options -e -- > wrong
none 'options in sgdperf.1.in that no command takes'
sed '1,/^\.TS/d; s/ .*//; s/\\-/-/g' sgdperf.1 | sort -u > told
grep -vxF -f told names > wrong
none 'options that the table of the manual page lacks'
# Each row says something of its own: what commands say in full, and of whom.
sed '1,/^\.TS/d' sgdperf.1 | awk '/^T[{]$/ { cell = ""; next } /^\.na$/ || /^\.T/ { next }
    /^T}/ { n++; if (cell == "" || n % 3 == 2 && cell ~ /^\[/) print n ": " cell
            if ($0 == "T}\tT{") cell = ""; next }
    { cell = cell $0 }' > wrong
none 'rows of that table without a meaning'
grep -q "^number of examples in the mini\\\\-batch of one worker; adds column " sgdperf.1 &&
    grep -q "^number of examples per mini\\\\-batch; " sgdperf.1
check $? 'want a row for each meaning' manual
if has groff; then
    groff -t -man -Tutf8 -ww sgdperf.1 2> wrong > /dev/null
    none 'warnings of groff'
fi
mandoc=
has mandoc && mandoc=mandoc
if [ -n "$mandoc" ]; then
    mandoc -T lint sgdperf.1 | grep -v 'line longer than 80 bytes' > wrong
    none 'warnings of mandoc'
fi

# ---- A page for each command and each header
# page FILE COMMAND...: a manual page without a complaint, of which a line is the name's.
page() {
    page=$1
    shift
    "$@" > "$page" 2> .stderr
    status=$?
    stderr=$(cat .stderr)
    [ "$status" -eq 0 ] && [ -z "$stderr" ] && [ "$(wc -l < "$page")" -gt 20 ]
    check $? 'want a manual page' "$page"
    dated "$page"
    if [ -n "$mandoc" ]; then
        mandoc -T lint "$page" | grep -v 'line longer than 80 bytes' > wrong
        none "warnings of mandoc in $page"
    fi
}
for name in $(grep -v ' ' commands); do
    page "sgdperf-$name.1" sh "$root/tools/manual.sh" "$program" \
        "$root/tools/sgdperf-command.1.in" "$name"
    sed 's/\\-/-/g' "sgdperf-$name.1" | grep -oE -e '--[a-z0-9-]+' | sort -u > told
    awk -F, -v c="$name" '$1 == c || index($1, c " ") == 1 { print $2 }' options.csv |
        sort -u | grep -vx -e --help | grep -vxF -f told > wrong
    none "options that sgdperf-$name.1 lacks"
    holds 'want an example' grep -q '^\.SH EXAMPLE' "sgdperf-$name.1"
done
for header in "$root"/sgdperf*.h; do
    name=$(basename "$header" .h)
    page "$name.3" sh "$root/tools/header_page.sh" "$header"
    grep -oE '[ *]sgd[a-z_]*\(' "$name.3" | tr -d ' *(' | sort -u > told
    sed -n '/_IMPLEMENTED$/q; s/^SGD[A-Z]*_API [^(]*[ *]\(sgd[a-z_]*\)(.*/\1/p' "$header" |
        grep -vxF -f told > wrong
    none "functions that $name.3 lacks"
done

# ---- Completion, as the shells that are here understand it
cp "$root"/tools/completion.* .
# completes WORDS WANT...: to be asked of each shell, in one go, about the last of WORDS.
completes() {
    printf '%s\n' "$1" >> cases
    words=$1
    shift
    printf "$words: %s\n" '' "$@" >> wanted
}
LC_ALL=C
export HOME="$PWD" LC_ALL
completes 'sgdperf pre' predict
completes 'sgdperf help val' validate
completes 'sgdperf predict --mod' --mode --model --model-size
completes 'sgdperf balance r' run
# Words, each form in which --help tells them.
completes 'sgdperf predict --mode a' allreduce async
completes 'sgdperf predict --mode=a' allreduce async
completes 'sgdperf simulate --mode s' sync
completes 'sgdperf predict --model a' auto average
completes 'sgdperf predict --model sw' switch
completes 'sgdperf predict --updates ' queued separate shared
completes 'sgdperf predict --vary-shape ' exponential lognormal normal
completes 'sgdperf predict --inputs ' calibrated declared measured
completes 'sgdperf predict --precision ' mixed single
completes 'sgdperf mva --method ' bounds exact fcfs hybrid interleaved linearizer schweitzer
completes 'sgdperf simulate --link ' average fcfs ps tcp
completes 'sgdperf simulate --two-ps ' half unit
completes 'sgdperf simulate --collective tree:i' inside
completes 'sgdperf simulate --format ' csv json table
completes 'sgdperf trace-from-layers --format ' csv json
completes 'sgdperf cluster --policy mold' moldable-hell moldable-knee
completes 'sgdperf cluster --trace-format p' pai philly pollux
completes 'sgdperf cluster --trace-nodes ' gpus nodes processors
completes 'sgdperf balance run --predictor ' arima arx ema lstm memoryless narx rnn
completes 'sgdperf plan --objective ' largest sum
completes 'sgdperf fit --model optimus' optimus-async optimus-async-servers optimus-sync \
    optimus-sync-servers
completes 'sgdperf plot --engine ' matplotlib own
completes 'sgdperf import k' kineto
# Lists, of which no word comes twice.
completes 'sgdperf balance run --scheme f' flexrr
completes 'sgdperf balance run --scheme bsp,l' bsp,lbbsp
completes 'sgdperf cluster --policies easy,s' easy,sjf easy,smallest-first easy,srpt
completes 'sgdperf cluster --policies=sjf,easy,s' sjf,easy,smallest-first sjf,easy,srpt
completes 'sgdperf predict --sharding ddp,z' ddp,zero-1 ddp,zero-2
completes 'sgdperf predict --bucket a' auto
completes 'sgdperf predict --collective auto,double-tree:f' flat
completes 'sgdperf calibrate --fit server,l' server,latency server,local-bandwidth
# Files, words beside them, and neither.
completes 'sgdperf predict --profile ' 'a blank.csv' b.csv
completes 'sgdperf import t.json --trace ' 'a blank.csv' b.csv
completes 'sgdperf plot --out ' 'a blank.csv' b.csv
completes 'sgdperf mva ' 'a blank.csv' b.csv
completes 'sgdperf simulate --order ' 'a blank.csv' b.csv random reverse search tac tic
completes 'sgdperf cluster --workload ' 'a blank.csv' alexnet b.csv four large
completes 'sgdperf cluster --curves ' 'a blank.csv' amdahl: b.csv linear
completes 'sgdperf cluster --curves a' 'a blank.csv' amdahl:
completes 'sgdperf plan ' 'a blank.csv' b.csv measure order stages
completes 'sgdperf balance ' cpu fit gpu predict run series
for number in 'predict --workers' 'predict --bandwidth' 'cluster --sweep' 'plot --title' \
    'predict --accumulate' 'predict --bandwidth=1Gbps --batch' 'mva --fcfs'; do
    completes "sgdperf $number "
done
# answers SHELL FILE: it prints, of each of the cases, "WORDS:" and, a line each, what is offered.
# What stands before = and :, where readline and zsh part words, is left out.
answers() {
    (cd here && timeout 100 "$1" "$2") < /dev/null 2> .stderr | awk '
        /^sgdperf .*:$/ { words = $0; print words " "; next }
        { gsub(/\\/, ""); sub(/ +$/, "") }
        match($0, /.*[=:]/) && RLENGTH < length($0) { $0 = substr($0, RLENGTH + 1) }
        !/^$|^completion|^ask/ { print words " " $0 }' | sort -u > got
    sort -u wanted | diff - got > wrong
    none "difference between what is wanted and what $1 offers"
}
mkdir here
touch here/b.csv 'here/a blank.csv'
cp completion.* here
file here/ask.bash << 'END'
. ./completion.bash
while IFS= read -r words; do
    line=${words//=/ = }
    COMP_WORDS=(${line//:/ : })
    [[ $words == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _sgdperf
    printf '%s:\n' "$words"
    printf '%s\n' "${COMPREPLY[@]}"
done < ../cases
END
file here/ask.fish << 'END'
source completion.fish
while read -l words
    echo "$words:"
    complete -C "$words" | cut -f 1
end < ../cases
END
# A terminal in which what compadd adds is written down, and ^U empties the line again.
file here/ask.zsh << 'END'
zmodload zsh/zpty && zpty shell zsh -f -i || exit
zpty -w shell '. ./ask_inner.zsh; PROMPT="<"0">"'
zpty -r -m shell out '*<0>*'
while IFS= read -r words; do
    : > ../found
    zpty -w -n shell "$words"$'\t'$'\025'
    zpty -w shell 'PROMPT="<"'$((++n))'">"'         # none is read before a prompt
    zpty -r -m shell out "*<$n>*"
    print -r -- "$words:"
    cat ../found
done < ../cases
zpty -d shell
END
file here/ask_inner.zsh << 'END'
autoload -Uz compinit
compinit -u -D
. ./completion.zsh
setopt extended_glob no_beep
LISTMAX=10000
compadd() {
    local -a found
    if [[ " ${@[1,(i)(-|--)]}" != *" -"[a-zA-Z]#[OAD]" "* ]]; then
        builtin compadd -A found "$@"
        print -rl -- $found >> ../found
    fi
    builtin compadd "$@"
}
END
for shell in bash fish; do
    if has $shell; then answers $shell ask.$shell; fi
done
if has zsh; then
    zsh -n completion.zsh 2> wrong
    none 'faults that zsh finds'
    answers zsh ask.zsh
fi
# Of a value that is none of its words all that the program names is offered.
refused_are_offered() {
    run "$@" '?'
    for word; do last=$word; done
    sed -n 's/.* is not one of \([a-z0-9, -]*\).*/\1/p' .stderr | tr -d , | tr ' ' '\n' > names
    bash -c '. ./completion.bash; COMP_WORDS=(sgdperf "$1" "$2" ""); COMP_CWORD=3; _sgdperf
        printf "%s\n" "${COMPREPLY[@]}"' bash "$1" "$last" | grep -vxF -f - names > wrong
    [ "$(wc -l < names)" -gt 1 ] && [ ! -s wrong ]
    check $? "want these offered too: $(cat wrong)" "$@"
}
if command -v bash > /dev/null; then
    refused_are_offered mva net.csv --method
    for mode in async sync allreduce; do
        refused_are_offered predict --mode $mode --workers 2 --model
    done
    refused_are_offered calibrate points.csv --fit
    refused_are_offered cluster --nodes 3 --rigid --jobs jobs.csv --trace-format
    refused_are_offered cluster --nodes 3 --load 0.5 --policy
    refused_are_offered cluster --nodes 3 --load 0.5 --model
    refused_are_offered cluster --nodes 3 --load 0.5 --workload
    refused_are_offered plot p.csv --out p.svg --engine
fi
cli_report help

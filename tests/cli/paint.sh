# Colour is for terminals alone: "sgdperf:" of an error, "note:", and headings. Without it
# every byte is the same.
. tests/cli.sh
if ! script -qec true /dev/null < /dev/null > .stdout 2>&1; then
    echo "skipped: no terminal by script of util-linux"
    cli_report paint
fi
escape=$(printf '\033')
bold="$escape[1m" error="$escape[1;31m" note="$escape[1;36m" end="$escape[0m"

# on_terminal COMMAND: what a shell command shows of both streams, for which $program is set.
on_terminal() {
    program=$program TERM=${term-xterm} NO_COLOR=${no_color-} \
        script -qec "$1" /dev/null < /dev/null | tr -d '\r' > shown
    stdout=$(cat shown)
    stderr=
    status=0
}

# shows PATTERN COMMAND; plain COMMAND: what it shows on a terminal; no colour there.
shows() {
    on_terminal "$2"
    holds "want, on a terminal, $1" matches "$stdout" "$1"
}
plain() {
    on_terminal "$1"
    [ -n "$stdout" ] && ! matches "$stdout" "*$escape*"
    check $? 'want no colour' "$1"
}

job='--mode allreduce --forward 10ms --backward 20ms --model-size 9MB --bandwidth 1Gbps'
predict="\"\$program\" predict $job --workers 1,4"
shows "*${bold}workers  batches_per_s*low*high$end$newline      1 *" "$predict"
cp shown coloured
"$program" predict $job --workers 1,4 > piped
sed "s/$escape\[[0-9;]*m//g" coloured | cmp -s - piped
check $? 'want the same text as in a pipe, besides colour' "$predict"
grep -c "$escape" coloured > heads
[ "$(cat heads)" -eq "$(grep -c '^workers ' piped)" ]
check $? "want colour in the heads of tables alone, not in $(cat heads) lines" "$predict"

shows "${error}sgdperf:$end 'predcit' is not a command*" '"$program" predcit'
shows "*${newline}sgdperf: ${note}note:$end *taken for bytes*" "$predict --latency 2ms --flow-cap 12"
shows "${bold}usage:$end sgdperf predict *$newline${bold}The job$end$newline*${bold}Example: *" \
    '"$program" help predict'
shows "${bold}usage:$end sgdperf COMMAND *" '"$program" --help'
"$program" help predict > piped
on_terminal '"$program" help predict'
sed "s/$escape\[[0-9;]*m//g" shown | cmp -s - piped
check $? 'want the same text as in a pipe, besides colour' help predict
holds 'want thirteen headings' [ "$(grep -c "$escape" shown)" -eq 13 ]

# Where one stream is no terminal, that one is plain.
shows "${error}sgdperf:$end *" '"$program" predcit > out'
shows "*$bold*" "$predict 2> err"
on_terminal "$predict --flow-cap 12 > out 2> err; cat out err"
! matches "$stdout" "*$escape*" && matches "$stdout" "*note:*"
check $? 'want no colour in files' predict
plain "$predict --flow-cap 12 2>&1 | cat"
for format in csv json; do plain "$predict --format $format"; done

no_color=1
plain "$predict --flow-cap 12"
plain '"$program" predcit'
plain '"$program" help predict'
no_color= term=dumb
plain "$predict --flow-cap 12"
term=
plain '"$program" predcit'
cli_report paint

# validation/pipelines.sh: vTrain's rows are met as far as FINDINGS.md says.
. tests/cli.sh
SGDPERF=$program
export SGDPERF

# script WANT ARGUMENT...: a table whose row `head` matches.
script() {
    want=$1
    shift
    stdout=$(sh "$root/validation/pipelines.sh" "$@" 2> .stderr < /dev/null)
    status=$?
    stderr=$(cat .stderr)
    [ "$status" -eq 0 ] && [ -z "$stderr" ] && matches "$stdout" "$want"
    check $? "want $want" pipelines.sh "$@"
}

[ -z "${TEST_FULL:-}" ] || script '*head * 720 * 1.17 * 6.17*equal * 720 * 8.71 * 33.69'
script '*head * 360 * 1.13 * 5.08*equal * 360 * 8.43 * 28.71' left-out
sh "$root/validation/pipelines.sh" none > .stdout 2> .stderr
status=$?
stdout=$(cat .stdout)
stderr=$(cat .stderr)
[ "$status" -eq 2 ] && matches "$stderr" 'usage: *'
check $? 'want the usage' pipelines.sh none
cli_report pipelines

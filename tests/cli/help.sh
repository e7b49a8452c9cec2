# The examples of --help print what they show. An example is a command after "$ ", going
# on in the next line after \ or |, and below it its output, all indented by two blanks.
. tests/cli.sh
PATH=$(dirname "$program"):$PATH

expect_example() {
    "$program" "$@" --help | awk '/^Example/ { on = 1; next }
        !on { next }
        { sub(/^  /, "") }
        sub(/^\$ /, "") { command = 1 }
        command { print > "example.sh"; command = /[\\|]$/; next }
        { print > "want" }'
    sh example.sh > got 2> .stderr < /dev/null
    status=$?
    stdout=$(cat got)
    stderr=$(cat .stderr)
    [ "$status" -eq 0 ] && [ -s want ] && cmp -s want got
    check $? "want $(cat want)" "$@" --help
    rm -f example.sh want
}

for command in mva predict simulate trace-from-layers allocate cluster profile calibrate fit \
    balance plan
do
    expect_example "$command"
done
for part in cpu gpu predict run fit series; do expect_example balance $part; done
cli_report help

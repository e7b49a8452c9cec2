# cli.sh - to be sourced by the tests of the program, which run in the repository root:
#
#     . tests/cli.sh
#     file net.csv <<'END'
#     ...
#     END
#     expect_status 0 mva net.csv
#     expect_error "sgdperf: net.csv:2: column 'think_s': -3 is negative" mva net.csv
#     cli_report mva
#
# The program runs in a temporary folder, where `file` writes. Patterns are those of the
# shell's case: * matches anything. Every expectation counts as one test.
set -u
program=${SGDPERF:-$PWD/build/sgdperf}
optimized=${SGDPERF_OPTIMIZED:-$program}   # as users build it, for what runs long
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# Of the repository, for tests that read its files: without the blanks that its path may have.
root=$folder/.root
ln -s "$PWD" "$root" || exit 1
cd "$folder" || exit 1
cli_passed=0
cli_failed=0
cli_bulk=0
stdin=/dev/null                        # what the program reads; tests may set it
newline='
'

# Writes its standard input to a file.
file() { cat > "$1"; }

# Runs the program: sets $status and $stderr (without final newlines); what it prints is
# in the file .stdout alone.
launch() {
    "$program" "$@" < "$stdin" > .stdout 2> .stderr
    status=$?
    stdout= stderr=
    while IFS= read -r line || [ -n "$line" ]; do       # without another process
        stderr=$stderr${stderr:+$newline}$line
    done < .stderr
}

# And sets $stdout. JSON is without its first key, "schema", which tests/cli/help.sh checks
# for every command, and without its last one, "notes", which has what stderr has. The file
# .json keeps each command line and what it prints, for cli_report to hold it against docs/schema.
run() {
    launch "$@"
    [ -s .stdout ] && stdout=$(tr -d '\000' < .stdout)
    case $stdout in '{"schema":"sgdperf.'*)
        printf 'sgdperf %s\n%s\n' "$*" "$stdout" >> .json
        stdout="{${stdout#*,}"
        case $stdout in *',"notes":[{"key":'*) stdout="${stdout%%,\"notes\":\[{*}}" ;; esac ;;
    esac
}

pass() { cli_passed=$((cli_passed + 1)); }

# fail REASON ARGUMENT...: the arguments are those of the program.
fail() {
    cli_failed=$((cli_failed + 1))
    reason=$1
    shift
    printf 'failed: sgdperf %s\n    %s\n    status %s\n    stdout: %s\n    stderr: %s\n' \
        "$*" "$reason" "$status" "$stdout" "$stderr" >&2
}

# check CONDITION-STATUS REASON ARGUMENT...
check() {
    if [ "$1" -eq 0 ]; then pass; else shift; fail "$@"; fi
}

# holds REASON CONDITION...: a command that ends with 0, or ! and one that does not.
holds() {
    claim=$1
    shift
    if [ "$1" = ! ]; then shift; ! "$@"; else "$@"; fi
    check $? "$claim" "($*)"
}

# has COMMAND: whether this machine has it; else one line says what is skipped.
has() {
    command -v "$1" > /dev/null || { echo "skipped: no $1"; return 1; }
}

matches() { case $1 in $2) return 0 ;; esac; return 1; }

# expect_status STATUS ARGUMENT...
expect_status() {
    want=$1
    shift
    run "$@"
    [ "$status" -eq "$want" ]
    check $? "want status $want" "$@"
}

# expect_stdout PATTERN ARGUMENT...: status 0, and all of stdout matches.
expect_stdout() {
    want=$1
    shift
    run "$@"
    [ "$status" -eq 0 ] && matches "$stdout" "$want"
    check $? "want status 0, stdout $want" "$@"
}

# expect_error PATTERN ARGUMENT...: status 2, nothing on stdout, one line on stderr.
expect_error() {
    want=$1
    shift
    launch "$@"
    [ "$status" -eq 2 ] && [ ! -s .stdout ] && matches "$stderr" "$want" &&
        ! matches "$stderr" "*$newline*"
    check $? "want status 2, stderr $want" "$@"
}

# expect_note PATTERN ARGUMENT...: status 0, and all of stderr, with all notes, matches.
expect_note() {
    want=$1
    shift
    run "$@" --notes
    [ "$status" -eq 0 ] && matches "$stderr" "$want"
    check $? "want stderr $want" "$@"
}

# expect_none PATTERN ARGUMENT...: status 0, and neither stdout nor stderr matches.
expect_none() {
    want=$1
    shift
    run "$@"
    [ "$status" -eq 0 ] && ! matches "$stdout" "$want" && ! matches "$stderr" "$want"
    check $? "want no $want" "$@"
}

# expect_finite ARGUMENT...: an answer without NaN or infinity, or a refusal.
expect_finite() {
    run "$@"
    ! matches "$stdout$newline" '*[nN]a[nN]*' && ! matches "$stdout$newline" '*[iI]nf[!e]*' &&
        case $status in 0 | 2 | 3) ;; *) false ;; esac
    check $? 'want no NaN or infinity' "$@"
}

# bulk EXPECTATION ARGUMENT...: bad values come by the hundred, and each costs a start of the
# program. The quick size tries every fourth, make check all; of these it looks for leaks.
bulk() {
    cli_bulk=$((cli_bulk + 1))
    [ $((cli_bulk % 4)) -eq 1 ] && { "$@"; return; }
    [ -n "${TEST_FULL:-}" ] || return 0
    options=${ASAN_OPTIONS:-}
    ASAN_OPTIONS=$options:detect_leaks=0
    "$@"
    ASAN_OPTIONS=$options
}

# expect_number KEY VALUE TOLERANCE ARGUMENT...: the first "KEY":number of the JSON is
# within the relative tolerance. A key like 'uplink":.*"queue' reaches further.
expect_number() {
    key=$1
    want=$2
    tolerance=$3
    shift 3
    launch "$@" --format json
    printf 'sgdperf %s --format json\n' "$*" >> .json
    number "$@"
}

# and_number KEY VALUE TOLERANCE: another number of what was last printed.
and_number() {
    key=$1
    want=$2
    tolerance=$3
    number '(the same)'
}

number() {
    got=$(awk -v key="\"$key\":[-0-9.eE+]+" -v want="$want" -v tol="$tolerance" '
        BEGIN { gsub(/[{]/, "[{]", key) }      # which begins a repetition to some
        /^[{]"schema":/ { print >> ".json" }
        match($0, key) {
            found = substr($0, RSTART, RLENGTH)
            sub(/.*:/, "", found)
            error = found - want
            if (error < 0) error = -error
            good = error <= tol * (want < 0 ? -want : want)
            exit
        }
        END { print found; exit !good }' .stdout)
    check $? "want $key $want, got ${got:-$(head -c 1000 .stdout)}" "$@"
}

# SCHEMAS is the folder whose files tests/run.sh holds against the schemas once all scripts have
# ended: to start a python3 for each takes longer.
cli_report() {
    if [ -s .json ] && [ -n "${SCHEMAS:-}" ]; then
        mv .json "$SCHEMAS/$1"
    elif [ -s .json ]; then
        stdout=$(sh "$root/tests/schemas.sh" .json)
        status=$? stderr=
        [ "$status" -eq 77 ] || check "$status" 'want JSON that holds to docs/schema'
    fi
    echo "cli $1: $cli_passed passed, $cli_failed failed"
    [ "$cli_failed" -eq 0 ]
    exit
}

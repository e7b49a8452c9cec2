#!/bin/sh
# Makes the manual page from what the program says of itself, on standard output:
#     sh tools/manual.sh build/sgdperf tools/sgdperf.1.in > build/sgdperf.1
#     sh tools/manual.sh build/sgdperf tools/sgdperf-command.1.in predict > sgdperf-predict.1
# In the template a line "@COMMAND predict@" becomes the usage, columns and options that
# "sgdperf predict --help" shows, without its example, and "@OPTIONS@" the table of all
# options. A command that the template leaves out, or has too many, is an error. The page of
# one command has "@PAGE@" for what it and, like balance, the commands below it show. "@DATE@"
# is that of the version in the changelog, so that the same sources give the same page.
set -eu
program=$1
template=$2
page=${3:-}
version=$("$program" --version)
date=$(sh "${0%manual.sh}release_date.sh" "${version##* }")
{
    echo '@@ summary'
    "$program" --help
    echo '@@ options'
    "$program" --options
    "$program" --options | awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' |
    while read -r command; do
        case "$command " in "${page:-$command} "*) ;; *) continue ;; esac
        echo "@@ help $command"
        "$program" $command --help
    done
    echo '@@ template'
    cat "$template"
} | awk -v page="$page" -v version="$version" -v date="$date" '
# ---- Text to roff
function safe(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.\047]/) text = "\\&" text
    return text
}
function put(text) { out[current] = out[current] text "\n" }

# ---- The help of one command, line by line. State: 1 usage, 2 text, 3 over (the example)
function usage_line(line) {
    sub(/^usage: /, "       ", line)
    put(safe(substr(line, 8)))
}
# "  --name VALUE   meaning": two blanks or more part the head from its text.
function item(line, head) {
    line = substr(line, 3)
    column = match(line, /  +[^ ]/) ? RSTART + RLENGTH + 1 : 0
    head = column ? substr(line, 1, RSTART - 1) : line
    line = column ? substr(line, RSTART + RLENGTH - 1) : ""
    put(".TP\n.B " safe(head))
    if (line != "") put(safe(line))
    told = head ~ /^--/ ? head : ""
    text = line
    choices = ""
    inner = 0
}
# For the table: what this command says of the options in `told`, their values with them.
function remember(n, word, i, name) {
    n = split(told, word, / /)
    for (i = 1; i <= n; i++) {
        sub(/,$/, "", word[i])
        if (word[i] ~ /^--/) name = word[i]
        else if (name != "") value[current, name] = value[current, name] " " word[i]
        if (word[i] ~ /^--/) meaning[current, name] = text choices
    }
    told = ""
}
# Between a text and the line that goes on with it; where lines further in begin, each is a
# choice of its own.
function joint(indent) {
    if (text == "") return ""
    if (indent > column && inner == 0) inner = indent
    return indent == inner && text !~ /:$/ ? "; " : " "
}
# A line further in goes on, one that starts elsewhere than the text stands by itself, as
# a choice and its meaning do.
function deeper(line, indent) {
    match(line, /^ */)
    indent = RLENGTH + 1
    line = substr(line, indent)
    if (column == 0) column = indent
    if (indent < column)
        choices = choices (choices == "" ? " " : ", ") \
            (match(line, /  +/) ? substr(line, 1, RSTART - 1) : line)
    else if (choices == "")
        text = text joint(indent) line
    if (indent != column) put(".br")
    if (indent != column && match(line, /  +/))
        line = "\\fB" safe(substr(line, 1, RSTART - 1)) "\\fR " \
            safe(substr(line, RSTART + RLENGTH))
    else line = safe(line)
    put(line)
}
function help_line(line) {
    if (line !~ /^   /) remember()
    if (line ~ /^Example/) state = 3
    if (state == 3) { example[current] = example[current] safe(line) "\n"; return }
    if (line == "" && state == 1) {
        put(".fi")
        headed = current == page                # no paragraph begins behind a heading
        if (headed) put(".SH DESCRIPTION")
        state = 2
    }
    if (line == "") return
    if (state == 1) usage_line(line)
    else if (line ~ /^  [^ ]/) item(line)
    else if (line ~ /^   /) deeper(line)
    else {
        if (!headed && (last == "" || last ~ /^ /)) put(".PP")
        headed = 0
        put(safe(line))
    }
}

# ---- The table of all options
# A cell whose text is broken where it must be, also behind a comma, a colon or a bar.
function cell(text) {
    text = safe(text)
    gsub(/[,:|]/, "&\\:", text)
    return "T{\n.na\n" text "\nT}"
}
# A row for each meaning that an option has, with the commands in which it has it.
function rows(name, n, command, i, k, told, list) {
    n = split(takers[name], command, /,/)
    for (i = 1; i <= n; i++) {
        told = meaning[command[i], name]
        if (told == "" || (told in seen)) continue
        list = ""
        seen[told] = 1
        for (k = i; k <= n; k++)
            if (meaning[command[k], name] == told)
                list = list (list == "" ? "" : ", ") command[k]
        print cell(name value[command[i], name]) "\t" cell(told) "\t" cell(list)
    }
    for (told in seen) delete seen[told]
}
function table(n, i, k, name) {
    n = 0
    for (name in takers) sorted[++n] = name
    for (i = 2; i <= n; i++) {
        name = sorted[i]
        for (k = i - 1; k > 0 && sorted[k] > name; k--) sorted[k + 1] = sorted[k]
        sorted[k + 1] = name
    }
    # On a terminal the page goes on, or tbl warns of cells that a page would cut.
    print ".nh\n.if n .pl 3000v\n.TS\nlB lB lB\nlw(18n) lw(30n) lw(17n)."
    print "option\tmeaning\tcommands"
    for (i = 1; i <= n; i++)
        if (sorted[i] != "--help") rows(sorted[i])
        else print cell("--help") "\t" cell("usage, units, defaults and an example") \
            "\t" cell("all")
    print ".TE\n.hy"
}

/^@@ / {
    section = $2
    current = $0
    sub(/^@@ help /, "", current)
    state = 1
    last = told = ""
    if (section == "help") put(".nf")
    next
}
section == "options" {
    split($0, field, ",")
    if (!(field[1] in known)) order[++commands] = field[1]
    if (field[2] !~ /^--/) next
    if (field[2] in takers) takers[field[2]] = takers[field[2]] "," field[1]
    else takers[field[2]] = field[1]
    known[field[1]] = 1
}
section == "summary" && /^  [a-z-]+ +[^ ]/ {
    line = $0
    sub(/^ +[a-z-]+ +/, "", line)
    summary[$1] = line
}
section == "help" { help_line($0); last = $0 }
section == "template" && /^@COMMAND .*@$/ {
    name = substr($0, 10, length($0) - 10)
    if (!(name in known)) { print "no command " name > "/dev/stderr"; failed = 1 }
    shown[name] = 1
    printf "%s", out[name]
    next
}
# The example, as it is shown: its first line is a sentence, the rest what a terminal has.
function show_example(c, n, line, i) {
    if (example[c] == "") return
    n = split(example[c], line, "\n")
    sub(/^Example: /, "", line[1])
    print (c == page ? "" : ".PP\nExample: ") line[1] "\n.PP\n.nf"
    for (i = 2; i < n; i++) print line[i] == "" ? "\\&" : line[i]
    print ".fi"
}
section == "template" && $0 == "@PAGE@" {
    printf "%s", out[page]
    print ".SH EXAMPLE"
    show_example(page)
    for (i = 1; i <= commands; i++)
        if (index(order[i], page " ") == 1) {
            print ".SH " toupper(order[i])
            printf "%s", out[order[i]]
            show_example(order[i])
        }
    next
}
section == "template" && $0 == "@OPTIONS@" { table(); next }
section == "template" {
    gsub(/@VERSION@/, version)
    gsub(/@DATE@/, date)
    gsub(/@COMMAND@/, safe(page))
    gsub(/@TITLE@/, safe(toupper(page)))
    gsub(/@SUMMARY@/, safe(summary[page]))
    print
}
END {
    if (page != "" && !(page in known)) { print "no command " page > "/dev/stderr"; failed = 1 }
    if (page == "") for (name in known)
        if (!(name in shown)) { print "no @COMMAND " name "@" > "/dev/stderr"; failed = 1 }
    exit failed
}'

#!/bin/sh
# Makes the manual page from the table of options, on standard output:
#     sh tools/manual.sh build/sgdperf tools/sgdperf.1.in > build/sgdperf.1
#     sh tools/manual.sh build/sgdperf tools/sgdperf-command.1.in predict > sgdperf-predict.1
# In the template a line "@COMMANDS@" becomes what "sgdperf predict --help" and the like show,
# without their examples, and "@OPTIONS@" the table of all options. The page of one command has
# "@PAGE@" for what it and, like balance, the commands below it show. "@DATE@" is that of the
# version in the changelog, so that the same sources give the same page.
set -eu
program=$1
template=$2
page=${3:-}
version=$("$program" --version)
date=$(sh "${0%manual.sh}release_date.sh" "${version##* }")
{
    "$program" --options all
    echo '@@ template'
    cat "$template"
} | awk -F'\t' -v page="$page" -v version="$version" -v date="$date" '
BEGIN { takers["--help"] = "all"; common["--help"] = "prints usage, all options, units, defaults and an example" }
# ---- Text to roff
function safe(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.\047]/) text = "\\&" text
    return text
}
function put(text) { out[current] = out[current] text "\n" }

# ---- An option: a line of its meaning stands by itself, "WORD\tTEXT" is a choice
function option_item(name, text, preset,    n, line, i, at) {
    put(".TP\n.B " safe(name))
    n = split(text, line, /\\n/)
    if (preset != "") line[1] = line[1] " [" preset "]"
    told = ""
    for (i = 1; i <= n; i++) {
        if (i > 1) put(".br")
        at = index(line[i], "\\t")
        if (at) {
            put("\\fB" safe(substr(line[i], 1, at - 1)) "\\fR " safe(substr(line[i], at + 2)))
            line[i] = substr(line[i], 1, at - 1)
        } else put(safe(line[i]))
        if (i > 1) told = told (i == 2 ? " " : at ? ", " : "; ") line[i]
    }
    sub(/ .*/, "", name)
    value[current, name] = $3
    meaning[current, name] = line[1] told
    last = " "
    if (name == "--notes") common[name] = line[1]
    if (!((current, name) in had)) takers[name] = takers[name] (takers[name] == "" ? "" : ",") current
    had[current, name] = 1
}

# ---- Text between options, line by line. State: 1 usage, 2 text, 3 over (the example)
# "  name   meaning": two blanks or more part the head from its text.
function item(line) {
    line = substr(line, 3)
    column = match(line, /  +[^ ]/) ? RSTART + RLENGTH + 1 : 0
    put(".TP\n.B " safe(column ? substr(line, 1, RSTART - 1) : line))
    if (column) put(safe(substr(line, RSTART + RLENGTH - 1)))
}
# A line further in goes on; one that starts elsewhere than the text stands by itself.
function deeper(line,    indent) {
    match(line, /^ */)
    indent = RLENGTH + 1
    if (column == 0) column = indent
    if (indent != column) put(".br")
    put(safe(substr(line, indent)))
}
function text_line(line) {
    if (line ~ /^Example/) state = 3
    if (state == 3) { example[current] = example[current] safe(line) "\n"; return }
    if (line == "" && state == 1) {
        put(".fi")
        headed = current == page                # no paragraph begins behind a heading
        if (headed) put(".SH DESCRIPTION")
        state = 2
    }
    if (line == "") return
    if (state == 1) { sub(/^usage: /, "       ", line); put(safe(substr(line, 8))) }
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
        print cell(name (value[command[i], name] == "" ? "" : " " value[command[i], name])) "\t" cell(told) "\t" cell(list)
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
        if (!(sorted[i] in common)) rows(sorted[i])
        else print cell(sorted[i]) "\t" cell(common[sorted[i]]) "\t" cell("all")
    print ".TE\n.hy"
}

!template && $0 != "@@ template" {
    if ($1 == "command") {
        order[++commands] = current = $2
        known[current] = state = 1
        summary[current] = $3
        last = ""
        put(".nf")
    } else if ($1 == "option") option_item($2 ($3 == "" ? "" : " " $3), $4, $5)
    else { text_line($2); last = $2 }
}
$0 == "@@ template" { template = 1; next }
template && $0 == "@COMMANDS@" {
    for (i = 1; i <= commands; i++) printf ".SS %s\n%s", safe(order[i]), out[order[i]]
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
template && $0 == "@PAGE@" {
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
template && $0 == "@OPTIONS@" { table(); next }
template {
    gsub(/@VERSION@/, version)
    gsub(/@DATE@/, date)
    gsub(/@COMMAND@/, safe(page))
    gsub(/@TITLE@/, safe(toupper(page)))
    gsub(/@SUMMARY@/, safe(summary[page]))
    print
}
END {
    if (page == "" || page in known) exit
    print "no command " page > "/dev/stderr"
    exit 1
}'

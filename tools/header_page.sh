#!/bin/sh
# Makes the manual page of a header, section 3, from its comments, on standard output:
#     sh tools/header_page.sh sgdperf_sim.h > sgdperf_sim.3
# The comment on top gives the sections, every chapter of declarations one below FUNCTIONS,
# as it stands; the references end the page.
set -eu
header=$1
version=$(sed -n '1s/.* - v\([0-9.]*\) - .*/\1/p' "$header")
date=$(sh "${0%header_page.sh}release_date.sh" "$version")
awk -v header="${header##*/}" -v version="$version" -v date="$date" '
# ---- Text to roff
function safe(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.\047]/) text = "\\&" text
    return text
}
# A section, whose lines stay as they are.
function section(level, title) {
    close_lines()
    print "." level " " title
}
# Blank lines count between others only, as one.
function line(text) {
    if (text == "") { blank = open; return }
    if (!open) print ".nf"
    else if (blank) print "\\&"
    print safe(text)
    open = 1
    blank = 0
}
function close_lines() {
    if (open) print ".fi"
    open = blank = 0
}

# "sgdperf_sim.h - v0.1.0 - what it does - C99, one file"
FNR == 1 {
    n = split($0, part, / - /)
    name = header
    sub(/\.h$/, "", name)
    print ".\\\" Made by tools/header_page.sh from the comments of " header "."
    print ".TH " toupper(safe(name)) " 3 \"" date "\" \"sgdperf " version "\" \"Library Functions\""
    print ".SH NAME\n" safe(name) " \\- " safe(part[3])
    print ".SH SYNOPSIS\n.nf\n#include <" safe(header) ">\n.fi\n.SH DESCRIPTION"
    state = "top"
    next
}

# ---- The comment on top, to its end; CONTENTS are the functions below
state == "top" && /\*\/$/ { state = "between"; next }
state == "top" {
    text = $0
    sub(/^ \* ?/, "", text)
    if (text ~ /^[A-Z][A-Z]+( |$)/) {
        title = text
        sub(/ .*$/, "", title)
        rest = text
        sub(/^[A-Z]+ */, "", rest)
        skip = title == "REFERENCES"
        if (!skip) { section("SH", title); if (rest != "") line("  " rest) }
        next
    }
    if (!skip) line(text)
}

# ---- Chapters of declarations
/_IMPLEMENTED$/ { state = "inside" }
state == "between" && /^\/\* ---- / {
    title = $0
    sub(/^\/\* ---- /, "", title)
    sub(/ -+ \*\/$/, "", title)
    if (!chapters++) section("SH", "FUNCTIONS")
    section("SS", safe(title))
    next
}
state == "between" && chapters && /^#if(n?def)? .*__cplusplus/ { state = "declared" }
state == "between" && chapters { line($0) }

# ---- The references
/^\/\* REFERENCES/ { section("SH", "REFERENCES"); state = "references"; next }
state == "references" && /^ \* (HISTORY|LICENSE)/ { state = "end" }
state == "references" {
    text = $0
    sub(/^ \* ?/, "", text)
    line(text)
}
END {
    close_lines()
    print ".SH SEE ALSO\n.BR sgdperf (1)"
    if (!chapters) { print header ": no chapters" > "/dev/stderr"; exit 1 }
}' "$header"

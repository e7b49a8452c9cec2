#!/bin/sh
# The rules of the house that a compiler does not know: what a reader may rely on in each
# header and in tools/. Every rule is one test, which names each place that breaks it.
set -u
passed=0
failed=0
headers=$(ls sgdperf*.h)
tools=$(find tools -name '*.[ch]' | sort)
others="$tools $(find tests bench examples -name '*.[ch]' | sort)"
[ -n "$headers" ] && [ -n "$tools" ] || { echo 'house: to be run at the top'; exit 1; }

# rule NAME PLACES: one test; the text names the places that break the rule.
rule() {
    found=$2
    if [ -z "$found" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $1"
        printf '%s\n' "$found" | head -n 20 | sed 's/^/    /'
        [ "$(printf '%s\n' "$found" | wc -l)" -le 20 ] || echo "    and more"
    fi
}

# A rule that cannot be looked at is broken.
unchecked() { echo 'the check itself fails'; }

# What the rules about headers share: for each line of a header its prefix, whether it
# stands in the implementation, and the code on it without comments and texts.
each_header='
    function say(text) { print FILENAME ":" FNR ": " text }
    FNR == 1 {
        while ((getline upper < FILENAME) > 0 && upper !~ /^#define SGD[A-Z]*_API extern$/) { }
        close(FILENAME)
        sub(/^#define /, "", upper)
        sub(/API extern$/, "", upper)
        prefix = tolower(upper)
        own = toupper(substr(FILENAME, 1, length(FILENAME) - 2)) "_"
        inside = common = comment = 0
        header++
    }
    /^#define SGDPERF.*_IMPLEMENTED$/ { inside = 1 }
    /^\/\* ---- Common block/ { common = 1 }
    /^\/\* ---- End of the Common block/ { common = 0 }
    {
        code = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
        if (comment && sub(/^.*\*\//, "", code)) comment = 0
        if (comment) code = ""
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
        if (sub(/\/\*.*$/, "", code)) comment = 1
    }'

# ---- The Common block --------------------------------------------------------------

rule "the Common block is equal in all headers, up to the prefix" "$(
awk "$each_header"'
    common || /^\/\* ---- End of the Common block/ {
        text = $0
        gsub(own, "SGDPERF_", text)
        gsub(prefix, "sgd_", text)
        gsub(upper, "SGD_", text)
        n = split(text, word, /[ \t]+/)
        for (i = 1; i <= n; i++) {
            if (word[i] == "") continue
            at[FILENAME]++
            if (header == 1) want[at[FILENAME]] = word[i]
            else if (want[at[FILENAME]] "" != word[i] "" && !told[FILENAME]++)
                say("\"" word[i] "\", but \"" want[at[FILENAME]] "\" in the first header")
        }
    }
    END {
        for (i = 1; i < ARGC; i++) if (at[ARGV[i]] != at[ARGV[1]] && !told[ARGV[i]])
            print ARGV[i] ": the Common block has " at[ARGV[i]] + 0 " words, not " at[ARGV[1]] + 0
        if (at[ARGV[1]] == 0) print ARGV[1] ": no Common block"
    }' $headers || unchecked)"

# ---- The top, and the end ----------------------------------------------------------

rule "the first prototype stands before line 110" "$(
awk "$each_header"'
    !(FILENAME in first) && $0 ~ "^SGD[A-Z]*_API +[a-z]" {
        first[FILENAME] = FNR
        if (FNR >= 110) say("first prototype")
    }' $headers || unchecked)"

rule "USE, EXAMPLE, CONTENTS, CONVENTIONS, CONFIGURE on top, REFERENCES at the end" "$(
awk "$each_header"'
    FNR == 1 { top = 1 }
    top && /^ \* [A-Z]/ {
        section[FILENAME] = section[FILENAME] " " $2
        sub(/,$/, "", section[FILENAME])
    }
    /\*\// { top = 0 }
    /^(\/\*| \*) REFERENCES/ { if (!inside && NF == 2) say("references belong to the end") }
    /^(\/\*| \*) REFERENCES/ && inside { referred[FILENAME] = FNR }
    inside && code !~ /^[ \t]*$/ { last[FILENAME] = FNR }
    END {
        for (i = 1; i < ARGC; i++) {
            f = ARGV[i]
            if (section[f] !~ /^ USE EXAMPLE CONTENTS CONVENTIONS CONFIGURE REFERENCES/)
                print f ":1: has the sections" section[f]
            if (referred[f] <= last[f]) print f ": no references after the code"
        }
    }' $headers || unchecked)"

rule "what is cited is among the references, and the reverse" "$(
awk "$each_header"'
    /^(\/\*| \*) REFERENCES/ && inside { list = 1 }
    list && /^ \*   \[[A-Z][A-Za-z]*[0-9][0-9][a-z]?\]/ {
        key = substr($2, 2, length($2) - 2); known[FILENAME, key] = FNR; next }
    {
        rest = $0
        while (match(rest, /\[[A-Z][A-Za-z]*[0-9][0-9][a-z]?(\]|,)/)) {
            key = substr(rest, RSTART + 1, RLENGTH - 2)
            rest = substr(rest, RSTART + RLENGTH)
            if (!((FILENAME, key) in cited)) cited[FILENAME, key] = FNR
        }
    }
    FNR == 1 { list = 0 }
    END {
        for (k in cited) { split(k, part, SUBSEP); if (!(k in known))
            print part[1] ":" cited[k] ": [" part[2] "] is not among the references" }
        for (k in known) { split(k, part, SUBSEP); if (!(k in cited))
            print part[1] ":" known[k] ": [" part[2] "] is cited nowhere" }
    }' $headers || unchecked)"

# ---- Contents and banners ----------------------------------------------------------

# In CONTENTS "sgdp_mva_exact, _approx" names two functions. Texts may be left out, and
# _bytes, which goes with the function whose work it measures.
rule "CONTENTS mirrors the sections, and names every function and no other" "$(
awk "$each_header"'
    function flush(f,    i) {
        if (f == "") return
        if (wanted != public)
            print f ": CONTENTS has the sections" wanted "; the banners are" public
        for (i in exists) if (!(i in named)) print f ":" exists[i] ": " i " is not in CONTENTS"
        for (i in named) if (!(i in exists)) print f ":" named[i] ": " i " does not exist"
        for (i in named) delete named[i]
        for (i in exists) delete exists[i]
        wanted = public = ""
    }
    FNR == 1 { flush(before); before = FILENAME; contents = 0; top = 1 }
    top && /^ \*\// { top = 0 }
    top && /^ \* [A-Z]/ { contents = $2 == "CONTENTS"; next }
    contents && NF > 1 {
        text = substr($0, 3)
        name = ""
        n = split(text, word, /[ \t]+/)
        for (i = 1; i <= n; i++) {
            sub(/,$/, "", word[i])
            if (word[i] ~ /^_[a-z0-9_]+$/) word[i] = stem word[i]
            if (word[i] ~ "^" prefix "[a-z0-9_]+$") {
                named[word[i]] = FNR
                stem = word[i]
                sub(/_[a-z0-9]*$/, "", stem)
                section_of[FILENAME, word[i]] = text ~ /^   [A-Z]/ ? name : section
            }
            else if (word[i] != "") name = name " " word[i]
        }
        if (name != "") { section = name; wanted = wanted "," name }
    }
    !inside && /^\/\* ---- / {
        name = $0
        sub(/^\/\* ---- /, " ", name)
        sub(/ -*( \*\/)?$/, "", name)
        public = public "," name
        current = name
    }
    !inside && match(code, "^SGD[A-Z]*_API .*[ *]" prefix "[a-z0-9_]+\\(") {
        name = substr(code, 1, RLENGTH - 1)
        sub(/^.*[ *]/, "", name)
        if (name !~ /_(bytes|text)$/ || name in named) exists[name] = FNR
        if ((FILENAME, name) in section_of && section_of[FILENAME, name] != current)
            say(name " stands under" current ", in CONTENTS under" section_of[FILENAME, name])
    }
    END { flush(before) }' $headers || unchecked)"

rule "banners are unique, and begin with their chapter" "$(
awk "$each_header"'
    function name_of(line) {
        sub(/^ *\/\* ---- /, "", line)
        sub(/ *-*( \*\/)?$/, "", line)
        return line
    }
    FNR == 1 { chapter = ""; banner = "" }
    !inside && /^\/\* ---- / { public[FILENAME] = public[FILENAME] tolower(name_of($0)) "|" }
    inside && /^ *\/\* ----/ {
        banner = name_of($0)
        if ($0 !~ /^\/\* ---- .* -----* \*\/$/ && banner != "Common block")
            say("a banner is a line /* ---- Chapter: part ---- */ at the margin")
        if ((FILENAME, banner) in seen) say("the banner \"" banner "\" occurs twice")
        seen[FILENAME, banner] = 1
        if (banner ~ /Common block$/) next
        old = chapter
        chapter = banner
        sub(/:.*$/, "", chapter)
        if (chapter == old) next
        if ((FILENAME, chapter, 0) in seen) say("chapter \"" chapter "\" goes on here")
        seen[FILENAME, chapter, 0] = 1
        if (chapter !~ /^Shared/ && index(public[FILENAME], tolower(chapter)) == 0)
            say("\"" chapter "\" is no chapter of the public part")
    }' $headers || unchecked)"

# In the contents of the implementation a chapter stands once, before its parts.
rule "every public struct is in the table of its header" "$(
awk "$each_header"'
    /^#define SGD[A-Z]*_STRUCT_TABLE/ { table = 1 }
    table { while (match($0, /X\([a-z_0-9]+\)/)) {
                named[substr($0, RSTART + 2, RLENGTH - 3)]
                $0 = substr($0, RSTART + RLENGTH) } }
    table && !/\\$/ { table = 0 }
    !inside && /^typedef struct [a-z_0-9]+ [{]/ { at[$3] = FILENAME ":" FNR }
    END { for (i in at) if (!(i in named)) print at[i] ": " i " is in no table" }' \
    $headers || unchecked)"

rule "the implementation opens with its contents" "$(
awk "$each_header"'
    # Equal to the banners, with a chapter once or before each of its parts?
    function words(text) {
        gsub(/\[[A-Za-z0-9 .,-]*\]/, "", text)
        gsub(/[^A-Za-z0-9().-]+/, " ", text)
        return tolower(text)
    }
    function flush() {
        if (file == "") return
        got = words(got)
        sub(/^.*common block/, "", got)
        match(got, words(first))
        if (RSTART) got = substr(got, RSTART)
        want = words(want)
        gsub(/^ +| +$/, "", got)
        gsub(/^ +| +$/, "", want)
        each = words(each)
        gsub(/^ +| +$/, "", each)
        if (got != want && got != each) {
            n = split(got, g, " ")
            m = split(want, w, " ")
            for (i = 1; i <= m && g[i] == w[i]; i++) { }
            print file ":" line ": the banners do not follow these contents from \"" g[i] " " \
                g[i + 1] " " g[i + 2] "\" on: \"" w[i] " " w[i + 1] " " w[i + 2] "\""
        }
    }
    FNR == 1 {
        flush()
        file = FILENAME
        got = want = each = first = chapter = ""
        on = 0
        line = 1
    }
    /^ \*   IMPLEMENTATION$/ { on = 1; line = FNR; next }
    on && /\*\/$/ { on = 0 }
    on { got = got " " substr($0, 3) }
    inside && /^\/\* ---- / && !/Common block/ {
        banner = $0
        sub(/^\/\* ---- /, "", banner)
        sub(/ *-* \*\/$/, "", banner)
        part = banner
        if (sub(/:.*$/, "", banner)) sub(/^[^:]*: */, "", part); else part = ""
        if (first == "") first = banner
        want = want " " (banner == chapter ? "" : banner) " " part
        each = each " " banner " " part
        chapter = banner
    }
    END { flush() }' $headers || unchecked)"

# ---- Names -------------------------------------------------------------------------

rule "public names begin with the prefix, private ones with the prefix and priv_" "$(
awk "$each_header"'
    function check(name, private, what) {
        if (name == "") return
        good = index(name, prefix) == 1 && !index(name, "priv_")
        if (private) good = index(name, prefix "priv_") == 1
        if (!good) say(what " " name)
    }
    # The last word of text before its first parenthesis.
    function before_parenthesis(text) {
        sub(/[ ]*\(.*$/, "", text)
        sub(/^.*[ *]/, "", text)
        return text
    }
    /^static [^=]*\(/ { check(before_parenthesis(code), 1, "function") }
    /^static [^(]*[=[;]/ {
        name = code
        sub(/ *(\[|=|;).*$/, "", name)
        sub(/^.*[ *]/, "", name)
        check(name, 1, "table")
    }
    /^SGD[A-Z]*_API / {
        if ($1 != upper "API") say("not " upper "API")
        check(before_parenthesis(code), 0, "function")
    }
    /^typedef / {
        name = code
        if (name ~ /\(\*/) { sub(/^.*\(\*/, "", name); sub(/\).*$/, "", name) }
        else if (name ~ /^typedef (struct|enum|union)/) { name = $3; sub(/[;{].*$/, "", name) }
        else { sub(/[ ]*(\(.*)?;.*$/, "", name); sub(/^.*[ *]/, "", name) }
        check(name, inside, "type")
    }
    /^#[ ]*define / {
        name = $2
        sub(/\(.*$/, "", name)
        if (index(name, own) != 1 && index(name, upper) != 1 && name != own "H")
            say("macro " name)
    }
    code ~ /^#[ ]*define/ || inside == 0 { next }
    /^typedef enum|^enum/ { constants = 1 }
    constants && match(code, /[A-Z][A-Z0-9_]+[ ]*(,|=|$| })/) {
        name = substr(code, RSTART, RLENGTH)
        sub(/[ ,=}]+$/, "", name)
        if (index(name, upper) != 1) say("constant " name)
    }
    code ~ /[}]/ { constants = 0 }' $headers || unchecked)"

# ---- Assertions --------------------------------------------------------------------

# A body opens at the margin, or behind its declaration.
rule "an assertion for two functions in each header, none of a status" "$(
awk "$each_header"'
    /^[{]/ || code ~ /^[A-Za-z].*[)] *[{]/ { functions[FILENAME]++ }
    code ~ /_ASSERT\(/ && code !~ /^#/ {
        count[FILENAME]++
        open = 1
        text = ""
        line = FNR
    }
    open {
        text = text " " code
        depth = gsub(/\(/, "(", text) - gsub(/\)/, ")", text)
        if (depth > 0) next
        open = 0
        sub(/^.*_ASSERT\(/, "", text)
        if (text ~ /status|_OK|_BAD_/) print FILENAME ":" line ": asserts a status"
        if (text ~ /\+\+|--|[^=<>!]=[^=]/) print FILENAME ":" line ": asserts with a side effect"
    }
    END {
        for (i = 1; i < ARGC; i++)
            if (2 * count[ARGV[i]] < functions[ARGV[i]] || functions[ARGV[i]] == 0)
                print ARGV[i] ": " count[ARGV[i]] + 0 " assertions for " \
                    functions[ARGV[i]] + 0 " functions"
    }' $headers || unchecked)"

# ---- Sizes -------------------------------------------------------------------------

# A body opens at the margin, or behind its declaration, and closes at the margin; the
# declaration begins after what is blank or ends a comment, a body or a statement.
rule "functions have at most 50 lines" "$(
awk '
    FNR == 1 { start = 0; open = 0 }
    !open && /^([{]|[A-Za-z].*[)] *[{]$)/ { open = start ? start : FNR; next }
    open && /^[}]/ {
        if (FNR - open + 1 > 50)
            print FILENAME ":" open ": a function of " FNR - open + 1 " lines"
        open = 0
    }
    !open && /^[A-Za-z]/ && !start { start = FNR }
    !open && (/^$/ || /[;}]$/ || /\*\/$/ || /^#/) { start = 0 }' \
    $headers $tools tests/*.[ch] || unchecked)"

rule "lines have at most 90 columns in headers, 100 elsewhere" "$(
{
    awk 'length > 90 { print FILENAME ":" FNR ": " length " columns" }' $headers &&
        awk 'length > 100 { print FILENAME ":" FNR ": " length " columns" }' $others \
            Makefile */rules.mk .ci/run tests/*.sh || unchecked
})"

rule "no character but printable ASCII, no blank at the end of a line" "$(
LC_ALL=C awk '
    /[^ -~]/ { print FILENAME ":" FNR ": not printable ASCII" }
    / $/ { print FILENAME ":" FNR ": a blank at the end" }' $headers $tools || unchecked)"

rule "no test leaves its output at the top" "$(ls -A | grep -xE '\.?(stdout|stderr|out|err)')"

# ---- Rooms -------------------------------------------------------------------------

# A file of a room may include what stands in its own room and in those named behind it.
rule "a room of tools/ knows only the rooms below it" "$(
grep -nE '^ *# *include *"' $tools | awk -F: '
    BEGIN {
        below["base"] = " "
        below["options"] = " base jobs "
        below["jobs"] = " base options "
        below["files"] = " base options jobs headers "
        below["import"] = " base files headers "
        below["model"] = " base options jobs files headers "
    }
    {
        room = $1
        sub(/^tools\//, "", room)
        if (!sub(/\/.*$/, "", room) || room == "cmd") next
        other = $3
        sub(/^[^"]*"/, "", other)
        if (!sub(/\/.*$/, "", other)) other = other ~ /^sgdperf/ ? "headers" : room
        if (other != room && index(below[room], " " other " ") == 0)
            print $1 ":" $2 ": tools/" room " knows " other
    }' || unchecked)"

# What a file needs: headers that it includes and functions of others that it names. A .c and
# the .h of its name are one; so are all that are left when, again and again, what needs
# nothing that is left and what nothing that is left needs is taken away.
rule "no circle of includes or calls in tools/" "$(
awk '
    function node_of(path) { sub(/^tools\//, "", path); sub(/\.[ch]$/, "", path); return path }
    FNR == 1 { node = node_of(FILENAME); pass = seen[FILENAME]++; comment = 0; all[node] }
    {
        code = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
        if (comment && sub(/^.*\*\//, "", code)) comment = 0
        if (comment) next
        if (sub(/\/\*.*$/, "", code)) comment = 1
    }
    pass == 0 && /^#include "[a-z_\/]*\.h"/ {
        other = node_of(substr($2, 2, length($2) - 2))
        if (other !~ /^sgdperf/ && other != node) needs[node, other] = "its header"
    }
    pass == 0 && FILENAME ~ /c$/ && match(code, /^[A-Za-z][A-Za-z0-9_ *]*[ *][a-z][a-z0-9_]*\(/) {
        name = substr(code, 1, RLENGTH - 1)
        own = name ~ /^(TOOL_NORETURN )?static /
        sub(/^.*[ *]/, "", name)
        if (own) hidden[FILENAME, name]
        else home[name] = node
    }
    pass == 1 && FILENAME ~ /c$/ {
        gsub(/(\.|->)[ ]*[a-z][A-Za-z0-9_]*/, "", code)
        while (match(code, /[a-zA-Z_][A-Za-z0-9_]*/)) {
            name = substr(code, RSTART, RLENGTH)
            code = substr(code, RSTART + RLENGTH)
            if (name in home && home[name] != node && !((FILENAME, name) in hidden))
                needs[node, home[name]] = name
        }
    }
    END {
        do {
            taken = 0
            for (n in all) { out[n] = 0; into[n] = 0 }
            for (e in needs) {
                split(e, end, SUBSEP)
                if (!(end[1] in all) || !(end[2] in all)) delete needs[e]
                else { out[end[1]]++; into[end[2]]++ }
            }
            for (n in out) if (n in all && (out[n] == 0 || into[n] == 0)) { delete all[n]; taken++ }
        } while (taken > 0)
        for (e in needs) {
            split(e, end, SUBSEP)
            if (end[1] in all && end[2] in all)
                print "tools/" end[1] " needs tools/" end[2] ": " needs[e]
        }
    }' $tools $tools || unchecked)"

# ---- One of each -------------------------------------------------------------------

# A comment may name one; a message says more than the name.
rule "the name of an option stands in the table alone, elsewhere its id" "$(
awk '
    FILENAME ~ /[.]def$/ {
        if (match($0, /"--[a-z0-9-]+"/)) known[substr($0, RSTART, RLENGTH)] = 1
        next
    }
    /^ [*]|^ *\/[*]/ || FILENAME ~ /^tools\/options\// { next }
    {
        for (line = $0; match(line, /"--[a-z0-9-]+"/); line = substr(line, RSTART + RLENGTH))
            if (substr(line, RSTART, RLENGTH) in known)
                print FILENAME ":" FNR ": " substr(line, RSTART, RLENGTH)
    }
    END { if (!("\"--bandwidth\"" in known)) print "no table" }' \
    tools/options/options.def $tools || unchecked)"

# Comments do not count, nor what --help says: the table of what a command takes.
rule "an option's name stands in options.def and two more files: NAME_OF says it elsewhere" "$(
awk '
    FNR == 1 { comment = table = 0 }
    FILENAME ~ /options[.]def$/ {
        split($0, part, "\"")
        if (part[2] ~ /^--[a-z]/) known[part[2]]
        next
    }
    /^static const option_use / { table = 1 }
    table { if (/};$/) table = 0; next }
    {
        code = $0
        if (comment && sub(/^.*\*\//, "", code)) comment = 0
        if (comment) next
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
        if (sub(/\/\*.*$/, "", code)) comment = 1
        for (; match(code, /--[a-z][a-z0-9-]*/); code = substr(code, RSTART + RLENGTH)) {
            name = substr(code, RSTART, RLENGTH)
            sub(/-+$/, "", name)
            if (name in known && !((name, FILENAME) in seen)) {
                seen[name, FILENAME]
                files[name]++
                list[name] = list[name] " " FILENAME
            }
        }
    }
    END {
        for (name in known) options++
        for (name in files) if (files[name] > 2) print name ":" list[name]
        if (options == 0) print "no options"
    }' tools/options/options.def $(find tools -type f ! -name options.def | sort) || unchecked)"

rule "each key of a note is in base/notes.def, and each of these is used" "$(
awk '
    /^NOTE[(]/ { split($0, part, "\""); ranked[part[2]] = FILENAME ":" FNR; next }
    {
        for (line = $0; match(line, /tool_note[(]"[a-z-]+"/);
             line = substr(line, RSTART + RLENGTH)) {
            split(substr(line, RSTART, RLENGTH), part, "\"")
            used[part[2]] = 1
            if (!(part[2] in ranked)) print FILENAME ":" FNR ": " part[2] " has no rank"
        }
    }
    END {
        for (key in ranked) if (!(key in used)) print ranked[key] ": " key " is used nowhere"
        if (!("found" in used)) print "no notes"
    }' tools/base/notes.def $tools || unchecked)"

# Bodies of four lines and more that are equal up to the prefix.
rule "no function of the headers occurs twice" "$(
awk "$each_header"'
    function flush(    key) {
        key = body
        if (lines > 5 && body !~ /TABLE\(X\)/) {     # the words of a table
            if (key in at) print at[key] " and " FILENAME ":" open ": the same function"
            else at[key] = FILENAME ":" open
        }
        open = 0
    }
    common { next }
    /^[{]/ { open = FNR; body = ""; lines = 0 }
    open {
        text = code
        gsub(prefix, "", text)
        gsub(upper, "", text)
        gsub(/[ \t]+/, "", text)
        if (text != "") lines++
        body = body text
    }
    open && /^[}]/ { flush() }' $headers || unchecked)"

rule "tests run, and their names say what holds" "$(
awk '
    FNR == 1 { for (name in made) if (!(name in ran)) print made[name] ": " name " never runs"
               for (name in made) delete made[name]
               for (name in ran) delete ran[name] }
    match($0, /^TEST(_FULL)?\([a-z0-9_A-Z]+\)/) {
        name = substr($0, 1, RLENGTH - 1)
        sub(/.*\(/, "", name)
        made[name] = FILENAME ":" FNR
        if (name ~ /^(statistics|extremes|bad_[a-z]*|basics?|edge_cases|errors?|limits)$/ ||
            name ~ /^(misc|options|results?|simple|status(es)?|texts?|values?|works)$/)
            print FILENAME ":" FNR ": the name " name " does not say what holds"
    }
    /test_all\(|^TEST_MAIN\(/ { for (name in made) ran[name] = 1 }
    match($0, /RUN(_FULL)?\([a-z0-9_A-Z]+\)/) {
        run = substr($0, RSTART, RLENGTH - 1)
        sub(/.*\(/, "", run)
        ran[run] = 1
    }
    END { for (name in made) if (!(name in ran)) print made[name] ": " name " never runs" }' \
    tests/test_*.c || unchecked)"

# ---- Fuzz targets ------------------------------------------------------------------

rule "a fuzz target calls every public function" "$(
if command -v python3 > /dev/null; then
    python3 tests/reached.py 2>&1 | sed '/^reached: [1-9][0-9]* passed, 0 failed$/d'
else
    echo 'skipped: no python3' >&2
fi)"

# ---- Mutants -----------------------------------------------------------------------

rule "what is listed of a mutant is of its function as it is" "$(
if command -v python3 > /dev/null; then
    python3 tests/mutate.py --stale tests/equivalent_mutants.csv 2>&1 |
        sed '/^hashes: [1-9][0-9]* passed, 0 failed$/d'
fi)"

echo "house: $passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/sh
# Makes the completion of a shell from what the program says of itself, on standard output:
#     sh tools/completion.sh build/sgdperf bash|zsh|fish
# Commands come with what --help says of them in a line, options with the first line of their
# meaning. Of a value, words are offered where --help tells them, files where it calls the value
# FILE, OUT or NAME.csv, and nothing where it does neither, as of numbers; behind the comma of a
# list the words that are not in it yet. tests/cli/help.sh has one of each form.
set -eu
program=$1
shell=$2
case $shell in bash | zsh | fish) ;; *) echo "completion.sh: no shell '$shell'" >&2; exit 2 ;; esac
{
    echo '@@ summary'
    "$program" --help
    echo '@@ options'
    "$program" --options
    "$program" --options | awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' |
    while read -r command; do
        echo "@@ help $command"
        "$program" $command --help
    done
} | awk -v shell="$shell" -v quote="'" '
# ---- Reading: summary[command], files[command]; of an option, [command, option], kind,
# meaning, and of its value choices, file, list
/^@@ / { section = $2; current = $0; sub(/^@@ help /, "", current); over = in_text = 0; next }
section == "summary" && /^  [a-z-]+ +[^ ]/ {
    line = $0
    sub(/^  [a-z-]+ +/, "", line)
    summary[$1] = line
}
section == "options" && /,--/ {
    split($0, field, ",")
    if (!(field[1] in count)) command[++commands] = field[1]
    option[field[1], ++count[field[1]]] = field[2]
    kind[field[1], field[2]] = field[3]
}
section != "help" || over { next }
!/^   / { told() }
/^Example/ { over = 1; next }
/^$/ { in_text = 1 }
!in_text { usage($0) }
in_text { first_argument() }
/^  --/ { head(); next }
name != "" { more() }

# A usage line, as "[--name a|b|c]" or "--out P.svg". What ends as a file does is one, of the
# command itself if no option stands before it.
function usage(line,    n, word, i, before) {
    gsub(/[][]/, " ", line)
    n = split(line, word, /[ =]+/)
    for (i = 1; i <= n; i++) {
        if (word[i] ~ /^[A-Z0-9]+\.[a-z]+|^FILE|^JOURNAL/)
            if (before == "") files[current] = 1
            else file[current, before] = 1
        else if (before != "" && word[i] ~ /^[a-z0-9-]+(\|[a-z0-9-]+)+$/)
            put(before, word[i], "|")
        before = word[i] ~ /^--/ && kind[current, word[i]] != "flag" ? word[i] : ""
    }
}
# Lines "  word   meaning" below "FORMAT is told" are first arguments beside a file.
function first_argument() {
    if (/FORMAT is told/) { formats = 1; put("", "auto", " ") }
    else if (/^$/) formats = 0
    else if (formats && /^  [a-z]+  /) put("", $1, " ")
}
# "  --name VALUE   meaning", also "  --name, --other VALUE   meaning".
function head(    line, n, word, i) {
    line = substr($0, 3)
    text = ""
    listed = 0
    if (match(line, /  +[^ ]/)) {
        text = substr(line, RSTART + RLENGTH - 1)
        line = substr(line, 1, RSTART - 1)
    }
    n = split(line, word, /[ =]+/)
    value = word[n]
    for (i = 1; i <= n; i++) {
        sub(/,$/, "", word[i])
        if (word[i] ~ /^--/) { name = word[i]; meaning[current, name] = text }
        else if (word[i] ~ /^[a-z0-9-]+(\|[a-z0-9-]+)+$/) put(name, word[i], "|")
    }
}
# What stands below: choices, one a line, where the text ends in a colon; else it goes on.
function more(    indent, line) {
    match($0, /^ +/)
    indent = RLENGTH
    line = substr($0, indent + 1)
    if (!listed && text ~ /:$/ && line ~ /^[a-z0-9-]+(, [a-z0-9-]+)*(:|  )/) listed = indent
    if (!listed) text = text " " line
    else if (indent == listed && match(line, /^[a-z0-9-]+(, [a-z0-9-]+)*/))
        put(name, substr(line, 1, RLENGTH), ", ")
}

# ---- Which words the text of an option tells
# These words may stand behind option `o`, "" being no option.
function put(o, words, parted,    n, word, i) {
    n = split(words, word, parted == "|" ? "[|]" : parted)
    for (i = 1; i <= n; i++)
        if (index(" " choices[current, o] " ", " " word[i] " ") == 0)
            choices[current, o] = choices[current, o] (choices[current, o] ? " " : "") word[i]
}
# An option has been read.
function told(    plain) {
    if (name == "" || kind[current, name] == "flag") { name = ""; return }
    plain = text
    while (sub(/ *\([^()]*\)/, "", plain) || sub(/ *\[[^][]*\]/, "", plain)) continue
    if (value ~ /FILE|OUT|\.[a-z]+$/ || plain ~ /or a FILE/) file[current, name] = 1
    if (value ~ /,\.\.\.$/ || text ~ /^one, or several/) list[current, name] = 1
    if (match(plain, /^instead of --[a-z-]+/))
        alike[current, name] = current SUBSEP substr(plain, 12, RLENGTH - 11)
    else if (match(plain, /as in [a-z]+/))
        alike[current, name] = substr(plain, RSTART + 6, RLENGTH - 6) SUBSEP name
    else if (value ~ /^A:F/) pairs(text)
    else if (listed || choices[current, name] != "") listed = 0
    else if (!by_mode(plain) && !meanings(plain) && !in_row(plain) && sub(/^[^:]*: /, "", plain))
        if (!meanings(plain)) in_row(plain)
    if (text ~ /[,;] or auto[,;]/) put(name, "auto", " ")
    if (value ~ /^FILE/) instead_of_file(plain)
    name = ""
}
# "rows a,b; or word or word:F, of that name": of a form with a number what stands before it.
function instead_of_file(plain,    n, word, i) {
    if (!match(plain, /; or [a-z]+(:[A-Z])?( or [a-z]+(:[A-Z])?)*,/)) return
    n = split(substr(plain, RSTART + 5, RLENGTH - 6), word, " or ")
    for (i = 1; i <= n; i++) {
        sub(/:[A-Z]$/, ":", word[i])
        put(name, word[i], " ")
    }
}
# "by this algorithm (ring, tree) in this form (flat, split)": ring:flat and so on.
function pairs(rest,    n, m, first, second, i, k) {
    match(rest, /\([^()]*\)/)
    n = split(substr(rest, RSTART + 1, RLENGTH - 2), first, ", ")
    rest = substr(rest, RSTART + RLENGTH)
    match(rest, /\([^()]*\)/)
    m = split(substr(rest, RSTART + 1, RLENGTH - 2), second, /[,;] /)
    for (i = 1; i <= n; i++)
        for (k = 1; k <= m; k++) {
            sub(/ .*/, "", second[k])
            put(name, first[i] ":" second[k], " ")
        }
}
# "async: exact fcfs; sync: ps fcfs": the words of each mode.
function by_mode(plain,    n, part, i) {
    if (value != "NAME" || plain !~ /^async: /) return 0
    n = split(plain, part, /; +/)
    for (i = 1; i <= n; i++)
        if (part[i] ~ /^[a-z]+: [a-z]+( [a-z]+)*$/)
            put(name, substr(part[i], index(part[i], " ") + 1), " ")
    return 1
}
# "word: meaning; word, word: meaning; or word: meaning"
function meanings(plain,    n, part, i, known, found) {
    n = split(plain, part, /; +/)
    for (i = found = 0; i < n; i++) {
        sub(/^or /, "", part[i + 1])
        if (match(part[i + 1], /^[a-z][a-z0-9-]*(, [a-z0-9-]+)*: /))
            known = known (found++ ? ", " : "") substr(part[i + 1], 1, RLENGTH - 2)
        else if (i == 0) return 0
    }
    if (found > 1) put(name, known, ", ")
    return found > 1
}
# "word, word or word", or "word, word or any of them", up to a sign or to a comma before
# something else.
function in_row(plain,    n, known, last, ended) {
    n = 0
    ended = sub(/ or any of them/, "", plain)
    while (match(plain, /^[a-z][a-z0-9-]*/)) {
        last = substr(plain, 1, RLENGTH)
        plain = substr(plain, RLENGTH + 1)
        if (plain !~ /^$|^[:;.,]|^ or /) break
        known = known (n++ ? " " : "") last
        if (!match(plain, /^,? or |^, /)) break
        if (substr(plain, 1, RLENGTH) ~ /or/) ended = n
        plain = substr(plain, RLENGTH + 1)
    }
    if (n < 2 || !ended || ended == n) return 0
    put(name, known, " ")
    return 1
}

# ---- Writing
function quoted(text) { gsub(quote, quote "\\" quote quote, text); return quote text quote }
# What may stand behind option o of command c: "words", "files", "both", "list", "none", or
# nothing of a flag.
function taken(c, o) {
    if (kind[c, o] == "flag") return ""
    if (choices[c, o] == "") return (c, o) in file ? "files" : "none"
    return (c, o) in list ? "list" : (c, o) in file ? "both" : "words"
}
function options(c, i, all) {
    all = ""
    for (i = 1; i <= count[c]; i++) all = all (all ? " " : "") option[c, i]
    return all
}
# The words behind a first one: "balance" has cpu, gpu, ...
function inner(c, i, n, word, all) {
    all = ""
    for (i = 1; i <= commands; i++) {
        n = split(command[i], word, " ")
        if (n == 2 && word[1] == c) all = all (all ? " " : "") word[2]
    }
    return all
}
function first_words(    i, all) {
    all = ""
    for (i = 1; i <= commands; i++)
        if (command[i] !~ / /) all = all (all ? " " : "") command[i]
    return all
}

# The lines of a case of bash: those options whose values are alike stand together.
function bash_values(    i, k, n, c, o, does, order, which) {
    for (i = 1; i <= commands; i++)
        for (k = 1; k <= count[command[i]]; k++) {
            c = command[i]
            o = option[c, k]
            if (taken(c, o) == "") continue
            does = "takes=" taken(c, o) " values=" quoted(choices[c, o])
            if (!(does in which)) order[++n] = does
            which[does] = which[does] (which[does] ? " | \\\n            " : "") quoted(c o)
        }
    for (i = 1; i <= n; i++) print "        " which[order[i]] ") " order[i] " ;;"
}
function bash(    i, c) {
    print "# bash completion of sgdperf; made from --help"
    print "_sgdperf() {"
    print "    local at=$COMP_CWORD last=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-}"
    print "    local word=$last before value start= each inner= first="
    print "    local options= files= takes= values="
    print "    COMPREPLY=()"
    print "    # readline parts words at = and :, and replaces what is behind the last of these."
    print "    while ((at > 1)) &&"
    print "        [[ ${COMP_WORDS[at]} == [=:] || ${COMP_WORDS[at - 1]} == [=:] ]]; do"
    print "        ((at--))"
    print "        word=${COMP_WORDS[at]}$word"
    print "    done"
    print "    [[ $last == [=:] ]] && last="
    print "    before=${COMP_WORDS[at - 1]} value=$word"
    print "    [[ $word == --*=* ]] && before=${word%%=*} value=${word#*=} start=${word%%=*}="
    print "    if [[ at -eq 1 || at -eq 2 && $command == help ]]; then"
    print "        COMPREPLY=($(compgen -W \\"
    print "            " quoted(first_words() " help --help --version --options") " -- \"$word\"))"
    print "        return"
    print "    fi"
    print "    case $command in"
    for (i = 1; i <= commands; i++) {
        c = command[i]
        if (c !~ / / && inner(c) != "") print "        " c ") inner=" quoted(inner(c)) " ;;"
        if (choices[c, ""] != "") print "        " c ") first=" quoted(choices[c, ""]) " ;;"
    }
    print "    esac"
    print "    [[ -n $inner && at -gt 2 && \" $inner \" == *\" ${COMP_WORDS[2]-} \"* ]] &&"
    print "        command+=\" ${COMP_WORDS[2]}\""
    print "    case $command in"
    for (i = 1; i <= commands; i++)
        print "        " quoted(command[i]) ") options=" quoted(options(command[i])) \
            (files[command[i]] ? " files=1" : "") " ;;"
    print "    esac"
    print "    case $command$before in"
    bash_values()
    print "    esac"
    print "    if [[ -z $takes && $word == -* ]]; then"
    print "        values=$options"
    print "    elif [[ -z $takes ]]; then"
    print "        [[ -n $files ]] && takes=both"
    print "        [[ at -eq 2 ]] && values=\"$inner $first\""
    print "    fi"
    print "    if [[ $takes == list ]]; then"
    print "        each=,$value"
    print "        each=${each%,*},"
    print "        start+=${value%\"${value##*,}\"} value=${value##*,}"
    print "        compopt -o nospace 2> /dev/null"
    print "    fi"
    print "    [[ $takes == words || $takes == list ]] && compopt +o filenames 2> /dev/null"
    print "    inner=$each"
    print "    while IFS= read -r each; do"
    print "        [[ -n $each && $inner != *\",$each,\"* ]] || continue"
    print "        [[ $each == *: && $each == \"$value\" ]] && continue"
    print "        [[ $each == *: ]] && compopt -o nospace 2> /dev/null"
    print "        each=$start$each"
    print "        COMPREPLY+=(\"${each#\"${word%\"$last\"}\"}\")"
    print "    done < <([[ $values == *[![:blank:]]* ]] && compgen -W \"$values\" -- \"$value\""
    print "             [[ $takes == files || $takes == both ]] && compgen -f -- \"$value\")"
    print "}"
    print "complete -o filenames -o bashdefault -F _sgdperf sgdperf"
}

# What _arguments and _describe take: colons and brackets mean something there.
function plain(text)
{
    gsub(/\\/, "\\\\", text)
    gsub(/:/, "\\:", text)
    gsub(/\[/, "\\[", text)
    gsub(/\]/, "\\]", text)
    return text
}

# Of command c, the action behind its option o, "" being its first argument. A blank before
# it: as it stands, without options of compadd.
function action(takes, words) {
    gsub(/:/, "\\:", words)
    return takes == "none" ? " " : takes == "files" ? "_files" : " _sgdperf_" takes " " words
}
function zsh_values() {
    print "_sgdperf_words() { compadd -- \"$@\" }"
    print "_sgdperf_both() {"
    print "    compadd -- \"${(@)@:#*:}\""
    print "    compadd -S \"\" -- \"${(@M)@:#*:}\""
    print "    _files"
    print "}"
    print "_sgdperf_list() {"
    print "    local -a there"
    print "    compset -P \"*,\" && there=(${(s:,:)IPREFIX##*=})"
    print "    compadd -q -S , -F there -- \"$@\""
    print "}"
}
function zsh(    i, k, c, o, spec) {
    print "#compdef sgdperf"
    print "# zsh completion of sgdperf; made from --help"
    zsh_values()
    print "_sgdperf() {"
    print "    local command=$words[2]"
    print "    local -a commands"
    print "    commands=("
    for (i = 1; i <= commands; i++)
        if (command[i] !~ / /) print "        " quoted(command[i] ":" plain(summary[command[i]]))
    print "        " quoted("help:options, units, defaults and an example of a command")
    print "    )"
    print "    if (( CURRENT == 2 )) || [[ $command == help && CURRENT -eq 3 ]]; then"
    print "        _describe command commands"
    print "        return"
    print "    fi"
    print "    local files=1; local -a inners"
    print "    case $command in"
    for (i = 1; i <= commands; i++)
        if (command[i] !~ / / && inner(command[i]) != "")
            print "        " command[i] ") inners=(" inner(command[i]) ") files=" \
                (files[command[i]] ? 1 : 0) " ;;"
    print "    esac"
    print "    if (( $#inners && CURRENT == 3 )) && [[ $words[3] != -* ]]; then"
    print "        _describe command inners"
    print "        (( files )) || return"
    print "    fi"
    print "    if (( CURRENT > 3 && $#inners )) && (( $inners[(Ie)$words[3]] )); then"
    print "        command+=\" $words[3]\""
    print "        shift words; (( CURRENT-- ))"
    print "    fi"
    print "    shift words; (( CURRENT-- ))"
    print "    case $command in"
    for (i = 1; i <= commands; i++) {
        c = command[i]
        print "        (" quoted(c) ")"
        printf "            _arguments"
        for (k = 1; k <= count[c]; k++) {
            o = option[c, k]
            spec = (kind[c, o] == "repeated" ? "*" : "") o
            if (taken(c, o) != "") spec = spec "="
            spec = spec "[" plain(meaning[c, o]) "]"
            if (taken(c, o) != "") spec = spec ":value:" action(taken(c, o), choices[c, o])
            printf " \\\n                %s", quoted(spec)
        }
        if (choices[c, ""] != "")
            printf " \\\n                %s", quoted("1:file:" action("both", choices[c, ""]))
        if (files[c]) printf " \\\n                %s", quoted("*:file:_files")
        print " ;;"
    }
    print "    esac"
    print "}"
    print "compdef _sgdperf sgdperf 2> /dev/null"
    print "[[ $funcstack[1] == _sgdperf ]] && _sgdperf \"$@\""
}

# A line of fish: where the condition holds, the rest.
function complete(condition, rest) { print "complete -c sgdperf -n " quoted(condition) rest }
# Of fish: what stands behind an option, or as an argument.
function fish_value(takes, words) {
    if (takes == "") return ""
    if (takes == "files") return " -r -F"
    if (takes == "none") return " -x"
    if (takes == "list") words = "(__sgdperf_list " words ")"
    return (takes == "both" ? " -r -F -a " : " -x -a ") quoted(words)
}
function fish_list() {
    print "function __sgdperf_list"
    print "    set -l token (commandline -ct | string replace -r -- " quoted("^--[a-z0-9-]+=") " \"\")"
    print "    set -l start (string replace -r " quoted("[^,]*$") " \"\" -- $token)"
    print "    for word in $argv"
    print "        contains -- $word (string split , -- $start); or echo $start$word"
    print "    end"
    print "end"
}
function fish(    i, k, n, c, o, word, when, first) {
    first = "__fish_use_subcommand"
    print "# fish completion of sgdperf; made from --help"
    fish_list()
    complete(first, " -f -l help -d commands")
    complete(first, " -f -l version")
    complete(first, " -f -l options -d " quoted("every option, as CSV"))
    for (i = 1; i <= commands; i++) {
        n = split(command[i], word, " ")
        when = "__fish_seen_subcommand_from " word[1]
        if (n == 1) {
            complete(first, " -f -a " word[1] " -d " quoted(summary[command[i]]))
            complete("__fish_seen_subcommand_from help", " -f -a " word[1])
            c = inner(word[1])
            if (c != "") {
                when = when "; and not __fish_seen_subcommand_from " c
                complete(when, " -a " quoted(c))
            }
        } else when = when "; and __fish_seen_subcommand_from " word[2]
        if (!files[command[i]]) complete(when, " -f")
        if (choices[command[i], ""] != "")
            complete(when "; and __fish_is_nth_token 2", " -a " quoted(choices[command[i], ""]))
        for (k = 1; k <= count[command[i]]; k++) {
            c = command[i]
            o = option[c, k]
            complete(when, " -l " substr(o, 3) fish_value(taken(c, o), choices[c, o]) \
                " -d " quoted(meaning[c, o]))
        }
    }
    complete(first, " -f -a help -d " quoted("of a command"))
}

END {
    for (key in alike) choices[key] = choices[alike[key]]
    if (commands < 10) { print "no commands" > "/dev/stderr"; exit 1 }
    if (shell == "bash") bash()
    else if (shell == "zsh") zsh()
    else fish()
}'

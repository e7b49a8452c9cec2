#!/bin/sh
# Makes the completion of a shell from the table of options, on standard output:
#     sh tools/completion.sh build/sgdperf bash|zsh|fish
# Of a value, words are offered, or files, or nothing, as the table says; behind the comma of a
# list the words that are not in it yet. tests/cli/help.sh has one of each form.
set -eu
program=$1
shell=$2
case $shell in bash | zsh | fish) ;; *) echo "completion.sh: no shell '$shell'" >&2; exit 2 ;; esac
"$program" --options all | awk -F'\t' -v shell="$shell" -v quote="'" '
# The words of a text that stand before a column of a shell, in its first line.
function beginning(text) {
    sub(/\\n.*/, "", text)
    if (length(text) > 64) { text = substr(text, 1, 65); sub(/ [^ ]*$/, "", text) }
    return text
}
function add(name, what, again, words, help) {
    if ((current, name) in takes) return
    option[current, ++count[current]] = name
    takes[current, name] = what
    repeated[current, name] = again
    choices[current, name] = words
    meaning[current, name] = beginning(help)
}
$1 == "command" {
    if (current != "") add("--help", "", 0, "", "usage, units, defaults and an example")
    command[++commands] = current = $2
    files[current] = $3 + 0
    choices[current, ""] = $4
    summary[current] = $5
}
$1 == "option" { add($2, $4, $5 + 0, $6, $7) }

# ---- Writing
function quoted(text) { gsub(quote, quote "\\" quote quote, text); return quote text quote }
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
            if (takes[c, o] == "") continue
            does = "takes=" takes[c, o] " values=" quoted(choices[c, o])
            if (!(does in which)) order[++n] = does
            which[does] = which[does] (which[does] ? " | \\\n            " : "") quoted(c o)
        }
    for (i = 1; i <= n; i++) print "        " which[order[i]] ") " order[i] " ;;"
}
function bash(    i, c) {
    print "# bash completion of sgdperf; made from its table of options"
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
function action(what, words) {
    gsub(/:/, "\\:", words)
    return what == "none" ? " " : what == "files" ? "_files" : " _sgdperf_" what " " words
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
    print "# zsh completion of sgdperf; made from its table of options"
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
            spec = (repeated[c, o] ? "*" : "") o
            if (takes[c, o] != "") spec = spec "="
            spec = spec "[" plain(meaning[c, o]) "]"
            if (takes[c, o] != "") spec = spec ":value:" action(takes[c, o], choices[c, o])
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
function fish_value(what, words) {
    if (what == "") return ""
    if (what == "files") return " -r -F"
    if (what == "none") return " -x"
    if (what == "list") words = "(__sgdperf_list " words ")"
    return (what == "both" ? " -r -F -a " : " -x -a ") quoted(words)
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
    print "# fish completion of sgdperf; made from its table of options"
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
            complete(when, " -l " substr(o, 3) fish_value(takes[c, o], choices[c, o]) \
                " -d " quoted(meaning[c, o]))
        }
    }
    complete(first, " -f -a help -d " quoted("of a command"))
}

END {
    add("--help", "", 0, "", "usage, units, defaults and an example")
    if (commands < 10) { print "no commands" > "/dev/stderr"; exit 1 }
    if (shell == "bash") bash()
    else if (shell == "zsh") zsh()
    else fish()
}'

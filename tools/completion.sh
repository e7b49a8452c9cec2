#!/bin/sh
# Makes the completion of a shell from what the program says of itself, on standard output:
#     sh tools/completion.sh build/sgdperf bash|zsh|fish
# Commands come with what --help says of them in a line, options with the first line of their
# meaning. Values are completed where --help lists them, as "--order skip|hol" or one a line
# below the option, and --format in every command; else by names of files.
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
# ---- Reading: summary[command], kind[command, option], meaning[...], choices[...]
/^@@ / { section = $2; current = $0; sub(/^@@ help /, "", current); over = over_usage = 0; next }
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
section == "help" && /^$/ { over_usage = 1 }
section == "help" && !over_usage { usage() }
section == "help" && /^Example/ { over = 1 }
section == "help" && !over && /^  --/ { head() }
section == "help" && !over && name != "" && /^      [a-z]/ { choice() }
section == "help" && !/^  / { name = "" }

# "[--name a|b|c]" in a usage line, where the option itself does not say.
function usage(    n, word, i) {
    n = split($0, word, /[][ =]+/)
    for (i = 1; i < n; i++)
        if (word[i] ~ /^--/ && word[i + 1] ~ /^[a-z0-9-]+(\|[a-z0-9-]+)+$/) {
            in_usage[current, word[i]] = word[i + 1]
            gsub(/\|/, " ", in_usage[current, word[i]])
        }
}
# "  --name VALUE   meaning", also "  --name, --other VALUE   meaning".
function head(    line, text, n, word, i) {
    line = substr($0, 3)
    text = ""
    if (match(line, /  +[^ ]/)) {
        text = substr(line, RSTART + RLENGTH - 1)
        line = substr(line, 1, RSTART - 1)
    }
    n = split(line, word, /[ ,=]+/)
    for (i = 1; i <= n; i++)
        if (word[i] ~ /^--/) { name = word[i]; meaning[current, name] = text }
        else if (word[i] ~ /^[a-z0-9-]+(\|[a-z0-9-]+)+$/) {
            choices[current, name] = word[i]
            gsub(/\|/, " ", choices[current, name])
        }
    if (name == "--format" && choices[current, name] == "")
        choices[current, name] = "table csv json"
    if (text !~ /:$/) name = ""
}
# A line of its own below an option whose text ends in a colon.
function choice(    word) {
    match($0, /^ +/)
    if (RLENGTH != 6) return
    word = $1
    if (word ~ /^[a-z0-9-]+$/)
        choices[current, name] = choices[current, name] (choices[current, name] ? " " : "") word
}

# ---- Writing
function quoted(text) { gsub(quote, quote "\\" quote quote, text); return quote text quote }
# Those of command c, of kind "flag" or not.
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

function bash(    i, k, c) {
    print "# bash completion of sgdperf; made from --help"
    print "_sgdperf() {"
    print "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}"
    print "    local command=${COMP_WORDS[1]-} inner= options= values="
    print "    # readline parts --name=value at the sign."
    print "    [[ $word == = ]] && word="
    print "    [[ $before == = && COMP_CWORD -gt 1 ]] && before=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    COMPREPLY=()"
    print "    if [[ COMP_CWORD -eq 1 || COMP_CWORD -eq 2 && $command == help ]]; then"
    print "        COMPREPLY=($(compgen -W \\"
    print "            " quoted(first_words() " help --help --version --options") " -- \"$word\"))"
    print "        return"
    print "    fi"
    print "    case $command in"
    for (i = 1; i <= commands; i++)
        if (command[i] !~ / / && inner(command[i]) != "")
            print "        " command[i] ") inner=" quoted(inner(command[i])) " ;;"
    print "    esac"
    print "    if [[ -n $inner && COMP_CWORD -eq 2 && $word != -* ]]; then"
    print "        COMPREPLY=($(compgen -W \"$inner\" -- \"$word\") $(compgen -f -- \"$word\"))"
    print "        return"
    print "    fi"
    print "    [[ -n $inner && \" $inner \" == *\" ${COMP_WORDS[2]-} \"* ]] &&"
    print "        command+=\" ${COMP_WORDS[2]}\""
    print "    case $command in"
    for (i = 1; i <= commands; i++)
        print "        " quoted(command[i]) ") options=" quoted(options(command[i])) " ;;"
    print "    esac"
    print "    case $command$before in"
    for (i = 1; i <= commands; i++)
        for (k = 1; k <= count[command[i]]; k++) {
            c = choices[command[i], option[command[i], k]]
            if (c != "")
                print "        " quoted(command[i] option[command[i], k]) ") values=" \
                    quoted(c) " ;;"
        }
    print "    esac"
    print "    if [[ -n $values ]]; then"
    print "        COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))"
    print "    elif [[ $word == -* ]]; then"
    print "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))"
    print "    else"
    print "        COMPREPLY=($(compgen -f -- \"$word\"))"
    print "    fi"
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

function zsh(    i, k, c, o, spec) {
    print "#compdef sgdperf"
    print "# zsh completion of sgdperf; made from --help"
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
    print "    local inner=; local -a inners"
    print "    case $command in"
    for (i = 1; i <= commands; i++)
        if (command[i] !~ / / && inner(command[i]) != "")
            print "        " command[i] ") inners=(" inner(command[i]) ") ;;"
    print "    esac"
    print "    if (( $#inners && CURRENT == 3 )) && [[ $words[3] != -* ]]; then"
    print "        _describe command inners"
    print "    fi"
    print "    if (( $#inners )) && (( $inners[(Ie)$words[3]] )); then"
    print "        command+=\" $words[3]\""
    print "        shift words; (( CURRENT-- ))"
    print "    fi"
    print "    shift words; (( CURRENT-- ))"
    print "    case $command in"
    for (i = 1; i <= commands; i++) {
        print "        (" quoted(command[i]) ")"
        printf "            _arguments"
        for (k = 1; k <= count[command[i]]; k++) {
            o = option[command[i], k]
            c = choices[command[i], o]
            spec = (kind[command[i], o] == "repeated" ? "*" : "") o
            if (kind[command[i], o] != "flag") spec = spec "="
            spec = spec "[" plain(meaning[command[i], o]) "]"
            if (kind[command[i], o] != "flag")
                spec = spec ":value:" (c != "" ? "(" c ")" : "_files")
            printf " \\\n                %s", quoted(spec)
        }
        print " \\\n                " quoted("*:file:_files") " ;;"
    }
    print "    esac"
    print "}"
    print "compdef _sgdperf sgdperf 2> /dev/null"
    print "[[ $funcstack[1] == _sgdperf ]] && _sgdperf \"$@\""
}

# A line of fish: where the condition holds, the rest.
function complete(condition, rest) { print "complete -c sgdperf -n " quoted(condition) rest }
function fish(    i, k, n, c, o, word, when, first) {
    first = "__fish_use_subcommand"
    print "# fish completion of sgdperf; made from --help"
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
        for (k = 1; k <= count[command[i]]; k++) {
            o = option[command[i], k]
            c = choices[command[i], o]
            if (c != "") c = " -x -a " quoted(c)
            else if (kind[command[i], o] != "flag") c = " -r"
            complete(when, " -l " substr(o, 3) c " -d " quoted(meaning[command[i], o]))
        }
    }
    complete(first, " -f -a help -d " quoted("of a command"))
}

END {
    for (key in in_usage) if (choices[key] == "") choices[key] = in_usage[key]
    if (commands < 10) { print "no commands" > "/dev/stderr"; exit 1 }
    if (shell == "bash") bash()
    else if (shell == "zsh") zsh()
    else fish()
}'

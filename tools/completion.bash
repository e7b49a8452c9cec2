# bash completion of sgdperf, which says itself what may stand next
_sgdperf() {
    local at=$COMP_CWORD last=${COMP_WORDS[COMP_CWORD]} word start does each
    word=$last
    COMPREPLY=()
    # readline parts words at = and :, and replaces what is behind the last of these.
    while ((at > 1)) &&
        [[ ${COMP_WORDS[at]} == [=:] || ${COMP_WORDS[at - 1]} == [=:] ]]; do
        ((at--))
        word=${COMP_WORDS[at]}$word
    done
    [[ $last == [=:] ]] && last=
    start=${word%"$last"}
    {
        read -r does
        while IFS=$'\t' read -r each _; do COMPREPLY+=("${each#"$start"}"); done
    } < <("${COMP_WORDS[0]}" --complete "${COMP_WORDS[@]:1:at-1}" "$word" 2> /dev/null)
    [[ $does == *open* ]] && compopt -o nospace 2> /dev/null
    [[ $does == *files* ]] || { compopt +o filenames 2> /dev/null; return; }
    [[ $word == --*=* ]] && word=${word#*=}
    while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen -f -- "$word")
}
complete -o filenames -o bashdefault -F _sgdperf sgdperf

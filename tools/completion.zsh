#compdef sgdperf
# zsh completion of sgdperf, which says itself what may stand next
_sgdperf() {
    local -a lines offered shown open
    lines=("${(@f)$($words[1] --complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
    [[ $lines[1] == *open* ]] && open=(-S "")
    offered=("${(@)lines[2,-1]%%$'\t'*}")
    shown=("${(@)lines[2,-1]/$'\t'/ -- }")
    compadd -l -d shown "${(@)open}" -- $offered
    [[ $lines[1] == *files* ]] || return
    compset -P '--*='
    _files
}
compdef _sgdperf sgdperf 2> /dev/null
[[ $funcstack[1] == _sgdperf ]] && _sgdperf "$@"

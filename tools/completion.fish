# fish completion of sgdperf, which says itself what may stand next
function __sgdperf
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] --complete $words[2..-1] 2> /dev/null)
    string match -q '*files*' -- $lines[1]; and __fish_complete_path (commandline -ct)
    test (count $lines) -gt 1; and printf '%s\n' $lines[2..-1]
end
complete -c sgdperf -f -a '(__sgdperf)'


# Bash divides words at colons and equals signs. So the word is taken from the line, and what bash
# has already taken of it is removed from the completions.
_kostra_or_generated() {
    local line=${COMP_LINE:0:COMP_POINT}
    local word=${line##*[[:blank:]]}
    if [[ $word == gen:* ]]; then
        local IFS=$'\n'
        COMPREPLY=($("$1" completions --generated "$word" 2>/dev/null))
        COMPREPLY=("${COMPREPLY[@]#"${word%"$2"}"}")
        compopt -o nospace
    else
        _kostra "$@"
        if [[ -n $word && gen: == "$word"* ]]; then
            COMPREPLY+=(gen:)
            compopt -o nospace
        fi
    fi
}
complete -F _kostra_or_generated -o bashdefault -o default kostra

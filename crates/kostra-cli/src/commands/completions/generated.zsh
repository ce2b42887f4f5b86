
_kostra_or_generated() {
    if [[ $PREFIX == gen:* ]]; then
        compadd -S '' -- ${(f)"$(kostra completions --generated "$PREFIX" 2>/dev/null)"}
    else
        _kostra "$@"
        [[ -n $PREFIX && gen: == $PREFIX* ]] && compadd -S '' -- gen:
    fi
}
compdef _kostra_or_generated kostra


complete -c kostra -n 'string match -q "gen:*" -- (commandline -ct)' -a '(kostra completions --generated (commandline -ct) 2>/dev/null)'
complete -c kostra -n 'string match -q "g*" -- (commandline -ct)' -a 'gen:'

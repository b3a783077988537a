# Completion of tare(1) for bash. Options and tables come from the program itself.
_tare() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words=
	local command=${COMP_WORDS[1]}

	if ((COMP_CWORD == 1)); then
		words='top snapshot record check doctor tables help --help --version'
	else
		case $prev in
		--charset) words='auto braille block ascii' ;;
		--scan) words='auto procfs bpf' ;;
		--with) words='pss cwd pss,cwd' ;;
		-s | --sort) words=$(_tare_columns process) ;;
		-I | --include | --columns)
			# the word after the last comma
			local done=
			[[ $cur == *,* ]] && done=${cur%,*},
			words=$(_tare_tables)
			[[ $prev == --columns ]] && words=$(_tare_columns process)
			mapfile -t COMPREPLY < <(compgen -P "$done" -W "$words" -- "${cur##*,}")
			return
			;;
		-e | --events) words='sched cpu io memory gpu power syscalls' ;;
		-o | --output)
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			return
			;;
		-p | --pid) words=$(ps -eo pid= 2>/dev/null) ;;
		--filter | --cpus | --duration | --drain-period | --buffer-size | --chunk) return ;;
		-i | --interval | --window | --count | --top | -f | --filter) return ;;
		*)
			case $command in
			help) words='top snapshot record check doctor tables' ;;
			check)
				words=--repair
				mapfile -t COMPREPLY < <(compgen -f -W "$words" -- "$cur")
				return
				;;
			top | snapshot | record | doctor | tables)
				words=$(tare "$command" --help 2>/dev/null | sed -n 's/^  .\{4\}\(--[a-z-]*\).*/\1/p')
				;;
			esac
			;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

_tare_tables() {
	tare tables 2>/dev/null | sed -n 's/^\([a-z][a-z0-9_]*\)  .*/\1/p'
}

_tare_columns() {
	tare tables 2>/dev/null | sed -n "/^$1  /,/^\$/s/^  \([a-z][a-z0-9_]*\) .*/\1/p"
}

complete -F _tare tare

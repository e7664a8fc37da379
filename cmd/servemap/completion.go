package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
)

func completionCommand(s streams, _ *flag.FlagSet) func(context.Context, []string) error {
	return func(_ context.Context, args []string) error {
		shell, err := one(args, "the shell: bash, zsh or fish")
		if err != nil {
			return err
		}
		var script string
		switch shell {
		case "bash":
			script = bashCompletion()
		case "zsh":
			// zsh reads completions of bash.
			script = "autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion()
		case "fish":
			script = fishCompletion()
		default:
			return usage("there is no completion for %q; give bash, zsh or fish", shell)
		}
		_, err = fmt.Fprint(s.out, script)
		return err
	}
}

// flagsOf returns the names of a command's flags.
func flagsOf(c command) (names []string) {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	c.setup(streams{}, fs)
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

func bashCompletion() string {
	var names []string
	var cases strings.Builder
	for _, c := range commands() {
		names = append(names, c.name)
		if flags := flagsOf(c); len(flags) > 0 {
			fmt.Fprintf(&cases, "\t%s) words=\"-%s\" ;;\n", c.name, strings.Join(flags, " -"))
		}
	}
	all := strings.Join(names, " ")
	return `_servemap() {
	local words='' current="${COMP_WORDS[COMP_CWORD]}"
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "` + all + `" -- "$current"))
		return
	fi
	case "${COMP_WORDS[1]}" in
	help) words="` + all + `" ;;
	completion) words="bash zsh fish" ;;
` + cases.String() + `	esac
	COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _servemap servemap
`
}

func fishCompletion() string {
	var b strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c servemap -n __fish_use_subcommand -f -a %s -d '%s'\n", c.name, c.short)
		for _, f := range flagsOf(c) {
			fmt.Fprintf(&b, "complete -c servemap -n '__fish_seen_subcommand_from %s' -o %s\n", c.name, f)
		}
	}
	b.WriteString("complete -c servemap -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n")
	return b.String()
}

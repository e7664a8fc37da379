package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// The scripts make a shell call servemap with the line so far in COMP_LINE. Then servemap prints
// what the last word may become.
const (
	lineVariable = "COMP_LINE"
	bashScript   = "complete -o default -C servemap servemap\n"
	zshScript    = "autoload -U +X bashcompinit && bashcompinit\n" + bashScript // zsh reads completions of bash
	fishScript   = "complete -c servemap -a '(" + lineVariable + "=(commandline -cp) servemap)'\n"
)

func completionCommand(s streams, _ *flag.FlagSet) func(context.Context, []string) error {
	return func(_ context.Context, args []string) error {
		shell, err := one(args, "the shell: bash, zsh or fish")
		if err != nil {
			return err
		}
		script := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[shell]
		if script == "" {
			return usage("there is no completion for %q; give bash, zsh or fish", shell)
		}
		_, err = fmt.Fprint(s.out, script)
		return err
	}
}

// complete prints what the last word of a line may become.
func complete(w io.Writer, line string) {
	typed := strings.Fields(line)
	if strings.HasSuffix(line, " ") {
		typed = append(typed, "")
	}
	var all []string
	switch {
	case len(typed) <= 2, typed[1] == "help":
		all = commandNames()
	case typed[1] == "completion":
		all = []string{"bash", "zsh", "fish"}
	default:
		if c, err := find(typed[1]); err == nil {
			fs, _ := c.flagSet(streams{})
			all = flagNames(fs)
		}
	}
	for _, word := range all {
		if strings.HasPrefix(word, typed[len(typed)-1]) {
			fmt.Fprintln(w, word)
		}
	}
}

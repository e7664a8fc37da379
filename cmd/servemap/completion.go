package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// lineVariable has the line so far if a shell calls servemap. Then servemap prints what the last
// word may become.
const lineVariable = "COMP_LINE"

// scripts are the completion scripts by shell. PROGRAM stands for the quoted path of this program,
// which may be in no folder of PATH.
var scripts = map[string]string{
	"bash": "complete -o default -C PROGRAM servemap\n",
	"zsh":  "autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -C PROGRAM servemap\n", // zsh reads completions of bash
	"fish": "complete -c servemap -a \"(" + lineVariable + "=(commandline -cp) PROGRAM)\"\n",
}

func completionCommand(s streams, _ *flag.FlagSet) func(context.Context, string) error {
	return func(_ context.Context, shell string) error {
		script, known := scripts[shell]
		if !known {
			return usage("there is no completion for %q; give bash, zsh or fish", shell)
		}
		program, err := os.Executable()
		if err != nil {
			program = "servemap"
		}
		_, err = fmt.Fprint(s.out, strings.ReplaceAll(script, "PROGRAM", quoted(program)))
		return err
	}
}

// quoted returns a word as shells read it.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// complete prints what the last word of a line may become. A shell offers files if nothing is printed.
func complete(w io.Writer, line string) {
	typed := strings.Fields(line)
	if strings.HasSuffix(line, " ") {
		typed = append(typed, "")
	}
	var all []string
	last := typed[len(typed)-1]
	switch {
	case len(typed) <= 2, typed[1] == "help":
		all = commandNames()
	case typed[1] == "completion":
		all = []string{"bash", "zsh", "fish"}
	case strings.HasPrefix(last, "-"):
		if c, err := find(typed[1]); err == nil {
			fs, _ := c.flagSet(streams{})
			all = flagNames(fs)
		}
	}
	for _, word := range all {
		if strings.HasPrefix(word, last) {
			fmt.Fprintln(w, word)
		}
	}
}

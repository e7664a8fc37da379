package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestShellsAcceptTheirCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := must(t, "completion", shell)
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed", shell)
			continue
		}
		check := exec.Command(path, "-n")
		check.Stdin = strings.NewReader(script)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", shell, err, out)
		}
	}
	for _, tt := range []struct{ line, want string }{
		{"servemap expl", "explore explain"}, {"servemap list -pre", "-prefix"}, {"servemap help fo", "forget"}, {"servemap completion z", "zsh"},
	} {
		words := strings.Fields(tt.line)
		bash := exec.Command("bash", "-c", must(t, "completion", "bash")+"\n"+
			`COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _servemap; echo "${COMPREPLY[@]}"`, "bash")
		bash.Args = append(bash.Args, words...)
		out, err := bash.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.line, out, err, tt.want)
		}
	}
}

package main

import (
	"os"
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
	if _, err := exec.LookPath("bash"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("there is no bash to complete words: ", err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	register := exec.Command("bash", "-c", must(t, "completion", "bash")+"complete -p servemap")
	if out, err := register.CombinedOutput(); err != nil || !strings.Contains(string(out), "-C '"+program+"' servemap") {
		t.Errorf("bash has %q, %v", out, err)
	}
}

func TestWordsAreCompleted(t *testing.T) {
	for _, tt := range []struct{ line, cursor, want string }{
		{"servemap expl", "", "explore explain"}, {"servemap  list -pre", "", "-prefix"}, {"servemap list -data x -js", "", "-json"},
		{"servemap help fo", "15", "files forget"}, {"servemap completion z", "", "zsh"}, {"servemap forget -", "", "-data -database -json"},
		{"servemap forget -data ", "", ""}, {"servemap list /a", "", ""}, {"servemap dance -", "", ""},
		{"servemap explo -data d", "14", "explore"}, {"servemap expl", "99", "explore explain"}, {"servemap expl", "-1", "explore explain"},
	} {
		t.Setenv(lineVariable, tt.line)
		t.Setenv(pointVariable, tt.cursor)
		words := strings.Fields(tt.line)
		if got := strings.Join(strings.Fields(must(t, "servemap", words[len(words)-1], words[0])), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

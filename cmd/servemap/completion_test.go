package main

import (
	"strings"
	"testing"
)

func TestWordsAreCompleted(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"servemap expl", "explore explain"}, {"servemap  list -pre", "-prefix"}, {"servemap list -data x -js", "-json"},
		{"servemap help fo", "forget"}, {"servemap completion z", "zsh"}, {"servemap explain -", "-data -database -json"},
		{"servemap forget -data ", ""}, {"servemap list /a", ""}, {"servemap dance -", ""},
	} {
		t.Setenv(lineVariable, tt.line)
		words := strings.Fields(tt.line)
		if got := strings.Join(strings.Fields(must(t, "servemap", words[len(words)-1], words[0])), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, got, tt.want)
		}
	}
}

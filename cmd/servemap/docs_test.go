package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// The commands and flags that the documents name are those of the help.
func TestCommandsOfTheDocsAreThoseOfTheHelp(t *testing.T) {
	root, found := filepath.Join("..", ".."), 0
	for _, pattern := range []string{"*.md", "docs/*.md", ".github/*.md", "*/*/README.md", "cmd/servemap/deploy/*"} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		base.Check(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			base.Check(t, err)
			for _, m := range regexp.MustCompile("servemap ([a-z]+)((?: [^`\\n|&;)]*)?)").FindAllStringSubmatch(string(text),
				-1) {
				flags := regexp.MustCompile(` (-[a-z][\w-]*)`).FindAllStringSubmatch(m[2], -1)
				if len(flags) == 0 { // it may be a sentence
					continue
				}
				found++
				code, help, _ := call(t, "help", "-all", m[1])
				if code != codeDone {
					t.Errorf("%s: there is no %s", name, m[0])
				}
				for _, f := range flags {
					if !regexp.MustCompile(`(?m)^  ` + f[1] + `\b`).MatchString(help) {
						t.Errorf("%s: %s: there is no %s", name, strings.TrimSpace(m[0]), f[1])
					}
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d commands", found)
	}
}

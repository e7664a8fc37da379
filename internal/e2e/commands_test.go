package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// spoken matches a command of go's in a document, up to what ends it: a quotation mark, a line, a pipe or a bracket.
var spoken = regexp.MustCompile("(?:cd (internal[\\w/]*|\\.ci[\\w/]*) && )?go (?:test|run) ([^`\\n|&;)]*)")

// A reader who runs a command of a document gets what it says: its package is there, its pattern finds a test or a
// benchmark, its flags are known. Go itself says nothing where a pattern finds nothing.
func TestCommandsOfTheDocsFindWhatTheyName(t *testing.T) {
	root, found := filepath.Join("..", ".."), 0
	base.Check(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range spoken.FindAllStringSubmatch(string(text), -1) {
			found++
			base.Equal(t, leadsNowhere(filepath.Join(root, m[1]), strings.Fields(m[2])), "", "%s: %s", name, m[0])
		}
		return err
	}))
	if found < 15 {
		t.Errorf("only %d commands", found)
	}
}

// leadsNowhere says what of a command of go's in a folder is not there, "" if all is.
func leadsNowhere(folder string, words []string) string {
	var code string // of the package
	for _, word := range words {
		if strings.HasPrefix(word, ".") {
			folder = filepath.Join(folder, word)
		}
	}
	sources, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, source := range sources {
		b, err := os.ReadFile(source)
		if err != nil {
			return err.Error()
		}
		code += string(b)
	}
	if code == "" {
		return "no package is in " + folder
	}
	for i, word := range words {
		switch kind := map[string]string{"-run": "Test", "-bench": "Benchmark"}[word]; {
		case kind != "" && i+1 < len(words) && words[i+1] != "-":
			pattern, _, _ := strings.Cut(words[i+1], "/") // what follows are rows
			if !regexp.MustCompile(`(?m)^func ` + kind + `\w*` + pattern).MatchString(code) {
				return "it runs no " + kind
			}
		case kind == "" && strings.HasPrefix(word, "-") && word != "-" && !strings.Contains(" -v -count -cpu -timeout -args ",
			" "+word+" "):
			if !regexp.MustCompile(`flag\.\w+\((&[\w.]+, )?"` + word[1:] + `"`).MatchString(code) {
				return "there is no " + word
			}
		}
	}
	return ""
}

// Package internal has no code of its own. Its test holds the order of the rooms below it.
package internal

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms are the folders with code that a user runs, the highest first. A room imports only
// itself and those after it.
var rooms = []string{"inspect", "observe", "crawl", "index", "publish", "admin", "schema", "decide", "page"}

// outside are folders that only test and measure. No room imports them.
var outside = []string{"e2e", "eval", "leak", "testkit"}

// TestImportsGoDown fails if a package imports one of a room above its own.
func TestImportsGoDown(t *testing.T) {
	const prefix = "github.com/servemap/servemap/internal/"
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		room, _, _ := strings.Cut(filepath.ToSlash(file), "/")
		if slices.Contains(outside, room) {
			return nil
		}
		own := slices.Index(rooms, room)
		if own < 0 {
			t.Errorf("%s stands in no room", file)
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, inside := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), prefix)
			to, _, _ := strings.Cut(imported, "/")
			if inside && slices.Index(rooms, to) < own {
				t.Errorf("%s imports %s, which stands above it", file, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTopLevelStaysSmall names all that may stand at the top of the repository.
func TestTopLevelStaysSmall(t *testing.T) {
	may := []string{"go.mod", "go.sum", "middleware.go", "store", "handler.go", "examples", "middleware_test.go",
		"README.md", "LICENSE", "internal", "cmd", "notify", "metrics", "docs"}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(may, e.Name()) {
			t.Errorf("%s stands at the top; it belongs in one of the folders or in one of the files there", e.Name())
		}
	}
}

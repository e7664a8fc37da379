package merge

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// TestMergingIsPure checks that nothing in merge, or in the packages of the records, can
// reach a store, a clock, a queue or a log, so that a transaction may run it again.
func TestMergingIsPure(t *testing.T) {
	banned := []string{"/store", "log/slog", "/index/indexer", "/publish/files", "/admin/messages", "/admin/logging",
		"/internal/observe", "context", "sync", "os", "net"}
	var sources []string
	for _, room := range []string{"index/merge", "schema/pagerecord", "schema/sitewide"} {
		found, _ := filepath.Glob("../../" + room + "/*.go")
		if len(found) == 0 {
			t.Fatalf("package %s was not found", room)
		}
		sources = append(sources, found...)
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		base.Check(t, err)
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		base.Check(t, err)
		for _, imported := range f.Imports {
			path := strings.Trim(imported.Path.Value, `"`)
			for _, b := range banned {
				if path == b || strings.HasPrefix(b, "/") && strings.HasSuffix(path, b) {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
		for _, call := range []string{"time.Now(", "time.Since(", "time.Until(", "rand."} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s calls %s", name, call)
			}
		}
	}
}

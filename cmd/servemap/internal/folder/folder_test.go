package folder

import (
	"os"
	"path/filepath"
	"testing"
)

func TestServes(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "site")
	if err := os.MkdirAll(filepath.Join(dir, "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(root, "link")); err != nil {
		t.Skip(err) // not on this system
	}
	for _, tt := range []struct {
		name, other string
		want        bool
	}{
		{"itself", "site", true},
		{"a folder in it", "site/old", true},
		{"one that is not made yet", "site/new/data", true},
		{"by a link", "link/new", true},
		{"a hidden one", "site/.data", false},
		{"beside it", "data", false},
		{"a name that begins alike", "site-data", false},
		{"above it", ".", false},
	} {
		if got := Serves(dir, filepath.Join(root, tt.other)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

//go:build unix

package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// TestFolderWithoutRightsIsRefused has a folder that may not be written. Root may write everywhere, so it becomes
// another user meanwhile.
func TestFolderWithoutRightsIsRefused(t *testing.T) {
	const other = 54321 // no user has it
	dir, root := t.TempDir(), os.Geteuid() == 0
	base.Check(t, os.Chmod(dir, 0o500))
	allow := func() { base.Check(t, os.Chmod(dir, 0o700)) }
	if root {
		base.Check(t, syscall.Seteuid(other))
		allow = func() { base.Check(t, syscall.Seteuid(0)) }
		defer allow()
	}
	log := new(base.Log)
	s, err := Open(dir, &Options{Logger: log.Logger()})
	if !errors.Is(err, os.ErrPermission) {
		t.Fatalf("Open returns %v, %v", s, err)
	}
	if text := err.Error(); strings.Count(text, "store") > 1 || !strings.Contains(text, fmt.Sprint("uid ", os.Geteuid())) {
		t.Errorf("Open says %q, want the cause once, and whose folder it must be", text)
	}
	log.Want(t, 0, "cannot be used")
	s = open(t, dir, &Options{Logger: log.Logger(), Wait: true})
	allow()
	log.Await(t, "works now")
	mustPut(t, s, "k", "1")
}

func TestFolderThatCannotBeMadeIsRefused(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("no folder is known here in which nothing can be made")
	}
	log := new(base.Log)
	if s, err := Open("/proc/sitemap-data", &Options{Logger: log.Logger()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open returns %v, %v", s, err)
	}
	log.Want(t, 0, "cannot be used")
}

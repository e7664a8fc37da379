//go:build unix

package badgerstore

import (
	"errors"
	"os"
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
	if s, err := Open(dir, &Options{Logger: log.Logger()}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Open returns %v, %v", s, err)
	}
	log.Want(t, 0, "cannot be used")
	s := open(t, dir, &Options{Logger: log.Logger(), Wait: true})
	allow()
	log.Await("works now")
	mustPut(t, s, "k", "1")
}

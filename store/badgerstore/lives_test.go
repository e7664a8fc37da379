package badgerstore

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// TestFailedOpeningGivesTheLockBack opens a folder of a later version.
func TestFailedOpeningGivesTheLockBack(t *testing.T) {
	dir := filled(t)
	base.Check(t, overwrite(manifestName, 4, "\x00\x07")(filepath.Join(dir, badgerName)))
	_, _ = openLogged(t, dir)
	lock, err := lockFolder(filepath.Join(dir, lockName))
	base.Check(t, err)
	lock.Close()
}

func TestUsageIsTold(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	if u := s.Usage(); !u.Written.IsZero() || u.Free == 0 {
		t.Errorf("before a write: %+v", u)
	}
	mustPut(t, s, "k", "1")
	if u := s.Usage(); time.Since(u.Written) > time.Minute || u.Bytes < 1000 {
		t.Errorf("after a write: %+v", u)
	}
}

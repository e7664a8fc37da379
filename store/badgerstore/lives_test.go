package badgerstore

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// tables returns the names of a folder's tables.
func tables(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, badgerName, "*"+tableSuffix))
	base.Check(t, err)
	return found
}

// live opens a folder for a moment, too short to merge tables, and writes three records if it shall.
func live(t *testing.T, dir string, number int, writes bool) {
	t.Helper()
	s := mustOpen(t, dir, nil)
	if writes {
		for _, key := range []string{"a", fmt.Sprint("b", number), "z"} {
			mustPut(t, s, key, fmt.Sprint(number))
		}
	}
	mustClose(t, s)
}

// TestShortLivesLeaveFewTables opens a folder again and again: each table costs a file descriptor at the next opening.
func TestShortLivesLeaveFewTables(t *testing.T) {
	for _, writes := range []bool{false, true} {
		dir, n := filled(t), mostFresh+4
		for i := range n {
			live(t, dir, i, writes)
			if have := len(tables(t, dir)); have > mostFresh+2 || !writes && have > 1 {
				t.Fatalf("after %d lives, which write %t: %d tables", i+1, writes, have)
			}
		}
		s := open(t, dir, nil)
		if have, err := scan(s); writes != (have == n+3) || err != nil {
			t.Errorf("%d records, %v", have, err)
		}
	}
}

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

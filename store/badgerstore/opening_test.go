package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"github.com/servemap/servemap/store"
)

// filled makes a folder with a table of records in it, and returns it.
func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "k", strings.Repeat("value", 1000))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func guardSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, guardName))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestDeadOpenings leaves in the guard file what processes leave that died in
// Open.
func TestDeadOpenings(t *testing.T) {
	for _, c := range []struct {
		name  string
		died  int
		aside int
	}{
		{"none died", 0, 0},
		{"one died", 1, 0},
		{"two died", 2, 1},
		{"more died", 5, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filled(t)
			if err := os.WriteFile(filepath.Join(dir, guardName), make([]byte, c.died), 0o600); err != nil {
				t.Fatal(err)
			}
			log := newLog()
			s := open(t, dir, &Options{Logger: log.logger()})
			healthy(t, s)
			if got := guardSize(t, dir); got != 0 {
				t.Errorf("after an opening that went well, %d are counted as dead", got)
			}
			if got := len(s.MovedAside()); got != c.aside {
				t.Errorf("%d folders were moved aside, want %d", got, c.aside)
			}
			if kept := get(t, s, "k") != ""; kept != (c.aside == 0) {
				t.Errorf("the record was kept: %t, want the contrary", kept)
			}
			if got := log.count("need never rules"); got != c.aside {
				t.Errorf("the loss was logged %d times, want %d:\n%s", got, c.aside, log)
			}
			mustPut(t, s, "new", "1")
		})
	}
}

// TestMovedAsideStayReadable opens what was moved aside as a store of its own.
func TestMovedAsideStayReadable(t *testing.T) {
	dir := filled(t)
	if err := os.WriteFile(filepath.Join(dir, guardName), make([]byte, fatalOpenings), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, &Options{Logger: newLog().logger()})
	elsewhere := t.TempDir()
	if err := os.Rename(s.MovedAside()[0], filepath.Join(elsewhere, badgerName)); err != nil {
		t.Fatal(err)
	}
	if got := get(t, open(t, elsewhere, nil), "k"); got == "" {
		t.Error("what was moved aside has no record")
	}
	if got := s.MovedAside(); len(got) != 0 {
		t.Errorf("after somebody took it away MovedAside is %q", got)
	}
}

func TestTooManyMovedAside(t *testing.T) {
	dir := filled(t)
	for i := range maxAside {
		if err := os.Mkdir(filepath.Join(dir, fmt.Sprint(asidePart, i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, guardName), make([]byte, fatalOpenings), 0o600); err != nil {
		t.Fatal(err)
	}
	log := newLog()
	s := open(t, dir, &Options{Logger: log.logger()})
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "remove") {
		t.Fatalf("Health with %d folders moved aside: %v, want that they be removed", maxAside, err)
	}
	if err := os.Remove(s.MovedAside()[0]); err != nil {
		t.Fatal(err)
	}
	log.wait("works again")
	healthy(t, s)
}

// A damage is done to the files of a folder with one table.
type damage struct {
	name string
	do   func(dir string) error
	says string // by Badger
}

// lasting are damages that Badger says in an error, and that stay.
var lasting = []damage{
	{"MANIFEST overwritten", overwrite("MANIFEST", 0, "not a manifest"), "manifest has bad magic"},
	{"MANIFEST emptied", truncate("MANIFEST", 0), "manifest has bad magic"},
	{"MANIFEST with a wrong byte", overwrite("MANIFEST", -1, "\xff"), "manifest has checksum mismatch"},
	{"MANIFEST with a wrong length", overwrite("MANIFEST", 8, "\x7f"), "Manifest file might be corrupted"},
	{"table missing", func(dir string) error { return os.Remove(find(dir, ".sst")) }, "file does not exist for table"},
	{"table index overwritten", overwrite(".sst", -60, "damage"), "failed to verify checksum for table"},
}

// healing are damages that Badger says in an error, of a file that holds no
// record and is made anew.
var healing = []damage{
	{"KEYREGISTRY emptied", truncate("KEYREGISTRY", 0), "Error while reading IV for key registry"},
	{"KEYREGISTRY cut", truncate("KEYREGISTRY", 16), "Error while reading sanity text"},
	{"KEYREGISTRY overwritten", overwrite("KEYREGISTRY", 16, "not a key registry"), "Encryption key mismatch"},
}

// find returns the file of dir whose name ends with suffix.
func find(dir, suffix string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if len(files) == 0 {
		return filepath.Join(dir, "none"+suffix)
	}
	return files[0]
}

func truncate(suffix string, size int64) func(string) error {
	return func(dir string) error { return os.Truncate(find(dir, suffix), size) }
}

// overwrite writes text at an offset, from the end if it is negative.
func overwrite(suffix string, at int64, text string) func(string) error {
	return func(dir string) error {
		name := find(dir, suffix)
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if at < 0 {
			at += int64(len(b))
		}
		copy(b[at:], text)
		return os.WriteFile(name, b, 0o600)
	}
}

// TestBadgerSays holds the texts that are looked for to what Badger says.
func TestBadgerSays(t *testing.T) {
	said := map[string]bool{}
	for _, d := range slices.Concat(lasting, healing) {
		t.Run(d.name, func(t *testing.T) {
			dir := filepath.Join(filled(t), badgerName)
			if err := d.do(dir); err != nil {
				t.Fatal(err)
			}
			db, err := tryBadger(guestOptions(dir, nil))
			if err == nil {
				db.Close()
				t.Fatal("Badger opens")
			}
			if !strings.Contains(err.Error(), d.says) || classify(err) != damaged {
				t.Errorf("Badger says %q, which is of kind %d, want damage and %q", err, classify(err), d.says)
			}
			said[d.says] = true
		})
	}
	for _, say := range sayDamaged {
		if !said[say] {
			t.Errorf("no damage makes Badger say %q", say)
		}
	}
}

func TestBadgerSaysLocked(t *testing.T) {
	o := guestOptions(t.TempDir(), nil)
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err = badger.Open(o); err == nil || classify(err) != busy {
		t.Errorf("Badger says %v of a folder that is open", err)
	}
}

// TestOtherFormatsAreLeftAlone has a folder of another version of the layout,
// which is not damage: a program that is older than its folder must not move
// the folder aside.
func TestOtherFormatsAreLeftAlone(t *testing.T) {
	o := guestOptions(t.TempDir(), nil)
	o.ExternalMagicVersion = format + 1
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := badger.Open(guestOptions(o.Dir, nil)); err == nil || classify(err) != failing {
		t.Errorf("Badger says %v of a folder of another format", err)
	}
}

// TestDamageIsMovedAside has the store find lasting damage until it gives the
// files up.
func TestDamageIsMovedAside(t *testing.T) {
	for _, d := range lasting {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dir, log := filled(t), newLog()
			if err := d.do(filepath.Join(dir, badgerName)); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, &Options{Logger: log.logger()})
			if len(s.MovedAside()) != 0 {
				t.Error("the files were moved aside at once")
			}
			log.wait("works again")
			healthy(t, s)
			if got := len(s.MovedAside()); got != 1 {
				t.Errorf("%d folders were moved aside, want 1", got)
			}
			mustPut(t, s, "k", "new")
		})
	}
}

// notice is part of the line that tells of a folder in memory, as a test's may be.
const notice = "layer of a container"

// TestHalfMadeFilesHeal has files without length, as a crash between making a
// file and giving it its length leaves them.
func TestHalfMadeFilesHeal(t *testing.T) {
	for _, name := range []string{"00009.mem", "000009.vlog"} {
		t.Run(name, func(t *testing.T) {
			dir, log := filled(t), newLog()
			if err := os.WriteFile(filepath.Join(dir, badgerName, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, &Options{Logger: log.logger()})
			healthy(t, s)
			if got := get(t, s, "k"); got == "" {
				t.Error("the record is lost")
			}
			if n := log.count("dir=") - log.count(notice); n != 0 {
				t.Errorf("what healed by itself was logged:\n%s", log)
			}
		})
	}
}

// TestHalfMadeIsSaid holds the text that is looked for to what Badger says.
func TestHalfMadeIsSaid(t *testing.T) {
	dir := filepath.Join(filled(t), badgerName)
	if err := os.WriteFile(filepath.Join(dir, "00009.mem"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := tryBadger(guestOptions(dir, nil))
	if err == nil {
		db.Close()
		t.Fatal("Badger opens at the first try: the second is no longer needed")
	}
	if !halfMade(err) {
		t.Errorf("Badger says %v of a file without length", err)
	}
}

// TestFolderCannotBeMadeYet opens a link that leads to nothing, as one to a volume
// does that is not mounted yet.
func TestFolderCannotBeMadeYet(t *testing.T) {
	target := filepath.Join(t.TempDir(), "target")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	log := newLog()
	s := open(t, link, &Options{Logger: log.logger()})
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) || kindOf(err) != files {
		t.Errorf("Health without a folder: %v", err)
	}
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	log.wait("works again")
	mustPut(t, s, "k", "1")
}

// TestKeysLookAsDocumented holds the layout on disk to its format number.
func TestKeysLookAsDocumented(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	mustPut(t, s, "key", "value")
	err := s.db.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get([]byte("kkey"))
		if err != nil {
			return err
		}
		got, err := item.ValueCopy(nil)
		if want := []byte("value\x45\xc4\xb3\xe0"); err == nil && !bytes.Equal(got, want) {
			t.Errorf("format %d: the record is %q, want %q", format, got, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

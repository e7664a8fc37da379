package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// TestMain keeps the last words of Badger, before it ends the process, out of the tests' output.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// TestOpeningsThatDiedMoveTheFilesAside opens a folder whose lock file is as left by processes that
// died in Open.
func TestOpeningsThatDiedMoveTheFilesAside(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int
		aside bool
	}{
		{"closed", countClosed, false},
		{"died while it was open", countOpen, false},
		{"one died while opening", countOpen + 1, false},
		{"two died while opening", countOpen + 2, true},
		{"more died while opening", countOpen + 5, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filled(t)
			writeFile(t, dir, lockName, strings.Repeat("x", c.count))
			s, log := openLogged(t, dir)
			healthy(t, s)
			wantCount(t, dir, countOpen)
			wantAside(t, s, log, c.aside)
			if kept := get(t, s, "k") != ""; kept == c.aside {
				t.Errorf("the record was kept: %t, want the contrary", kept)
			}
			mustPut(t, s, "new", "1")
			mustClose(t, s)
			wantCount(t, dir, countClosed)
		})
	}
}

// wantCount fails the test unless the lock file of dir has the count.
func wantCount(t *testing.T, dir string, count int64) {
	t.Helper()
	if info, err := os.Stat(filepath.Join(dir, lockName)); err != nil || info.Size() != count {
		t.Errorf("the lock file counts %d (%v), want %d", info.Size(), err, count)
	}
}

// A damage changes the files of a folder with one table.
type damage struct {
	name string
	do   func(dir string) error
	kept bool // whether the records are
}

const (
	manifestName = "MANIFEST"
	registryName = "KEYREGISTRY"
	tableSuffix  = ".sst"
	valuesSuffix = ".vlog"
)

var damages = []damage{
	{"MANIFEST overwritten", overwrite(manifestName, 0, "not a manifest"), false},
	{"MANIFEST emptied", truncate(manifestName, 0), false},
	{"MANIFEST with a wrong byte", overwrite(manifestName, -1, "\xff"), false},
	{"MANIFEST with a wrong length", overwrite(manifestName, 8, "\x7f"), false},
	{"MANIFEST missing", remove(manifestName), false},
	{"MANIFEST cut", truncate(manifestName, -3), false},
	{"MANIFEST torn", alter(manifestName, func(b []byte) []byte { return append(b, 0, 0, 0) }), true},
	{"table missing", remove(tableSuffix), false},
	{"table index overwritten", overwrite(tableSuffix, -60, "damage"), false},
	{"table cut", truncate(tableSuffix, 3000), false},
	{"table cut to nothing", truncate(tableSuffix, 2), false},
	{"table emptied", truncate(tableSuffix, 0), false},
	{"table ends in a length beyond it", overwrite(tableSuffix, -4, "\x00\x10\x00\x00"), false},
	{"table zeroed at its end", alter(tableSuffix, func(b []byte) []byte { return append(b, make([]byte, 4096)...) }), false},
	{"table with a damaged value", overwrite(tableSuffix, 100, "x"), false},
	{"log encrypted", create("00009.mem", "not a log, but a text of some length"), false},
	{"log half made", create("00009.mem", ""), true},
	{"values half made", create("000009.vlog", ""), true},
	{"values emptied", truncate(valuesSuffix, 0), true},
	{"values overwritten", overwrite(valuesSuffix, 0, "not a log"), false},
	{"KEYREGISTRY missing", remove(registryName), true},
	{"KEYREGISTRY cut", truncate(registryName, 16), false},
	{"DISCARD cut", truncate("DISCARD", 5), true},
}

// find returns the file of dir whose name ends with suffix.
func find(dir, suffix string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if len(files) == 0 {
		return filepath.Join(dir, "none"+suffix)
	}
	return files[0]
}

func remove(suffix string) func(string) error {
	return func(dir string) error { return os.Remove(find(dir, suffix)) }
}

func create(name, text string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) }
}

// alter changes the content of a file.
func alter(suffix string, do func(b []byte) []byte) func(string) error {
	return func(dir string) error {
		name := find(dir, suffix)
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, do(b), 0o600)
	}
}

// truncate cuts a file to size bytes, or cuts off -size bytes if size is negative.
func truncate(suffix string, size int) func(string) error {
	return alter(suffix, func(b []byte) []byte {
		if size < 0 {
			return b[:len(b)+size]
		}
		return b[:size]
	})
}

// overwrite writes text at an offset, which counts from the end if it is negative.
func overwrite(suffix string, at int, text string) func(string) error {
	return alter(suffix, func(b []byte) []byte {
		copy(b[(at+len(b))%len(b):], text)
		return b
	})
}

// TestDamagedFilesAreMovedAside damages files in ways that Badger would die of, hide, or refuse.
func TestDamagedFilesAreMovedAside(t *testing.T) {
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dir := filled(t)
			base.Check(t, d.do(filepath.Join(dir, badgerName)))
			s, log := openLogged(t, dir)
			healthy(t, s)
			wantAside(t, s, log, !d.kept)
			if kept := get(t, s, "k") != ""; kept != d.kept {
				t.Errorf("the record was kept: %t, want %t", kept, d.kept)
			}
			mustPut(t, s, "k", "new")
		})
	}
}

// TestFoldersAsideAreAllKept has processes that die while they open a folder, again and again. The
// folders are whole: something else killed the processes.
func TestFoldersAsideAreAllKept(t *testing.T) {
	dir := t.TempDir()
	log := new(base.Log)
	opened := func(n int) *Store {
		s := mustOpen(t, dir, &Options{Logger: log.Logger()})
		mustPut(t, s, "k", fmt.Sprint(n))
		mustClose(t, s)
		writeFile(t, dir, lockName, strings.Repeat("x", countOpen+maxDeaths))
		return s
	}
	opened(0)
	for n := range maxAside {
		aside := filepath.Join(dir, fmt.Sprintf("%s-%d", asideName, n+1))
		opened(n + 1)
		log.Want(t, 1, "aside="+aside)
	}
	before := files(dir)
	s := mustOpen(t, dir, &Options{Logger: log.Logger()})
	for name, err := range callErrors(s) {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), asideName+"-1") || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want which folders to remove", name, err)
		}
	}
	mustClose(t, s)
	if after := files(dir); after != before {
		t.Errorf("the folder had %s, has %s", before, after)
	}

	log.Want(t, 1, "cannot be used")
	for n := range maxAside { // each folder has what it had
		whole := t.TempDir()
		base.Check(t, os.Rename(filepath.Join(dir, fmt.Sprintf("%s-%d", asideName, n+1)), filepath.Join(whole, badgerName)))
		wantValue(t, open(t, whole, nil), "k", fmt.Sprint(n))
	}
	opened(9) // there is room again
}

// TestRoomForAFolderIsAwaited moves a folder aside while there is no room for a new one. The new one,
// which is empty, must not go the same way.
func TestRoomForAFolderIsAwaited(t *testing.T) {
	dir := filled(t)
	if _, ok := spaceAt(dir); !ok {
		t.Skip("this system does not tell what is free")
	}
	writeFile(t, dir, lockName, strings.Repeat("x", countOpen+maxDeaths))
	for range 2 * maxAside {
		s := mustOpen(t, dir, &Options{Reserve: 1 << 60, Logger: new(base.Log).Logger()})
		if err := s.Health(); reasonOf(err) != noSpace {
			t.Errorf("Health: %v, want that there is no room", err)
		}
		mustClose(t, s)
	}
	healthy(t, open(t, dir, nil))
	if aside, err := filepath.Glob(filepath.Join(dir, asideName+"-*")); len(aside) != 1 {
		t.Errorf("aside are %q (%v), want one folder", aside, err)
	}
}

// TestOtherFormatsAreLeftAlone opens folders that another version of this package, or of Badger, wrote.
func TestOtherFormatsAreLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(dir string) error
		deaths int // of processes that opened the folder
		number string
	}{
		{"a later format of ours", overwrite(manifestName, 4, "\x00\x07"), 0, "format 7.8"},
		{"a later format of Badger's", overwrite(manifestName, 6, "\x00\x77"), 0, "format 1.119"},
		{"a later format, of which processes died", overwrite(manifestName, 4, "\x00\x07"), maxDeaths, "format 7.8"},
		{"a later format, and tables as nobody knows them", func(dir string) error {
			return errors.Join(overwrite(manifestName, 4, "\x00\x07")(dir), truncate(tableSuffix, 3000)(dir))
		}, 0, "format 7.8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filled(t)
			base.Check(t, c.do(filepath.Join(dir, badgerName)))
			writeFile(t, dir, lockName, strings.Repeat("x", countOpen+c.deaths))
			before := files(filepath.Join(dir, badgerName))
			s, log := openLogged(t, dir)
			for name, err := range callErrors(s) {
				if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), c.number) || !strings.Contains(err.Error(), "run the version") {
					t.Errorf("%s: %v, want %s and what to do", name, err, c.number)
				}
			}
			log.Want(t, 1, c.number)
			wantAside(t, s, log, false)
			if after := files(filepath.Join(dir, badgerName)); after != before {
				t.Errorf("the folder had %s, has %s", before, after)
			}
		})
	}
}

// TestOnlyBadgersOwnWordsAreDamage has errors as Badger wraps them. The damages above make others.
func TestOnlyBadgersOwnWordsAreDamage(t *testing.T) {
	const table = `Opening table: "0001.sst" err: failed to initialize table err: failed to read index. err: `
	for _, text := range []string{
		"file does not exist for table 7",
		"MANIFEST invalid, table 7 exists",
		"MANIFEST file has invalid manifestChange op",
		table + "failed to verify checksum for table: 0001.sst err: actual: 1, expected: 2 err: checksum mismatch",
		table + "checksum length less than zero. Data corrupted",
		table + "proto:\u00a0cannot parse invalid wire-format data",
		"Level validation err: Levels Controller err: Inter: Biggest(j-1)[7]",
		"While opening memtable: 00009.mem err: while updating skiplist err: binary: varint overflows a 64-bit integer",
	} {
		if got := reasonOf(openingProblem(errors.New(text))); got != corrupt {
			t.Errorf("%q has reason %d, want that it is damage", text, got)
		}
	}
	failures := []error{errors.New("a text that nobody knows"), errors.New("open /checksum mismatch/EOF: trouble"), io.ErrShortWrite, os.ErrDeadlineExceeded}
	for number := syscall.Errno(1); number < 134; number++ {
		failures = append(failures, number, &os.PathError{Op: "open", Path: "EOF", Err: number})
	}
	for _, failure := range failures {
		err := fmt.Errorf("while opening memtables err: while opening fid: 3 err: %w", failure)
		if got := reasonOf(openingProblem(err)); got != otherFailure {
			t.Errorf("%q has reason %d, want that it may pass", err, got)
		}
	}
}

// records returns the bytes of a table.
func records(n int) []byte {
	b := table.NewTableBuilder(table.Options{
		BlockSize: 4096, BloomFalsePositive: 0.01, TableSize: tableSize, Compression: options.None,
	})
	defer b.Close()
	for i := range n {
		b.Add(y.KeyWithTs(fmt.Appendf(nil, "kpage/%06d", i), uint64(i+1)), y.ValueStruct{Value: []byte(strings.Repeat("v", 50))}, 0)
	}
	return b.Finish()
}

// FuzzTableWhole changes tables anywhere. tableWhole must return, while Badger would end the
// process, and must not take a table for whole of which a record differs.
func FuzzTableWhole(f *testing.F) {
	data := records(200)
	f.Add(uint32(0), []byte{0})
	f.Add(uint32(len(data)-4), []byte{0, 0, 0, 0, 0, 0, 0, 0})
	f.Add(uint32(len(data)-1), []byte{1})
	f.Add(uint32(len(data)-100), []byte("damage"))
	f.Add(uint32(4080), []byte("damage"))
	f.Fuzz(func(t *testing.T, at uint32, with []byte) {
		b := append([]byte(nil), data...)
		i := int(at) % len(b)
		copy(b[i:], with)
		blocks := len(data) - 8 - int(binary.BigEndian.Uint32(data[len(data)-4:]))
		if tableWhole(b, 1) != (string(b) == string(data)) && i < blocks/2 {
			t.Errorf("a table changed at %d of %d counts as whole, or a whole one as changed", i, len(b))
		}
		_ = tableWhole(b[:i], 1)
	})
}

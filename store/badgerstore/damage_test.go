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
	{"table zeroed at its end", alter(tableSuffix, func(b []byte) []byte { return append(b, make([]byte, 4096)...) }),
		false},
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

// TestEachOfManyTablesIsRead damages one table of several.
func TestEachOfManyTablesIsRead(t *testing.T) {
	for n := range 4 {
		dir := filled(t)
		for i := range 3 {
			live(t, dir, i, true)
		}
		all := tables(t, dir)
		base.Equal(t, len(all), 4, "tables")
		base.Check(t, overwrite(filepath.Base(all[n]), 5, "x")(filepath.Join(dir, badgerName)))
		s, log := openLogged(t, dir)
		healthy(t, s)
		wantAside(t, s, log, true)
	}
}

// TestFoldersAsideAreAllKept damages a folder again and again.
func TestFoldersAsideAreAllKept(t *testing.T) {
	dir, log := filled(t), new(base.Log)
	damaged := func() *Store {
		base.Check(t, truncate(manifestName, 0)(filepath.Join(dir, badgerName)))
		return mustOpen(t, dir, &Options{Logger: log.Logger()})
	}
	for n := range maxAside {
		s := damaged()
		healthy(t, s)
		mustClose(t, s)
		log.Want(t, 1, "aside="+filepath.Join(dir, fmt.Sprintf("%s-%d", asideName, n+1)))
	}
	s := damaged()
	before := files(dir)
	for name, err := range callErrors(s) {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), asideName+"-1") ||
			!strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want which folders to remove", name, err)
		}
	}
	mustClose(t, s)
	if after := files(dir); after != before {
		t.Errorf("the folder had %s, has %s", before, after)
	}
	log.Want(t, 1, "cannot be used")
	base.Check(t, os.RemoveAll(filepath.Join(dir, asideName+"-2"))) // so there is room again
	healthy(t, open(t, dir, &Options{Logger: log.Logger()}))
}

// TestOtherFormatsAreLeftAlone opens folders that another version of this package, or of Badger, wrote.
func TestOtherFormatsAreLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(dir string) error
		number string
	}{
		{"a later format of ours", overwrite(manifestName, 4, "\x00\x07"), "7"},
		{"a later format of Badger's", overwrite(manifestName, 6, "\x00\x77"), "119"},
		{"a later format, and tables as nobody knows them", func(dir string) error {
			return errors.Join(overwrite(manifestName, 4, "\x00\x07")(dir), truncate(tableSuffix, 3000)(dir))
		}, "7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filled(t)
			base.Check(t, c.do(filepath.Join(dir, badgerName)))
			before := files(filepath.Join(dir, badgerName))
			s, log := openLogged(t, dir)
			for name, err := range callErrors(s) {
				if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), c.number) ||
					!strings.Contains(err.Error(), "another version wrote the records") {
					t.Errorf("%s: %v, want %s and what to do", name, err, c.number)
				}
			}
			log.Want(t, 1, "another version")
			wantAside(t, s, log, false)
			if after := files(filepath.Join(dir, badgerName)); after != before {
				t.Errorf("the folder had %s, has %s", before, after)
			}
		})
	}
}

// TestErrorsOfTheSystemAreNoDamage has errors as Badger wraps them. The damages above make others.
func TestErrorsOfTheSystemAreNoDamage(t *testing.T) {
	for number := syscall.Errno(1); number < 134; number++ {
		for _, failure := range []error{number, &os.PathError{Op: "open", Path: "EOF", Err: number}} {
			err := fmt.Errorf("while opening memtables err: while opening fid: 3 err: %w", failure)
			if e, ok := errors.AsType[*badgerError](failedOpening(err)); !ok || e.damage {
				t.Errorf("%q counts as damage", err)
			}
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
		b.Add(y.KeyWithTs(fmt.Appendf(nil, "kpage/%06d", i), uint64(i+1)), y.ValueStruct{
			Value: []byte(strings.Repeat("v", 50))}, 0)
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

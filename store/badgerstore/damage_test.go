package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// TestOpeningsThatDiedMoveTheFilesAside opens a folder whose lock file is as left by processes that
// died in Open.
func TestOpeningsThatDiedMoveTheFilesAside(t *testing.T) {
	for _, c := range []struct {
		name        string
		died, aside int
	}{
		{"none died", 0, 0},
		{"one died", 1, 0},
		{"two died", 2, 1},
		{"more died", 5, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filled(t)
			writeFile(t, dir, lockName, strings.Repeat("x", c.died))
			s, log := openLogged(t, dir)
			healthy(t, s)
			if info, err := os.Stat(filepath.Join(dir, lockName)); err != nil || info.Size() != 0 {
				t.Errorf("after an opening that went well, %d are counted as dead (%v)", info.Size(), err)
			}
			wantAside(t, s, c.aside)
			if kept := get(t, s, "k") != ""; kept != (c.aside == 0) {
				t.Errorf("the record was kept: %t, want the contrary", kept)
			}
			log.Want(t, c.aside, "write Never rules")
			mustPut(t, s, "new", "1")
		})
	}
}

func TestTooManyMovedAside(t *testing.T) {
	dir := filled(t)
	for i := range maxAside {
		base.Check(t, os.Mkdir(filepath.Join(dir, fmt.Sprint(asidePrefix, i)), 0o700))
	}
	writeFile(t, dir, lockName, strings.Repeat("x", maxFailures))
	s, log := openLogged(t, dir)
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "remove") {
		t.Fatalf("Health with %d folders moved aside: %v, want that they be removed", maxAside, err)
	}
	base.Check(t, os.Remove(movedAside(s.dir)[0]))
	log.Await("works again")
	healthy(t, s)
}

// A damage changes the files of a folder with one table.
type damage struct {
	name string
	do   func(dir string) error
	says string // in the error of Health; "" if the damage heals
}

var damages = []damage{
	{"MANIFEST overwritten", overwrite(manifestName, 0, "not a manifest"), "bad magic"},
	{"MANIFEST emptied", truncate(manifestName, 0), "bad magic"},
	{"MANIFEST with a wrong byte", overwrite(manifestName, -1, "\xff"), "checksum mismatch"},
	{"MANIFEST with a wrong length", overwrite(manifestName, 8, "\x7f"), "corrupted"},
	{"MANIFEST missing", remove(manifestName), "without a manifest"},
	{"MANIFEST cut", truncate(manifestName, -3), "cut short"},
	{"MANIFEST torn", alter(manifestName, func(b []byte) []byte { return append(b, 0, 0, 0) }), ""},
	{"MANIFEST of another format", overwrite(manifestName, 4, "\x00\x07"), "magic"},
	{"table missing", remove(tableSuffix), "is missing"},
	{"table index overwritten", overwrite(tableSuffix, -60, "damage"), "checksum"},
	{"table cut", truncate(tableSuffix, 3000), "checksum"},
	{"table cut to nothing", truncate(tableSuffix, 2), "checksum"},
	{"table emptied", truncate(tableSuffix, 0), "checksum"},
	{"table ends in a length beyond it", overwrite(tableSuffix, -4, "\x00\x10\x00\x00"), "checksum"},
	{"the block's list of records overwritten", spoilTrailer, "opened"},
	{"log encrypted", create("00009.mem", "not a log, but a text of some length"), "no valid beginning"},

	{"KEYREGISTRY emptied", truncate(registryName, 0), ""},
	{"KEYREGISTRY cut", truncate(registryName, 16), ""},
	{"KEYREGISTRY overwritten", overwrite(registryName, 16, "not a key registry"), ""},
	{"KEYREGISTRY longer", create(registryName, strings.Repeat("x", 1000)), ""},
	{"KEYREGISTRY missing", remove(registryName), ""},
	{"values emptied", truncate(valuesSuffix, 0), ""},
	{"values cut", truncate(valuesSuffix, 7), ""},
	{"values overwritten", overwrite(valuesSuffix, 0, "not a log"), ""},
	{"values half made", create("000009.vlog", ""), ""},
	{"log half made", create("00009.mem", ""), ""},
	{"DISCARD cut", truncate("DISCARD", 5), ""},
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

// spoilTrailer overwrites what comes after the records of a table's only block.
var spoilTrailer = alter(tableSuffix, func(b []byte) []byte {
	_, rest, _ := cutTail(b)
	index, _, _ := cutTail(rest)
	copy(b[len(rest)-4-len(index)-4:], "\x7f\xff\xff\xff")
	return b
})

// TestDamageIsHealedOrMovedAside damages files in ways that Badger would die of, or hide. The store
// heals the damage, or moves the files aside after it met the damage twice.
func TestDamageIsHealedOrMovedAside(t *testing.T) {
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dir := filled(t)
			base.Check(t, d.do(filepath.Join(dir, badgerName)))
			s, log := openLogged(t, dir)
			if d.says == "" {
				healthy(t, s)
				if get(t, s, "k") == "" {
					t.Error("the record is lost")
				}
				wantAside(t, s, 0)
				log.Want(t, log.Count(noteTemporary), "dir=")
			} else {
				if err := s.Health(); reasonOf(err) != corrupt || !strings.Contains(err.Error(), d.says) {
					t.Errorf("Health: %v, want damage and %q", err, d.says)
				}
				wantAside(t, s, 0)
				log.Await("works again")
				wantAside(t, s, 1)
				wantNote(t, s, noteAside)
			}
			mustPut(t, s, "k", "new")
			healthy(t, s)
		})
	}
}

// records returns the bytes of a table.
func records(n int) []byte {
	b := table.NewTableBuilder(table.Options{
		BlockSize: 4096, BloomFalsePositive: 0.01, TableSize: tableSize, Compression: options.None,
	})
	defer b.Close()
	for i := range n {
		key := fmt.Sprintf("kpage/%06d", i)
		value := []byte(strings.Repeat("v", 50))
		value = binary.BigEndian.AppendUint32(value, sum([]byte(key), value))
		b.Add(y.KeyWithTs([]byte(key), uint64(i+1)), y.ValueStruct{Value: value}, 0)
	}
	return b.Finish()
}

func TestInspectTableFindsDamage(t *testing.T) {
	at := func(text string, with byte) func([]byte) {
		return func(b []byte) { b[strings.Index(string(b), text)] = with }
	}
	const anyError = "any error"
	for _, c := range []struct {
		name string
		do   func([]byte)
		all  bool
		bad  bool
		says string
	}{
		{"whole", func([]byte) {}, true, false, ""},
		{"a value damaged", at("vvvvv", 'x'), true, true, ""},
		{"a value damaged, not looked at", at("vvvvv", 'x'), false, false, ""},
		{"a key damaged", at("kpage/000000", 'z'), true, true, "a key is damaged"},
		{"the first version damaged", func(b []byte) { b[len("kpage/000000")+strings.Index(string(b), "kpage/000000")] = 0xbf }, true, true, "a key is damaged"},
		{"a block zeroed", func(b []byte) { clear(b[8192:12288]) }, true, true, "read"},
		{"noise in the middle", func(b []byte) { copy(b[20000:], strings.Repeat("\xfe\x01", 300)) }, true, true, anyError},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := records(1000)
			c.do(data)
			bad, err := inspectTableData(data, 1, c.all)
			switch {
			case c.says == "" && (err != nil || bad != c.bad):
				t.Errorf("bad is %t and the error %v, want %t and none", bad, err, c.bad)
			case c.says != "" && (err == nil || c.says != anyError && !strings.Contains(err.Error(), c.says)):
				t.Errorf("the error is %v, want %s", err, c.says)
			}
		})
	}
}

// FuzzInspectTable changes tables anywhere. inspectTableData must return, while Badger would end
// the process.
func FuzzInspectTable(f *testing.F) {
	data := records(200)
	f.Add(uint32(0), []byte{0})
	f.Add(uint32(len(data)-1), []byte{1})
	f.Add(uint32(len(data)-100), []byte("damage"))
	f.Fuzz(func(t *testing.T, at uint32, with []byte) {
		b := append([]byte(nil), data...)
		copy(b[int(at)%len(b):], with)
		if _, err := inspectTableData(b, 1, true); err == nil && string(b) == string(data) {
			return
		}
		_, _ = inspectTableData(b[:int(at)%len(b)], 1, true)
	})
}

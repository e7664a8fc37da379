package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"

	"github.com/servemap/servemap/store"
)

// hidden are damages of which Badger says nothing, or dies.
var hidden = []damage{
	{"table cut", truncate(".sst", 3000), "checksum"},
	{"table cut to nothing", truncate(".sst", 2), "checksum"},
	{"table emptied", truncate(".sst", 0), "checksum"},
	{"table ends in a length beyond it", overwrite(".sst", -4, "\x00\x10\x00\x00"), "checksum"},
	{"the block's list of records overwritten", spoilTrailer, "opened"},
	{"MANIFEST missing", func(dir string) error { return os.Remove(filepath.Join(dir, manifestName)) }, "without a manifest"},
	{"MANIFEST cut", func(dir string) error { return cutBy(filepath.Join(dir, manifestName), 3) }, "cut short"},
	{"MANIFEST of another format", overwrite(manifestName, 4, "\x00\x07"), "magic"},
	{"log encrypted", func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "00009.mem"), []byte("not a log, but a text of some length"), 0o600)
	}, "begin as one"},
}

func cutBy(file string, n int64) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.Truncate(file, info.Size()-n)
}

// spoilTrailer overwrites what follows the records of a table's only block.
func spoilTrailer(dir string) error {
	name := find(dir, ".sst")
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	_, rest, _ := cutTail(b)
	index, _, _ := cutTail(rest)
	copy(b[len(rest)-4-len(index)-4:], "\x7f\xff\xff\xff")
	return os.WriteFile(name, b, 0o600)
}

// TestHiddenDamageIsMovedAside would die if Badger saw some of these.
func TestHiddenDamageIsMovedAside(t *testing.T) {
	for _, d := range hidden {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dir, log := filled(t), newLog()
			if err := d.do(filepath.Join(dir, badgerName)); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, &Options{Logger: log.logger()})
			if err := s.Health(); !errors.Is(err, store.ErrUnavailable) || kindOf(err) != damaged || !strings.Contains(err.Error(), d.says) {
				t.Errorf("Health: %v, want damage and %q", err, d.says)
			}
			log.wait("works again")
			if got := len(s.MovedAside()); got != 1 {
				t.Errorf("%d folders were moved aside, want 1", got)
			}
			wantNote(t, s, noteAside)
			mustPut(t, s, "k", "new")
		})
	}
}

func wantNote(t *testing.T, s *Store, want string) {
	t.Helper()
	for _, note := range s.Notes() {
		if note == want {
			return
		}
	}
	t.Errorf("the notes are %q, want %q", s.Notes(), want)
}

func TestFilesWithoutRecordsHeal(t *testing.T) {
	damages := append([]damage{
		{"values emptied", truncate(valuesSuffix, 0), ""},
		{"values cut", truncate(valuesSuffix, 7), ""},
		{"values overwritten", overwrite(valuesSuffix, 0, "not a log"), ""},
		{"KEYREGISTRY longer", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, keysName), make([]byte, 1000), 0o600)
		}, ""},
		{"KEYREGISTRY missing", func(dir string) error { return os.Remove(filepath.Join(dir, keysName)) }, ""},
		{"DISCARD cut", truncate("DISCARD", 5), ""},
	}, healing...)
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			dir := filled(t)
			if err := d.do(filepath.Join(dir, badgerName)); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir, nil)
			healthy(t, s)
			if get(t, s, "k") == "" || len(s.MovedAside()) != 0 {
				t.Errorf("the record is %q; moved aside: %q", get(t, s, "k"), s.MovedAside())
			}
			mustPut(t, s, "k", "new")
		})
	}
}

// records makes the bytes of a table.
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

func TestInspectTable(t *testing.T) {
	at := func(text string, with byte) func([]byte) {
		return func(b []byte) { b[strings.Index(string(b), text)] = with }
	}
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
		{"a block zeroed", func(b []byte) { clear(b[8192:12288]) }, true, true, "read"},
		{"noise in the middle", func(b []byte) { copy(b[20000:], strings.Repeat("\xfe\x01", 300)) }, true, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := records(1000)
			c.do(data)
			bad, err := inspectTableData(data, 1, c.all)
			if c.name == "noise in the middle" { // any of several
				if err == nil {
					t.Error("it may be used")
				}
				return
			}
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) || err == nil && bad != c.bad {
				t.Errorf("bad is %t and the error %v, want %t and %q", bad, err, c.bad, c.says)
			}
		})
	}
}

// FuzzInspectTable has tables changed at any places. What comes of it must be an
// answer: Badger would take the process down.
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

// TestMaybeTorn has a manifest end in the middle of a change, as a loss of power
// may leave it. Nothing is lost unless there is a table that it does not name.
func TestMaybeTorn(t *testing.T) {
	dir := filled(t)
	f, err := os.OpenFile(filepath.Join(dir, badgerName, manifestName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, nil)
	healthy(t, s)
	if get(t, s, "k") == "" {
		t.Error("the record is lost")
	}
}

// TestBadgerLosesTables holds Badger to why the manifest is looked at: it opens a
// folder whose manifest was cut, and deletes the table.
func TestBadgerLosesTables(t *testing.T) {
	dir := filepath.Join(filled(t), badgerName)
	if err := cutBy(filepath.Join(dir, manifestName), 3); err != nil {
		t.Fatal(err)
	}
	db, err := badger.Open(guestOptions(dir, nil))
	if err != nil {
		t.Fatalf("Badger finds out itself by now: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if tables, _ := filepath.Glob(filepath.Join(dir, "*.sst")); len(tables) != 0 {
		t.Errorf("the tables %q are kept", tables)
	}
}

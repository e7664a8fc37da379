package part

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/sitemap"
)

// mapTx is a transaction on a map.
type mapTx map[string][]byte

func (m mapTx) Get(key string) []byte { return m[key] }
func (m mapTx) Put(key string, value []byte) {
	if value == nil {
		delete(m, key)
		return
	}
	m[key] = value
}

func testBook() Book {
	return Book{Keys: "s|", URL: func(l string) string { return "https://example.com" + l }, MaxURLs: 3}
}

func TestAPageKeepsItsPart(t *testing.T) {
	tx, b := mapTx{}, testBook()
	for i := range 7 {
		if got, want := b.Add(tx, 0, fmt.Sprintf("/%d", i), Entry{}), i/3+1; got != want {
			t.Errorf("page %d is in part %d, want %d", i, got, want)
		}
	}
	b.Remove(tx, 1, "/1")
	if got := b.Add(tx, 1, "/1", Entry{}); got != 1 {
		t.Errorf("a page that comes back is in part %d, want its old one", got)
	}
	b.Remove(tx, 1, "/1")
	if got := b.Add(tx, 0, "/new", Entry{}); got != 3 {
		t.Errorf("a new page is in part %d, want the one being filled", got)
	}
	if got := b.Add(tx, 2, "/8", Entry{}); got != 3 {
		t.Errorf("a page whose old part is full is in part %d, want the one being filled", got)
	}
	if got := b.Find(tx, "/8"); got != 3 {
		t.Errorf("found in part %d, want 3", got)
	}
	if got := b.Find(tx, "/1"); got != 0 {
		t.Errorf("a page that left is found in part %d", got)
	}
}

// longest is how long the entry of a location can be.
func longest(t *testing.T, b Book, location string) int {
	t.Helper()
	entry, ok := sitemap.AppendURL(nil, sitemap.URL{Loc: b.URL(location), LastMod: 1700000000, ChangeFreq: "monthly", Priority: sitemap.MaxPriority})
	if !ok {
		t.Fatal("the entry is refused")
	}
	return len(entry)
}

func TestAPartIsNeverLongerThanItsBytes(t *testing.T) {
	tx, b := mapTx{}, testBook()
	b.MaxURLs, b.MaxBytes = 0, 20_000
	inPart := map[int]int{}
	for i := range 200 {
		location := fmt.Sprintf("/%03d/%s", i, strings.Repeat("&", i%50))
		inPart[b.Add(tx, 0, location, Entry{})] += longest(t, b, location)
	}
	if len(inPart) < 2 {
		t.Fatal("everything is in one part")
	}
	for n, bytes := range inPart {
		if total := bytes + len(sitemap.URLSetOpen) + len(sitemap.URLSetClose); total > b.MaxBytes {
			t.Errorf("part %d takes %d bytes, at most %d are allowed", n, total, b.MaxBytes)
		}
	}
	if inPart[1] < b.MaxBytes*9/10 {
		t.Errorf("the first part is full with %d of %d bytes", inPart[1], b.MaxBytes)
	}
}

// TestWhatIsReservedNeverChanges holds because stored parts were counted so: a
// page that leaves frees what was reserved for it.
func TestWhatIsReservedNeverChanges(t *testing.T) {
	b := testBook()
	if got, want := b.size("/a&b"), len("https://example.com/a&amp;b")+94; got != want {
		t.Errorf("%d bytes are reserved, want %d", got, want)
	}
}

func TestSetTellsWhetherTheFileChanges(t *testing.T) {
	tx, b := mapTx{}, testBook()
	n := b.Add(tx, 0, "/a", Entry{Changed: 5})
	if b.Set(tx, n, "/a", Entry{Changed: 5}) {
		t.Error("an equal entry is taken for a change")
	}
	if !b.Set(tx, n, "/a", Entry{Changed: 6}) {
		t.Error("another date is not taken for a change")
	}
}

func TestEntryEncoding(t *testing.T) {
	full := Entry{Changed: 1, Exact: 2, ExactBy: Page, Given: [sources]int64{0, 3, -4}, Fresh: 5, Freq: 6}
	until := full
	until.Volatile, until.Until = true, 1700000000
	for _, tt := range []struct {
		name   string
		entry  Entry
		golden string // in hexadecimal, without the checksum
	}{
		{"nothing known", Entry{}, "01"},
		{"all but the last fields", full, "010802100418022006280730" + "0a3806"},
		{"every field", until, "010802100418022006280730" + "0a3806" + "4001" + "4880c49fd50c"},
		{"until before 1970", Entry{Until: -1}, "014801"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stored := tt.entry.Encode()
			if got := hex.EncodeToString(stored[:len(stored)-4]); got != tt.golden {
				t.Errorf("encoded as %s, want %s", got, tt.golden)
			}
			if got, err := DecodeEntry(stored); err != nil || got != tt.entry {
				t.Errorf("decoded %+v, %v; want %+v", got, err, tt.entry)
			}
			stored[0] ^= 1
			if _, err := DecodeEntry(stored); err == nil {
				t.Error("a damaged entry was read")
			}
		})
	}
}

func FuzzDecodeEntry(f *testing.F) {
	f.Add(Entry{Changed: 1, Exact: 2, ExactBy: Page, Fresh: 5, Freq: 6}.Encode())
	f.Add(Entry{Volatile: true, Until: 1700000000}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := DecodeEntry(b)
		if err != nil {
			return
		}
		if again, err := DecodeEntry(e.Encode()); err != nil || again != e {
			t.Errorf("%+v, then %+v, %v", e, again, err)
		}
		e.LastMod(Trust{}, 1<<40) // whatever was stored, it must not panic
		_ = e.Freq.String()
	})
}

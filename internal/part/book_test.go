package part

import (
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

func TestAPartIsNeverLongerThanItsBytes(t *testing.T) {
	tx, b := mapTx{}, testBook()
	b.MaxURLs, b.MaxBytes = 0, 20_000
	inPart := map[int]int{}
	for i := range 200 {
		location := fmt.Sprintf("/%03d/%s", i, strings.Repeat("&", i%50))
		n := b.Add(tx, 0, location, Entry{})
		entry, ok := sitemap.AppendURL(nil, sitemap.URL{Loc: b.URL(location), LastMod: 1700000000, ChangeFreq: "monthly"})
		if !ok {
			t.Fatal("the entry is refused")
		}
		inPart[n] += len(entry)
	}
	if len(inPart) < 2 {
		t.Fatal("everything is in one part")
	}
	for n, bytes := range inPart {
		if total := bytes + len(sitemap.URLSetOpen) + len(sitemap.URLSetClose); total > b.MaxBytes {
			t.Errorf("part %d takes %d bytes, at most %d are allowed", n, total, b.MaxBytes)
		}
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
	want := Entry{Changed: 1, Exact: 2, ExactBy: Page, Given: [sources]int64{0, 3, -4}, Fresh: 5, Freq: 6}
	got, err := DecodeEntry(want.Encode())
	if err != nil || got != want {
		t.Errorf("decoded %+v, %v; want %+v", got, err, want)
	}
	const golden = "010802100418022006280730" + "0a3806" + "CRC"
	if enc := fmt.Sprintf("%x", want.Encode()); enc[:len(enc)-8]+"CRC" != golden {
		t.Errorf("encoding %s, want %s", enc, golden)
	}
	damaged := want.Encode()
	damaged[3] ^= 1
	if _, err := DecodeEntry(damaged); err == nil {
		t.Error("a damaged entry was read")
	}
}

func FuzzDecodeEntry(f *testing.F) {
	f.Add(Entry{Changed: 1, Exact: 2, ExactBy: Page, Fresh: 5, Freq: 6}.Encode())
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

package part

import (
	"encoding/hex"
	"fmt"
	"slices"
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
	if got := b.Add(tx, 0, "/new", Entry{}); got != 1 {
		t.Errorf("a new page is in part %d, want the one that a page has left", got)
	}
	if got := b.Add(tx, 0, "/next", Entry{}); got != 3 {
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

// counting counts the keys that are asked for.
type counting struct {
	mapTx
	asked map[string]bool
}

func (c counting) Get(key string) []byte { c.asked[key] = true; return c.mapTx.Get(key) }
func (c counting) Put(key string, value []byte) {
	c.asked[key] = true
	c.mapTx.Put(key, value)
}

func TestRoomIsFilledAgainAtTheCostOfAFewKeys(t *testing.T) {
	tx, b := mapTx{}, testBook()
	b.MaxURLs = 128 // so that a 64th is two pages
	for i := range 60 * 128 {
		b.Add(tx, 0, fmt.Sprintf("/%d", i), Entry{})
	}
	b.Remove(tx, 7, "/768")
	if got := b.Add(tx, 0, "/a", Entry{}); got != 61 {
		t.Errorf("for one page that left, a new one goes to part %d, want the one being filled", got)
	}
	for n := range 50 { // more than are remembered
		for i := range 3 {
			b.Remove(tx, n+1, fmt.Sprintf("/%d", n*128+i+1))
		}
	}
	filled := map[int]int{}
	for i := range 3 * openKept {
		c := counting{tx, map[string]bool{}}
		filled[b.Add(c, 0, fmt.Sprintf("/new%d", i), Entry{})]++
		if len(c.asked) > 6 {
			t.Fatalf("adding a page asked for %d keys", len(c.asked))
		}
	}
	for n, pages := range filled {
		if n != 61 && pages > 4 {
			t.Errorf("part %d got %d pages, and had room for 3 or 4", n, pages)
		}
	}
	if len(filled) < openKept {
		t.Errorf("%d parts were filled again, want at least %d", len(filled), openKept)
	}
}

func TestMendFindsWhatTheHeadForgot(t *testing.T) {
	tx, b := mapTx{}, testBook()
	for i := range 9 {
		b.Add(tx, 0, fmt.Sprintf("/%d", i), Entry{})
	}
	b.Remove(tx, 2, "/4")
	tx.Put(b.Keys.head(), nil) // it is lost
	parts := map[int]Part{}
	for n := 1; n <= 3; n++ {
		parts[n] = readPart(tx.Get(b.Keys.part(n)))
	}
	b.Mend(tx, parts)
	mended := string(tx.Get(b.Keys.head()))
	if got := b.Add(tx, 0, "/a", Entry{}); got != 2 {
		t.Errorf("a new page is in part %d, want the one with room", got)
	}
	if got := b.Add(tx, 0, "/b", Entry{}); got != 4 {
		t.Errorf("a new page is in part %d, want one after the last", got)
	}
	b.Remove(tx, 2, "/a")
	b.Mend(tx, parts)
	if h := readHead([]byte(mended)); h.filling != 3 || len(h.open) != 1 || h.open[0] != 2 {
		t.Errorf("the head was mended to %+v", h)
	}
}

func TestAPartOverItsLimitGivesPagesUp(t *testing.T) {
	tx, b := mapTx{}, testBook()
	b.MaxURLs = 10
	for i := range 10 {
		b.Add(tx, 0, fmt.Sprintf("/%d", i), Entry{Changed: int64(i)})
	}
	b.MaxURLs = 4
	if !b.Over(readPart(tx.Get(b.Keys.part(1)))) {
		t.Fatal("10 pages are not over a limit of 4")
	}
	in := map[int]int{}
	for i := range 10 {
		location := fmt.Sprintf("/%d", i)
		n := b.Move(tx, 1, location)
		in[n]++
		if e, err := DecodeEntry(tx.Get(b.Keys.list(n, location))); err != nil || e.Changed != int64(i) {
			t.Errorf("%s has %+v in part %d, %v", location, e, n, err)
		}
	}
	if in[1] != 4 || in[2] != 4 || in[3] != 2 {
		t.Errorf("the parts have %v pages, want 4, 4 and 2", in)
	}
	for n, pages := range in {
		if p := readPart(tx.Get(b.Keys.part(n))); p.Pages != pages {
			t.Errorf("part %d counts %d pages, and has %d", n, p.Pages, pages)
		}
	}
}

func TestHeadEncoding(t *testing.T) {
	for _, tt := range []struct {
		name   string
		head   head
		golden string // in hexadecimal, without the checksum
	}{
		{"of the first version", head{filling: 7}, "010807"},
		{"with open parts", head{filling: 300, open: []int{2, 200}}, "0108ac02" + "120302c801"},
	} {
		stored := tt.head.encode()
		if got := hex.EncodeToString(stored[:len(stored)-4]); got != tt.golden {
			t.Errorf("%s: encoded as %s, want %s", tt.name, got, tt.golden)
		}
		if got := readHead(stored); got.filling != tt.head.filling || !slices.Equal(got.open, tt.head.open) {
			t.Errorf("%s: read as %+v", tt.name, got)
		}
	}
	if got := readHead([]byte("damaged")); got.filling != 1 || got.open != nil {
		t.Errorf("a damaged head is read as %+v", got)
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

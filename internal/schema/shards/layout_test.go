package shards

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/testkit/base"
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

func testLayout() Layout {
	return Layout{Keys: "s|", URL: func(l string) string { return "https://example.com" + l }, MaxURLs: 3}
}

func TestPageKeepsItsShard(t *testing.T) {
	tx, b := mapTx{}, testLayout()
	for i := range 7 {
		if got, want := b.Add(tx, 0, fmt.Sprintf("/%d", i), Entry{}), i/3+1; got != want {
			t.Errorf("page %d is in shard %d, want %d", i, got, want)
		}
	}
	b.Filling = 3 // as an indexer knows it
	b.Remove(tx, 1, "/1")
	base.Equal(t, b.Add(tx, 1, "/1", Entry{}), 1, "a page that comes back is in shard")
	b.Remove(tx, 1, "/1")
	base.Equal(t, b.Add(tx, 0, "/next", Entry{}), 3, "a new page is in shard")
	base.Equal(t, b.Add(tx, 2, "/8", Entry{}), 3, "a page whose old shard is full is in shard")
	base.Equal(t, b.Find(tx, "/8"), 3, "found in shard")
	base.Equal(t, b.Find(tx, "/1"), 0, "a page that left is found in shard")
}

func TestShardOverItsLimitGivesPagesUp(t *testing.T) {
	tx, b := mapTx{}, testLayout()
	b.MaxURLs = 10
	for i := range 10 {
		b.Add(tx, 0, fmt.Sprintf("/%d", i), changedAt(int64(i)))
	}
	b.MaxURLs = 4
	if !b.Over(tx, 1) {
		t.Fatal("10 pages are not over a limit of 4")
	}
	in := map[int]int{}
	for i := range 10 {
		location := fmt.Sprintf("/%d", i)
		n := 1
		if b.Over(tx, 1) {
			n = b.Move(tx, 1, location)
		}
		in[n]++
		if e, err := DecodeEntry(tx.Get(b.Keys.List(n, location))); err != nil || e.At != moment.Seconds(int64(i)) {
			t.Errorf("%s has %+v in shard %d, %v", location, e, n, err)
		}
	}
	if in[1] != 4 || in[2] != 4 || in[3] != 2 {
		t.Errorf("the shards have %v pages, want 4, 4 and 2", in)
	}
	for n, pages := range in {
		if p := Decode(tx.Get(b.Keys.Shard(n))); p.Pages != pages {
			t.Errorf("shard %d counts %d pages, and has %d", n, p.Pages, pages)
		}
	}
}

// longest is how long the entry of a location can be.
func longest(t *testing.T, b Layout, location string) int {
	t.Helper()
	entry, ok := sitemap.AppendURL(nil, sitemap.URL{Loc: b.URL(location), LastMod: 1700000000, ChangeFreq: "monthly",
		Priority: sitemap.MaxPriority})
	if !ok {
		t.Fatal("the entry is refused")
	}
	return len(entry)
}

func TestShardKeepsItsLimitOfBytes(t *testing.T) {
	tx, b := mapTx{}, testLayout()
	b.MaxURLs, b.MaxBytes = 0, 20_000
	inPart := map[int]int{}
	for i := range 200 {
		location := fmt.Sprintf("/%03d/%s", i, strings.Repeat("&", i%50))
		inPart[b.Add(tx, 0, location, Entry{})] += longest(t, b, location)
	}
	if len(inPart) < 2 {
		t.Fatal("everything is in one shard")
	}
	for n, bytes := range inPart {
		if total := bytes + len(sitemap.URLSetOpen("")) + len(sitemap.URLSetClose); total > b.MaxBytes {
			t.Errorf("shard %d takes %d bytes, at most %d are allowed", n, total, b.MaxBytes)
		}
	}
	if inPart[1] < b.MaxBytes*9/10 {
		t.Errorf("the first shard is full with %d of %d bytes", inPart[1], b.MaxBytes)
	}
}

// TestReservedBytesNeverChange pins how entries are counted, since a page that leaves must
// free exactly the bytes that were reserved for it.
func TestReservedBytesNeverChange(t *testing.T) {
	b := testLayout()
	if got, want := b.size("/a&b"), len("https://example.com/a&amp;b")+118; got != want {
		t.Errorf("%d bytes are reserved, want %d", got, want)
	}
}

// changedAt is the entry of a page that changed at a time in Unix seconds.
func changedAt(unix int64) Entry {
	return Entry{Date: lastmod.Date{At: moment.Seconds(unix), Seen: true}}
}

func TestShardCountsItsChanges(t *testing.T) {
	tx, b := mapTx{}, testLayout()
	n := b.Add(tx, 0, "/a", changedAt(5))
	for _, tt := range []struct {
		name    string
		do      func() bool
		changes bool
	}{
		{"an equal entry", func() bool { return b.Set(tx, n, "/a", changedAt(5)) }, false},
		{"another date", func() bool { return b.Set(tx, n, "/a", changedAt(6)) }, true},
		{"another page", func() bool { return b.Add(tx, 0, "/b", Entry{}) == n }, true},
		{"a page is moved to the same shard", func() bool { return b.Move(tx, n, "/b") == n }, true},
		{"a page leaves", func() bool { b.Remove(tx, n, "/a"); return true }, true},
		{"a page that is not there leaves", func() bool { b.Remove(tx, n, "/a"); return false }, false},
	} {
		before := Decode(tx.Get(b.Keys.Shard(n)))
		base.Equal(t, tt.do(), tt.changes, "%s: told is", tt.name)
		if after := Decode(tx.Get(b.Keys.Shard(n))); after.Changes != before.Changes && !tt.changes ||
			after.Changes <= before.Changes && tt.changes {
			t.Errorf("%s: the count of changes was %d and is %d", tt.name, before.Changes, after.Changes)
		}
	}
}

func TestEntryIsReadAsItWasWritten(t *testing.T) {
	full := Entry{Date: lastmod.Date{At: moment.Seconds(2), By: lastmod.Page, Seen: true}, Freq: 6}
	until := full
	until.Until = moment.Seconds(1700000000)
	for name, want := range map[string]Entry{"nothing known": {}, "all but the last fields": full, "every field": until,
		"extensions": {Extensions: extension.Values{extension.Images: []byte("<image:image/>"), extension.News: []byte("{}")},
			Room: 14}, "until before 1970": {Until: moment.Seconds(-1)}} {
		stored := want.Encode()
		if got, err := DecodeEntry(stored); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: decoded %+v, %v; want %+v", name, got, err, want)
		}
		stored[0] ^= 1
		if _, err := DecodeEntry(stored); err == nil {
			t.Errorf("%s: a damaged entry was read", name)
		}
	}
}

// A record with a valid checksum may still hold any values.
func TestRecordsWithImpossibleNumbersAreDamaged(t *testing.T) {
	whole := Shard{Pages: 2, Bytes: 300}
	for _, v := range []any{-1, uint64(math.MaxUint64), "text"} {
		for field := range uint64(2) {
			p := Decode(recordtest.Set(whole.encode(), 0, field+1, v))
			if full := (Layout{}); p.Changes != 0 || full.over(p) || full.room(p, 1) {
				t.Errorf("a shard with %v in field %d is %+v, want one that may be full", v, field+1, p)
			}
		}
		if e, err := DecodeEntry(recordtest.Set(Entry{Room: 7}.Encode(), 0, 5, v)); err == nil {
			t.Errorf("an entry with %v reserved bytes is %+v", v, e)
		}
	}
}

// A shard whose record was damaged or lost still changes with each page that leaves it: by the
// record other processes see that.
func TestRemovalsAreSeenAfterTheRecordOfAShardIsGone(t *testing.T) {
	for name, record := range map[string][]byte{"damaged": []byte("damage"), "lost": nil} {
		t.Run(name, func(t *testing.T) {
			tx, b := mapTx{}, testLayout()
			for _, location := range []string{"/a", "/b", "/c"} {
				b.Add(tx, 0, location, Entry{})
			}
			tx.Put(b.Keys.Shard(1), record)
			seen := map[string]bool{string(record): true}
			for _, location := range []string{"/a", "/b", "/c"} {
				b.Remove(tx, 1, location)
				stored := string(tx.Get(b.Keys.Shard(1)))
				if p := Decode([]byte(stored)); seen[stored] || p.Changes == 0 {
					t.Errorf("after %s has left, the record is %+v, which is damaged or as before", location, p)
				}
				seen[stored] = true
			}
		})
	}
}

// A new page must not enter a shard whose record is damaged, since that may be full.
func TestShardWithADamagedRecordGetsNoPage(t *testing.T) {
	tx, b := mapTx{}, Layout{Keys: "s|", URL: testLayout().URL}
	b.Add(tx, 0, "/a", Entry{})
	tx.Put(b.Keys.Shard(1), []byte("damage"))
	base.Equal(t, b.Add(tx, 1, "/b", Entry{}), 2, "it is in shard")
}

// A change of an entry's extensions changes what is reserved for them.
func TestExtensionsAreReservedInThePart(t *testing.T) {
	tx, b := mapTx{}, testLayout()
	with := func(x extension.Values) Entry { return Entry{Extensions: x} }
	n := b.Add(tx, 0, "/a", with(extension.Values{extension.Images: []byte("12345678")}))
	b.Add(tx, 0, "/b", with(nil))
	bare := b.Reserved("/a", nil) + b.Reserved("/b", nil)
	want := func(when string, more int) {
		t.Helper()
		if got := Decode(tx.Get(b.Keys.Shard(n))).Bytes; got != bare+more {
			t.Errorf("%s: %d bytes are reserved, want %d", when, got, bare+more)
		}
	}
	want("at first", 8)
	b.Set(tx, n, "/a", with(extension.Values{extension.Images: []byte("123"),
		extension.News: []byte("in a file of its own")}))
	want("smaller", 3)
	if got := b.Extensions(tx, n, "/a"); string(got[extension.Images]) != "123" {
		t.Errorf("stored are %v", got)
	}
	b.Set(tx, n, "/b", with(extension.Values{extension.Alternates: []byte("de /b\nen /c\n")}))
	if got := Decode(tx.Get(b.Keys.Shard(n))).Bytes - bare - 3; got < 2*len(
		`<xhtml:link rel="alternate" hreflang="de" href="`+b.URL("/b")+`"/>`) {
		t.Errorf("%d bytes are reserved for two alternates", got)
	}
	b.Remove(tx, n, "/a")
	b.Remove(tx, n, "/b")
	if got := Decode(tx.Get(b.Keys.Shard(n))).Bytes; got != 0 {
		t.Errorf("of an empty shard %d bytes are reserved", got)
	}
}

package book

import (
	"github.com/servemap/servemap/internal/record/recordtest"
	"math"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
)

// A record with a valid checksum may still hold any values.
func TestRecordsWithImpossibleNumbers(t *testing.T) {
	for _, v := range []uint64{1 << 31, 1 << 32, 1 << 62, 1 << 63, math.MaxUint64} {
		h := readHead(recordtest.Numbered(1, v))
		if h != 1 {
			t.Errorf("head: part %d is filled of one said to be %d", h, v)
		}
		p := DecodePart(recordtest.Numbered(1, v))
		if p.Pages <= 0 || p.Pages > math.MaxInt32 {
			t.Errorf("part: %d pages of %d", p.Pages, v)
		}
		if e, err := DecodeEntry(recordtest.Numbered(12, v)); err != nil || e.room < 0 || e.room > sitemap.MaxBytes {
			t.Errorf("entry: %d bytes of %d are reserved, %v", e.room, v, err)
		}
	}
}

// The number of the part being filled decides how many parts are read.
func TestHeadFarAhead(t *testing.T) {
	for _, filling := range []uint64{5000, keys.MaxPart, keys.MaxPart + 1, math.MaxInt64, math.MaxUint64} {
		b := testBook()
		c := counting{mapTx{b.Keys.Head(): recordtest.Numbered(1, filling)}, map[string]bool{}}
		if got := b.Find(c, "/lost"); got != 0 || len(c.asked) > 1100 {
			t.Errorf("filling %d: found in part %d, and %d keys were asked for", filling, got, len(c.asked))
		}
		if n := b.Add(c, 0, "/new", Entry{}); n < 1 || n > keys.MaxPart {
			t.Errorf("filling %d: a page is added to part %d", filling, n)
		}
	}
}

// headFields are those of the record that says which part is being filled.
func headFields(filling int) []byte {
	tx, b := mapTx{}, testBook()
	b.putHead(tx, filling)
	return recordtest.FieldsOf(tx.Get(b.Keys.Head()))
}

// FuzzBook lists and removes pages with forged records of parts.
func FuzzBook(f *testing.F) {
	f.Add(headFields(2), recordtest.FieldsOf(Part{Pages: 2, Bytes: 300}.encode()), recordtest.FieldsOf(Entry{}.Encode()), 1)
	f.Add(headFields(1), recordtest.FieldsOf(Part{Pages: 1, Bytes: 300, Using: [3]int{1: 1}}.encode()), recordtest.FieldsOf(Entry{Extension: everything()}.Encode()), 40)
	f.Fuzz(func(t *testing.T, head, part, entry []byte, n int) {
		b := testBook()
		n = 1 + int(uint(n)%64)
		tx := mapTx{b.Keys.Head(): recordtest.Sealed(head), b.Keys.Part(n): recordtest.Sealed(part), b.Keys.List(n, "/a"): recordtest.Sealed(entry)}
		c := counting{tx, map[string]bool{}}
		sane := func(what string, n int) {
			if n < 1 || n > keys.MaxPart {
				t.Errorf("%s: part %d", what, n)
			}
		}
		if found := b.Find(c, "/a"); found != 0 && found != n {
			t.Errorf("found in part %d, want %d", found, n)
		}
		at := b.Move(c, n, "/a")
		sane("moved", at)
		b.Set(c, at, "/a", Entry{Candidates: lastmod.Candidates{Changed: moment.Seconds(1)}, Extension: everything()})
		sane("added", b.Add(c, 0, "/b", Entry{}))
		b.Remove(c, at, "/a")
		sane("added again", b.Add(c, at, "/a", Entry{}))
		parts := map[int]Part{n: DecodePart(tx[b.Keys.Part(n)])}
		b.Uneven(parts, b.Mend(c, parts))
		if len(c.asked) > 2100 {
			t.Errorf("%d keys were asked for", len(c.asked))
		}
		for key, value := range tx {
			if p := DecodePart(value); strings.HasPrefix(key, b.Keys.Parts()) && (p.Pages < 0 || p.Bytes < 0) {
				t.Errorf("%s is %+v", key, p)
			}
		}
	})
}

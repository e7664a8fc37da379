package files

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/shards"
)

func TestFileRecordIsReadAsItWasWritten(t *testing.T) {
	full := &file{
		hash: hash{1, 2, 3}, size: 4_000_000, modified: moment.Seconds(1_700_000_000), pages: 50_000, damaged: 2, until: moment.Seconds(1_800_000_000),
		unread: true, stored: true,
	}
	var g lastmod.Gatherer
	for i := range 203 {
		g.Add(&lastmod.Candidates{Given: lastmod.Given[moment.Time]{lastmod.Server: moment.Seconds(1_690_000_000 + int64(i)/200)}})
	}
	g.Add(&lastmod.Candidates{Given: lastmod.Given[moment.Time]{lastmod.Page: 1000}})
	full.dates = g.Summarise()
	empty := &file{unread: true, stored: true, modified: moment.Seconds(1_700_000_000)}
	for _, tt := range []struct {
		name   string
		file   *file
		golden string // in hexadecimal, without the checksum
	}{
		{"every field", full, "010a10010203000000000000000000000000001080c49fd50c18d086032080" + "92f4012880c8ceb40d300250cb015a08cb0180eadacb0c026001"},
		{"a part that shows nothing", empty, "010a10000000000000000000000000000000001080c49fd50c"},
	} {
		stored := tt.file.encode()
		if got := hex.EncodeToString(stored[:len(stored)-4]); got != tt.golden {
			t.Errorf("%s: encoded as %s, want %s", tt.name, got, tt.golden)
		}
		if got := readFile(stored); !reflect.DeepEqual(got, tt.file) {
			t.Errorf("%s: read as %+v, want %+v", tt.name, got, tt.file)
		}
		stored[3] ^= 1
		if readFile(stored) != nil {
			t.Errorf("%s: it was read although it is damaged", tt.name)
		}
	}
}

// A record with a valid checksum may still hold any values.
func TestFileRecordsWithImpossibleNumbersAreReadWithinBounds(t *testing.T) {
	for _, v := range []uint64{1 << 31, 1 << 32, 1 << 62, 1 << 63, math.MaxUint64} {
		if f := readFile(recordtest.Numbered(4, v)); f.size < 0 || f.size > sitemap.MaxBytes {
			t.Errorf("file: %d bytes of %d", f.size, v)
		}
		if f := readFile(recordtest.Numbered(3, v)); f.pages <= 0 {
			t.Errorf("file: %d pages of %d", f.pages, v)
		}
	}
}

// FuzzFile reads a stored file as a start does.
func FuzzFile(f *testing.F) {
	p := &file{hash: hash{1}, size: 7, pages: 3, modified: moment.Seconds(1_700_000_000), until: moment.Seconds(1_800_000_000)}
	var g lastmod.Gatherer
	for range 300 {
		g.Add(&lastmod.Candidates{Given: lastmod.Given[moment.Time]{lastmod.Server: moment.Seconds(1_690_000_000)}})
	}
	p.dates = g.Summarise()
	f.Add(recordtest.FieldsOf(p.encode()), int64(1_750_000_000))
	f.Fuzz(func(t *testing.T, fields []byte, now int64) {
		p := readFile(recordtest.Sealed(fields))
		if p == nil {
			return
		}
		if again := readFile(p.encode()); again == nil || !bytes.Equal(again.encode(), p.encode()) {
			t.Errorf("%+v is read again as %+v", p, again)
		}
		files := New(Config{Name: "sitemap", Folder: "/", URL: testURL})
		files.publish(map[int]*file{1: p, 2: p}, lastmod.Trust{}, 0)
		next := files.served.Load()
		if next.pages < 0 || next.damaged < 0 {
			t.Errorf("%d pages, and %d are damaged", next.pages, next.damaged)
		}
		if fresh := files.fresh(time.Unix(codec.Seconds(now), 0)); fresh < 0 || fresh > lookAgain {
			t.Errorf("fresh for %v", fresh)
		}
		if at := p.later(moment.Seconds(1_750_000_000)); at <= p.modified {
			t.Errorf("what follows %v is of %v", p.modified, at)
		}
	})
}

func testURL(location string) string { return "https://example.com" + location }

// FuzzEntry reads an entry, and shows it in a file.
func FuzzEntry(f *testing.F) {
	f.Add(recordtest.FieldsOf(shards.Entry{Candidates: lastmod.Candidates{Changed: 1000, Exact: 2000, ExactBy: lastmod.Page, Fresh: 5000}, Freq: 6}.Encode()), int64(1_700_000_000), uint8(0))
	f.Add(recordtest.FieldsOf(shards.Entry{Candidates: lastmod.Candidates{Volatile: true}, Until: moment.Seconds(1700000000)}.Encode()), int64(0), uint8(1))
	f.Add(recordtest.FieldsOf(shards.Entry{Candidates: lastmod.Candidates{Given: lastmod.Given[moment.Time]{0, 3000, 4000}, Young: lastmod.Given[bool]{lastmod.Server: true}}, Extension: everything()}.Encode()), int64(1<<62), uint8(0xff))
	f.Fuzz(func(t *testing.T, fields []byte, now int64, declared uint8) {
		e, err := shards.DecodeEntry(recordtest.Sealed(fields))
		if err != nil {
			return
		}
		if again, err := shards.DecodeEntry(e.Encode()); err != nil || !bytes.Equal(again.Encode(), e.Encode()) {
			t.Errorf("%+v, then %+v, %v", e, again, err)
		}
		at := moment.Time(now)
		trust := lastmod.Trust{lastmod.Server: {UpTo: at, Stamps: lastmod.Stamps{}.With(lastmod.Stamp{From: at, To: at})}}
		files := New(Config{URL: testURL, Extensions: sitemap.Alternates | sitemap.Images | sitemap.Videos})
		m := making{trust: trust, now: at, declared: sitemap.Namespaces(declared) & files.cfg.Extensions}
		p := &files.maker.press
		if !files.append("/a", &e, &m) {
			t.Errorf("%+v has no place in a file", e)
		}
		if most := (shards.Book{URL: testURL}).Reserved("/a", e.Extension); len(p.text) > most {
			t.Errorf("it takes %d bytes, and %d are reserved", len(p.text), most)
		}
		p.text = p.text[:0]
		if x := e.Extension; x != nil && x.News != nil {
			files.appendNews(shards.Article{Location: "/a", Part: 1, Published: x.News.Published}, x)
			if lines := bytes.Count(p.text, []byte("\n")); lines > 1 {
				t.Errorf("%d lines of one article", lines)
			}
		}
	})
}

func TestLocationSetHasWhatWasAdded(t *testing.T) {
	f := New(Config{})
	for _, n := range []int{0, 1, 2, 3, 1000} {
		var hashes, odd []uint64
		for i := range n {
			h := f.hashOf(fmt.Sprintf("/page/%d", i))
			if hashes = append(hashes, h, h); i%2 == 1 { // a location may be there twice
				odd = append(odd, h)
			}
		}
		s := newLocations(hashes)
		even := s.without(newLocations(odd))
		for i := range 2 * n {
			h := f.hashOf(fmt.Sprintf("/page/%d", i))
			if s.has(h) != (i < n) || even.has(h) != (i < n && i%2 == 0) {
				t.Fatalf("of %d locations, number %d is there: %t, and without the odd ones: %t", n, i, s.has(h), even.has(h))
			}
		}
		if len(s) != n {
			t.Errorf("a set of %d has %d members", n, len(s))
		}
	}
}

package part

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
)

// sealed is the record with these fields, whatever they are.
func sealed(fields []byte) []byte {
	var e record.Encoder
	e.Raw(fields)
	return e.Seal()
}

// fieldsOf returns the fields of a record.
func fieldsOf(b []byte) []byte { return b[1 : len(b)-4] }

// numbered is a record with one number in it.
func numbered(num int, v uint64) []byte {
	var e record.Encoder
	e.Uint(num, v)
	return e.Seal()
}

// Records whose checksums hold may say anything all the same.
func TestRecordsThatSayWhatCannotBe(t *testing.T) {
	for _, v := range []uint64{1 << 31, 1 << 32, 1 << 62, 1 << 63, math.MaxUint64} {
		h := readHead(numbered(1, v))
		if h != 1 {
			t.Errorf("head: part %d is filled of one said to be %d", h, v)
		}
		p := readPart(numbered(1, v))
		if p.Pages <= 0 || p.Pages > math.MaxInt32 {
			t.Errorf("part: %d pages of %d", p.Pages, v)
		}
		if f := readFile(numbered(fileSize, v)); f.size < 0 || f.size > sitemap.MaxBytes {
			t.Errorf("file: %d bytes of %d", f.size, v)
		}
		if f := readFile(numbered(filePages, v)); f.pages <= 0 {
			t.Errorf("file: %d pages of %d", f.pages, v)
		}
		if e, err := DecodeEntry(numbered(entryRoom, v)); err != nil || e.room < 0 || e.room > sitemap.MaxBytes {
			t.Errorf("entry: %d bytes of %d are reserved, %v", e.room, v, err)
		}
	}
}

// The part that is said to be filled decides how many are asked for.
func TestAHeadThatIsFarAhead(t *testing.T) {
	for _, filling := range []uint64{5000, MaxParts, MaxParts + 1, math.MaxInt64, math.MaxUint64} {
		b := testBook()
		c := counting{mapTx{b.Keys.head(): numbered(1, filling)}, map[string]bool{}}
		if got := b.Find(c, "/lost"); got != 0 || len(c.asked) > 1100 {
			t.Errorf("filling %d: found in part %d, and %d keys were asked for", filling, got, len(c.asked))
		}
		if n := b.Add(c, 0, "/new", Entry{}); n < 1 || n > MaxParts {
			t.Errorf("filling %d: a page is added to part %d", filling, n)
		}
	}
}

// Keys of another form than ours would be elsewhere in their order than their time is.
func TestTimesInKeys(t *testing.T) {
	k := Keys("s|")
	for digits, want := range map[string]bool{
		"0123456789a": true, "123456789a": false, "00123456789a": false, "-123456789a": false, "+123456789a": false,
		"7fffffffffffffff": false, "": false,
	} {
		if at, location, ok := k.logged(k.logs() + digits + "|/a"); ok != want || ok && (at != 0x123456789a || location != "/a") {
			t.Errorf("%q of an event is read as %x, %q, %v", digits, at, location, ok)
		}
	}
	for digits, want := range map[string]bool{"0123456a": true, "7": false, "-123456a": false, "123456789a": false} {
		if at, _, ok := k.published(k.announced() + digits + "|/a"); ok != want || ok && at != 0x123456a {
			t.Errorf("%q of an article is read as %x, %v", digits, at, ok)
		}
	}
	longest := len(k.log(latest, ""))
	for _, at := range []int64{math.MinInt64, -1, 0, latest + 1, math.MaxInt64} {
		if n := len(k.log(at, "")); n != longest {
			t.Errorf("the key of an event at %d has %d bytes, want %d", at, n, longest)
		}
	}
}

// A file that was stored is served from memory no sooner than it is rendered, and that
// goes by what was stored of its size.
func TestAFileThatIsSaidToBeHuge(t *testing.T) {
	for name, stored := range map[string][]byte{
		"huge": numbered(fileSize, 1<<62), "less than nothing": numbered(fileSize, math.MaxUint64),
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			s.files.served.parts = map[int]*file{1: readFile(stored)}
			s.files.press.begin(s.files.expected(1))
		})
	}
}

// FuzzFile reads a file that was stored, and does with it what is done at a start.
func FuzzFile(f *testing.F) {
	p := &file{hash: hash{1}, size: 7, pages: 3, modified: time.Unix(1_700_000_000, 0), until: moment.Seconds(1_800_000_000)}
	var g lastmod.Gatherer
	for range 300 {
		g.Add(&lastmod.Candidates{Given: lastmod.Given[moment.Time]{lastmod.Server: moment.Seconds(1_690_000_000)}})
	}
	p.dates = g.Summarise()
	f.Add(fieldsOf(p.encode()), int64(1_750_000_000))
	f.Fuzz(func(t *testing.T, fields []byte, now int64) {
		p := readFile(sealed(fields))
		if p == nil {
			return
		}
		if again := readFile(p.encode()); again == nil || !bytes.Equal(again.encode(), p.encode()) {
			t.Errorf("%+v is read again as %+v", p, again)
		}
		files := New(Config{Name: "sitemap", Folder: "/", URL: testBook().URL})
		parts := map[int]*file{1: p, 2: p}
		next := files.assemble(parts, sides{}, snapshot{})
		files.served = next
		files.press.begin(files.expected(1))
		if next.pages < 0 || next.damaged < 0 {
			t.Errorf("%d pages, and %d are damaged", next.pages, next.damaged)
		}
		if stale, fresh := files.stale(time.Unix(record.Seconds(now), 0)); !stale && (fresh <= 0 || fresh > lookAgain) {
			t.Errorf("fresh for %v", fresh)
		}
		if at := p.later(time.Unix(1_750_000_000, 0)); !at.After(p.modified) {
			t.Errorf("what follows %v is of %v", p.modified, at)
		}
	})
}

// headFields are those of the record that says which part is being filled.
func headFields(filling int) []byte {
	tx, b := mapTx{}, testBook()
	b.putHead(tx, filling)
	return fieldsOf(tx.Get(b.Keys.head()))
}

// FuzzBook does with the records of parts what is done with pages.
func FuzzBook(f *testing.F) {
	f.Add(headFields(2), fieldsOf(Part{Pages: 2, Bytes: 300}.encode()), fieldsOf(Entry{}.Encode()), 1)
	f.Add(headFields(1), fieldsOf(Part{Pages: 1, Bytes: 300, Images: 1}.encode()), fieldsOf(Entry{Extension: everything()}.Encode()), 40)
	f.Fuzz(func(t *testing.T, head, part, entry []byte, n int) {
		b := testBook()
		n = 1 + int(uint(n)%64)
		tx := mapTx{b.Keys.head(): sealed(head), b.Keys.part(n): sealed(part), b.Keys.list(n, "/a"): sealed(entry)}
		c := counting{tx, map[string]bool{}}
		sane := func(what string, n int) {
			if n < 1 || n > MaxParts {
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
		parts := map[int]Part{n: readPart(tx[b.Keys.part(n)])}
		b.Uneven(parts, b.Mend(c, parts))
		if len(c.asked) > 2100 {
			t.Errorf("%d keys were asked for", len(c.asked))
		}
		for key, value := range tx {
			if p := readPart(value); strings.HasPrefix(key, b.Keys.parts()) && (p.Pages < 0 || p.Bytes < 0) {
				t.Errorf("%s is %+v", key, p)
			}
		}
	})
}

// FuzzEvent does with an event what is done with those of a page, and reads keys.
func FuzzEvent(f *testing.F) {
	f.Add(fieldsOf(event{Changed, 5, 1}.encode()), int64(7), "s|log|00000000007|/a")
	f.Add(fieldsOf(event{Added, 0, 1}.encode()), int64(-1), "s|article|00000007|/a")
	f.Fuzz(func(t *testing.T, fields []byte, before int64, key string) {
		j := Journal{Keys: "s|"}
		tx := mapTx{j.Keys.log(before, "/a"): sealed(fields)}
		j.Moved(tx, before, "/a", 2)
		at := j.Note(tx, before, "/a", Changed, 1_700_000_000_000, 1)
		if e, ok := readEvent(tx[j.Keys.log(at, "/a")]); !ok || e.what != Changed {
			t.Errorf("noted as %+v, %v", e, ok)
		}
		if before != 0 && len(tx) != 1 {
			t.Errorf("there are %d events of one page", len(tx))
		}
		if at, location, ok := j.Keys.logged(key); ok && !strings.EqualFold(j.Keys.log(at, location), key) && strings.HasPrefix(key, j.Keys.logs()) {
			t.Errorf("%q is read as %d and %q", key, at, location)
		}
		if at, location, ok := j.Keys.published(key); ok && !strings.EqualFold(j.Keys.announcedAt(at)+location, key) && strings.HasPrefix(key, j.Keys.announced()) {
			t.Errorf("%q is read as %d and %q", key, at, location)
		}
		readAnnounced(sealed(fields))
		readBeginning(sealed(fields)).after(time.UnixMilli(before))
	})
}

// FuzzDecodeEntry reads an entry, and shows it in a file.
func FuzzDecodeEntry(f *testing.F) {
	f.Add(fieldsOf(Entry{Candidates: lastmod.Candidates{Changed: 1000, Exact: 2000, ExactBy: lastmod.Page, Fresh: 5000}, Freq: 6}.Encode()), int64(1_700_000_000), uint8(0))
	f.Add(fieldsOf(Entry{Candidates: lastmod.Candidates{Volatile: true}, Until: moment.Seconds(1700000000)}.Encode()), int64(0), uint8(1))
	f.Add(fieldsOf(Entry{Candidates: lastmod.Candidates{Given: lastmod.Given[moment.Time]{0, 3000, 4000}, Young: lastmod.Given[bool]{lastmod.Server: true}}, Priority: 7, Extension: everything()}.Encode()), int64(1<<62), uint8(0xff))
	f.Fuzz(func(t *testing.T, fields []byte, now int64, declared uint8) {
		e, err := DecodeEntry(sealed(fields))
		if err != nil {
			return
		}
		if again, err := DecodeEntry(e.Encode()); err != nil || !bytes.Equal(again.Encode(), e.Encode()) {
			t.Errorf("%+v, then %+v, %v", e, again, err)
		}
		at := moment.Time(now)
		trust := lastmod.Trust{lastmod.Server: {UpTo: at, Stamps: lastmod.Stamps{}.With(lastmod.Stamp{From: at, To: at})}}
		files := New(Config{URL: testBook().URL, InferPriority: true, Extensions: sitemap.Alternates | sitemap.Images | sitemap.Videos})
		m := making{trust: trust, now: at, declared: sitemap.Namespaces(declared) & e.Extension.uses() & files.cfg.Extensions}
		p := &files.press
		if !files.append(p, "/a", &e, &m) {
			t.Errorf("%+v has no place in a file", e)
		}
		if most := testBook().size("/a") + e.Extension.room(testBook().URL) + sitemap.PriorityLen; len(p.text) > most {
			t.Errorf("it takes %d bytes, and %d are reserved", len(p.text), most)
		}
		p.text = p.text[:0]
		if x := e.Extension; x != nil && x.News != nil {
			files.appendNews(p, article{"/a", 1, x.News.Published}, x)
			if lines := bytes.Count(p.text, []byte("\n")); lines > 1 {
				t.Errorf("%d lines of one article", lines)
			}
		}
	})
}

package merge

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/internal/txn"
)

// sealed is the record with these fields, whatever they are.
func sealed(fields []byte) []byte {
	var e record.Encoder
	e.Raw(fields)
	return e.Seal()
}

// fieldsOf returns the fields of a record.
func fieldsOf(b []byte) []byte { return b[1 : len(b)-4] }

// forged is a field that says something else than the one of its number in a
// record: readers go by the last one.
type forged struct {
	num  int
	n    uint64
	data string // where it is not empty, in place of the number
}

func (f forged) in(b []byte) []byte {
	var e record.Encoder
	e.Keep(record.Others(b, 0))
	if f.data != "" {
		e.Bytes(f.num, []byte(f.data))
	} else {
		e.Uint(f.num, f.n)
	}
	return e.Seal()
}

// Records whose checksums hold may say anything all the same. Where the rest of
// the program could not go on with that, it is not believed.
func TestPagesThatCannotBe(t *testing.T) {
	for _, tt := range []struct {
		name string
		forged
		damaged bool
		want    func(*Page) bool
	}{
		{"a part beyond all", forged{num: 110, n: 1 << 31}, true, nil},
		{"a part below none", forged{num: 110, n: math.MaxUint64}, true, nil},
		{"listed in no part", forged{num: 110, data: "x"}, true, nil},
		{"a last look in no year", forged{num: 10 + 1, n: math.MaxUint64 - 1}, false, func(p *Page) bool { return p.lastSeen/1000 == 253_402_300_799 }},
		{"an event in no year", forged{num: 110 + 1, n: math.MaxUint64 - 1}, false, func(p *Page) bool { return p.logged > 0 && p.logged < 1<<48 }},
		{"a peer that is no location", forged{num: 90 + 1, data: "de no location"}, false, func(p *Page) bool { return len(p.peers) == 1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Decode(tt.in(full().encode()))
			if (err != nil) != tt.damaged || err == nil && !tt.want(p) {
				t.Errorf("read as %+v, %v", p, err)
			}
		})
	}
}

// site is a site of which nothing is known.
func site() *Site {
	return &Site{
		Settings: Settings{KeepFor: 90 * day, Networks: 3, Confidence: 0.5}, Keys: "https://example.com|", Names: secret.NewNames(nil),
	}
}

// lookAt merges a look at a page into a record that belongs to no store.
func (p *Page) lookAt(facts *page.Facts, at moment.Time, variety uint16) {
	m := New(txn.New(map[string][]byte{}), site(), at.Time())
	sighting := &look.Sighting{Kind: admit.Witness, Location: "/a", At: at.Time(), Response: &tap.Response{Status: 200}}
	k := &Look{Look: &look.Look{Sighting: sighting, Hash: facts.MainHash, Server: at.Add(-2 * time.Hour)}}
	v := mark.Read(facts)
	k.Full, k.View, k.VarietyKey, k.Own = true, &v, variety, at.Add(-3*time.Hour)
	k.Same = p.bodyHash == k.Hash && p.bodyHash != 0
	if m.follows(p, at) {
		m.seen(k, p)
	}
}

// FuzzPage reads a page, and does with it what looks do.
func FuzzPage(f *testing.F) {
	f.Add(fieldsOf(full().encode()), int64(1_700_000_500), int64(60), "<main><p>A text that is long enough to be one, and more of it.")
	f.Add(fieldsOf(new(Page).encode()), int64(0), int64(-5), "<main><p>one</p><p>two")
	var e record.Encoder
	e.Bytes(3, []byte{1, 2, 3})
	e.Bytes(4, []byte{9, 9})
	e.Bytes(49, []byte{1})
	f.Add(fieldsOf(e.Seal()), int64(1<<40), int64(1), "")
	f.Fuzz(func(t *testing.T, fields []byte, at, gap int64, body string) {
		s, err := Decode(sealed(fields))
		if err != nil {
			return
		}
		again, err := Decode(s.encode())
		if err != nil || !bytes.Equal(again.encode(), s.encode()) {
			t.Fatalf("%+v is read again as %+v, %v", s, again, err)
		}
		at, gap = record.Seconds(at), gap%(1<<32)
		facts := page.Read([]byte(body), page.Options{})
		for i := range 4 {
			before := *s
			dated := s.lastMod(at)
			s.lookAt(&facts, moment.Seconds(at), uint16(gap)&6)
			after := s.lastMod(at)
			if after > at && after > 0 {
				t.Errorf("dated %d at %d", after, at)
			}
			if certain := before.dates.LastChange() > 0; certain && dated > after && after > 0 {
				t.Errorf("the date went back from %d to %d at %d", dated, after, at)
			}
			if n := len(s.encode()); n > len(fields)+700 {
				t.Errorf("a page that came with %d bytes has %d", len(fields), n)
			}
			s.history()
			s.entry(0.5)
			if i == 1 {
				facts = page.Read([]byte(body+"<p>Something else that is long enough to be a text of its own."), page.Options{})
			}
			at = record.Seconds(at + gap)
		}
		if _, err := Decode(s.encode()); err != nil {
			t.Errorf("it cannot be read any more: %v", err)
		}
	})
}

// lastMod returns the date that is published while every source is believed, in
// Unix seconds.
func (p *Page) lastMod(now int64) int64 {
	return p.dates.Candidates().LastMod(lastmod.Trust{}, moment.Seconds(now)).Seconds()
}

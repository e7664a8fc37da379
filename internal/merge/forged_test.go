package merge

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/keys"
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
		{"a part beyond all", forged{num: fieldsListing, n: 1 << 31}, true, nil},
		{"a part below none", forged{num: fieldsListing, n: math.MaxUint64}, true, nil},
		{"listed in no part", forged{num: fieldsListing, data: "x"}, true, nil},
		{"a last look in no year", forged{num: fieldsPresence + 1, n: math.MaxUint64 - 1}, false, func(s *Page) bool { return s.lastSeen/1000 == 253_402_300_799 }},
		{"an event in no year", forged{num: fieldsListing + 1, n: math.MaxUint64 - 1}, false, func(s *Page) bool { return s.logged > 0 && s.logged < 1<<48 }},
		{"a peer that is no location", forged{num: fieldsLanguages + 1, data: "de no location"}, false, func(s *Page) bool { return len(s.peers) == 1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Decode(tt.in(full().encode()))
			if (err != nil) != tt.damaged || err == nil && !tt.want(s) {
				t.Errorf("read as %+v, %v", s, err)
			}
		})
	}
}

// What was seen by a clock that no clock can follow counts for nothing.
func TestActivityThatCannotBe(t *testing.T) {
	for name, a := range map[string]Activity{
		"a last span long before all": {length: 3600, last: math.MinInt64, seen: 7},
		"spans without a length":      {length: 0, last: 5, seen: 7},
		"spans that go back":          {length: -60, last: 5, seen: 7},
		"a last span after all":       {length: 3600, last: math.MaxInt64, seen: 7},
	} {
		t.Run(name, func(t *testing.T) {
			got := ReadActivity(a.Encode())
			after := got.Observed(moment.Seconds(1_700_000_000), time.Hour)
			if after.seen&1 != 1 || after.since(moment.Seconds(math.MinInt32)) > spans {
				t.Errorf("observed, it is %+v", after)
			}
		})
	}
}

// A record of a content may name anything as the location that stands for it.
func TestAContentOfWhatIsNoLocation(t *testing.T) {
	for _, listed := range []string{"no location", "/\x00", "/" + strings.Repeat("a", keys.MaxLocation)} {
		if got := readDuplicates(duplicates{listed: listed}.encode()); got.listed != "" {
			t.Errorf("%.20q stands for it", got.listed)
		}
	}
	if got := readDuplicates(duplicates{listed: "/a"}.encode()); got.listed != "/a" {
		t.Errorf("%q stands for it, want /a", got.listed)
	}
}

// site is a site of which nothing is known.
func site() *Site {
	return &Site{
		Settings: Settings{KeepFor: 90 * day, Networks: 3, Confidence: 0.5}, Keys: "https://example.com|", Names: secret.NewNames(nil),
	}
}

// lookAt merges a look at a page into a record that belongs to no store.
func (s *Page) lookAt(facts *page.Facts, at moment.Time, variety uint16) {
	m := New(txn.New(map[string][]byte{}), site(), at.Time())
	sighting := &look.Sighting{Kind: admit.Witness, Location: "/a", At: at.Time(), Response: &tap.Response{Status: 200}}
	k := &Look{Look: &look.Look{Sighting: sighting, Hash: facts.MainHash, Server: at.Add(-2 * time.Hour)}}
	v := mark.Read(facts)
	k.Full, k.View, k.VarietyKey, k.Own = true, &v, variety, at.Add(-3*time.Hour)
	k.Same = s.bodyHash == k.Hash && s.bodyHash != 0
	if m.follows(s, at) {
		m.seen(k, s)
	}
}

// FuzzPage reads a page, and does with it what looks do.
func FuzzPage(f *testing.F) {
	f.Add(fieldsOf(full().encode()), int64(1_700_000_500), int64(60), "<main><p>A text that is long enough to be one, and more of it.")
	f.Add(fieldsOf(new(Page).encode()), int64(0), int64(-5), "<main><p>one</p><p>two")
	var e record.Encoder
	e.Bytes(fieldMark, []byte{1, 2, 3})
	e.Bytes(fieldRate, []byte{9, 9})
	e.Bytes(evidenceNetworks, []byte{1})
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

// FuzzSmallRecords reads the records that are no page, and does with them what is done
// then.
func FuzzSmallRecords(f *testing.F) {
	f.Add(fieldsOf(siblings{siblings: 1, orphans: 2, day: 3, grown: 4}.encode()), int64(1_700_000_000))
	f.Add(fieldsOf(Activity{length: 3600, last: 472222, seen: 5}.Encode()), int64(1_700_000_000))
	f.Add(fieldsOf(duplicates{listed: "/a", members: []uint64{1, 2}}.encode()), int64(5))
	f.Add(fieldsOf((&refusals{of: []refusal{{network: 1, missing: 2}}}).encode()), int64(5))
	f.Fuzz(func(t *testing.T, fields []byte, at int64) {
		b := sealed(fields)
		now := moment.Seconds(max(0, record.Seconds(at)))
		a := ReadActivity(b).Observed(now, time.Hour)
		if seen := a.since(now.Add(-5 * time.Second)); seen < 0 || seen > spans || a.last < 0 {
			t.Errorf("%+v was observed in %d spans", a, seen)
		}
		k := readSiblings(b)
		k.grow(now.Day())
		k.add(sibling, 1)
		if k.siblings < 1 || k.grown < 1 {
			t.Errorf("%+v", k)
		}
		d := readDuplicates(b)
		if d.join(1); d.listed != "" && !keys.IsLocation(d.listed) {
			t.Errorf("%q stands for a content", d.listed)
		}
		all := readRefusals(b)
		if r, _ := all.find(7, now); r.missing < 0 || r.wrong < 0 {
			t.Errorf("%+v", r)
		}
		if len(all.of) > refusalsKept {
			t.Errorf("%d networks are remembered", len(all.of))
		}
		ReadMinute(b)
	})
}

// lastMod returns the date that is published while every source is believed, in
// Unix seconds.
func (s *Page) lastMod(now int64) int64 {
	return s.dates.Candidates().LastMod(lastmod.Trust{}, moment.Seconds(now)).Seconds()
}

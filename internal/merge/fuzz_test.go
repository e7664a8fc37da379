package merge

import (
	"bytes"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/record/recordtest"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/internal/txn"
)

// site is a new site.
func site() *Site {
	return &Site{
		Settings: Settings{KeepFor: 90 * day, Networks: 3, Confidence: 0.5}, Keys: "https://example.com|", Names: secret.NewNames(nil),
	}
}

// lookAt merges a look at a page into a record that belongs to no store.
func lookAt(p *pagerecord.Page, facts *page.Facts, at moment.Time, variety uint16) {
	m := New(txn.New(map[string][]byte{}), site(), at.Time())
	sighting := &look.Sighting{Kind: admit.Witness, Location: "/a", At: at.Time(), Response: &tap.Response{Status: 200}}
	k := &Look{Look: &look.Look{Sighting: sighting, Hash: facts.MainHash, Server: at.Add(-2 * time.Hour)}}
	v := mark.Read(facts, 0)
	k.Full, k.View, k.VarietyKey, k.Own = true, &v, variety, at.Add(-3*time.Hour)
	k.Same = p.BodyHash == k.Hash && p.BodyHash != 0
	if m.follows(p, at) {
		m.seen(k, p)
	}
}

// FuzzPage reads a page record and merges looks into it.
func FuzzPage(f *testing.F) {
	seen, facts := new(pagerecord.Page), page.Read([]byte("<main><p>A text that is long enough to be one."), page.Options{})
	lookAt(seen, &facts, moment.Seconds(1_700_000_000), 0)
	f.Add(recordtest.FieldsOf(seen.Encode()), int64(1_700_000_500), int64(60), "<main><p>A text that is long enough to be one, and more of it.")
	f.Add(recordtest.FieldsOf(new(pagerecord.Page).Encode()), int64(0), int64(-5), "<main><p>one</p><p>two")
	var e record.Encoder
	e.Bytes(3, []byte{1, 2, 3})
	e.Bytes(4, []byte{9, 9})
	e.Bytes(49, []byte{1})
	f.Add(recordtest.FieldsOf(e.Seal()), int64(1<<40), int64(1), "")
	f.Fuzz(func(t *testing.T, fields []byte, at, gap int64, body string) {
		p, err := pagerecord.Decode(recordtest.Sealed(fields))
		if err != nil {
			return
		}
		again, err := pagerecord.Decode(p.Encode())
		if err != nil || !bytes.Equal(again.Encode(), p.Encode()) {
			t.Fatalf("%+v is read again as %+v, %v", p, again, err)
		}
		at, gap = record.Seconds(at), gap%(1<<32)
		facts := page.Read([]byte(body), page.Options{})
		for i := range 4 {
			before := *p
			dated := lastMod(p, at)
			lookAt(p, &facts, moment.Seconds(at), uint16(gap)&6)
			after := lastMod(p, at)
			if after > at && after > 0 {
				t.Errorf("dated %d at %d", after, at)
			}
			if certain := before.Dates.LastChange() > 0; certain && dated > after && after > 0 {
				t.Errorf("the date went back from %d to %d at %d", dated, after, at)
			}
			if n := len(p.Encode()); n > len(fields)+700 {
				t.Errorf("a page that came with %d bytes has %d", len(fields), n)
			}
			historyOf(p)
			p.Entry(0.5)
			if i == 1 {
				facts = page.Read([]byte(body+"<p>Something else that is long enough to be a text of its own."), page.Options{})
			}
			at = record.Seconds(at + gap)
		}
		if _, err := pagerecord.Decode(p.Encode()); err != nil {
			t.Errorf("it cannot be read any more: %v", err)
		}
	})
}

// lastMod returns the date that is published while every source is believed, in
// Unix seconds.
func lastMod(p *pagerecord.Page, now int64) int64 {
	return p.Dates.Candidates().LastMod(lastmod.Trust{}, moment.Seconds(now)).Seconds()
}

package merge

import (
	"bytes"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	pagehtml "github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
)

// site is a new site.
func site() *Site {
	return &Site{
		Settings: Settings{KeepFor: 90 * day}, Keys: "https://example.com|",
	}
}

// visitAt merges a visit to a page into a record that belongs to no store.
func visitAt(p *pagerecord.Page, facts *pagehtml.Facts, at moment.Time, variant uint16) {
	m := New(txn.New(map[string][]byte{}), site(), at.Time())
	k := &observation.Observation{
		Kind: eligibility.Witness, Location: "/a", At: at.Time(), Response: &response.Response{Status: 200},
		Reading: &observation.Reading{Header: observation.Header{Hash: facts.MainHash, Server: at.Add(-2 * time.Hour)}},
	}
	v := mark.Read(facts, 0)
	k.Full, k.View, k.Lang, k.Own = true, &v, []string{"", "en", "de", "fr"}[variant/2], at.Add(-3*time.Hour)
	k.Same = p.BodyHash == k.Hash && p.BodyHash != 0
	if u := (&visited{page: page{m, p}, Observation: k}); u.follows() {
		u.seen()
	}
}

// FuzzPage reads a page record and merges visits into it.
func FuzzPage(f *testing.F) {
	seen, facts := new(pagerecord.Page), pagehtml.Read([]byte("<main><p>A text that is long enough to be one."),
		pagehtml.Options{})
	visitAt(seen, &facts, moment.Seconds(1_700_000_000), 0)
	f.Add(recordtest.FieldsOf(seen.Encode()), int64(1_700_000_500), int64(60),
		"<main><p>A text that is long enough to be one, and more of it.")
	f.Add(recordtest.FieldsOf(new(pagerecord.Page).Encode()), int64(0), int64(-5), "<main><p>one</p><p>two")
	f.Add(recordtest.FieldsOf(codec.Marshal(map[int][]byte{11: {1, 2, 3}, 13: {9, 9}})), int64(1<<40), int64(1), "")
	f.Fuzz(func(t *testing.T, fields []byte, at, gap int64, body string) {
		rs := codec.Read[lastmod.Reputations](recordtest.Sealed(fields))
		rs.Forgive(moment.Seconds(at % (1 << 37)))
		rs.Trust()
		p, err := pagerecord.Decode(recordtest.Sealed(fields))
		if err != nil {
			return
		}
		again, err := pagerecord.Decode(p.Encode())
		if err != nil || !bytes.Equal(again.Encode(), p.Encode()) {
			t.Fatalf("%+v is read again as %+v, %v", p, again, err)
		}
		at, gap = at%(1<<37), gap%(1<<32)
		facts := pagehtml.Read([]byte(body), pagehtml.Options{})
		for i := range 4 {
			before := *p
			dated := lastMod(p, at)
			visitAt(p, &facts, moment.Seconds(at), uint16(gap)&6)
			after := lastMod(p, at)
			if after > at && after > 0 {
				t.Errorf("dated %d at %d", after, at)
			}
			if certain := before.Dates.Changed > 0; certain && dated > after && after > 0 {
				t.Errorf("the date went back from %d to %d at %d", dated, after, at)
			}
			if n := len(p.Encode()); n > len(fields)+700 {
				t.Errorf("a page that came with %d bytes has %d", len(fields), n)
			}
			p.Rate.Interval()
			p.Entry()
			if i == 1 {
				facts = pagehtml.Read([]byte(body+"<p>Something else that is long enough to be a text of its own."),
					pagehtml.Options{})
			}
			at = (at + gap) % (1 << 37)
		}
		if _, err := pagerecord.Decode(p.Encode()); err != nil {
			t.Errorf("it cannot be read any more: %v", err)
		}
	})
}

// lastMod returns the date that is published while every source is believed, in
// Unix seconds.
func lastMod(p *pagerecord.Page, now int64) int64 {
	return p.Dates.Date.LastMod(lastmod.Trust{}, moment.Seconds(now)).Seconds()
}

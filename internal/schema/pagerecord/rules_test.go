package pagerecord

import (
	"testing"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
)

const noon = moment.Time(1_700_000_000_000)

func TestLinkToAPageNotSeenStaysOpen(t *testing.T) {
	for _, tt := range []struct {
		name     string
		location string
		change   func(*Page)
		want     Openness
	}{
		{"a page that was seen", "/a", func(p *Page) { p.Witnessed = true }, Settled},
		{"a page that was listed", "/a", func(p *Page) { p.Shard = 1 }, Settled},
		{"a page that nobody got yet", "/a", func(*Page) {}, Unseen},
		{"a page that nobody got for days", "/a", func(p *Page) { p.LinkAt = noon.Add(-3 * day) }, Settled},
		{"what looks like a secret", "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301", func(*Page) {}, Unseen},
		{"what looks like a secret, and is held for it", "/a",
			func(p *Page) { p.Witnessed, p.Reason = true, eligibility.Capability }, Unseen},
		{"what looks like a secret, and was linked a day apart", "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
			func(p *Page) { p.Secrecy = eligibility.Confirmed }, Unseen},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Page{Loaded: Loaded{Location: tt.location}}
			p.LinkAt = noon
			if tt.change(p); p.LeavesOpen(noon) != tt.want {
				t.Errorf("it leaves open %d, want %d", p.LeavesOpen(noon), tt.want)
			}
		})
	}
}

// A page that changes every two weeks or so is between two words. It keeps the one that it has.
func TestChangefreqHolds(t *testing.T) {
	p := &Page{}
	flips, before := 0, rate.Unknown
	for n := range 3 * 365 {
		p.Observations++
		o := mark.Same
		if n%14 == n/100%3 {
			o = mark.Changed
		}
		at := int64(1_700_000_000 + n*86_400)
		p.Estimate(o, lastmod.Finding{Since: moment.Seconds(at)}, at)
		if word := p.Entry().Freq; n > 180 && word != before {
			before = word
			flips++
		}
	}
	if flips != 1 || before != rate.Weekly && before != rate.Monthly {
		t.Errorf("%d words, the last is %v", flips, before)
	}
}

func TestMovedPageInheritsItsHistory(t *testing.T) {
	from := &Page{Presence: Presence{FirstSeen: noon, Observations: 7}, Rate: rate.Estimate{}.Saw(1_700_000_000, false)}
	for _, tt := range []struct {
		name   string
		to     Page
		visits uint64
		first  moment.Time
	}{
		{"to a new location", Page{}, 7, noon},
		{"to a page that was seen later", Page{Presence: Presence{FirstSeen: noon + 1000, Observations: 2}}, 2, noon},
		{"to a page that was seen before", Page{Presence: Presence{FirstSeen: noon - 1000, Observations: 2}}, 2, noon - 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.to
			if p.Inherit(from); p.Observations != tt.visits || p.FirstSeen != tt.first {
				t.Errorf("%d observations since %d, want %d since %d", p.Observations, p.FirstSeen, tt.visits, tt.first)
			}
		})
	}
}

// A change with an exact date counts at that date, one without at the observation that showed it.
func TestEstimateLearnsWhenTheContentChanged(t *testing.T) {
	const at = 1_700_003_600
	since := moment.Seconds(at - 600)
	var known rate.Estimate
	known = known.Saw(1_700_000_000, false)
	for _, tt := range []struct {
		name  string
		o     mark.Outcome
		found lastmod.Finding
		want  rate.Estimate
	}{
		{"a change now", mark.Changed, lastmod.Finding{Since: moment.Seconds(at)}, known.Saw(at, true)},
		{"one that was held", mark.Changed, lastmod.Finding{Since: since}, known.Saw(at-600, true).Saw(at, false)},
		{"one with a date", mark.Changed, lastmod.Finding{Since: since, Exact: since - 60_000},
			known.SawChangeAt(at-600, at-660).Saw(at, false)},
		{"noise", mark.Variant, lastmod.Finding{}, known.Saw(at, false)},
		{"the same", mark.Same, lastmod.Finding{}, known.Saw(at, false)},
	} {
		p := &Page{Rate: known}
		if p.Estimate(tt.o, tt.found, at); p.Rate != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, p.Rate, tt.want)
		}
	}
}

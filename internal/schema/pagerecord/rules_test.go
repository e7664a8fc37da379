package pagerecord

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/page/html"
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
		{"what looks like a secret, and is held for it", "/a", func(p *Page) { p.Witnessed, p.Reason = true, eligibility.Capability }, Unseen},
		{"what looks like a secret, and was linked a day apart", "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301", func(p *Page) { p.Confirmed = true }, Unseen},
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

func TestAnswersConfirmARemoval(t *testing.T) {
	type told struct {
		why   eligibility.Reason
		after time.Duration // since the first answer
	}
	denied, login, gone, other, copied := eligibility.Denied, eligibility.LoginRedirect, eligibility.NotFound, eligibility.CanonicalElsewhere, eligibility.Duplicate
	for _, tt := range []struct {
		name    string
		told    []told
		why     eligibility.Reason // of the removal
		since   time.Duration
		lasted  bool
		overdue bool
		minute  bool
	}{
		{"a 404", []told{{gone, 0}}, gone, 0, false, false, true},
		{"a 404 again within the minute", []told{{gone, 0}, {gone, 59 * time.Second}}, gone, 0, false, false, true},
		{"a 404 again after a minute", []told{{gone, 0}, {gone, time.Minute}}, gone, 0, true, false, true},
		{"a 404 a day and a minute later", []told{{gone, 0}, {gone, day + time.Minute}}, gone, 0, true, true, true},
		{"a refusal", []told{{denied, 0}}, denied, 0, false, false, false},
		{"a refusal hours later", []told{{denied, 0}, {denied, 23 * time.Hour}}, denied, 0, false, false, false},
		{"a refusal a day later", []told{{denied, 0}, {denied, day}}, denied, 0, true, false, false},
		{"another refusal two days later", []told{{denied, 0}, {login, 2 * day}}, login, 0, true, true, false},
		{"another canonical a minute later", []told{{other, 0}, {other, time.Minute}}, other, 0, false, false, false},
		{"what others show, a day later", []told{{copied, 0}, {copied, day}}, copied, 0, true, false, false},
		{"a 404 after a refusal begins anew", []told{{denied, 0}, {gone, day}}, gone, day, false, false, true},
		{"a refusal after a 404 says nothing", []told{{gone, 0}, {denied, day}}, gone, 0, false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d PendingRemoval
			var lasted bool
			for _, a := range tt.told {
				d, lasted = d.Told(a.why, noon.Add(a.after))
			}
			overdue := d.Overdue(noon.Add(tt.told[len(tt.told)-1].after))
			if d.MissingWhy != tt.why || d.Missing != noon.Add(tt.since) || lasted != tt.lasted || overdue != tt.overdue || d.HasMinute() != tt.minute {
				t.Errorf("%+v, lasted %t, overdue %t, with a minute %t", d, lasted, overdue, d.HasMinute())
			}
		})
	}
}

func TestChangesAreToldFromOtherLanguages(t *testing.T) {
	const de, fr = 2, 4
	for _, tt := range []struct {
		name    string
		met     Variants
		variant uint16
		outcome mark.Outcome
		meant   mark.Outcome
		taken   bool
		after   Variants
	}{
		{"the same text in another", Variants{de | familiar}, fr, mark.Same, mark.Same, true, Variants{fr | familiar, de | familiar}},
		{"a text of its own", Variants{de | familiar}, fr, mark.Changed, mark.Variant, false, Variants{fr, de | familiar}},
		{"that text again", Variants{fr, de | familiar}, fr, mark.Changed, mark.Variant, true, Variants{fr | familiar, de | familiar}},
		{"a change in a familiar one", Variants{fr, de | familiar}, de, mark.Changed, mark.Changed, true, Variants{de | familiar, fr}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := slices.Clone(tt.met)
			meant, taken := v.Meet(tt.variant, tt.outcome)
			if meant != tt.meant || taken != tt.taken || !slices.Equal(v, tt.after) {
				t.Errorf("%d, %t and %v, want %d, %t and %v", meant, taken, v, tt.meant, tt.taken, tt.after)
			}
		})
	}
}

func TestChangefreqNeedsProof(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ago   []time.Duration // changes before the last observation, the latest first
		first time.Duration   // the first observation, before the last one
		freq  rate.Freq
		want  bool
	}{
		{"no change in ten years, never", nil, 3650 * day, rate.Never, false},
		{"two changes in ten years", []time.Duration{1800 * day, 2200 * day}, 3650 * day, rate.Yearly, false},
		{"three changes, as far apart as the first observation", []time.Duration{0, 7 * day, 14 * day}, 21 * day, rate.Weekly, true},
		{"three changes soon after the first observation", []time.Duration{0, 7 * day, 14 * day}, 15 * day, rate.Weekly, false},
		{"three changes in two minutes", []time.Duration{0, 30 * time.Second, time.Minute}, 90 * time.Second, rate.Hourly, true},
		{"the same, another at each observation", []time.Duration{0, 30 * time.Second, time.Minute}, 90 * time.Second, rate.Always, true},
		{"three changes in two minutes of a year", []time.Duration{0, 30 * time.Second, time.Minute}, 365 * day, rate.Hourly, false},
		{"four changes, and another word", []time.Duration{day, 8 * day, 15 * day, 22 * day}, 30 * day, rate.Monthly, false},
		{"four changes, two in an hour", []time.Duration{day, 8 * day, 8*day + time.Hour, 22 * day}, 30 * day, rate.Weekly, false},
		{"four changes, then quiet", []time.Duration{200 * day, 207 * day, 214 * day, 221 * day}, 230 * day, rate.Weekly, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &Page{Presence: Presence{FirstSeen: noon.Add(-tt.first), LastSeen: noon}}
			p.Dates.Count = uint64(len(tt.ago))
			for i, ago := range tt.ago {
				if i == 0 {
					p.Dates.Date.At = noon.Add(-ago)
				} else {
					p.Dates.Earlier[i-1] = noon.Add(-ago)
				}
			}
			if got := p.proves(tt.freq); got != tt.want {
				t.Errorf("%t, want %t", got, tt.want)
			}
		})
	}
}

func TestNeverIsSaidOnlyAfterYears(t *testing.T) {
	const first = 1_700_000_000
	watched := func(days int64, visit func(e rate.Estimate, at int64) rate.Estimate) (e rate.Estimate) {
		for at := int64(first); at <= first+days*86_400; at += 86_400 {
			e = visit(e, at)
		}
		return e
	}
	same := func(e rate.Estimate, at int64) rate.Estimate { return e.Saw(at, false) }
	noise := func(e rate.Estimate, at int64) rate.Estimate { return e.SawNoise(at) }
	stops := func(e rate.Estimate, at int64) rate.Estimate { return e.Saw(at, at < first+100*86_400) }
	for _, tt := range []struct {
		name string
		rate rate.Estimate
		want rate.Freq
	}{
		{"the same for a year and a half", watched(550, same), rate.Yearly},
		{"the same for two years and more", watched(800, same), rate.Never},
		{"other noise at every observation", watched(800, noise), rate.Unknown},
		{"stopped a year ago", watched(465, stops), rate.Yearly},
	} {
		if got, _ := (&Page{Rate: tt.rate}).Freq(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
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
		{"one with a date", mark.Changed, lastmod.Finding{Since: since, Exact: since - 60_000}, known.SawChangeAt(at-600, at-660).Saw(at, false)},
		{"noise", mark.Variant, lastmod.Finding{}, known.SawNoise(at)},
		{"the same", mark.Same, lastmod.Finding{}, known.Saw(at, false)},
	} {
		p := &Page{Rate: known}
		if p.Estimate(tt.o, tt.found, at); p.Rate != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, p.Rate, tt.want)
		}
	}
}

// A page with news at each observation has dates, however often that is. One with a place that moves by itself has none.
func TestPageIsVolatileOnlyWhereAPlaceMoves(t *testing.T) {
	for name, tt := range map[string]struct {
		text func(n int) string
		want bool
	}{
		"news at each observation": {func(n int) string {
			all := "<main>"
			for i := range n + 8 {
				all += fmt.Sprintf("<p>Paragraph %c says what happened in that hour, and stays.</p>", 'a'+i)
			}
			return all
		}, false},
		"a sentence that moves": {func(n int) string {
			return fmt.Sprintf("<main><p>This paragraph stays as it is.</p><p>The word of this minute is %c%c%c%[1]c.</p><p>So does this one.</p>", 'a'+n, 'b'+n, 'c'+n)
		}, true},
	} {
		p := &Page{}
		p.Dates.Count = volatileChanges
		for n := range 16 {
			at := int64(1_800_000_000 + 600*n)
			facts := html.Read([]byte(tt.text(n)), html.Options{})
			v := mark.Read(&facts, 0)
			p.Mark, _, _ = p.Mark.Observe(&v, at)
			p.Rate = p.Rate.Saw(at, n > 0)
		}
		if got := p.Entry(p.Freq()).Volatile; got != tt.want {
			t.Errorf("%s: volatile is %v", name, got)
		}
	}
}

package pages

import (
	"slices"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/page/words"
)

// slack is how far two dates of one change may lie apart: programs differ by a time zone.
const slack = 24*time.Hour + time.Minute

// Google documents that it reads the first 2 MB of a page. Crawlers wait longer than visitors, and come less often
// then.
const (
	readByGoogle = 2 << 20
	slow         = 5 * time.Second
)

// Compare reports what is wrong with each page, and what only all pages together show: what shows the text of nowhere,
// which is what the site answers where it has no page; what shows the same; what many show in place of their texts;
// what says nothing without scripts; whether the dates are true.
func Compare(all []*Page, nowhere *Page, to *report.Report, now time.Time) {
	var read []*Page
	dated, own, header := 0, 0, 0 // have a lastmod; it agrees with the date in the page, with Last-Modified
	same, modified, sent := map[uint64]string{}, map[int64]int{}, map[int64]int{}
	crowd, of := crowds(all)
	for _, p := range all {
		if n := crowd[p.rest]; n >= leastCrowd && !Few(n, of) && p.isShort() {
			p.tell("instead", "shows %q, and little else, as %s of the %s do that were read", p.brief, words.Number(n),
				words.Count(of, "page"))
		} else {
			p.None(nowhere)
		}
		told := slices.Concat(p.told, p.also)
		if p.quiet {
			told = nil
		}
		for _, t := range told {
			to.Add(t.kind, p.Entry.At(), t.text+t.todo, t.args...)
		}
		if p.Read {
			read = append(read, p)
		}
	}
	for _, p := range read {
		if !p.quiet && !p.Told() && !p.tracked() && p.text != 0 && p.letters > 0 && same[p.look] == "" {
			same[p.look] = p.Entry.Loc
		}
		modified[p.modified.Unix()/3600]++
		sent[p.sent.Unix()/3600]++
	}
	for _, p := range read {
		at := p.Entry.At()
		switch {
		case p.quiet:
			if !p.Entry.Date.At.IsZero() {
				dated++
			}
			continue
		case p.Scripts:
			to.Add("scripts", at, "says nothing without scripts")
		case !p.Told() && !p.tracked() && same[p.look] != "" && same[p.look] != p.Entry.Loc:
			to.Add("same", at, "shows the same text as %s", same[p.look])
		}
		if !p.Entry.Date.At.IsZero() {
			itself, byHeader := p.dates(at, to, now, shared(sent, p.sent, len(read)), shared(modified, p.modified, len(read)))
			dated, own, header = dated+1, own+itself, header+byHeader
		}
	}
	if dated > 0 {
		says := words.Number(dated) + " of the " + words.Number(len(read)) + " that were read " +
			words.Form("{has|have}", dated) + " a valid lastmod, not in the future."
		if header > 0 {
			says += " Within a day, that of " + words.Count(header, "page") + " is the Last-Modified."
		}
		if own > 0 {
			says += " Within a day, that of " + words.Count(own, "page") + " is the date that the page itself gives."
		}
		to.Facts = append(to.Facts, says)
	}
}

// leastCrowd is how many pages must show one short text before that stands in place of theirs, as in a maintenance.
const leastCrowd = 3

// crowds counts the pages that have the same short text and nothing else, by that, and all pages that were read.
func crowds(all []*Page) (crowd map[uint64]int, read int) {
	crowd = map[uint64]int{}
	for _, p := range all {
		if p.Read && p.HTML {
			read++
		}
		if p.isShort() {
			crowd[p.rest]++
		}
	}
	return crowd, read
}

// isShort reports whether a page says little, with nothing else that speaks against it.
func (p *Page) isShort() bool { return p.brief != "" && !p.Told() && !p.Scripts && !p.tracked() }

// None tells that the page shows the text of nowhere, if it does. The start page is always one.
func (p *Page) None(nowhere *Page) {
	if p.Read && !p.Scripts && nowhere != nil && p.text != 0 && p.text == nowhere.text && !address.IsRoot(p.at) {
		p.tell("nowhere", "shows what a made-up address shows too")
	}
}

// shared reports whether most of the read pages have the date of a page, as those of a build have.
func shared(dates map[int64]int, at time.Time, read int) bool {
	return read > 2 && 2*dates[at.Unix()/3600] > read
}

// tracked reports whether an address follows visitors. That was told, and it shows what another one shows.
func (p *Page) tracked() bool { return address.Tracking(p.at) != "" }

// dates compares the lastmod of a page with what the page and its server say. Dates that most pages share are of a
// build, and those of the last hour may be of the request: they say nothing of one page. Of two dates the earlier one
// is true, as package lastmod has it: who lists that one is not blamed for the later. It returns 1 for each that
// agrees.
func (p *Page) dates(at report.At, to *report.Report, now time.Time, sharedHeader, sharedDate bool) (
	itself, header int,
) {
	d := p.Entry.Date
	span := time.Duration(0)
	if p.modified.Equal(p.modified.Truncate(24 * time.Hour)) { // it may name no more than the day
		span = 24 * time.Hour
	}
	// apart says whether a date is later than the lastmod, earlier, or agrees with it.
	apart := func(t time.Time, span time.Duration) (later, earlier, agrees bool) {
		counts := !t.IsZero() && now.Sub(t) >= time.Hour
		later, earlier = counts && t.Sub(d.At) > slack+d.Span, counts && d.At.Sub(t) > slack+span
		return later, earlier, counts && !later && !earlier
	}
	later, earlier, agrees := apart(p.modified, span)
	sentLater, sentEarlier, sentAgrees := apart(p.sent, 0)
	switch {
	case later && !sharedDate && !sentAgrees:
		to.Add("date-old", at, "changed on %s, as it says itself, and its lastmod is %s", day(p.modified), d)
	case earlier && !sharedDate:
		to.Add("date-early", at, "has the lastmod %s, and says itself that it changed on %s", d, day(p.modified))
	case sentLater && !sharedHeader && !agrees:
		to.Add("date-header", at, "has the Last-Modified %s, after its lastmod %s", day(p.sent), d)
	case sentEarlier && !sharedHeader:
		to.Add("date-header", at, "has the Last-Modified %s, before its lastmod %s", day(p.sent), d)
	}
	if agrees && !sharedDate {
		itself = 1
	}
	if sentAgrees && !sharedHeader {
		header = 1
	}
	return itself, header
}

func day(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// Seen is what servemap saw of a page.
type Seen struct {
	First, Last time.Time // observations
	Changed     time.Time // when its content last changed, zero if it did not
}

// Observed compares the lastmod of a page with what servemap saw, unless that was for too short a time to tell.
func Observed(e listing.Entry, s Seen, to *report.Report) (compared bool) {
	if e.Date.At.IsZero() || s.First.IsZero() || !s.Changed.After(s.First) && s.Last.Sub(s.First) <= slack {
		return false
	}
	at, d, since := e.At(), e.Date.At, s.First
	if s.Changed.After(since) {
		since = s.Changed
	}
	switch {
	case s.Changed.After(s.First) && s.Changed.Sub(d) > slack+e.Date.Span:
		to.Add("seen-changed", at, "changed on %s, and its lastmod is %s", day(s.Changed), e.Date)
	case d.Sub(since) > slack && !d.After(s.Last):
		to.Add("seen-moved", at, "has the lastmod %s, and did not change from %s to %s", e.Date, day(since), day(s.Last))
	}
	return true
}

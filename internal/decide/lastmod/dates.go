package lastmod

import (
	"encoding/binary"
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

const (
	// clockWindow is how close two times must be to count as the same.
	clockWindow = 2 * time.Second
	// clockGap is how far apart two looks must be to tell two dates apart: one that moves
	// with the clock, and one that moved so far by chance.
	clockGap = 10 * time.Second
	// youngAge is how old a date must be at a look before it is used. A date that moves
	// with the clock never gets so old, and neither does a date that a cache has just made.
	youngAge = time.Hour
	// rewrittenAge is how long content that looks like an error must be there before it
	// counts as the page's new content. A date must have moved with it. Maintenance is over
	// by then.
	rewrittenAge = 24 * time.Hour
)

// earlierKept is how many changes before the last one are remembered.
const earlierKept = 3

// Dates are the dates in a page's record, all in whole seconds. Dates is a plain value and
// can be compared. Only this package changes it.
type Dates struct {
	seen      uint64                   // changes that were seen
	changed   moment.Time              // the look that first showed the present content
	unchanged moment.Time              // the look before that
	exact     moment.Time              // the given date that moved with the change
	exactBy   Source                   // who gave exact
	before    [earlierKept]moment.Time // the changes before the last one, the latest first
	given     Given[given]             // by source
	announced moment.Time              // the look that first showed a link to the page, see Announce
	fresh     moment.Time              // if the page was announced: since when it is there
	undecided heldLook                 // the look that showed what the mark holds
}

// given is what one source gave.
type given struct {
	last  moment.Time // the date at the last look
	kept  moment.Time // if last moved without a change: the date of the present content, 0 if that was never used
	moved bool        // it moved without a change, so last is not the date of the present content
	young bool        // no look has found it old enough to be used
}

// heldLook is a look that may have been the first to show a change.
type heldLook struct {
	at, before moment.Time // the look, and the one before it
	exact      moment.Time // the date that moved at this look, 0 if none did
	by         Source
	variety    uint16 // the variety of the page that the look showed
}

// Look is what one look adds to a page's dates.
type Look struct {
	At      moment.Time // when it was
	Before  moment.Time // when the look before it was, 0 if there was none
	First   bool        // it is the first look at the page
	Outcome mark.Outcome
	Since   moment.Time        // if the outcome is mark.Changed: the look that first showed the change
	Holding bool               // the mark holds something, after this look
	Odd     bool               // the mark took the content for an error, and ignores it
	Variety uint16             // the variety of the page that the look showed
	Given   Given[moment.Time] // the dates that came with it, 0 for none
}

// Finding is what a look says about the page's content, once its dates are merged.
type Finding struct {
	Since moment.Time // if the outcome is mark.Changed: the look that first showed the change
	Exact moment.Time // a believed date that moved with the change, before the look that showed it, 0 if there is none

	// Rewritten says that an odd look shows a change after all, since a date confirms it.
	// The caller must start a new mark with this look.
	Rewritten bool

	// Reports say what the look showed about the sources; see [Reputation.Take].
	Reports []Report
}

// Look merges a look. Times in the future, from a clock that was ahead, count as
// the time of the look.
func (d Dates) Look(l Look, trust Trust) (Dates, Finding) {
	l.At, l.Before, l.Since = l.At.Second(), l.Before.Second(), l.Since.Second()
	d.settle(l.At)
	rewritten := d.rewritten(l, trust)
	if rewritten {
		l.Outcome, l.Since, l.Odd, l.Holding = mark.Changed, d.undecided.at, false, false
	}
	if l.First {
		d.begin(l, trust)
	}
	latest := d.latest()
	f := Finding{Since: min(l.Since, l.At), Rewritten: rewritten}
	now := heldLook{at: l.At, before: l.Before, variety: l.Variety}
	for s := Server; s < sources; s++ {
		step := step{old: d.given[s].last, new: l.Given[s].Second(), at: l.At, before: l.Before}
		if !step.usable() {
			continue
		}
		switch verdict := step.judge(l.Outcome, l.Odd); verdict {
		case Lied, Ticked:
			f.Reports = append(f.Reports, Report{Source: s, Verdict: verdict, At: l.At})
		case Agreed:
			if now.exact == 0 {
				now.exact, now.by = step.new, s
			}
		}
		d.take(s, step, l)
	}
	first := d.hold(l, f.Since, now)
	if first.exact != 0 && first.exact < f.Since.Add(-clockWindow) {
		f.Reports = append(f.Reports, Report{Source: first.by, Verdict: Agreed, At: l.At})
		if trust.believesChange(first.by, first.exact) {
			f.Exact = first.exact
		}
	}
	if l.Outcome == mark.Changed {
		d.change(first, f.Since, latest, l.At, trust)
	}
	return d, f
}

// rewritten reports whether an odd look shows a change after all: a believed date moved
// when the odd content first came, and has not moved since.
func (d *Dates) rewritten(l Look, trust Trust) bool {
	u := &d.undecided
	return l.Odd && u.exact != 0 && l.Given[u.by].Second() == u.exact && l.At.Sub(u.at) >= rewrittenAge && trust.believesChange(u.by, u.exact)
}

// begin merges the first look at the page. If a new page has a believed date later than the
// first link to it, the page may have changed since. Then this look dates the page.
func (d *Dates) begin(l Look, trust Trust) {
	for s := Server; s < sources; s++ {
		if date := l.Given[s]; d.fresh != 0 && d.fresh < date && date <= l.At && trust.believesChange(s, date) {
			d.fresh = l.At
		}
	}
}

// settle replaces times that are later than a look by the look's own. The clock
// was ahead when they were noted.
func (d *Dates) settle(at moment.Time) {
	for _, t := range []*moment.Time{&d.changed, &d.unchanged, &d.exact, &d.fresh} {
		*t = min(*t, at)
	}
	for i := range d.before {
		d.before[i] = min(d.before[i], at)
	}
}

// hold returns the look that first showed a change: this look, or a held one. Without a
// change it keeps this look if the mark began to hold something.
func (d *Dates) hold(l Look, since moment.Time, now heldLook) (first heldLook) {
	if l.Outcome == mark.Changed {
		switch since {
		case now.at:
			first = now
		case d.undecided.at:
			first, d.undecided = d.undecided, heldLook{}
		}
	}
	switch {
	case !l.Holding && !l.Odd:
		d.undecided = heldLook{}
	case l.Outcome == mark.Held, l.Outcome == mark.Changed && d.undecided == heldLook{}, l.Odd && now.exact != 0:
		d.undecided = now
	}
	return first
}

// change dates a change. A time before the latest lastmod that the page may have had cannot
// be that of the present content. A date that is believed now is kept even if its source
// later loses trust, since the look confirmed it.
func (d *Dates) change(first heldLook, since, latest, at moment.Time, trust Trust) {
	d.seen++
	if since < latest {
		since, first = at, heldLook{}
	}
	if first.exact < latest || !trust.believesChange(first.by, first.exact) {
		first.exact, first.by = 0, NoSource
	}
	if last := d.lastChange(); last != 0 {
		copy(d.before[1:], d.before[:])
		d.before[0] = last
	}
	d.changed, d.exact, d.exactBy, d.unchanged = since, first.exact, first.by, first.before
}

// lastChange returns when the last change was, 0 if none was seen.
func (d *Dates) lastChange() moment.Time {
	if d.exact != 0 {
		return d.exact
	}
	return d.changed
}

// step is how a given date moved from one look to the next.
type step struct {
	old, new   moment.Time // the date
	at, before moment.Time // the looks
}

// usable reports whether there is a date and it is not in the future.
func (p step) usable() bool { return p.new > 0 && p.new <= p.at.Add(clockWindow) }

// isClock reports whether the date is the time of the look itself. A page saved this second
// also has such a date.
func (p step) isClock() bool { return p.new >= p.at.Add(-clockWindow) }

// ticks reports whether the date moves with the clock: it was the time of both looks, or it
// moved as far as the clock did in between.
func (p step) ticks() bool {
	moved, passed := p.new.Sub(p.old), p.at.Sub(p.before)
	off := (moved - passed).Abs()
	return p.isClock() && p.old >= p.before.Add(-clockWindow) || passed >= clockGap && off <= clockWindow
}

// judge says what the move of a usable date means. A variant may have its own date, but not
// one that moves with the clock. Held and odd content may be a change.
func (p step) judge(outcome mark.Outcome, odd bool) Verdict {
	if p.old == 0 || p.new == p.old || p.before == 0 || p.old > p.at.Add(clockWindow) {
		return Plain
	}
	between := p.new > p.before && p.new <= p.at
	switch {
	case (outcome == mark.Same || outcome == mark.Variant) && p.ticks():
		return Ticked
	case outcome == mark.Same:
		return Lied
	case (outcome == mark.Changed || outcome == mark.Held || odd) && between:
		return Agreed
	}
	return Plain
}

// take merges a usable date of a source. The page keeps the first date given for its
// present content. A date that moves later without a change is not the content's date.
func (d *Dates) take(s Source, p step, l Look) {
	g := &d.given[s]
	young := p.at.Sub(p.new) < youngAge && (d.fresh == 0 || p.isClock()) // a new page has a new date
	first := g.last == 0
	g.last = p.new
	switch {
	case l.Outcome == mark.Changed, first:
		g.moved, g.kept, g.young = false, 0, young
		if d.fresh != 0 && (young || first && !l.First) || d.isLate(s, p.new, l.First) {
			g.moved = true // it is never used: a later date may have been published
		}
	case g.moved:
	case p.new != p.old:
		g.kept = d.used(s, p.old)
		g.moved = true
	case g.young && !young:
		g.young = false
		g.moved = d.isLate(s, p.new, l.First)
	}
}

// isLate reports whether a source gave no date before and its new date is earlier than a
// date of another source that may have been used.
func (d *Dates) isLate(s Source, date moment.Time, firstLook bool) bool {
	for other := Server; other < sources; other++ {
		if other != s && !firstLook && d.used(other, d.given[other].last) > date {
			return true
		}
	}
	return false
}

// used returns the date of the present content by a source that is believed, 0 for none.
// date is the one that the source gave last.
func (d *Dates) used(s Source, date moment.Time) moment.Time {
	switch g := &d.given[s]; {
	case g.moved:
		return g.kept
	case g.young:
		return 0
	}
	return date
}

// latest returns the latest time that the page's lastmod may have been.
func (d *Dates) latest() moment.Time {
	if d.changed != 0 {
		return max(d.changed, d.fresh)
	}
	return max(d.fresh, d.latestUsed())
}

// latestUsed returns the latest given date that may have been the page's lastmod.
func (d *Dates) latestUsed() (latest moment.Time) {
	for s := Server; s < sources; s++ {
		latest = max(latest, d.used(s, d.given[s].last))
	}
	return latest
}

// Announce notes that the page is new and was not seen yet. The look at since showed a link
// to it, on a page that had been read before without that link.
func (d *Dates) Announce(since moment.Time) { d.announced = since.Second() }

// FirstSeen notes the first sighting of the page. An announced page counts as there since
// the look that first showed a link to it.
func (d *Dates) FirstSeen(at moment.Time) { d.fresh = min(d.announced, at.Second()) }

// Listed notes that the page is listed. From then on it cannot be announced.
func (d *Dates) Listed() { d.announced = 0 }

// AnnouncedLate notes that this page, which was seen already, is new after all: a look at
// another page, at since, showed the first link to it. The page has that date. If a source
// gives a later one, it has the date of its first sighting. The page is not new if it was
// seen before the link, or if a later date may have been published. AnnouncedLate reports
// whether anything changed.
func (d *Dates) AnnouncedLate(firstSeen, since, at moment.Time) bool {
	firstSeen, since = firstSeen.Second(), since.Second()
	if d.fresh != 0 || d.seen != 0 || firstSeen < since || firstSeen > at {
		return false
	}
	used := d.latestUsed()
	if used > firstSeen {
		return false
	}
	d.fresh = since
	for s := Server; s < sources; s++ {
		g := &d.given[s]
		if max(used, g.last) > since {
			d.fresh = firstSeen
		}
		if g.young && (g.last < used || g.last >= firstSeen.Add(-clockWindow)) {
			g.moved = true // a later date may have been published, or this one follows the clock
		}
		g.young = false
	}
	return true
}

// Inherit takes over the changes of a page that has moved here.
func (d *Dates) Inherit(from Dates) {
	d.seen, d.changed, d.exact, d.exactBy = from.seen, from.changed, from.exact, from.exactBy
}

// Held returns the look that first showed what the mark holds, and the variety of that
// look. Both are 0 if nothing is held.
func (d Dates) Held() (at moment.Time, variety uint16) { return d.undecided.at, d.undecided.variety }

// Changes returns how many changes were seen.
func (d Dates) Changes() uint64 { return d.seen }

// LastChange returns the look that first showed the present content, 0 if no change was
// seen.
func (d Dates) LastChange() moment.Time { return d.changed }

// LastGiven returns the date that a source gave at the last look.
func (d Dates) LastGiven(s Source) moment.Time { return d.given[s].last }

// Candidates returns the dates that may become the page's lastmod.
func (d Dates) Candidates() Candidates {
	c := Candidates{Changed: d.changed, Exact: d.exact, ExactBy: d.exactBy, Fresh: d.fresh}
	for s := Server; s < sources; s++ {
		g := d.given[s]
		c.Given[s], c.Young[s] = g.last, g.young && !g.moved
		if d.changed == 0 && g.moved {
			c.Given[s] = g.kept
		}
	}
	return c
}

// Fields lists the dates in a record. They take [DateFields] field numbers, from base on.
func (d *Dates) Fields(f *codec.Fields, base int) {
	codec.Uint(f, base, &d.seen)
	f.Date(base+1, &d.changed)
	f.Date(base+2, &d.exact)
	d.exactBy.field(f, base+3)
	f.Data(base+4, 1, func(int) []byte {
		return encodeTimes(d.changed, append([]moment.Time{d.unchanged}, d.before[:]...))
	}, func(b []byte) {
		if t := decodeTimes(d.changed, b); len(t) > 0 {
			d.unchanged = t[0]
			copy(d.before[:], t[1:])
		}
	})
	f.Date(base+5, &d.announced)
	f.Date(base+6, &d.fresh)
	for s := Server; s < sources; s++ {
		d.given[s].fields(f, base+7+4*int(s-Server))
	}
	d.undecided.fields(f, base+15)
}

// DateFields is how many field numbers [Dates.Fields] uses.
const DateFields = 20

func (g *given) fields(f *codec.Fields, base int) {
	f.Date(base, &g.last)
	f.Date(base+1, &g.kept)
	f.Bool(base+2, &g.moved)
	f.Bool(base+3, &g.young)
}

func (h *heldLook) fields(f *codec.Fields, base int) {
	f.Date(base, &h.at)
	f.Date(base+1, &h.before)
	f.Date(base+2, &h.exact)
	h.by.field(f, base+3)
	codec.Uint(f, base+4, &h.variety)
}

// encodeTimes writes times in seconds, each as its distance from the one before. The reader
// knows the time before the first. Zeros at the end are left out.
func encodeTimes(from moment.Time, times []moment.Time) (b []byte) {
	for len(times) > 0 && times[len(times)-1] == 0 {
		times = times[:len(times)-1]
	}
	last := from.Seconds()
	for _, t := range times {
		b = binary.AppendVarint(b, t.Seconds()-last)
		last = t.Seconds()
	}
	return b
}

func decodeTimes(from moment.Time, b []byte) (times []moment.Time) {
	last := from.Seconds()
	for len(b) > 0 {
		d, n := binary.Varint(b)
		if n <= 0 {
			return nil
		}
		last = codec.Seconds(last + d)
		times, b = append(times, moment.Seconds(last)), b[n:]
	}
	return times
}

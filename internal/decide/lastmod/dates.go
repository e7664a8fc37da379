package lastmod

import (
	"time"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
)

// youngAge is how old a date must be at an observation before it counts. A date that moves with
// the clock never gets so old, and neither does a date that a cache has just made.
const youngAge = time.Hour

// Dates are the dates in a page's record, all in whole seconds. Only this package changes them.
type Dates struct {
	Date  Date   `cbor:"1,keyasint,omitzero"`
	Count uint64 `cbor:"2,keyasint,omitzero"` // changes that were seen
	// the observation that first showed the present content, 0 if no change was seen
	Changed   moment.Time        `cbor:"3,keyasint,omitzero"`
	Unchanged moment.Time        `cbor:"4,keyasint,omitzero"` // the observation before that
	Earlier   [3]moment.Time     `cbor:"5,keyasint,omitzero"` // the changes before the last one, the latest first
	Last      Given[moment.Time] `cbor:"6,keyasint,omitzero"` // the dates at the last observation that had any
	// the date moved without a change, so it is not the content's
	Moved Given[bool] `cbor:"7,keyasint,omitzero"`
	// the observation that first showed a link to the page, see Announce
	Announced moment.Time     `cbor:"8,keyasint,omitzero"`
	Maybe     HeldObservation `cbor:"9,keyasint,omitzero"`  // the observation that showed what the mark holds
	Was       Date            `cbor:"10,keyasint,omitzero"` // the date before the first change, see Undo
	Undone    Undone          `cbor:"11,keyasint,omitzero"` // the change that Undo took back last
	Differed  moment.Time     `cbor:"12,keyasint,omitzero"` // see Differ; 0 if none did since the last change
}

// Undone is a change that was taken back.
type Undone struct {
	Date    Date        `cbor:"1,keyasint,omitzero"` // zero once it cannot come back
	Changed moment.Time `cbor:"2,keyasint,omitzero"`
}

// HeldObservation is an observation that may have been the first to show a change.
type HeldObservation struct {
	At     moment.Time `cbor:"1,keyasint,omitzero"`
	Before moment.Time `cbor:"2,keyasint,omitzero"` // the observation before it
	Exact  moment.Time `cbor:"3,keyasint,omitzero"` // the date that moved at this observation, 0 if none did
	By     Source      `cbor:"4,keyasint,omitzero"`
}

// Observation is what one observation adds to a page's dates.
type Observation struct {
	At      moment.Time // when it was
	Before  moment.Time // when the observation before it was, 0 if there was none
	First   bool        // it is the first observation of the page
	Outcome mark.Outcome
	Since   moment.Time        // if the outcome is mark.Changed: the observation that first showed the change
	Holding bool               // the mark holds something, after this observation
	Given   Given[moment.Time] // the dates that came with it, 0 for none
}

// Finding is what an observation says about the page's content, once its dates are merged.
type Finding struct {
	Since moment.Time // if the outcome is mark.Changed: the observation that first showed the change
	// a believed date that moved with the change, before the observation that showed it, 0 if there is none
	Exact moment.Time
	Lies  []Lie
}

// Observe merges an observation, and decides the page's date. Later times count as the time of the observation.
func (d Dates) Observe(l Observation, trust Trust) (Dates, Finding) {
	l.At, l.Before, l.Since = l.At.Second(), l.Before.Second(), l.Since.Second()
	d.notAfter(l.At)
	f := Finding{Since: min(l.Since, l.At)}
	now := HeldObservation{At: l.At, Before: l.Before}
	for _, s := range givers {
		step := step{old: d.Last[s], new: l.Given[s].Second(), at: l.At, before: l.Before}
		if l.Given[s] = step.new; !step.usable() {
			l.Given[s] = 0
			continue
		}
		switch verdict := step.judge(l.Outcome); {
		case verdict == lied, verdict == ticked:
			f.Lies = append(f.Lies, Lie{s, verdict == ticked})
		case verdict == agreed && now.Exact == 0:
			now.Exact, now.By = step.new, s
		}
		d.Moved[s] = d.Moved[s] || step.old != 0 && step.old != step.new
		d.Last[s] = step.new
	}
	first := d.hold(l, f.Since, now)
	if first.Exact != 0 && first.Exact < f.Since.Add(-clockWindow) && trust.believes(first.By) {
		f.Exact = first.Exact
	}
	if l.Outcome == mark.Changed {
		d.change(first, f.Since, l.At, trust)
	} else if d.Count == 0 {
		d.take(l.Given, l.At, l.First && d.Date.By == Link, trust)
	}
	return d, f
}

// notAfter replaces times that are later than an observation by the observation's own. The clock was ahead
// when they were noted.
func (d *Dates) notAfter(at moment.Time) {
	for _, t := range [...]*moment.Time{&d.Date.At, &d.Changed, &d.Unchanged, &d.Earlier[0], &d.Earlier[1],
		&d.Earlier[2]} {
		*t = min(*t, at)
	}
}

// hold returns the observation that first showed a change: this observation, or a held one. Without a
// change it keeps this observation if the mark began to hold something.
func (d *Dates) hold(l Observation, since moment.Time, now HeldObservation) (first HeldObservation) {
	if l.Outcome == mark.Changed {
		switch since {
		case now.At:
			first = now
		case d.Maybe.At:
			first, d.Maybe = d.Maybe, HeldObservation{}
		}
	}
	switch {
	case !l.Holding:
		d.Maybe = HeldObservation{}
	case l.Outcome == mark.Held, l.Outcome == mark.Changed && d.Maybe == HeldObservation{}:
		d.Maybe = now
	}
	return first
}

// change decides the date of a change that was seen: the time that a believed source gives for it, else the observation
// that first showed it. A page's date never goes back. If the page has a later one, it keeps it if that is the date of
// a change that was seen. A later one that was only given is not believed, and the change is dated by this observation.
func (d *Dates) change(first HeldObservation, since, at moment.Time, trust Trust) {
	if since < d.Date.At && d.Date.Seen {
		return
	}
	if since < d.Date.At {
		since, first = at, HeldObservation{}
	}
	before := d.Date.At
	d.begin(Date{At: since, Seen: true})
	if d.Changed, d.Unchanged = since, first.Before; first.Exact != 0 && first.Exact >= before &&
		trust.believes(first.By) {
		d.Date.At, d.Date.By = first.Exact, first.By
	}
}

// Undo takes back the last change: what the page showed then was not its own content.
func (d *Dates) Undo() {
	if d.Count > 0 {
		d.Undone = Undone{d.Date, d.Changed}
		d.Count, d.Changed, d.Unchanged = d.Count-1, d.Earlier[0], 0
		if d.Date = d.Was; d.Count > 0 {
			d.Date = Date{At: d.Earlier[0], Seen: true}
		}
		d.Earlier = [3]moment.Time{d.Earlier[1], d.Earlier[2]}
	}
}

// Redo restores the change that Undo took back: the content is the page's own after all.
func (d *Dates) Redo() {
	if u := d.Undone; u.Date.At != 0 {
		d.begin(u.Date)
		d.Changed = u.Changed
	}
}

// Return makes sure that the change that Undo took back stays undone: the page shows its own content again. The owner
// still learns when that change was seen.
func (d *Dates) Return() { d.Undone.Date = Date{} }

// begin counts another change, and gives it a date.
func (d *Dates) begin(date Date) {
	if d.Count == 0 {
		d.Was = d.Date
	} else {
		copy(d.Earlier[1:], d.Earlier[:])
		d.Earlier[0] = d.Date.At
	}
	d.Count, d.Date, d.Undone, d.Differed = d.Count+1, date, Undone{}, 0
}

// take decides the date of a page that was not seen to change: the earliest of the given dates that counts. A page that
// has a date keeps it, except at its first observation, where a given date is more exact than the link to a new page.
func (d *Dates) take(all Given[moment.Time], at moment.Time, isNew bool, trust Trust) {
	var given Date
	for _, s := range givers {
		g := all[s]
		switch young := at.Sub(g) < youngAge; {
		case g == 0 || d.Moved[s] || !trust.believes(s):
		case isNew && g >= at.Add(-clockWindow):
			d.Date.At = at // it may have changed since the link, or this is a clock
		case (isNew || !young) && (given.At == 0 || g < given.At):
			given = Date{At: g, By: s}
		}
	}
	if given.At != 0 && (isNew || d.Date.At == 0) {
		d.Date = given
	}
}

// Differ notes that an observation showed another text than the one before it, and that nothing of that
// counts yet.
func (d *Dates) Differ(at moment.Time) { d.Differed = at.Second() }

// Announce notes that the page is new and was not seen yet. The observation at since showed a link
// to it, on a page that had been read before without that link.
func (d *Dates) Announce(since moment.Time) { d.Announced = since.Second() }

// FirstSeen notes the first observation of the page. A page that was announced is as old as the
// first link to it.
func (d *Dates) FirstSeen(at moment.Time) {
	if d.Announced != 0 && d.Date.At == 0 {
		d.Date = Date{At: min(d.Announced, at.Second()), By: Link}
	}
}

// Listed notes that the page is listed. From then on it cannot be announced.
func (d *Dates) Listed() { d.Announced = 0 }

// AnnouncedLate notes that this page, which was seen already, is new after all: an observation of
// another page, at since, showed the first link to it. The page is not new if it was seen
// before the link, and one that has a date keeps it. AnnouncedLate reports whether anything
// changed.
func (d *Dates) AnnouncedLate(firstSeen, since, at moment.Time, trust Trust) bool {
	firstSeen, since = firstSeen.Second(), since.Second()
	if d.Date.At != 0 || firstSeen < since || firstSeen > at {
		return false
	}
	d.Date = Date{At: since, By: Link}
	d.take(d.Last, firstSeen, true, trust)
	return true
}

// Inherit takes over the changes of a page that has moved here.
func (d *Dates) Inherit(from Dates) {
	if from.Count > 0 {
		d.Count, d.Date, d.Changed = from.Count, from.Date, from.Changed
	}
}

// History is what servemap knows of a page's changes, for the owner.
type History struct {
	FirstSeen time.Time   // zero if the page was not seen
	LastSeen  time.Time   // the last visit that counted
	Times     []time.Time // of the last changes, the latest first, at most four
	Changed   time.Time   // the observation that first showed the present content, zero if no change was seen
	Unchanged time.Time   // the observation before that, zero if not known
	Undone    time.Time   // the observation that first showed a later change, which was taken back; zero if none was
	Differed  time.Time   // the last observation that showed another text which is no change yet; zero if none did

	// Given is the last date of each source. The decided date is an earlier one if a date moved while no change was
	// seen.
	Given Given[time.Time]
	Held  time.Time // the observation that first showed what may be a change, zero if there is none
	More  int       // so many more observations have to show it
	Until time.Time // the last of them after this time; zero if only their number counts
}

// History returns the page's history without FirstSeen, LastSeen, Held, More and Until.
func (d Dates) History() (h History) {
	if d.Count > 0 {
		h.Times = append(h.Times, d.Date.At.Time())
	}
	for _, t := range d.Earlier {
		if t != 0 {
			h.Times = append(h.Times, t.Time())
		}
	}
	h.Changed, h.Unchanged, h.Undone = d.Changed.Time(), d.Unchanged.Time(), d.Undone.Changed.Time()
	h.Differed = d.Differed.Time()
	for _, s := range givers {
		h.Given[s] = d.Last[s].Time()
	}
	return h
}

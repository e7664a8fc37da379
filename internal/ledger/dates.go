package ledger

import (
	"math"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/record"
)

// clockWindow is how near to each other two times must be, in seconds, to be
// the same one.
const clockWindow = 2

// clockGap is how far apart two looks must be, in seconds, to tell a date that
// moves with the clock from one that happened to move so far.
const clockGap = 10

// youngAge is how old, in seconds, a look must find a given date before it is
// used: none that moves with the clock ever gets so old, nor one that a cache
// made a moment ago.
const youngAge = int64(time.Hour / time.Second)

// finding is what a look says of the page's content.
type finding struct {
	outcome mark.Outcome
	since   int64 // when the look was that first showed a change, which may be an earlier one
	before  int64 // when the look before this one was, 0 if there was none
	exact   int64 // a date that moved with the change, between the looks around it, 0 if there is none
	by      part.Source
	sure    bool  // it is a believed source's, and not the clock's
	latest  int64 // see state.latest, before the look
}

// given merges the dates that the page and the server give, and catches the
// sources that lie. It completes the finding. While the clock is behind the
// page's own dates, none is touched.
func (m *merge) given(k *look, s *state, f *finding) {
	at := k.At.Unix()
	if at < f.latest {
		return
	}
	dates := [...]int64{part.Server: k.server, part.Page: k.own}
	if k.same {
		dates[part.Page] = s.given[part.Page]
	}
	now := heldDate{at: at, before: f.before, variety: k.variety}
	for src := part.Server; src <= part.Page; src++ {
		d := givenDate{old: s.given[src], new: dates[src], at: at, before: f.before}
		if !d.usable() {
			continue
		}
		switch d.judge(f.outcome) {
		case dateLies:
			m.offended(src, k.Location, false)
		case dateTicks:
			m.offended(src, k.Location, true)
		case dateExact:
			if now.exact == 0 {
				now.exact, now.by = d.new, src
			}
		}
		s.take(src, d, f.outcome == mark.Changed)
	}
	s.hold(f, now)
	if f.exact != 0 && f.exact < f.since-clockWindow {
		m.agreed(f.by, at)
		f.sure = m.l.Doubts().BelievesChange(f.by, f.exact)
	}
}

// hold gives a change the date that moved at the look which first showed it.
// That look may be an earlier one, when the change was not certain yet; so what
// a look showed after which something is held is kept.
func (s *state) hold(f *finding, now heldDate) {
	first := heldDate{}
	if f.outcome == mark.Changed {
		switch f.since {
		case now.at:
			first = now
		case s.held.at:
			first, s.held = s.held, heldDate{}
		}
		f.before, f.exact, f.by = first.before, first.exact, first.by
	}
	switch {
	case !s.mark.Holding():
		s.held, s.newLinks = heldDate{}, nil
	case f.outcome == mark.Held, f.outcome == mark.Changed && s.held == heldDate{}:
		s.held = now
	}
}

// heldDate is what a look showed that may have been the first of a change.
type heldDate struct {
	at, before int64 // the look, and the one before it
	exact      int64 // the date that moved at it, 0 if none did
	by         part.Source
	variety    uint16 // in which that was, see Variety
}

// givenDate is a date that somebody else gives a page, at a look and at the one
// before it, in Unix seconds.
type givenDate struct {
	old, new   int64
	at, before int64
}

type dateVerdict uint8

const (
	datePlain dateVerdict = iota
	dateLies              // it moved although the content did not
	dateTicks             // it did, and as far as the clock
	dateExact             // it moved to a time between the two looks, and so may be that of a change
)

// usable reports whether there is a date, of the past.
func (d givenDate) usable() bool { return d.new > 0 && d.new <= d.at+clockWindow }

// isClock reports whether the date is the time of the look itself. It may be
// true of a page that was saved this second.
func (d givenDate) isClock() bool { return d.new >= d.at-clockWindow }

// ticks reports whether the date moves with the clock: it was the time of both
// looks, or it moved as far as the clock in between.
func (d givenDate) ticks() bool {
	moved, passed := d.new-d.old, d.at-d.before
	off := max(moved-passed, passed-moved)
	return d.isClock() && d.old >= d.before-clockWindow || passed >= clockGap && off <= clockWindow
}

// judge says what it means that the date is what it is, of a usable one. A
// variant may have a date of its own, but none that moves with the clock; and
// what is held may be a change.
func (d givenDate) judge(outcome mark.Outcome) dateVerdict {
	if d.old == 0 || d.new == d.old || d.before == 0 || d.old > d.at+clockWindow {
		return datePlain
	}
	switch outcome {
	case mark.Same:
		if d.ticks() {
			return dateTicks
		}
		return dateLies
	case mark.Variant:
		if d.ticks() {
			return dateTicks
		}
	case mark.Changed, mark.Held:
		if d.new > d.before && d.new <= d.at {
			return dateExact
		}
	}
	return datePlain
}

// take merges a usable date of a source. The page keeps the date that its
// present content was first given: one that moves later, while no change is
// seen, is none of the content's.
func (s *state) take(src part.Source, d givenDate, changed bool) {
	young := d.at-d.new < youngAge && (s.fresh == 0 || d.isClock()) // what is new has a new date
	first := s.given[src] == 0
	s.given[src] = d.new
	switch {
	case changed, first:
		s.moved, s.kept[src] = s.moved.Without(src), 0
		s.young = s.young.Without(src)
		if young {
			s.young = s.young.With(src)
		}
		if first && s.looks > 1 && s.fresh != 0 || young && s.fresh != 0 || s.late(src, d.new) {
			s.moved = s.moved.With(src) // and so is never used: a later date may have been
		}
	case s.moved.Has(src):
	case d.new != d.old:
		s.moved, s.kept[src] = s.moved.With(src), s.used(src, d.old)
	case s.young.Has(src) && !young:
		s.young = s.young.Without(src)
		if s.late(src, d.new) {
			s.moved = s.moved.With(src)
		}
	}
}

// late reports whether a date that comes only now is earlier than another
// source's that may have been used.
func (s *state) late(src part.Source, date int64) bool {
	for other := part.Server; other <= part.Page; other++ {
		if other != src && s.looks > 1 && s.used(other, s.given[other]) > date {
			return true
		}
	}
	return false
}

// used returns the date that a source's is used as for the present content, as
// long as the source is believed, 0 for none. date is what it gave last.
func (s *state) used(src part.Source, date int64) int64 {
	switch {
	case s.moved.Has(src):
		return s.kept[src]
	case s.young.Has(src):
		return 0
	}
	return date
}

// latest returns the latest time that the page's lastmod may have been.
func (s *state) latest() int64 {
	if s.changed != 0 {
		return max(s.changed, s.fresh)
	}
	t := s.fresh
	for src := part.Server; src <= part.Page; src++ {
		t = max(t, s.used(src, s.given[src]))
	}
	return t
}

// date merges a change that was seen. A time before the latest that the page's
// lastmod may have been is not that of the present content, and so not used.
func (s *state) date(f finding, at int64) {
	s.changes++
	if at < f.latest {
		s.undated = true // the clock is behind; see keepTime
		return
	}
	if f.since < f.latest {
		f.since, f.exact, f.before = at, 0, 0
	}
	if f.exact < f.latest {
		f.exact, f.by = 0, part.NoSource
	}
	s.dateTo(f)
}

// dateTo sets the date of the present content, and puts that of the one before
// among the earlier ones.
func (s *state) dateTo(f finding) {
	last := s.changed
	if s.exact != 0 {
		last = s.exact
	}
	if last != 0 {
		s.earlier = append([]int64{last}, s.earlier...)
		s.earlier = s.earlier[:min(len(s.earlier), changesKept)]
	}
	s.changed, s.exact, s.exactBy, s.unchanged = f.since, f.exact, f.by, f.before
}

// changesKept is how many changes are remembered before the last one.
const changesKept = 3

// wrongFor is for how long, in seconds, the looks must lie before a page's own
// dates to show that it was then that the clock was wrong.
const wrongFor = 7 * day

// keepTime compares the time of a look with the page's dates. While the clock
// is behind them, nobody knows which was wrong: the page is without a lastmod
// then, and no date of it is touched. If the clock catches up it was behind; if
// it stays so for long, it was ahead at that time. What cannot be dated by the
// look that showed it is then dated by this one.
//
// before is when the look before was.
func (s *state) keepTime(at, before int64) {
	switch {
	case at >= s.latest():
		if s.undated {
			s.dateTo(finding{since: at})
		}
		s.unmend(at, before)
		s.behind, s.undated = 0, false
	case s.behind == 0 || at < s.behind:
		s.behind = at
	case at-s.behind >= wrongFor:
		s.mend(at)
	}
}

// mend puts right what was dated by a clock that was ahead.
func (s *state) mend(at int64) {
	s.setAside(at)
	if s.changed > at || s.undated {
		s.changed, s.exact, s.exactBy, s.unchanged = at, 0, part.NoSource, 0
	}
	s.fresh, s.firstSeen = min(s.fresh, at), min(s.firstSeen, at)
	for src := part.Server; src <= part.Page; src++ {
		if max(s.given[src], s.kept[src]) > at+clockWindow {
			s.given[src], s.kept[src] = 0, 0
			s.young, s.moved = s.young.Without(src), s.moved.Without(src)
		}
	}
	s.earlier = slices.DeleteFunc(s.earlier, func(t int64) bool { return t > at })
	s.behind, s.undated = 0, false
}

// mended is what was taken for dated by a clock that was ahead.
type mended struct {
	changed, exact int64 // see state; changed is fresh of a page without a change
	by             part.Source
	at             int64 // what it was put right to, 0 if a change was seen by then
}

// setAside keeps what mend is about to put right.
func (s *state) setAside(at int64) {
	switch dated := max(s.changed, s.fresh); {
	case dated <= at:
	case s.aside == mended{}:
		s.aside = mended{changed: dated, exact: s.exact, by: s.exactBy}
		if !s.undated {
			s.aside.at = at
		}
	case s.changed == s.aside.at:
		s.aside.at = at // it is mended once more
	}
}

// unmend takes back what mend did, if the clock was not ahead then but behind for
// long: it has jumped ahead by now, past the dates from before. If they are but
// reached, they stay mended.
func (s *state) unmend(at, before int64) {
	was := s.aside
	if was.changed == 0 || at < was.changed {
		return
	}
	s.aside = mended{}
	switch {
	case at-before < wrongFor:
	case s.changed == 0:
		s.fresh = was.changed
	case s.changed == was.at:
		s.changed, s.exact, s.exactBy = was.changed, was.exact, was.by
	default:
		s.dateTo(finding{since: at}) // the clock was behind at this change
	}
}

// encode writes the times by their distance from one that the reader knows.
func (m mended) encode(near int64) []byte {
	return append(encodeTimes(near, m.changed, m.exact, m.at), byte(m.by))
}

func decodeMended(near int64, b []byte) (m mended) {
	if len(b) == 0 {
		return m
	}
	last := len(b) - 1
	if t := decodeTimes(near, b[:last]); len(t) == 3 {
		m = mended{changed: t[0], exact: t[1], at: t[2], by: sourceOf(uint64(b[last]))}
	}
	return m
}

func readCount(b []byte) (n int) {
	_ = record.Open(b, func(f record.Field) {
		if f.Num == 1 {
			n = int(min(f.Value, math.MaxInt64))
		}
	})
	return n
}

func encodeCount(n int) []byte {
	var e record.Encoder
	e.Uint(1, uint64(max(0, n)))
	return e.SealAny()
}

package lastmod

import (
	"math"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

// Verdict says how the move of a given date compares with the content.
type Verdict uint8

// The verdicts.
const (
	Plain  Verdict = iota // it says nothing about its source
	Lied                  // it moved although the content did not
	Ticked                // it moved although the content did not, and as far as the clock
	Agreed                // it moved to a time between the two looks, and so did the content
)

// Report is what a look showed about a source.
type Report struct {
	Source  Source
	Verdict Verdict
	At      moment.Time // the look
}

// A Reputation is what the site's record says about one source of dates. A source whose
// date moves with the clock loses trust at once, on the whole site. A source whose dates
// move without the content loses trust when two pages show it, or one page shows it often:
// a change on a single page may go unseen. The source regains trust, for later dates, after
// enough days on which its dates moved with the content and never without it. Each time
// that takes twice as many days, so trust cannot flap. Only days with a look count, so a
// clock that jumps wins no trust.
type Reputation struct {
	distrust Distrust
	falls    int    // how often it lost trust
	suspect  uint64 // the page whose date moved without its content, 0 for none
	offences int    // of the suspect
	good     int    // days on which its dates moved with the content, since they last moved without it
	goodDay  int64  // the last of those days, in days since the Unix epoch
}

const (
	offencesOfOne = 3  // on one page are as bad as one each on two pages
	goodDays      = 10 // clear a suspect, and a source that fell once
	mostFalls     = 64
	longestGood   = goodDays << 8
)

// offended returns the reputation after a date of the source has moved on a page
// although the content did not. clock says that it moved with the clock.
func (r Reputation) offended(page uint64, clock bool) Reputation {
	r.good, r.goodDay = 0, 0
	if r.distrust.All {
		r.distrust.Clock = r.distrust.Clock || clock
		return r
	}
	if r.suspect == 0 {
		r.suspect = page
	}
	other := r.suspect != page
	r.offences++
	if clock || other || r.offences >= offencesOfOne {
		r.distrust.All, r.distrust.Clock = true, clock
		r.falls = min(r.falls+1, mostFalls)
		r.suspect, r.offences = 0, 0
	}
	return r
}

// agreed returns the reputation after a date of the source has moved with the content. at
// is the time of the look and now the time of the merge. Another process may have
// distrusted a date from between the two.
func (r Reputation) agreed(at, now moment.Time) Reputation {
	if !r.distrust.All && r.suspect == 0 {
		return r
	}
	switch today := at.Day(); {
	case r.goodDay == 0 || today > r.goodDay:
		r.good, r.goodDay = r.good+1, today
	case today < r.goodDay:
		r.goodDay = today // one of the two times was wrong
	}
	if r.good < r.needed() {
		return r
	}
	if r.distrust.All {
		r.distrust.All, r.distrust.Clock = false, false
		r.distrust.UpTo = max(r.distrust.UpTo, at, now)
	}
	r.suspect, r.offences, r.good, r.goodDay = 0, 0, 0, 0
	return r
}

// needed returns how many good days clear the source.
func (r Reputation) needed() int {
	if !r.distrust.All || r.falls < 1 {
		return goodDays
	}
	return goodDays << min(r.falls-1, 8)
}

// Reputations are the reputations of all sources. They can be compared.
type Reputations Given[Reputation]

// Concerns reports whether a report may change the reputations. Usually it cannot, and then
// the caller need not read the record.
func (rs *Reputations) Concerns(r Report) bool {
	known := &rs[r.Source]
	switch r.Verdict {
	case Lied, Ticked:
		return !known.distrust.All || known.good != 0 || r.Verdict == Ticked && !known.distrust.Clock
	case Agreed:
		return known.distrust.All || known.suspect != 0
	}
	return false
}

// Take merges a report of a look. page is a hash of the page, not 0. now is when
// the report is merged.
func (rs *Reputations) Take(r Report, page uint64, now moment.Time) {
	switch r.Verdict {
	case Lied, Ticked:
		rs[r.Source] = rs[r.Source].offended(page, r.Verdict == Ticked)
	case Agreed:
		rs[r.Source] = rs[r.Source].agreed(r.At, now)
	}
}

// AddStamps adds the stamps of trust.
func (rs *Reputations) AddStamps(trust Trust) {
	for s := Server; s < sources; s++ {
		rs[s].distrust.Stamps = rs[s].distrust.Stamps.withAll(trust[s].Stamps)
	}
}

// Trust returns which dates of the sources are not believed.
func (rs *Reputations) Trust() (t Trust) {
	for s := Server; s < sources; s++ {
		t[s] = rs[s].distrust
	}
	return t
}

// fields lists the reputations. Each source has its own ten numbers.
func (rs *Reputations) fields(f *codec.Fields) {
	for s := Server; s < sources; s++ {
		rs[s].fields(f, 10*int(s))
	}
}

func (r *Reputation) fields(f *codec.Fields, base int) {
	f.Bool(base, &r.distrust.All)
	f.Bool(base+1, &r.distrust.Clock)
	f.Count(base+2, &r.falls)
	f.Hash(base+3, &r.suspect)
	f.Count(base+4, &r.offences)
	f.Count(base+5, &r.good)
	f.Int(base+6, &r.goodDay)
	f.Time(base+7, &r.distrust.UpTo)
	stamps := &r.distrust.Stamps
	f.Data(base+8, len(stamps), func(i int) []byte {
		return encodeTimes(0, []moment.Time{stamps[i].From, stamps[i].To})
	}, func(b []byte) {
		if t := decodeTimes(0, b); len(t) == 2 && t[0] <= t[1] && t[1] > 0 {
			*stamps = stamps.With(Stamp{From: t[0], To: t[1]})
		}
	})
}

// Encode returns the record, including the fields that its reader did not know.
func (rs *Reputations) Encode(unread codec.Unread) []byte { return codec.Write(rs.fields, unread) }

// ReadReputations reads what Encode wrote. Impossible numbers are brought into bounds.
func ReadReputations(b []byte) (rs Reputations, unread codec.Unread) {
	unread, _ = codec.Read(b, codec.Into(rs.fields))
	for s := range rs {
		r := &rs[s]
		r.falls, r.offences, r.good = min(r.falls, mostFalls), min(r.offences, offencesOfOne), min(r.good, longestGood)
		r.goodDay = max(math.MinInt32, min(r.goodDay, math.MaxInt32))
	}
	return rs, unread
}

package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/record"
)

// repute is what is known of a source of dates, by how its dates move. A source
// that moves with the clock is distrusted at once, on the whole site. One that
// moves where the content does not is distrusted when it did so on two pages, or
// often on one: a single page may be one whose content is not seen. It is
// believed again, for dates from then on, after days enough on which its dates
// moved with the content and never without it, each time after twice as many:
// so it cannot flap. Days are counted as they are seen, so that a clock that
// jumps wins nobody trust.
type repute struct {
	doubts   part.Doubts
	falls    int    // how often it was distrusted
	suspect  uint64 // the page whose date moved without its content, 0 for none
	offences int    // of the suspect
	good     int    // days on which its dates moved with the content, since they last moved without it
	goodDay  int64  // the last of them, in days since the Unix epoch
}

const (
	offencesOfOne = 3  // of one page are as bad as those of two
	goodDays      = 10 // clear a suspect, and a source that fell once
	longestGood   = goodDays << 8
	day           = int64(24 * time.Hour / time.Second)
)

// offended returns the repute after a date of the source has moved on a page
// although the content did not. clock says that it moved with the clock.
func (r repute) offended(page uint64, clock bool) repute {
	r.good, r.goodDay = 0, 0
	if r.doubts.All {
		r.doubts.Clock = r.doubts.Clock || clock
		return r
	}
	if r.suspect == 0 {
		r.suspect = page
	}
	other := r.suspect != page
	r.offences++
	if clock || other || r.offences >= offencesOfOne {
		r.doubts.All, r.doubts.Clock = true, clock
		r.falls = min(r.falls+1, 64)
		r.suspect, r.offences = 0, 0
	}
	return r
}

// agreed returns the repute after a date of the source has moved with the
// content. at is when that was seen and now when it is merged, in Unix seconds: a
// date from in between may be one that another process has not believed.
func (r repute) agreed(at, now int64) repute {
	if !r.doubts.All && r.suspect == 0 {
		return r
	}
	switch today := at / day; {
	case r.goodDay == 0 || today > r.goodDay:
		r.good, r.goodDay = r.good+1, today
	case today < r.goodDay:
		r.goodDay = today // one of the two was wrong
	}
	if r.good < r.needed() {
		return r
	}
	if r.doubts.All {
		r.doubts.All, r.doubts.Clock = false, false
		r.doubts.UpTo = max(r.doubts.UpTo, at, now)
	}
	r.suspect, r.offences, r.good, r.goodDay = 0, 0, 0, 0
	return r
}

// needed returns how many good days clear the source.
func (r repute) needed() int {
	if !r.doubts.All || r.falls < 1 {
		return goodDays
	}
	return goodDays << min(r.falls-1, 8)
}

// reputes are those of all sources.
type reputes [part.Page + 1]repute

// trust returns what is known against the sources.
func (rs *reputes) trust() (t part.Trust) {
	for src := part.Server; src <= part.Page; src++ {
		t[src] = rs[src].doubts
	}
	return t
}

// The fields of the stored reputes: the set of the distrusted sources, as the
// first version of the program had it, and from ten times the number of each
// source on, what else there is.
const (
	reputeDistrusted = 1
	reputesFrom      = 10

	reputeClock = iota - 1
	reputeFalls
	reputeSuspect
	reputeOffences
	reputeGood
	reputeGoodDay
	reputeUpTo
	reputeStamp
)

// encode returns the record, with the fields that its reader did not know.
func (rs *reputes) encode(unread record.Unread) []byte {
	var e record.Encoder
	var distrusted part.Sources
	for src := part.Server; src <= part.Page; src++ {
		if rs[src].doubts.All {
			distrusted = distrusted.With(src)
		}
	}
	e.Uint(reputeDistrusted, uint64(distrusted))
	for src := part.Server; src <= part.Page; src++ {
		r, n := &rs[src], reputesFrom*int(src)
		e.Bool(n+reputeClock, r.doubts.Clock)
		e.Uint(n+reputeFalls, uint64(r.falls))
		e.Fixed(n+reputeSuspect, r.suspect)
		e.Uint(n+reputeOffences, uint64(r.offences))
		e.Uint(n+reputeGood, uint64(r.good))
		e.Int(n+reputeGoodDay, r.goodDay)
		e.Int(n+reputeUpTo, r.doubts.UpTo)
		for _, st := range r.doubts.Stamps {
			if st != (part.Stamp{}) {
				e.Bytes(n+reputeStamp, binary.AppendVarint(binary.AppendVarint(nil, st.From), st.To))
			}
		}
	}
	e.Keep(unread)
	return e.Seal()
}

// readReputes reads what encode wrote. Of a record of a later version it says that
// no source is believed: one that it tells of must not be believed again.
func readReputes(b []byte) (rs reputes, unread record.Unread) {
	unread, err := record.Read(b, func(f record.Field) bool {
		if f.Num == reputeDistrusted {
			for src := part.Server; src <= part.Page; src++ {
				rs[src].doubts.All = part.Sources(f.Value).Has(src)
			}
			return true
		}
		src := f.Num / reputesFrom
		return src >= int(part.Server) && src <= int(part.Page) && rs[src].read(f)
	})
	if errors.Is(err, record.ErrVersion) {
		for src := part.Server; src <= part.Page; src++ {
			rs[src].doubts.All = true
		}
	}
	return rs, unread
}

// read reads one field, and reports whether it is known.
func (r *repute) read(f record.Field) bool {
	switch f.Num % reputesFrom {
	case reputeClock:
		r.doubts.Clock = true
	case reputeFalls:
		r.falls = int(min(f.Value, 64))
	case reputeSuspect:
		r.suspect = f.Value
	case reputeOffences:
		r.offences = int(min(f.Value, offencesOfOne))
	case reputeGood:
		r.good = int(min(f.Value, longestGood))
	case reputeGoodDay:
		r.goodDay = f.Int()
	case reputeUpTo:
		r.doubts.UpTo = f.Seconds()
	case reputeStamp:
		r.doubts.Stamps = r.doubts.Stamps.With(readStamp(f.Data))
	default:
		return false
	}
	return true
}

// readStamp returns the zero Stamp for what is none.
func readStamp(b []byte) part.Stamp {
	from, n := binary.Varint(b)
	if n <= 0 {
		return part.Stamp{}
	}
	to, n := binary.Varint(b[n:])
	if n <= 0 || from > to {
		return part.Stamp{}
	}
	return part.Stamp{From: record.Seconds(from), To: record.Seconds(to)}
}

// offended notes that a date of a source moved on a page whose content did not.
func (m *merge) offended(src part.Source, location string, clock bool) {
	if known := m.l.reputes[src]; known.doubts.All && known.good == 0 && (known.doubts.Clock || !clock) {
		return // there is nothing to lose
	}
	page := m.l.secret.short("suspect", location) | 1
	m.repute(func(rs *reputes) { rs[src] = rs[src].offended(page, clock) })
}

// agreed notes that a date of a source moved with the content of a page.
func (m *merge) agreed(src part.Source, at int64) {
	if known := m.l.reputes[src]; known.doubts.All || known.suspect != 0 {
		m.repute(func(rs *reputes) { rs[src] = rs[src].agreed(at, m.now.Unix()) })
	}
}

// repute changes the stored reputes.
func (m *merge) repute(change func(*reputes)) {
	key := m.l.keys.trust()
	before, unread := readReputes(m.Get(key))
	after := before
	if change(&after); after != before {
		m.Put(key, after.encode(unread))
		m.effects.reputes = true
	}
}

// readTrust reads what is stored of the sources, and reports whether one of them
// has lost trust, or won it. Of stamps the files know themselves.
func (l *Ledger) readTrust(ctx context.Context) (changed bool, err error) {
	var rs reputes
	later := false
	err = view(ctx, l.cfg.Store, []string{l.keys.trust()}, func(t *tx) {
		b := t.Get(l.keys.trust())
		rs, _ = readReputes(b)
		later = record.Later(b)
	})
	if err != nil {
		return false, err
	}
	before, after := l.Doubts(), rs.trust()
	l.reputes = rs
	l.trust.Store(&after)
	if later {
		if changed = before != after; changed {
			l.cfg.Logger.Warn("servemap: given dates are not used for lastmod: what is stored of them is of a later version of this program")
		}
		return changed, nil
	}
	for src, name := range sourceNames {
		switch was, is := before[src], after[src]; {
		case is.All && !was.All:
			l.cfg.Logger.Info("servemap: given dates are not used for lastmod: they moved although the content did not", "source", name, "clock", is.Clock)
			changed = true
		case was.All && !is.All:
			l.cfg.Logger.Info("servemap: given dates are used for lastmod again: they have moved with the content for long", "source", name)
			changed = true
		}
	}
	return changed, nil
}

// keepStamps stores the stamps that were found when the files were rendered, so
// that a date which was doubted is not believed after a restart.
func (l *Ledger) keepStamps(ctx context.Context) error {
	found := l.cfg.Files.Trust()
	for src := range found {
		found[src] = part.Doubts{Stamps: found[src].Stamps}
	}
	if found == l.stamped {
		return nil
	}
	if err := l.commit(ctx, []string{l.keys.trust()}, func(m *merge) { m.stamp(found) }); err != nil {
		return err
	}
	l.stamped = found
	return nil
}

func (m *merge) stamp(found part.Trust) {
	m.repute(func(rs *reputes) {
		for src := part.Server; src <= part.Page; src++ {
			for _, st := range found[src].Stamps {
				rs[src].doubts.Stamps = rs[src].doubts.Stamps.With(st)
			}
		}
	})
}

// sourceNames are what people call the sources.
var sourceNames = [...]string{part.Server: "Last-Modified", part.Page: "page"}

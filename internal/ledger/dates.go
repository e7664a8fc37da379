package ledger

import (
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/record"
)

// clockWindow is how near to the moment of the look a given date must be, in
// seconds, to be the clock's and not the page's.
const clockWindow = 2

// dates merges the dates that the page and the server give, and catches the
// sources that lie. before is when the look before was, 0 if there was none.
func (m *merge) dates(k *look, s *state, outcome mark.Outcome, before int64) {
	given := [...]int64{part.Server: k.server, part.Page: k.own}
	if k.same {
		given[part.Page] = s.given[part.Page]
	}
	for src := part.Server; src <= part.Page; src++ {
		d := givenDate{old: s.given[src], new: given[src], oldWasClock: s.clock.Has(src), at: k.At.Unix(), before: before}
		switch d.judge(outcome) {
		case dateLies:
			m.distrust(src)
		case dateExact:
			if s.exact == 0 {
				s.exact, s.exactBy = d.new, src
			}
		}
		if d.usable() {
			s.given[src] = d.new
			s.clock &^= 1 << src
			if d.isClock() {
				s.clock = s.clock.With(src)
			}
		}
	}
}

// givenDate is a date that somebody else gives a page, at a look and at the one
// before it, in Unix seconds.
type givenDate struct {
	old, new    int64
	oldWasClock bool
	at, before  int64
}

type dateVerdict uint8

const (
	datePlain dateVerdict = iota
	dateLies              // it moved although the content did not, or it moves with the clock
	dateExact             // it moved with the content, to a time between the two looks
)

// usable reports whether there is a date, of the past.
func (d givenDate) usable() bool { return d.new > 0 && d.new <= d.at+clockWindow }

// isClock reports whether the date is the time of the look itself. It may be
// true of a page that was saved this second, so it only counts when repeated.
func (d givenDate) isClock() bool { return d.new >= d.at-clockWindow }

func (d givenDate) judge(outcome mark.Outcome) dateVerdict {
	if !d.usable() || d.old == 0 || d.new == d.old {
		return datePlain
	}
	switch {
	case outcome == mark.Same, outcome == mark.Variant && d.oldWasClock && d.isClock():
		return dateLies
	case outcome == mark.Changed && d.new > d.before && d.new <= d.at:
		return dateExact
	}
	return datePlain
}

// distrust notes that a source was caught. It stays so: a source that lied on
// one page cannot be told apart from one that lies on others unseen.
func (m *merge) distrust(src part.Source) {
	key := m.l.keys.trust()
	distrusted := readSources(m.Get(key))
	if distrusted.Has(src) {
		return
	}
	var e record.Encoder
	e.Uint(1, uint64(distrusted.With(src)))
	m.Put(key, e.Seal())
	m.effects.caught = true
}

func readSources(b []byte) (s part.Sources) {
	_ = record.Open(b, func(f record.Field) {
		if f.Num == 1 {
			s = part.Sources(f.Value)
		}
	})
	return s
}

func readCount(b []byte) (n int) {
	_ = record.Open(b, func(f record.Field) {
		if f.Num == 1 {
			n = int(f.Value)
		}
	})
	return n
}

func encodeCount(n int) []byte {
	var e record.Encoder
	e.Uint(1, uint64(max(0, n)))
	return e.SealAny()
}

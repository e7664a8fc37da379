package part

import (
	"cmp"
	"slices"
)

// Trust says, by source, which given dates are not believed. Belief in a date is
// only ever lost: what a lastmod goes by would otherwise go back with it. The
// zero Trust believes every date. It can be compared.
type Trust [sources]Doubts

// Doubts are what is known against the dates of one source. Times are in Unix
// seconds.
type Doubts struct {
	All    bool  // the source was caught, and none of its dates is believed
	Clock  bool  // what it was caught at was moving with the clock
	UpTo   int64 // dates up to then are not believed: it was caught before
	Stamps Stamps
	// Likely is a stamp that so few pages show that it may turn out to be none.
	// A date in it is not used, and none that is later is used in its place.
	Likely Stamp
}

// Believes reports whether a date that a source gives can be used.
func (t Trust) Believes(s Source, date int64) bool { return t.Against(s, date) == NoDoubt }

// BelievesChange is Believes for a date that moved with a change: a build that shows it
// is when it was made.
func (t Trust) BelievesChange(s Source, date int64) bool {
	return s < sources && !t[s].All && date > t[s].UpTo
}

// Doubt says why a given date is not used.
type Doubt uint8

// The doubts.
const (
	NoDoubt  Doubt = iota
	NotGiven       // there is no date
	Clocked        // its source moves with the clock
	Moved          // its source moves where the content does not
	Outdated       // it is from before its source was believed again
	Stamped        // a build gave it to most pages
	TooYoung       // no look has found it old enough to tell it from the clock
)

// Against says why a date that a source gives is not believed.
func (t Trust) Against(s Source, date int64) Doubt {
	if s >= sources {
		return NotGiven
	}
	switch d := &t[s]; {
	case d.All && d.Clock:
		return Clocked
	case d.All:
		return Moved
	case date <= d.UpTo:
		return Outdated
	case d.Stamps.hold(date), d.Likely.holds(date):
		return Stamped
	}
	return NoDoubt
}

// A Stamp is the stretch of time, in Unix seconds, in which a build wrote most
// of the dates that a source gives. The zero Stamp is none.
type Stamp struct{ From, To int64 }

func (st Stamp) holds(date int64) bool {
	return st != Stamp{} && st.From <= date && date <= st.To
}

// Stamps are the stamps that were found, the latest first, and then zero ones.
type Stamps [stampsKept]Stamp

// stampsKept bounds the stamps that are told apart. Of more, the two earliest
// are taken for one, with all between them: a site with so many builds has no
// old dates worth believing.
const stampsKept = 8

func (ss *Stamps) hold(date int64) bool {
	for _, st := range ss {
		if st == (Stamp{}) {
			return false
		}
		if st.holds(date) {
			return true
		}
	}
	return false
}

// With returns the stamps with one more, joined to those that it touches.
func (ss Stamps) With(st Stamp) Stamps {
	if st == (Stamp{}) {
		return ss
	}
	all := make([]Stamp, 0, stampsKept+1)
	for _, old := range ss {
		switch {
		case old == Stamp{}:
		case old.From <= st.To+stampSpan && st.From <= old.To+stampSpan:
			st = Stamp{min(st.From, old.From), max(st.To, old.To)}
		default:
			all = append(all, old)
		}
	}
	all = append(all, st)
	slices.SortFunc(all, func(a, b Stamp) int { return cmp.Compare(b.From, a.From) })
	if n := len(all); n > stampsKept {
		all[n-2].From = all[n-1].From
		all = all[:n-1]
	}
	var next Stamps
	copy(next[:], all)
	return next
}

// A build writes its files in a burst: many in each second, all within minutes.
// Dates that people made are spread; two pages saved in the same second are
// rare, and crowdedSecond of them are none of theirs.
const (
	crowdedSecond = 3
	stampSpan     = 10 * 60
	crowdsKept    = 64
	surePages     = 100 // dated ones show what a site is like
)

// dates sums up the given dates of one part, so that the dates of a whole site
// can be judged without keeping them.
type dates struct{ by [sources]crowds }

// crowds are the seconds that crowdedSecond or more pages of a part share, the
// most crowded ones if there are many.
type crowds struct {
	dated int
	top   []crowd
}

type crowd struct {
	second int64
	pages  int
}

// judge returns known with the stamps added that the parts' dates show: a stamp
// is there when the crowded seconds of one short stretch hold most of the pages
// that the source dates. It stays, whatever pages come later, if there are many.
func judge(parts []dates, known Trust) Trust {
	for s := Server; s < sources; s++ {
		dated := 0
		bySecond := map[int64]int{}
		for _, p := range parts {
			dated += p.by[s].dated
			for _, c := range p.by[s].top {
				bySecond[c.second] += c.pages
			}
		}
		known[s].Likely = findStamp(bySecond, dated)
		if dated >= surePages {
			known[s].Stamps, known[s].Likely = known[s].Stamps.With(known[s].Likely), Stamp{}
		}
	}
	return known
}

// follow returns what others know against the sources, with the stamps of t
// added: those that were found are not forgotten before somebody has stored them.
func (t Trust) follow(others Trust) Trust {
	for s := Server; s < sources; s++ {
		for _, st := range t[s].Stamps {
			others[s].Stamps = others[s].Stamps.With(st)
		}
	}
	return others
}

func findStamp(bySecond map[int64]int, dated int) Stamp {
	seconds := make([]int64, 0, len(bySecond))
	for second := range bySecond {
		seconds = append(seconds, second)
	}
	slices.Sort(seconds)
	var best Stamp
	pages, most, from := 0, 0, 0
	for to, second := range seconds {
		pages += bySecond[second]
		for seconds[from] < second-stampSpan {
			pages -= bySecond[seconds[from]]
			from++
		}
		if pages > most && 2*pages > dated {
			most, best = pages, Stamp{seconds[from], seconds[to]}
		}
	}
	return best
}

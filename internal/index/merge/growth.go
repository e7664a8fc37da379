package merge

import "time"

// growthADay is how many pages links may list for the first time in a day, or a tenth of the listed
// ones if that is more. A calendar links to new pages without end.
const growthADay = 100_000

// Growth counts the pages that links have listed for the first time on the present day. It is kept in memory, so that
// no page costs a record. What the site itself gets does not count, since exploring has its own limit. The zero Growth
// has counted none.
type Growth struct {
	day   int64
	pages int
}

// Add counts pages that were listed at now.
func (g *Growth) Add(pages int, now time.Time) {
	if day := dayOf(now); day != g.day {
		*g = Growth{day: day}
	}
	g.pages += pages
}

// allows reports whether another page may be listed at now. listed is how many the site lists already.
func (g *Growth) allows(listed int, now time.Time) bool {
	return dayOf(now) != g.day || g.pages < max(growthADay, listed/10)
}

func dayOf(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }

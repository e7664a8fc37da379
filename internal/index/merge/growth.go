package merge

import (
	"time"

	"github.com/servemap/servemap/internal/decide/quota"
)

// growthADay is how many pages links may list for the first time in a day, or a tenth of the listed
// ones if that is more. A calendar links to new pages without end.
const growthADay = 100_000

// Growth counts the pages that links have listed for the first time on the present day, by the
// network that got them. It is kept in memory, so that no page costs a record. What the site itself gets does not
// count, since exploring has its own limit. The zero Growth is that of a day without any.
type Growth struct {
	day   int64
	total int64
	held  *quota.Held
}

// Add counts pages that were listed at now.
func (g *Growth) Add(pages map[quota.Payer]int64, now time.Time) {
	if day := dayOf(now); day != g.day || g.held == nil {
		*g = Growth{day: day, held: new(quota.Held)}
	}
	for by, n := range pages {
		g.held.Add(by, n)
		g.total += n
	}
}

// allows reports whether by may have another page listed at now, of a site that lists so many.
func (g *Growth) allows(by quota.Payer, listed int, now time.Time) bool {
	return g.held == nil || dayOf(now) != g.day || g.held.May(by, int64(max(growthADay, listed/10))-g.total)
}

func dayOf(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }

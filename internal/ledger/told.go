package ledger

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/part"
)

// History is what is known of when a page's content changed.
type History struct {
	Times     []time.Time // of the last changes, the latest first; at most four
	Unchanged time.Time   // the last look that showed the content before the last change, zero if not known

	// Mean is the mean time between changes that is likely now. It lies between
	// Least and Most with a probability of about 80 %. All are 0 before a change
	// was seen.
	Mean, Least, Most time.Duration

	Ignored mark.Ignored

	// Given is what each source gave last, which is not what the listing has if it
	// has moved while no change was seen.
	Given [part.Page + 1]time.Time
	// Held is the look that first showed what may be a change, zero if nothing
	// may, and More how many more looks have to show it.
	Held time.Time
	More int
}

func (s *state) history() (h History) {
	if s.changed != 0 {
		last := s.changed
		if s.exact != 0 {
			last = s.exact
		}
		h.Times = append(h.Times, fromSeconds(last))
	}
	for _, t := range s.earlier {
		h.Times = append(h.Times, fromSeconds(t))
	}
	h.Unchanged, h.Ignored = fromSeconds(s.unchanged), s.mark.Ignored()
	for src := part.Server; src <= part.Page; src++ {
		h.Given[src] = fromSeconds(s.given[src])
	}
	held, more := s.mark.Awaited()
	h.Held, h.More = fromSeconds(held), more
	least, mean, most := s.rate.Interval()
	h.Least, h.Mean, h.Most = duration(least), duration(mean), duration(most)
	return h
}

// duration returns a number of seconds as a Duration, the longest one for more.
func duration(seconds float64) time.Duration {
	if seconds >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

// Told says in a sentence what the page's lastmod goes by, or why it has none, and
// in another what may yet be a change. It is "" of a page that was not seen.
func (p Page) Told(trust part.Trust, now time.Time) string {
	if p.FirstSeen.IsZero() {
		return ""
	}
	at, by, whose := p.Listing.Dated(trust, now.Unix())
	switch by {
	case part.BySeen:
		return p.changed("the lastmod is the time of the look that first showed it") + p.held()
	case part.ByExact:
		return p.changed("the lastmod is the time that "+p.gave(whose, at, "")) + p.held()
	case part.ByGiven:
		return fmt.Sprintf("No change was seen since the first look at %s; the lastmod is the time that %s.%s",
			stamp(p.FirstSeen), p.gave(whose, at, ": nothing that counts has changed with it"), p.held())
	case part.ByFresh:
		return "The page is new, as it was not linked before; the lastmod is the time of the first look." + p.held()
	case part.Volatile:
		return "There is no lastmod: the page is another one at every look."
	case part.Ahead:
		return "There is no lastmod: the clock is behind the time of the last change."
	}
	return p.undated(trust, now) + p.held()
}

// undated says why there is no lastmod of a page on which no change was seen.
func (p Page) undated(trust part.Trust, now time.Time) string {
	why := []string{fmt.Sprintf("no change was seen since the first look at %s", stamp(p.FirstSeen))}
	for src := part.Server; src <= part.Page; src++ {
		doubt := doubts[p.Listing.Against(trust, src, now.Unix())]
		if last := p.Given[src]; doubt == "" && !last.IsZero() {
			doubt = fmt.Sprintf("gives %s by now, with which nothing that counts has changed", stamp(last))
		}
		if doubt != "" {
			why = append(why, givers[src]+" "+doubt)
		}
	}
	return "There is no lastmod: " + strings.Join(why, "; ") + "."
}

// gave says that a source gives a time, or if it gives another one by now, that
// it gave it, and why that one is not used.
func (p Page) gave(src part.Source, at int64, why string) string {
	if last := p.Given[src]; !last.IsZero() && last.Unix() != at {
		return fmt.Sprintf("%s gave with that content, and not %s, which it gives by now%s", givers[src], stamp(last), why)
	}
	return givers[src] + " gives"
}

// held says what may yet be a change, and what that waits for.
func (p Page) held() string {
	if p.Held.IsZero() {
		return ""
	}
	looks := "one more look shows"
	if p.More > 1 {
		looks = fmt.Sprintf("%d more looks show", p.More)
	}
	return fmt.Sprintf(" What the look at %s first showed, or no longer showed, may be a change: it is one, since then, once %s the same.", stamp(p.Held), looks)
}

// changed says when the content changed, and what the lastmod is.
func (p Page) changed(lastMod string) string {
	if p.Unchanged.IsZero() {
		return fmt.Sprintf("The content changed; %s.", lastMod)
	}
	return fmt.Sprintf("The content changed between the looks at %s and %s; %s.",
		stamp(p.Unchanged), stamp(fromSeconds(p.Listing.Changed)), lastMod)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// givers are what the sources are called in a sentence.
var givers = [...]string{part.Server: "Last-Modified", part.Page: "the page itself"}

// doubts say why a date is not used.
var doubts = [...]string{
	part.NoDoubt:  "",
	part.NotGiven: "",
	part.Clocked:  "is not believed, since it moves with the clock",
	part.Moved:    "is not believed, since it moved on pages that had not changed",
	part.Outdated: "was not believed at the time that it gives",
	part.Stamped:  "gives the time of a build that most pages share",
	part.TooYoung: "gives a time that no look has found an hour old, which it waits for",
}

package lastmod

import (
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/moment"
)

// History is what is known of when a page's content changed, for its owner.
type History struct {
	FirstSeen time.Time   // zero if the page was not seen
	Times     []time.Time // of the last changes, the latest first, at most four
	Unchanged time.Time   // the last look that showed the content before the last change, zero if not known

	// Given is what each source gave last. The listing keeps another date if that
	// moved while no change was seen.
	Given Given[time.Time]
	// Held is the look that first showed what may be a change, zero if nothing
	// may be one, and More how many more looks have to show it.
	Held time.Time
	More int
}

// History returns the page's history, but for FirstSeen, Held and More.
func (d Dates) History() (h History) {
	if last := d.lastChange(); last != 0 {
		h.Times = append(h.Times, last.Time())
	}
	for _, t := range d.before {
		if t != 0 {
			h.Times = append(h.Times, t.Time())
		}
	}
	h.Unchanged = d.unchanged.Time()
	for s := Server; s < sources; s++ {
		h.Given[s] = d.given[s].last.Time()
	}
	return h
}

// Explain says in a sentence what the lastmod of a page goes by, or why there is
// none, and in another what may yet be a change. It is "" of a page that was not
// seen.
func Explain(c Candidates, h History, trust Trust, now moment.Time) string {
	if h.FirstSeen.IsZero() {
		return ""
	}
	at, by, whose := c.Decide(trust, now)
	switch by {
	case BySeen:
		return h.changed(c, "the lastmod is the time of the look that first showed it") + h.held()
	case ByExact:
		return h.changed(c, "the lastmod is the time that "+h.gave(whose, at, "")) + h.held()
	case ByGiven:
		return fmt.Sprintf("No change was seen since the first look at %s; the lastmod is the time that %s.%s",
			stamp(h.FirstSeen), h.gave(whose, at, ": nothing that counts has changed with it"), h.held())
	case ByFresh:
		return "The page is new, as it was not linked before; the lastmod is the time of the first look." + h.held()
	case Volatile:
		return "There is no lastmod: the page is another one at every look."
	case Ahead:
		return "There is no lastmod: the clock is behind the time of the last change."
	}
	return h.undated(c, trust, now) + h.held()
}

// undated says why there is no lastmod of a page on which no change was seen.
func (h History) undated(c Candidates, trust Trust, now moment.Time) string {
	why := []string{fmt.Sprintf("no change was seen since the first look at %s", stamp(h.FirstSeen))}
	for s := Server; s < sources; s++ {
		doubt := doubts[c.Against(trust, s, now)]
		if last := h.Given[s]; doubt == "" && !last.IsZero() {
			doubt = fmt.Sprintf("gives %s by now, with which nothing that counts has changed", stamp(last))
		}
		if doubt != "" {
			why = append(why, s.String()+" "+doubt)
		}
	}
	return "There is no lastmod: " + strings.Join(why, "; ") + "."
}

// gave says that a source gives a time. If it gives another one by now, it says
// which, and why that one is not used.
func (h History) gave(s Source, at moment.Time, why string) string {
	if last := h.Given[s]; !last.IsZero() && moment.Of(last) != at {
		return fmt.Sprintf("%v gave with that content, and not %s, which it gives by now%s", s, stamp(last), why)
	}
	return s.String() + " gives"
}

// held says what may yet be a change, and what that waits for.
func (h History) held() string {
	if h.Held.IsZero() {
		return ""
	}
	looks := "one more look shows"
	if h.More > 1 {
		looks = fmt.Sprintf("%d more looks show", h.More)
	}
	return fmt.Sprintf(" What the look at %s first showed, or no longer showed, may be a change: it is one, since then, once %s the same.", stamp(h.Held), looks)
}

// changed says when the content changed, and what the lastmod is.
func (h History) changed(c Candidates, lastMod string) string {
	if h.Unchanged.IsZero() {
		return fmt.Sprintf("The content changed; %s.", lastMod)
	}
	return fmt.Sprintf("The content changed between the looks at %s and %s; %s.", stamp(h.Unchanged), stamp(c.Changed.Time()), lastMod)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// doubts say why a date is not used.
var doubts = [...]string{
	NoDoubt:  "",
	NotGiven: "",
	Clocked:  "is not believed, since it moves with the clock",
	Moved:    "is not believed, since it moved on pages that had not changed",
	Outdated: "was not believed at the time that it gives",
	Stamped:  "gives the time of a build that most pages share",
	TooYoung: "gives a time that no look has found an hour old, which it waits for",
}

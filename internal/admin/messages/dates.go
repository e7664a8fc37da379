package messages

import (
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
)

// LastMod says where the lastmod of a page comes from, or why there is none. It then says what may
// still turn out to be a change. It returns "" for a page that was never seen.
func LastMod(d lastmod.Date, h lastmod.History, trust lastmod.Trust, now moment.Time) string {
	if h.FirstSeen.IsZero() {
		return ""
	}
	switch why := d.Against(trust, now); {
	case why == lastmod.Ahead:
		return "There is no lastmod: the last change lies in the future, so the clock was wrong then or is now."
	case why != lastmod.NoDoubt:
		return undated(d, h, trust, why)
	case d.Seen && !d.By.Gives():
		return changed(h) + "The lastmod is when the change was first seen." + later(h)
	case d.Seen:
		return changed(h) + "The lastmod is the time that " + gave(h, d, "") + "." + later(h)
	case !d.By.Gives():
		seen := "the first visit"
		if d.At < moment.Of(h.FirstSeen).Second() {
			seen = "the visit that first showed a link to it"
		}
		return "The page is new: no page linked to it before. The lastmod is the time of " + seen + "." + later(h)
	}
	return fmt.Sprintf("%s. The lastmod is the time that %s.", capital(unchanged(h)),
		gave(h, d, ", but nothing that counts changed with it")) + awaited(h)
}

// DatesNothing stands after the dates of a listed page that may leave.
func DatesNothing(since time.Time) string {
	return " What it has answered since " + stamp(since) + " dates nothing while it may leave."
}

// Unlisted stands before the date that a page would have if it were listed.
const Unlisted = "It has no lastmod while it is not listed. Once it is listed: "

// Freq says what the word for how often a page changes rests on, as long as it was seen to change once at most.
func Freq(f rate.Freq, changes uint64) string {
	switch {
	case changes > 1:
		return ""
	case changes == 1:
		return fmt.Sprintf(" It is called %v for one change alone: that is the best estimate, until more are seen.", f)
	case f == rate.Unknown:
		return " It has a changefreq once it was seen to change, or to rest for half a day."
	case f < rate.Yearly:
		return fmt.Sprintf(" It is called %v for texts that came and went again, which are no change.", f)
	}
	return fmt.Sprintf(" It is called %v because most such pages are: that is the best estimate, until a change is seen.",
		f)
}

// changed says when the content changed.
func changed(h lastmod.History) string {
	switch {
	case h.Unchanged.IsZero():
		return "The content changed. "
	case stamp(h.Unchanged) == stamp(h.Changed): // two visits in one second
		return fmt.Sprintf("The content changed at %s. ", stamp(h.Changed))
	}
	return fmt.Sprintf("The content changed between %s and %s. ", stamp(h.Unchanged), stamp(h.Changed))
}

// gave says that a source gives the date. If the source now gives another date, gave names it and says why it is not
// used.
func gave(h lastmod.History, d lastmod.Date, why string) string {
	if last := h.Given[d.By]; !last.IsZero() && moment.Of(last) != d.At {
		return fmt.Sprintf("%v gave for that content. It now gives %s%s", d.By, stamp(last), why)
	}
	return d.By.String() + " gives"
}

// unchanged says until when no change was seen, or that it was taken back, or why another text is none.
func unchanged(h lastmod.History) string {
	switch {
	case !h.Undone.IsZero():
		return "the change " + takenBack(h)
	case !h.Held.IsZero():
		return "no change that counts was seen before " + stamp(h.Held)
	case !h.Differed.IsZero():
		return differs(h)
	case stamp(h.LastSeen) == stamp(h.FirstSeen):
		return "it was seen only at " + stamp(h.FirstSeen) + ", and only a later visit can show a change"
	}
	return fmt.Sprintf("no change was seen from the first visit at %s to that at %s", stamp(h.FirstSeen),
		stamp(h.LastSeen))
}

// differs says when another text was last seen, and why it is no change.
func differs(h lastmod.History) string {
	return "another text was seen at " + stamp(h.Differed) + ", but no change that counts: what is new in it was there " +
		"before, stands on other pages too, tells the time or comes and goes, or something of it has only gone"
}

func takenBack(h lastmod.History) string {
	return "seen at " + stamp(h.Undone) + " was taken back, since other pages soon showed the same, or something new in " +
		"the same place, as after a deploy or in a maintenance"
}

// later says what followed the change that gives the lastmod.
func later(h lastmod.History) string {
	said := ""
	switch {
	case !h.Undone.IsZero():
		said = " A later change " + takenBack(h) + "."
	case h.Held.IsZero() && !h.Differed.IsZero():
		said = " " + capital(differs(h)) + "."
	}
	return said + awaited(h)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// undated says why a page of which no change was seen has no lastmod: the date that was chosen is doubted, or no
// source gives one that counts.
func undated(d lastmod.Date, h lastmod.History, trust lastmod.Trust, doubt lastmod.Doubt) string {
	opening, why := "There is no lastmod: ", []string{unchanged(h)}
	if !h.Held.IsZero() {
		opening = "There is no lastmod yet: "
		why[0] = "something new was first seen at " + stamp(h.Held) + ", and that time is the lastmod once " + decides(h)
	}
	for _, s := range []lastmod.Source{lastmod.Server, lastmod.Page} {
		switch last := h.Given[s]; {
		case s == d.By && doubt == lastmod.Built:
			gives := "gives " + stamp(d.At.Time())
			if !last.IsZero() && moment.Of(last) != d.At {
				gives = "gave " + stamp(d.At.Time()) + " for that content"
			}
			why = append(why, fmt.Sprintf("%v %s, and most of its dates on this site lie %s, as a build writes them", s, gives,
				hours(trust[s].Build)))
		case s == d.By:
			why = append(why, s.String()+" "+doubts[doubt])
		case last.IsZero():
		case trust[s].Clock:
			why = append(why, s.String()+" "+doubts[lastmod.Clocked])
		case trust[s].Caught:
			why = append(why, s.String()+" "+doubts[lastmod.Moved])
		default:
			why = append(why, fmt.Sprintf("%v gives %s, which is used once a visit finds it an hour old, unless it moves "+
				"without a change", s, stamp(last)))
		}
	}
	return opening + strings.Join(why, "; ") + "."
}

// doubts say why a date from a source is left out.
var doubts = map[lastmod.Doubt]string{
	lastmod.Clocked: "is not believed, because it moves with the clock",
	lastmod.Moved:   "is not believed for a month, because it moved on pages that had not changed",
}

// hours says when a build was.
func hours(b lastmod.Build) string {
	first, end := time.Unix(b.First*3600, 0), time.Unix((b.Last+1)*3600, 0)
	return fmt.Sprintf("between %s and %s", first.UTC().Format("2 Jan 2006, 15:04"), end.UTC().Format("15:04 UTC"))
}

// awaited says that new text was seen which does not count as a change yet, and when it will.
func awaited(h lastmod.History) string {
	if h.Held.IsZero() {
		return ""
	}
	return fmt.Sprintf(" Something new was seen at %s. It counts as a change, from that time on, once %s.",
		stamp(h.Held), decides(h))
}

// decides says which visits must show the new text too before it counts as a change. What stands on several pages
// belongs to the site.
func decides(h lastmod.History) string {
	visits := "a visit after " + stamp(h.Until) + " shows it too"
	switch {
	case h.More > 1 && h.Until.IsZero():
		visits = fmt.Sprintf("%d more visits, each a minute later or more, show it too", h.More)
	case h.More > 1:
		visits = fmt.Sprintf("%d more visits, the last of them after %s, show it too", h.More, stamp(h.Until))
	case h.Until.IsZero():
		visits = "a visit a minute later or more shows it too"
	}
	return visits + ", unless several other pages get it as well"
}

func stamp(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

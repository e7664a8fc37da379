package inspect

import (
	"cmp"
	"net/url"
	"reflect"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/page/words"
)

// field returns a field of a struct of package servemap.
func field[T any](of any, name string) T {
	v, _ := reflect.ValueOf(of).FieldByName(name).Interface().(T)
	return v
}

// head is the heading of a column. A click on it sorts the rows by that column.
type head struct {
	Text, Class, Href string
	Now               string // "ascending" or "descending" if the rows are sorted by it
}

func headsOf(p Pages) (all []head) {
	for _, h := range []struct{ text, class, by string }{
		{"Page", "", ""}, {"Last modified", "", "date"}, {"How often", "wide", "often"},
		{"Changes seen", "wide num", "changes"},
		{"Links to it", "wide num", "links"}, {"Last seen", "wide", "seen"},
	} {
		to := url.Values{}
		for name, value := range map[string]string{"q": p.Query, "reason": p.Reason, "changed": p.Changed, "sort": h.by} {
			if value != "" {
				to.Set(name, value)
			}
		}
		one := head{Text: h.text, Class: h.class, Href: "pages"}
		if len(to) > 0 {
			one.Href += "?" + to.Encode()
		}
		switch {
		case h.by == p.Sort && h.by == "":
			one.Now = "ascending"
		case h.by == p.Sort:
			one.Now = "descending"
		}
		all = append(all, one)
	}
	return all
}

// pageState has the pages of one verdict. Its name is "" for the listed ones.
type pageState struct {
	Name, Text string
	Pages      int
}

// statesOf returns the states to choose from: always those that owners ask about, and others that pages have.
func statesOf(groups []Group) (all []pageState) {
	for _, name := range []string{"listed", "waiting", "held", "excluded", "gone"} {
		s := pageState{Name: name, Text: verdicts[name].Word}
		for _, g := range groups {
			if g.Verdict == name {
				s.Pages += g.Pages
			}
		}
		if name == "listed" {
			s.Name = ""
		}
		if s.Pages > 0 || name == "listed" || name == "waiting" || name == "excluded" {
			all = append(all, s)
		}
	}
	return all
}

// reasonsOf returns the reasons of a state, if there are several.
func reasonsOf(groups []Group, name string) (all []Group) {
	for _, g := range groups {
		if g.Verdict == cmp.Or(name, "listed") {
			all = append(all, g)
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// dayOf has the changes of one day.
type dayOf struct {
	Name    string
	Changes []any
}

// daysOf groups changes, the newest first, by day.
func daysOf(changes []any, now time.Time) (all []dayOf) {
	for _, c := range changes {
		at := field[time.Time](c, "At").UTC()
		name := at.Format("2 January 2006")
		switch at.Format(time.DateOnly) {
		case now.UTC().Format(time.DateOnly):
			name = "Today"
		case now.UTC().Add(-day).Format(time.DateOnly):
			name = "Yesterday"
		}
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, dayOf{Name: name})
		}
		all[len(all)-1].Changes = append(all[len(all)-1].Changes, c)
	}
	return all
}

// happening is what happened to a page at a time.
type happening struct {
	Kind, Text string
	At         time.Time
}

// timelineOf returns what is known of a page's life, the newest first. Only the last of the changes that were seen have
// their times.
func timelineOf(first, last time.Time, changes []time.Time, seen int) (all []happening) {
	if last.After(first) {
		all = append(all, happening{"seen", "Last seen", last})
	}
	for _, at := range changes {
		all = append(all, happening{"changed", "Changed", at})
	}
	slices.SortStableFunc(all, func(a, b happening) int { return b.At.Compare(a.At) })
	if earlier := seen - len(changes); earlier > 0 && len(changes) > 0 {
		all = append(all, happening{"changed", words.Count(earlier, "earlier change"), time.Time{}})
	}
	return append(all, happening{"added", "First seen", first})
}

// crawlersOf returns the crawlers of AI services, or the others.
func crawlersOf(all any, ai bool) (some []any) {
	for v, n := reflect.ValueOf(all), 0; n < v.Len(); n++ {
		if c := v.Index(n).Interface(); field[bool](c, "AI") == ai && reflect.ValueOf(c).FieldByName("Days").Len() > 0 {
			some = append(some, c)
		}
	}
	return some
}

// visits are a crawler's requests on one day.
type visits struct {
	Date               string
	Claimed, Confirmed int
	X                  float64 // in percent
	Pieces             []piece
}

const monthDays, monthHeight = 30, 32

// monthOf draws the requests of the last thirty days.
func monthOf(days any, now time.Time) (month []visits) {
	most := 1
	for v, n := reflect.ValueOf(days), 0; n < v.Len(); n++ {
		d := v.Index(n).Interface()
		at := field[time.Time](d, "Day")
		ago := int(now.UTC().Sub(at) / day)
		one := visits{Date: at.Format("2 Jan 2006"), Claimed: field[int](d, "Claimed"), Confirmed: field[int](d, "Confirmed"),
			X: float64(monthDays-1-ago) * 100 / monthDays}
		if ago >= 0 && ago < monthDays && one.Claimed > 0 {
			most, month = max(most, one.Claimed), append(month, one)
		}
	}
	for n := range month {
		m := &month[n]
		m.Pieces = stack(0, monthHeight, most, false, piece{Kind: "dated", Height: m.Confirmed},
			piece{Kind: "undated", Height: max(0, m.Claimed-m.Confirmed)})
	}
	return month
}

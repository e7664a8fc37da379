package inspect

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// Overview is the first page.
type Overview struct {
	Stats     any        `json:"stats"` // a servemap.Stats
	Origin    string     `json:"origin"`
	State     string     `json:"state"`   // of the sitemap, in a sentence
	Serving   bool       `json:"serving"` // a sitemap is served
	Hidden    int        `json:"not_listed"`
	Uncounted uint64     `json:"not_counted"` // responses
	Look      []Look     `json:"look_into"`   // what may be wrong, the most urgent first
	Reasons   []Group    `json:"reasons"`     // first those to look into, then by pages
	Responses []Response `json:"responses"`   // that did not count, the most frequent first
	History   History    `json:"history"`

	ReportOnly bool   `json:"report_only,omitempty"`
	Unused     string `json:"unused_rules,omitempty"` // which rules keep no page out, in a sentence
	Shown      `json:"-"`
}

// Shown is what the page shows and the JSON of other views has.
type Shown struct {
	Read     Read // as the view of links has it
	Crawlers any  // a []servemap.Crawler
	Followed bool // crawlers are
	Tells    bool // search engines are told what changes
	Unserved bool // no request for the sitemap has come
	Counting bool // what happened is first stored after a minute
	Down     bool // the site behind this process does not answer
	Reading  bool // what an earlier process learned is not counted yet
}

// Look is something to look into, and the view that has more.
type Look struct {
	Text string `json:"text"`
	View string `json:"view,omitempty"`
}

// Group has the pages with one verdict and reason.
type Group struct {
	Verdict string        `json:"verdict"`
	Reason  string        `json:"reason"`
	Pages   int           `json:"pages,omitempty"`
	Means   string        `json:"means"` // and what to do about it
	Care    messages.Care `json:"care"`

	Why, Todo string `json:"-"` // the two parts of what it means

	// AsLinks says that these pages are in the table of links that were not followed, with what to do.
	AsLinks bool `json:"as_links,omitempty"`
}

// Response counts the responses that did not count for one reason.
type Response struct {
	Reason string `json:"reason"`
	Count  uint64 `json:"count"`
	Means  string `json:"means"`
}

// History has a few numbers of each day, the latest last. Days of which nothing is known are left out.
type History struct {
	Days  []Day  `json:"days"`
	Error string `json:"error,omitempty"`
}

// Day has the numbers of one day, in UTC.
type Day struct {
	Date string `json:"date"`
	sitewide.Day
}

// overview also works without the store.
func (i *Inspector) overview(ctx context.Context, q url.Values) (view, error) {
	stats, s := i.Public.Stats()
	o := Overview{
		Stats: stats, Origin: i.Origin.String(), State: state(s), Serving: s.Listed > 0 && !s.ReportOnly && !s.Unserved,
		Uncounted: uncounted(s), Reasons: groupsOf(s), Responses: responsesOf(s, i.Own.Explored()),
		History: i.history(ctx), ReportOnly: s.ReportOnly, Unused: s.Unused(),
		Shown: Shown{Read: i.read(), Crawlers: i.Public.Crawlers(), Followed: i.Crawlers, Unserved: s.Unserved,
			Down: messages.Unanswered.In(s.Hints)},
	}
	for n := range o.Reasons {
		g := &o.Reasons[n]
		if g.Reason == eligibility.NotSeen.String() && messages.Cookies.In(s.Hints) {
			g.Todo = "" // the hint says what to do: a visit may not count
		}
	}
	asLinks(o.Reasons, stats, s)
	for _, g := range o.Reasons {
		if g.Care != messages.Fine {
			o.Hidden += g.Pages
		}
	}
	o.Counting, o.Reading = s.Listed > 0 && len(o.History.Days) == 0, reads(o.History.Days, s)
	if o.Reading {
		o.State = "Reading what was learned before"
	}
	o.History.Days = today(o.History.Days, s)
	if told, now, err := i.told(ctx); err == nil && told != nil {
		o.Tells = now
	}
	o.Look = i.look(ctx, s, o.Reasons)
	return view{Name: "overview", Nav: "overview", Title: "Overview", Data: o, Live: q.Has("live") || o.Reading ||
		s.Making()}, nil
}

// asLinks marks the groups whose pages the table of links that were not followed has already.
func asLinks(groups []Group, stats any, s messages.Counts) {
	linked, left := map[string]int{}, reflect.ValueOf(stats).FieldByName("LeftOut")
	for n := range left.Len() {
		if l := left.Index(n).Interface(); field[string](l, "Example") != "" { // a line about pages has no example
			linked[field[string](l, "Cause")] = field[int](l, "Count")
		}
	}
	for n := range groups {
		g := &groups[n]
		why := messages.ReasonNamed(g.Reason).Reason
		if g.AsLinks = linked[g.Reason] > 0; g.AsLinks && (why == eligibility.AddressQuery || why == eligibility.LinkActs) {
			g.Pages = linked[g.Reason] // one number for both
		}
		switch why {
		case eligibility.QueryNotCanonical: // exploring asked for some of them
			g.AsLinks = linked[eligibility.AddressQuery.String()] > 0
			if !g.AsLinks && s.OffersQuery && g.Pages > s.Listed { // most of the site, as far as is stored
				g.Care = messages.Look
			}
		case eligibility.AddressQuery:
			if !s.OffersQuery {
				g.Care = messages.Intended
			}
		case eligibility.NotSeen:
			g.AsLinks = g.Pages <= linked[eligibility.LinkEndless.String()]+linked[eligibility.LinkFailed.String()]
		}
	}
}

// Shows returns the pages that are not listed: those most likely left out as it should be, or the others. It leaves out
// those that asLinks has marked.
func (o Overview) Shows(intended bool) (groups []Group) {
	for _, g := range o.Reasons {
		if !g.AsLinks && g.Care != messages.Fine && (g.Care == messages.Intended) == intended {
			groups = append(groups, g)
		}
	}
	return groups
}

// Unlisted returns the pages that are not listed.
func (o Overview) Unlisted() []Group {
	return slices.DeleteFunc(slices.Clone(o.Reasons), func(g Group) bool { return g.Care == messages.Fine })
}

// Intended counts the pages that are left out, most likely as it should be.
func (o Overview) Intended() (n int) {
	for _, g := range o.Shows(true) {
		n += g.Pages
	}
	return n
}

// Below reports whether only the links that were not followed tell of some pages.
func (o Overview) Below() bool {
	return slices.ContainsFunc(o.Reasons, func(g Group) bool { return g.AsLinks && g.Care != messages.Fine })
}

// reads reports whether pages were listed before the start, and are not counted yet.
func reads(days []Day, s messages.Counts) bool {
	return len(days) > 0 && days[len(days)-1].Listed > 0 && s.Listed == 0 && len(s.Verdicts) == 0 && !s.NoStore
}

// worries is how many uncounted responses are worth a look. A browser asks for an icon by itself.
const worries = 5

func uncounted(s messages.Counts) (n uint64) {
	for _, some := range s.Ignored {
		n += some
	}
	return n
}

// look lists what may be wrong.
func (i *Inspector) look(ctx context.Context, s messages.Counts, reasons []Group) (all []Look) {
	for _, h := range s.Hints {
		all = append(all, Look{Text: h})
	}
	if none := s.Listed == 0 && !s.Making() && !s.NoStore; none && len(all) == 0 &&
		(len(s.Verdicts) > 0 || uncounted(s) >= worries) {
		all = append(all, Look{"Pages were asked for, and none is listed.", "#ignored"})
	}
	if s.Broken > 0 {
		all = append(all, Look{words.Count(s.Broken, "broken link") + " on listed pages.", "links"})
	}
	for _, g := range reasons {
		if g.Care == messages.Look {
			text := words.Thousands(strconv.Itoa(g.Pages)) + " " + messages.ReasonOf(g.Reason, g.Pages).Why + "."
			all = append(all, Look{text, "pages?reason=" + g.Reason}) // the list below says more
		}
	}
	if i.robotsTxt() == RobotsLacks && !s.ReportOnly {
		line := strings.ReplaceAll(i.RobotsLine, "\n", ", ")
		all = append(all, Look{"robots.txt does not name the sitemap, so search engines may not find it. Add to it: " +
			line + words.Say(" ({Robots} adds it for you)."), "files"})
	}
	if told, now, err := i.told(ctx); err == nil && now {
		for _, e := range told.Endpoints {
			if e.Advice != "" {
				all = append(all, Look{"IndexNow: " + e.Advice, "crawlers"})
			}
		}
		if told.GoogleProblem != "" {
			all = append(all, Look{"Search Console: " + told.GoogleProblem, "crawlers"})
		}
	}
	return all
}

// state says in a sentence what is served.
func state(s messages.Counts) string {
	switch {
	case s.ReportOnly:
		return fmt.Sprintf("Nothing is published yet: %s would be listed", words.Count(s.Listed, "page"))
	case s.Unserved && s.Listed > 0:
		return words.Count(s.Listed, "page") + " known, but no request for the sitemap has come here yet"
	case s.Unserved:
		return "No request for the sitemap has come here yet"
	case s.Listed > 0 && s.NoStore:
		return words.Count(s.Listed, "page") + " in the last sitemap"
	case s.NoStore:
		return "No sitemap for now"
	case s.Listed > 0:
		return words.Count(s.Listed, "page") + " in the sitemap"
	case s.Making():
		return "The first file of the sitemap is being made"
	case s.Observations == 0 && len(s.Ignored) == 0:
		return "Waiting for the first visitor"
	}
	return "No page is listed"
}

// fewLogins is how many pages with a field for a password are as they should be on a small site: to log in, to sign up
// and to choose a new one. On a larger site, a tenth is.
const fewLogins = 3

// groupsOf explains the counts, and puts first what an owner should look into.
func groupsOf(s messages.Counts) (groups []Group) {
	listed := 0
	for name, pages := range s.Verdicts {
		if strings.HasPrefix(name, "listed ") {
			listed += pages
		}
	}
	for name, pages := range s.Verdicts {
		verdict, reason, _ := strings.Cut(name, " ")
		sum := messages.ReasonOf(reason, pages)
		if sum.Reason == eligibility.PasswordField && pages > max(listed/10, min(listed, fewLogins)) {
			sum.Care = messages.Look // not only the pages to log in, as where all have a box for that
		}
		if s.Opens && (sum.Reason == eligibility.Private || sum.Reason == eligibility.NoStore) {
			sum.Care, sum.Todo = messages.Wait, messages.Opened(pages) // their addresses are not stored, so no rule is asked
		}
		groups = append(groups, Group{Verdict: verdict, Reason: reason, Pages: pages, Means: sum.Means(),
			Care: sum.CareOf(listed), Why: sum.Why, Todo: sum.Todo})
	}
	order := []messages.Care{messages.Look, messages.Wait, messages.Intended, messages.Fine}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Care), slices.Index(order, b.Care)), cmp.Compare(b.Pages, a.Pages),
			strings.Compare(a.Reason, b.Reason))
	})
	return groups
}

// responsesOf explains the responses that did not count. explored says that the site was explored.
func responsesOf(s messages.Counts, explored bool) (all []Response) {
	for _, reason := range slices.Sorted(maps.Keys(s.Ignored)) {
		n := s.Ignored[reason]
		r := messages.ReasonOf(reason, int(min(n, math.MaxInt)))
		if r.Reason == eligibility.Cookie {
			r.Todo = messages.Cookie(!explored && (n > s.Observations || messages.Cookies.In(s.Hints)))
		}
		all = append(all, Response{reason, n, r.Means()})
	}
	slices.SortStableFunc(all, func(a, b Response) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

// history reads the days.
func (c *Config) history(ctx context.Context) (h History) {
	days, err := c.Indexer.Days(ctx)
	if err != nil {
		h.Error = messages.Trouble(err)
	}
	for _, n := range slices.Sorted(maps.Keys(days)) {
		h.Days = append(h.Days, Day{time.Unix(0, 0).Add(time.Duration(n) * day).UTC().Format(time.DateOnly), days[n]})
	}
	return h
}

// today returns the days with the last one as it is now: a stored day may be a minute old. What is listed beyond the
// day before counts as new.
func today(days []Day, s messages.Counts) []Day {
	date := time.Now().UTC().Format(time.DateOnly)
	if len(days) == 0 || days[len(days)-1].Date != date {
		days = append(days, Day{Date: date})
	}
	last, before := &days[len(days)-1], 0
	last.Listed, last.Dated = s.Listed, min(cmp.Or(s.Dated, last.Dated), s.Listed)
	if len(days) > 1 {
		before = days[len(days)-2].Listed
	}
	last.Added = max(last.Added, last.Listed-before+last.Removed)
	return days
}

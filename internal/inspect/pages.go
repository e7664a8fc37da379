package inspect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/keys"
)

// mostPages is how many pages or changes one view shows.
const mostPages = 100

// mostRows is how many pages are sorted at once.
const mostRows = 2000

// Pages are the listed pages that the query selects. If it asks for a reason why pages are not listed, they are those
// with that reason whose addresses may be shown.
type Pages struct {
	Selection
	// Stopped says that the search was cut short, by its time or as more pages than can be sorted at once match: there
	// may be others after Next.
	Stopped bool `json:"stopped,omitempty"`
	// Ask is the location that the query may mean, "" if pages were found.
	Ask string `json:"ask,omitempty"`

	Total int    `json:"total"` // pages that match, as far as searched
	Pages []Row  `json:"pages"` // each a servemap.Page, and how many links lead there
	Next  string `json:"next,omitempty"`
	Links []Link `json:"links,omitempty"` // in place of pages, those that are not listed and may be named
	Known int    `json:"known,omitempty"` // how many pages have that reason
	Means string `json:"means,omitempty"`

	State  string  `json:"state,omitempty"` // the verdict of the pages, "" if they are listed
	Groups []Group `json:"-"`               // the reasons to choose from
	all    []Row
	named  []Link        // all that Links has some of, the newest first
	age    time.Duration // as Changed says
}

// Selection is what the query asks for.
type Selection struct {
	Query  string `json:"query,omitempty"`
	Reason string `json:"reason,omitempty"` // or a verdict, for all its reasons
	// Changed is how long ago the lastmod is at most, or since when they wait, as "24h"; with a minus before it, at least.
	Changed string `json:"changed,omitempty"`
	Sort    string `json:"sort,omitempty"` // "date", "often", "changes", "links" or "seen"; else by address
	After   string `json:"after,omitempty"`
}

// ages are the times of changes that the view of pages offers.
var ages = []struct{ Value, Text string }{{"", "at any time"}, {"24h", "in a day"}, {"168h", "in a week"},
	{"720h", "in a month"}, {"-720h", "longer ago, or never"}}

// ofAge reports whether a time is as Changed asks.
func (p *Pages) ofAge(t time.Time) bool {
	return p.age == 0 || (p.age > 0) == (time.Since(t) <= max(p.age, -p.age))
}

// searchFor is how long a search may take before it shows its results so far.
const searchFor = 150 * time.Millisecond

// pages lists pages. An address with a star at its end asks for those that begin with it. One without leads to its
// page.
func (i *Inspector) pages(ctx context.Context, q url.Values) (view, error) {
	typed := strings.TrimSpace(q.Get("q"))
	why := messages.ReasonOf(q.Get("reason"), 2) // the words for several
	stats, s := i.Public.Stats()
	p := Pages{Selection: Selection{typed, q.Get("reason"), q.Get("changed"), q.Get("sort"), q.Get("after")},
		Groups: groupsOf(s)}
	asLinks(p.Groups, stats, s)
	v := view{Name: "pages", Nav: "pages", Title: "Pages", Query: typed, Unread: i.unread()}
	from, skip := cursor(p.After)
	want := reader.Wanted{Prefix: "/", After: from, Most: mostRows, Within: searchFor}
	loc, all := strings.CutSuffix(i.location(typed), "*")
	switch address := strings.HasPrefix(loc, "/") || strings.Contains(typed, "://"); {
	case address && !all:
		return v, redirect("page?u=" + url.QueryEscape(loc))
	case address:
		want.Prefix = escaped(loc)
	case typed != "":
		want.Contains = strings.ToLower(escaped(typed))
	}
	p.choose(why)
	var err error
	if p.age, err = time.ParseDuration(cmp.Or(p.Changed, "0s")); err != nil {
		return v, refusal{fmt.Errorf("changed %q is no span such as 24h or -24h", shorten(p.Changed))}
	}
	switch err = checkLocations(want.Prefix, want.After); {
	case err != nil:
	case p.State != "":
		err = p.name(ctx, i, want)
	default:
		err = p.list(ctx, i, want, skip)
		if p.Total == 0 && p.After == "" && want.Contains != "" {
			p.Ask = "/" + escaped(typed)
		}
	}
	v.Data = p
	return v, err
}

// states say what it means that pages have a verdict.
var states = map[string]string{
	"waiting":  "Something is still missing before these are listed: a visit, a link, time, or a page where they lead.",
	"held":     "Held back, since they may be no pages of their own, or not for everybody.",
	"excluded": "Left out, since the site or you say so.", "gone": "They were listed, and have left.",
}

// choose says which pages were asked for, by a reason or a verdict.
func (p *Pages) choose(why messages.Reason) {
	switch means := states[p.Reason]; {
	case p.Reason == "listed":
		p.Reason = ""
	case means != "":
		p.State, p.Means = p.Reason, means
	case why.Means() != "" && why.Care != messages.Fine:
		p.State, p.Means = why.Verdict().String(), why.Means()
		if why.Verdict() == eligibility.Unknown { // nobody got it, since exploring does not ask for such
			p.State = eligibility.Waiting.String()
		}
	}
	for _, g := range p.Groups {
		if p.State != "" && p.wants(g.Verdict, g.Reason) {
			p.Known += g.Pages
		}
	}
}

// wants reports whether the owner asked for pages with that verdict or reason.
func (p *Pages) wants(verdict, reason string) bool { return reason == p.Reason || verdict == p.Reason }

// name finds the pages that are not listed, but may be named: listed pages link to them, or they left in the last seven
// days. It shows the newest.
func (p *Pages) name(ctx context.Context, i *Inspector, want reader.Wanted) error {
	links, err := i.targets(ctx)
	links = slices.DeleteFunc(links, func(l Link) bool { return !p.wants(l.Verdict, l.Reason) || len(l.From) == 0 })
	if err == nil && p.State == eligibility.Gone.String() {
		links, err = p.removed(ctx, i, links)
	}
	p.named = slices.DeleteFunc(links, func(l Link) bool {
		loc := strings.TrimPrefix(l.URL, i.root())
		return !strings.HasPrefix(loc, want.Prefix) || !strings.Contains(strings.ToLower(loc), want.Contains) ||
			!p.ofAge(l.Since)
	})
	slices.SortStableFunc(p.named, func(a, b Link) int { return b.Since.Compare(a.Since) })
	p.Total = len(p.named)
	p.Links = slices.Clone(p.named[:min(p.Total, mostPages)])
	if p.Sort != "date" {
		slices.SortStableFunc(p.Links, func(a, b Link) int { return natural(a.URL, b.URL) })
	}
	return err
}

// removed adds to links the pages that left for a reason in the last seven days, as far as that is remembered. They
// were public, and the view of changes names them too.
func (p *Pages) removed(ctx context.Context, i *Inspector, links []Link) ([]Link, error) {
	events, err := i.Indexer.Latest(ctx, time.Now().Add(-7*day), changelog.Event{}, mostRows)
	if err != nil {
		return links, err
	}
	locations, linked := []string{}, map[string]bool{}
	for _, l := range links {
		linked[l.URL] = true
	}
	for _, e := range events {
		if why := e.Why.String(); p.wants(messages.ReasonNamed(why).Verdict().String(), why) &&
			!linked[i.Origin.URL(e.Location)] {
			locations = append(locations, e.Location)
		}
	}
	known, err := i.Indexer.PagesAt(ctx, locations)
	for n, k := range known {
		if why := k.Reason.String(); p.wants(k.Verdict.String(), why) { // it may have been forgotten since
			links = append(links, Link{
				URL: i.Origin.URL(locations[n]), Verdict: k.Verdict.String(), Reason: why, Since: k.LastSeen.Time().UTC(),
				Status: k.Status,
			})
		}
	}
	return links, err
}

// list finds listed pages, sorts them and shows some.
func (p *Pages) list(ctx context.Context, i *Inspector, want reader.Wanted, skip int) error {
	found, err := i.rows(ctx, want)
	p.all = slices.DeleteFunc(found.Rows, func(r Row) bool {
		return p.Reason != "" && r.Reason != p.Reason || !p.ofAge(r.Modified)
	})
	slices.SortStableFunc(p.all, func(a, b Row) (order int) {
		switch p.Sort {
		case "date":
			order = b.Modified.Compare(a.Modified)
		case "links":
			order = cmp.Compare(b.Links, a.Links)
		case "seen":
			order = b.seen.Compare(a.seen)
		case "often":
			order = cmp.Compare(rank(a.Page), rank(b.Page))
		case "changes":
			order = cmp.Compare(b.Changes, a.Changes)
		}
		return cmp.Or(order, natural(a.Location, b.Location))
	})
	p.Total, p.Stopped = len(p.all), found.Next != ""
	p.Pages = append([]Row{}, p.all[min(skip, len(p.all)):min(skip+mostPages, len(p.all))]...)
	if p.Next = found.Next; skip+mostPages < len(p.all) {
		p.Next = strings.TrimSpace(fmt.Sprintf("%d %s", skip+mostPages, want.After))
	}
	return err
}

// Row is a listed page.
type Row struct {
	Page             any // a servemap.Page
	Location, Reason string
	Modified         time.Time // its lastmod
	Changes          int
	Links            int  // listed pages that link to it, as far as read since the start
	Counted          bool // no other page links to it
	seen             time.Time
}

// rank returns how rarely a page changes, by its changefreq. A page without one comes last.
func rank(page any) int {
	words := []string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}
	if n := slices.Index(words, field[string](page, "ChangeFreq")); n >= 0 {
		return n
	}
	return len(words)
}

// rows returns some of the listed pages, in the order of their locations.
func (c *Config) rows(ctx context.Context, w reader.Wanted) (reader.Some[Row], error) {
	trust, now := c.Files.Trust(), moment.Of(time.Now())
	_, s := c.Public.Stats()
	some, err := reader.List(ctx, c.Indexer.Reader, w, func(p *reader.Known) Row {
		row := Row{Page: c.Public.Page(*p), Location: p.Location, Reason: p.Reason.String(), Changes: int(p.Dates.Count),
			seen: p.LastSeen.Time()}
		if at := p.Entry.LastMod(trust, now); at != 0 {
			row.Modified = at.Time().UTC()
		}
		return row
	})
	locations := make([]string, len(some.Rows))
	for n, r := range some.Rows {
		locations[n] = r.Location
	}
	for n, links := range c.Indexer.Links.Count(locations, s.Listed) {
		some.Rows[n].Links, some.Rows[n].Counted = links.Pages, links.Whole
	}
	return some, err
}

// Uncounted reports whether more pages may link to some than are known.
func (p Pages) Uncounted() bool {
	return slices.ContainsFunc(p.Pages, func(r Row) bool { return !r.Counted })
}

// links returns the number of links, "" if none was read yet and some may be.
func (r Row) links() string {
	if r.Links == 0 && !r.Counted {
		return ""
	}
	return strconv.Itoa(r.Links)
}

// MarshalJSON returns the page with its links.
func (r Row) MarshalJSON() ([]byte, error) {
	page, err := json.Marshal(r.Page)
	return fmt.Appendf(bytes.TrimSuffix(page, []byte("}")), `,"links":%s}`, cmp.Or(r.links(), "null")), err
}

// cursor reads where a list continues: how many of the sorted pages to skip, and the location after which these begin.
func cursor(text string) (from string, skip int) {
	digits, rest, _ := strings.Cut(text, " ")
	if n, err := strconv.Atoi(digits); err == nil && n >= 0 {
		return rest, min(n, mostRows)
	}
	return text, 0
}

// natural compares texts as people do: dept-2 comes before dept-10.
func natural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// table returns the pages as rows of cells, all that match.
func (p Pages) table() (rows [][]string) {
	if p.Means != "" {
		return linkRows(p.named)
	}
	rows = [][]string{{"location", "lastmod", "changes", "links", "reason"}}
	for _, r := range p.all {
		modified := ""
		if !r.Modified.IsZero() {
			modified = iso(r.Modified)
		}
		rows = append(rows, []string{r.Location, modified, strconv.Itoa(r.Changes), r.links(), r.Reason})
	}
	return rows
}

// location turns a URL or location that an owner typed into a location.
func (c *Config) location(typed string) string {
	typed = strings.TrimSpace(typed)
	if rest, ok := strings.CutPrefix(typed, c.root()); ok && (rest == "" || rest[0] == '/') {
		return cmp.Or(rest, "/")
	}
	return typed
}

// checkLocations refuses all but the empty string and beginnings of locations.
func checkLocations(all ...string) error {
	for _, loc := range all {
		if loc != "" && loc[0] != '/' || len(loc) > keys.MaxLocation || strings.ContainsFunc(loc,
			func(r rune) bool { return r <= ' ' || r > '~' }) {
			return refusal{fmt.Errorf("%q cannot be the beginning of a location; write it as in the address, such as /blog/",
				shorten(loc))}
		}
	}
	return nil
}

// escaped writes a typed text as locations have it: it escapes only what is not printable
// ASCII.
func escaped(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' || c == '"' || c == '<' || c == '>' {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

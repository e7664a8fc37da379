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
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/reader"
)

// mostPages is how many pages or changes one view shows.
const mostPages = 100

// mostRows is how many pages are sorted at once.
const mostRows = 2000

// Pages are the listed pages that the query selects, or with a reason of other pages those that have a name.
type Pages struct {
	Selection
	// Stopped says that time ran out, or that there are too many to sort at once, so that pages after Next may match too.
	Stopped bool `json:"stopped,omitempty"`
	// Ask is the location that the query may mean, "" if pages were found.
	Ask string `json:"ask,omitempty"`

	Total int    `json:"total"` // pages that match, as far as searched
	Pages []Row  `json:"pages"` // each a servemap.Page, and how many links lead there
	Next  string `json:"next,omitempty"`
	Links []Link `json:"links,omitempty"` // in place of pages, those that are not listed and have a name
	Known int    `json:"known,omitempty"` // how many pages have that reason
	Means string `json:"means,omitempty"`

	Groups []Group `json:"-"` // the reasons to choose from
	all    []Row
	named  []Link // all; Links has some
}

// Selection is what the query asks for.
type Selection struct {
	Query  string `json:"query,omitempty"`
	Reason string `json:"reason,omitempty"`
	Sort   string `json:"sort,omitempty"` // "date", "changes" or "links"; else by address
	After  string `json:"after,omitempty"`
}

// searchFor is how long a search may take before it shows its results so far.
const searchFor = 150 * time.Millisecond

// pages lists pages. An address with a star at its end asks for those that begin with it. One without leads to its page.
func (i *Inspector) pages(ctx context.Context, q url.Values) (view, error) {
	typed := strings.TrimSpace(q.Get("q"))
	why := messages.ReasonNamed(q.Get("reason"))
	_, s := i.Public.Stats()
	p := Pages{Selection: Selection{typed, q.Get("reason"), q.Get("sort"), q.Get("after")}, Groups: groupsOf(s.Verdicts)}
	v := view{Name: "pages", Nav: "pages", Title: "Pages", Query: typed}
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
	for _, g := range p.Groups {
		if g.Reason == p.Reason {
			p.Known = g.Pages
		}
	}
	err := checkLocations(want.Prefix, want.After)
	switch {
	case err != nil:
	case why.Means() != "" && why.Care != messages.Fine:
		p.Means = why.Means()
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

// name finds those of the pages that are not listed that have a name, since listed pages link to them.
func (p *Pages) name(ctx context.Context, i *Inspector, want reader.Wanted) error {
	links, err := i.targets(ctx)
	for _, l := range links {
		loc := strings.TrimPrefix(l.URL, i.root())
		if l.Reason == p.Reason && len(l.From) > 0 && strings.HasPrefix(loc, want.Prefix) && strings.Contains(strings.ToLower(loc), want.Contains) {
			p.named = append(p.named, l)
		}
	}
	slices.SortStableFunc(p.named, func(a, b Link) int {
		if p.Sort == "date" {
			return b.Since.Compare(a.Since)
		}
		return strings.Compare(a.URL, b.URL)
	})
	p.Total = len(p.named)
	p.Links = p.named[:min(p.Total, mostPages)]
	return err
}

// list finds listed pages, sorts them and shows some.
func (p *Pages) list(ctx context.Context, i *Inspector, want reader.Wanted, skip int) error {
	found, err := i.rows(ctx, want)
	p.all = slices.DeleteFunc(found.Rows, func(r Row) bool {
		return p.Reason != "" && r.Reason != p.Reason
	})
	slices.SortStableFunc(p.all, func(a, b Row) int { // they come by address
		switch p.Sort {
		case "date":
			return b.Modified.Compare(a.Modified)
		case "links":
			return cmp.Compare(b.Links, a.Links)
		case "changes":
			return cmp.Compare(b.Changes, a.Changes)
		}
		return 0
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
	Links            int // listed pages that link to it, as far as read since the start
}

// rows returns some of the listed pages, in the order of their locations.
func (c *Config) rows(ctx context.Context, w reader.Wanted) (reader.Some[Row], error) {
	trust, now := c.Files.Trust(), moment.Of(time.Now())
	some, err := reader.List(ctx, c.Indexer.Reader, w, func(p *reader.Known) Row {
		row := Row{Page: c.Public.Page(*p), Location: p.Location, Reason: p.Reason.String(), Changes: int(p.Dates.Count)}
		if at := p.Entry.LastMod(trust, now); at != 0 {
			row.Modified = at.Time().UTC()
		}
		return row
	})
	locations := make([]string, len(some.Rows))
	for n, r := range some.Rows {
		locations[n] = r.Location
	}
	for n, links := range c.Indexer.Links.Count(locations) {
		some.Rows[n].Links = links
	}
	return some, err
}

// MarshalJSON returns the page with its links.
func (r Row) MarshalJSON() ([]byte, error) {
	page, err := json.Marshal(r.Page)
	return fmt.Appendf(bytes.TrimSuffix(page, []byte("}")), `,"links":%d}`, r.Links), err
}

// cursor reads where a list continues: how many of the sorted pages to skip, and the location after which these begin.
func cursor(text string) (from string, skip int) {
	digits, rest, _ := strings.Cut(text, " ")
	if n, err := strconv.Atoi(digits); err == nil && n >= 0 {
		return rest, min(n, mostRows)
	}
	return text, 0
}

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
		rows = append(rows, []string{r.Location, modified, strconv.Itoa(r.Changes), strconv.Itoa(r.Links), r.Reason})
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
		if loc != "" && loc[0] != '/' || len(loc) > 1024 || strings.ContainsFunc(loc, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return refusal{fmt.Errorf("%q cannot be the beginning of a location; write it as in the address, such as /blog/", shorten(loc))}
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

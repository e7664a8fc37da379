package inspect

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/words"
)

// Links are the links of listed pages that somebody should correct.
type Links struct {
	Broken []Link   `json:"broken"` // those first that were followed most
	Chains [][]Link `json:"chains"` // of redirects: the first is linked, the last leads to where visitors arrive
	Read   Read     `json:"read"`
	Listed int      `json:"listed"` // pages
}

// Read says of how many pages the links were read since the program started.
type Read struct {
	Pages int       `json:"pages"`
	Since time.Time `json:"since"`
}

func (c *Config) read() Read {
	pages, since := c.Indexer.Links.Known()
	return Read{pages, since.UTC()}
}

// unread says of how many listed pages it is known since the start where they link, "" if of all.
func (i *Inspector) unread() string {
	read := i.read()
	_, s := i.Public.Stats()
	if read.Pages >= s.Listed {
		return ""
	}
	return fmt.Sprintf("%s, the links of %s of %s were read; the others follow as they are visited.",
		upper(started(read.Since, time.Now())), words.Number(read.Pages), words.Count(s.Listed, "listed page"))
}

// Link is an address that listed pages link to, and the sitemap does not list.
type Link struct {
	URL      string    `json:"url"`
	Verdict  string    `json:"verdict"`
	Reason   string    `json:"reason"`
	From     []string  `json:"from,omitempty"` // some listed pages; none if only a redirect leads there
	Linking  int       `json:"linking"`        // listed pages that are known to link to it
	At       time.Time `json:"at,omitzero"`    // when such a link was last read
	Since    time.Time `json:"since,omitzero"` // when it was last there, or else first seen or linked; as stored
	Status   int       `json:"status,omitempty"`
	Followed int       `json:"followed"` // answers to visitors since the start
	Broken   bool      `json:"broken,omitempty"`
	To       string    `json:"to,omitempty"` // where it redirects
}

// targets returns the addresses that listed pages link to and that are not listed. It leaves out those that look like
// secrets.
func (c *Config) targets(ctx context.Context) (links []Link, err error) {
	all := c.Indexer.Links.Targets()
	locations := make([]string, len(all))
	for n, t := range all {
		locations[n] = t.Location
	}
	known, err := c.Indexer.PagesAt(ctx, locations)
	if err != nil {
		return nil, err
	}
	counts := c.Indexer.Links.Count(locations, 0)
	for n := range all {
		t, p := &all[n], &known[n]
		if p.Reason == eligibility.Capability || p.Reason == eligibility.Forgotten || p.Verdict == eligibility.Listed {
			continue
		}
		link := Link{
			URL: c.Origin.URL(t.Location), Verdict: p.Verdict.String(), Reason: p.Reason.String(), At: t.At.UTC(),
			Status: t.Status, Followed: t.Followed, Broken: t.Broken(), Linking: max(counts[n].Pages, len(t.From)),
		}
		switch since := cmp.Or(p.LinkAt, p.FirstSeen); {
		case p.Verdict == eligibility.Gone:
			link.Since = p.LastSeen.Time().UTC()
		case since != 0:
			link.Since = since.Time().UTC()
		}
		for _, from := range t.From {
			link.From = append(link.From, c.Origin.URL(from))
		}
		if t.To != "" {
			link.To = c.Origin.URL(t.To)
		}
		links = append(links, link)
	}
	return links, nil
}

func (i *Inspector) links(ctx context.Context, _ url.Values) (view, error) {
	all, err := i.targets(ctx)
	_, s := i.Public.Stats()
	l, at := Links{Broken: []Link{}, Chains: [][]Link{}, Read: i.read(), Listed: s.Listed}, map[string]Link{}
	for _, one := range all {
		if at[one.URL] = one; one.Broken && len(one.From) > 0 {
			l.Broken = append(l.Broken, one)
		}
	}
	slices.SortStableFunc(l.Broken, func(a, b Link) int { return cmp.Compare(b.Followed, a.Followed) })
	for _, one := range all {
		chain := []Link{one}
		for next := at[one.To]; next.To != "" && len(chain) < 5; next = at[next.To] {
			chain = append(chain, next)
		}
		forGood := one.Status == http.StatusMovedPermanently || one.Status == http.StatusPermanentRedirect
		if len(one.From) > 0 && one.To != "" && (len(chain) > 1 || forGood || one.Broken) {
			l.Chains = append(l.Chains, chain)
		}
	}
	slices.SortStableFunc(l.Chains, func(a, b []Link) int { return cmp.Compare(len(b), len(a)) })
	return view{Name: "links", Nav: "links", Title: "Links", Data: l}, err
}

func (l Links) table() [][]string { return linkRows(l.Broken) }

func linkRows(links []Link) [][]string {
	rows := [][]string{{"url", "verdict", "reason", "status", "followed", "since", "linked from"}}
	for _, l := range links {
		since := ""
		if !l.Since.IsZero() {
			since = iso(l.Since)
		}
		status := ""
		if l.Status != 0 {
			status = strconv.Itoa(l.Status)
		}
		rows = append(rows, []string{l.URL, l.Verdict, l.Reason, status, strconv.Itoa(l.Followed), since,
			strings.Join(l.From, " ")})
	}
	return rows
}

package check

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/page/words"
)

// Known has what the check found out before the crawl begins, so that the crawl needs not ask again.
type Known struct {
	Origin  string
	Listed  []string          // pages
	Nowhere *pages.Page       // what the site shows where it has no page; may be nil
	Through http.RoundTripper // asks
}

// Crawl is what a crawl found.
type Crawl struct {
	Public  []string // pages that anybody may get, linked from another or listed
	Orphans []Link   // to what is listed, without a link that engines follow, and with nothing else against it
	Whole   bool     // it came to its end
	Failed  []string // pages that it could not read
	// Scripts says that the start page says nothing without them, so that no link leads from it.
	Scripts  bool
	Links    []Link          // that lead to no page, or by a redirect
	Exposed  []Link          // to what shows anybody a secret, or may
	Endless  []string        // the next ones of series that showed nothing new, such as a calendar: it did not ask for them
	Repeated map[string]bool // public pages whose words another page shows too
	Why      string          // says why Public is empty
	Unasked  []string        // linked addresses that it did not ask for, and so knows nothing of
	Load     explore.Load
	Held     []string // linked pages with what looks like a secret in their addresses: they are not in Public
	Alike    string   // one of those of which it asked for some, as these showed nothing new; "" for none

	From func(to string) (some []string, n int) // the first pages that link to an address, and how many do
	All  bool                                   // name more of these than one
}

// Link is one that should be mended.
type Link struct {
	Kind, To, Says string // Says is what is answered there
	From           string // a page that has it
	Passing        bool   // the answer may pass, such as 503
}

// Linking names one of n pages that link to an address, or with all some, and says how many more there are.
func Linking(some []string, n int, all bool) string {
	if !all {
		some = some[:min(len(some), 1)]
	}
	switch more := n - len(some); {
	case len(some) == 0:
		return words.Count(n, "page")
	case more > 0:
		return strings.Join(some, ", ") + " and " + words.Number(more) + " more"
	}
	return strings.Join(some, ", ")
}

// beside compares what is listed with what servemap saw, and with what the site links to.
func (c *checker) beside(ctx context.Context) error {
	if n := 0; c.Config.Seen != nil {
		for _, e := range c.judge.Pages {
			if s, is := c.Config.Seen[address.KeyOf(e.Loc)]; is && pages.Observed(e, s, c.Report) {
				n++
			}
		}
		c.Facts = append(c.Facts, "The dates of "+words.Count(n, "page")+" were compared with what servemap observed; "+
			"that takes more than a day of observation.")
	}
	if c.Config.Linked == nil {
		return nil
	}
	if c.load.down && !c.load.up { // a crawl would wait for each page
		c.limit(errBound{"no crawl was made, as no page answers"})
		return nil
	}
	c.ahead, c.uncrawled = "the crawl did not come to its end", ""
	var listed []string
	for _, e := range c.judge.Pages {
		listed = append(listed, e.Loc)
	}
	linked, err := c.Config.Linked(ctx, Known{c.Site, listed, c.nowhere, &c.fetcher})
	if err != nil {
		return fmt.Errorf("the crawl was not made: %w", err)
	}
	c.compareLinks(linked)
	return nil
}

// compareLinks compares the listed pages with those that links lead to, both ways. Where the crawl could list nothing,
// nothing is compared.
func (c *checker) compareLinks(found Crawl) {
	if root := c.Site + "/"; found.Scripts && c.judge.Place(root) < 0 { // else it was told
		c.Add("scripts", report.At{Where: root}, "says nothing without scripts, so no link leads on from it")
		c.Of("scripts", c.Sample.Read-c.Sample.Files+1) // the crawl read it
	}
	c.exposed(found)
	if found.Why != "" {
		c.Facts = append(c.Facts, found.Why)
		return
	}
	c.crawled = true
	held := c.held(&found)
	missing := c.missing(found)
	c.mend(found)
	if n := len(found.Unasked); n > 0 {
		c.Facts = append(c.Facts, "The crawl did not ask for "+words.Count(n, "link")+
			" with a parameter, the name of a file, or a word that may act: "+
			Linking(found.Unasked[:min(n, manyPages)], n, found.All)+". Whether anything is there is not known.")
	}
	if found.Alike != "" {
		c.Facts = append(c.Facts, "Of the addresses that look like "+cmp.Or(pages.Secret(found.Alike), found.Alike)+
			", the crawl asked for some, which showed nothing new, and not for the others.")
	}
	if says := found.Load.Says(); says != "" && !c.Has("load") {
		c.Facts = append(c.Facts, says)
	}
	text := "A crawl found " + words.Count(len(found.Public), "public page")
	switch {
	case len(c.Files) == 0:
		text += ", which servemap crawl would list."
	case c.unsure() && missing > 0:
		text += "; in no file that could be read: " + words.Number(missing) + "."
	default:
		text += "; not listed: " + none(missing) + "."
	}
	c.Facts = append(c.Facts, text+held+c.orphans(found))
}

// held makes linked pages whose addresses look like secrets public where many addresses do: there it is how the site
// names its pages. Else nobody should list them, and it says that they are not compared.
func (c *checker) held(found *Crawl) (says string) {
	all, apart := slices.Clone(c.judge.Pages), slices.DeleteFunc(slices.Clone(found.Held), c.judge.Listed)
	for _, u := range apart {
		all = append(all, listing.Entry{Loc: u})
	}
	n := len(apart)
	if n == 0 || !pages.FewOf(all, pages.Looks) {
		found.Public = slices.Sorted(slices.Values(append(found.Public, found.Held...)))
		return ""
	}
	return " Not compared: " + words.Count(n, "linked page") + " whose " +
		words.Form("{address looks like a secret|addresses look like secrets}, such as ", n) + pages.Masked(apart[0]) + "."
}

// exposed tells of what shows anybody a secret and was not told yet, as only a page names it.
func (c *checker) exposed(found Crawl) {
	for _, l := range found.Exposed {
		u, linked := l.To, ""
		at := report.At{Where: u}
		if i := c.judge.Place(u); i >= 0 {
			at = c.judge.Pages[i].At()
		}
		if some, n := found.From(u); n > 0 {
			linked = ", linked from " + Linking(some, n, found.All)
		}
		if key := address.KeyOf(u); !c.private[key] {
			c.Add(l.Kind, at, "%s%s", l.Says, linked)
		}
	}
}

// unsure reports whether a file that could not be read may list more.
func (c *checker) unsure() bool {
	return c.doubt || c.Has("xml") || c.Has("gzip") || c.Has("size") || c.Has("encoding")
}

// numbers match what the addresses of a series differ in.
var numbers = regexp.MustCompile(`\d+`)

// missing tells of the public pages that are not listed, and returns how many these are. Of a series that
// the crawl gave up, those that repeat what another page shows are counted, and not named: visitors need none of them.
func (c *checker) missing(found Crawl) (n int) {
	series, given := map[string]bool{}, 0
	for _, u := range found.Endless {
		series[numbers.ReplaceAllString(u, "0")] = true
	}
	defer func() {
		if given > 0 {
			c.Facts = append(c.Facts, "The crawl gave up a series of addresses that showed nothing new, as a calendar does, at "+
				Linking(found.Endless[:1], len(found.Endless), false)+". "+words.Number(given)+
				" of its pages are not listed, repeat what another page shows, and are not called missing.")
		}
	}()
	for _, u := range found.Public {
		if c.judge.Listed(u) {
			continue
		}
		n++
		if found.Repeated[u] && series[numbers.ReplaceAllString(u, "0")] {
			given++
			continue
		}
		is, lacks := "public", "not listed"
		if some, n := found.From(u); u == c.Site+"/" { // which needs no link, as where a redirect leads
			is = "the start page"
		} else if n > 0 {
			is = "linked from " + Linking(some, n, false)
		}
		if c.unsure() {
			lacks = "in no file that could be read; perhaps another lists it"
		}
		c.Add("missing", report.At{Where: u}, "is %s, and "+lacks, is)
	}
	return n
}

// mend tells of the links that should be mended, those that most pages have first.
func (c *checker) mend(found Crawl) {
	linking := func(l Link) (n int) { _, n = found.From(l.To); return n }
	slices.SortStableFunc(found.Links, func(a, b Link) int { return linking(b) - linking(a) })
	for _, l := range found.Links {
		does, others := "links to", ""
		some, n := found.From(l.To)
		if n == 0 && c.told(l) { // as canonical, or in another language
			continue
		} else if n == 0 {
			does = "refers to" // as canonical, or only from a variant
		}
		if n >= fewPages && 2*n > len(found.Public) && l.Kind == "broken-link" && !l.Passing {
			l.Kind = "broken-everywhere"
		}
		if n > 1 {
			others = "; " + words.Number(n) + " pages link there"
		}
		at := report.At{Where: append(some, l.From)[0], To: l.To}
		if n > 1 && found.All {
			at.From = some
		}
		c.Add(l.Kind, at, does+" %s, which %s"+others, l.To, l.Says)
	}
}

// orphans tells of the listed pages that have no link that engines follow, and says how many these are, as far as that
// is known. No link should lead to what is perhaps for few.
func (c *checker) orphans(found Crawl) string {
	switch {
	case len(c.Files) == 0:
		return ""
	case !found.Whole:
		c.limit(errBound{"the crawl did not come to its end, so which listed pages have no link that engines follow is not " +
			"known"})
		return ""
	case found.Scripts, 2*c.Count("scripts") > c.Sample.Read:
		return " Where scripts make the links, which listed pages have no link that engines follow is not known."
	}
	slices.SortFunc(found.Orphans, func(a, b Link) int { return c.judge.Place(a.To) - c.judge.Place(b.To) })
	secret, orphans := pages.ForFew(c.judge.Pages, func(u string) bool { _, n := found.From(u); return n > 0 }), 0
	for _, l := range found.Orphans {
		at := c.judge.Place(l.To)
		if at < 0 || c.private[address.KeyOf(l.To)] {
			continue
		}
		where := c.judge.Pages[at].At()
		if short, why := pages.Hidden(l.To, secret(l.To)); why != "" {
			where.Where = short
			c.Add("private", where, "%s, and no page links there", why)
			continue
		}
		orphans++
		c.Add("orphan", where, "is listed, and %s", l.Says)
	}
	if n := len(found.Failed); n > 0 && orphans > 0 {
		c.limit(errBound{"the crawl could not read " + Linking(found.Failed, n, found.All) +
			", so links from there are not known"})
	}
	return " Listed, without a link that engines follow: " + none(orphans) + "."
}

// told reports whether a finding of a page names where a link of it leads, as a word of its text.
func (c *checker) told(l Link) bool {
	to := report.Shorten(l.To)
	names := func(word string) bool { return word == to || strings.TrimRight(word, ",:") == to }
	return slices.ContainsFunc(c.Groups, func(g report.Group) bool {
		return slices.ContainsFunc(g.Findings, func(f report.Finding) bool {
			return f.Where == report.Shorten(l.From) && slices.ContainsFunc(strings.Fields(f.Text), names)
		})
	})
}

// none writes a number.
func none(n int) string {
	if n == 0 {
		return "none"
	}
	return words.Number(n)
}

package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/schema/changelog"
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

	ReportOnly bool `json:"report_only,omitempty"`
	Crawlers   any  `json:"-"` // a []servemap.Crawler
	Followed   bool `json:"-"` // crawlers are
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

// Day has the numbers of one day, in UTC. Each change of a page counts.
type Day struct {
	Date    string `json:"date"`
	Listed  int    `json:"listed"` // pages, when that was last noted
	Dated   int    `json:"dated"`  // of these, with a lastmod
	Added   int    `json:"added"`
	Changed int    `json:"changed"`
	Removed int    `json:"removed"`
}

// overview also works without the store.
func (i *Inspector) overview(ctx context.Context, q url.Values) (view, error) {
	stats, s := i.Public.Stats()
	o := Overview{
		Stats: stats, Origin: i.Origin.String(), Serving: s.Listed > 0 && !s.ReportOnly, Responses: responsesOf(s.Ignored), History: i.history(ctx),
		ReportOnly: s.ReportOnly, Followed: i.Crawlers, Crawlers: i.Public.Crawlers(), State: state(s), Reasons: groupsOf(s.Verdicts),
	}
	o.Reasons = i.setApart(ctx, o.Reasons)
	for _, n := range s.Ignored {
		o.Uncounted += n
	}
	for _, g := range o.Reasons {
		if g.Care != messages.Fine {
			o.Hidden += g.Pages
		}
	}
	o.History.Days = today(o.History.Days, s)
	o.Look = i.look(ctx, s, o.Reasons)
	return view{Name: "overview", Nav: "overview", Title: "Overview", Data: o, Live: q.Has("live")}, nil
}

// setApart takes broken links out of the counts of pages that wait for a visitor. The view of links has them.
func (i *Inspector) setApart(ctx context.Context, groups []Group) []Group {
	links, _ := i.targets(ctx) // without the store, they stay there
	for n := range groups {
		for _, l := range links {
			if l.Broken && l.Reason == groups[n].Reason && l.Verdict == eligibility.Waiting.String() {
				groups[n].Pages--
			}
		}
	}
	return slices.DeleteFunc(groups, func(g Group) bool { return g.Pages <= 0 })
}

// look lists what may be wrong.
func (i *Inspector) look(ctx context.Context, s messages.Counts, reasons []Group) (all []Look) {
	for _, h := range s.Hints {
		all = append(all, Look{Text: h.String()})
	}
	if none := s.Listed == 0 && !s.Making() && !s.NoStore; none && len(all) == 0 && len(s.Ignored)+len(s.Verdicts) > 0 {
		all = append(all, Look{"Visitors came, and no page is listed yet. Below are the reasons.", "#ignored"})
	}
	if s.Broken > 0 {
		all = append(all, Look{count(s.Broken, "broken link") + ": listed pages link to addresses that answer 404, 410 or an error.", "links"})
	}
	for _, g := range reasons {
		if g.Care == messages.Look {
			all = append(all, Look{count(g.Pages, "page") + ": " + strings.ToLower(g.Means[:1]) + g.Means[1:], "pages?reason=" + g.Reason})
		}
	}
	if i.robotsTxt() == RobotsLacks && !s.ReportOnly {
		all = append(all, Look{"The site's robots.txt does not name the sitemap, so search engines may not find it.", "files"})
	}
	if told, err := i.told(ctx); err == nil && told != nil {
		for _, url := range slices.Sorted(maps.Keys(told.Engines)) {
			if e := told.Engines[url]; e.Advice != "" {
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
		return fmt.Sprintf("Nothing is published yet: %s would be listed", count(s.Listed, "page"))
	case s.Listed > 0 && s.NoStore:
		return fmt.Sprintf("%s listed; the store does not answer", count(s.Listed, "page"))
	case s.NoStore:
		return "No sitemap, as the store does not answer"
	case s.Listed > 0:
		return count(s.Listed, "page") + " in the sitemap"
	case s.Making():
		return "The first file of the sitemap is being made"
	case s.Observations == 0 && len(s.Ignored) == 0:
		return "Waiting for the first visitor"
	}
	return "No page is listed yet"
}

// groupsOf explains the counts, and puts first what an owner should look into.
func groupsOf(verdicts map[string]int) (groups []Group) {
	for name, pages := range verdicts {
		verdict, reason, _ := strings.Cut(name, " ")
		sum := messages.ReasonNamed(reason)
		groups = append(groups, Group{verdict, reason, pages, sum.Means(), sum.Care})
	}
	order := []messages.Care{messages.Look, messages.Wait, messages.Intended, messages.Fine}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Care), slices.Index(order, b.Care)), cmp.Compare(b.Pages, a.Pages), strings.Compare(a.Reason, b.Reason))
	})
	return groups
}

func responsesOf(ignored map[string]uint64) (all []Response) {
	for _, reason := range slices.Sorted(maps.Keys(ignored)) {
		all = append(all, Response{reason, ignored[reason], messages.Response(reason)})
	}
	slices.SortStableFunc(all, func(a, b Response) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

// history reads the days.
func (i *Inspector) history(ctx context.Context) (h History) {
	days, err := i.days(ctx)
	if err != nil {
		h.Error = strings.TrimPrefix(err.Error(), "servemap: ")
	}
	slices.SortFunc(days, func(a, b Day) int { return strings.Compare(a.Date, b.Date) })
	h.Days = days
	return h
}

// today makes the last day what is served now.
func today(days []Day, s messages.Counts) []Day {
	date := time.Now().UTC().Format(time.DateOnly)
	if len(days) == 0 || days[len(days)-1].Date != date {
		days = append(days, Day{Date: date})
	}
	last := &days[len(days)-1]
	if last.Listed = s.Listed; s.Dated > 0 {
		last.Dated = s.Dated
	}
	return days
}

// reach returns since, or the time from which the changes are complete if that is later.
func (i *Inspector) reach(ctx context.Context, since time.Time) (time.Time, error) {
	from, err := i.Indexer.JournalFrom(ctx)
	if err == nil && from.After(since) {
		return from, nil
	}
	return since, err
}

func (i *Inspector) page(ctx context.Context, q url.Values) (view, error) {
	e, err := i.explain(ctx, q)
	return view{Name: "page", Nav: "pages", Title: i.show(e.URL), Query: i.show(e.URL), Data: e.Page, Setting: e.Setting}, err
}

// explain describes the page that the query names.
func (i *Inspector) explain(ctx context.Context, q url.Values) (Explained, error) {
	u := q.Get("u")
	if u == "" {
		return Explained{}, refusal{errors.New("say in u which page; it is a URL of the site, or a location such as /about")}
	}
	e, err := i.Public.Explain(ctx, u)
	if _, s := i.Public.Stats(); err != nil && ctx.Err() == nil && !s.NoStore {
		err = refusal{err}
	}
	return e, err
}

// mostPages is how many pages or changes one view shows.
const mostPages = 100

// mostRows is how many pages are sorted at once.
const mostRows = 2000

// Pages are the listed pages that the query selects, or with a reason of other pages those that have a name.
type Pages struct {
	Query   string `json:"query,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Changed string `json:"changed,omitempty"` // only those whose lastmod is in this time, as "24h", or with a minus before it not
	Sort    string `json:"sort,omitempty"`    // "date" or "changes"; else by address
	After   string `json:"after,omitempty"`
	// Stopped says that time ran out, or that there are too many to sort at once, so that pages after Next may match too.
	Stopped bool `json:"stopped,omitempty"`
	// Ask is the location that the query may mean, "" if pages were found.
	Ask string `json:"ask,omitempty"`

	Total int    `json:"total"` // pages that match, as far as searched
	Pages []any  `json:"pages"` // each a servemap.Page
	Next  string `json:"next,omitempty"`
	Links []Link `json:"links,omitempty"` // in place of pages, those that are not listed and have a name
	Known int    `json:"known,omitempty"` // how many pages have that reason
	Means string `json:"means,omitempty"`

	Groups []Group `json:"-"` // the reasons to choose from
	all    []Row
}

// ages are the times of changes that the view of pages offers.
var ages = []struct{ Value, Text string }{{"", "at any time"}, {"24h", "in a day"}, {"168h", "in a week"}, {"720h", "in a month"}, {"-720h", "longer ago, or never"}}

// searchFor is how long a search may take before it shows its results so far.
const searchFor = 150 * time.Millisecond

// pages lists pages. An address with a star at its end asks for those that begin with it. One
// without leads to its page, unless nothing is known of that and pages begin with it.
func (i *Inspector) pages(ctx context.Context, q url.Values) (view, error) {
	typed := strings.TrimSpace(q.Get("q"))
	_, s := i.Public.Stats()
	p := Pages{Query: typed, Reason: q.Get("reason"), Changed: q.Get("changed"), Sort: q.Get("sort"), After: q.Get("after"), Groups: groupsOf(s.Verdicts)}
	v := view{Name: "pages", Nav: "pages", Title: "Pages", Query: typed}
	from, skip := cursor(p.After)
	want := reader.Wanted{Prefix: "/", After: from, Most: mostRows, Within: searchFor}
	loc, all := strings.CutSuffix(i.location(typed), "*")
	address := strings.HasPrefix(loc, "/") || strings.Contains(typed, "://")
	switch {
	case address:
		if want.Prefix = escaped(loc); !all {
			e, err := i.Public.Explain(ctx, loc)
			if err != nil || e.Known || checkLocations(want.Prefix) != nil { // the page's own view says what is wrong
				return v, pageAt(loc)
			}
		}
	case typed != "":
		want.Contains = strings.ToLower(escaped(typed))
	}
	for _, g := range p.Groups {
		if g.Reason == p.Reason && g.Care != messages.Fine {
			p.Known, p.Means = g.Pages, g.Means
		}
	}
	err := checkLocations(want.Prefix, want.After)
	switch {
	case err != nil:
	case p.Means != "":
		err = p.name(ctx, i, want)
	default:
		err = p.list(ctx, i, want, skip)
	}
	if none := p.Total == 0 && p.After == "" && p.Means == ""; none && address && !all && err == nil {
		return v, pageAt(loc)
	} else if none && typed != "" {
		p.Ask = "/" + cmp.Or(want.Prefix[1:], escaped(typed))
	}
	v.Data = p
	return v, err
}

// name finds those of the pages that are not listed that have a name.
func (p *Pages) name(ctx context.Context, i *Inspector, want reader.Wanted) error {
	links, err := i.targets(ctx)
	for _, l := range links {
		loc := strings.TrimPrefix(l.URL, i.root())
		if l.Reason == p.Reason && !l.Broken && len(l.From) > 0 && strings.HasPrefix(loc, want.Prefix) && strings.Contains(strings.ToLower(loc), want.Contains) {
			p.Links = append(p.Links, l)
		}
	}
	slices.SortStableFunc(p.Links, func(a, b Link) int { return b.At.Compare(a.At) })
	p.Links = p.Links[:min(len(p.Links), mostPages)]
	p.Total = len(p.Links)
	return err
}

// list finds listed pages, sorts them and shows some.
func (p *Pages) list(ctx context.Context, i *Inspector, want reader.Wanted, skip int) error {
	changed, err := time.ParseDuration(cmp.Or(p.Changed, "0s"))
	if err != nil {
		return refusal{fmt.Errorf("changed %q is no span such as 24h or -24h", shorten(p.Changed))}
	}
	found, err := i.rows(ctx, want)
	p.all = slices.DeleteFunc(found.Rows, func(r Row) bool {
		young := time.Since(r.Modified) <= max(changed, -changed)
		return p.Reason != "" && r.Reason != p.Reason || changed > 0 && !young || changed < 0 && young
	})
	slices.SortStableFunc(p.all, func(a, b Row) int {
		switch p.Sort {
		case "date":
			return cmp.Or(b.Modified.Compare(a.Modified), natural(a.Location, b.Location))
		case "changes":
			return cmp.Or(cmp.Compare(b.Changes, a.Changes), natural(a.Location, b.Location))
		}
		return natural(a.Location, b.Location)
	})
	p.Total, p.Stopped, p.Pages = len(p.all), found.Next != "", []any{}
	for _, r := range p.all[min(skip, len(p.all)):min(skip+mostPages, len(p.all))] {
		p.Pages = append(p.Pages, r.Page)
	}
	switch from, _ := cursor(p.After); {
	case skip+mostPages < len(p.all):
		p.Next = strings.TrimSpace(fmt.Sprintf("%d %s", skip+mostPages, from))
	default:
		p.Next = found.Next
	}
	return err
}

// cursor reads where a list continues: how many of the sorted pages to skip, and the location after which these begin.
func cursor(text string) (from string, skip int) {
	digits, rest, _ := strings.Cut(text, " ")
	if n, err := strconv.Atoi(digits); err == nil && n >= 0 {
		return rest, n
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
		return linkRows(p.Links)
	}
	rows = [][]string{{"location", "lastmod", "changes", "reason"}}
	for _, r := range p.all {
		modified := ""
		if !r.Modified.IsZero() {
			modified = iso(r.Modified)
		}
		rows = append(rows, []string{r.Location, modified, strconv.Itoa(r.Changes), r.Reason})
	}
	return rows
}

// Links are the links of listed pages that somebody should correct.
type Links struct {
	Broken []Link   `json:"broken"` // those that most followed first
	Chains [][]Link `json:"chains"` // of redirects; the first is linked, and the last redirects to where visitors arrive
}

func (i *Inspector) links(ctx context.Context, _ url.Values) (view, error) {
	all, err := i.targets(ctx)
	l, at := Links{Broken: []Link{}, Chains: [][]Link{}}, map[string]Link{}
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
		if len(one.From) > 0 && one.To != "" && len(chain) > 1 {
			l.Chains = append(l.Chains, chain)
		}
	}
	return view{Name: "links", Nav: "links", Title: "Links", Data: l}, err
}

func (l Links) table() [][]string { return linkRows(l.Broken) }

func linkRows(links []Link) [][]string {
	rows := [][]string{{"url", "verdict", "reason", "status", "followed", "linked from"}}
	for _, l := range links {
		rows = append(rows, []string{l.URL, l.Verdict, l.Reason, strconv.Itoa(l.Status), strconv.Itoa(l.Followed), strings.Join(l.From, " ")})
	}
	return rows
}

func pageAt(loc string) redirect { return redirect("page?u=" + url.QueryEscape(loc)) }

// location turns a URL or location that an owner typed into a location.
func (i *Inspector) location(typed string) string {
	typed = strings.TrimSpace(typed)
	if rest, ok := strings.CutPrefix(typed, i.root()); ok && (rest == "" || rest[0] == '/') {
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

// Changes are the last changes of each page, the newest first.
type Changes struct {
	Since   time.Time `json:"since"`
	Span    string    `json:"-"`                       // as in the query
	From    time.Time `json:"complete_since,omitzero"` // if earlier changes are unknown
	Before  string    `json:"before,omitempty"`
	Changes []any     `json:"changes"`        // each a servemap.Change
	Next    string    `json:"next,omitempty"` // value of before for the next page, "" at the end
}

// spans are the times that the view of changes offers.
var spans = []struct{ Value, Text string }{{"1h", "Last hour"}, {"24h", "Since yesterday"}, {"168h", "Seven days"}}

func (i *Inspector) changes(ctx context.Context, q url.Values) (view, error) {
	c := Changes{Span: cmp.Or(q.Get("since"), "168h"), Before: q.Get("before")}
	var err error
	if c.Since, err = sinceOf(c.Span, time.Now()); err != nil {
		return view{}, err
	}
	from, err := i.reach(ctx, c.Since)
	if from.After(c.Since) {
		c.From, c.Since = from.UTC(), from.UTC()
	}
	if err == nil {
		err = i.latest(ctx, &c)
	}
	return view{Name: "changes", Nav: "changes", Title: "Changes", Data: c}, err
}

// sinceOf reads a time, or how long ago it was.
func sinceOf(text string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago).UTC().Truncate(time.Millisecond), nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, refusal{fmt.Errorf("since %q is neither a time such as 2026-11-22T00:00:00Z nor a span such as 24h", shorten(text))}
	}
	return at.UTC(), nil
}

// latest finds the newest changes that come before the cursor.
func (i *Inspector) latest(ctx context.Context, c *Changes) error {
	var before changelog.Event
	at, loc, _ := strings.Cut(c.Before, " ")
	if c.Before != "" {
		var err error
		if before.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return refusal{errors.New("before is none that a page of changes gave")}
		}
		before.Location = loc
	}
	events, err := i.Indexer.Latest(ctx, c.Since, before, mostPages+1)
	for n, e := range events {
		if n == mostPages {
			last := events[n-1]
			c.Next = last.At.UTC().Format(time.RFC3339Nano) + " " + last.Location
			break
		}
		c.Changes = append(c.Changes, i.Public.Change(e, c.Since))
	}
	return err
}

// Files are the sitemap's files.
type Files struct {
	Files      []File    `json:"files"`
	RobotsLine string    `json:"robots_line"`
	RobotsTxt  RobotsTxt `json:"robots_txt,omitempty"`
	ReportOnly bool      `json:"report_only,omitempty"`
}

func (i *Inspector) files(context.Context, url.Values) (view, error) {
	return view{Name: "files", Nav: "files", Title: "Files", Data: Files{i.fileList(), i.RobotsLine, i.robotsTxt(), i.ReportOnly}}, nil
}

// Crawlers are what search engines fetched, and what they were told.
type Crawlers struct {
	Followed bool `json:"followed"` // Options.Crawlers is set
	Crawlers any  `json:"crawlers"` // a []servemap.Crawler

	Told      *Told     `json:"told,omitempty"` // by package notify
	RobotsTxt RobotsTxt `json:"robots_txt,omitempty"`
}

func (i *Inspector) crawlers(ctx context.Context, _ url.Values) (view, error) {
	told, err := i.told(ctx)
	return view{Name: "crawlers", Nav: "crawlers", Title: "Search engines", Data: Crawlers{i.Crawlers, i.Public.Crawlers(), told, i.robotsTxt()}}, err
}

// Help is every reason with its sentences.
type Help struct {
	Reasons []Group `json:"reasons"`
}

func (i *Inspector) help(context.Context, url.Values) (view, error) {
	var h Help
	for _, r := range messages.Reasons() {
		h.Reasons = append(h.Reasons, Group{Verdict: r.Verdict.String(), Reason: r.Reason.String(), Means: r.Means(), Care: r.Care})
	}
	return view{Name: "help", Nav: "help", Title: "Help", Data: h}, nil
}

// confirm asks the owner whether to forget a page.
func (i *Inspector) confirm(ctx context.Context, q url.Values) (view, error) {
	e, err := i.explain(ctx, q)
	return view{Name: "forget", Nav: "pages", Title: "Forget a page", Data: e.Page}, err
}

// untried answers who asks again for what only a form may ask for.
func (i *Inspector) untried(context.Context, url.Values) (view, error) {
	return view{}, redirect("pages")
}

// post does what a form of the inspector asks for, if the request comes from one: it forgets a page, undoes that, or
// fetches a page.
func (i *Inspector) post(w http.ResponseWriter, r *http.Request, try bool) {
	r.Body = http.MaxBytesReader(w, r.Body, 8<<10)
	// A proxy may have changed the Host with which Check compares.
	if err := i.forged.Check(r); err != nil && r.PostFormValue("token") != i.token {
		http.Error(w, "only the inspector's own page may ask for that: "+err.Error(), http.StatusForbidden)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	u := r.PostFormValue("u")
	if try {
		t, err := i.try(ctx, u)
		v := view{Name: "try", Nav: "pages", Title: "Fetched now", Query: i.show(t.URL), Data: t, Setting: t.Setting}
		if err != nil {
			v = failed(refusal{err})
		}
		i.answer(w, r, v, "")
		return
	}
	_, err := i.explain(ctx, url.Values{"u": {u}})
	change := i.Public.Forget
	if r.PostFormValue("undo") != "" {
		change = i.Public.UndoForget
	}
	if err == nil {
		err = change(ctx, u)
	}
	if err != nil {
		i.answer(w, r, failed(err), "")
		return
	}
	w.Header().Set("Location", "page?u="+url.QueryEscape(u))
	w.WriteHeader(http.StatusSeeOther)
}

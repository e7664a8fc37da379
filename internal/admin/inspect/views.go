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
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
)

// Overview is the first page.
type Overview struct {
	Stats     any        `json:"stats"` // a servemap.Stats
	Origin    string     `json:"origin"`
	State     string     `json:"state"`   // of the sitemap, in a sentence
	Serving   bool       `json:"serving"` // a sitemap is served
	Hidden    int        `json:"not_listed"`
	Uncounted uint64     `json:"not_counted"` // responses
	Reasons   []Group    `json:"reasons"`     // first those to look into, then by pages
	Responses []Response `json:"responses"`   // that did not count, the most frequent first
	Week      Week       `json:"week"`
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

// Week says what changed on each of the last days.
type Week struct {
	Days  []Day     `json:"days"`
	From  time.Time `json:"complete_since,omitzero"` // if earlier changes are unknown
	Error string    `json:"error,omitempty"`
}

// Day counts the pages whose last change was on one day, in UTC.
type Day struct {
	Date    string `json:"date"`
	Added   int    `json:"added"`
	Changed int    `json:"changed"`
	Removed int    `json:"removed"`
}

// overview also works without the store.
func (i *Inspector) overview(ctx context.Context, q url.Values) (view, error) {
	stats, s := i.Site.Stats()
	o := Overview{Stats: stats, Origin: i.Origin, Serving: s.Listed > 0 && !s.ReportOnly, Responses: responsesOf(s.Ignored), Week: i.week(ctx)}
	o.State = state(s)
	o.Reasons = groupsOf(s.Verdicts)
	for _, n := range s.Ignored {
		o.Uncounted += n
	}
	for _, g := range o.Reasons {
		if g.Care != messages.Fine {
			o.Hidden += g.Pages
		}
	}
	return view{Name: "overview", Nav: "overview", Title: "Overview", Data: o, Live: q.Has("live")}, nil
}

// state says in a sentence what is served.
func state(s messages.Counts) string {
	switch {
	case s.ReportOnly:
		return fmt.Sprintf("Reporting only: %s would be listed", count(s.Listed, "page"))
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
	order := []messages.Care{messages.Look, messages.Wait, messages.Meant, messages.Fine}
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

const day = 24 * time.Hour

// week counts the changes of the last seven days, today included.
func (i *Inspector) week(ctx context.Context) (w Week) {
	first := time.Now().UTC().Truncate(day).Add(-6 * day)
	from, err := i.reach(ctx, first)
	if err == nil && from.After(first) {
		w.From = from.UTC()
	}
	if err == nil {
		w.Days, err = i.Site.Days(ctx, first, 7)
	}
	for n := range w.Days {
		w.Days[n].Date = first.Add(time.Duration(n) * day).Format(time.DateOnly)
	}
	if err != nil {
		w.Error = strings.TrimPrefix(err.Error(), "servemap: ")
	}
	return w
}

// reach returns since, or the time from which the changes are complete if that is later.
func (i *Inspector) reach(ctx context.Context, since time.Time) (time.Time, error) {
	from, err := i.Site.ChangesFrom(ctx)
	if err == nil && from.After(since) {
		return from, nil
	}
	return since, err
}

func (i *Inspector) page(ctx context.Context, q url.Values) (view, error) {
	e, err := i.explain(ctx, q)
	return view{Name: "page", Nav: "pages", Title: i.show(e.URL), Query: i.show(e.URL), Data: e.Page}, err
}

// explain describes the page that the query names.
func (i *Inspector) explain(ctx context.Context, q url.Values) (Explained, error) {
	u := q.Get("u")
	if u == "" {
		return Explained{}, refusal{errors.New("say in u which page; it is a URL of the site, or a location such as /about")}
	}
	e, err := i.Site.Explain(ctx, u)
	if _, s := i.Site.Stats(); err != nil && ctx.Err() == nil && !s.NoStore {
		err = refusal{err}
	}
	return e, err
}

// mostPages is how many pages or changes one view shows.
const mostPages = 100

// Pages are listed pages: all, those whose locations begin with the query, or those that contain it.
type Pages struct {
	Query string `json:"query,omitempty"`
	After string `json:"after,omitempty"`
	// Stopped says that time ran out, so that pages after Next may match too.
	Stopped bool `json:"stopped,omitempty"`
	// Ask is the location that the query may mean, "" if pages were found.
	Ask string `json:"ask,omitempty"`
	List
}

// searchFor is how long a search within addresses may take before it shows its results so far.
const searchFor = time.Second

// pages lists pages. An address with a star at its end asks for those that begin with it. One
// without leads to its page, unless nothing is known of that and pages begin with it.
func (i *Inspector) pages(ctx context.Context, q url.Values) (view, error) {
	typed := strings.TrimSpace(q.Get("q"))
	p := Pages{Query: typed, After: q.Get("after")}
	v := view{Name: "pages", Nav: "pages", Title: "Pages", Query: typed}
	want := Wanted{Prefix: "/", After: p.After, Most: mostPages}
	loc, all := strings.CutSuffix(i.location(typed), "*")
	address := strings.HasPrefix(loc, "/") || strings.Contains(typed, "://")
	switch {
	case address:
		if want.Prefix = escaped(loc); !all {
			e, err := i.Site.Explain(ctx, loc)
			if err != nil || e.Known || checkLocations(want.Prefix) != nil { // the page's own view says what is wrong
				return v, pageAt(loc)
			}
		}
	case typed != "":
		want.Contains, want.Within = strings.ToLower(escaped(typed)), searchFor
	}
	err := checkLocations(want.Prefix, p.After)
	if err == nil {
		p.List, err = i.Site.List(ctx, want)
	}
	if none := len(p.Pages) == 0 && p.After == ""; none && address && !all && err == nil {
		return v, pageAt(loc)
	} else if none && typed != "" {
		p.Ask = "/" + cmp.Or(want.Prefix[1:], escaped(typed))
	}
	p.Stopped = want.Within > 0 && p.Next != "" && len(p.Pages) < mostPages
	v.Data = p
	return v, err
}

func pageAt(loc string) redirect { return redirect("page?u=" + url.QueryEscape(loc)) }

// location turns a URL or location that an owner typed into a location.
func (i *Inspector) location(typed string) string {
	typed = strings.TrimSpace(typed)
	if rest, ok := strings.CutPrefix(typed, i.Root); ok && (rest == "" || rest[0] == '/') {
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
	var before Place
	at, loc, _ := strings.Cut(c.Before, " ")
	if c.Before != "" {
		var err error
		if before.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return refusal{errors.New("before is none that a page of changes gave")}
		}
		before.Location = loc
	}
	list, err := i.Site.Latest(ctx, c.Since, before, mostPages)
	if c.Changes = list.Changes; list.Next.Location != "" {
		c.Next = list.Next.At.Format(time.RFC3339Nano) + " " + list.Next.Location
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
	return view{Name: "files", Nav: "files", Title: "Files", Data: Files{i.Site.Files(), i.RobotsLine, i.Site.RobotsTxt(), i.ReportOnly}}, nil
}

// Crawlers are what search engines fetched.
type Crawlers struct {
	Followed bool `json:"followed"` // Options.Crawlers is set
	Crawlers any  `json:"crawlers"` // a []servemap.Crawler
}

func (i *Inspector) crawlers(context.Context, url.Values) (view, error) {
	return view{Name: "crawlers", Nav: "crawlers", Title: "Crawlers", Data: Crawlers{i.Crawlers, i.Site.Crawlers()}}, nil
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

// forget takes a page out or undoes that, if the request comes from a page of the inspector.
func (i *Inspector) forget(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 8<<10)
	// A proxy may have changed the Host with which Check compares.
	if err := i.forged.Check(r); err != nil && r.PostFormValue("token") != i.token {
		http.Error(w, "only the inspector's own page may ask for that: "+err.Error(), http.StatusForbidden)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	u := r.PostFormValue("u")
	_, err := i.explain(ctx, url.Values{"u": {u}})
	change := i.Site.Forget
	if r.PostFormValue("undo") != "" {
		change = i.Site.UndoForget
	}
	if err == nil {
		err = change(ctx, u)
	}
	if err != nil {
		i.answer(w, r, failed(err), false)
		return
	}
	w.Header().Set("Location", "page?u="+url.QueryEscape(u))
	w.WriteHeader(http.StatusSeeOther)
}

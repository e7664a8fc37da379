package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/explore"
)

// The JSON answers of a process. Lists have one object per line. Fields are only ever
// added. With -json, commands print the answers unchanged. Otherwise they render the same
// structs for people.

type health struct {
	Ready   bool   `json:"ready"` // visitors are served
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Origin  string `json:"origin"`
	Listen  string `json:"listen,omitempty"`
	Store   string `json:"store,omitempty"` // why it cannot be used
}

type listing struct {
	URL        string            `json:"url"`
	LastMod    time.Time         `json:"lastmod,omitzero"`
	ChangeFreq string            `json:"changefreq,omitempty"`
	Changes    int               `json:"changes"`
	FirstSeen  time.Time         `json:"first_seen,omitzero"`
	LastSeen   time.Time         `json:"last_seen,omitzero"`
	Alternates map[string]string `json:"alternates,omitempty"`
}

func listingOf(p servemap.Page) listing {
	return listing{p.URL, p.LastModified, p.ChangeFreq, p.Changes, p.FirstSeen.UTC(), p.LastSeen.UTC(), p.Alternates}
}

type explanation struct {
	listing
	Listed    bool              `json:"listed"`
	Verdict   servemap.Verdict  `json:"verdict"`
	Reason    servemap.Reason   `json:"reason"`
	Text      string            `json:"text"`
	Missing   []string          `json:"missing,omitempty"` // what would list it
	Evidence  []servemap.Reason `json:"evidence,omitempty"`
	Status    int               `json:"status,omitempty"`
	Networks  int               `json:"networks"`
	Siblings  int               `json:"siblings"`
	Canonical string            `json:"canonical,omitempty"`
	SameAs    string            `json:"same_as,omitempty"`
	Rule      string            `json:"rule,omitempty"`
	Dates     dates             `json:"dates"`
}

type dates struct {
	Text        string      `json:"text"`
	Changes     []time.Time `json:"changes,omitempty"`
	Interval    float64     `json:"interval_seconds,omitempty"`
	Shortest    float64     `json:"shortest_seconds,omitempty"`
	Longest     float64     `json:"longest_seconds,omitempty"`
	ChangeFreq  string      `json:"changefreq,omitempty"`
	Probability float64     `json:"probability,omitempty"`
	Ignored     []string    `json:"ignored,omitempty"`
}

func explanationOf(e servemap.Explanation) explanation {
	x := explanation{
		listing: listingOf(e.Page), Listed: e.Listed, Verdict: e.Verdict, Reason: e.Reason, Text: inFlags.Replace(e.Text),
		Evidence: e.Evidence, Status: e.Status, Networks: e.Networks, Siblings: e.Siblings, Canonical: e.Canonical, SameAs: e.SameAs, Rule: e.Rule,
		Dates: dates{
			Text: inFlags.Replace(e.Dates.Text), Changes: e.Dates.Changes, Interval: e.Dates.Interval.Seconds(), Shortest: e.Dates.Shortest.Seconds(),
			Longest: e.Dates.Longest.Seconds(), ChangeFreq: e.Dates.ChangeFreq, Probability: e.Dates.Probability, Ignored: e.Dates.Ignored,
		},
	}
	x.URL = e.URL
	for _, m := range e.Missing {
		if m = missingInFlags(m); m != "" {
			x.Missing = append(x.Missing, m)
		}
	}
	return x
}

type change struct {
	At   time.Time           `json:"at"`
	Kind servemap.ChangeKind `json:"kind"`
	// Listed is when an added page was listed, before At if it has changed since.
	Listed time.Time `json:"listed,omitzero"`
	URL    string    `json:"url"`
}

type stats struct {
	Listed    int               `json:"listed"`
	Waiting   int               `json:"waiting"`
	Verdicts  map[string]int    `json:"verdicts"`
	Sightings uint64            `json:"sightings"`
	Dropped   uint64            `json:"dropped"`
	Queued    int               `json:"queued"`
	Damaged   uint64            `json:"damaged"`
	Ignored   map[string]uint64 `json:"ignored"`
	Hints     []string          `json:"hints,omitempty"`
	Store     string            `json:"store,omitempty"`
	Notes     []string          `json:"notes,omitempty"`
	Crawlers  []crawler         `json:"crawlers,omitempty"`
}

type forgotten struct {
	Forgotten bool `json:"forgotten"`
	Known     bool `json:"known"` // something was known of the page
}

// progress says how far an exploration is. The last one is Done, or says what failed.
type progress struct {
	Requests int            `json:"requests"`
	Pages    int            `json:"pages"`
	Waiting  int            `json:"waiting"`
	Skipped  map[string]int `json:"skipped,omitempty"`
	Acting   []string       `json:"acting,omitempty"` // links that were not requested, since they may change something
	Done     bool           `json:"done,omitempty"`
	Error    string         `json:"error,omitempty"`
}

func progressOf(e servemap.Exploration) progress {
	return progress{Requests: e.Requests, Pages: e.Pages, Waiting: e.Waiting, Skipped: e.Skipped, Acting: e.Acting}
}

// control answers the questions of commands and health checks.
type control struct {
	site     *servemap.Site
	explorer explorer
	log      *slog.Logger
	health   health
	ready    atomic.Bool
}

func (c *control) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", c.serveHealth)
	mux.HandleFunc("GET /stats", c.serveStats)
	mux.HandleFunc("GET /page", c.servePage)
	mux.HandleFunc("GET /pages", c.servePages)
	mux.HandleFunc("GET /changes", c.serveChanges)
	mux.HandleFunc("POST /forget", c.serveForget)
	mux.HandleFunc("POST /explore", c.serveExplore)
	mux.Handle("GET /metrics", c.metrics())
	mux.Handle("GET /files/", http.StripPrefix("/files", c.site.Handler()))
	return mux
}

// metrics answers everybody: only the owner reaches the socket, and the owner chose the
// address of -admin.
func (c *control) metrics() http.Handler {
	return c.site.Metrics(func(*http.Request) bool { return true })
}

func (c *control) serveHealth(w http.ResponseWriter, _ *http.Request) {
	h := c.health
	h.Ready, h.Store = c.ready.Load(), c.site.Stats().Store
	if !h.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	answer(w, h)
}

func (c *control) serveStats(w http.ResponseWriter, _ *http.Request) {
	s := c.site.Stats()
	answer(w, stats{
		Listed: s.Listed, Waiting: s.Waiting, Verdicts: s.Verdicts, Sightings: s.Sightings, Dropped: s.Dropped, Queued: s.Queued,
		Damaged: s.Damaged, Ignored: s.Ignored, Hints: allInFlags(s.Hints), Store: s.Store, Notes: allInFlags(s.Notes),
		Crawlers: crawlersOf(c.site.Crawlers()),
	})
}

func (c *control) servePage(w http.ResponseWriter, r *http.Request) {
	e, err := c.site.Explain(r.Context(), r.FormValue("url"))
	if err != nil {
		refuse(w, err)
		return
	}
	x := explanationOf(e)
	if c.explorer.static {
		x.addFolder(c.explorer.handler)
	}
	answer(w, x)
}

// addFolder says of a page that nobody saw whether the folder that is served has it.
func (x *explanation) addFolder(folder http.Handler) {
	u, err := url.Parse(x.URL)
	unknown := x.Verdict == servemap.VerdictUnknown
	if err != nil || u.RawQuery != "" || !unknown && x.Reason != servemap.ReasonNotSeen {
		return
	}
	got := &outcome{header: http.Header{}}
	folder.ServeHTTP(got, &http.Request{Method: http.MethodHead, URL: u, Header: http.Header{}})
	to, err := u.Parse(got.header.Get("Location"))
	switch {
	case got.status == http.StatusMovedPermanently && err == nil:
		x.Text = fmt.Sprintf("It is not listed: the address redirects to %s, which may be listed.", to.EscapedPath())
		x.Missing = nil
	case unknown && got.status == http.StatusOK && strings.HasPrefix(got.header.Get("Content-Type"), "text/html"):
		x.Text = "The folder has this page, but nothing that was looked at links to it. Link to it, or give -always for it and visit it."
	}
}

// outcome is the head of an answer.
type outcome struct {
	header http.Header
	status int
}

func (o *outcome) Header() http.Header         { return o.header }
func (o *outcome) Write(p []byte) (int, error) { return len(p), nil }
func (o *outcome) WriteHeader(status int)      { o.status = status }

func (c *control) servePages(w http.ResponseWriter, r *http.Request) {
	prefix := r.FormValue("prefix")
	for p, err := range c.site.Pages(r.Context()) {
		switch {
		case err != nil:
			breakOff(w, err)
			return
		case strings.HasPrefix(p.URL, prefix) || strings.HasPrefix(pathOf(p.URL), prefix):
			answer(w, listingOf(p))
		}
	}
}

// pathOf returns a URL without its scheme and host.
func pathOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	return rest[strings.IndexByte(rest+"/", '/'):]
}

func (c *control) serveChanges(w http.ResponseWriter, r *http.Request) {
	since, err := time.Parse(time.RFC3339Nano, r.FormValue("since"))
	if err != nil {
		refuse(w, err)
		return
	}
	for ch, err := range c.site.Changes(r.Context(), since) {
		if err != nil {
			breakOff(w, err)
			return
		}
		answer(w, change{ch.At, ch.Kind, ch.Listed, ch.URL})
	}
}

func (c *control) serveForget(w http.ResponseWriter, r *http.Request) {
	e, err := c.site.Explain(r.Context(), r.FormValue("url"))
	if err == nil {
		err = c.site.Forget(r.Context(), r.FormValue("url"))
	}
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, forgotten{true, e.Verdict != servemap.VerdictUnknown})
}

// serveExplore explores, and streams the progress. The request's body is a seed.
func (c *control) serveExplore(w http.ResponseWriter, r *http.Request) {
	most, _ := strconv.Atoi(r.FormValue("max"))
	opts := servemap.ExploreOptions{MaxRequests: most, Sitemaps: r.URL.Query()["sitemap"]}
	urls, sitemaps, err := explore.ReadSeeds(r.Body) // before the answer begins
	if err != nil {
		refuse(w, fmt.Errorf("the file cannot be read: %w", err))
		return
	}
	opts.Sitemaps = append(opts.Sitemaps, sitemaps...)
	opts.Seeds = seedOf(urls)
	opts.Progress = func(e servemap.Exploration) {
		answer(w, progressOf(e))
		_ = http.NewResponseController(w).Flush()
	}
	done, err := c.explorer.run(r.Context(), opts)
	last := progressOf(done)
	if last.Done = err == nil; err != nil {
		last.Error = err.Error()
	}
	answer(w, last)
}

// answer writes a line of JSON.
func answer(w http.ResponseWriter, v any) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client may have left
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	if errors.Is(err, context.Canceled) {
		code = http.StatusServiceUnavailable
	}
	http.Error(w, inFlags.Replace(strings.TrimPrefix(err.Error(), "servemap: ")), code)
}

// errorTrailer names the trailer that says why a list broke off.
const errorTrailer = "Servemap-Error"

func breakOff(w http.ResponseWriter, err error) {
	w.Header().Set(http.TrailerPrefix+errorTrailer, strings.TrimPrefix(err.Error(), "servemap: "))
}

package main

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
)

// heard notes what a site answers.
type heard struct {
	http.Handler
	origin location.Origin

	mu  sync.Mutex
	all map[string]*answered // by URL, the last answers; nil for a page in which check finds nothing
}

// mostHeard is how many answers are kept.
const mostHeard = 50_000

// answered is an answer of a site.
type answered struct {
	pages.Page // as check has judged it, without header and text
	link       inspect.Link
	html, file bool // what it is: a file is no text either
}

func (h *heard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &copied{ResponseWriter: w, status: http.StatusOK}
	h.Handler.ServeHTTP(c, r)
	loc := h.origin.URL(r.URL.RequestURI())
	a := &answered{link: inspect.Link{URL: loc, Status: c.status}}
	typ := w.Header().Get("Content-Type")
	a.html = response.IsHTML(typ)
	a.file = c.status == http.StatusOK && typ != "" && !texts.MatchString(typ)
	if to, err := r.URL.Parse(w.Header().Get("Location")); err == nil && c.status/100 == 3 {
		if a.link.To = to.String(); to.Host == "" {
			a.link.To = h.origin.URL(to.String())
		}
	}
	body, _, err := observation.Decode(w.Header().Get("Content-Encoding"), c.body, observation.MaxPage)
	if err == nil {
		a.Page = pages.Page{
			Entry:  listing.Entry{Loc: loc},
			Answer: pages.Answer{Status: c.status, Header: w.Header(), Body: body},
		}
		pages.Judge(&a.Page, time.Now())
		a.Header = nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.status == http.StatusOK && a.html && !a.Told() {
		a = nil
	}
	if _, again := h.all[loc]; again || len(h.all) < mostHeard {
		h.all[loc] = a
	}
}

// answers returns what was answered until now.
func (h *heard) answers() map[string]*answered {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.all)
}

// says says what check finds first in an answer, "" for nothing.
func (a *answered) says() string {
	var r report.Report
	pages.Compare([]*pages.Page{&a.Page}, nil, &r, time.Now())
	if r.Finish(); len(r.Groups) == 0 {
		return ""
	}
	return r.Groups[0].Findings[0].Text
}

// faultsOf returns what check would call faults of the listed pages.
func faultsOf(ctx context.Context, a *answers, got map[string]*answered) (found []leftOut, err error) {
	var r report.Report
	var listed []*pages.Page
	for p, err := range a.site.Pages(ctx) {
		if err != nil {
			return nil, err
		}
		if n := got[p.URL]; n != nil && n.Told() {
			listed = append(listed, &n.Page)
		}
	}
	slices.SortFunc(listed, func(a, b *pages.Page) int { return strings.Compare(a.Entry.Loc, b.Entry.Loc) })
	pages.Compare(listed, nil, &r, time.Now())
	r.Finish()
	for _, g := range r.Groups {
		if g.Level != "fault" {
			continue
		}
		l := leftOut{n: g.Count, why: g.Title, todo: g.Remedy}
		for _, f := range g.Findings {
			l.some = append(l.some, f.Where+" "+f.Text)
		}
		found = append(found, l)
	}
	return found, nil
}

// texts matches the types of pages, feeds, sitemaps and the like.
var texts = regexp.MustCompile(`(?i)^text/|xml|json|gzip`)

// copied keeps a copy of an answer, as far as it can be a page.
type copied struct {
	http.ResponseWriter
	status int
	body   []byte
}

func (c *copied) WriteHeader(status int) {
	if c.ResponseWriter.WriteHeader(status); status >= http.StatusOK {
		c.status = status
	}
}

func (c *copied) Write(p []byte) (int, error) {
	c.body = append(c.body, p[:min(len(p), observation.MaxPage-len(c.body))]...)
	return c.ResponseWriter.Write(p)
}

func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }

package main

import (
	"bytes"
	"context"
	"io"
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
	"github.com/servemap/servemap/internal/decide/eligibility"
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
	file       bool // no text either
}

// hear notes an answer. What a bot wall shows is no page, so where it says 200, it goes on as a refusal.
func (h *heard) hear(resp *http.Response) error {
	loc, status, typ := h.origin.URL(resp.Request.URL.RequestURI()), resp.StatusCode, resp.Header.Get("Content-Type")
	a := &answered{link: inspect.Link{URL: loc, Status: status}}
	a.file = status == http.StatusOK && typ != "" && !texts.MatchString(typ)
	html := response.IsHTML(typ)
	if to, err := resp.Location(); err == nil && status/100 == 3 {
		a.link.To = to.String()
	}
	most := pages.WallBytes
	if html {
		most = observation.MaxPage
	}
	begin, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)))
	if err != nil {
		return err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(begin), resp.Body), resp.Body}
	if body, _, err := observation.Decode(resp.Header.Get("Content-Encoding"), begin, observation.MaxPage); err == nil {
		answer := pages.Answer{Status: status, Header: resp.Header, Body: body}
		a.Page = pages.Page{Entry: listing.Entry{Loc: loc}, Answer: answer}
		pages.Judge(&a.Page, time.Now())
		a.Header = nil
	}
	if a.Wall != "" && status == http.StatusOK {
		resp.StatusCode = http.StatusForbidden
	}
	if status == http.StatusOK && html && !a.Told() {
		a = nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, again := h.all[loc]; again || len(h.all) < mostHeard {
		h.all[loc] = a
	}
	return nil
}

// answers returns what was answered until now.
func (h *heard) answers() map[string]*answered {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.all)
}

// walls returns the addresses where a bot wall answered in place of the site, with its name as the reason.
func (h *heard) walls() (all []inspect.Link) {
	for _, a := range h.answers() {
		if a != nil && a.Wall != "" {
			l := inspect.Link{URL: a.link.URL, Status: a.link.Status, Verdict: eligibility.LinkWalled.String(), Reason: a.Wall}
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b inspect.Link) int { return strings.Compare(a.URL, b.URL) })
	return all
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

package main

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const origin = "https://example.com"

// perHub is how many pages a hub links to, and perFolder how many share a folder and a route: a route or folder may grow by no more
// than 100,000 linked pages a day.
const (
	perHub    = 100
	perFolder = 5000
)

// pagePath returns where page n is.
func pagePath(n int) string { return fmt.Sprintf("/%d/page/%d", n/perFolder, n) }

// hubPath returns where hub n is.
func hubPath(n int) string { return fmt.Sprint("/hub/", n) }

// site is a site of pages, some of which change or go. What it serves depends on the time alone, so that all processes serve the same.
type site struct {
	pages int
	epoch time.Time
	lasts time.Duration
}

func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		write(w, "home", "the hubs of all pages", hubPath, 0, (s.pages+perHub-1)/perHub)
	})
	mux.HandleFunc("GET /hub/{n}", func(w http.ResponseWriter, r *http.Request) {
		if n, ok := number(r, s.pages/perHub+1); ok {
			write(w, fmt.Sprint("hub ", n), fmt.Sprint("the pages of hub ", n), pagePath, n*perHub, min(s.pages, (n+1)*perHub))
			return
		}
		http.NotFound(w, r)
	})
	for folder := range s.pages/perFolder + 1 {
		mux.HandleFunc(fmt.Sprintf("GET /%d/page/{n}", folder), s.servePage)
	}
	return mux
}

func (s *site) servePage(w http.ResponseWriter, r *http.Request) {
	n, ok := number(r, s.pages)
	switch now := time.Now(); {
	case !ok:
		http.NotFound(w, r)
	case s.gone(n, now):
		http.Error(w, "gone", http.StatusGone)
	default:
		s.page(w, n, now)
	}
}

func number(r *http.Request, below int) (int, bool) {
	n, err := strconv.Atoi(r.PathValue("n"))
	return n, err == nil && n >= 0 && n < below
}

// gone reports whether page n has left the site: one in 50 does, when half of the time is over.
func (s *site) gone(n int, now time.Time) bool { return n%50 == 49 && now.Sub(s.epoch) > s.lasts/2 }

// page writes page n. One in five changes, every few minutes; of all pages, every other one says when it changed.
func (s *site) page(w http.ResponseWriter, n int, now time.Time) {
	version, changed := 0, s.epoch.Add(-1000*time.Hour-time.Duration(n)*time.Second)
	if n%5 == 0 {
		every := 100*time.Second + time.Duration(n%7)*30*time.Second
		if version = int(now.Sub(s.epoch) / every); version > 0 {
			changed = s.epoch.Add(time.Duration(version) * every)
		}
	}
	if n%2 == 0 {
		w.Header().Set("Last-Modified", changed.UTC().Format(http.TimeFormat))
	}
	write(w, fmt.Sprint("page ", n), fmt.Sprintf("what is to be said of number %d, in edition %d of it", n, version), hubPath, n/perHub, n/perHub+1)
}

// write writes a page that links to those with the numbers from first to below last.
func write(w http.ResponseWriter, title, text string, path func(int) string, first, last int) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><html><head><title>%s</title></head><body><main><h1>%[1]s</h1><p>%s</p></main><ul>", title, text)
	for n := first; n < last; n++ {
		fmt.Fprintf(w, `<li><a href="%s">%d</a>`, path(n), n)
	}
	fmt.Fprint(w, "</ul></body></html>")
}

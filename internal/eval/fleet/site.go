package main

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// perHub is how many pages a hub links to. perFolder is how many pages share a folder and a
// route: a route or folder may grow by no more than 100,000 linked pages a day.
const (
	perHub    = 100
	perFolder = 5000
)

// pagePath returns where page n is.
func pagePath(n int) string { return fmt.Sprintf("/%d/page/%d", n/perFolder, n) }

// hubPath returns where hub n is.
func hubPath(n int) string { return fmt.Sprint("/hub/", n) }

// site has pages. Some of them change or disappear. Its answers depend only on the time, so
// that all processes give the same ones.
type site struct {
	pages int
	epoch time.Time     // the beginning of its time
	lasts time.Duration // how long visitors come
}

func (s *site) hubs() int { return (s.pages + perHub - 1) / perHub }

func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		write(w, "home", "the hubs of all pages", hubPath, 0, s.hubs())
	})
	mux.HandleFunc("GET /hub/{n}", func(w http.ResponseWriter, r *http.Request) {
		if n, ok := number(w, r, s.pages/perHub+1); ok {
			write(w, fmt.Sprint("hub ", n), fmt.Sprint("the pages of hub ", n), pagePath, n*perHub, min(s.pages, (n+1)*perHub))
		}
	})
	for folder := range s.pages/perFolder + 1 {
		mux.HandleFunc(fmt.Sprintf("GET /%d/page/{n}", folder), s.servePage)
	}
	return mux
}

// number returns the number in a path, or answers that there is no such page.
func number(w http.ResponseWriter, r *http.Request, below int) (n int, ok bool) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if ok = err == nil && n >= 0 && n < below; !ok {
		http.NotFound(w, r)
	}
	return n, ok
}

// servePage writes a page. One in 50 disappears after half of the time. One in five
// changes, every few minutes. Every other page says when it changed.
func (s *site) servePage(w http.ResponseWriter, r *http.Request) {
	n, ok := number(w, r, s.pages)
	if !ok {
		return
	}
	age := time.Since(s.epoch)
	if n%50 == 49 && age > s.lasts/2 {
		http.Error(w, "gone", http.StatusGone)
		return
	}
	version, changed := 0, s.epoch.Add(-1000*time.Hour-time.Duration(n)*time.Second)
	if n%5 == 0 {
		every := 100*time.Second + time.Duration(n%7)*30*time.Second
		if version = int(age / every); version > 0 {
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
	w.Header().Set("Content-Type", kit.HTML)
	_, _ = w.Write(kit.Page{Title: title}.Append(nil, func(b []byte) []byte {
		b = fmt.Appendf(b, "<p>%s</p>\n", text)
		for n := first; n < last; n++ {
			b = kit.AppendLink(b, path(n), strconv.Itoa(n))
		}
		return b
	}))
}

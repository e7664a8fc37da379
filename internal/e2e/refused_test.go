package e2e

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// refusedSite is a site of a thousand and one pages whose handler refuses whom the
// test says.
type refusedSite struct {
	*testing.T
	*servemap.Site
	st      store.Store
	opts    servemap.Options
	handler http.Handler
	log     bytes.Buffer
	rand    *rand.Rand
	refuses func(w http.ResponseWriter, r *http.Request) bool // answers if it does
	proxied bool                                              // every request comes through a proxy that the site knows nothing of
}

// refusedPages is how many pages the site has besides its entry.
const refusedPages = 1000

// The hint that is looked for.
const refusedHint = "is refused pages that others get"

// inRefusedSite runs fn in virtual time with a site all of whose pages are listed.
func inRefusedSite(t *testing.T, fn func(*refusedSite)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &refusedSite{T: t, st: new(memstore.Store), rand: rand.New(rand.NewPCG(1, 2))}
		s.opts.Logger = slog.New(slog.NewTextHandler(&s.log, nil))
		s.refuses = func(http.ResponseWriter, *http.Request) bool { return false }
		s.open()
		defer func() { s.close() }()
		for i := range refusedPages + 1 {
			if s.get("8.8.8.8", refusedPage(i)); i%200 == 0 {
				if err := s.Flush(t.Context()); err != nil { // the queue is bounded
					t.Fatal(err)
				}
			}
		}
		s.wantListed(refusedPages+1, refusedPages+1)
		time.Sleep(10 * time.Minute)
		fn(s)
	})
}

// refusedPage is the location of a page, 0 for the entry.
func refusedPage(i int) string {
	if i == 0 {
		return "/"
	}
	return fmt.Sprintf("/page/%d.html", i)
}

func (s *refusedSite) open() {
	s.Helper()
	site, err := servemap.New("https://example.com", s.st, &s.opts)
	if err != nil {
		s.Fatal(err)
	}
	s.Site = site
	s.handler = site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.refuses(w, r) {
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html><head><title>%s</title></head><body><main><p>This is %[1]s.</p>", r.URL.Path)
		for i := range refusedPages + 1 {
			if r.URL.Path == "/" {
				fmt.Fprintf(w, "<a href=%q>%d</a>", refusedPage(i), i)
			}
		}
		fmt.Fprint(w, "</main></body></html>")
	}))
}

func (s *refusedSite) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		s.Error(err)
	}
}

// get asks for a page as an anonymous visitor from an address.
func (s *refusedSite) get(from, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host, r.RemoteAddr = "example.com", from+":4711"
	if s.proxied {
		r.RemoteAddr = "10.0.0.1:4711"
		r.Header.Set("X-Forwarded-For", from)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// client returns the address from which the site hears of a request.
func (s *refusedSite) client(r *http.Request) string {
	if s.proxied {
		return r.Header.Get("X-Forwarded-For")
	}
	from, _, _ := strings.Cut(r.RemoteAddr, ":")
	return from
}

// pass lets time pass in which each page has two visits a day, from many networks.
// walks are the times, from now on, at which others ask for something.
func (s *refusedSite) pass(d time.Duration, walks ...walk) {
	const between = 12 * time.Hour / (refusedPages + 1)
	begun := time.Now()
	end, visit := begun.Add(d), begun
	for {
		next, at := -1, visit
		for i, w := range walks {
			if len(w.pages) > 0 && begun.Add(w.after).Before(at) {
				next, at = i, begun.Add(w.after)
			}
		}
		if at.After(end) {
			time.Sleep(time.Until(end))
			return
		}
		time.Sleep(time.Until(at))
		if next < 0 {
			from := fmt.Sprintf("%d.%d.%d.7", 11+s.rand.IntN(80), s.rand.IntN(256), s.rand.IntN(256))
			s.get(from, refusedPage(s.rand.IntN(refusedPages+1)))
			visit = visit.Add(time.Duration(s.rand.ExpFloat64() * float64(between)))
			continue
		}
		w := &walks[next]
		s.get(w.from, w.pages[0])
		w.pages, w.after = w.pages[1:], w.after+w.every
	}
}

// walk is a walk of one client over pages.
type walk struct {
	from         string
	pages        []string
	after, every time.Duration
}

// walksAll asks for every page but the entry.
func walksAll(from string, after, every time.Duration) walk {
	w := walk{from: from, after: after, every: every}
	for i := 1; i <= refusedPages; i++ {
		w.pages = append(w.pages, refusedPage(i))
	}
	return w
}

// wantListed checks that at least least pages are listed, and at most most.
func (s *refusedSite) wantListed(least, most int) {
	s.Helper()
	if err := s.Flush(s.Context()); err != nil {
		s.Fatal(err)
	}
	n := 0
	for _, err := range s.Pages(s.Context()) {
		if err != nil {
			s.Fatal(err)
		}
		n++
	}
	if n < least || n > most {
		s.Errorf("%d pages are listed, want %d to %d", n, least, most)
	}
}

// wantHinted checks how often the log tells of clients that are refused pages, and
// that it names neither of them.
func (s *refusedSite) wantHinted(want int) {
	s.Helper()
	log := s.log.String()
	if n := strings.Count(log, refusedHint); n != want {
		s.Errorf("the log tells %d times of a network that is refused, want %d:\n%s", n, want, log)
	}
	if strings.Contains(log, "/page/") || strings.Contains(log, scraper) || strings.Contains(log, "9.9.9") {
		s.Errorf("the log names a page or a client:\n%s", log)
	}
	given := 0
	for _, text := range s.Stats().Hints {
		given += strings.Count(text, refusedHint)
	}
	if given != min(want, 1) {
		s.Errorf("Stats tells %d times of it, want %d", given, min(want, 1))
	}
}

// scraper is the address of a client that is refused.
const scraper = "9.9.9.9"

// refusedAnswer is a way to refuse a request.
type refusedAnswer struct {
	name   string
	lost   int // pages that may leave all the same
	answer http.HandlerFunc
}

// answers are the ways in which sites do.
var answers = []refusedAnswer{
	{"403", 0, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }},
	{"401", 0, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }},
	{"404", 10, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }},
	{"log-in", 0, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login?next="+r.URL.Path, http.StatusFound)
	}},
	{"301 to another host", 0, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://other.example/", http.StatusMovedPermanently)
	}},
}

// forbiddenAndMissing are the two that are judged differently.
var forbiddenAndMissing = []refusedAnswer{answers[0], answers[2]}

// refuse has the site answer some clients so.
func (s *refusedSite) refuse(answer http.HandlerFunc, whom ...string) {
	s.refuses = func(w http.ResponseWriter, r *http.Request) bool {
		for _, from := range whom {
			if s.client(r) == from {
				answer(w, r)
				return true
			}
		}
		return false
	}
}

// A client that is refused every page walks a quiet site.
func TestABlockedScraperEmptiesNoSite(t *testing.T) {
	for i, tt := range answers {
		for name, every := range map[string]time.Duration{"fast": 100 * time.Millisecond, "slowly": 10 * time.Second} {
			if i > 0 && name == "slowly" && tt.lost == 0 {
				continue // it is judged as a 403
			}
			t.Run(tt.name+" "+name, func(t *testing.T) {
				inRefusedSite(t, func(s *refusedSite) {
					s.refuse(tt.answer, scraper)
					s.pass(2*time.Hour, walksAll(scraper, 0, every))
					s.wantListed(refusedPages+1-tt.lost, refusedPages+1)
					s.pass(46 * time.Hour)
					s.wantListed(refusedPages+1-tt.lost, refusedPages+1)
					s.wantHinted(1)
				})
			})
		}
	}
}

// It comes back each day, and the site is started anew in between.
func TestAScraperThatIsRefusedEachDayEmptiesNoSite(t *testing.T) {
	if testing.Short() {
		t.Skip("four days of visits take some seconds")
	}
	for _, tt := range forbiddenAndMissing {
		t.Run(tt.name, func(t *testing.T) {
			inRefusedSite(t, func(s *refusedSite) {
				s.refuse(tt.answer, scraper)
				for range 4 {
					s.pass(23*time.Hour, walksAll(scraper, 0, 100*time.Millisecond))
					s.wantListed(refusedPages+1-tt.lost, refusedPages+1)
					s.close()
					s.open()
					s.pass(70 * time.Minute)
					s.wantListed(refusedPages+1-tt.lost, refusedPages+1)
				}
			})
		})
	}
}

// Behind a proxy of which the site knows nothing all clients are one.
func TestABlockedScraperBehindAProxyEmptiesNoSite(t *testing.T) {
	for _, tt := range forbiddenAndMissing {
		t.Run(tt.name, func(t *testing.T) {
			inRefusedSite(t, func(s *refusedSite) {
				s.proxied = true
				s.refuse(tt.answer, scraper)
				s.pass(2*time.Hour, walksAll(scraper, 0, 100*time.Millisecond))
				s.wantListed(refusedPages+1-tt.lost, refusedPages+1)
				s.pass(46 * time.Hour)
				s.wantListed(refusedPages+1-tt.lost, refusedPages+1)
				s.wantHinted(1)
			})
		})
	}
}

// What the site answers to everybody takes its pages out.
func TestPagesLeaveThatEverybodyIsRefused(t *testing.T) {
	const other, third = "9.8.7.6", "2.2.2.2"
	forbidden, missing := answers[0].answer, answers[2].answer
	page := refusedPage(7)
	asks := func(from string, after time.Duration) walk {
		return walk{from: from, pages: []string{page}, after: after}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		asked  []walk
		stays  time.Duration // the page is listed for so long
		leaves time.Duration // and not after that
	}{
		{"a 404 to one client", missing, []walk{asks(other, 0)}, 58 * time.Second, 62 * time.Second},
		{"a 403 to one client", forbidden, []walk{asks(other, 0)}, 47 * time.Hour, 0},
		{"a 403 to two networks", forbidden, []walk{asks(other, 0), asks(third, 10*time.Second)}, 58 * time.Second, 62 * time.Second},
		{"a 403 to two networks, an hour apart", forbidden, []walk{asks(other, 0), asks(third, time.Hour)}, 59 * time.Minute, 61 * time.Minute},
		{"a 403 to one client, a day apart", forbidden, []walk{asks(other, 0), asks(other, 24*time.Hour)}, 23 * time.Hour, 24*time.Hour + time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inRefusedSite(t, func(s *refusedSite) {
				s.refuses = func(w http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == page && (s.client(r) == other || s.client(r) == third) {
						tt.answer(w, r)
						return true
					}
					if r.URL.Path == page { // nobody else comes
						w.WriteHeader(http.StatusServiceUnavailable)
						return true
					}
					return false
				}
				s.pass(tt.stays, tt.asked...)
				s.wantListed(refusedPages+1, refusedPages+1)
				for i := range tt.asked {
					tt.asked[i].after -= tt.stays
					if tt.asked[i].after < 0 {
						tt.asked[i].pages = nil
					}
				}
				if tt.leaves > 0 {
					s.pass(tt.leaves-tt.stays, tt.asked...)
					s.wantListed(refusedPages, refusedPages)
				}
				s.wantHinted(0)
			})
		})
	}
}

// A client that is refused a page over and over does not hide that others are too.
func TestAClientThatIsRefusedOverAndOverHidesNoOther(t *testing.T) {
	for _, i := range []int{0, 1, 3, 4} { // a 404 has its minute anyway
		t.Run(answers[i].name, func(t *testing.T) {
			inRefusedSite(t, func(s *refusedSite) {
				page := refusedPage(7)
				s.refuses = func(w http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == page {
						answers[i].answer(w, r)
					}
					return r.URL.Path == page
				}
				for range 1000 {
					s.get(scraper, page)
					time.Sleep(100 * time.Millisecond)
				}
				s.wantListed(refusedPages+1, refusedPages+1)
				s.get("2.2.2.2", page)
				s.wantListed(refusedPages, refusedPages)
			})
		})
	}
}

// The owner deletes some pages, and one crawler finds them missing.
func TestTenPagesLeaveThatOneCrawlerFindsMissing(t *testing.T) {
	inRefusedSite(t, func(s *refusedSite) {
		var gone []string
		for i := 1; i <= 10; i++ {
			gone = append(gone, refusedPage(i))
		}
		s.refuses = func(w http.ResponseWriter, r *http.Request) bool {
			for _, page := range gone {
				if r.URL.Path == page {
					http.NotFound(w, r)
					return true
				}
			}
			return false
		}
		for _, page := range gone {
			s.get(scraper, page)
		}
		time.Sleep(62 * time.Second)
		s.wantListed(refusedPages+1-10, refusedPages+1-10)
	})
}

// An owner behind a proxy asks why a page is still there that is denied by now.
func TestADeniedPageBehindAProxyIsExplained(t *testing.T) {
	for _, proxied := range []bool{false, true} {
		t.Run(fmt.Sprint("proxied ", proxied), func(t *testing.T) {
			inRefusedSite(t, func(s *refusedSite) {
				s.proxied = proxied
				s.refuse(answers[0].answer, scraper)
				s.get(scraper, refusedPage(7))
				s.wantListed(refusedPages+1, refusedPages+1)
				e, err := s.Explain(s.Context(), refusedPage(7))
				if err != nil || !strings.Contains(e.Text, "another network") || strings.Contains(e.Text, "Options.ClientIP") != proxied {
					s.Errorf("it is explained as %q, %v", e.Text, err)
				}
			})
		})
	}
}

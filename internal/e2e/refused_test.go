package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// quietPages is how many pages a quietSite has besides its entry.
const quietPages = 1000

// quietPage returns the location of a page; 0 is the entry.
func quietPage(i int) string {
	if i == 0 {
		return "/"
	}
	return fmt.Sprintf("/page/%d.html", i)
}

// quietSite is a site with two visits a day to each page, from many networks. Its handler refuses
// the requests that the test chooses.
type quietSite struct {
	*testkit.Site
	rand    *rand.Rand
	refuses func(w http.ResponseWriter, r *http.Request) bool // reports whether it refuses, and then answers
	proxied bool                                              // every request comes through a proxy that the site does not know
}

// inQuietSite runs fn with a site whose pages are all listed.
func inQuietSite(t *testing.T, fn func(*quietSite)) {
	t.Helper()
	q := &quietSite{rand: rand.New(rand.NewPCG(1, 2))}
	q.refuses = func(http.ResponseWriter, *http.Request) bool { return false }
	var all []string
	for i := range quietPages + 1 {
		all = append(all, quietPage(i))
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case q.refuses(w, r):
		case r.URL.Path == "/":
			testkit.PageOfItsURL(all...)(w, r)
		default:
			testkit.PageOfItsURL()(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		q.Site = s
		for i, page := range all {
			if q.get(ann, page); i%200 == 0 {
				s.Settle() // the queue is bounded
			}
		}
		q.wantListed(quietPages+1, quietPages+1)
		time.Sleep(10 * time.Minute)
		fn(q)
	})
}

// get asks for a page as an anonymous visitor from an address.
func (q *quietSite) get(from, target string) {
	if q.proxied {
		q.From("10.0.0.1", target, "X-Forwarded-For", from)
		return
	}
	q.From(from, target)
}

// client returns the visitor's address, which the program knows.
func (q *quietSite) client(r *http.Request) string {
	if q.proxied {
		return r.Header.Get("X-Forwarded-For")
	}
	from, _, _ := strings.Cut(r.RemoteAddr, ":")
	return from
}

// refuse makes the site give one client this answer, whatever it asks for.
func (q *quietSite) refuse(whom string, answer http.HandlerFunc) {
	q.refuses = func(w http.ResponseWriter, r *http.Request) bool {
		if q.client(r) != whom {
			return false
		}
		answer(w, r)
		return true
	}
}

// visits lets time pass with visits from many networks, two a day to each page.
func (q *quietSite) visits(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(12 * time.Hour / (quietPages + 1)) {
		from := fmt.Sprintf("%d.%d.%d.7", 11+q.rand.IntN(80), q.rand.IntN(256), q.rand.IntN(256))
		q.get(from, quietPage(q.rand.IntN(quietPages+1)))
	}
}

// scrape makes the scraper get every page but the entry.
func (q *quietSite) scrape(every time.Duration) {
	for i := 1; i <= quietPages; i++ {
		q.get(scraper, quietPage(i))
		time.Sleep(every)
	}
}

// wantListed checks how many pages are listed.
func (q *quietSite) wantListed(least, most int) {
	q.Helper()
	q.Settle()
	if n := len(q.LastMods()); n < least || n > most {
		q.Errorf("%d pages are listed, want %d to %d", n, least, most)
	}
}

// wantHinted checks how often the log says that a client is refused pages, and that the log names
// neither a client nor a page.
func (q *quietSite) wantHinted(want int) {
	q.Helper()
	const hint = "is refused pages that others get"
	log := q.Logged.String()
	if n := strings.Count(log, hint); n != want {
		q.Errorf("the log says %d times that a network is refused, want %d:\n%s", n, want, log)
	}
	if strings.Contains(log, "/page/") || strings.Contains(log, scraper) || strings.Contains(log, "9.9.9") {
		q.Errorf("the log names a page or a client:\n%s", log)
	}
	if n := strings.Count(strings.Join(q.Stats().Hints, "\n"), hint); n != min(want, 1) {
		q.Errorf("Stats says it %d times, want %d", n, min(want, 1))
	}
}

// scraper is the address of a client that the site refuses.
const scraper = "9.9.9.9"

// refusal is a way to refuse a request.
type refusal struct {
	name   string
	lost   int // how many pages may still leave
	answer http.HandlerFunc
}

var (
	forbidden = refusal{"403", 0, status(http.StatusForbidden)}
	missing   = refusal{"404", 10, status(http.StatusNotFound)}
	notFrom   = refusal{"401", 0, status(http.StatusUnauthorized)}
	toLogIn   = refusal{"log-in", 0, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login?next="+r.URL.Path, http.StatusFound)
	}}
	elsewhere = refusal{"301 to another host", 0, status(http.StatusMovedPermanently, "Location", "https://other.example/")}
)

// A client that is refused every page walks through a quiet site.
func TestRefusedScraperEmptiesNoSite(t *testing.T) {
	const fast, slow = 100 * time.Millisecond, 10 * time.Second
	for _, tt := range []struct {
		refusal
		every   time.Duration
		proxied bool // all clients look like one
	}{
		{forbidden, fast, false}, {forbidden, slow, false}, {forbidden, fast, true},
		{missing, fast, false}, {missing, slow, false}, {missing, fast, true},
		{notFrom, fast, false}, {toLogIn, fast, false}, {elsewhere, fast, false},
	} {
		t.Run(fmt.Sprintf("%s each %v, proxied %v", tt.name, tt.every, tt.proxied), func(t *testing.T) {
			inQuietSite(t, func(q *quietSite) {
				q.proxied = tt.proxied
				q.refuse(scraper, tt.answer)
				q.scrape(tt.every)
				q.visits(2 * time.Hour)
				q.wantListed(quietPages+1-tt.lost, quietPages+1)
				q.visits(46 * time.Hour)
				q.wantListed(quietPages+1-tt.lost, quietPages+1)
				q.wantHinted(1)
			})
		})
	}
}

func TestClientThatIsRefusedOverAndOverHidesNoOther(t *testing.T) {
	for _, tt := range []refusal{forbidden, notFrom, toLogIn, elsewhere} { // a 404 has its minute in any case
		t.Run(tt.name, func(t *testing.T) {
			inQuietSite(t, func(q *quietSite) {
				page := quietPage(7)
				q.refuses = func(w http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == page {
						tt.answer(w, r)
					}
					return r.URL.Path == page
				}
				for range 1000 {
					q.get(scraper, page)
					time.Sleep(100 * time.Millisecond)
				}
				q.wantListed(quietPages+1, quietPages+1)
				q.get("2.2.2.2", page)
				q.wantListed(quietPages, quietPages)
			})
		})
	}
}

// The owner asks why a page that refuses one client is still listed.
func TestExplainSaysThatOneClientIsRefusedAPage(t *testing.T) {
	for _, proxied := range []bool{false, true} {
		t.Run(fmt.Sprint("proxied ", proxied), func(t *testing.T) {
			inQuietSite(t, func(q *quietSite) {
				q.proxied = proxied
				q.refuse(scraper, forbidden.answer)
				q.get(scraper, quietPage(7))
				q.wantListed(quietPages+1, quietPages+1)
				text := q.Explained(quietPage(7)).Text
				if !strings.Contains(text, "another network") || strings.Contains(text, "Options.ClientIP") != proxied {
					q.Errorf("it is explained as %q", text)
				}
			})
		})
	}
}

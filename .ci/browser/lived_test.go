package browser

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// origin is the origin of the newspaper.
const origin = "https://www.thequay.example"

// lived returns the store and the pages of a small newspaper after nine days of visits, which
// end now. The days pass in virtual time.
func lived(t *testing.T) (store.Store, *paper) {
	now := time.Now()
	made, pages := new(memstore.Store), &paper{gone: map[string]bool{}}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now.Add(-9*24*time.Hour - time.Hour)))
		site, err := servemap.New(origin, made, settings())
		if err != nil {
			t.Fatal(err)
		}
		handler := site.Wrap(pages)
		r := rand.New(rand.NewPCG(1, 2))
		for hour := range 9*24 + 1 {
			pages.hour(hour)
			for n := range 3 {
				pages.visit(handler, fmt.Sprintf("203.0.%d.7", (hour+n)%250+1), r)
			}
			time.Sleep(time.Hour)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := site.Close(ctx); err != nil {
			t.Fatal(err)
		}
	})
	return made, pages
}

// paper is the newspaper: a handler whose pages change from hour to hour.
type paper struct {
	mu       sync.Mutex
	articles []string
	news     []string
	gone     map[string]bool
}

var subjects = strings.Fields("harbour lighthouse bakery ferry council library market festival storm museum school bridge orchestra garden railway")

// hour publishes and deletes what is due in hour n.
func (p *paper) hour(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n == 0 && len(p.articles) < 24 {
		p.articles = append(p.articles, p.slug())
	}
	if n%9 == 5 {
		p.articles = append(p.articles, p.slug())
	}
	if n%4 == 1 {
		p.news = append([]string{fmt.Sprintf("Bulletin %d: the tide stands at %d cm, and the ferry leaves at %d o'clock.", n, 180+n*7%90, n%24)}, p.news...)
		p.news = p.news[:min(len(p.news), 12)]
	}
	if n == 100 || n == 150 || n == 210 {
		p.gone[p.articles[n/50]] = true
	}
}

// long is the address of an article whose name does not fit into a line.
var long = "how-the-harbour-master-came-by-his-" + strings.Repeat("very-", 20) + "long-telescope-" + strings.Repeat("%E6%B8%AF", 12)

func (p *paper) slug() string {
	n := len(p.articles)
	if n == 26 {
		return long
	}
	return fmt.Sprintf("%s-%d", subjects[n*7%len(subjects)], n+1)
}

// visit reads the paper as an anonymous visitor does.
func (p *paper) visit(h http.Handler, addr string, r *rand.Rand) {
	paths := []string{"/", "/news", "/articles/", "/about", "/de/about", "/topics/caf%C3%A9s", "/search", "/internal/desk", "/articles/?sort=date", "/account", "/old"}
	p.mu.Lock()
	for range 8 {
		paths = append(paths, "/articles/"+p.articles[r.IntN(len(p.articles))])
	}
	for range 4 {
		paths = append(paths, fmt.Sprintf("/print/%s", p.articles[r.IntN(20)]), fmt.Sprintf("/reset/%016x", r.Uint64()))
	}
	p.mu.Unlock()
	for n, path := range paths {
		if n > 3 && r.IntN(3) == 0 {
			continue
		}
		line := []string{}
		if path == "/account" {
			line = []string{"Cookie", "session=someone"}
		}
		ask(h, addr, path, line...)
	}
}

func (p *paper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	articles, news := p.articles, p.news
	gone := p.gone[strings.TrimPrefix(r.URL.Path, "/articles/")]
	p.mu.Unlock()
	var links []string
	for _, a := range articles {
		links = append(links, "/articles/"+a)
	}
	reply := func(text string, links ...string) { testkit.Page(text, links...)(w, r) }
	switch path := r.URL.Path; {
	case gone:
		http.Error(w, "gone", http.StatusGone)
	case path == "/":
		reply("The Quay", append([]string{"/news", "/articles/", "/about", "/de/about", "/topics/caf%C3%A9s", "/search", "/internal/desk", "/missing", "/old", "/account/orders"}, links[max(0, len(links)-6):]...)...)
	case path == "/news":
		reply("News. "+strings.Join(news, " "), "/")
	case path == "/articles/":
		reply("All articles", links...)
	case path == "/about":
		testkit.Reply(200, testkit.HTML(`<link rel="alternate" hreflang="en" href="`+origin+`/about"><link rel="alternate" hreflang="de" href="`+origin+`/de/about">`, "About the paper", "/de/about"))(w, r)
	case path == "/de/about":
		testkit.Reply(200, testkit.HTML(`<link rel="alternate" hreflang="en" href="`+origin+`/about"><link rel="alternate" hreflang="de" href="`+origin+`/de/about">`, "Über die Zeitung", "/about"))(w, r)
	case path == "/topics/cafés":
		reply("Cafés along the quay", "/")
	case path == "/search":
		testkit.Reply(200, testkit.HTML(`<meta name="robots" content="noindex">`, "Search"))(w, r)
	case path == "/old":
		testkit.Reply(200, testkit.HTML(`<link rel="canonical" href="`+origin+`/about">`, "About us, as we were"))(w, r)
	case path == "/internal/desk", path == "/account/orders":
		reply("The desk of " + path)
	case strings.HasPrefix(path, "/print/"):
		testkit.Reply(200, testkit.HTML("", "Print "+path), "Cache-Control", "private")(w, r)
	case strings.HasPrefix(path, "/reset/"):
		reply("Choose a new password at " + path)
	case strings.HasPrefix(path, "/articles/") && len(path) > len("/articles/"):
		reply("The story of "+strings.TrimPrefix(path, "/articles/"), "/articles/", "/")
	default:
		http.NotFound(w, r)
	}
}

// today is what happens to the paper since its program started again.
func (p *paper) today(h http.Handler) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 12 {
		p.visit(h, fmt.Sprintf("198.51.100.%d", n), r)
	}
	for _, path := range []string{"/sitemap.xml", "/", "/news", "/articles/"} {
		ask(h, "198.51.100.200", path, "User-Agent", "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)") // which no DNS knows
	}
	ask(h, "198.51.100.1", "/picture.png")
	ask(h, "198.51.100.1", "/articles/?view=grid")
}

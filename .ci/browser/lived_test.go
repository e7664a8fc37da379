package browser

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// origin is the origin of the newspaper.
const origin = "https://www.thequay.example"

// lived returns the store and the pages of a small newspaper after nine days of visits, which
// end now. The days pass in virtual time.
func lived(t *testing.T) (store.Store, *paper) {
	now, made, pages := time.Now(), new(memstore.Store), new(paper)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now.Add(-9*24*time.Hour - time.Hour)))
		site, err := servemap.New(origin, made, settings())
		base.Check(t, err)
		handler, r := site.Wrap(pages), rand.New(rand.NewPCG(1, 2))
		for pages.hour = range 9*24 + 1 {
			for n := range 3 {
				pages.visit(handler, fmt.Sprintf("203.0.%d.7", (pages.hour+n)%250+1), r)
			}
			time.Sleep(time.Hour)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		base.Check(t, site.Close(ctx))
	})
	return made, pages
}

// paper is the newspaper: a handler whose pages change from hour to hour. One visitor after the other reads it.
type paper struct{ hour int }

var subjects = strings.Fields("harbour lighthouse bakery ferry council library market festival storm museum school bridge orchestra garden railway")

// long is the address of an article whose name does not fit into a line.
var long = "how-the-harbour-master-came-by-his-" + strings.Repeat("very-", 20) + "long-telescope-" + strings.Repeat("%E6%B8%AF", 12)

// articles returns the names of the articles. Each nine hours there is one more.
func (p *paper) articles() (all []string) {
	for n := range 24 + (p.hour+4)/9 {
		all = append(all, fmt.Sprintf("%s-%d", subjects[n*7%len(subjects)], n+1))
	}
	if len(all) > 26 {
		all[26] = long
	}
	return all
}

// news returns the last bulletins, of which there is one each four hours.
func (p *paper) news() (text string) {
	for n := p.hour; n > max(0, p.hour-48); n-- {
		if n%4 == 1 {
			text += fmt.Sprintf("Bulletin %d: the tide stands at %d cm, and the ferry leaves at %d o'clock. ", n, 180+n*7%90, n%24)
		}
	}
	return text
}

// visit reads the paper as an anonymous visitor does.
func (p *paper) visit(h http.Handler, addr string, r *rand.Rand) {
	paths, articles := strings.Fields("/ /news /articles/ /about /de/about /topics/caf%C3%A9s /search /internal/desk /articles/?sort=date /account /old"), p.articles()
	for range 8 {
		paths = append(paths, "/articles/"+articles[r.IntN(len(articles))])
	}
	for range 4 {
		paths = append(paths, "/print/"+articles[r.IntN(20)], fmt.Sprintf("/reset/%016x", r.Uint64()))
	}
	for n, path := range paths {
		switch {
		case n > 3 && r.IntN(3) == 0: // not this time
		case path == "/account":
			ask(h, addr, path, "Cookie", "session=someone")
		default:
			ask(h, addr, path)
		}
	}
}

func (p *paper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var links []string
	for _, a := range p.articles() {
		links = append(links, "/articles/"+a)
	}
	const languages = `<link rel="alternate" hreflang="en" href="` + origin + `/about"><link rel="alternate" hreflang="de" href="` + origin + `/de/about">`
	page := func(head, text string, links ...string) { testkit.Reply(200, testkit.HTML(head, text, links...))(w, r) }
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch gone := slices.Index(links, r.URL.Path); {
	case gone == 2 && p.hour >= 100, gone == 3 && p.hour >= 150, gone == 4 && p.hour >= 210:
		http.Error(w, "gone", http.StatusGone)
	case r.URL.Path == "/":
		page("", "The Quay", append(links[len(links)-6:], strings.Fields("/news /articles/ /about /de/about /topics/caf%C3%A9s /search /internal/desk /missing /old /account/orders")...)...)
	case first == "news":
		page("", "News. "+p.news(), "/")
	case first == "articles" && rest == "":
		page("", "All articles", links...)
	case first == "about":
		page(languages, "About the paper", "/de/about")
	case first == "de":
		page(languages, "Über die Zeitung", "/about")
	case first == "search":
		page(`<meta name="robots" content="noindex">`, "Search")
	case first == "old":
		page(`<link rel="canonical" href="`+origin+`/about">`, "About us, as we were")
	case first == "print":
		testkit.Reply(200, testkit.HTML("", "Print "+rest), "Cache-Control", "private")(w, r)
	case slices.Contains([]string{"articles", "topics", "internal", "account", "reset"}, first) && rest != "":
		page("", "The story of "+first+" "+rest, "/articles/", "/")
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

package browser

import (
	"context"
	"fmt"
	"log/slog"
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
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// origin is the origin of the newspaper.
const origin = "https://www.thequay.example"

// lived returns the store and the pages of a newspaper of 460 pages and more after some days of visits, which
// end now. The days pass in virtual time. On the 60th day the site is down for six hours.
func lived(t *testing.T, days int) (store.Store, *paper) {
	hours := days * 24
	now, made, pages := time.Now(), new(memstore.Store), new(paper)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now.Add(-time.Duration(hours+1) * time.Hour)))
		site, err := servemap.New(origin, made, settings(t))
		base.Check(t, err)
		told, err := notify.New(site, made, &notify.Options{Endpoint: "http://127.0.0.1/indexnow", Transport: engine{},
			Logger: slog.New(slog.DiscardHandler)})
		base.Check(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		go told.Run(ctx)
		handler, r := site.Wrap(pages), rand.New(rand.NewPCG(1, 2))
		for ; pages.hour < hours; pages.hour += 2 {
			pages.visit(handler, fmt.Sprintf("203.0.%d.7", pages.hour%250+1), r)
			pages.crawl(handler, r)
			time.Sleep(2 * time.Hour)
		}
		cancel()
		synctest.Wait()
		closing, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		base.Check(t, site.Close(closing))
	})
	return made, pages
}

// paper is the newspaper: a handler whose pages change from hour to hour. One visitor after the other reads it.
type paper struct{ hour int }

var subjects = strings.Fields("harbour lighthouse bakery ferry council library market festival storm museum school " +
	"bridge orchestra garden railway")

// long is the address of an article whose name does not fit into a line.
var long = "how-the-harbour-master-came-by-his-" + strings.Repeat("very-", 20) + "long-telescope-" +
	strings.Repeat("%E6%B8%AF", 12)

// engine accepts what it is told.
type engine struct{}

func (engine) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// crawl fetches the sitemap every six hours, and four articles each hour.
func (p *paper) crawl(h http.Handler, r *rand.Rand) {
	if p.hour%6 == 0 {
		ask(h, "192.0.2.66", "/robots.txt")
		ask(h, "192.0.2.66", "/sitemap.xml", "User-Agent",
			"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
		ask(h, "192.0.2.90", "/", "User-Agent", "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)")
	}
	all := p.articles()
	for range 4 {
		ask(h, "192.0.2.66", "/articles/"+all[r.IntN(len(all))], "User-Agent",
			"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
	}
}

// articles returns the names of the articles. Each nine hours there is one more.
func (p *paper) articles() (all []string) {
	for n := range 460 + (p.hour+4)/9 {
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
			text += fmt.Sprintf("Bulletin %d: the tide stands at %d cm, and the ferry leaves at %d o'clock. ", n, 180+n*7%90,
				n%24)
		}
	}
	return text
}

// visit reads the paper as an anonymous visitor does.
func (p *paper) visit(h http.Handler, addr string, r *rand.Rand) {
	paths, articles := strings.Fields("/ /news /articles/ /about /de/about /topics/caf%C3%A9s /search /internal/desk "+
		"/articles/?sort=date /account /old /missing /archive /archives"), p.articles()
	for range 8 {
		paths = append(paths, "/articles/"+articles[r.IntN(len(articles))])
	}
	paths = append(paths, "/print/"+articles[r.IntN(20)], fmt.Sprintf("/reset/%016x", r.Uint64()))
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
	if down := p.hour - 60*24; down >= 0 && down < 6 {
		http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
		return
	}
	const languages = `<link rel="alternate" hreflang="en" href="` + origin +
		`/about"><link rel="alternate" hreflang="de" href="` + origin + `/de/about">`
	page := func(head, text string, links ...string) { testkit.Reply(200, testkit.HTML(head, text, links...))(w, r) }
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch gone := slices.Index(links, r.URL.Path); {
	case gone > 1 && gone < 40 && p.hour >= 50*gone:
		http.Error(w, "gone", http.StatusGone)
	case r.URL.Path == "/":
		page("", "The Quay", append(links[len(links)-6:],
			strings.Fields("/news /articles/ /about /de/about /topics/caf%C3%A9s /search /internal/desk /missing /old "+
				"/archive /account/orders")...)...)
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
	case first == "robots.txt":
		testkit.Reply(200, "User-agent: *\nDisallow: /internal/\n", "Content-Type", "text/plain")(w, r)
	case first == "archive":
		http.Redirect(w, r, "/archives", http.StatusMovedPermanently)
	case first == "archives":
		http.Redirect(w, r, "/articles/", http.StatusMovedPermanently)
	case first == "old":
		page(`<link rel="canonical" href="`+origin+`/about">`, "About us, as we were")
	case first == "print":
		testkit.Reply(200, testkit.HTML("", "Print "+rest), "Cache-Control", "private")(w, r)
	case slices.Contains([]string{"articles", "topics", "internal", "account", "reset"}, first) && rest != "":
		text := "The story of " + first + " " + rest
		for n := range max(0, p.hour-len(rest)*150) / (20 * 24) {
			text += fmt.Sprintf("</p><p>Update %d: the council has met again and has decided otherwise, by %d votes.", n+1, 11+n)
		}
		page("", text, "/articles/", "/")
	default:
		http.NotFound(w, r)
	}
}

// today is what happens to the paper since its program started again.
func (p *paper) today(h http.Handler) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 40 {
		p.visit(h, fmt.Sprintf("198.51.100.%d", n), r)
	}
	for range 25 {
		p.crawl(h, r)
	}
	ask(h, "198.51.100.1", "/picture.png")
	ask(h, "198.51.100.1", "/articles/?view=grid")
}

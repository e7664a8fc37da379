package e2e

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// A shop answers 200 where it has no page: what it shows there differs from site to site. Its home page links to six
// pages, and to as many that it has no more.
func TestWhatASiteShowsWhereItHasNoPage(t *testing.T) {
	const menu = `<nav><a href="/">Home</a> <a href="/shop/chair">Chairs</a></nav>`
	page := func(title, main string) string {
		return "<!DOCTYPE html><html><head><title>" + title + "</title></head><body>" + menu + "<main>" + main +
			"</main><footer>The shop on the hill</footer></body></html>"
	}
	boots := make([]string, 6)
	for i := range boots {
		boots[i] = "<p>" + paragraph(i) + "</p>"
	}
	for _, tt := range []struct {
		name string
		form string // of addresses
		real func(n int) string
		none func(r *http.Request) string
	}{
		{"names the address", "/shop/%s", nil, func(r *http.Request) string {
			return page("Nothing at "+html.EscapeString(r.URL.Path), "<h1>Nothing at "+html.EscapeString(r.URL.Path)+
				"</h1><p>We looked for it everywhere in our shop, and it was not there.</p>")
		}},
		{"names the product", "/shop/%s", nil, func(r *http.Request) string {
			name := r.URL.Path[len("/shop/"):]
			return page("Search: "+name, "<h1>No "+name+" any more</h1><p>There is no "+name+
				" in our shop. Perhaps you like another thing that we have.</p>")
		}},
		{"has a clock", "/shop/%s", nil, func(*http.Request) string {
			return page("Sorry", "<p>It is "+time.Now().Format(time.RFC1123)+
				".</p><p>The page that you have asked for is not there, or is there no more.</p>")
		}},
		{"offers other things each time", "/shop/%s", nil, func(*http.Request) string {
			return page("Not found", "<h1>Not found</h1><p>The page that you asked for was not found. It may have been sold, "+
				"or moved to another place in our shop, or it never was.</p><p>Try the "+nouns[rand.IntN(20)]+"</p>")
		}},
		{"is an empty shell", "/shop/%s", func(
			n int) string {
			return page(nouns[n]+" for sale", "<p>The "+nouns[n]+" "+paragraph(n))
		}, func(*http.Request) string {
			return fmt.Sprintf(`<html><head><title>Shop</title><script nonce=%d src=/app.js></script></head><body><div id=app></div></body></html>`, rand.Int())
		}},
		{"names itself as canonical", "/shop/%s", func(n int) string {
			return strings.Replace(page("A "+nouns[n], "<p>"+paragraph(n)), "</title>",
				"</title><link rel=canonical href='/shop/"+nouns[n]+"'>", 1)
		}, func(r *http.Request) string {
			return strings.Replace(page("Gone",
				"<p>This is not here, nor has it ever been here as far as we know, and we know all."), "</title>", "</title><link rel=canonical href='"+r.URL.Path+"'>", 1)
		}},
		{"says it in numbers below the root", "/%s.html", nil, func(*http.Request) string {
			return page("Error 404", fmt.Sprintf("<p>Error 404, request %d, the page was not found on this server.", rand.Int()))
		}},
		{"has an id in a query that the owner names", "/view?id=%s", nil, func(r *http.Request) string {
			return page("No such thing", "<p>There is no "+html.EscapeString(r.URL.RawQuery)+
				" in this shop, as far as we can tell.")
		}},

		{"is a page with much text in common, and one title", "/shop/%s", func(n int) string {
			return page("Shop", "<h1>"+nouns[n]+"</h1><p>Cheap.</p>"+strings.Join(boots, ""))
		}, func(*http.Request) string { return page("Shop", "<h1>No such thing</h1>"+strings.Join(boots, "")) }},
		{"shows the list of all", "/shop/%s", nil, func(*http.Request) string {
			return page("All that we have", "<h1>All that we have</h1><p>Chairs, tables and lamps of wood, for each room of "+
				"the house.</p>")
		}},
		{"shows pictures", "/shop/%s", func(n int) string {
			return page("Picture", fmt.Sprintf("<p>A picture from our shop.<img src=/img/%d.jpg>", n))
		}, func(*http.Request) string { return page("Picture", "<p>A picture from our shop.") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			links, site, want := []string{}, testkit.Paths{}, []string{"/"}
			for n := range 6 {
				at, real := fmt.Sprintf(tt.form, nouns[n]), page(nouns[n]+" | Shop",
					"<h1>"+nouns[n]+"</h1><p>The "+nouns[n]+" "+paragraph(n)+"</p>")
				if tt.real != nil {
					real = tt.real(n)
				}
				links, site[at], want = append(links, at, fmt.Sprintf(tt.form, adjectives[n])), testkit.Reply(http.StatusOK, real),
					append(want, at)
			}
			site["/"] = testkit.Page("home", links...)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch reply := site[r.URL.RequestURI()]; {
				case reply != nil:
					reply(w, r)
				default:
					testkit.Reply(http.StatusOK, tt.none(r))(w, r)
				}
			})
			testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Query: []string{"id"}}}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				s.WantListed(want...)
				time.Sleep(time.Hour)
				s.Visit(append(links, "/")...)
				s.WantListed(want...)
			})
		})
	}
}

// The last page of a list, which a site shows for any number after it, is a page, and so is one whose address has a
// part that the site does not read.
func TestPageThatASiteShowsForOtherAddressesTooIsAPage(t *testing.T) {
	post := func(n int) string { return fmt.Sprintf("/posts/%s-%s", adjectives[n], nouns[n]) }
	site := func(uri string) http.HandlerFunc {
		n := 0
		switch {
		case uri == "/":
			return testkit.Page("home", "/news/1", "/thread-17/"+nouns[0], "/thread-18/"+nouns[1])
		case scan(uri, "/news/%d", &n):
			return nil
		case strings.HasPrefix(uri, "/posts/"):
			for n := range 9 {
				if uri == post(n) {
					return testkit.Page(uri + paragraph(n))
				}
			}
		}
		return nil
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, rest := 0, ""
		if reply := site(r.URL.Path); reply != nil {
			reply(w, r)
		} else if _, err := fmt.Sscanf(r.URL.Path, "/news/%d", &n); err == nil {
			n = min(n, 3)
			testkit.Page("News, part "+adjectives[n], post(3*n-3), post(3*n-2), post(3*n-1),
				fmt.Sprintf("/news/%d", min(n+1, 3)))(w, r)
		} else if _, err := fmt.Sscanf(r.URL.Path, "/thread-%d/%s", &n, &rest); err == nil && n < 20 {
			testkit.Page("What they say of "+paragraph(n))(w, r)
		} else {
			http.NotFound(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		got := s.LastMods()
		for _, want := range []string{"/news/1", "/news/2", "/thread-17/" + nouns[0], "/thread-18/" + nouns[1], post(0),
			post(5), post(8)} {
			if !contains(got, want) {
				s.Errorf("%s is not listed: %s", want, s.Explained(want).Text)
			}
		}
	})
}

// An old site has no elements that tell its menu from its text, and says in its title only what kind of page it is. An
// archive of one article is little more than that menu, and so is a year without any, which no page is made for.
func TestArchiveOfOneArticleIsAPage(t *testing.T) {
	menu := "<!DOCTYPE html><title>Archive</title>"
	for n := range 12 {
		menu += fmt.Sprintf("<div><a href='/archive.php?year=%d'>The %s year of our village</a></div>", 2001+n, adjectives[n])
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := map[string]string{
			"": "<h1>Welcome</h1><p>" + paragraph(1), "2003": "<h1>Archive</h1><p>Snow on the hill",
			"2004": "<h1>Archive</h1><p>" + paragraph(2) + "<p>" + paragraph(3), "2009": "<h1>Archive</h1><p>A bridge is built",
		}[r.URL.Query().Get("year")]
		if said == "" {
			said = "<h1>Archive</h1><p>There was nothing to tell."
		}
		testkit.Reply(http.StatusOK, menu+said)(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h, Options: servemap.Options{Query: []string{"year"}}}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/archive.php?year=2003", "/archive.php?year=2004", "/archive.php?year=2009")
	})
}

// A site shows its home page wherever it has no page, and there says one more line, another one each time.
func TestHomePageInPlaceOfEachDeadLinkIsNoPage(t *testing.T) {
	site, links, want := testkit.Paths{}, "", []string{"/"}
	for n := range 6 {
		at := "/shop/" + nouns[n]
		links += fmt.Sprintf("<li><a href=%s>%s</a><li><a href=/shop/%s>%[3]s</a>", at, nouns[n], adjectives[n])
		site[at], want = testkit.Page("The "+nouns[n]+" "+paragraph(n)), append(want, at)
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := ""
		if r.URL.Path != "/" {
			said = "<p>Did you know the " + adjectives[rand.IntN(20)] + " " + nouns[rand.IntN(20)] + "?"
		}
		if reply := site[r.URL.Path]; reply != nil {
			reply(w, r)
		} else {
			testkit.Reply(http.StatusOK, "<!DOCTYPE html><title>Shop</title><h1>Welcome</h1><p>"+paragraph(9)+links+said)(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed(want...)
	})
}

// A page that is sold shows what the shop shows where it has none. It leaves once that has lasted for a day.
func TestPageThatBecomesNothingLeavesAfterADay(t *testing.T) {
	sold := false
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			testkit.Page("home", "/a/chair", "/a/table")(w, r)
		case r.URL.Path == "/a/table", r.URL.Path == "/a/chair" && !sold:
			testkit.Page("A "+r.URL.Path+" of wood")(w, r)
		default:
			testkit.Page("Nothing is here")(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/a/chair", "/a/table")
		time.Sleep(48 * time.Hour)
		sold = true
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/a/chair", "/a/table")
		time.Sleep(25 * time.Hour)
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/a/table")
		s.WantVerdict("/a/chair", "held", "soft-not-found")
	})
}

// Visitors follow a dead link before the site has asked what it shows where it has no page. The link leaves once that
// is known, or within a day if it showed something else each time.
func TestDeadLinkThatVisitorsFollowedFirstLeaves(t *testing.T) {
	const none = "<p>We have no such thing and never had it, so try another one, or ask us in our shop on the hill."
	for _, tt := range []struct {
		name string
		none func(r *http.Request) string
		in   time.Duration
	}{
		{"one text", func(*http.Request) string { return none }, time.Hour},
		{"the address", func(r *http.Request) string { return none + "<p>You asked for " + r.URL.Path }, time.Hour},
		{"the time", func(*http.Request) string { return none + "<p>It is " + time.Now().Format(time.TimeOnly) },
			25 * time.Hour},
		{"the time in its only line", func(*http.Request) string { return none + time.Now().Format(time.TimeOnly) },
			25 * time.Hour},
		{"something else each time", func(*http.Request) string { return none + "<p>Try the " + nouns[rand.IntN(20)] },
			25 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					testkit.Page("home", "/a/chair", "/a/table", "/a/lamp")(w, r)
				case "/a/table", "/a/chair":
					testkit.Page("A "+r.URL.Path+" of wood")(w, r)
				default:
					testkit.Reply(http.StatusOK, "<!DOCTYPE html><title>Shop</title><main><h1>Sorry</h1>"+tt.none(r))(w, r)
				}
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				for range 3 {
					s.Visit("/a/lamp", "/", "/a/chair", "/a/table")
					time.Sleep(20 * time.Minute)
				}
				s.WantListed("/", "/a/chair", "/a/lamp", "/a/table")
				explore(s, servemap.ExploreOptions{})
				for began := time.Now(); time.Since(began) < tt.in; time.Sleep(15 * time.Minute) {
					s.Visit("/a/lamp", "/", "/a/chair", "/a/table")
				}
				s.WantListed("/", "/a/chair", "/a/table")
			})
		})
	}
}

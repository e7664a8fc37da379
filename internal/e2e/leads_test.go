package e2e

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// times returns n locations of a form with the numbers from 1 on.
func times(n int, form string) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf(form, i+1))
	}
	return paths
}

// moved redirects by a status.
func moved(status int, target string) http.HandlerFunc {
	return testkit.Reply(status, "", "Location", target)
}

// stub is a page that leads on, all with the same text.
func stub(head string) http.HandlerFunc {
	return testkit.Reply(http.StatusOK, "<!DOCTYPE html><html><head><title>One moment</title>"+head+"</head><body><p>You are being led on to the page that you have asked for.</p></body></html>")
}

// refresh is a stub as generators write it.
func refresh(target string) http.HandlerFunc {
	return stub(`<meta http-equiv="refresh" content="0; url=` + target + `">`)
}

// headed is a page with something in its head.
func headed(head, text string, links ...string) http.HandlerFunc {
	return testkit.Reply(http.StatusOK, testkit.HTML(head, text, links...))
}

// cursor is the opaque name of the n-th page of a list.
func cursor(n int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "at:17%08d:id", n*7919))
}

// feed is a list of n pages with five posts each. The first page is at a path, and the others have a parameter with
// what name returns.
func feed(path, param string, n int, name func(n int) string) func(uri string) http.HandlerFunc {
	return func(uri string) http.HandlerFunc {
		post := 0
		if uri == "/" {
			return testkit.Page("home", path)
		} else if scan(uri, "/posts/%d", &post) && post <= 5*n {
			return testkit.Page(uri)
		}
		for i := range n {
			if uri != path+"?"+param+"="+name(i) && (i > 0 || uri != path) {
				continue
			}
			links := []string{path}
			for k := range 5 {
				links = append(links, fmt.Sprintf("/posts/%d", i*5+k+1))
			}
			if i+1 < n {
				links = append(links, path+"?"+param+"="+name(i+1))
			}
			return testkit.Page(uri, links...)
		}
		return nil
	}
}

// What a site's pages lead to is found by exploring it, however they do.
func TestWhatLeadsOnIsFollowed(t *testing.T) {
	chain := func(hops int, end string) func(uri string) http.HandlerFunc {
		return func(uri string) http.HandlerFunc {
			n := 0
			switch {
			case uri == "/":
				return testkit.Page("home", "/hop/1")
			case scan(uri, "/hop/%d", &n) && n < hops:
				return moved(http.StatusFound, fmt.Sprintf("/hop/%d", n+1))
			case n == hops:
				return moved(http.StatusFound, end)
			case uri == end:
				return testkit.Page("the end")
			}
			return nil
		}
	}
	for _, tt := range []struct {
		name string
		opts servemap.Options
		want []string
		site func(uri string) http.HandlerFunc // nil where there is no page
	}{
		{"folders that are linked without their slash", servemap.Options{}, append(times(40, "/news/%d/"), "/"), func(uri string) http.HandlerFunc {
			n := 0
			switch {
			case uri == "/":
				return testkit.Page("home", times(40, "/news/%d")...)
			case scan(uri, "/news/%d/", &n):
				return testkit.Page(uri, times(40, "/news/%d")...)
			case scan(uri, "/news/%d", &n):
				return moved(http.StatusMovedPermanently, uri+"/")
			}
			return nil
		}},
		{"a framework that adds the slash, and asks to log in", servemap.Options{}, append(append(times(30, "/blog/%d/"), times(18, "/tags/t%d/")...), "/", "/about/", "/blog/", "/tags/"), func(uri string) http.HandlerFunc {
			menu := []string{"/about", "/blog", "/tags", "/admin"}
			switch n := 0; {
			case strings.HasPrefix(uri, "/admin"):
				return moved(http.StatusFound, "/admin/login/?next="+uri)
			case uri != "/" && !strings.HasSuffix(uri, "/"):
				return moved(http.StatusMovedPermanently, uri+"/")
			case uri == "/blog/":
				return testkit.Page(uri, append(times(30, "/blog/%d"), menu...)...)
			case uri == "/tags/":
				return testkit.Page(uri, append(times(18, "/tags/t%d"), menu...)...)
			case uri == "/", uri == "/about/", scan(uri, "/blog/%d/", &n), scan(uri, "/tags/t%d/", &n):
				return testkit.Page(uri, menu...)
			}
			return nil
		}},
		{"numbers that are led to titles", servemap.Options{}, append(times(30, "/item/a-title-%d"), "/"), func(uri string) http.HandlerFunc {
			n := 0
			switch {
			case uri == "/":
				return testkit.Page("home", times(30, "/item?id=%d")...)
			case scan(uri, "/item?id=%d", &n):
				return moved(http.StatusMovedPermanently, fmt.Sprintf("/item/a-title-%d", n))
			case scan(uri, "/item/a-title-%d", &n):
				return testkit.Page(uri, "/")
			}
			return nil
		}},
		{"numbers that are led to titles below them", servemap.Options{}, append(times(9, "/news/%d/rain"), "/"), func(uri string) http.HandlerFunc {
			n := 0
			switch {
			case uri == "/":
				return testkit.Page("home", times(9, "/news/%d")...)
			case scan(uri, "/news/%d", &n):
				return moved(http.StatusFound, uri+"/rain")
			case scan(uri, "/news/%d/rain", &n):
				return testkit.Page(uri, "/")
			}
			return nil
		}},
		{"three redirects at the root", servemap.Options{}, append(times(14, "/shop/en/p%d"), "/shop/en/"), func(uri string) http.HandlerFunc {
			switch n := 0; {
			case uri == "/":
				return moved(http.StatusMovedPermanently, "/shop")
			case uri == "/shop":
				return moved(http.StatusTemporaryRedirect, "/shop/")
			case uri == "/shop/":
				return moved(http.StatusFound, "/shop/en/")
			case uri == "/shop/en/", scan(uri, "/shop/en/p%d", &n):
				return testkit.Page(uri, times(14, "/shop/en/p%d")...)
			}
			return nil
		}},
		{"a menu whose entry leads to the latest version", servemap.Options{}, append(times(12, "/docs/v5/c%d"), "/", "/docs/v5/"), func(uri string) http.HandlerFunc {
			switch n := 0; {
			case uri == "/":
				return testkit.Page("home", "/docs")
			case uri == "/docs":
				return moved(http.StatusFound, "/docs/v5/")
			case uri == "/docs/v5/", scan(uri, "/docs/v5/c%d", &n):
				return testkit.Page(uri, append(times(12, "/docs/v5/c%d"), "/docs")...)
			}
			return nil
		}},
		{"a link to each status", servemap.Options{}, []string{"/", "/to-301", "/to-302", "/to-303", "/to-307", "/to-308"}, func(uri string) http.HandlerFunc {
			n := 0
			switch {
			case uri == "/":
				return testkit.Page("home", "/from-301", "/from-302", "/from-303", "/from-307", "/from-308", "/from-300")
			case scan(uri, "/from-%d", &n):
				return moved(n, fmt.Sprintf("/to-%d", n))
			case scan(uri, "/to-%d", &n):
				return testkit.Page(uri)
			}
			return nil
		}},
		{"ten redirects in a row", servemap.Options{}, []string{"/", "/end"}, chain(10, "/end")},
		{"eleven redirects in a row", servemap.Options{}, []string{"/"}, chain(11, "/end")},
		{"redirects in a circle, to a log-in, off the site and to where a request acts", servemap.Options{}, []string{"/"}, func(uri string) http.HandlerFunc {
			switch uri {
			case "/":
				return testkit.Page("home", "/a", "/b", "/c", "/orders")
			case "/a":
				return moved(http.StatusFound, "/a")
			case "/b":
				return moved(http.StatusFound, "https://elsewhere.test/x")
			case "/c":
				return moved(http.StatusFound, "/posts/5/delete")
			case "/orders":
				return moved(http.StatusFound, "/login?to=/orders")
			case "/login", "/login?to=/orders", "/posts/5/delete":
				return testkit.Page("not for " + uri)
			}
			return nil
		}},

		{"a root that leads to a language, as generators write it", servemap.Options{}, append(times(89, "/en/p%d/"), "/en/"), func(uri string) http.HandlerFunc {
			switch n := 0; {
			case uri == "/":
				return stub(`<link rel="canonical" href="https://example.com/en/"><meta name="robots" content="noindex"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=https://example.com/en/">`)
			case uri == "/en/", scan(uri, "/en/p%d/", &n):
				return testkit.Page(uri, times(89, "/en/p%d/")...)
			}
			return nil
		}},
		{"a root that leads to the manual of a library", servemap.Options{}, append(times(9, "/lib/m%d.html"), "/lib/index.html"), func(uri string) http.HandlerFunc {
			switch n := 0; {
			case uri == "/":
				return testkit.Reply(http.StatusOK, `<meta http-equiv=REFRESH content="0;URL='lib/index.html'">`)
			case uri == "/lib/index.html", scan(uri, "/lib/m%d.html", &n):
				return testkit.Page(uri, times(9, "m%d.html")...)
			}
			return nil
		}},
		{"a root that leads on by its header", servemap.Options{}, []string{"/start", "/start/a"}, func(uri string) http.HandlerFunc {
			switch uri {
			case "/":
				return testkit.Reply(http.StatusOK, "<title>Wait</title><p>Wait", "Refresh", "2; url=/start")
			case "/start", "/start/a":
				return testkit.Page(uri, "/start/a")
			}
			return nil
		}},
		{"links to stubs", servemap.Options{}, append(times(25, "/new/%d"), "/"), func(uri string) http.HandlerFunc {
			n := 0
			switch {
			case uri == "/":
				return testkit.Page("home", times(25, "/old/%d")...)
			case scan(uri, "/old/%d", &n):
				return refresh(fmt.Sprintf("/new/%d", n))
			case scan(uri, "/new/%d", &n):
				return testkit.Page(uri, "/")
			}
			return nil
		}},
		{"pages that lead nowhere else, or later, or only without scripts", servemap.Options{}, []string{"/", "/board", "/clock", "/plain", "/splash"}, func(uri string) http.HandlerFunc {
			switch uri {
			case "/":
				return testkit.Page("home", "/board", "/clock", "/splash", "/plain", "/secret", "/away", "/sso")
			case "/board":
				return headed(`<meta http-equiv="refresh" content="5">`, "the board")
			case "/clock", "/clock?cookies=1":
				return headed(`<meta http-equiv="refresh" content="0; url=/clock?cookies=1">`, "the clock")
			case "/splash":
				return headed(`<meta http-equiv="refresh" content="6; url=/other">`, "the splash")
			case "/plain":
				return headed(`<noscript><meta http-equiv="refresh" content="0; url=/other"></noscript>`, "with scripts")
			case "/secret":
				return refresh("/login")
			case "/away":
				return refresh("//elsewhere.test/away")
			case "/sso":
				return refresh("https://elsewhere.test/?next=/sso")
			case "/other", "/login":
				return testkit.Page("not linked: " + uri)
			}
			return nil
		}},

		{"a list that goes on by cursors", servemap.Options{}, append(times(40, "/posts/%d"), "/", "/posts"), feed("/posts", "cursor", 8, cursor)},
		{"cursors that the owner allows", servemap.Options{Query: []string{"cursor"}}, append(times(40, "/posts/%d"), "/", "/posts"), feed("/posts", "cursor", 8, cursor)},
		{"a list that goes on after the last id", servemap.Options{}, append(times(40, "/posts/%d"), "/", "/posts"), feed("/posts", "after", 8, func(n int) string {
			return fmt.Sprintf("%08x-1c2d-4e3f-8a9b-%012x", n*2654435761%4294967291, n*7919)
		})},

		{"languages that only the head names", servemap.Options{}, append(append(times(14, "/en/p%d"), times(14, "/de/p%d")...), append(times(14, "/fr/p%d"), "/en/", "/de/", "/fr/")...), func(uri string) http.HandlerFunc {
			if uri == "/" {
				return moved(http.StatusFound, "/en/")
			}
			lang, rest, n := strings.Trim(uri[:min(len(uri), 3)], "/"), uri[min(len(uri), 3):], 0
			if !slices.Contains([]string{"en", "de", "fr"}, lang) || rest != "/" && !scan(rest, "/p%d", &n) {
				return nil
			}
			head := ""
			for _, other := range []string{"en", "de", "fr"} {
				head += fmt.Sprintf(`<link rel="alternate" hreflang="%s" href="/%[1]s%s">`, other, rest)
			}
			links := []string{"/en/"}
			if lang == "en" {
				links = append(links, times(14, "/en/p%d")...)
			}
			return headed(head, uri, links...)
		}},
		{"chapters that only the head leads to", servemap.Options{}, append(times(40, "/book/c%d.html"), "/", "/book/contents.html", "/book/register.html", "/book/about.html"), func(uri string) http.HandlerFunc {
			switch n := 0; {
			case uri == "/":
				return testkit.Page("home", "/book/c1.html")
			case scan(uri, "/book/c%d.html", &n) && n <= 40:
				head := `<link rel="contents" href="contents.html"><link rel="index" href="register.html"><link rel="stylesheet" href="style.html"><link rel="icon" href="icon.html">`
				if n < 40 {
					head += fmt.Sprintf(`<link rel="next" href="c%d.html">`, n+1)
				}
				return headed(head, paragraph(n)+nouns[n%20])
			case uri == "/book/contents.html":
				return testkit.Reply(http.StatusOK, `<title>Contents</title><main>What is in this book, drawn<svg><a xlink:href="about.html"><rect/></a></svg></main>`)
			case uri == "/book/register.html", uri == "/book/about.html", uri == "/book/style.html", uri == "/book/icon.html":
				return testkit.Page(uri)
			}
			return nil
		}},
		{"a list that goes on by its header", servemap.Options{}, append(times(10, "/news/page/%d"), "/"), func(uri string) http.HandlerFunc {
			n := 0
			switch {
			case uri == "/":
				return testkit.Page("home", "/news/page/1")
			case scan(uri, "/news/page/%d", &n) && n <= 10:
				return testkit.Reply(http.StatusOK, testkit.HTML("", uri), "Link", fmt.Sprintf(`</style.css>; rel=preload, <%d>; title="on, and on"; rel="next"`, n+1))
			}
			return nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if reply := tt.site(r.URL.RequestURI()); reply != nil {
					reply(w, r)
					return
				}
				http.NotFound(w, r)
			})
			testkit.Run(t, testkit.Setup{Handler: h, Options: tt.opts}, func(s *testkit.Site) {
				done, got := explore(s, servemap.ExploreOptions{}), s.LastMods()
				found := 0
				for _, path := range tt.want {
					if _, is := got[path]; is {
						found++
					}
				}
				s.Logf("%d of %d are found, %d others are listed, %d requests, %v", found, len(tt.want), len(got)-found, done.Requests, done.Skipped)
				if found != len(tt.want) || len(got) != found {
					s.WantListed(tt.want...)
				}
			})
		})
	}
}

// A page that leads on has moved, as by a redirect, once that has lasted for a day.
func TestPageThatBecomesAStubLeavesAndHandsOn(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/old"), "/old": testkit.Page("a page"), "/new": testkit.Page("a page")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/old")
		time.Sleep(time.Hour)
		synctest.Wait() // the site may be looking at the page
		site["/old"] = refresh("/new")
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/old")
		time.Sleep(25 * time.Hour)
		explore(s, servemap.ExploreOptions{})
		s.WantListed("/", "/new")
	})
}

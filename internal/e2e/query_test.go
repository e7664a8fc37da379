package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// A site with 12 links of one parameter each, which nobody allowed.
func TestQueriesThatArePagesAreExplored(t *testing.T) {
	all := []string{ // that the home page shows
		"one crow in the old apple tree", "two boats that leave the harbour", "three bells ring before noon",
	}
	for _, tt := range []struct {
		name, path string
		canonical  func(r *http.Request) string
		text       func(n int) string
		listed     int
		hint       string
	}{
		{"pages that name themselves as canonical", "/view?id=", func(r *http.Request) string { return r.RequestURI },
			func(n int) string { return "page " + paragraph(n) + fmt.Sprint("the ", nouns[n]) }, 12, ""},
		{"posts of the root", "/?p=", func(r *http.Request) string { return r.RequestURI },
			func(n int) string { return "post " + paragraph(n) + fmt.Sprint("the ", nouns[n]) }, 12, ""},
		{"pages that name none", "/view?id=", func(*http.Request) string { return "" },
			func(n int) string { return "page " + paragraph(n) }, 0, "id: 12 linked pages of /view"},
		{"pages that differ in their titles alone", "/view?id=", func(*http.Request) string { return "" },
			func(int) string { return "a page of the shop" }, 0, "id: 12 linked pages of /view"},
		{"pages that name the one without a query", "/view?lang=", func(*http.Request) string { return "/view" },
			func(n int) string { return "page " + paragraph(n) }, 0, ""},
		{"orders of one list", "/list?sort=", func(r *http.Request) string { return r.RequestURI }, func(n int) string {
			return all[n%3] + ".</p><p>" + all[(n+1)%3] + ".</p><p>" + all[(n+2)%3]
		}, 0, ""},
		{"searches that the site links to", "/search?q=", func(r *http.Request) string { return r.RequestURI },
			func(n int) string { return "found " + paragraph(n) }, 12, ""},
		{"answers to what visitors type", "/find?what=", func(*http.Request) string { return "" },
			func(n int) string { return "found " + paragraph(n) + "<form><input name=what></form>" }, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var links []string
			for i := range 12 {
				links = append(links, tt.path+strconv.Itoa(i+1))
			}
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				head, text := "", all[2]+".</p><p>"+all[1]+".</p><p>"+all[0]
				if r.RequestURI != "/" {
					n, _ := strconv.Atoi(strings.TrimPrefix(r.RequestURI, tt.path))
					if text = tt.text(n); tt.canonical(r) != "" {
						head = `<link rel="canonical" href="` + tt.canonical(r) + `">`
					}
				}
				for _, l := range links {
					text += `.</p><p><a href="` + l + `">more</a>`
				}
				title := r.RequestURI
				if strings.HasPrefix(title, "/list") {
					title = "A list, however it is sorted"
				}
				testkit.Reply(http.StatusOK, "<title>"+title+"</title>"+head+"<main><p>"+text+"</main>")(w, r)
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				done, listed := explore(s, servemap.ExploreOptions{}), 0
				for path := range s.LastMods() {
					if strings.HasPrefix(path, tt.path) {
						listed++
					}
				}
				if listed != tt.listed || strings.Join(done.Params, ", ") != tt.hint {
					s.Errorf("%d are listed, want %d; left out: %q", listed, tt.listed, done.Params)
				}
				if n := done.Skipped["endless"]; tt.hint != "" && n > 0 {
					s.Errorf("%d are left out as endless too, where the parameter is why", n)
				}
				s.Shut() // completes the log
				logs := strings.Contains(s.Logged.String(), "only sorts, filters or searches. Left out: ")
				if logs != (tt.hint != "") {
					s.Errorf("the log says %s", s.Logged)
				}
			})
		})
	}
}

// On these sites no page with a query names a canonical. Exploring names the parameters that make pages, and none that
// sorts, filters, or only adds to another parameter.
func TestOnlyParametersThatMakePagesAreNamed(t *testing.T) {
	base.OneByOne(t)
	story := func(n int) string { return "story of the " + nouns[n] + ": " + paragraph(n) + nouns[n] }
	number := func(r *http.Request, name string) int { n, _ := strconv.Atoi(r.URL.Query().Get(name)); return n % 20 }
	each := func(form string) (links []string) {
		for i := range 12 {
			links = append(links, strings.ReplaceAll(form, "%d", strconv.Itoa(i+1)))
		}
		return links
	}
	goods := func(of, many int) (text string) {
		for i := range many {
			text += ".</p><p>the " + nouns[(of+i)%20] + " that " + paragraph((of+i)%20)
		}
		return text
	}
	for _, tt := range []struct {
		name  string
		links []string // of each page
		text  func(r *http.Request) string
		query []string
		hint  string
		title string // of all pages; if "", each has its own
	}{
		{"a wiki by title", append(each("/index.php?title=T%d"), append(each("/index.php?title=T%d&action=history"),
			each("/index.php?title=T%d&oldid=9%d")...)...), func(r *http.Request) string {
			n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("title"), "T"))
			if r.URL.Query().Get("action") == "history" {
				return "revisions of this page by " + nouns[n] + " who wrote them all"
			}
			return story(n)
		}, nil, "title: 12 linked pages of /index.php", ""},
		{"a wiki whose title is allowed", append(each("/index.php?title=T%d"), each("/index.php?title=T%d&style=plain")...),
			func(r *http.Request) string {
				n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("title"), "T"))
				return story(n)
			}, []string{"title"}, "", ""},
		{"a wiki by id", append(each("/doku.php?id=wiki:t%d"), append(each("/doku.php?id=wiki:t%d&do=revisions"),
			each("/doku.php?id=wiki:t%d&rev=17000%d")...)...), func(r *http.Request) string {
			n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("id"), "wiki:t"))
			return story(n)
		}, nil, "id: 12 linked pages of /doku.php", ""},
		{"a blog by number, with archives that repeat its posts", append(each("/?m=20260%d"),
			append(each("/?p=%d"), each("/?cat=%d")...)...), func(r *http.Request) string {
			if n := number(r, "p"); n > 0 {
				return story(n)
			}
			n := max(number(r, "cat"), number(r, "m"))
			return story(max(1, n-1)) + ".</p><p>" + story(max(1, n))
		}, nil, "cat: 12 linked pages of /, p: 12 linked pages of /", ""},
		{"a wiki whose lists of revisions say noindex", each("/index.php?title=T%d&action=history"),
			func(r *http.Request) string {
				return "revisions of " + r.URL.Query().Get("title")
			}, nil, "", ""},
		{"two parameters that always stand together", each("/view?lang=en&id=%d"),
			func(r *http.Request) string { return story(number(r, "id")) }, nil, "id,lang: 12 linked pages of /view", ""},
		{"orders of a shop", append(each("/shop?sort=by-%d"), "/shop"), func(r *http.Request) string { return goods(0, 6) },
			nil, "", "Shop"},
		{"months", append(each("/events?month=2026-%d"), each("/events?month=2027-%d")...), func(r *http.Request) string {
			n, _ := strconv.Atoi(r.URL.Query().Get("month")[max(0, len(r.URL.Query().Get("month"))-1):])
			return "the events of " + nouns[n]
		}, nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := func(w http.ResponseWriter, r *http.Request) {
				text := ""
				for _, l := range tt.links {
					text += "</p><p><a href=\"" + strings.ReplaceAll(l, "&", "&amp;") + "\">more</a>"
				}
				if r.RequestURI != "/" {
					text = tt.text(r) + "." + text
				}
				head := ""
				if r.URL.Query().Get("action") == "history" {
					head = "<meta name=robots content=noindex>"
				}
				testkit.Reply(http.StatusOK, "<title>"+cmp.Or(tt.title, r.URL.RawQuery)+"</title>"+head+"<main><p>"+text+
					"</main>")(w, r)
			}
			testkit.Run(t, testkit.Setup{Handler: http.HandlerFunc(h), Options: servemap.Options{Query: tt.query}},
				func(s *testkit.Site) {
					if done := explore(s, servemap.ExploreOptions{Concurrency: 1}); strings.Join(done.Params, ", ") != tt.hint {
						s.Errorf("left out: %q, want %q", done.Params, tt.hint)
					}
				})
		})
	}
}

// A shop whose owner names the colour below /p/ only. Lists by brand and by price show what the categories show. The
// owner hears of the colours, with the rule, until visitors have got those that are pages, and of nothing else.
func TestParameterOfAnotherRuleIsNamed(t *testing.T) {
	brands := []string{"nordlicht", "fjord", "ebbe", "kiel"}
	thing := func(n int) string { return "/p/" + nouns[n] }
	h := func(w http.ResponseWriter, r *http.Request) {
		base, path := "", r.URL.Path
		if strings.HasPrefix(path, "/en/") {
			base, path = "/en", strings.TrimPrefix(path, "/en")
		}
		title, head, text := "Start", "", "<a href="+base+"/c/pots>pots</a> <a href="+base+"/c/bags>bags</a> <a href=/en/>English</a>"
		if kind, is := strings.CutPrefix(path, "/c/"); is {
			title, text = kind, "<p>"
			for _, b := range brands {
				text += "<a href=" + base + path + "?brand=" + b + ">" + b + "</a> "
			}
			text += "<a href=" + base + path + "?sort=price>price</a> <a href=" + base + path + "?color=red>red</a></p><ul>"
			for n := range 16 {
				if of := r.URL.Query().Get("brand"); (n < 8) == (kind == "pots") && (of == "" || of == brands[n%4]) {
					text += "<li><a href=" + base + thing(n) + ">the " + nouns[n] + " of " + base + "</a></li>"
				}
			}
			text += "</ul>"
		} else if name, is := strings.CutPrefix(path, "/p/"); is {
			n, color := slices.Index(nouns, name), r.URL.Query().Get("color")
			at := base + path
			if title, text = "the "+name+base, base+"story of the "+name+": "+paragraph(n); color != "" && n >= 8 {
				at, title, text = at+"?color="+color, title+" in "+color, "It is "+color+". "+text
			}
			head = "<link rel=canonical href=" + at + ">"
			for _, c := range []string{"red", "blue"} {
				text += " <a href=" + base + path + "?color=" + c + ">" + c + "</a>"
			}
		}
		testkit.Reply(http.StatusOK, "<title>"+title+"</title>"+head+"<main><h1>"+title+"</h1><p>"+text+"</main>")(w, r)
	}
	rules := []servemap.Rule{{Pattern: "/p/", Query: []string{"color"}}}
	testkit.Run(t, testkit.Setup{Handler: http.HandlerFunc(h), Options: servemap.Options{Rules: rules}},
		func(s *testkit.Site) {
			done := explore(s, servemap.ExploreOptions{Concurrency: 1})
			left := func() (n int, remedy string, care string) {
				for _, l := range s.Stats().LeftOut {
					if l.Cause == "query" {
						n, remedy = l.Count, l.Remedy
					}
				}
				var o inspect.Overview
				inspector := s.Inspector(func(*http.Request) bool { return true })
				base.Check(s, json.Unmarshal(base.Ask(inspector, http.MethodGet, "/stats.json").Body.Bytes(), &o))
				below := 0
				for _, g := range o.Reasons {
					if g.Reason == "query" {
						care = string(g.Care)
					}
					if g.AsLinks {
						below += g.Pages
					}
				}
				const more = "More are among the"
				if page := base.Ask(inspector, http.MethodGet, "/").Body.String(); strings.Contains(page, more) != (below > 0) {
					s.Errorf("does the overview say that %s the links below? want %t", more, below > 0)
				}
				return n, remedy, care
			}
			n, remedy, care := left()
			const want = "Left out: 31 linked pages with color (a rule names it for /p/)."
			if n != 31 || !strings.HasSuffix(remedy, want) || care != "look" || len(done.Params) != 1 {
				s.Errorf("%d %s: %q, want %q; %q", n, care, remedy, want, done.Params)
			}
			for i := range 16 {
				for _, c := range []string{"red", "blue"} {
					s.Visit("/en" + thing(i) + "?color=" + c)
				}
			}
			if after, _, care := left(); after >= n || care == "look" {
				s.Errorf("%d are left, %s, once visitors have got all", after, care)
			}
		})
}

// What a query gets is no page, or nothing shows that the query makes it one. The owner hears of such links, and of no
// parameter that he should allow.
func TestParametersThatMakeNoPageAreNotNamed(t *testing.T) {
	reply := func(status int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(header, value)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	for _, tt := range []struct {
		name, link string
		links      int
		answer     http.HandlerFunc
		left       map[string]int
	}{
		{"feeds", "/?feed=kind%d", 4, reply(http.StatusOK, "Content-Type", "application/rss+xml", "<rss/>"),
			map[string]int{"file": 3, "endless": 1}},
		{"downloads", "/get.php?id=%d", 4, reply(http.StatusOK, "Content-Type", "application/pdf", "%PDF"),
			map[string]int{"file": 4}},
		{"numbers that redirect to names", "/item?id=%d", 4, reply(http.StatusFound, "Location", "/named", ""),
			map[string]int{}},
		{"broken links", "/old?id=%d", 4, testkit.Reply(http.StatusNotFound, "gone"), map[string]int{}},
		{"addresses that ask for a log-in", "/item?order=%d", 4, reply(http.StatusFound, "Location", "/login", ""),
			map[string]int{}},
		{"addresses that refresh to names", "/item?id=%d", 4, testkit.Reply(http.StatusOK,
			`<meta http-equiv=refresh content="0; url=/named">`), map[string]int{}},
		{"another form of one page, which nothing can be compared with", "/index.php?title=T%d&redirect=no", 1,
			testkit.Page("this is a redirect"), map[string]int{"query": 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var links []string
			for i := range tt.links {
				links = append(links, strings.ReplaceAll(tt.link, "%d", strconv.Itoa(i+1)))
			}
			named := testkit.Page("a page with a name")
			home := testkit.Page("home", append(links, "/named")...)
			h := func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.RawQuery != "":
					tt.answer(w, r)
				case r.URL.Path == "/":
					home(w, r)
				case r.URL.Path == "/named":
					named(w, r)
				case r.URL.Path == "/login":
					testkit.Page("<form><input type=password></form>")(w, r)
				default:
					http.NotFound(w, r)
				}
			}
			testkit.Run(t, testkit.Setup{Handler: http.HandlerFunc(h)}, func(s *testkit.Site) {
				done := explore(s, servemap.ExploreOptions{Concurrency: 1})
				if len(done.Params) > 0 || !maps.Equal(done.Skipped, tt.left) {
					s.Errorf("named are %q, left out are %v, want %v", done.Params, done.Skipped, tt.left)
				}
				for _, l := range done.LeftOut() {
					if l.Example == "" {
						s.Errorf("no example of %s", l.Cause)
					}
				}
				s.WantListed("/", "/named")
			})
		})
	}
}

// Archives that name no canonical, and only list what is listed elsewhere.
func TestQueryThatTheOwnerNamesLaterIsExploredAnew(t *testing.T) {
	var posts, archives []string
	for i := range 9 {
		posts = append(posts, fmt.Sprint("/post-", nouns[i]))
		archives = append(archives, fmt.Sprint("/?cat=", i+1))
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("cat"))
		switch {
		case r.URL.Path != "/":
			testkit.Page(r.URL.Path, archives...)(w, r)
		case err == nil:
			testkit.Reply(http.StatusOK, fmt.Sprintf(`<title>%s</title><main><h1>%[1]s</h1><a href="%s">%[2]s</a></main>`,
				nouns[n-1], posts[n-1]))(w, r)
		default:
			testkit.Page("home", append(posts, archives...)...)(w, r)
		}
	})
	st := base.NewStore()
	for _, tt := range []struct {
		query []string
		pages int
	}{{nil, 10}, {[]string{"cat"}, 19}} {
		testkit.Run(t, testkit.Setup{Handler: h, Store: st, Options: servemap.Options{Query: tt.query}},
			func(s *testkit.Site) {
				time.Sleep(time.Hour)
				explore(s, servemap.ExploreOptions{})
				if got := len(s.LastMods()); got != tt.pages {
					s.Errorf("-query %q: %d are listed, want %d: %v", tt.query, got, tt.pages, s.Stats().Verdicts)
				}
			})
	}
}

// A site that writes a parameter into each link, and links to no page without it. Nobody visits it.
func TestParameterInEachLinkThatSelectsNothingHidesNoPage(t *testing.T) {
	pages := append([]string{"/about", "/news"}, numbered("/shoes/%d", 12)...)
	for _, tt := range []struct {
		name      string
		link      func(from, to string) string
		canonical bool
		other     bool // the parameter selects something
		listed    int  // besides the home page
	}{
		{"the version of the build", func(_, to string) string { return to + "?v=8f3a" }, false, false, 14},
		{"the page where the link stands", func(from, to string) string { return to + "?from=x" + strings.Trim(from, "/") },
			false, false, 14},
		{"the page where the link stands, and a canonical URL",
			func(from, to string) string { return to + "?from=x" + strings.Trim(from, "/") }, true, false, 14},
		{"a colour that each page shows", func(_, to string) string { return to + "?colour=red" }, false, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				head, text := "", "the "+nouns[slices.Index(pages, r.URL.Path)+1]+", "+
					paragraph(len(r.URL.Path)+slices.Index(pages, r.URL.Path))
				if tt.canonical {
					head = `<link rel="canonical" href="` + r.URL.Path + `">`
				}
				if tt.other && r.URL.RawQuery != "" {
					text += " in " + r.URL.RawQuery
				}
				var links []string
				for i, p := range pages {
					if r.URL.Path == "/" && i < 3 || r.URL.Path == "/news" {
						links = append(links, tt.link(r.URL.Path, p))
					}
				}
				testkit.Reply(http.StatusOK, testkit.HTML(head, text, links...))(w, r)
			})
			testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				if got := s.LastMods(); len(got) != tt.listed+1 {
					s.Errorf("%d are listed, want %d: %v", len(got), tt.listed+1, got)
				}
			})
		})
	}
}

// A page links back to where its visitor came from, with a parameter in each link. Visitors come from a page that only
// they know, and go back.
func TestLinkBackWithAParameterIsNoEvidence(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		links := []string{"/about"}
		if from, err := url.Parse(r.Referer()); err == nil && r.URL.Path == "/about" && from.Path != "" {
			links = append(links, from.Path+"?v=2")
		}
		testkit.Reply(http.StatusOK, testkit.HTML("", "the page "+r.URL.Path, links...))(w, r)
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		for _, client := range []string{ann, bob, ann, bob} {
			time.Sleep(25 * time.Hour)
			s.From(client, "/p7")
			s.From(client, "/about", "Referer", "https://example.com/p7")
			s.Settle()
			s.From(client, "/p7?v=2", "Referer", "https://example.com/about")
			s.Settle()
		}
		s.WantListed("/", "/about")
		s.WantVerdict("/p7", "waiting", "no-evidence")
	})
}

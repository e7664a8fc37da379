package e2e

import (
	"bytes"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// evPause is longer than a page that is visited goes without a look.
const evPause = 70 * time.Second

// evUUID is a location that lets in whoever knows it.
const evUUID = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"

// Visitors, each in a network of his own.
const (
	evAnn  = "8.8.8.8:1000"
	evBob  = "9.9.9.9:1000"
	evCarl = "1.1.1.1:1000"
	evDora = "4.4.4.4:1000"
	evEve  = "5.5.5.5:1000"
)

// evSite is a site in virtual time whose visitors come from where a test says.
type evSite struct {
	*testing.T
	site  *servemap.Site
	store *memstore.Store
	log   *bytes.Buffer
	h     http.Handler
}

// evRun runs fn on a site of these pages. Other locations answer 404.
func evRun(t *testing.T, pages map[string]http.HandlerFunc, opts servemap.Options, fn func(*evSite)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &evSite{T: t, store: new(memstore.Store), log: new(bytes.Buffer)}
		opts.Logger = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		site, err := servemap.New("https://example.com", s.store, &opts)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := site.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		s.site = site
		s.h = site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if page := pages[r.URL.Path]; page != nil {
				page(w, r)
				return
			}
			http.NotFound(w, r)
		}))
		fn(s)
	})
}

// visit gets a page from an address, has it learned, and lets a while pass.
func (s *evSite) visit(from, target string, headers ...string) *httptest.ResponseRecorder {
	s.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host, r.RemoteAddr = "example.com", from
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.h.ServeHTTP(w, r)
	if err := s.site.Flush(s.Context()); err != nil {
		s.Fatal(err)
	}
	time.Sleep(evPause)
	return w
}

// listed returns the locations in the sitemap, in order.
func (s *evSite) listed() []string {
	s.Helper()
	body := s.visit(evAnn, "/sitemap.xml").Body.String()
	var locations []string
	for _, rest := range strings.Split(body, "<loc>https://example.com")[1:] {
		location, _, _ := strings.Cut(rest, "</loc>")
		locations = append(locations, location)
	}
	slices.Sort(locations)
	return locations
}

func (s *evSite) wantListed(want ...string) {
	s.Helper()
	slices.Sort(want)
	if got := s.listed(); !slices.Equal(got, want) {
		s.Errorf("the sitemap lists %q, want %q", got, want)
	}
}

// wantVerdict checks how a location is explained.
func (s *evSite) wantVerdict(location string, verdict servemap.Verdict, reason servemap.Reason) {
	s.Helper()
	e, err := s.site.Explain(s.Context(), location)
	if err != nil {
		s.Fatal(err)
	}
	if e.Verdict != verdict || e.Reason != reason {
		s.Errorf("%s is %s because of %s, want %s because of %s", location, e.Verdict, e.Reason, verdict, reason)
	}
}

// wantNoTrace checks that a text is neither in the store nor in the log.
func (s *evSite) wantNoTrace(text string) {
	s.Helper()
	for rec, err := range s.store.Scan(s.Context(), "", "") {
		if err != nil {
			s.Fatal(err)
		}
		if strings.Contains(rec.Key, text) || bytes.Contains(rec.Value, []byte(text)) {
			s.Errorf("%q is in the store, in the record %q", text, rec.Key)
		}
	}
	if strings.Contains(s.log.String(), text) {
		s.Errorf("%q is in the log:\n%s", text, s.log)
	}
}

// evPage is a page of a text, which is long enough to tell it from others, and links.
func evPage(text string, links ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { evWrite(w, "", text, links...) }
}

func evWrite(w http.ResponseWriter, head, text string, links ...string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html><html><head><title>%s</title>%s</head><body><main><p>%[1]s. This page is about %[1]s, and says so at some length.</p>",
		text, head)
	for _, l := range links {
		fmt.Fprintf(w, `<p><a href="%s">more about %[1]s</a></p>`, l)
	}
	fmt.Fprint(w, "</main></body></html>")
}

func TestTokenIsListedWhereTheEntryRedirectsSomeByLanguage(t *testing.T) {
	home := func(w http.ResponseWriter, r *http.Request) {
		switch language, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ","); language {
		case "de", "fr":
			http.Redirect(w, r, "/"+language, http.StatusFound)
		default:
			evWrite(w, "", "the home page", evUUID)
		}
	}
	pages := map[string]http.HandlerFunc{
		"/": home, "/de": evPage("Deutsch"), "/fr": evPage("Français"), evUUID: evPage("a document"),
	}
	evRun(t, pages, servemap.Options{}, func(s *evSite) {
		s.visit(evAnn, "/")
		s.visit(evAnn, evUUID)
		s.visit(evAnn, "/", "Accept-Language", "de")
		s.visit(evAnn, "/", "Accept-Language", "fr")
		s.wantVerdict(evUUID, "held", "capability")
		time.Sleep(25 * time.Hour)
		s.visit(evAnn, "/")
		s.wantVerdict(evUUID, "listed", "link")
	})
}

func TestTokenThatIsLinkedLaterIsListedAfterTwoLooks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		second func(s *evSite)
	}{
		{"by another network", func(s *evSite) { s.visit(evBob, "/news") }},
		{"a day later", func(s *evSite) { time.Sleep(24 * time.Hour); s.visit(evAnn, "/news") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			links := []string{"/one", "/two"}
			pages := map[string]http.HandlerFunc{
				"/":     evPage("the home page", "/news"),
				"/news": func(w http.ResponseWriter, r *http.Request) { evWrite(w, "", "the news", links...) },
				"/one":  evPage("one"), "/two": evPage("two"), evUUID: evPage("a document"),
			}
			evRun(t, pages, servemap.Options{}, func(s *evSite) {
				for _, path := range []string{"/", "/news", "/one", "/two", evUUID, "/news", "/news"} {
					s.visit(evAnn, path)
				}
				links = append(links, evUUID)
				s.visit(evAnn, "/news")
				s.wantVerdict(evUUID, "held", "capability")
				tt.second(s)
				s.wantVerdict(evUUID, "listed", "link")
			})
		})
	}
}

// evAnswers is a site with three linked pages, and one that answers whatever is
// asked for below it or with a query. It names what it shows there as canonical
// where head says so.
func evAnswers(head string) map[string]http.HandlerFunc {
	pages := map[string]http.HandlerFunc{"/": evPage("the home page", "/one", "/two", "/three")}
	for _, name := range []string{"one", "two", "three"} {
		pages["/"+name] = evPage(name)
	}
	pages["/post"] = func(w http.ResponseWriter, r *http.Request) { evWrite(w, head, "a post that nobody links to") }
	for i := range 25 {
		pages[fmt.Sprintf("/post-%d", i)] = pages["/post"]
	}
	return pages
}

func TestOneClientTakesOutNoPageByVariants(t *testing.T) {
	const canonical = `<link rel="canonical" href="https://example.com/post">`
	for _, tt := range []struct {
		name, head string
		targets    func() []string
	}{
		{"another query", "", func() (all []string) {
			for i := range 20 {
				all = append(all, fmt.Sprintf("/post?page=%d", i+2))
			}
			return all
		}},
		{"suffixes", "", evSuffixes},
		{"suffixes that name the canonical page", canonical, evSuffixes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			evRun(t, evAnswers(tt.head), servemap.Options{}, func(s *evSite) {
				for _, path := range []string{"/", "/one", "/two", "/three"} {
					s.visit(evAnn, path)
				}
				for _, target := range tt.targets()[:3] { // before anybody else is there
					s.visit(evEve, target)
				}
				for _, from := range []string{evAnn, evBob, evCarl} {
					s.visit(from, "/post")
				}
				s.wantVerdict("/post", "listed", "networks")
				for _, target := range tt.targets() {
					s.visit(evEve, target)
				}
				s.visit(evEve, "/post")
				s.visit(evAnn, "/post")
				s.wantListed("/", "/one", "/two", "/three", "/post")
			})
		})
	}
	t.Run("many clients, and another query", func(t *testing.T) {
		evRun(t, evAnswers(""), servemap.Options{}, func(s *evSite) {
			for _, path := range []string{"/", "/one", "/two", "/three"} {
				s.visit(evAnn, path)
			}
			for i, from := range []string{evAnn, evBob, evCarl, evDora, evEve} {
				s.visit(from, fmt.Sprintf("/post?page=%d", i+2))
				s.visit(from, "/post")
			}
			s.wantListed("/", "/one", "/two", "/three", "/post")
		})
	})
	t.Run("many clients, and canonical variants", func(t *testing.T) {
		evRun(t, evAnswers(canonical), servemap.Options{}, func(s *evSite) {
			for _, path := range []string{"/", "/one", "/two", "/three"} {
				s.visit(evAnn, path)
			}
			for i, from := range []string{evAnn, evBob, evCarl, evDora, evEve} {
				s.visit(from, fmt.Sprintf("/post-%d", i))
				s.visit(from, "/post")
			}
			s.wantListed("/", "/one", "/two", "/three", "/post")
		})
	})
}

func evSuffixes() (all []string) {
	for i := range 25 {
		all = append(all, fmt.Sprintf("/post-%d", i))
	}
	return all
}

// A site that answers anything with one page keeps that out of the sitemap.
func TestWhatIsAnsweredToAnythingIsNotListedByNetworks(t *testing.T) {
	evRun(t, evAnswers(""), servemap.Options{}, func(s *evSite) {
		for _, path := range []string{"/", "/one", "/two", "/three"} {
			s.visit(evAnn, path)
		}
		for _, from := range []string{evAnn, evBob, evCarl, evDora} {
			for i := range 3 {
				s.visit(from, fmt.Sprintf("/post-%d", i))
				s.wantListed("/", "/one", "/two", "/three")
			}
		}
		s.wantVerdict("/post-1", "held", "duplicate")
	})
}

// evBack is a page that leads its visitor back to where he came from, as far as
// the request says where that is.
func evBack(w http.ResponseWriter, r *http.Request) {
	links := []string{"/"}
	if from := r.Referer(); from != "" {
		links = append(links, from)
	}
	for _, values := range r.URL.Query() {
		links = append(links, values...)
	}
	evWrite(w, "", "what we do", links...)
}

func TestLinkThatRepeatsTheRequestProvesNothing(t *testing.T) {
	const invoice, note = "/invoice/100234", "/p/bluebird"
	for _, tt := range []struct {
		name  string
		share string // the location that is shared
		visit func(s *evSite, from, share string)
	}{
		{"a token in the Referer", evUUID, evReferred},
		{"a word in the Referer", invoice, evReferred},
		{"a name in the Referer", note, evReferred},
		{"in the Referer, on another host", evUUID, func(s *evSite, from, share string) {
			s.visit(from, "/about", "Referer", "http://127.0.0.1:8080"+share)
		}},
		{"in the Referer, with a query of its own", evUUID, func(s *evSite, from, share string) {
			s.visit(from, "/about", "Referer", "https://example.com"+share+"?utm_source=mail")
		}},
		{"in the Referer, with escapes", evUUID, func(s *evSite, from, share string) {
			s.visit(from, "/about", "Referer", "https://example.com"+strings.Replace(share, "-", "%2D", 1))
		}},
		{"a token in the query", evUUID, func(s *evSite, from, share string) {
			s.visit(from, "/about?utm_content="+share)
		}},
		{"a word in the query, as a URL", invoice, func(s *evSite, from, share string) {
			s.visit(from, "/about?utm_content="+url.QueryEscape("https://example.com"+share))
		}},
		{"in the query of the Referer", note, func(s *evSite, from, share string) {
			s.visit(from, "/about?utm_content="+share, "Referer", "https://example.com/login?next="+url.QueryEscape(share))
		}},
		{"a permanent redirect back", evUUID, func(s *evSite, from, share string) {
			s.visit(from, "/theme", "Referer", "https://example.com"+share)
		}},
		{"a permanent redirect back to a word", invoice, func(s *evSite, from, share string) {
			s.visit(from, "/theme", "Referer", "https://example.com"+share)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages := map[string]http.HandlerFunc{
				"/": evPage("the home page", "/about", "/theme"), "/about": evBack, tt.share: evPage("only for those who have the link"),
				"/theme": func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, r.Referer(), http.StatusMovedPermanently)
				},
			}
			evRun(t, pages, servemap.Options{}, func(s *evSite) {
				s.visit(evAnn, "/")
				for _, from := range []string{evAnn, evBob, evCarl} {
					s.visit(from, tt.share)
					tt.visit(s, from, tt.share)
					time.Sleep(25 * time.Hour)
				}
				s.visit(evDora, tt.share)
				if got := s.listed(); slices.Contains(got, tt.share) || !slices.Contains(got, "/") {
					t.Errorf("the sitemap lists %q", got)
				}
				s.wantNoTrace(tt.share[3:])
			})
		})
	}
}

func evReferred(s *evSite, from, share string) {
	s.visit(from, "/about", "Referer", "https://example.com"+share)
}

func TestLinkThatRepeatedOneRequestCountsAtTheNext(t *testing.T) {
	const terms = "/terms"
	for _, tt := range []struct{ name, location string }{{"a name", terms}, {"a word", "/library/token.html"}} {
		t.Run(tt.name, func(t *testing.T) {
			pages := map[string]http.HandlerFunc{
				"/": evPage("the home page", "/about"), "/about": evPage("what we do", tt.location), tt.location: evPage("something else"),
			}
			evRun(t, pages, servemap.Options{}, func(s *evSite) {
				s.visit(evAnn, "/")
				s.visit(evAnn, tt.location)
				s.visit(evAnn, "/about", "Referer", "https://example.com"+tt.location)
				s.wantListed("/", "/about")
				s.visit(evBob, "/about")
				s.wantListed("/", "/about", tt.location)
			})
		})
	}
}

// A visitor whose request names no page but public ones cannot be shown a link of
// his own. What has a risky word is listed by such a look; what looks like a
// secret needs two looks in any case.
func TestLinkToARiskyWord(t *testing.T) {
	const word = "/library/token.html"
	for _, tt := range []struct {
		name   string
		target string // the page with the link, as it is asked for
		header []string
		listed bool
	}{
		{"no Referer", "/library/", nil, true},
		{"from a listed page", "/library/", []string{"Referer", "https://example.com/"}, true},
		{"from another host", "/library/", []string{"Referer", "https://search.example/"}, true},
		{"from a page that is not listed", "/library/", []string{"Referer", "https://example.com/inbox/7"}, false},
		{"from a listed page with a query", "/library/", []string{"Referer", "https://example.com/?draft=7"}, false},
		{"with a cookie", "/library/", []string{"Cookie", "_ga=7"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages := map[string]http.HandlerFunc{
				"/": evPage("the manual", "/library/"), "/library/": evPage("the library", word), word: evPage("constants of the parser"),
			}
			evRun(t, pages, servemap.Options{}, func(s *evSite) {
				s.visit(evAnn, "/")
				s.visit(evAnn, tt.target, tt.header...)
				s.visit(evAnn, word)
				if tt.listed {
					s.wantVerdict(word, "listed", "link")
					return
				}
				s.wantVerdict(word, "held", "risky-word")
				s.visit(evBob, tt.target, tt.header...)
				s.wantVerdict(word, "listed", "link")
			})
		})
	}
}

// An article and the page of its comments show one text, and each names itself.
func TestArticleIsListedAndNotItsCommentPage(t *testing.T) {
	for _, tt := range []struct {
		name, article, comments string
		opts                    servemap.Options
	}{
		{"paths", "/2024/01/post/", "/2024/01/post/comment-page-1/", servemap.Options{}},
		{"queries that the canonical vouches for", "/blog?p=1", "/blog?p=1&cpage=1", servemap.Options{}},
		{"queries that are allowed", "/blog?p=1", "/blog?p=1&cpage=1", servemap.Options{Query: []string{"p", "cpage"}}},
		{"paths, with links counted", "/2024/01/post/", "/2024/01/post/comment-page-1/", servemap.Options{InferPriority: true}},
	} {
		text := "an article"
		show := func(w http.ResponseWriter, r *http.Request) {
			evWrite(w, fmt.Sprintf(`<link rel="canonical" href="https://example.com%s">`, html.EscapeString(r.URL.RequestURI())), text,
				html.EscapeString(tt.article), html.EscapeString(tt.comments))
		}
		// The comments are linked from more pages than the article.
		pages := map[string]http.HandlerFunc{
			"/": evPage("the home page", tt.article, tt.comments, "/recent"), "/recent": evPage("recent comments", tt.comments),
		}
		for _, location := range []string{tt.article, tt.comments} {
			path, _, _ := strings.Cut(location, "?")
			pages[path] = show
		}
		listed := func(s *evSite) {
			s.Helper()
			var want []string
			for _, location := range []string{"/", "/recent", tt.article} {
				want = append(want, html.EscapeString(normal(location)))
			}
			s.wantListed(want...)
		}
		t.Run(tt.name+", the article first", func(t *testing.T) {
			evRun(t, pages, tt.opts, func(s *evSite) {
				for _, target := range []string{"/", "/recent", tt.article, tt.comments} {
					s.visit(evAnn, target)
				}
				listed(s)
				s.wantVerdict(tt.comments, "held", "duplicate")
				text = "an article, with a comment" // which is seen on the page of comments first
				s.visit(evAnn, tt.comments)
				s.visit(evAnn, tt.article)
				listed(s)
				s.wantVerdict(tt.comments, "held", "duplicate")
			})
		})
		t.Run(tt.name+", the comments first", func(t *testing.T) {
			evRun(t, pages, tt.opts, func(s *evSite) {
				for _, target := range []string{"/", "/recent", tt.comments} {
					s.visit(evAnn, target)
				}
				s.wantVerdict(tt.comments, "listed", "link")
				time.Sleep(50 * time.Hour)
				s.visit(evAnn, tt.article)
				listed(s)
				began := time.Now()
				for range 5 { // and they do not take turns
					s.visit(evBob, tt.comments)
					s.visit(evBob, tt.article)
					time.Sleep(9 * time.Hour)
				}
				listed(s)
				for change, err := range s.site.Changes(s.Context(), began) {
					t.Errorf("%s was %s, %v", change.URL, change.Kind, err)
				}
			})
		})
	}
}

// normal is a location with its parameters in order.
func normal(location string) string {
	path, query, ok := strings.Cut(location, "?")
	params := strings.Split(query, "&")
	slices.Sort(params)
	if ok {
		path += "?"
	}
	return path + strings.Join(params, "&")
}

// What strangers ask for takes no page's place, however short it is.
func TestShorterLocationThatNobodyLinksToTakesNoPlace(t *testing.T) {
	show := func(w http.ResponseWriter, r *http.Request) {
		evWrite(w, fmt.Sprintf(`<link rel="canonical" href="https://example.com%s">`, r.URL.Path), "an article")
	}
	pages := map[string]http.HandlerFunc{
		"/": evPage("the home page", "/a-post/", "/b", "/c"), "/a-post/": show, "/a-post": show, "/a": show, "/b": evPage("b"), "/c": evPage("c"),
	}
	evRun(t, pages, servemap.Options{}, func(s *evSite) {
		for _, path := range []string{"/", "/b", "/c", "/a-post/"} {
			s.visit(evAnn, path)
		}
		for _, from := range []string{evBob, evCarl, evDora, evEve} {
			s.visit(from, "/a-post")
			s.visit(from, "/a")
		}
		s.wantListed("/", "/a-post/", "/b", "/c")
	})
}

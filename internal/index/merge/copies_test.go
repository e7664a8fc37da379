package merge

import (
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/index/observation"
	pagehtml "github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/visits"
)

func TestDuplicatesAreOnePage(t *testing.T) {
	a, b := see("/a", html(same)), see("/b", html(same))
	routedA := see("/a", html(same), route("/a", true))
	both, onlyB := see("/", html("home", "/a", "/b")), see("/", html("home", "/b"))
	otherBytes := strings.Replace(html(same), "<main>", `<header>Visitor 1,234</header><main data-nonce="x">`, 1)
	for _, tt := range []struct {
		name  string
		steps []step
		want  string // the one that is listed beside the entry
	}{
		{"the oldest of linked ones", []step{both, a, b}, "/a"},
		{"the linked one before the one with a route of its own", []step{onlyB, routedA, b}, "/b"},
		{"one that is linked later", []step{see("/", html("home")), routedA, b, onlyB}, "/b"},
		{"the bytes differ", []step{both, a, see("/b", otherBytes)}, "/a"},
		{"little text and the same bytes", []step{both, see("/a", "<html><body>ok"), see("/b", "<html><body>ok")}, "/a"},
		{"little text below a title, and a clock", []step{both, see("/a", reviews("10:00:01")),
			see("/b", reviews("10:00:02"))}, "/a"},
	} {
		run(t, tt.name, options{}, func(w *world) {
			for _, s := range tt.steps {
				s(w)
			}
			w.wantListed("/", tt.want)
			other := map[string]string{"/a": "/b", "/b": "/a"}[tt.want]
			w.wantVerdict(other, held, eligibility.Duplicate)
		})
	}
}

// reviews is what a shop shows of each product that has none, and when.
func reviews(now string) string {
	return "<title>Reviews | Tea House</title><main><p>Nobody has written a review of this yet, be the first.</p></main>" +
		"<footer>" + now
}

// Both may have something of each visit, as a line that is drawn by lot.
func TestIndexFileIsItsFolder(t *testing.T) {
	page := func(canonical, line string) string {
		return "<!DOCTYPE html><title>News</title>" + canonical +
			"<main><p>The bridge is open again.</p><p>The mill burned on " +
			"Monday.</p><p>" + line + "</p></main>"
	}
	const dir, file = "/news/", "/news/index.php"
	home := see("/", html("home", dir, file))
	a, b := see(dir, page("", "A quiet river carries far.")), see(file, page("", "Bread is best on the second day."))
	tell(t, options{}, []story{
		{"the file after the folder", []step{home, a, b, is(file, held, eligibility.Duplicate), a}, []string{"/", dir}},
		{"the folder after the file", []step{home, b, a, b, is(file, held, eligibility.Duplicate)}, []string{"/", dir}},
		{"the folder shows something else", []step{home, see(dir, html("a list")), b}, []string{"/", dir, file}},
		{"the folder shows one text of many", []step{home, see(dir, html("<p>The bridge is open again.</p>Enter")), b},
			[]string{"/", dir, file}},
		{"the file is old when the folder comes", []step{home, b, waits(25 * time.Hour), b, a, b}, []string{"/", dir}},
		{"nobody has seen the folder", []step{home, b}, []string{"/", file}},
		{"the folder has left", []step{home, a, b, see(dir, head(noIndex)), b}, []string{"/", file}},
		{"the file names itself as canonical", []step{home, a,
			see(file, page("<link rel=canonical href="+file+">", "Who builds a bridge needs two banks."))},
			[]string{"/", dir, file}},
	})
}

// The home page has heading and news too, so that each text stands on three pages.
func TestIndexFileStaysItsFolderForWeeks(t *testing.T) {
	const dir, file, texts = "/news/", "/news/index.php", "<p>The bridge is open again.</p><p>The mill burned on Monday.</p>"
	visit, n := []step{see("/", html("<h1>Mill Street News</h1>"+texts, dir, file))}, 0
	for _, at := range []string{dir, file} {
		visit = append(visit, func(w *world) {
			n++
			drawn := []string{"A quiet river carries far.", "Bread is best on the second day.",
				"Who builds a bridge needs two banks."}
			w.sight(at, html("<h1>Mill Street News</h1>"+texts+"<p>"+drawn[n%3]+"</p>"))
		})
	}
	tell(t, options{}, []story{{"each hour", []step{times(24*14, append(visit, waits(time.Hour))...)},
		[]string{"/", dir}}})
}

// PHP's http_build_query puts a parameter first or last as a program likes. Such pages often have something of each
// visit, so their contents differ.
func TestOnePageIsListedWhateverTheOrderOfItsParameters(t *testing.T) {
	const one, other, fewer = "/list?cat=1&page=2", "/list?page=2&cat=1", "/list?page=2"
	rules := options{rules: []eligibility.Rule{{Pattern: "/list", Query: []string{"cat"}}}}
	home := see("/", html("home", one, other, fewer))
	a, b := see(one, html("list for visitor 1")), see(other, html("list for visitor 2"))
	tell(t, rules, []story{
		{"the first order", []step{home, a, b, is(other, held, eligibility.Duplicate), a}, []string{"/", one}},
		{"the other one", []step{home, b, a, is(one, held, eligibility.Duplicate), b}, []string{"/", other}},
		{"other values", []step{home, see(fewer, html("list of all")), b}, []string{"/", fewer, other}},
		{"the first one has left", []step{home, a, b, see(one, head(noIndex)), b}, []string{"/", other}},
		{"and was forgotten", []step{home, a, func(w *world) { w.forget(one) }, noTrace(one), b}, []string{"/"}},
		{"it names itself as canonical", []step{home, a, see(other, head(`<link rel=canonical href="`+other+`">`)), a},
			[]string{"/", other}},
		{"listed and left in one transaction, then forgotten", []step{home, func(w *world) {
			left := visits.Page(one, head(noIndex), w.now.Add(time.Second))
			came := visits.Page(one, html("list for visitor 1"), w.now)
			for _, v := range []*observation.Observation{came, left} {
				w.site.Observe(v, w.record(one))
				w.site.Read(v, true)
			}
			w.update(func(m *Transaction) { m.Apply(came); m.Apply(left) })
			w.forget(one)
		}, noTrace(one)}, []string{"/"}},
	})
	always := eligibility.Rule{Pattern: other, Listing: eligibility.Always}
	run(t, "a rule names the other one", options{rules: append(rules.rules, always)}, func(w *world) {
		home(w)
		a(w)
		b(w)
		a(w)
		w.wantListed("/", other)
	})
	run(t, "a rule names both", options{rules: []eligibility.Rule{
		{Pattern: "/list", Query: []string{"cat"}, Listing: eligibility.Always}}}, func(w *world) {
		home(w)
		a(w)
		b(w)
		w.wantListed("/", one, other)
	})
}

// A list without a query, which a route shows to be public, is its own first page, to which the second one links.
func TestListStandsForItsFirstPageAndGoesOnToDoSo(t *testing.T) {
	const list, first = "/search", "/search?page=1"
	at := func(location, text string) step { return see(location, html(text), route("/search", location == list)) }
	home, edited := see("/", html("home", first)), same+" Cheaper now."

	tell(t, options{}, []story{
		{"the list first", []step{home, at(list, same), at(first, same), is(first, held, eligibility.Duplicate)},
			[]string{"/", list}},
		{"its first page first", []step{home, at(first, same), at(list, same), is(first, held, eligibility.Duplicate)},
			[]string{"/", list}},
		{"after an edit, its first page first", []step{
			home, at(list, same), at(first, same), times(3, at(first, edited), is(first, held, eligibility.Duplicate)),
			at(list, edited), at(first, edited),
		}, []string{"/", list}},
		{"both got other texts", []step{
			home, at(list, same), at(first, same), at(first, edited), at(list, "another list"), at(first, edited),
			is(first, listed, eligibility.ByLink),
		}, []string{"/", list, first}},
		{"the list stays as it is", []step{
			home, at(list, same), at(first, same), at(first, edited), at(list, same), at(first, edited),
		}, []string{"/", list, first}},
		{"nobody asks for the list for a day", []step{
			home, at(list, same), at(first, same), at(first, edited), waits(24 * time.Hour), at(first, edited),
		}, []string{"/", list, first}},
		{"one edit after the other", []step{
			home, at(list, same), at(first, same), at(first, edited), at(first, same), waits(48 * time.Hour),
			at(first, edited), is(first, held, eligibility.Duplicate), at(list, edited), at(first, edited),
		}, []string{"/", list}},
	})
}

// The list may have got the edit too, and nobody may ask for it for a day.
func TestListWhoseFirstPageShowsAnEditIsLookedAt(t *testing.T) {
	w := newWorld(t, options{})
	w.site.Looking = Works
	w.sight("/", html("home", "/search?page=1"), own)
	w.sight("/search", html(same), route("/search", true), own)
	w.sight("/search?page=1", html(same), own)
	w.wantListed("/", "/search")
	w.looks = nil
	w.sight("/search?page=1", html(same+" Cheaper now."), own)
	if !slices.Contains(w.looks, "/search") {
		t.Errorf("%q are to be looked at, and not the list", w.looks)
	}
}

// Some routers answer alike with and without a slash at the end.
func TestSlashAtTheEndMakesNoOtherPage(t *testing.T) {
	with, without := see("/blog/", html(same), route("/blog", true)), see("/blog", html(same), route("/blog", true))
	linked := func(to ...string) step { return see("/", html("home", to...)) }
	tell(t, options{}, []story{
		{"nothing links to it", []step{linked(), with, without, with}, []string{"/", "/blog"}},
		{"the one with a slash is linked", []step{linked("/blog/"), without, with, without}, []string{"/", "/blog/"}},
		{"both are linked", []step{linked("/blog", "/blog/"), with, without, with}, []string{"/", "/blog"}},
	})
}

func TestPagesThatDifferAreListedBoth(t *testing.T) {
	titled := func(title string) string {
		return "<html><head><title>" + title + "</title></head><body>" + same + "</body></html>"
	}
	for _, tt := range []struct{ name, a, b string }{
		{"other titles", titled("one"), titled("two")},
		{"other text", html(same + " One."), html(same + " Two.")},
		{"other images", html(same + "<img src=1.jpg>"), html(same + "<img src=2.jpg>")},
		{"little text in other bytes", "<html><body>ok <!-- 1 -->", "<html><body>ok <!-- 2 -->"},
	} {
		tell(t, options{}, []story{{tt.name, []step{see("/", html("home", "/a", "/b")), see("/a", tt.a), see("/b", tt.b)},
			[]string{"/", "/a", "/b"}}})
	}
}

func TestDuplicateTakesThePlaceOfOneThatLeaves(t *testing.T) {
	for name, leave := range map[string]step{
		"gone":      answers("/a", 410),
		"changed":   see("/a", html(same+" And more.")),
		"forgotten": func(w *world) { w.forget("/a") },
	} {
		run(t, name, options{}, func(w *world) {
			for _, s := range []step{see("/", html("home", "/a", "/b")), see("/a", html(same)), see("/b", html(same)), leave,
				see("/b", html(same))} {
				s(w)
			}
			w.wantVerdict("/b", listed, eligibility.ByLink)
		})
	}
}

func TestTrustedPagesAreNoDuplicates(t *testing.T) {
	home := html(same, "/index.html")
	tell(t, options{}, []story{{"an entry", []step{
		see("/index.html", home, route("/index.html", true)), see("/", home), see("/index.html", home),
		is("/index.html", held, eligibility.Duplicate),
	}, []string{"/"}}})
	tell(t, options{}, []story{
		{"a page that names the entry", []step{see("/", html(same, "/start")), see("/start", variant("/", same)),
			is("/start", excluded, eligibility.CanonicalElsewhere)}, []string{"/"}},
		{"an entry that names another page", []step{see("/", variant("/start", same)),
			see("/start", variant("/start", same))}, []string{"/start"}},
	})
	all, steps := numbered("/v/%02d", 2*eligibility.ClusterSize), []step{see("/", html("home"))}
	for _, l := range all {
		steps = append(steps, see(l, html(same)))
	}
	always := options{rules: []eligibility.Rule{{Pattern: "/v/", Listing: eligibility.Always}}}
	tell(t, always, []story{{"those that a rule lists", steps, append(all, "/")}})
}

func TestPagesThatShowOneErrorTextAreNotListed(t *testing.T) {
	const notFound = "The page was not found. " + same
	run(t, "linked", options{}, func(w *world) {
		links := numbered("/dead-%d", eligibility.ClusterSize+5)
		w.sight("/", html("home", append(links, "/real")...))
		w.sight("/real", html("A real page."))
		for _, l := range links {
			w.sight(l, html(notFound))
		}
		w.wantListed("/", "/real")
		w.wantVerdict(links[0], held, eligibility.SoftNotFound)
	})
	run(t, "a stranger cannot take a real page out by it", options{}, func(w *world) {
		w.sight("/", html("home", "/p/1/blue-shoes"))
		w.sight("/p/1/blue-shoes", html(same))
		for _, l := range numbered("/p/1/junk-%d", 2*eligibility.ClusterSize) {
			w.sight(l, html(same))
		}
		w.sight("/p/1/blue-shoes", html(same))
		w.wantListed("/", "/p/1/blue-shoes")
	})
}

// A site rewrites two old addresses inside, so that both show the page of another one, without a redirect. One of the
// three is listed once that has lasted for a day, and until then the page is not taken for a dead link that entered by
// a content which others borrow.
func TestPageToWhichOldAddressesAreRewrittenStays(t *testing.T) {
	const week, old1, old2, real = 7 * 24 * time.Hour, "/old-a", "/old-b", "/page"
	text := html("What is new of the bridge, in many words that no page has said before.")
	a, b, page := see(old1, text), see(old2, text), see(real, text)
	begins := []step{see("/", html("home", old1, old2)), see(old1, html("old")), see(old2, html("older")), waits(2 * week),
		see("/", html("home, with news", real)), page}
	hourly := func(s ...step) step { return times(72, append(s, waits(time.Hour))...) }
	after := func(s ...step) []step { return append(slices.Clip(begins), s...) }
	all := []string{"/", old1, old2, real}
	tell(t, options{}, []story{
		{"the page is new", after(hourly(page, a, b)), []string{"/", real}},
		{"the page is an hour old", after(waits(time.Hour), hourly(a, b, page)), []string{"/", real}},
		{"the page is a week old", after(waits(week), hourly(a, b, page)), []string{"/", real}},
		{"the old addresses are seen once", after(waits(week), a, b), all},
		{"and not for days afterwards", after(waits(week), a, b, hourly(page)), all},
		{"the page is not seen for days", after(waits(week), hourly(a, b)), []string{"/", old1}},
		{"and then again", after(waits(week), hourly(a, b), hourly(a, b, page)), []string{"/", real}},
	})
}

// An article and the page of its comments show one text, and each names itself canonical.
func TestArticleIsListedAndNotItsCommentPage(t *testing.T) {
	for name, at := range map[string]struct {
		article, comments string
		of                change
	}{
		"paths": {"/2024/01/post/", "/2024/01/post/comment-page-1/",
			func(*observation.Observation) {}},
		"queries that the canonical vouches for": {"/blog?p=1", "/blog?cpage=1&p=1", ownQuery},
	} {
		article := func(text string) step { return see(at.article, variant(at.article, text), at.of) }
		comments := func(text string) step { return see(at.comments, variant(at.comments, text), at.of) }
		home, recent := see("/", html("home", at.article, at.comments, "/recent")),
			see("/recent", html("recent", at.comments))
		want := []string{"/", at.article, "/recent"}
		tell(t, options{}, []story{
			{name + ", the article first", []step{
				home, recent, article(same), comments(same), is(at.comments, held, eligibility.Duplicate),
				comments(same + " A comment."), article(same + " A comment."), is(at.comments, held, eligibility.Duplicate),
			}, want},
			{name + ", the comments first", []step{
				home, recent, comments(same), is(at.comments, listed, eligibility.ByLink), waits(50 * time.Hour),
				article(same), times(5, comments(same), article(same), waits(9*time.Hour)), // and they do not take turns
			}, want},
		})
	}
}

// A wrong setting shows the home page at each address, soon after the home page has changed.
func TestPageThatOthersShowForAWhileKeepsItsDate(t *testing.T) {
	w, pages := withPages(t, 5)
	w.wait(48 * time.Hour)
	w.crawl(pages...)
	news := html("what is new at home", pages...)
	at := w.now.Unix()
	w.sight("/", news)
	known := w.record("/").Rate.Past
	w.wait(time.Hour)
	for range 2 {
		for _, p := range append(pages, "/") {
			w.sight(p, news)
		}
		w.wait(time.Hour)
		w.wantLeft(pages...)
		w.wantLastMod("/", 0) // it is not certain whose content that is
	}
	for _, p := range pages {
		w.sight(p, html(p[1:]))
		w.sight("/", news)
	}
	w.wantLeft(pages...)
	w.wantLastMod("/", at)
	base.Equal(t, w.record("/").Rate.Past, known, "the estimate of / knows of changes")
	for _, p := range append(pages, "/") {
		if p != "/" {
			w.wantLastMod(p, 0)
		}
		if is := w.record(p); is.PendingRemoval != (pagerecord.PendingRemoval{}) || is.Dates.Undone.Date != (lastmod.Date{}) {
			t.Errorf("%s is still thought to show the content of others: %+v", p, is.PendingRemoval)
		}
	}
}

// In a maintenance the home page may be the first to show a text that names it, on all pages. Only noindex acts at
// once.
func TestTextOfAllPagesThatNamesTheHomePageDatesNothing(t *testing.T) {
	w, pages := withPages(t, 5)
	w.wait(48 * time.Hour)
	w.crawl(pages...)
	down := variant("/", "We will be back soon. "+same)
	for _, p := range append([]string{"/"}, pages...) {
		w.sight(p, down)
	}
	w.wantLeft(pages...)
	w.wantLastMod("/", 0)
	w.sight(pages[0], down, robotsTag("noindex"))
	w.wantLeft(pages[1:]...)
	w.sight("/", html("home", pages...))
	base.Equal(t, w.record("/").Rate.Past, rate.History{}, "the estimate of / knows of changes")
}

func TestContentThatAForgottenPageShowedForAWhileIsFree(t *testing.T) {
	w, pages := withPages(t, 3)
	w.wait(48 * time.Hour)
	text := html("what all pages showed for a while")
	for _, p := range pages {
		w.sight(p, text)
	}
	w.forget(pages[0])
	for _, p := range pages[1:] {
		w.sight(p, html(p[1:]))
	}
	w.sight("/", html("home", append(pages, "/own")...))
	w.sight("/own", text)
	w.wantVerdict("/own", listed, eligibility.ByLink)
}

// A link whose address looks like a secret counts once it was seen a day apart, also where the site has learned
// meanwhile what it shows where it has no page, and reads its pages again for that.
func TestLinksAreFollowedAgainAfterTheSiteLearnedWhatItShowsAtNoPage(t *testing.T) {
	for name, learns := range map[string]bool{"it learned nothing": false,
		"it learned an answer beside another shape": true} {
		run(t, name, options{}, func(w *world) {
			const secret = "/share/k3J9xQ2vT7"
			visit := func() {
				w.sight("/a", html("a list", secret))
				w.sight(secret, html("what is shared"))
			}
			w.sight("/", html("home", "/a"))
			visit()
			w.wait(25 * time.Hour)
			if learns {
				w.site.LearnNowhere("/q/*", &nowhere.Page{Location: "/q/made-up", Facts: new(pagehtml.Facts)}, w.now)
				w.wait(time.Second)
			}
			visit()
			w.wantListed("/", "/a", secret)
		})
	}
}

// A site shows "back soon" at all addresses with status 200, whoever asks first: at the log-in page, which all pages
// link to, and at a page with its own route, which leads to the log-in at other times.
func TestContentThatListedPagesTurnedToListsNothing(t *testing.T) {
	all := []string{"/", "/of/tea", "/of/coffee", "/login", "/account"}
	for row, tt := range []struct {
		name, lang string
		looking    Looking
		age        time.Duration
		asked      int // of the pages in the maintenance
	}{
		{"no language", "", Works, time.Minute, 5},
		{"no language, the site never looks", "", Never, 50 * time.Hour, 5},
		{"the same language", ` lang="en"`, Works, 50 * time.Hour, 5},
		{"the same language, the site never looks", ` lang="en"`, Never, time.Minute, 5},
		{"another language", ` lang="de"`, Works, time.Minute, 5},
		{"another language, the site never looks", ` lang="de"`, Never, 50 * time.Hour, 5},
		{"two are asked for", "", Works, time.Minute, 2},
		{"two are asked for, the site never looks", "", Never, time.Minute, 2},
		{"three are asked for", "", Works, 50 * time.Hour, 3},
		{"four are asked for, the site never looks", "", Never, time.Minute, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			soon := strings.Replace(html("We are moving the shelves and will be back"), "<html>", "<html"+tt.lang+">", 1)
			n := 0
			for order := range orders(all) {
				if n++; n%4 != row%4 {
					continue // each row has orders of its own
				}
				s := shop{newWorld(t, options{}), all, ""}
				s.site.Looking = tt.looking
				s.visited(all...)
				s.wait(tt.age)
				s.visited(all...)
				if asked := order[:tt.asked]; !slices.ContainsFunc(asked, func(at string) bool { return s.page(at).Listed() }) {
					continue // nothing tells the content from that of a new page
				}
				s.soon = soon
				for range 2 {
					s.visited(order[:tt.asked]...)
				}
				if tt.asked == len(all) {
					s.wantListed(all[:3]...)
				}
				s.wait(time.Minute)
				s.soon = ""
				s.visited(order...)
				s.wantListed(all[:3]...)
				s.visited(order...)
				s.wantVerdict("/login", excluded, eligibility.PasswordField)
				if p := s.page("/account"); p.Verdict == held || t.Failed() {
					t.Fatalf("/account is %v because of %v, in the order %q", p.Verdict, p.Reason, order)
				}
			}
		})
	}
}

// shop is a site of three pages, a log-in and a page behind that.
type shop struct {
	*world
	pages []string
	soon  string // what all addresses show, "" for each its own
}

// visited lets a visitor get the pages, and the site itself where it then looks.
func (s *shop) visited(pages ...string) {
	s.Helper()
	for _, at := range pages {
		s.looks = nil
		s.get(at)
		looks := slices.Clone(s.looks)
		slices.Sort(looks)
		for _, at := range slices.Compact(looks) {
			s.get(at, own)
		}
	}
}

func (s *shop) get(at string, changes ...change) {
	s.Helper()
	text := strings.Replace(html("the page "+at, s.pages[:4]...), "<html>", `<html lang="en">`, 1)
	switch {
	case s.soon != "" && at == "/account":
		s.sight(at, s.soon, append(changes, route(at, true))...)
	case s.soon != "":
		s.sight(at, s.soon, changes...)
	case at == "/login":
		s.sight(at, text+"<form><input type=password></form>", changes...)
	case at == "/account":
		s.answer(at, http.StatusFound, append(changes, redirect("/login?next="+at))...)
	default:
		s.sight(at, text, changes...)
	}
}

// orders yields the orders of some pages.
func orders(pages []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		if len(pages) == 0 {
			yield(nil)
			return
		}
		for i, first := range pages {
			for rest := range orders(slices.Delete(slices.Clone(pages), i, i+1)) {
				if !yield(append([]string{first}, rest...)) {
					return
				}
			}
		}
	}
}

package ledger

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/robots"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/internal/texts"
)

func TestRulesActOnWhatIsStored(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b/c", "/b/d")
		r.restartWith(admit.Rule{Pattern: "/b/", Listing: admit.Never})
		r.wantListed("/", "/a")
		r.wantVerdict("/b/c", admit.Excluded, admit.RuleNever)
		r.restartWith()
		r.wantListed("/", "/a", "/b/c", "/b/d")
	})
}

func TestAParameterThatIsAllowedLater(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		page := html("in red, and long enough to be told from others: " + same)
		r.sight("/", html("home", "/shop?colour=red"))
		r.sight("/shop?colour=red", page, ownURL)
		r.wantVerdict("/shop?colour=red", admit.Excluded, admit.QueryNotCanonical)
		r.restartWith(admit.Rule{Pattern: "/shop", Query: []string{"colour"}})
		r.sight("/shop?colour=red", page)
		r.wantListed("/", "/shop?colour=red")
	})
}

func TestAParameterThatIsNoLongerAllowed(t *testing.T) {
	inBubble(t, Config{Rules: rules(t, admit.Rule{Pattern: "/shop", Query: []string{"colour"}})}, func(r *rig) {
		r.crawl("/shop?colour=red", "/shop?page=2")
		r.sight("/item?id=5", variant("/item?id=5", "item"), ownURL)
		r.sight("/", html("home", "/shop?colour=red", "/shop?page=2", "/item?id=5"))
		r.wantListed("/", "/item?id=5", "/shop?colour=red", "/shop?page=2")
		r.restartWith()
		r.wantListed("/", "/item?id=5", "/shop?page=2")
		r.wantVerdict("/shop?colour=red", admit.Excluded, admit.QueryNotCanonical)
	})
}

func TestARuleListsALocationThatWaits(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a")
		r.sight("/landing/x", html("landing"))
		r.restartWith(admit.Rule{Pattern: "/landing/x$", Listing: admit.Always})
		r.wantListed("/", "/a", "/landing/x")
	})
}

func TestAPageThatNobodyGetsLeaves(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/old")
		r.keeps(89, "/", "/a")
		r.wantListed("/", "/a", "/old")
		r.keeps(3, "/", "/a")
		r.wantListed("/", "/a")
		r.wantVerdict("/old", admit.Gone, admit.Unseen)
		r.sight("/old", html("old"))
		r.wantListed("/", "/a", "/old")
		r.keeps(190, "/", "/a")
		r.wantNoTrace("/old")
	})
}

func TestASiteThatStoodStillKeepsItsPages(t *testing.T) {
	for name, pause := range map[string]time.Duration{"a year": 365 * 24 * time.Hour, "ten years": 3650 * 24 * time.Hour} {
		runInBubble(t, name, Config{}, func(r *rig) {
			r.crawl("/a", "/b")
			r.stop()
			time.Sleep(pause)
			r.start()
			r.keeps(3, "/")
			r.wantListed("/", "/a", "/b")
			r.keeps(20, "/", "/a")
			r.wantListed("/", "/a")
		})
	}
}

func TestWhatWaitsIsNotKeptForEver(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a")
		r.sight("/orphan", html("nobody links here"))
		r.forget("/a")
		r.keeps(100, "/")
		r.wantVerdict("/orphan", admit.Unknown, admit.None)
		r.wantVerdict("/a", admit.Excluded, admit.Forgotten)
		if n := r.ledger.Stats().Waiting; n != 1 {
			t.Errorf("%d locations wait, want the one that is barred", n)
		}
	})
}

func robotsTxt(r *rig, status int, text string, change ...func(*look.Sighting)) {
	resp := &tap.Response{Status: status, Header: tap.Header{ContentType: "text/plain"}, Body: []byte(text), Complete: true}
	s := &look.Sighting{Kind: admit.RobotsFile, Location: "/robots.txt", At: time.Now(), Response: resp}
	for _, f := range change {
		f(s)
	}
	r.ledger.Offer(s)
	r.flush()
}

func TestRobotsTxtIsObeyed(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/private-area/x", "/b")
		robotsTxt(r, 200, "User-agent: *\nDisallow: /private-area/\n")
		r.wantListed("/", "/a", "/b")
		r.wantVerdict("/private-area/x", admit.Excluded, admit.Disallowed)
		r.wantVerdict("/private-area/never-heard-of", admit.Excluded, admit.Disallowed)
		r.sight("/private-area/x", html("text of /private-area/x"))
		r.restart()
		r.wantListed("/", "/a", "/b")
		robotsTxt(r, 404, "", from(netA))
		r.wantListed("/", "/a", "/b")
		time.Sleep(time.Minute)
		robotsTxt(r, 404, "", from(netB))
		r.wantListed("/", "/a", "/b", "/private-area/x")
	})
}

// What only one visitor gets must not list what the site disallows, nor take out
// what it allows.
func TestAnotherRobotsTxtNeedsASecondNetworkOrAnotherDay(t *testing.T) {
	const strict, lax, other = "User-agent: *\nDisallow: /a\nDisallow: /b", "User-agent: *\nDisallow: /b", "User-agent: *\nDisallow: /c"
	a, b, nobody := from(netA), from(netB), func(*look.Sighting) {}
	later := func(first, second func(*look.Sighting), after time.Duration) func(*rig) {
		return func(r *rig) {
			robotsTxt(r, 200, lax, first)
			time.Sleep(after)
			robotsTxt(r, 200, lax, second)
		}
	}
	before, after := []string{"/", "/c"}, []string{"/", "/a", "/c"}
	for _, tt := range []struct {
		name   string
		do     func(*rig)
		listed []string
	}{
		{"another text takes nothing out", func(r *rig) { robotsTxt(r, 200, other, a) }, before},
		{"and lists nothing anew", func(r *rig) {
			robotsTxt(r, 200, "User-agent: *\nDisallow: /d", a)
			r.sight("/", html("home", "/d"))
			r.sight("/d", html("new"))
		}, before},
		{"less does not list", func(r *rig) { robotsTxt(r, 200, lax, a) }, before},
		{"what held comes back", func(r *rig) {
			robotsTxt(r, 200, other, a)
			robotsTxt(r, 200, strict, b)
		}, before},
		{"two that differ", func(r *rig) {
			robotsTxt(r, 404, "", a)
			time.Sleep(24 * time.Hour)
			robotsTxt(r, 200, lax, b)
		}, before},
		{"another network within the minute", later(a, b, 50*time.Second), before},
		{"another network a minute later", later(a, b, time.Minute), after},
		{"the same network soon", later(a, a, 23*time.Hour), before},
		{"the same network a day later", later(a, a, 24*time.Hour), after},
		{"unknown networks soon", later(nobody, nobody, 23*time.Hour), before},
		{"one of a known and one of an unknown network", later(a, nobody, 23*time.Hour), before},
		{"unknown networks a day later", later(nobody, nobody, 24*time.Hour), after},
		{"what held was seen in between", func(r *rig) {
			robotsTxt(r, 200, lax, a)
			time.Sleep(time.Minute)
			robotsTxt(r, 200, strict, b)
			robotsTxt(r, 200, lax, b)
			time.Sleep(23 * time.Hour)
			robotsTxt(r, 200, lax, b)
		}, before},
		{"another network, and a restart in between", func(r *rig) {
			robotsTxt(r, 200, lax, a)
			r.restart()
			time.Sleep(time.Minute)
			robotsTxt(r, 200, lax, b)
		}, after},
		{"the same network soon, and a restart in between", func(r *rig) {
			robotsTxt(r, 200, lax, a)
			r.restart()
			time.Sleep(time.Minute)
			robotsTxt(r, 200, lax, a)
		}, before},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.crawl("/a", "/b", "/c")
			robotsTxt(r, 200, strict, a)
			tt.do(r)
			r.wantListed(tt.listed...)
			r.restart()
			r.wantListed(tt.listed...)
		})
	}
}

func TestARobotsTxtThatCannotBeRead(t *testing.T) {
	var zipped bytes.Buffer
	zw := gzip.NewWriter(&zipped)
	fmt.Fprint(zw, "User-agent: *\nDisallow: /b\n"+strings.Repeat("# comment\n", 1000))
	zw.Close()
	for name, body := range map[string][]byte{"damaged": []byte("\x1f\x8bnonsense"), "cut off": zipped.Bytes()[:zipped.Len()/2]} {
		runInBubble(t, name, Config{}, func(r *rig) {
			r.crawl("/a", "/b")
			robotsTxt(r, 200, "User-agent: *\nDisallow: /a")
			for range 3 {
				time.Sleep(time.Minute)
				resp := &tap.Response{Status: 200, Header: tap.Header{ContentType: "text/plain", ContentEncoding: "gzip"}, Body: body, Complete: true}
				r.ledger.Offer(&look.Sighting{Kind: admit.RobotsFile, Location: "/robots.txt", At: time.Now(), Response: resp})
				r.flush()
			}
			r.wantListed("/", "/b")
		})
	}
}

func TestALongRobotsTxtIsKept(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/last")
		var text strings.Builder
		text.WriteString("User-agent: *\n")
		for i := range 15_000 {
			fmt.Fprintf(&text, "Disallow: /some/folder/%d/\n", i)
		}
		text.WriteString("Disallow: /last\n")
		robotsTxt(r, 200, text.String())
		r.wantListed("/", "/a")
		r.restart()
		r.wantListed("/", "/a")
		r.wantVerdict("/last", admit.Excluded, admit.Disallowed)
	})
}

func TestTheOwnersRobotsTxtHolds(t *testing.T) {
	inBubble(t, Config{Robots: robots.Parse([]byte("User-agent: *\nDisallow: /a"))}, func(r *rig) {
		r.crawl("/a", "/b")
		robotsTxt(r, 200, "User-agent: *\nDisallow: /b")
		r.wantListed("/", "/b")
	})
}

func TestCountsByVerdict(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b", "/c")
		r.sight("/orphan", html("nobody links here"))
		r.sight(secretPage, html("secret"))
		r.answer("/c", 410)
		want := map[Count]bool{
			{admit.Listed, admit.ByEntry, 1}: true, {admit.Listed, admit.ByLink, 2}: true, {admit.Gone, admit.StatusGone, 1}: true,
			{admit.Waiting, admit.NoEvidence, 1}: true, {admit.Held, admit.Capability, 1}: true,
		}
		check := func(when string) {
			t.Helper()
			got := r.ledger.Stats().Counts
			for _, c := range got {
				if !want[c] {
					t.Errorf("%s: %d are %v because of %v", when, c.Pages, c.Verdict, c.Reason)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: counts %v, want %v", when, got, want)
			}
		}
		check("as it went")
		r.restart()
		check("after a restart")
		r.forget("/b")
		delete(want, Count{admit.Listed, admit.ByLink, 2})
		want[Count{admit.Listed, admit.ByLink, 1}], want[Count{admit.Excluded, admit.Forgotten, 1}] = true, true
		check("after Forget")
		r.keeps(100, "/", "/a")
		delete(want, Count{admit.Waiting, admit.NoEvidence, 1})
		delete(want, Count{admit.Held, admit.Capability, 1})
		check("after what waited has gone")
	})
}

func TestTallyOfAPassBesideChanges(t *testing.T) {
	listed, waiting := merge.Standing{Verdict: admit.Listed, Reason: admit.ByLink}, merge.Standing{Verdict: admit.Waiting, Reason: admit.NoEvidence}
	var l tally
	l.begin()
	l.count("a", listed)
	l.count("c", waiting)
	l.moved([]merge.Move{{Key: "b", From: merge.Standing{}, To: listed}, {Key: "c", From: waiting, To: listed}, {Key: "d", From: merge.Standing{}, To: listed}}) // two behind the pass, one before it
	l.count("d", listed)
	l.pass("m")
	l.moved([]merge.Move{{Key: "e", From: merge.Standing{}, To: listed}, {Key: "n", From: merge.Standing{}, To: waiting}}) // one behind it again
	l.end()
	if got := l.listed(); got != 5 {
		t.Errorf("%d are listed, want 5", got)
	}
	l.moved([]merge.Move{{Key: "a", From: listed, To: merge.Standing{}}})
	if got := l.counted(); len(got) != 1 || got[0] != (Count{admit.Listed, admit.ByLink, 4}) {
		t.Errorf("counts %v", got)
	}
}

func TestUnavailableAfter(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/offer", "/event"))
		until := time.Now().Add(time.Hour).UTC()
		r.sight("/offer", html("offer"), robotsTag("unavailable_after: "+until.Format(time.RFC1123)))
		r.sight("/event", fmt.Sprintf(`<html><head><meta name=robots content="unavailable_after: %s"></head><body>event</body></html>`, until.Format(time.RFC3339)))
		r.wantListed("/", "/offer", "/event")
		time.Sleep(time.Hour + time.Minute)
		if got := r.files.Listed(); got != 1 {
			t.Errorf("%d pages are served after their end", got)
		}
		r.sight("/event", fmt.Sprintf(`<html><head><meta name=robots content="unavailable_after: %s"></head><body>event</body></html>`, until.Format(time.RFC3339)))
		r.wantVerdict("/event", admit.Excluded, admit.NoIndex)
	})
}

// A page whose time is up leaves the files at once. At the next review no other page
// names it any more, and those who follow the changes hear of it.
func TestAPageThatHasEndedIsNamedByNoOtherAfterAReview(t *testing.T) {
	inBubble(t, Config{Extensions: sitemap.Alternates}, func(r *rig) {
		until := time.Now().Add(time.Hour).UTC()
		r.sight("/", html("home", "/de", "/en"))
		for range 2 {
			r.sight("/de", inLanguages("hallo", "de=/de", "en=/en"), robotsTag("unavailable_after: "+until.Format(time.RFC1123)))
			r.sight("/en", inLanguages("hello", "de=/de", "en=/en"))
		}
		r.flush()
		r.wantAlternates("/en", "de=/de")
		time.Sleep(time.Until(until) + 5*time.Second) // nobody visits the site meanwhile
		if file, _ := r.file(); strings.Contains(file, "<loc>https://example.com/de</loc>") {
			t.Errorf("the file lists a page that has ended:\n%s", file)
		}
		time.Sleep(36 * time.Hour)
		r.wantListed("/", "/en")
		r.wantAlternates("/en")
		r.wantEvents(until.Add(-time.Second), "removed /de")
		if file, _ := r.file(); strings.Contains(file, "/de") {
			t.Errorf("the file names a page that has ended:\n%s", file)
		}
	})
}

func TestHints(t *testing.T) {
	shell := `<html><head><title>App</title></head><body><div id=app></div><script src=/app.js></script></body></html>`
	for _, tt := range []struct {
		name string
		do   func(*rig)
		want hint.Hint // 0 for none
	}{
		{"nothing wrong", func(r *rig) { r.crawl("/a", "/b") }, 0},
		{"an entry that links nowhere", func(r *rig) { r.sight("/", html("home")) }, hint.DeadEnd},
		{"a client-side application", func(r *rig) {
			r.sight("/", shell+"<a href=/a></a>")
			for i := range shellsNeeded {
				r.sight(fmt.Sprintf("/p%d", i), shell+"<a href=/a></a>")
			}
		}, hint.ClientApp},
		{"a few pages like the entry", func(r *rig) {
			r.sight("/", shell+"<a href=/a></a>")
			for range 10 {
				r.sight("/index.html", shell+"<a href=/a></a>")
			}
		}, 0},
		{"queries of the entry that change nothing", func(r *rig) {
			r.sight("/", shell+"<a href=/a></a>")
			for i := range shellsNeeded {
				r.sight(fmt.Sprint("/?s=", i), shell+"<a href=/a></a>", ownURL)
			}
		}, 0},
		{"queries of one page that shows what the entry does", func(r *rig) {
			r.sight("/", shell+"<a href=/a></a>")
			for i := range shellsNeeded {
				r.sight(fmt.Sprint("/start?do=", i), shell+"<a href=/a></a>", ownURL)
			}
		}, 0},
		{"an entry that is noindex", func(r *rig) {
			r.sight("/", "<html><head><meta name=robots content=noindex></head><body>x</body></html>")
		}, hint.NoIndex},
		{"an entry with a canonical elsewhere", func(r *rig) { r.sight("/", variant("https://www.other.example/", same)) }, hint.Canonical},
		{"an entry with a canonical on the site", func(r *rig) { r.sight("/", variant("/home", same)) }, 0},
		{"an entry that is denied", func(r *rig) { r.answer("/", 401) }, hint.Entry},
		{"a page that is denied", func(r *rig) { r.answer("/a", 401) }, 0},
		{"robots.txt forbids the entry", func(r *rig) { robotsTxt(r, 200, "User-agent: *\nDisallow: /") }, hint.Robots},
		{"robots.txt forbids something else", func(r *rig) { robotsTxt(r, 200, "User-agent: *\nDisallow: /admin") }, 0},
		{"an entry that leads to www", func(r *rig) { r.answer("/", 301, redirect("https://www.example.com/")) }, hint.WWW},
		{"an entry that leads to another host", func(r *rig) { r.answer("/", 301, redirect("https://shop.example.com/")) }, 0},
		{"a page that leads to www", func(r *rig) { r.answer("/a", 301, redirect("https://www.example.com/a")) }, 0},
		{"an entry that names www as canonical", func(r *rig) { r.sight("/", variant("https://www.example.com/", same)) }, hint.WWW},
		{"an entry all links of which lead to www", func(r *rig) { r.sight("/", html("home", "https://www.example.com/a", "//www.example.com/b")) }, hint.WWW},
		{"an entry some links of which lead to www", func(r *rig) { r.sight("/", html("home", "https://www.example.com/a", "/b")) }, 0},
		{"an entry that says nofollow", func(r *rig) {
			r.sight("/", "<html><head><title>t</title><meta name=robots content=nofollow></head><body><a href=/a></a>x</body></html>")
		}, hint.NoFollow},
		{"an entry that says nofollow in its header", func(r *rig) {
			r.sight("/", html("home", "/a"), robotsTag("nofollow"))
		}, hint.NoFollow},
		{"a page that says nofollow", func(r *rig) {
			r.crawl("/a")
			r.sight("/a", html("another", "/b"), robotsTag("nofollow"))
		}, 0},
		{"pages that differ by their query", func(r *rig) { byQueries(r, censusLeast, 0) }, hint.Query},
		{"few pages that differ by their query", func(r *rig) { byQueries(r, censusLeast-1, 0) }, 0},
		{"as many that do not", func(r *rig) { byQueries(r, censusLeast, censusLeast) }, 0},
		{"more pages that are listed, and links to many queries", func(r *rig) {
			var links []string
			for i := range 3 * censusLeast {
				links = append(links, fmt.Sprint("/index.php?p=", i))
			}
			r.sight("/", html("home", links...))
			for i := range censusLeast + 5 {
				r.sight("/", html("home", fmt.Sprint("/plain/", i)))
				r.sight(fmt.Sprint("/plain/", i), html(fmt.Sprint("plain ", i)))
			}
			for _, location := range links[:censusLeast+2] {
				r.sight(location, html("page "+location), ownURL)
			}
		}, 0},
		{"pages that differ by their query and name themselves", func(r *rig) {
			byQueries(r, censusLeast, 0, func(location string) string { return location })
		}, 0},
		{"pages that differ by their query and name another", func(r *rig) {
			byQueries(r, censusLeast, 0, func(string) string { return "/" })
		}, 0},
		{"a stranger's queries", func(r *rig) {
			r.sight("/", html("home", "/a"))
			for i := range 2 * censusLeast {
				r.sight(fmt.Sprint("/?q=", i), html(fmt.Sprint("page ", i)), ownURL)
			}
		}, 0},
		{"pages whose locations look like secrets", func(r *rig) { byTokens(r, censusLeast, 0) }, hint.Tokens},
		{"few pages whose locations look like secrets", func(r *rig) { byTokens(r, censusLeast-1, 0) }, 0},
		{"as many whose locations do not", func(r *rig) { byTokens(r, censusLeast, censusLeast) }, 0},
		{"share links that nothing links to", func(r *rig) {
			r.sight("/", html("home", "/a"))
			for i := range 2 * censusLeast {
				r.sight(token(i), html(fmt.Sprint("page ", i)))
			}
		}, 0},
		{"hardly any page listed for minutes", func(r *rig) { orphans(r, fewPages-1); time.Sleep(fewFor) }, hint.Few},
		{"hardly any page listed at first", func(r *rig) { orphans(r, fewPages-1); time.Sleep(fewFor - time.Minute) }, 0},
		{"hardly any page listed of few", func(r *rig) { orphans(r, fewPages-2); time.Sleep(fewFor) }, 0},
		{"a share of the pages listed", func(r *rig) {
			orphans(r, fewPages)
			r.crawl("/1", "/2", "/3", "/4", "/5")
			time.Sleep(fewFor)
		}, 0},
		{"hardly any page listed as the owner wants it", func(r *rig) {
			r.sight("/", html("home", "/a"))
			for i := range fewPages {
				r.sight(fmt.Sprint("/never/", i), html(fmt.Sprint("page ", i)))
			}
			time.Sleep(fewFor)
		}, 0},
		{"many withdrawals", func(r *rig) {
			pages := numbered("/p%d", 30)
			r.crawl(pages...)
			for _, p := range pages[:25] {
				r.answer(p, 410)
			}
		}, hint.Withdrawals},
		{"many withdrawals in a long time", func(r *rig) {
			pages := numbered("/p%d", 30)
			r.crawl(pages...)
			for _, p := range pages[:25] {
				r.answer(p, 410)
				time.Sleep(time.Hour)
			}
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			never, err := admit.NewRules([]admit.Rule{{Pattern: "/never/", Listing: admit.Never}})
			if err != nil {
				t.Fatal(err)
			}
			inBubble(t, Config{Rules: never}, func(r *rig) {
				tt.do(r)
				got := r.hints.Given()
				if tt.want == 0 && len(got) > 0 || tt.want != 0 && (len(got) != 1 || got[0] != tt.want) {
					t.Errorf("hints %q, want %q", r.hints.Texts(), texts.Hint(tt.want))
				}
			})
		})
	}
}

// byQueries has visitors follow links to pages with a query, and to plain ones.
// canonical returns what a page with a query names as its canonical one.
func byQueries(r *rig, queries, plain int, canonical ...func(location string) string) {
	var withQuery, without []string
	for i := range queries {
		withQuery = append(withQuery, fmt.Sprint("/index.php?p=", i))
	}
	for i := range plain {
		without = append(without, fmt.Sprint("/plain/", i))
	}
	r.sight("/", html("home", slices.Concat(withQuery, without)...))
	for _, location := range withQuery {
		body := html("page " + location)
		for _, name := range canonical {
			body = strings.Replace(body, "<head>", `<head><link rel=canonical href="`+name(location)+`">`, 1)
		}
		r.sight(location, body, ownURL)
	}
	for _, location := range without {
		r.sight(location, html("page "+location))
	}
}

func token(i int) string { return fmt.Sprintf("/watch/3f2504e0-4f89-41d3-9a0c-0305e82c%04x", i) }

// byTokens does that with pages whose locations look like secrets.
func byTokens(r *rig, tokens, plain int) {
	var links []string
	for i := range tokens {
		links = append(links, token(i))
	}
	for i := range plain {
		links = append(links, fmt.Sprint("/plain/", i))
	}
	r.sight("/", html("home", links...))
	for _, location := range links {
		r.sight(location, html("page "+location))
	}
}

// orphans has visitors get pages that nothing links to.
func orphans(r *rig, n int) {
	r.sight("/", html("home", "/a"))
	for i := range n {
		r.sight(fmt.Sprint("/orphans/", i), html(fmt.Sprint("page ", i)))
	}
}

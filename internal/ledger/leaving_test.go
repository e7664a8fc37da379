package ledger

import (
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

func TestWithdrawalAtOnce(t *testing.T) {
	for _, tt := range []struct {
		name    string
		see     func(r *rig)
		verdict admit.Verdict
		reason  admit.Reason
	}{
		{"410", func(r *rig) { r.answer("/a", http.StatusGone) }, admit.Gone, admit.StatusGone},
		{"private", func(r *rig) { r.answer("/a", 200, cacheControl("private, max-age=60")) }, admit.Excluded, admit.Private},
		{"no-store", func(r *rig) { r.answer("/a", 200, cacheControl("max-age=0, No-Store")) }, admit.Excluded, admit.NoStore},
		{"noindex header", func(r *rig) {
			r.sight("/a", html("a"), robotsTag("noindex"))
		}, admit.Excluded, admit.NoIndex},
		{"noindex for a named robot", func(r *rig) {
			r.sight("/a", html("changed"), robotsTag("max-snippet:5\ngooglebot: noindex, nofollow"))
		}, admit.Excluded, admit.NoIndex},
		{"noindex meta", func(r *rig) {
			r.sight("/a", "<html><head><META CONTENT='NoIndex,follow' NAME=Robots></head><body>a</body></html>")
		}, admit.Excluded, admit.NoIndex},
		{"unavailable_after has passed", func(r *rig) {
			r.sight("/a", `<html><head><meta name="robots" content="unavailable_after: 1999-12-31"></head><body>a</body></html>`)
		}, admit.Excluded, admit.NoIndex},
		{"moved on the site", func(r *rig) { r.answer("/a", http.StatusMovedPermanently, redirect("/b")) }, admit.Gone, admit.Moved},
	} {
		runWithPage(t, tt.name, func(r *rig) {
			tt.see(r)
			r.wantListed("/")
			r.wantVerdict("/a", tt.verdict, tt.reason)
			r.restart()
			r.wantListed("/")
			r.sight("/a", html("a is back"))
			r.wantListed("/", "/a")
		})
	}
}

func TestDoubtTakesAMinute(t *testing.T) {
	page := html
	withHead := func(head string) func(*rig) {
		return func(r *rig) { r.sight("/a", "<html><head>"+head+"</head><body>another text</body></html>") }
	}
	for _, tt := range []struct {
		name   string
		doubt  func(r *rig)
		reason admit.Reason
	}{
		{"canonical elsewhere", withHead(`<link rel=canonical href="https://example.com/b">`), admit.CanonicalElsewhere},
		{"canonical on another host", withHead(`<link rel=canonical href="https://other.example/a">`), admit.CanonicalElsewhere},
		{"canonicals that differ", func(r *rig) {
			r.sight("/a", `<html><head><link rel=canonical href="/a"></head><body>a</body></html>`,
				header(func(h *tap.Header) { h.Link = `</b>; rel="canonical"` }))
		}, admit.CanonicalElsewhere},
		{"two canonicals", withHead(`<link rel=canonical href="/a"><link rel=canonical href="/b">`), admit.CanonicalConflict},
		{"encoded in a way that cannot be read", func(r *rig) {
			r.sight("/a", "scrambled", header(func(h *tap.Header) { h.ContentEncoding = "x-own" }))
		}, admit.Encoding},
		{"404", func(r *rig) { r.answer("/a", http.StatusNotFound) }, admit.NotFound},
	} {
		runWithPage(t, tt.name, func(r *rig) {
			start := time.Now()
			tt.doubt(r)
			r.wait(59*time.Second - time.Since(start))
			r.wantListed("/", "/a")
			r.wait(2 * time.Second)
			r.wantListed("/")
			if p := r.page("/a"); p.Reason != tt.reason || p.Verdict == admit.Listed {
				r.Errorf("/a is %v because of %v, want it out because of %v", p.Verdict, p.Reason, tt.reason)
			}
			r.sight("/a", page("a"))
			r.wantListed("/", "/a")
		})
		runWithPage(t, tt.name+" and a witness in between", func(r *rig) {
			tt.doubt(r)
			time.Sleep(30 * time.Second)
			r.sight("/a", page("a"))
			r.wait(2 * time.Minute)
			r.wantListed("/", "/a")
			if len(r.ledger.doubts.of) != 0 {
				r.Errorf("doubts remain: %v", r.ledger.doubts)
			}
		})
		runWithPage(t, tt.name+" and a restart in between", func(r *rig) {
			tt.doubt(r)
			r.restart()
			r.wait(61 * time.Second)
			r.wantListed("/")
		})
	}
}

func TestADoubtIsActedOnWithoutAVisitor(t *testing.T) {
	withPage(t, func(r *rig) {
		r.answer("/a", http.StatusNotFound)
		time.Sleep(70 * time.Second) // nobody calls Flush
		r.wantListed("/")
	})
}

func TestWhatRemovesNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		target string
	}{
		{"302", http.StatusFound, "/elsewhere"},
		{"303", http.StatusSeeOther, "/elsewhere"},
		{"307", http.StatusTemporaryRedirect, "https://other.example/"},
		{"429", http.StatusTooManyRequests, ""},
		{"500", http.StatusInternalServerError, ""},
		{"503", http.StatusServiceUnavailable, ""},
		{"304", http.StatusNotModified, ""},
		{"to itself for good", http.StatusMovedPermanently, "http://example.com/a"},
	} {
		runWithPage(t, tt.name, func(r *rig) {
			resp := &tap.Response{Status: tt.status, Complete: true, Header: tap.Header{Location: tt.target}}
			kind, why := admit.Response(http.MethodGet, "/a", resp)
			if kind == admit.Nothing {
				return
			}
			r.ledger.Offer(&look.Sighting{Kind: kind, Reason: why, Location: "/a", At: time.Now(), Response: resp})
			r.flush()
			r.wait(2 * time.Minute)
			r.wantListed("/", "/a")
		})
	}
}

func TestNothingIsRememberedOfJunk(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home"))
		before := r.dump()
		for _, status := range []int{401, 403, 404, 410, 301, 302, 304} {
			r.answer("/junk", status, redirect("/junk2"))
		}
		r.wait(2 * time.Minute)
		if after := r.dump(); len(after) != len(before) {
			t.Errorf("%d records, there were %d before the junk", len(after), len(before))
		}
	})
}

func TestAMoveForGoodTakesTheHistoryAlong(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		r.sight("/a", html("one"))
		first := r.page("/a").FirstSeen
		time.Sleep(time.Hour)
		r.sight("/a", html("two"))
		changed := r.lastMod("/a")
		time.Sleep(time.Hour)
		r.answer("/a", http.StatusMovedPermanently, redirect("/b"))
		r.sight("/b", html("two"))
		r.wantListed("/", "/b")
		if got := r.page("/b").FirstSeen; !got.Equal(first) {
			t.Errorf("first seen %v, want that of the old location, %v", got, first)
		}
		if got := r.lastMod("/b"); got != changed || got == 0 {
			t.Errorf("lastmod %d, want that of the old location, %d", got, changed)
		}
	})
}

func TestAPermanentRedirectOnAPublicLinkLeadsToAPublicPage(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/docs/index.html", "/temporary"))
		r.answer("/docs/index.html", http.StatusMovedPermanently, redirect("./"))
		r.answer("/temporary", http.StatusFound, redirect("/session/1"))
		r.sight("/docs/", html("docs"))
		r.sight("/session/1", html("s"))
		r.wantListed("/", "/docs/")
	})
}

func TestALinkedRedirectThatLeadsEachVisitorElsewhere(t *testing.T) {
	moves := func(r *rig, to, network string) {
		r.answer("/room", http.StatusMovedPermanently, redirect(to), from(network))
		time.Sleep(2 * time.Second)
	}
	for _, tt := range []struct {
		name   string
		do     func(*rig)
		listed bool
	}{
		{"to a page of his own", func(r *rig) { moves(r, "/rooms/blue", netA); moves(r, "/rooms/red", netB) }, false},
		{"one visitor, twice", func(r *rig) { moves(r, "/rooms/blue", netA); moves(r, "/rooms/blue", netA) }, false},
		{"everybody to one page", func(r *rig) { moves(r, "/rooms/blue", netA); moves(r, "/rooms/blue", netB) }, true},
		{"the same page a day later", func(r *rig) {
			moves(r, "/rooms/blue", netA)
			time.Sleep(24 * time.Hour)
			moves(r, "/rooms/blue", netA)
		}, true},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/room"))
			tt.do(r)
			r.sight("/rooms/blue", html("blue"))
			if got := r.page("/rooms/blue").Verdict == admit.Listed; got != tt.listed {
				r.Errorf("listed: %t, want %t", got, tt.listed)
			}
		})
	}
}

func TestWhatAnEntryAndALinkAnswerIsRemembered(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.answer("/", http.StatusFound, redirect("/en/"))
		if got := r.page("/").Status; got != http.StatusFound {
			t.Errorf("the entry is remembered with the status %d", got)
		}
		r.sight("/en/", html("home", "/mine"))
		r.answer("/mine", http.StatusOK, header(func(h *tap.Header) { h.ContentType, h.CacheControl = "text/html", "private" }))
		r.wantVerdict("/mine", admit.Excluded, admit.Private)
		r.sight("/mine", html("public by now"))
		r.wantListed("/en/", "/mine")
	})
}

func TestWhatAPageSaysWithoutBeingSentCounts(t *testing.T) {
	for name, say := range map[string]func(*tap.Header){
		"private": func(h *tap.Header) { h.CacheControl = "private" },
		"noindex": func(h *tap.Header) { h.RobotsTag = "noindex" },
	} {
		runInBubble(t, name, Config{}, func(r *rig) {
			r.crawl("/a")
			r.answer("/a", http.StatusNotModified, header(say))
			r.wantListed("/")
			r.sight("/a", html("a"))
			r.wantListed("/", "/a")
		})
	}
}

func TestAWithdrawnPageIsLookedAtAgain(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a")
		before := r.looked["/a"]
		r.sight("/a", variant("https://evil.example/", same))
		if r.looked["/a"] == before {
			t.Error("a visitor in the minute after would not be noticed")
		}
	})
}

package ledger

import (
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

func TestPageLeavesAtOnce(t *testing.T) {
	answers := func(status int, change ...func(*look.Sighting)) func(*rig) {
		return func(r *rig) { r.answer("/a", status, change...) }
	}
	shows := func(body string, change ...func(*look.Sighting)) func(*rig) {
		return func(r *rig) { r.sight("/a", body, change...) }
	}
	for _, tt := range []struct {
		name    string
		see     func(r *rig)
		verdict admit.Verdict
		reason  admit.Reason
	}{
		{"410", answers(http.StatusGone), admit.Gone, admit.StatusGone},
		{"private", answers(200, cacheControl("private, max-age=60")), admit.Excluded, admit.Private},
		{"private, not modified", answers(304, cacheControl("private")), admit.Excluded, admit.Private},
		{"no-store", answers(200, cacheControl("max-age=0, No-Store")), admit.Excluded, admit.NoStore},
		{"noindex header", shows(html("a"), robotsTag("noindex")), admit.Excluded, admit.NoIndex},
		{"noindex header, not modified", answers(304, robotsTag("noindex")), admit.Excluded, admit.NoIndex},
		{"noindex for a named robot", shows(html("changed"), robotsTag("max-snippet:5\ngooglebot: noindex, nofollow")), admit.Excluded, admit.NoIndex},
		{"noindex meta", shows("<html><head><META CONTENT='NoIndex,follow' NAME=Robots></head><body>a</body></html>"), admit.Excluded, admit.NoIndex},
		{"unavailable_after has passed", shows(`<html><head><meta name="robots" content="unavailable_after: 1999-12-31"></head><body>a</body></html>`), admit.Excluded, admit.NoIndex},
		{"moved on the site", answers(http.StatusMovedPermanently, redirect("/b")), admit.Gone, admit.Moved},
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

func TestPageLeavesAMinuteAfter(t *testing.T) {
	shows := func(head string, change ...func(*look.Sighting)) func(*rig) {
		return func(r *rig) {
			r.sight("/a", "<html><head>"+head+"</head><body>another text</body></html>", change...)
		}
	}
	for _, tt := range []struct {
		name   string
		doubt  func(r *rig)
		reason admit.Reason
	}{
		{"canonical elsewhere", shows(`<link rel=canonical href="https://example.com/b">`), admit.CanonicalElsewhere},
		{"canonical on another host", shows(`<link rel=canonical href="https://other.example/a">`), admit.CanonicalElsewhere},
		{"canonicals that differ", shows(`<link rel=canonical href="/a">`, header(func(h *tap.Header) { h.Link = `</b>; rel="canonical"` })), admit.CanonicalElsewhere},
		{"two canonicals", shows(`<link rel=canonical href="/a"><link rel=canonical href="/b">`), admit.CanonicalConflict},
		{"encoded in a way that cannot be read", func(r *rig) {
			r.sight("/a", "scrambled", header(func(h *tap.Header) { h.ContentEncoding = "x-own" }))
		}, admit.Encoding},
		{"404", func(r *rig) { r.answer("/a", http.StatusNotFound) }, admit.NotFound},
	} {
		runWithPage(t, tt.name, func(r *rig) {
			start, looked := time.Now(), r.looked["/a"]
			tt.doubt(r)
			if tt.reason != admit.NotFound && r.looked["/a"] == looked {
				r.Error("a visitor in the minute after would not be noticed")
			}
			r.wait(59*time.Second - time.Since(start))
			r.wantListed("/", "/a")
			time.Sleep(11 * time.Second) // nobody calls Flush
			r.wantListed("/")
			if p := r.page("/a"); p.Reason != tt.reason || p.Verdict == admit.Listed {
				r.Errorf("/a is %v because of %v, want it out because of %v", p.Verdict, p.Reason, tt.reason)
			}
			r.sight("/a", html("a"))
			r.wantListed("/", "/a")
		})
		runWithPage(t, tt.name+", not with a witness in between", func(r *rig) {
			tt.doubt(r)
			time.Sleep(30 * time.Second)
			r.sight("/a", html("a"))
			r.wait(2 * time.Minute)
			r.wantListed("/", "/a")
			r.wantNoSuspects()
		})
		runWithPage(t, tt.name+", with a restart in between", func(r *rig) {
			tt.doubt(r)
			r.restart()
			r.wait(61 * time.Second)
			r.wantListed("/")
		})
	}
}

func TestAnswersThatRemoveNothing(t *testing.T) {
	for _, tt := range []struct {
		status int
		target string
	}{
		{http.StatusFound, "/elsewhere"},
		{http.StatusSeeOther, "/elsewhere"},
		{http.StatusTemporaryRedirect, "https://other.example/"},
		{http.StatusTooManyRequests, ""},
		{http.StatusInternalServerError, ""},
		{http.StatusServiceUnavailable, ""},
		{http.StatusNotModified, ""},
		{http.StatusMovedPermanently, "http://example.com/a"}, // to itself
	} {
		runWithPage(t, http.StatusText(tt.status), func(r *rig) {
			s := answered("/a", tt.status, redirect(tt.target))
			if s.Kind == admit.Nothing {
				return
			}
			r.offer(s)
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

func TestMoveForGoodTakesTheHistoryAlong(t *testing.T) {
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

func TestPermanentRedirectOnAPublicLinkLeadsToAPublicPage(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/docs/index.html", "/temporary"))
		r.answer("/docs/index.html", http.StatusMovedPermanently, redirect("./"))
		r.answer("/temporary", http.StatusFound, redirect("/session/1"))
		r.sight("/docs/", html("docs"))
		r.sight("/session/1", html("s"))
		r.wantListed("/", "/docs/")
	})
}

func TestLinkedRedirectThatLeadsEachVisitorElsewhere(t *testing.T) {
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

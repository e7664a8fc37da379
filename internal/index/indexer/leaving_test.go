package indexer

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

func TestPageLeavesAtOnce(t *testing.T) {
	answers := func(status int, change ...func(*observation.Exchange)) func(*rig) {
		return func(r *rig) { r.answer("/a", status, change...) }
	}
	shows := func(body string, change ...func(*observation.Exchange)) func(*rig) {
		return func(r *rig) { r.sight("/a", body, change...) }
	}
	for _, tt := range []struct {
		name    string
		see     func(r *rig)
		verdict eligibility.Verdict
		reason  eligibility.Reason
	}{
		{"410", answers(http.StatusGone), eligibility.Gone, eligibility.StatusGone},
		{"private", answers(200, cacheControl("private, max-age=60")), eligibility.Excluded, eligibility.Private},
		{"private, not modified", answers(304, cacheControl("private")), eligibility.Excluded, eligibility.Private},
		{"no-store", answers(200, cacheControl("max-age=0, No-Store")), eligibility.Excluded, eligibility.NoStore},
		{"noindex header", shows(html("a"), robotsTag("noindex")), eligibility.Excluded, eligibility.NoIndex},
		{"noindex header, not modified", answers(304, robotsTag("noindex")), eligibility.Excluded, eligibility.NoIndex},
		{"noindex for a named robot", shows(html("changed"), robotsTag("max-snippet:5\ngooglebot: noindex, nofollow")), eligibility.Excluded, eligibility.NoIndex},
		{"noindex meta", shows("<html><head><META CONTENT='NoIndex,follow' NAME=Robots></head><body>a</body></html>"), eligibility.Excluded, eligibility.NoIndex},
		{"unavailable_after has passed", shows(`<html><head><meta name="robots" content="unavailable_after: 1999-12-31"></head><body>a</body></html>`), eligibility.Excluded, eligibility.NoIndex},
		{"moved on the site", answers(http.StatusMovedPermanently, redirect("/b")), eligibility.Gone, eligibility.Moved},
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

func TestPageInDoubtLeavesAfterAMinute(t *testing.T) {
	shows := func(head string, change ...func(*observation.Exchange)) func(*rig) {
		return func(r *rig) {
			r.sight("/a", "<html><head>"+head+"</head><body>another text</body></html>", change...)
		}
	}
	for _, tt := range []struct {
		name   string
		doubt  func(r *rig)
		reason eligibility.Reason
	}{
		{"canonical elsewhere", shows(`<link rel=canonical href="https://example.com/b">`), eligibility.CanonicalElsewhere},
		{"canonical on another host", shows(`<link rel=canonical href="https://other.example/a">`), eligibility.CanonicalElsewhere},
		{"canonicals that differ", shows(`<link rel=canonical href="/a">`, header(func(h *response.Header) { h.Link = `</b>; rel="canonical"` })), eligibility.CanonicalElsewhere},
		{"two canonicals", shows(`<link rel=canonical href="/a"><link rel=canonical href="/b">`), eligibility.CanonicalConflict},
		{"encoded in a way that cannot be read", func(r *rig) {
			r.sight("/a", "scrambled", header(func(h *response.Header) { h.ContentEncoding = "x-own" }))
		}, eligibility.Encoding},
		{"404", func(r *rig) { r.answer("/a", http.StatusNotFound) }, eligibility.NotFound},
	} {
		runWithPage(t, tt.name, func(r *rig) {
			start, looked := time.Now(), r.looked["/a"]
			tt.doubt(r)
			if tt.reason != eligibility.NotFound && r.looked["/a"] == looked {
				r.Error("a visitor in the minute after would not be noticed")
			}
			r.wait(59*time.Second - time.Since(start))
			r.wantListed("/", "/a")
			time.Sleep(11 * time.Second) // nobody calls Flush
			r.wantListed("/")
			if p := r.page("/a"); p.Reason != tt.reason || p.Verdict == eligibility.Listed {
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

func TestAnswersThatDenyNothingRemoveNoPage(t *testing.T) {
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
			if s.Kind == eligibility.Nothing {
				return
			}
			r.offer(s)
			r.wait(2 * time.Minute)
			r.wantListed("/", "/a")
		})
	}
}

func TestJunkLeavesNothingInTheStore(t *testing.T) {
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

func TestLinkedRedirectThatLeadsEachVisitorElsewhereListsNoTarget(t *testing.T) {
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
			if got := r.page("/rooms/blue").Verdict == eligibility.Listed; got != tt.listed {
				r.Errorf("listed: %t, want %t", got, tt.listed)
			}
		})
	}
}

// However often it is asked for.
func TestPageFoundGoneByAClockThatWasAheadLeavesAfterAMinute(t *testing.T) {
	for _, ahead := range []time.Duration{time.Second, 2 * time.Hour, 10 * years} {
		for _, seenAhead := range []bool{false, true} {
			for _, restarts := range []bool{false, true} {
				runWithPage(t, fmt.Sprintf("%v ahead, witness too %t, restart %t", ahead, seenAhead, restarts), func(r *rig) {
					if seenAhead {
						r.sight("/a", html("a"), at(time.Now().Add(ahead)))
					}
					r.answer("/a", http.StatusNotFound, at(time.Now().Add(ahead+time.Second)))
					if restarts {
						r.restart()
					}
					r.wantListed("/", "/a")
					for range 5 {
						time.Sleep(15 * time.Second)
						r.answer("/a", http.StatusNotFound)
					}
					r.wantListed("/")
					r.wantVerdict("/a", eligibility.Gone, eligibility.NotFound)
				})
			}
		}
	}
}

// Storing that a page is gone may fail for a long time, for example if other processes keep
// writing the same records. The page leaves the files anyway. Storing it is tried again
// when the suspects are next read.
func TestSuspectThatCannotBeStoredAsGoneIsNotServed(t *testing.T) {
	st := base.NewStore()
	inBubble(t, Config{Store: st}, func(r *rig) {
		r.crawl("/a")
		r.answer("/a", http.StatusNotFound)
		st.OnUpdateOf("|page|/a", func(context.Context, []string, func([][]byte) error) error { return store.ErrInvalid })
		time.Sleep(pagerecord.ConfirmAfter + 5*time.Second)
		r.wantShown("/")
		r.wantVerdict("/a", eligibility.Listed, eligibility.ByLink)
		st.Mend()
		r.restart()
		r.wantListed("/")
		r.wantNoSuspects()
	})
}

// The suspects are read from the store again and again. A suspect keeps its minute while
// its doubt is the same, even if a clock that was ahead noted it. A new doubt has a new
// minute.
func TestSuspectThatIsReadAgainKeepsItsMinute(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before, later := now.Add(-30*time.Second), now.Add(time.Hour)
	for _, tt := range []struct {
		name        string
		known       map[string]time.Time
		noted, want time.Time
	}{
		{"not known", nil, before, before},
		{"not known, noted by a clock that is ahead", nil, later, now},
		{"the same", map[string]time.Time{"/a": before}, before, before},
		{"the same, noted by a clock that is ahead", map[string]time.Time{"/a": before}, later, before},
		{"noted anew", map[string]time.Time{"/a": before}, before.Add(time.Second), before.Add(time.Second)},
	} {
		p := removals{since: map[string]time.Time{}}
		maps.Copy(p.since, tt.known)
		if p.note("/a", tt.noted, now); !p.since["/a"].Equal(tt.want) {
			t.Errorf("%s: its minute begins at %v, want %v", tt.name, p.since["/a"], tt.want)
		}
	}
}

func TestSuspectWithoutARecordIsDropped(t *testing.T) {
	for name, record := range map[string][]byte{"removed": nil, "damaged": []byte("?")} {
		runWithPage(t, name, func(r *rig) {
			r.answer("/a", http.StatusNotFound)
			r.put(r.ledger.site.Keys.Page("/a"), record)
			r.wait(2 * pagerecord.ConfirmAfter)
			r.wantNoSuspects()
		})
	}
}

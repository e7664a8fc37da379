package ledger

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

func location302(target string) func(*look.Sighting) {
	return header(func(h *tap.Header) { h.Location = target })
}

func rules(t *testing.T, rr ...admit.Rule) admit.Rules {
	t.Helper()
	set, err := admit.NewRules(rr)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestPagesAreListedFromTheEntryOn(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a", "/b?page=2", "https://other.example/x", "mailto:x@example.com"))
		r.sight("/a", html("a", "c"))
		r.sight("/c", html("c"))
		r.sight("/b?page=2", html("b"))
		r.sight("/orphan", html("nobody links here"))
		r.wantListed("/", "/a", "/b?page=2", "/c")
		r.wantVerdict("/", admit.Listed, admit.ByEntry)
		r.wantVerdict("/c", admit.Listed, admit.ByLink)
		r.wantVerdict("/orphan", admit.Waiting, admit.NoEvidence)
		r.wantVerdict("/never-heard-of", admit.Unknown, admit.None)
	})
}

func TestAPageSeenBeforeItsLinkIsListedWhenTheLinkIs(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/deep", html("deep", "/deeper"))
		r.sight("/deeper", html("deeper"))
		r.wantListed()
		time.Sleep(time.Minute) // what /deep links to is not remembered for longer
		r.sight("/", html("home", "/deep"))
		r.wantListed("/", "/deep")
		if r.looked["/deep"] == 0 {
			t.Error("/deep became listed, and its links wait; it was not made due")
		}
		// The same bytes as before: they are read all the same, for their links.
		r.sight("/deep", html("deep", "/deeper"))
		r.wantListed("/", "/deep", "/deeper")
	})
}

func TestLinksThatProveNothing(t *testing.T) {
	tests := []struct{ name, link string }{
		{"nofollow", `<a rel="nofollow" href="/x">x</a>`},
		{"ugc", `<a rel="external ugc" href="/x">x</a>`},
		{"sponsored", `<a rel=sponsored href=/x>x</a>`},
		{"nofollow for the page", `<meta name=robots content=nofollow><a href="/x">x</a>`},
		{"in a comment", `<!-- <a href="/x">x</a> -->`},
		{"in a script", `<script>"<a href='/x'>"</script>`},
		{"to another host", `<a href="https://evil.example/x">x</a>`},
		{"image", `<img src="/x">`},
		{"form", `<form action="/x"></form>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Config{}, func(r *rig) {
				r.sight("/", "<html><head></head><body>"+tt.link+"</body></html>")
				r.sight("/x", html("x"))
				r.wantListed("/")
			})
		})
	}
	t.Run("header", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/", html("home", "/x"), header(func(h *tap.Header) { h.RobotsTag = "nofollow" }))
			r.sight("/x", html("x"))
			r.wantListed("/")
		})
	})
	t.Run("from a page that is not listed", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/orphan", html("o", "/x"))
			r.sight("/x", html("x"))
			r.wantListed()
		})
	})
}

func TestALinkedArchiveLeadsToItsPages(t *testing.T) {
	noindex := `<html><head><meta name="robots" content="noindex"></head><body><a href="/old">old</a></body></html>`
	t.Run("linked", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/", html("home", "/archive"))
			r.sight("/archive", noindex)
			r.sight("/old", html("old"))
			r.wantListed("/", "/old")
			r.wantVerdict("/archive", admit.Excluded, admit.NoIndex)
		})
	})
	t.Run("read before it was linked", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/archive", noindex)
			r.sight("/", html("home", "/archive"))
			r.sight("/archive", noindex)
			r.sight("/old", html("old"))
			r.wantListed("/", "/old")
		})
	})
	t.Run("not linked", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/", html("home"))
			r.sight("/archive", noindex)
			r.sight("/old", html("old"))
			r.wantListed("/")
		})
	})
}

func TestAnEntryThatRedirects(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.answer("/", http.StatusFound, location302("/en"))
		r.answer("/en", http.StatusTemporaryRedirect, location302("/en/"))
		r.answer("/en/", http.StatusFound, location302("/en/third"))
		r.sight("/en/", html("welcome", "/a"))
		r.sight("/a", html("a"))
		r.sight("/en/third", html("third"))
		r.wantListed("/en/", "/a")
		r.wantVerdict("/en/", admit.Listed, admit.ByEntry)
	})
}

func TestRouteEvidence(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/about", html("about"), route("/about", true))
		r.sight("/docs/a", html("a"), route("/docs/", false))
		r.wantListed("/about")
		r.wantVerdict("/about", admit.Listed, admit.ByRoute)
	})
}

func TestNetworkEvidence(t *testing.T) {
	siblings := func(r *rig, n int, change ...func(*look.Sighting)) {
		links := make([]string, n)
		for i := range links {
			links[i] = fmt.Sprintf("/post/%d", i)
		}
		r.sight("/", html("home", links...))
		for _, l := range links {
			r.sight(l, html("post "+l), change...)
		}
	}
	visit := func(r *rig, location string, networks int, change ...func(*look.Sighting)) {
		for i := range networks {
			r.sight(location, html("orphan"), append(change, from(fmt.Sprintf("203.0.%d.0/24", i)))...)
		}
	}
	tests := []struct {
		name     string
		networks int
		siblings int
		location string
		listed   bool
	}{
		{"three networks beside three linked posts", 3, 3, "/post/orphan", true},
		{"two networks", 2, 3, "/post/orphan", false},
		{"two linked posts", 3, 2, "/post/orphan", false},
		{"many networks beside nothing", 20, 3, "/share/orphan", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Config{}, func(r *rig) {
				siblings(r, tt.siblings)
				visit(r, tt.location, tt.networks)
				if got := r.page(tt.location).Verdict == admit.Listed; got != tt.listed {
					t.Errorf("listed = %v, want %v", got, tt.listed)
				}
				if !tt.listed {
					r.wantNoTrace("orphan")
				}
				r.wantNoTrace("203.0")
			})
		})
	}
	t.Run("one network many times", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			siblings(r, 3)
			for range 10 {
				r.sight("/post/orphan", html("orphan"), from("203.0.113.0/24"))
			}
			r.wantVerdict("/post/orphan", admit.Waiting, admit.NoEvidence)
		})
	})
	t.Run("siblings by route", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			siblings(r, 3, route("/post/{id}", false))
			visit(r, "/post/orphan", 3, route("/post/{id}", false))
			r.wantVerdict("/post/orphan", admit.Listed, admit.ByNetworks)
		})
	})
	t.Run("another route in the same folder", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			siblings(r, 3, route("/post/{id}", false))
			visit(r, "/post/orphan", 3, route("/{kind}/orphan", false))
			r.wantVerdict("/post/orphan", admit.Waiting, admit.NoEvidence)
		})
	})
	t.Run("siblings that left do not count", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			siblings(r, 3)
			r.answer("/post/0", http.StatusGone)
			visit(r, "/post/orphan", 5)
			r.wantVerdict("/post/orphan", admit.Waiting, admit.NoEvidence)
		})
	})
	t.Run("a query of its own is never rescued", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			siblings(r, 3)
			const secret = "/post/x?token=abc"
			page := `<html><head><link rel="canonical" href="` + secret + `"></head><body>x</body></html>`
			for i := range 9 {
				r.sight(secret, page, from(fmt.Sprintf("203.0.%d.0/24", i)), func(s *look.Sighting) { s.OwnURL = true })
			}
			r.wantVerdict(secret, admit.Waiting, admit.NoEvidence)
			r.wantNoTrace("token")
		})
	})
}

func TestRules(t *testing.T) {
	cfg := Config{Rules: rules(t,
		admit.Rule{Pattern: "/always/", Listing: admit.Always},
		admit.Rule{Pattern: "/always/not", Listing: admit.Never},
		admit.Rule{Pattern: "/never", Listing: admit.Never},
	)}
	inBubble(t, cfg, func(r *rig) {
		r.sight("/", html("home", "/never", "/always/not"))
		r.sight("/always/a", html("a"))
		r.sight("/always/not", html("not"))
		r.sight("/never", html("never"), route("/never", true))
		r.sight("/always/noindex", `<html><head><meta name=robots content=none></head><body></body></html>`)
		r.wantListed("/", "/always/a")
		r.wantVerdict("/always/a", admit.Listed, admit.ByRule)
		r.wantVerdict("/never", admit.Excluded, admit.RuleNever)
		r.wantVerdict("/always/noindex", admit.Excluded, admit.NoIndex)
	})
}

func TestEvidenceIsNeededToEnterNotToStay(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		r.sight("/a", html("a"))
		r.sight("/", html("home without the link"))
		time.Sleep(time.Hour)
		r.sight("/a", html("a changed"))
		r.wantListed("/", "/a")
	})
}

func TestForgottenStaysForgotten(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/secret-plan"))
		r.sight("/secret-plan", html("plan"))
		r.wantListed("/", "/secret-plan")
		if err := r.ledger.Forget(r.Context(), "/secret-plan"); err != nil {
			t.Fatal(err)
		}
		r.flush()
		r.wantListed("/")
		r.wantNoTrace("secret-plan")
		r.sight("/", html("home again", "/secret-plan"))
		r.sight("/secret-plan", html("plan"))
		r.restart()
		r.sight("/secret-plan", html("plan"), route("/secret-plan", true))
		r.wantListed("/")
		r.wantVerdict("/secret-plan", admit.Excluded, admit.Forgotten)

		r.cfg.Rules = rules(t, admit.Rule{Pattern: "/secret-plan", Listing: admit.Always})
		r.restart()
		r.sight("/secret-plan", html("plan"))
		r.wantListed("/", "/secret-plan")
	})
}

func TestWhatIsNotPublicIsNowhereInClear(t *testing.T) {
	tests := []struct {
		name   string
		body   string
		change []func(*look.Sighting)
	}{
		{"waits for evidence", html("canary"), nil},
		{"noindex", `<html><head><title>canary</title><meta name=robots content=noindex></head><body>canary`, nil},
		{"canonical elsewhere", `<html><head><link rel=canonical href="/canary2"></head><body>canary`, nil},
		{"seen by few networks", html("canary"), []func(*look.Sighting){from("203.0.113.0/24")}},
		{"route with a variable", html("canary"), []func(*look.Sighting){route("/{canary}", false)}},
		{"encoding unknown", "canary", []func(*look.Sighting){header(func(h *tap.Header) { h.ContentEncoding = "canary" })}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Config{}, func(r *rig) {
				r.sight("/", html("home"))
				r.sight("/canary", tt.body, tt.change...)
				r.answer("/canary", http.StatusNotFound)
				r.answer("/canary", http.StatusMovedPermanently, location302("/canary3"))
				r.sight("/canary", tt.body, tt.change...)
				r.wantListed("/")
				r.wantNoTrace("canary")
			})
		})
	}
}

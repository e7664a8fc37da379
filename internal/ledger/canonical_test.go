package ledger

import (
	"fmt"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

// variant is a page that names another, or itself, as its canonical one.
func variant(canonical, text string) string {
	return fmt.Sprintf(`<html><head><title>t</title><link rel=canonical href="%s"></head><body><main><p>%s</p></main></body></html>`, canonical, text)
}

// ownURL makes a sighting one of a query that only the page's canonical may allow.
func ownURL(s *look.Sighting) { s.OwnURL = true }

func TestVariantFeedsItsCanonicalPage(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*rig)
	}{
		{"with its link", func(r *rig) {
			r.sight("/", html("home", "/p/1/blue"))
			r.sight("/p/1/blue", variant("/p/1", same))
			r.wantVerdict("/p/1", admit.Waiting, admit.NotSeen)
			r.sight("/p/1", variant("/p/1", same))
			r.wantListed("/", "/p/1")
			if got := r.page("/p/1/blue").Canonical; got != "/p/1" {
				r.Errorf("/p/1/blue is explained with the canonical %q", got)
			}
		}},
		{"with its visits", func(r *rig) {
			r.sight("/", html("home", "/p"))
			r.sight("/p", variant("/p", same))
			for range 5 {
				time.Sleep(20 * 24 * time.Hour)
				r.answer("/", 304)
				r.sight("/p?sort=x", variant("/p", same), ownURL)
			}
			r.keeps(10, "/")
			r.wantListed("/", "/p")
		}},
		{"with its changes", func(r *rig) {
			r.sight("/", html("home", "/p"))
			r.sight("/p", variant("/p", same))
			r.sight("/p/v", variant("/p", same))
			time.Sleep(time.Hour)
			at := time.Now().Unix()
			r.sight("/p/v", variant("/p", same+" News."))
			r.wantLastMod("/p", at)
			time.Sleep(time.Hour)
			r.sight("/p", variant("/p", same+" News."))
			r.wantLastMod("/p", at)
		}},
		{"not with another text", func(r *rig) {
			r.sight("/", html("home", "/p"))
			r.sight("/p", variant("/p", same))
			r.sight("/p/v", variant("/p", "Sorted otherwise. "+same))
			r.sight("/p/v", variant("/p", "Sorted otherwise and changed. "+same))
			r.wantLastMod("/p", 0)
		}},
	} {
		runInBubble(t, tt.name, Config{}, tt.do)
	}
}

func TestCanonicalThatFeedsNothing(t *testing.T) {
	none := func(*look.Sighting) {}
	for _, tt := range []struct {
		name, body string
		change     func(*look.Sighting)
	}{
		{"on another host", variant("https://other.example/p", same), none},
		{"contradicted by the header", variant("/p", same), header(func(h *tap.Header) { h.Link = `</q>; rel="canonical"` })},
		{"twice", "<html><head><link rel=canonical href=/p><link rel=canonical href=/q></head><body>x</body></html>", none},
		{"that is no location", variant("/p//x", same), none},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/v"))
			r.sight("/v", tt.body, tt.change)
			for _, p := range []string{"/p", "/q", "/p//x"} {
				r.wantVerdict(p, admit.Unknown, admit.None)
			}
			if got := r.page("/v").Canonical; got != "" {
				r.Errorf("explained with the canonical %q", got)
			}
		})
	}
}

func TestCanonicalIsNotStoredInClear(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home"))
		r.sight("/v", variant("/for-jane-only", same))
		r.wantNoTrace("jane")
		if got := r.page("/v").Canonical; got != "/for-jane-only" {
			t.Errorf("who knows the location is told %q", got)
		}
	})
}

package ledger

import (
	"fmt"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

// variant is a page that names another as its canonical one.
func variant(canonical, text string) string {
	return fmt.Sprintf(`<html><head><title>t</title><link rel=canonical href="%s"></head><body><main><p>%s</p></main></body></html>`, canonical, text)
}

func TestAVariantFeedsItsCanonicalPage(t *testing.T) {
	t.Run("with its link", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/", html("home", "/p/1/blue"))
			r.sight("/p/1/blue", variant("/p/1", same))
			r.wantVerdict("/p/1", admit.Waiting, admit.NotSeen)
			r.sight("/p/1", variant("/p/1", same))
			r.wantListed("/", "/p/1")
			if got := r.page("/p/1/blue").Canonical; got != "/p/1" {
				t.Errorf("/p/1/blue is explained with the canonical %q", got)
			}
		})
	})
	t.Run("with its visits", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/", html("home", "/p"))
			r.sight("/p", variant("/p", same))
			for range 5 {
				time.Sleep(20 * 24 * time.Hour)
				r.answer("/", 304)
				r.sight("/p?sort=x", variant("/p", same), func(s *look.Sighting) { s.OwnURL = true })
			}
			r.keeps(10, "/")
			r.wantListed("/", "/p")
		})
	})
	t.Run("with its changes", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/", html("home", "/p"))
			r.sight("/p", variant("/p", same))
			r.sight("/p/v", variant("/p", same))
			time.Sleep(time.Hour)
			at := time.Now().Unix()
			r.sight("/p/v", variant("/p", same+" News."))
			if got := r.lastMod("/p"); got != at {
				t.Errorf("the page is dated %d, want %d", got, at)
			}
			time.Sleep(time.Hour)
			r.sight("/p", variant("/p", same+" News."))
			if got := r.lastMod("/p"); got != at {
				t.Errorf("after a look at it, the page is dated %d, want %d", got, at)
			}
		})
	})
	t.Run("not with another text", func(t *testing.T) {
		inBubble(t, Config{}, func(r *rig) {
			r.sight("/", html("home", "/p"))
			r.sight("/p", variant("/p", same))
			r.sight("/p/v", variant("/p", "Sorted otherwise. "+same))
			r.sight("/p/v", variant("/p", "Sorted otherwise and changed. "+same))
			if got := r.lastMod("/p"); got != 0 {
				t.Errorf("the page is dated %d", got)
			}
		})
	})
}

func TestACanonicalThatFeedsNothing(t *testing.T) {
	tests := []struct {
		name string
		body string
		opt  func(*look.Sighting)
	}{
		{"on another host", variant("https://other.example/p", same), func(*look.Sighting) {}},
		{"contradicted by the header", variant("/p", same), header(func(h *tap.Header) { h.Link = `</q>; rel="canonical"` })},
		{"twice", "<html><head><link rel=canonical href=/p><link rel=canonical href=/q></head><body>x</body></html>", func(*look.Sighting) {}},
		{"that is no location", variant("/p//x", same), func(*look.Sighting) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, Config{}, func(r *rig) {
				r.sight("/", html("home", "/v"))
				r.sight("/v", tt.body, tt.opt)
				for _, p := range []string{"/p", "/q", "/p//x"} {
					r.wantVerdict(p, admit.Unknown, admit.None)
				}
				if got := r.page("/v").Canonical; got != "" {
					t.Errorf("explained with the canonical %q", got)
				}
			})
		})
	}
}

func TestACanonicalIsNotStoredInClear(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home"))
		r.sight("/v", variant("/for-jane-only", same))
		r.wantNoTrace("jane")
		if got := r.page("/v").Canonical; got != "/for-jane-only" {
			t.Errorf("who knows the location is told %q", got)
		}
	})
}

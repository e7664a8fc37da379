package ledger

import (
	"fmt"
	"testing"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

// variant is a page that names another page, or itself, as canonical.
func variant(canonical, text string) string {
	return fmt.Sprintf(`<html><head><title>t</title><link rel=canonical href="%s"></head><body><main><p>%s</p></main></body></html>`, canonical, atLength(text))
}

// ownURL gives a sighting a query that only the page's own canonical can allow.
func ownURL(s *look.Sighting) { s.OwnURL = true }

func TestLinkToAVariantSpeaksForItsCanonicalPage(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/p/1/blue"))
		r.sight("/p/1/blue", variant("/p/1", same))
		r.wantVerdict("/p/1", admit.Waiting, admit.NotSeen)
		r.sight("/p/1", variant("/p/1", same))
		r.wantListed("/", "/p/1")
	})
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
		})
	}
}

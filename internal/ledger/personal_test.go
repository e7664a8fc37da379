package ledger

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
)

// TestPageForOneVisitorIsRememberedForWhoAsks visits an unknown page that says that it is
// for one visitor. Explain can tell that.
func TestPageForOneVisitorIsRememberedForWhoAsks(t *testing.T) {
	for directive, why := range map[string]admit.Reason{"private, must-revalidate": admit.Private, "no-store, no-cache": admit.NoStore} {
		runInBubble(t, directive, Config{}, func(r *rig) {
			r.sight("/", html("home", "/linked"))
			r.answer("/for-one", 200, cacheControl(directive))
			r.answer("/linked", 200, cacheControl(directive))
			r.wantVerdict("/for-one", admit.Excluded, why)
			r.wantVerdict("/linked", admit.Excluded, why)
			r.wantNoTrace("for-one")

			r.sight("/for-one", html("a page for all"))
			r.wantVerdict("/for-one", admit.Waiting, admit.NoEvidence)
			r.sight("/linked", html("another page for all"))
			r.wantListed("/", "/linked")
			if at := r.lastMod("/linked"); at != 0 {
				r.Errorf("lastmod %v of a page that was never compared with itself", at)
			}
		})
	}
}

func TestPageForOneVisitorIsForgottenInTheEnd(t *testing.T) {
	inBubble(t, Config{KeepFor: 24 * time.Hour}, func(r *rig) {
		r.sight("/", html("home"))
		r.answer("/for-one", 200, cacheControl("private"))
		for range 72 {
			time.Sleep(time.Hour)
			r.sight("/", html("home"))
		}
		r.wantVerdict("/for-one", admit.Unknown, admit.None)
	})
}

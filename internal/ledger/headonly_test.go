package ledger

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/testkit/base"
)

const noindexPage = `<html><head><meta name=robots content=noindex></head><body>a</body></html>`

// The noindex is at the end of a long page of which only the head is read at first.
func TestLookAtTheHeadUndoesNoNoindex(t *testing.T) {
	withPage(t, func(r *rig) {
		body := func(word string) string {
			text := strings.Repeat("<p>"+word+" is said on this page, and said again.</p>", 500)
			return `<html><head><title>t</title></head><body><main>` + text + `</main><meta name=robots content=noindex></body></html>`
		}
		r.sight("/a", body("One thing"))
		r.wantVerdict("/a", admit.Excluded, admit.NoIndex)
		time.Sleep(time.Hour)
		r.ledger.budget.spend(time.Hour)
		r.affords(seen("/a", body("Another thing")))
		r.wantVerdict("/a", admit.Excluded, admit.NoIndex)
	})
}

// Another process stores a look at the same page between the first run of a transaction
// and the run that is stored.
func TestLookIsComparedWithTheOneThatIsStored(t *testing.T) {
	for _, tt := range []struct {
		name      string
		rehearsed bool
		see       func(r *rig, at func(*look.Sighting))
		verdict   admit.Verdict
		reason    admit.Reason
	}{
		{"a look at the head, after noindex was taken back", true, func(r *rig, at func(*look.Sighting)) {
			r.ledger.budget.spend(time.Hour)
			r.affords(seen("/a", html("a, which says something else by now"), at))
		}, admit.Listed, admit.ByLink},
		{"the bytes of the look before", false, func(r *rig, at func(*look.Sighting)) { r.sight("/a", noindexPage, at) }, admit.Excluded, admit.NoIndex},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := base.NewStore()
				one := newRig(t, st, Config{RefreshEvery: refreshEvery})
				two := newRig(t, st.Store, Config{RefreshEvery: refreshEvery})
				defer func() { one.stop(); two.stop() }()
				one.crawl("/a")
				one.sight("/a", noindexPage)
				one.wantVerdict("/a", admit.Excluded, admit.NoIndex)
				met := false
				st.OnUpdateOf("|page|/a", func(ctx context.Context, keys []string, fn func([][]byte) error) error {
					met = true
					st.Mend()
					if tt.rehearsed {
						st.Rehearse(ctx, keys, fn)
					}
					two.sight("/a", html("a, which may be listed again"))
					two.wantVerdict("/a", admit.Listed, admit.ByLink)
					return st.Store.Update(ctx, keys, fn)
				})
				tt.see(one, func(s *look.Sighting) { s.At = s.At.Add(5 * time.Second) }) // it is the last look
				one.flush()
				if !met {
					t.Error("the looks did not meet")
				}
				if n := one.page("/a").Looks; n != 4 {
					t.Errorf("%d looks at /a, want 4", n)
				}
				one.wantVerdict("/a", tt.verdict, tt.reason)
				if got := one.files.Lists("/a"); got != (tt.verdict == admit.Listed) {
					t.Errorf("/a is in the files: %v", got)
				}
			})
		})
	}
}

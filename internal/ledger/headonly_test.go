package ledger

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/store/memstore"
)

// TestALookAtTheHeadUndoesNoNoindex has a rule at the end of a page, which is
// looked at once more when only its head can be afforded.
func TestALookAtTheHeadUndoesNoNoindex(t *testing.T) {
	withPage(t, func(r *rig) {
		body := func(word string) string {
			text := strings.Repeat("<p>"+word+" is said on this page, and said again.</p>", 500)
			return `<html><head><title>t</title></head><body><main>` + text + `</main><meta name=robots content=noindex></body></html>`
		}
		r.sight("/a", body("One thing"))
		r.wantVerdict("/a", admit.Excluded, admit.NoIndex)
		time.Sleep(time.Hour)
		r.ledger.budget.spend(time.Hour)
		s := seen("/a", body("Another thing"))
		err := r.ledger.call(r.Context(), func(ctx context.Context) error {
			r.ledger.pending = append(r.ledger.pending, s)
			return r.ledger.work(ctx, false)
		})
		if err != nil {
			t.Fatal(err)
		}
		r.wantVerdict("/a", admit.Excluded, admit.NoIndex)
	})
}

// TestALookAtTheHeadGoesByWhatIsStored has the first run of its transaction find
// that the page says noindex, and the one that is stored that it does no more.
func TestALookAtTheHeadGoesByWhatIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := new(memstore.Store)
		st := &hooked{Store: shared, page: "/a"}
		one := newRig(t, st, Config{RefreshEvery: refreshEvery})
		two := newRig(t, shared, Config{RefreshEvery: refreshEvery})
		defer func() { one.stop(); two.stop() }()
		one.sight("/", html("home", "/a"))
		one.sight("/a", html("a"))
		one.sight("/a", `<html><head><meta name=robots content=noindex></head><body>a</body></html>`)
		one.wantVerdict("/a", admit.Excluded, admit.NoIndex)
		conflict := func(rehearse func()) error {
			st.before.Store(nil)
			rehearse()
			two.sight("/a", html("a, which may be listed again"))
			return nil
		}
		st.before.Store(&conflict)
		s := seen("/a", html("a, which says something else by now"))
		s.At = s.At.Add(5 * time.Second) // it is the last look
		err := one.ledger.call(t.Context(), func(ctx context.Context) error {
			one.ledger.budget.spend(time.Hour)
			one.ledger.pending = append(one.ledger.pending, s)
			return one.ledger.work(ctx, false)
		})
		if err != nil || st.before.Load() != nil {
			t.Fatalf("%v; or nothing was in conflict", err)
		}
		if p := one.page("/a"); p.Looks != 4 {
			t.Fatalf("%d looks at /a, want 4", p.Looks)
		}
		one.wantVerdict("/a", admit.Listed, admit.ByLink)
	})
}

package indexer

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/testkit/base"
)

// The noindex is at the end of a long page of which only the head is read at first.
func TestObservationOfTheHeadAloneKeepsANoindex(t *testing.T) {
	withPage(t, func(r *rig) {
		body := func(word string) string {
			text := strings.Repeat("<p>"+word+" is said on this page, and said again.</p>", 500)
			return `<html><head><title>t</title></head><body><main>` + text + `</main><meta name=robots content=noindex></body></html>`
		}
		r.sight("/a", body("One thing"))
		r.wantVerdict("/a", eligibility.Excluded, eligibility.NoIndex)
		time.Sleep(time.Hour)
		r.indexer.merging.budget.Pay(int64(time.Hour), 0)
		r.affords(seen("/a", body("Another thing")))
		r.wantVerdict("/a", eligibility.Excluded, eligibility.NoIndex)
	})
}

// Another process stores an observation of the same page between the first run of a transaction
// and the run that is stored.
func TestObservationIsComparedWithTheOneThatIsStored(t *testing.T) {
	for _, tt := range []struct {
		name      string
		rehearsed bool
		see       func(r *rig, at func(*observation.Exchange))
		verdict   eligibility.Verdict
		reason    eligibility.Reason
	}{
		{"an observation of the head, after noindex was taken back", true, func(r *rig, at func(*observation.Exchange)) {
			r.indexer.merging.budget.Pay(int64(time.Hour), 0)
			r.affords(seen("/a", html("a, which says something else by now"), at))
		}, eligibility.Listed, eligibility.ByLink},
		{"the bytes of the observation before", false, func(r *rig, at func(*observation.Exchange)) { r.sight("/a", noindexPage, at) }, eligibility.Excluded, eligibility.NoIndex},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := base.NewStore()
				one := newRig(t, st, Config{RefreshEvery: refreshEvery})
				two := newRig(t, st.Store, Config{RefreshEvery: refreshEvery})
				defer func() { one.stop(); two.stop() }()
				one.crawl("/a")
				one.sight("/a", noindexPage)
				one.wantVerdict("/a", eligibility.Excluded, eligibility.NoIndex)
				met := false
				st.OnUpdateOf("|page|/a", func(ctx context.Context, keys []string, fn func([][]byte) error) error {
					met = true
					st.Mend()
					if tt.rehearsed {
						st.Rehearse(ctx, keys, fn)
					}
					two.sight("/a", html("a, which may be listed again"))
					two.wantVerdict("/a", eligibility.Listed, eligibility.ByLink)
					return st.Store.Update(ctx, keys, fn)
				})
				tt.see(one, func(s *observation.Exchange) { s.At = s.At.Add(5 * time.Second) }) // it is the last observation
				one.flush()
				if !met {
					t.Error("the observations did not meet")
				}
				if n := one.page("/a").Observations; n != 4 {
					t.Errorf("%d observations of /a, want 4", n)
				}
				one.wantVerdict("/a", tt.verdict, tt.reason)
				if got := one.files.Lists("/a"); got != (tt.verdict == eligibility.Listed) {
					t.Errorf("/a is in the files: %v", got)
				}
			})
		})
	}
}

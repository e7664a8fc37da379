package ledger

import (
	"context"
	"testing"
	"time"
)

// A task that is still due when it has run would keep a processor busy for ever.
func TestNoTaskIsDueRightAfterItRan(t *testing.T) {
	for name, prepare := range map[string]func(*rig){
		"a site that was learned": func(r *rig) { r.crawl("/a", "/b") },
		"more locations barred than are kept": func(r *rig) {
			r.crawl("/a", "/b", "/c")
			for _, l := range []string{"/a", "/b", "/c"} {
				r.check(r.ledger.Forget(r.Context(), l))
			}
		},
		"a page that may be gone": func(r *rig) {
			r.crawl("/a", "/b")
			r.answer("/a", 404)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Config{MaxWaiting: 1, RefreshEvery: time.Minute}, func(r *rig) {
				prepare(r)
				r.flush()
				r.check(r.ledger.call(r.Context(), func(ctx context.Context) error {
					for i, task := range r.ledger.tasks {
						if err := task.run(ctx, false); err != nil {
							return err
						}
						if due := task.due(time.Now()); !due.IsZero() && !due.After(time.Now()) {
							t.Errorf("task %d is due although it has just run", i)
						}
					}
					return nil
				}))
			})
		})
	}
}

package observe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// Strangers take as much as they can get of each thing that all visitors share, by addresses that they make up. A page
// that something on the site vouches for is still learned.
func TestFloodLeavesAPartToWhatSomethingVouchesFor(t *testing.T) {
	asks := func(target func(i int) string) func(*rig) {
		return func(r *rig) {
			for i := range 25_000 {
				r.Serve(http.NotFoundHandler(), httptest.NewRecorder(), get(target(i)))
			}
		}
	}
	for _, tt := range []struct {
		name  string
		flood func(*rig)
	}{
		{"unknown addresses", asks(func(i int) string { return fmt.Sprintf("/junk/%d", i) })},
		{"unknown queries of a linked page", asks(func(i int) string { return fmt.Sprintf("/linked?page=%d", i+2) })},
		{"unknown parameters of a linked page", asks(func(i int) string { return fmt.Sprintf("/linked?utm_id=%d", i) })},
		{"unknown spellings of a linked page",
			asks(func(i int) string { return strings.Repeat("/x/..", i%250) + strings.Repeat("/.", i/250) + "/linked" })},
		{"the memory for bodies", func(r *rig) {
			var written, done sync.WaitGroup
			end := make(chan struct{})
			for i := range 2_000 {
				written.Add(1)
				done.Go(func() {
					r.Serve(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
						page200(w, req)
						written.Done()
						<-end
					}), httptest.NewRecorder(), get(fmt.Sprintf("/slow/%d", i)))
				})
			}
			r.t.Cleanup(func() { close(end); done.Wait() })
			written.Wait()
		}},
		{"the queue", func(r *rig) {
			r.cfg.Indexer = idleIndexer(r)
			for i := 0; r.cfg.Indexer.Stats().Dropped == 0; i++ {
				r.Serve(http.HandlerFunc(page200), httptest.NewRecorder(), get(fmt.Sprintf("/junk/%d", i)))
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // on a busy machine the clock of the schedule is late
				r := start(t)
				r.watches(get("/"), func(w http.ResponseWriter,
					_ *http.Request) {
					fmt.Fprint(w, pageHTML+`<a href="/linked">x</a>`)
				})
				r.page("/")
				tt.flood(r)
				for _, target := range []string{"/linked", "/robots.txt"} {
					before := r.cfg.Indexer.Stats().Observations
					r.watches(get(target), map[string]http.HandlerFunc{"/linked": page200, "/robots.txt": text}[target])
					if r.cfg.Indexer.Stats().Observations != before+1 {
						t.Errorf("%s is not learned", target)
					}
				}
			})
		})
	}
}

package observe

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/ledger"
	shown "github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

// sent serves a page with one more header line.
func sent(name, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		page200(w, r)
	}
}

// The page is out of the files before the store knows that it left.
func TestPageLeavesTheFilesBeforeTheStoreHearsOfIt(t *testing.T) {
	for _, tt := range []struct {
		name string
		next http.HandlerFunc
		why  admit.Reason // why it is out; None if it stays
	}{
		{"private", sent("Cache-Control", "private"), admit.Private},
		{"no-store", sent("Cache-Control", "no-store"), admit.NoStore},
		{"noindex", sent("X-Robots-Tag", "noindex"), admit.NoIndex},
		{"noindex in the second line", func(w http.ResponseWriter, r *http.Request) {
			w.Header()["X-Robots-Tag"] = []string{"otherbot: noarchive", "none"}
			page200(w, r)
		}, admit.NoIndex},
		{"410", answer(http.StatusGone), admit.StatusGone},
		{"404 has its minute", answer(http.StatusNotFound), admit.None},
		{"500", answer(http.StatusInternalServerError), admit.None},
		{"page", page200, admit.None},
	} {
		for _, idle := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, idle ledger %t", tt.name, idle), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := start(t)
					r.watches(get("/"), page200)
					r.wantVerdict("/", admit.Listed, admit.ByEntry)
					if idle {
						stopped, err := ledger.New(ledger.Config{Normalizer: r.cfg.Normalizer, KeepFor: time.Hour})
						r.check(err)
						r.cfg.Ledger = stopped
					}
					time.Sleep(time.Minute)
					r.watches(get("/"), tt.next)
					synctest.Wait()
					if out := !r.cfg.Files.Lists("/"); out != (tt.why != admit.None) {
						t.Errorf("the root has left the files: %v", out)
					}
					if !idle && tt.why != admit.None {
						if p := r.page("/"); p.Verdict == admit.Listed || p.Reason != tt.why {
							t.Errorf("the root is %v because of %v, want it out because of %v", p.Verdict, p.Reason, tt.why)
						}
					}
				})
			})
		}
	}
}

func TestWithoutMemoryForBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		r.watches(get("/"), page200)
		r.page("/")
		r.cfg.Buffers = tap.NewBuffers(shown.MaxPage, 0)

		time.Sleep(time.Minute)
		r.watches(get("/"), page200)
		r.wantSightings(1)
		if n := r.cfg.Ledger.Stats().Dropped; n != 1 {
			t.Errorf("%d sightings were dropped, want the page that could not be kept", n)
		}
		if !r.watches(get("/"), sent("Cache-Control", "private")) {
			t.Error("the page that could not be kept is not due")
		}
		r.wantVerdict("/", admit.Excluded, admit.Private) // this needs no body
	})
}

// A compressor inside the observer hides what the page says about itself.
func TestCompressedNoindexIsObeyed(t *testing.T) {
	r := start(t)
	r.watches(get("/"), coded("text/html", "gzip", gzipped(strings.Replace(html, "<head>", "<head><meta name=robots content=noindex>", 1))))
	r.wantVerdict("/", admit.Excluded, admit.NoIndex)
}

package observe

import (
	"compress/gzip"
	"io"
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

// sent is a page with one header line.
func sent(name, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		page200(w, r)
	}
}

func TestAPageThatForbidsItsListingLeaves(t *testing.T) {
	for _, tt := range []struct {
		name string
		next http.HandlerFunc
		why  admit.Reason
	}{
		{"private", sent("Cache-Control", "private"), admit.Private},
		{"no-store", sent("Cache-Control", "no-store"), admit.NoStore},
		{"noindex", sent("X-Robots-Tag", "noindex"), admit.NoIndex},
		{"410", answer(http.StatusGone), admit.StatusGone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t)
				r.watches(get("/"), page200)
				if p := r.page("/"); p.Verdict != admit.Listed || !r.cfg.Files.Lists("/") {
					t.Fatalf("the root is %v because of %v, want it listed", p.Verdict, p.Reason)
				}
				time.Sleep(time.Minute)
				r.watches(get("/"), tt.next)
				if p := r.page("/"); p.Verdict == admit.Listed || p.Reason != tt.why || r.cfg.Files.Lists("/") {
					t.Errorf("the root is %v because of %v, want it out because of %v", p.Verdict, p.Reason, tt.why)
				}
			})
		})
	}
}

// The files are cut before the store has heard of it.
func TestAWithdrawalDoesNotWaitForTheLedger(t *testing.T) {
	for _, tt := range []struct {
		name string
		next http.HandlerFunc
		out  bool
	}{
		{"private", sent("Cache-Control", "private"), true},
		{"noindex", sent("X-Robots-Tag", "noindex"), true},
		{"noindex in the second line", func(w http.ResponseWriter, r *http.Request) {
			w.Header()["X-Robots-Tag"] = []string{"otherbot: noarchive", "none"}
			page200(w, r)
		}, true},
		{"410", answer(http.StatusGone), true},
		{"404 has its minute", answer(http.StatusNotFound), false},
		{"500", answer(http.StatusInternalServerError), false},
		{"page", page200, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t)
				r.watches(get("/"), page200)
				r.page("/")
				idle, err := ledger.New(ledger.Config{Normalizer: r.cfg.Normalizer, KeepFor: time.Hour}) // which nobody runs
				r.check(err)
				r.cfg.Ledger = idle
				time.Sleep(time.Minute)
				r.watches(get("/"), tt.next)
				synctest.Wait()
				if out := !r.cfg.Files.Lists("/"); out != tt.out {
					t.Errorf("the root has left the files: %v, want %v", out, tt.out)
				}
			})
		})
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
		if p := r.page("/"); p.Verdict != admit.Excluded || p.Reason != admit.Private {
			t.Errorf("the root is %v because of %v, want it excluded because of private: that takes no body", p.Verdict, p.Reason)
		}
	})
}

// A compressor inside of the observer hides what the page says of itself.
func TestANoindexThatWasCompressedIsNotListed(t *testing.T) {
	r := start(t)
	r.watches(get("/"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, strings.Replace(html, "<head>", "<head><meta name=robots content=noindex>", 1))
		z.Close()
	})
	if p := r.page("/"); p.Verdict == admit.Listed || r.cfg.Files.Lists("/") {
		t.Errorf("the root is %v because of %v, but it says noindex", p.Verdict, p.Reason)
	}
}

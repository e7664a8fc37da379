package scale

import (
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// serve measures how soon the sitemap is served after a start, and what memory and disk the
// site uses, as its owner would run it.
func serve(t *testing.T, cfg config) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><title>x</title>"))
	})
	s, err := kit.Listen(mux)
	base.Check(t, err)
	t.Cleanup(func() { base.Check(t, s.Close()) })
	get(t, s.URL+"/")
	debug.FreeOSMemory()
	bare := anonymous()

	began := time.Now()
	st := openStore(t, cfg.dir)
	opened := time.Since(began)
	site, err := kit.NewSite(st, servemap.Options{Rules: sections(cfg.parts)})
	base.Check(t, err)
	// Closing waits for a pass over all records. That is not measured, so it is cut short.
	defer func() { _ = kit.CloseSite(site, time.Second) }()
	s.Handle(site.Wrap(mux))
	for _, name := range []string{"/sitemap.xml", "/sitemap-1.xml"} {
		size := get(t, s.URL+name)
		fmt.Printf("%s: %d bytes of gzip, %.0f ms after the store began to be opened (which took %.0f ms)\n",
			name, size, kit.Milliseconds(time.Since(began)), kit.Milliseconds(opened))
	}
	usage(cfg, bare)
}

// get asks for a file as crawlers do, and returns its compressed size.
func get(t *testing.T, url string) (size int64) {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	base.Check(t, err)
	r.Header.Set("Accept-Encoding", "gzip")
	resp, err := http.DefaultClient.Do(r)
	base.Check(t, err)
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusServiceUnavailable { // the files of a large site are still being made
		time.Sleep(100 * time.Millisecond)
		return get(t, url)
	}
	base.Equal(t, resp.StatusCode, http.StatusOK, "the status of %s", url)
	size, err = io.Copy(io.Discard, resp.Body)
	base.Check(t, err)
	return size
}

func anonymous() int64 { return kit.Measure("").Anonymous }

// usage prints the memory and disk in use after some time without requests.
func usage(cfg config, bare int64) {
	peak := anonymous()
	for end := time.Now().Add(cfg.rest); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		peak = max(peak, anonymous())
	}
	fmt.Printf("anonymous memory: %.1f MB bare; above it %.1f MB after %v, at its peak %.1f MB\n",
		kit.MB(bare), kit.MB(anonymous()-bare), cfg.rest, kit.MB(peak-bare))
	debug.FreeOSMemory()
	fmt.Printf("anonymous memory above the bare server's after a collection: %.1f MB\n", kit.MB(anonymous()-bare))
	disk := kit.DiskBytes(cfg.dir)
	fmt.Printf("disk: %.0f MB, %.0f bytes a page\n", kit.MB(disk), float64(disk)/float64(cfg.pages))
}

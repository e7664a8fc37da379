package faults

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// visitors request pages from a site and compare the answers, byte by byte, with the
// expected ones.
type visitors struct {
	client   *http.Client
	requests atomic.Int64
	failed   atomic.Int64
	forgives atomic.Bool // the site is being killed, so requests may fail

	mu    sync.Mutex
	first error // the first error that was seen
}

func newVisitors() *visitors {
	return &visitors{client: &http.Client{
		Timeout:   20 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true},
	}}
}

// visit asks for one page.
func (v *visitors) visit(site, path string) {
	v.requests.Add(1)
	err := v.compare(site, path)
	if err == nil || v.forgives.Load() {
		return
	}
	v.failed.Add(1)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.first == nil {
		v.first = fmt.Errorf("%s: %w", path, err)
	}
}

func (v *visitors) compare(site, path string) error {
	resp, err := v.client.Get(site + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var sections int
	state := resp.Header.Get(stateHeader)
	number, of, _ := strings.Cut(state, " ")
	if _, err := fmt.Sscan(number, &sections); err != nil {
		return fmt.Errorf("answered %d with the state %q", resp.StatusCode, state)
	}
	if status, want := content(path, fate(of), sections); status != resp.StatusCode || !bytes.Equal(body, want) {
		return fmt.Errorf("answered %d and %d bytes, not %d and %d", resp.StatusCode, len(body), status, len(want))
	}
	return nil
}

// walk visits the root, and the sections from first to below last with their pages.
func (v *visitors) walk(site string, first, last int) {
	v.visit(site, "/")
	for n := first; n < last; n++ {
		v.visit(site, sectionPath(n))
		v.visit(site, hiddenPath(n))
		v.visit(site, strayPath(n))
		for i := range sectionPages {
			v.visit(site, pagePath(n*sectionPages+i))
		}
	}
}

// roam lets n visitors visit pages of the first sections at random, with a pause after each
// visit, until stop is called.
func (v *visitors) roam(site string, sections, n int, pause time.Duration, rng *rand.Rand) (stop func()) {
	var roaming sync.WaitGroup
	var stopped atomic.Bool
	for range n {
		rng := rand.New(rand.NewPCG(rng.Uint64(), 2))
		roaming.Go(func() {
			for !stopped.Load() {
				v.visit(site, pagePath(rng.IntN(sections*sectionPages)))
				time.Sleep(pause)
			}
		})
	}
	return func() {
		stopped.Store(true)
		roaming.Wait()
	}
}

func (v *visitors) firstFailure() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.first
}

// counts says how many requests failed.
func (v *visitors) counts() string {
	return fmt.Sprintf("%d of %d requests failed", v.failed.Load(), v.requests.Load())
}

// sitemap returns the paths that a site lists, none while it has no sitemap. It fails if a
// path must never be listed.
func (v *visitors) sitemap(site string) (map[string]bool, error) {
	listed, err := kit.ReadSitemap(kit.FromServer(v.client, site))
	for path := range listed {
		if strings.HasSuffix(path, "/hidden") || strings.HasPrefix(path, "/unlinked/") || strings.HasPrefix(path, "zz") {
			return nil, fmt.Errorf("%s is listed", path)
		}
	}
	return listed, err
}

// leaves waits until the sitemap has lost a page.
func (v *visitors) leaves(site, path string) error {
	_, err := kit.Until(10*time.Second, path+" leaves the sitemap", func() bool {
		now, err := v.sitemap(site)
		return err == nil && !now[path]
	})
	return err
}

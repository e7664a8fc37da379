package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// visitors ask a site for pages and compare the answers, byte by byte, with what the site must answer.
type visitors struct {
	client   *http.Client
	requests atomic.Int64
	failed   atomic.Int64
	forgives atomic.Bool // what fails because the site is being killed

	mu    sync.Mutex
	first error // that was seen
}

func newVisitors() *visitors {
	return &visitors{client: &http.Client{
		Timeout:   20 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true},
	}}
}

// visit asks for one page. It reports whether the answer was right.
func (v *visitors) visit(host, path string) bool {
	v.requests.Add(1)
	if err := v.compare(host, path); err != nil {
		if v.forgives.Load() {
			return false
		}
		v.failed.Add(1)
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.first == nil {
			v.first = fmt.Errorf("%s: %w", path, err)
		}
		return false
	}
	return true
}

func (v *visitors) compare(host, path string) error {
	resp, err := v.client.Get("http://" + host + path)
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

// walk visits the root and all of the sections from first to last, with their pages.
func (v *visitors) walk(host string, first, last int) {
	v.visit(host, "/")
	for n := first; n < last; n++ {
		v.visit(host, sectionPath(n))
		v.visit(host, hiddenPath(n))
		v.visit(host, strayPath(n))
		for i := range sectionPages {
			v.visit(host, pagePath(n*sectionPages+i))
		}
	}
}

// roam visits pages of the first sections at random until ctx ends.
func (v *visitors) roam(ctx context.Context, host string, sections int, rng *rand.Rand) {
	for ctx.Err() == nil {
		v.visit(host, pagePath(rng.IntN(sections*sectionPages)))
	}
}

func (v *visitors) firstFailure() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.first
}

var locElement = regexp.MustCompile(`<loc>([^<]*)</loc>`)

// sitemap returns the paths that a site lists; none while it has no sitemap.
func (v *visitors) sitemap(host string) (map[string]bool, error) {
	resp, err := v.client.Get("http://" + host + "/sitemap.xml")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	switch resp.StatusCode {
	case http.StatusServiceUnavailable:
	case http.StatusOK:
		for _, m := range locElement.FindAllSubmatch(body, -1) {
			listed[strings.TrimPrefix(string(m[1]), origin)] = true
		}
	default:
		return nil, fmt.Errorf("the sitemap is answered with %d", resp.StatusCode)
	}
	return listed, nil
}

// wantListed sees that a site lists the first pages, and none that it must not.
func (v *visitors) wantListed(host string, pages int) error {
	listed, err := v.sitemap(host)
	if err != nil {
		return err
	}
	for i := range pages {
		if !listed[pagePath(i)] {
			return fmt.Errorf("%s was stored and is not listed", pagePath(i))
		}
	}
	return neverListed(listed)
}

// neverListed returns the first of the listed paths that must never be.
func neverListed(listed map[string]bool) error {
	for path := range listed {
		if strings.HasSuffix(path, "/hidden") || strings.HasPrefix(path, "/unlinked/") || strings.HasPrefix(path, "zz") {
			return fmt.Errorf("%s is listed", path)
		}
	}
	return nil
}

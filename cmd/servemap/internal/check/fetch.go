package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/page/response"
)

// The bounds of a check, over all of its answers.
const (
	mostFiles    = 1_000
	mostRequests = 2_000
	mostRead     = 1 << 30 // bytes
	mostKept     = 64 << 20
	mostHops     = 10 // redirects in a row, as many as Google follows
	mostAtOnce   = 4  // requests

	mostTries  = 3               // for one of them that asks for patience
	mostWaited = 2 * time.Minute // for that, over all of them that run at once
)

// patience is for one answer.
const patience = 30 * time.Second

// fetcher asks a server, within bounds.
type fetcher struct {
	Config // which has the address of the server that is asked in place of the origin
	client *http.Client
	agent  string // who asks

	requests, bytes, waited, kept atomic.Int64 // made, read, nanoseconds, and bytes in answers

	answers sync.Map // that the crawl need not ask for again, by the key of their address
}

// errBound says that a bound is met. Its text names it.
type errBound struct{ text string }

// stopped begins the text of a bound after which nothing more is asked for.
const stopped = "the check stopped"

func (e errBound) Error() string { return e.text }

// answer is what a server sent.
type answer struct {
	pages.Answer
	url   *url.URL  // at the end of the redirects
	begun time.Time // when it was asked for
}

// leads returns where an answer redirects, nil if it does not.
func (a answer) leads() *url.URL {
	where := a.Header.Get("Location")
	to, err := a.url.Parse(where)
	if a.Status < 300 || a.Status >= 400 || err != nil || where == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil
	}
	return to
}

// together does n things, some of them at once.
func together(atOnce, n int, do func(i int)) {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range n {
		all.Go(func() error { do(i); return nil })
	}
	_ = all.Wait()
}

// get is request that asks again as the answer says, within half a minute for one, and some for all.
func (f *fetcher) get(ctx context.Context, u *url.URL, most int) (a answer, err error) {
	for tries := 1; ; tries++ {
		a, err = f.request(ctx, u, most)
		pause := explore.Patience(time.Now(), tries, a.Header)
		if err != nil || !explore.Asks(a.Status, a.Header) || tries == mostTries || pause > patience ||
			f.waited.Add(int64(pause)) > int64(mostWaited) {
			return a, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return a, nil
		}
	}
}

// request requests a URL and reads at most so many bytes of the answer. For URLs of the site it asks the server that it
// was given, which may have another address, such as one behind a proxy.
func (f *fetcher) request(ctx context.Context, u *url.URL, most int) (a answer, err error) {
	switch {
	case f.requests.Add(1) > mostRequests:
		return a, errBound{fmt.Sprintf("%s after %d requests", stopped, mostRequests)}
	case f.bytes.Load() >= mostRead:
		return a, errBound{fmt.Sprintf("%s after %d MB were read", stopped, mostRead>>20)}
	}
	to, whole := f.at(u), ctx
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return a, err
	}
	r.Header.Set("User-Agent", f.agent)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	begun := time.Now()
	resp, err := f.client.Do(r)
	if err != nil {
		return a, plain(whole, err, to)
	}
	defer resp.Body.Close()
	a = answer{pages.Answer{Status: resp.StatusCode, Header: resp.Header}, u, begun}
	a.Body, err = io.ReadAll(io.LimitReader(resp.Body, int64(most)))
	a.Took = time.Since(begun)
	f.bytes.Add(int64(len(a.Body)))
	f.keep(a, most, err)
	return a, plain(whole, err, to)
}

// isRobots reports whether a URL is that of a robots.txt, which the crawl asks for more than once.
func isRobots(u *url.URL) bool { return u.Path == "/robots.txt" }

// keep keeps a page, a redirect or a robots.txt for the crawl. What is refused to the one may be there for the other,
// whose name differs.
func (f *fetcher) keep(a answer, most int, err error) {
	n := int64(len(a.Body))
	page := a.Status == http.StatusOK && response.IsHTML(a.Header.Get("Content-Type")) && n < int64(most) ||
		isRobots(a.url) && (a.Status == http.StatusOK || a.Status == http.StatusNotFound)
	switch {
	case f.Linked == nil, err != nil, !page && a.leads() == nil:
	case f.kept.Add(n) > mostKept:
		f.kept.Add(-n)
	default:
		f.answers.Store(address.Key(a.url), a)
	}
}

// at returns where a URL is asked for.
func (f *fetcher) at(u *url.URL) *url.URL {
	to := *u
	if to.Scheme == f.Origin.Scheme && strings.EqualFold(to.Host, f.Origin.Host) {
		to.Scheme, to.Host = f.URL.Scheme, f.URL.Host
	}
	return &to
}

// longest is how long what the check has read is held back from the crawl, which knows by that how fast it may ask.
// After longer answers it would rest.
const longest = 400 * time.Millisecond

// RoundTrip answers a request of the crawl: what the check has read is not asked for again.
func (f *fetcher) RoundTrip(r *http.Request) (*http.Response, error) {
	got, is := f.answers.Load(address.Key(r.URL))
	if !is {
		r = r.Clone(r.Context())
		r.URL = f.at(r.URL)
		r.Host = r.URL.Host
		return f.client.Transport.RoundTrip(r)
	}
	a := got.(answer)
	if !isRobots(r.URL) {
		f.answers.Delete(address.Key(r.URL))
		f.kept.Add(-int64(len(a.Body)))
	}
	select {
	case <-time.After(min(a.Took, longest)):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: a.Status, ProtoMajor: 1, ProtoMinor: 1, Header: a.Header.Clone(), Request: r,
		ContentLength: int64(len(a.Body)), Body: io.NopCloser(bytes.NewReader(a.Body))}, nil
}

// follow is get that follows redirects, as crawlers do for robots.txt and sitemaps. Its error begins with the address
// that was given.
func (f *fetcher) follow(ctx context.Context, u *url.URL, most int) (a answer, err error) {
	first := u
	for range mostHops + 1 {
		if a, err = f.get(ctx, u, most); err != nil && u != first && ctx.Err() == nil && !errors.As(err, new(errBound)) {
			return a, fmt.Errorf("%s redirects, and %w", report.Shorten(first.String()), err)
		} else if err != nil {
			return a, err
		}
		to := a.leads()
		if to == nil || to.String() == u.String() {
			return a, nil
		}
		u = to
	}
	return a, fmt.Errorf("%s redirects more than %d times", report.Shorten(first.String()), mostHops)
}

// plain makes an error of net/http one that people read: it begins with the address that was asked, unless the whole
// check has ended.
func plain(whole context.Context, err error, u *url.URL) error {
	switch {
	case err == nil:
		return nil
	case whole.Err() != nil:
		return context.Cause(whole)
	}
	return fmt.Errorf("%s does not answer: %w", strings.TrimSuffix(report.Shorten(u.String()), "robots.txt"),
		explore.Plain(err))
}

package explore

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
)

// Agent is the name of the explorer, also in robots.txt.
const Agent = "servemap-explore"

const (
	requestPatience = 10 * time.Second
	// mostRead is how long an answer may be. What is longer than [observation.MaxPage] is read to its end
	// all the same, since a page that breaks off is none. A longer answer is not a page but a file.
	mostRead = 16 << 20
)

// answer is the site's answer to a request.
type answer struct {
	status  int // 0 if there was none
	header  http.Header
	body    []byte             // without its content coding, cut at [observation.MaxPage]
	page    *response.Response // as the site judges it, nil if it is a file
	elapsed time.Duration
	err     error

	elsewhere bool // a page, but this process had no part in it
}

// ask requests a page.
func (e *explorer) ask(ctx context.Context, loc string) (a answer) {
	defer func() { e.Answers.Count(a.status) }()
	return e.request(ctx, loc, loc)
}

// request requests a location as a stranger would. page is the location of the page there, "" if it
// is none.
func (e *explorer) request(ctx context.Context, loc, page string) (a answer) {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	origin := e.Normalizer.Origin()
	url := origin.URL(loc)
	if e.Inside != nil && loc != "/robots.txt" {
		url = origin.URL(strings.TrimPrefix(loc, e.StrippedPrefix))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return answer{err: withoutURL(err)}
	}
	r.Header = http.Header{"User-Agent": {Agent}, "Accept": {"text/html,application/xhtml+xml,*/*;q=0.1"}}
	end := func(context.Context, *response.Response) bool { return true }
	if e.Inside == nil {
		end = e.Door.Visit(page, r.Header)
	} else if r.URL.Scheme == "https" { // otherwise the site may redirect each request to https
		r.URL.Scheme = "http"
		r.Header.Set("X-Forwarded-Proto", "https")
	}
	begun := time.Now()
	resp, err := e.client.Do(r)
	if err != nil {
		end(ctx, nil)
		return answer{err: withoutURL(err)}
	}
	defer resp.Body.Close()
	a = answer{status: resp.StatusCode, header: resp.Header}
	err = a.read(resp.Body)
	a.elapsed = time.Since(begun)
	a.elsewhere = !end(ctx, a.page)
	if err != nil {
		return answer{err: withoutURL(err)}
	}
	return a
}

// read reads the body.
func (a *answer) read(from io.Reader) error {
	body, err := io.ReadAll(io.LimitReader(from, observation.MaxPage))
	if err != nil {
		return err
	}
	more, err := io.Copy(io.Discard, io.LimitReader(from, mostRead))
	if err != nil {
		return err
	}
	if more == mostRead {
		a.header.Del("Content-Type")
		return nil
	}
	a.body = body
	if decoded, _, err := observation.Decode(a.header.Get("Content-Encoding"), body, observation.MaxPage); err == nil {
		a.body = decoded
		a.header.Del("Content-Encoding")
	}
	a.page = &response.Response{
		Status: a.status, Header: response.HeaderOf(a.header), Body: a.body,
		Truncated: more > 0, Written: int64(len(body)) + more, Complete: true,
	}
	return nil
}

// Once asks cfg.Inside for one location as Run would, and learns nothing from the answer. The caller checks
// that a request may not change anything.
func Once(ctx context.Context, cfg Config, loc string) (*response.Response, error) {
	e := newExplorer(cfg)
	defer e.connect()()
	a := e.request(ctx, loc, loc)
	if a.err == nil && a.page == nil {
		a.err = fmt.Errorf("the answer is longer than %d MiB", mostRead>>20)
	}
	return a.page, a.err
}

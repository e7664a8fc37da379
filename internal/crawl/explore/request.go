package explore

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
)

// Agent is the name of the explorer, also in robots.txt.
const Agent = "servemap-explore"

const (
	requestPatience = 10 * time.Second
	// pagePatience is how long a walk waits for one page in all, while the site answers for others: for its answer, and
	// as long as it asks for.
	pagePatience = 30 * time.Second
	// mostRead is how long an answer may be. What is longer than [observation.MaxPage] is read to its end
	// all the same, since a page that breaks off is none. A longer answer counts as a file, and a page is told as one
	// that is too large.
	mostRead = 16 << 20
)

// answer is the site's answer to a request.
type answer struct {
	status  int // 0 if there was none
	header  http.Header
	body    []byte             // without its content coding, cut at [observation.MaxPage]
	page    *response.Response // as the site judges it, nil if there is no answer
	elapsed time.Duration
	err     error

	elsewhere bool // a page, but this process had no part in it
	large     bool // a page, but longer than mostRead
}

// ask requests a page, and lets the site learn what came out.
func (e *explorer) ask(ctx context.Context, loc string, published bool) answer {
	learn := e.Door.Asks(loc, e.How, published)
	a := e.request(ctx, loc)
	if a.status == http.StatusOK && response.IsHTML(a.header.Get("Content-Type")) {
		e.lookBeside(ctx, loc, &a)
	}
	a.elsewhere = !learn(ctx, a.page)
	return a
}

// request requests a location as a stranger would.
func (e *explorer) request(ctx context.Context, loc string) (a answer) {
	ctx, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	begun := time.Now()
	err := e.send(ctx, loc, func(resp *http.Response) error {
		a = answer{status: resp.StatusCode, header: resp.Header}
		err := a.read(resp.Body)
		a.elapsed = time.Since(begun)
		return err
	})
	if err != nil {
		return answer{err: err}
	}
	return a
}

// send sends a request for a location, and has its answer read.
func (e *explorer) send(ctx context.Context, loc string, read func(*http.Response) error) error {
	origin := e.Normalizer.Origin()
	url := origin.URL(loc)
	if e.How != Outside && loc != robotsTxt {
		url = origin.URL(strings.TrimPrefix(loc, e.StrippedPrefix))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return Plain(err)
	}
	r.Header = http.Header{"User-Agent": {Agent}, "Accept": {"text/html,application/xhtml+xml,*/*;q=0.1"}}
	if eligibility.AssetName(loc) && loc != robotsTxt {
		r.Header.Set("Cache-Control", "no-cache") // a cache may have one visitor's page there
	}
	if e.How == Outside {
		defer e.Door.Mark(r.Header)()
	} else if r.URL.Scheme == "https" { // otherwise the site may redirect each request to https
		r.URL.Scheme = "http"
		r.Header.Set("X-Forwarded-Proto", "https")
	}
	resp, err := e.client.Do(r)
	if err != nil {
		return Plain(err)
	}
	defer resp.Body.Close()
	return Plain(read(resp))
}

// readable matches the types of which the body is read.
var readable = regexp.MustCompile(`(?i)^\s*(text/|application/xhtml|[^;]*xml|$)`)

// read reads the body, if it is a text.
func (a *answer) read(from io.Reader) error {
	if !readable.MatchString(a.header.Get("Content-Type")) {
		from = strings.NewReader("")
	}
	body, err := io.ReadAll(io.LimitReader(from, observation.MaxPage))
	if err != nil {
		return err
	}
	more, err := io.Copy(io.Discard, io.LimitReader(from, mostRead-observation.MaxPage))
	if err != nil {
		return err
	}
	if a.body = body; more == mostRead-observation.MaxPage {
		a.large = a.status == http.StatusOK && response.IsHTML(a.header.Get("Content-Type"))
		a.header.Del("Content-Type")
		a.body = nil
	}
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

// Once asks for one location as Run would, and learns nothing from the answer. The caller checks
// that a request may not change anything.
func Once(ctx context.Context, cfg Config, loc string) (*response.Response, error) {
	e := newExplorer(cfg)
	defer e.connect()()
	a := e.request(ctx, loc)
	if a.err == nil && a.body == nil {
		a.err = fmt.Errorf("the answer is longer than %d MiB", mostRead>>20)
	}
	return a.page, a.err
}

// Look asks for one location, has the answer learned, and reports whether it is one: a redirect to the same location,
// as from http to https, a complaint about the request, an error of the server and a page of a cache are none. The
// caller checks that a request may not change anything.
func Look(ctx context.Context, cfg Config, loc string) (answered bool) {
	e := newExplorer(cfg)
	defer e.connect()()
	a := e.ask(ctx, loc, false)
	if first := cfg.Ledger != nil && cfg.Ledger.waited(loc); first && a.err == nil {
		it := item{Location: loc, Old: !cfg.Ledger.isNew(loc), Plain: true, Unlikely: eligibility.AssetName(loc)}
		e.follow(result{item: it, answer: a})
	}
	switch {
	case a.err != nil, a.elsewhere, a.status == http.StatusBadRequest, a.status == http.StatusTooManyRequests,
		a.status >= 500:
		return false
	case a.status >= 300 && a.status < 400:
		return cfg.Normalizer.Resolve(loc, a.header.Get("Location")).Location != loc
	}
	return true
}

// Worth reports whether a location that waits for its first visit is worth a look: it is not one of many like it that
// showed nothing new.
func (c *Config) Worth(loc string) bool {
	rule, _ := c.Rules.Match(loc)
	return !c.mayAct(loc) && !action.Waits(loc) && rule.Listing != eligibility.Never &&
		!c.Normalizer.Parse(loc).OwnQuery && !c.Files.OwnsLocation(loc) &&
		c.Ledger.worth(loc)
}

// Get asks for one location as Once does. It returns the status of the answer, 0 if there is none, and where on the
// site it redirects.
func Get(ctx context.Context, cfg Config, loc string) (status int, to string) {
	resp, err := Once(ctx, cfg, loc)
	if err != nil {
		return 0, ""
	}
	if resp.Status/100 == 3 {
		to = cfg.Normalizer.Resolve(loc, resp.Header.Location).Location
	}
	return resp.Status, to
}

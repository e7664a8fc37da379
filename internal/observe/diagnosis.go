package observe

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/coding"
	"github.com/servemap/servemap/internal/page/response"
)

// A diagnosis counts what becomes of requests that are due: each shows a page, or has a cause why not. While the site
// is not learned, the owner gets a hint of the most frequent cause.
type diagnosis struct {
	cfg      *Config
	pages    atomic.Uint64
	causes   [messages.NoPages + 1]cause
	ends     atomic.Uint64 // requests that were counted
	given    atomic.Uint32 // the hint that follows from the counts, 0 for none
	outcomes [eligibility.Reasons]atomic.Uint64
	failing  failing
}

// failing says since when listed pages have been answered with nothing but errors, and how often.
type failing struct {
	since atomic.Int64           // in Unix nanoseconds
	first atomic.Pointer[string] // the location that failed first
	other atomic.Bool            // another one failed too
	n     atomic.Uint64
	shown atomic.Pointer[shown] // what came first that is no error, since the owner was told; nil while he was not
}

// shown is what came at a location.
type shown struct {
	location string
	hash     uint64
	at       time.Time
}

// failed counts an error, and reports whether several pages, and all that were asked for, have failed for long enough
// to tell.
func (f *failing) failed(location string, now time.Time) bool {
	n := f.n.Add(1)
	if n == 1 {
		f.since.Store(now.UnixNano())
		f.first.Store(&location)
		f.other.Store(false)
	}
	if first := f.first.Load(); first != nil && *first != location {
		f.other.Store(true)
	}
	return n >= few && f.other.Load() && now.Sub(time.Unix(0, f.since.Load())) >= time.Minute
}

// ended notes an answer that is no error, and reports whether what the owner was told of is over: two pages show two
// contents, or no error has come for a minute. One content for all, as "back soon", mends nothing yet.
func (f *failing) ended(location string, resp *response.Response) bool {
	if f.n.Load() > 0 {
		f.n.Store(0)
	}
	first := f.shown.Load()
	if first == nil || resp.Status != http.StatusOK {
		return false
	}
	now := shown{location, xxh3.Hash(resp.Body), time.Now()}
	switch {
	case first.location == "":
		f.shown.Store(&now)
		return false
	case now.at.Sub(first.at) < time.Minute && (first.location == location || first.hash == now.hash):
		return false
	}
	return f.shown.Swap(nil) != nil
}

const (
	enough = 20   // requests that show a cause; fewer may be those of one odd client
	few    = 5    // are enough if they are the first, and all of them show it
	plenty = 1024 // requests of one kind, after which all counts are halved: what has changed is soon outweighed

	// So many known clients for each page say that hardly any visitor is anonymous. A page is observed once a
	// minute at most. But a request by a known client uses up no claim, so each is counted.
	knownShare = 51
)

// cause counts the requests that show the cause of one hint, and the names that they have in common. A
// name is the name of a cookie or header that tells who the client is, or the host that the request asked for.
type cause struct {
	count atomic.Uint64
	mu    sync.Mutex
	named int // requests whose names were read, at most mostNamed until all is halved
	names map[string]int
}

const (
	mostNamed   = 256
	namesKept   = 64
	longestName = 40 // a longer one may name the visitor
)

// read notes the names of one request, unless another request holds the lock: a part of the requests is enough to tell
// which names most of them have.
func (c *cause) read(names iter.Seq[string]) {
	if !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	if c.named == mostNamed {
		return
	}
	if c.named++; c.names == nil {
		c.names = map[string]int{}
	}
	for name := range names {
		_, known := c.names[name]
		if known || len(c.names) < namesKept && len(name) <= longestName && !capability.Looks("/"+name) {
			c.names[strings.Clone(name)]++ // the name alone, without the whole header's memory
		}
	}
}

// halve halves the counts. It may miss a request that is counted meanwhile, and waits for none.
func (c *cause) halve() {
	c.count.Store(c.count.Load() / 2)
	if !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	c.named /= 2
	for name, n := range c.names {
		if c.names[name] = n / 2; n < 2 {
			delete(c.names, name)
		}
	}
}

// most returns the names of the cookies, headers or hosts that more than half of the requests have, "" for none. A
// rarer cookie may be the log-in itself, beside one that everybody gets, and the hint must not make the owner call the
// log-in benign.
func (c *cause) most() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	rare := func(name string) bool { return 2*c.names[name] <= c.named }
	return strings.Join(slices.DeleteFunc(slices.Sorted(maps.Keys(c.names)), rare), ", ")
}

// holds returns the hint for which the counts are strong evidence, 0 for none.
func (d *diagnosis) holds() messages.Hint {
	most, pages := messages.OtherOrigin, d.pages.Load()
	for h := range d.causes {
		if d.causes[h].count.Load() > d.causes[most].count.Load() {
			most = messages.Hint(h)
		}
	}
	n := d.causes[most].count.Load()
	hardly := pages == 0 || n >= knownShare*pages && (most == messages.Credentials || most == messages.Cookies)
	if pages == 0 && n >= few && n == d.ends.Load() {
		return most
	}
	if n >= enough && (hardly || n >= 2*pages && d.cfg.Indexer.Starved()) {
		return most
	}
	return 0
}

// counted is called after a request was counted, with the new count of its kind. At the first few requests, at every
// tenth, and while there is one page, it gives the hint that follows from the counts, and ends the one that no longer
// does. Once n is plenty, it halves all counts.
func (d *diagnosis) counted(n uint64) {
	if n == plenty {
		d.pages.Store((d.pages.Load() + 1) / 2)
		for i := range d.causes {
			d.causes[i].halve()
		}
	}
	if ends := d.ends.Add(1); ends != few && ends%10 != 0 && d.pages.Load() != 1 {
		return
	}
	now := d.holds()
	if now != 0 && !d.cfg.Hints.Has(now) {
		origin, more := d.cfg.Normalizer.Origin().String(), ""
		switch most := d.causes[now].most(); {
		case now == messages.OtherFolder:
			host := strings.TrimSuffix(origin, strings.TrimSuffix(d.cfg.Normalizer.Origin().Folder(), "/"))
			more = "Most sites have the whole host: then write " + host + "."
		case most == "":
		case now == messages.OtherOrigin:
			more = "Most came to " + most + ", and the origin is " + origin + "."
		default:
			more = "Most had: " + most + "."
		}
		d.cfg.Hints.Give(now, more, "origin", origin)
	}
	if before := messages.Hint(d.given.Swap(uint32(now))); before != 0 && before != now {
		d.cfg.Hints.End(before)
	}
}

// caused counts a request that shows the cause of a hint.
func (d *diagnosis) caused(h messages.Hint) { d.counted(d.causes[h].count.Add(1)) }

// causeOf returns the hint that explains why a request taught nothing, 0 for none.
func causeOf(why eligibility.Reason) messages.Hint {
	switch why {
	case eligibility.AddressHost:
		return messages.OtherOrigin
	case eligibility.AddressOutsideFolder:
		return messages.OtherFolder
	case eligibility.Fragment:
		return messages.NoPages
	case eligibility.Authorization, eligibility.ClientCertificate, eligibility.IdentityHeader:
		return messages.Credentials
	case eligibility.Cookie:
		return messages.Cookies
	}
	return 0
}

// names notes the cookies or headers for which a client may not be anonymous.
func (d *diagnosis) names(why eligibility.Reason, h http.Header) {
	switch why {
	case eligibility.Cookie:
		d.causes[messages.Cookies].read(d.cfg.Benign.Telling(h))
	case eligibility.IdentityHeader:
		d.causes[messages.Credentials].read(d.cfg.Benign.NamingHeaders(h))
	}
}

// learnedNothing counts a request that was not watched: it is for no location of the site, or its client may not be
// anonymous.
func (d *diagnosis) learnedNothing(why eligibility.Reason, target, host string) {
	d.outcomes[why].Add(1)
	path, _, _ := strings.Cut(target, "?")
	switch cause := causeOf(why); {
	case cause == 0:
	case cause == messages.OtherFolder && eligibility.AssetName(path): // a page's assets may be elsewhere
	case cause == messages.OtherOrigin:
		d.causes[cause].read(slices.Values([]string{strconv.Quote(host)})) // quoted, since a stranger chooses it
		d.caused(cause)
	default:
		d.caused(cause)
	}
}

// answered counts the response that an anonymous client got at a location.
func (d *diagnosis) answered(location string, kind eligibility.Kind, why eligibility.Reason, resp *response.Response) {
	if resp.Status < http.StatusBadRequest && d.failing.ended(location, resp) {
		d.cfg.Hints.End(messages.Failing)
	}
	if kind == eligibility.Nothing && unread(resp) {
		return
	}
	if kind == eligibility.Forbidden || kind == eligibility.Nothing {
		d.outcomes[why].Add(1)
	}
	switch {
	case resp.Status >= 500 || resp.Status == http.StatusTooManyRequests:
		if !d.cfg.Files.Lists(location) {
			d.caused(messages.NoPageYet)
		} else if d.failing.failed(location, time.Now()) && !d.cfg.Hints.Has(messages.Unanswered) { // which says more
			d.failing.shown.Store(new(shown))
			d.cfg.Hints.Give(messages.Failing, fmt.Sprintf("The last answer was %d.", resp.Status))
		}
	case kind == eligibility.Witness && readable(resp):
		d.counted(d.pages.Add(1))
	case kind == eligibility.Witness, why == eligibility.NotHTML, why == eligibility.Fragment:
		d.caused(messages.NoPages)
	case why == eligibility.Incomplete:
		d.caused(messages.Incomplete)
	case why == eligibility.Private, why == eligibility.NoStore:
		d.caused(messages.ForOne)
	}
}

// reasons returns how many requests that were due taught nothing, by the reason's name.
func (d *diagnosis) reasons() map[string]uint64 {
	found := map[string]uint64{}
	for i := range d.outcomes {
		if n := d.outcomes[i].Load(); n > 0 {
			found[eligibility.Reason(i).String()] = n
		}
	}
	return found
}

// readable reports whether this program can undo the content coding of the body. A compressor
// around the site may have named a coding that it applies only later. Then the body is still as the
// site wrote it.
func readable(resp *response.Response) bool {
	encoding := resp.Header.ContentEncoding
	if encoding == "" || strings.HasPrefix(http.DetectContentType(resp.Body), "text/") {
		return true
	}
	_, _, err := coding.Decode(encoding, nil, 0)
	return !errors.Is(err, coding.ErrUnsupported)
}

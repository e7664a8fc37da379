package observe

import (
	"errors"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/page/coding"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
)

// A diagnosis counts what becomes of requests that are due: each shows a page, or there is a cause why it
// does not. While the site is not learned, the owner gets the hint of the most frequent cause.
type diagnosis struct {
	cfg      *Config
	turns    quota.Held // requests by network, so that one client cannot outweigh all others
	pages    atomic.Uint64
	networks atomic.Uint64 // of the pages: sent to a known network
	causes   [messages.NoNetworks + 1]cause
	ends     atomic.Uint64 // requests that were counted
	given    atomic.Uint32 // a bit for each hint that follows from the counts
	outcomes [eligibility.Reasons]atomic.Uint64
	refusals [location.ReasonQuery + 1]atomic.Uint64
}

const (
	enough     = 20 // requests that show a cause
	perNetwork = 10 // requests of one network that count, so that several must show it

	// So many known clients for each page say that hardly any visitor is anonymous. A page is observed once a
	// minute at most. But a request by a known client uses up no claim, so each is counted.
	knownShare = 51
)

// cause counts the requests that show the cause of one hint, and the names that they have in common. A
// name is that of a cookie or header that identifies the client, or of the host that was asked for.
type cause struct {
	count atomic.Uint64
	mu    sync.Mutex
	named int // requests whose names were read
	names map[string]int
}

const (
	namesKept   = 64
	longestName = 40 // a longer one may name the visitor
)

// add counts one request. It waits for nobody: which names most requests have, a part of them tells too.
func (c *cause) add(names iter.Seq[string]) {
	c.count.Add(1)
	if names == nil || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
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

// most names what most of the requests have, in a sentence. A rarer cookie may be the log-in itself, beside
// one that everybody gets, and the hint must not make the owner call the log-in benign.
func (c *cause) most() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.names)), func(name string) bool { return 2*c.names[name] <= c.named })
	if len(names) == 0 {
		return ""
	}
	return "Most had: " + strings.Join(names, ", ") + "."
}

// holds returns the hints for which the counts are strong evidence.
func (d *diagnosis) holds() (hints []messages.Hint) {
	most, pages := messages.OtherOrigin, d.pages.Load()
	for h := range d.causes[:messages.NoPages+1] {
		if d.causes[h].count.Load() > d.causes[most].count.Load() {
			most = messages.Hint(h)
		}
	}
	n := d.causes[most].count.Load()
	hardly := pages == 0 || n >= knownShare*pages && (most == messages.Credentials || most == messages.Cookies)
	if n >= enough && (hardly || n >= 2*pages && d.cfg.Indexer.Starved()) {
		hints = append(hints, most)
	}
	if d.causes[messages.NoNetworks].count.Load() >= enough && d.networks.Load() == 0 && d.cfg.ClientIP == nil {
		hints = append(hints, messages.NoNetworks)
	}
	return hints
}

// ended notes that a request was counted. At every tenth, it gives the hints that follow from the counts, and
// ends those that no longer do.
func (d *diagnosis) ended() {
	if d.ends.Add(1)%10 != 0 {
		return
	}
	now := uint32(0)
	for _, h := range d.holds() {
		if now |= 1 << h; !d.cfg.Hints.Has(h) {
			d.cfg.Hints.Give(h, d.causes[h].most(), "origin", d.cfg.Normalizer.Origin().String())
		}
	}
	gone := d.given.Swap(now) &^ now
	for h := range messages.NoNetworks + 1 {
		if gone>>h&1 != 0 {
			d.cfg.Hints.End(h)
		}
	}
}

// turn returns how many requests of a network were counted, with this one. It is 1 if the network is
// not known, as behind a proxy that the owner has not named: then all count.
func (d *diagnosis) turn(by quota.Payer) int64 {
	if by == 0 {
		return 1
	}
	return d.turns.Add(by, 1)
}

// caused counts a request that shows the cause of a hint. names may be nil.
func (d *diagnosis) caused(h messages.Hint, turn int64, names iter.Seq[string]) {
	if turn <= perNetwork {
		d.causes[h].add(names)
		d.ended()
	}
}

// refused counts a request that is not for a location of the site.
func (d *diagnosis) refused(r *http.Request, why location.Reason, by quota.Payer) {
	d.refusals[why].Add(1)
	switch path, _, _ := strings.Cut(r.RequestURI, "?"); {
	case why == location.ReasonHost:
		host := strconv.Quote(r.Host) // a stranger chooses it
		d.caused(messages.OtherOrigin, d.turn(by), slices.Values([]string{host}))
	case why == location.ReasonOutsideFolder && !eligibility.AssetName(path): // the folder's pages may have their assets elsewhere
		d.caused(messages.OtherFolder, d.turn(by), nil)
	}
}

// passed counts a request that was not watched, as that of a client who may not be anonymous.
func (d *diagnosis) passed(why eligibility.Reason, h http.Header, turn int64) {
	d.outcomes[why].Add(1)
	switch why {
	case eligibility.Fragment:
		d.caused(messages.NoPages, turn, nil)
	case eligibility.Authorization, eligibility.ClientCertificate:
		d.caused(messages.Credentials, turn, nil)
	case eligibility.Cookie:
		d.caused(messages.Cookies, turn, d.cfg.Benign.Telling(h))
	case eligibility.IdentityHeader:
		d.caused(messages.Credentials, turn, d.cfg.Benign.NamingHeaders(h))
	}
}

// answered counts the response that an anonymous client got.
func (d *diagnosis) answered(asked asked, kind eligibility.Kind, why eligibility.Reason, resp *response.Response) {
	if kind == eligibility.Nothing && unread(resp) {
		return
	}
	if kind == eligibility.Forbidden || kind == eligibility.Nothing {
		d.outcomes[why].Add(1)
	}
	switch {
	case resp.Status >= 500 || resp.Status == http.StatusTooManyRequests:
		d.caused(messages.NoPageYet, asked.turn, nil)
	case kind == eligibility.Witness && readable(resp):
		d.showed(asked)
	case kind == eligibility.Witness, why == eligibility.NotHTML, why == eligibility.Fragment:
		d.caused(messages.NoPages, asked.turn, nil)
	case why == eligibility.Incomplete:
		d.caused(messages.Incomplete, asked.turn, nil)
	case why == eligibility.Private, why == eligibility.NoStore:
		d.caused(messages.ForOne, asked.turn, nil)
	}
}

// showed counts a page.
func (d *diagnosis) showed(asked asked) {
	if asked.turn > perNetwork {
		return
	}
	d.pages.Add(1)
	switch {
	case asked.network.IsValid():
		d.networks.Add(1)
	case !asked.local:
		d.causes[messages.NoNetworks].add(nil)
	}
	d.ended()
}

// reasons returns how many requests that were due taught nothing, by the reason's name.
func (d *diagnosis) reasons() map[string]uint64 {
	found := map[string]uint64{}
	for i := range d.outcomes {
		if n := d.outcomes[i].Load(); n > 0 {
			found[eligibility.Reason(i).String()] += n
		}
	}
	for i := range d.refusals {
		if n := d.refusals[i].Load(); n > 0 {
			found[location.Reason(i).String()] += n
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

package observe

import (
	"cmp"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
)

// nameCounts counts the names of cookies, or of headers, that identified clients. A hint then names
// them. It keeps the first names that it sees, and never a value.
type nameCounts struct {
	mu       sync.Mutex
	requests int
	counts   map[string]int
}

const (
	namesKept = 64 // names that are counted
	namesRead = 16 // names read of one request
	namesTold = 5  // names in the hint
)

// noteNames counts the names that identified a client. n is how many clients the reason has
// identified so far. After the first hundred, which are enough for the hint, it counts one client
// in 64: on a site where every client is known, every request comes here.
func (o *Observer) noteNames(why eligibility.Reason, n uint64, h http.Header) {
	if n > 100 && n%64 != 0 {
		return
	}
	switch why {
	case eligibility.Cookie:
		o.cookies.note(o.cfg.Cookies.Telling(h))
	case eligibility.IdentityHeader, eligibility.ClientCertificate:
		o.headers.note(eligibility.NamingHeaders(h))
	}
}

// names says which names a hint is about, or "".
func (o *Observer) names(h messages.Hint) string {
	var names []string
	switch h {
	case messages.Cookies:
		names = o.cookies.most()
	case messages.Credentials:
		names = o.headers.most()
	}
	if len(names) == 0 {
		return ""
	}
	return "Most had: " + strings.Join(names, ", ") + "."
}

// note counts the names of one request. It never waits: while another request is counted, it skips
// this one.
func (c *nameCounts) note(names iter.Seq[string]) {
	if !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = make(map[string]int, namesKept)
	}
	c.requests++
	n := 0
	for name := range names {
		if n++; n > namesRead {
			return
		}
		if _, known := c.counts[name]; known || len(c.counts) < namesKept && plainName(name) {
			c.counts[strings.Clone(name)]++ // the name alone, without the whole header's memory
		}
	}
}

// most returns the names that most of the requests had, most frequent first. A rarer name may be
// the log-in itself, next to a cookie that everybody gets. The hint must not make the owner call
// the log-in benign.
func (c *nameCounts) most() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := slices.SortedFunc(maps.Keys(c.counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.counts[b], c.counts[a]), strings.Compare(a, b))
	})
	names = names[:min(len(names), namesTold)]
	return slices.DeleteFunc(names, func(name string) bool { return c.counts[name]*2 < c.requests })
}

// plainName reports whether the name of a cookie or header is made of words. Part of any other name
// may identify the visitor, so hints leave it out.
func plainName(name string) bool {
	digits := 0
	for _, c := range []byte(name) {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case ('a' > c|0x20 || c|0x20 > 'z') && strings.IndexByte("_-.", c) < 0:
			return false
		}
	}
	const longest, mostDigits = 40, 2
	return name != "" && len(name) <= longest && digits <= mostDigits && !capability.Looks("/"+name)
}

package observe

import (
	"cmp"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/capability"
	"github.com/servemap/servemap/internal/hint"
)

// nameCounts counts the names of the cookies, or of the headers, that identified clients,
// for the hint that names them. It keeps the frequent names, and never a value.
type nameCounts struct {
	mu       sync.Mutex
	requests int
	counts   map[string]int
}

const (
	namesKept = 32 // names that are counted at a time
	namesRead = 16 // names of one request that are looked at
	namesTold = 5  // names in the hint
)

// noteNames counts the names that identified a client. n is how many clients were known
// for that reason so far. After the first hundred, which are enough for the hint, it
// counts one client in 64: where every client is known, every request comes here.
func (o *Observer) noteNames(why admit.Reason, n uint64, h http.Header) {
	if o.cfg.Hints == nil || n > 100 && n%64 != 0 {
		return
	}
	switch why {
	case admit.Cookie:
		o.cookies.note(o.cfg.Cookies.Telling(h))
	case admit.IdentityHeader, admit.ClientCertificate:
		o.headers.note(admit.NamingHeaders(h))
	}
}

// names says which names a hint is about, "" for none.
func (o *Observer) names(h hint.Hint) string {
	var names []string
	switch h {
	case hint.Cookies:
		names = o.cookies.most()
	case hint.Identity:
		names = o.headers.most()
	}
	if len(names) == 0 {
		return ""
	}
	return "Most had: " + strings.Join(names, ", ") + "."
}

// note counts the names of one request. It never waits: if another request is being
// counted, it skips this one.
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
		c.add(shownName(name))
	}
}

// add counts a name. If there is no room for another one, all lose a count, so that the
// frequent ones stay (Misra and Gries, 1982).
func (c *nameCounts) add(name string) {
	_, known := c.counts[name]
	switch {
	case name == "":
		return
	case known:
		c.counts[name]++
		return
	case len(c.counts) < namesKept:
		c.counts[strings.Clone(name)] = 1 // and not the whole header
		return
	}
	for other := range c.counts {
		if c.counts[other]--; c.counts[other] == 0 {
			delete(c.counts, other)
		}
	}
}

// most returns the names that most of the requests had, the most frequent first. A name
// that fewer had may be the log-in itself, beside a cookie that everybody gets. The hint
// must not lead the owner to call that benign.
func (c *nameCounts) most() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := slices.SortedFunc(maps.Keys(c.counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.counts[b], c.counts[a]), strings.Compare(a, b))
	})
	names = names[:min(len(names), namesTold)]
	return slices.DeleteFunc(names, func(name string) bool { return c.counts[name]*2 < c.requests })
}

const longestName = 40

// shownName returns the name of a cookie or header in a form to show to an owner. It
// replaces a part that may identify the visitor by "*", as in "session_*". It is "" if too
// little is left.
func shownName(name string) string {
	for i := 0; i < len(name); {
		end := i
		for end < len(name) && isWordByte(name[end]) {
			end++
		}
		foreign := end < len(name) && strings.IndexByte("_-.", name[end]) < 0 // as in an e-mail address
		if word := name[i:end]; foreign || end > longestName || word != "" && personal(word) {
			return cutName(name, i)
		}
		i = end + 1
	}
	return name
}

// cutName returns the first n bytes of a name and a star, or "" if these say nothing.
func cutName(name string, n int) string {
	letters := 0
	for i := range n {
		if isWordByte(name[i]) {
			letters++
		}
	}
	if letters < 3 {
		return ""
	}
	return name[:min(n, longestName)] + "*"
}

// personal reports whether a word of a name may belong to one visitor: a number, or a
// token.
func personal(word string) bool {
	digits := 0
	for i := range len(word) {
		if '0' <= word[i] && word[i] <= '9' {
			digits++
		}
	}
	return digits >= 3 || digits == len(word) || capability.Looks("/"+word)
}

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

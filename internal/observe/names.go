package observe

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/capability"
)

// nameCounts counts the names of cookies, or of headers, that identified the first clients, or the hosts that
// they asked for. A hint then names them. It never keeps a value.
type nameCounts struct {
	mu      sync.Mutex
	clients int
	counts  map[string]int
}

const (
	clientsRead = 100 // as many are enough for a hint
	namesRead   = 16  // names read of one request
	namesTold   = 5   // names in the hint
	longestName = 40  // a longer one may name the visitor
)

// add counts the names of one request, if it is one of the first.
func (c *nameCounts) add(names iter.Seq[string]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clients == clientsRead {
		return
	}
	if c.clients++; c.counts == nil {
		c.counts = map[string]int{}
	}
	n := 0
	for name := range names {
		if n++; n > namesRead {
			return
		}
		if len(name) <= longestName && !capability.Looks("/"+name) {
			c.counts[strings.Clone(name)]++ // the name alone, without the whole header's memory
		}
	}
}

// most returns the names that most of the clients had, most frequent first. A rarer name may be the
// log-in itself, next to a cookie that everybody gets. The hint must not make the owner call the
// log-in benign.
func (c *nameCounts) most() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := slices.SortedFunc(maps.Keys(c.counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.counts[b], c.counts[a]), strings.Compare(a, b))
	})
	names = names[:min(len(names), namesTold)]
	return slices.DeleteFunc(names, func(name string) bool { return c.counts[name]*2 < c.clients })
}

// names says which names a hint is about, or "".
func (d *diagnosis) names(h messages.Hint) string {
	var names []string
	switch h {
	case messages.OtherOrigin:
		names = d.hosts.most()
	case messages.Cookies:
		names = d.cookies.most()
	case messages.Credentials:
		names = d.headers.most()
	}
	if len(names) == 0 {
		return ""
	}
	return "Most had: " + strings.Join(names, ", ") + "."
}

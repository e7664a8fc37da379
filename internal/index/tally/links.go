package tally

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/index/observation"
)

// The bounds of Links.
const (
	targetsKept = 2048
	fromKept    = 5
	pagesKept   = 1 << 15   // pages of which it is remembered that their links were read
	linksKept   = 1 << 19   // links of these pages
	rereadEvery = time.Hour // at the most, after pages have left
)

// Target is an address that listed pages link to and the sitemap does not list.
type Target struct {
	Location string
	From     []string  // listed pages that link to it, the shortest first; none if only a redirect leads here
	At       time.Time // when such a link was last read
	Status   int       // of the last answer, 0 if none is known
	Followed int       // answers to visitors since the start
	To       string    // where it redirects, on the site
}

// Broken reports whether the last answer was that there is no page, or that the site failed.
func (t *Target) Broken() bool { return t.Status == 404 || t.Status == 410 || t.Status >= 500 }

// Links remembers, in memory alone, where listed pages link to and what was answered there. It names no unlisted
// address that looks like a secret, or that every request for the linking page had named. It may be called
// concurrently.
type Links struct {
	lists func(location string) bool
	since time.Time

	mu      sync.Mutex
	targets map[string]*Target
	links   map[string]int      // how many targets name a page in From, by the page
	read    map[string]outgoing // pages whose links were read since the start
	kept    int                 // links of these pages
	reread  time.Time           // when all pages were last marked to be read again
}

// outgoing are the links of a page. They are never changed, only replaced.
type outgoing struct {
	to    []uint64 // hashes of locations, in order
	cut   bool     // there was no room, so they are not known
	stale bool     // they must be read again
}

// NewLinks returns empty links. lists reports whether the sitemap lists a location.
func NewLinks(lists func(string) bool) *Links {
	return &Links{lists: lists, since: time.Now(), targets: map[string]*Target{}, links: map[string]int{},
		read: map[string]outgoing{}}
}

// Unread reports whether the links of a page should be read although it shows the same as before.
func (l *Links) Unread(location string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	out, before := l.read[location]
	return out.stale || !before && len(l.read) < pagesKept
}

// Known returns of how many pages the links were read, and since when that is counted.
func (l *Links) Known() (pages int, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.read), l.since
}

// Left says that pages have left. Pages that link to them may show the same as before.
func (l *Links) Left(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.reread) >= rereadEvery {
		for location, out := range l.read {
			out.stale = true
			l.read[location] = out
			if !l.lists(location) {
				l.kept -= len(out.to)
				delete(l.read, location)
			}
		}
		l.reread = now
	}
}

// Read takes in the links of a listed page, in place of those that it had. It returns the targets that are new, but
// none if there are very many: while a large site is learned, most links lead to pages that nobody has got yet.
func (l *Links) Read(o *observation.Observation) (fresh []string) {
	l.mu.Lock()
	before := l.read[o.Location].to
	l.mu.Unlock()
	var links []string
	var all []uint64
	for _, ln := range o.Links {
		listed := l.lists(ln.Location) // a listed location is no secret; most are listed, and to examine each takes long
		hash := xxh3.HashString(ln.Location)
		_, had := slices.BinarySearch(before, hash) // also by a request that did not name it, such as with another Referer
		if ln.Location == o.Location ||
			!listed && (capability.Looks(ln.Location) || !had && o.Echo.Repeats(ln.Location)) {
			continue
		}
		if all = append(all, hash); !listed {
			links = append(links, ln.Location)
		}
	}
	slices.Sort(links)
	slices.Sort(all)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remember(o.Location, slices.Compact(all))
	for location, t := range l.targets {
		if l.links[o.Location] == 0 {
			break // most pages lead to none of the targets, and to examine all takes long
		}
		if _, still := slices.BinarySearch(links, location); !still && l.unlink(t, o.Location) && len(t.From) == 0 {
			delete(l.targets, location)
		}
	}
	for _, location := range links {
		t, isNew := l.target(location)
		if isNew && len(l.targets) <= targetsKept/2 {
			fresh = append(fresh, location)
		}
		l.unlink(t, o.Location)
		t.From, t.At = append(t.From, o.Location), o.At
		slices.SortFunc(t.From, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
		l.links[o.Location]++
		if len(t.From) > fromKept {
			l.unlink(t, t.From[fromKept])
		}
	}
	return fresh
}

// unlink takes a page out of those that link to a target, and reports whether it was there.
func (l *Links) unlink(t *Target, page string) bool {
	i := slices.Index(t.From, page)
	if i < 0 {
		return false
	}
	t.From = slices.Delete(t.From, i, i+1)
	if l.links[page]--; l.links[page] == 0 {
		delete(l.links, page)
	}
	return true
}

// remember notes the links of a page, if there is room.
func (l *Links) remember(location string, to []uint64) {
	out, before := l.read[location]
	if !before && len(l.read) >= pagesKept {
		return
	}
	now := outgoing{to: slices.Clip(to)}
	if l.kept -= len(out.to); l.kept+len(to) > linksKept {
		now = outgoing{cut: true}
	}
	l.kept += len(now.to)
	l.read[location] = now
}

// outgoing yields the links of the listed pages that were read.
func (l *Links) outgoing() iter.Seq[outgoing] {
	return func(yield func(outgoing) bool) {
		l.mu.Lock()
		read := maps.Clone(l.read)
		l.mu.Unlock() // as in Targets
		for location, out := range read {
			if l.lists(location) && !yield(out) {
				return
			}
		}
	}
}

// From returns the listed pages that link to a location, as far as remembered.
func (l *Links) From(location string) (from []string) {
	hash := xxh3.HashString(location)
	l.mu.Lock()
	for page, out := range l.read {
		if _, links := slices.BinarySearch(out.to, hash); links {
			from = append(from, page)
		}
	}
	l.mu.Unlock() // as in Targets
	from = slices.DeleteFunc(from, func(page string) bool { return !l.lists(page) })
	slices.Sort(from)
	return from
}

// Linking says how many listed pages link to a location.
type Linking struct {
	Pages int  // pages that are known to link to it
	Whole bool // no other page links to it
}

// Count counts for each of some locations the listed pages that link to it. listed is how many pages are listed.
func (l *Links) Count(locations []string, listed int) []Linking {
	counts, at := make([]Linking, len(locations)), map[uint64]int{}
	for n, location := range locations {
		at[xxh3.HashString(location)] = n
	}
	for out := range l.outgoing() {
		for _, hash := range out.to {
			if n, asked := at[hash]; asked {
				counts[n].Pages++
			}
		}
		if !out.cut {
			listed--
		}
	}
	for n := range counts {
		counts[n].Whole = listed <= 0
	}
	return counts
}

// target returns the target at a location, and makes room for one that is new. What is broken goes last.
func (l *Links) target(location string) (t *Target, isNew bool) {
	if t = l.targets[location]; t != nil {
		return t, false
	}
	if len(l.targets) >= targetsKept {
		all := slices.SortedFunc(maps.Values(l.targets), worst)
		for _, t := range all[targetsKept*3/4:] {
			for len(t.From) > 0 {
				l.unlink(t, t.From[0])
			}
			delete(l.targets, t.Location)
		}
	}
	t = &Target{Location: strings.Clone(location)} // it may share memory with the page
	l.targets[t.Location] = t
	return t, true
}

// worst puts broken targets first, then the newest.
func worst(a, b *Target) int {
	rank := func(t *Target) int {
		if t.Broken() {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(b), rank(a)), b.At.Compare(a.At))
}

// Knew notes what the store knows of a target: the status of its last answer.
func (l *Links) Knew(location string, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.targets[location]; t != nil {
		t.Status = cmp.Or(t.Status, status)
	}
}

// Answered notes the answer of a target. Of the site's own requests it notes every answer, since the page with the link
// may not have been read yet. to returns where the answer redirects on the site.
func (l *Links) Answered(location string, status int, explored bool, to func() string) {
	own := explored
	if explored && (l.lists(location) || capability.Looks(location)) {
		explored = false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.targets[location]
	switch {
	case t == nil && !explored:
		return
	case t == nil:
		t, _ = l.target(location)
	}
	t.Status, t.To = status, ""
	if !own {
		t.Followed++
	}
	if status/100 != 3 {
		return
	}
	if t.To = to(); capability.Looks(t.To) {
		t.To = ""
	}
	if next := t.To; next != "" && !l.lists(next) {
		l.target(next) // it may redirect in turn
	}
}

// Targets returns the targets, the worst and newest first, without those that the sitemap lists by now.
func (l *Links) Targets() (all []Target) {
	led := map[string]bool{} // where targets redirect
	l.mu.Lock()
	for _, t := range l.targets {
		led[t.To] = true
		copied := *t
		copied.From = slices.Clone(t.From)
		all = append(all, copied)
	}
	l.mu.Unlock() // before what takes long: answers to visitors are noted meanwhile
	all = slices.DeleteFunc(all, func(t Target) bool { return l.lists(t.Location) })
	for i := range all {
		all[i].From = slices.DeleteFunc(all[i].From, func(from string) bool { return !l.lists(from) })
	}
	all = slices.DeleteFunc(all, func(t Target) bool { return len(t.From) == 0 && !led[t.Location] })
	slices.SortFunc(all, func(a, b Target) int { return worst(&a, &b) })
	return all
}

// Target returns the target at a location, nil if it is none.
func (l *Links) Target(location string) *Target {
	for _, t := range l.Targets() {
		if t.Location == location {
			return &t
		}
	}
	return nil
}

// Broken counts the broken targets that a listed page links to.
func (l *Links) Broken() (n int) {
	for _, t := range l.Targets() {
		if t.Broken() && len(t.From) > 0 {
			n++
		}
	}
	return n
}

package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// item is a location to request.
type item struct {
	Location string
	Depth    int // links from an entry to it
	// Chain grows with each page in a row that led to one new page of its own shape, as the
	// months of a calendar do; see chainStep.
	Chain int    `json:",omitempty"`
	Tries int    `json:"-"` // how often the site refused it
	from  string // the shape of the page that led here
}

// The bounds of an exploration, besides those of [Config].
const (
	deepest       = 20 // links from an entry; the further pages of a list are no deeper than its first one
	longestChain  = 100 * chainStep
	chainStep     = 10   // for a page that led to nothing but the next one; 1 if it led elsewhere too, as in an archive of posts
	mostTries     = 3    // for a location that the site refuses while it answers others
	mostSegments  = 12   // of a path
	sameContent   = 20   // so many pages of one shape with the same content end that shape
	shareFrom     = 1000 // requests after which a share counts
	largestShare  = 4    // a shape or folder goes to the end of the queue when it has had this part of the requests
	mostRepeats   = 2    // of one segment in a path
	stateVersion  = 1
	mostRemembers = 4 // locations that wait, for each request that may be made
)

// frontier holds the locations to request, and keeps out those that a site makes up for
// ever. It uses only its own memory.
type frontier struct {
	most   int
	seen   map[uint64]bool // hashes of the locations that were added
	first  []item          // in the order in which they were found
	later  []item          // those of shapes and folders that have had their share
	groups map[string]*group
	asked  int
	fresh  int // locations of the same shape as the current page that it led to
	others int // of other shapes
}

// group counts requests and contents of a shape or a folder.
type group struct {
	asked int
	same  map[uint64]int // how often each content was shown
	ended bool
}

func newFrontier(most int) *frontier {
	return &frontier{most: most, seen: map[uint64]bool{}, groups: map[string]*group{}}
}

// has reports whether a location was added before.
func (f *frontier) has(location string) bool { return f.seen[xxh3.HashString(location)] }

// add puts an item into the frontier, or returns why it does not. An item that was added
// before is neither added nor explained.
func (f *frontier) add(it item) (why string) {
	id := xxh3.HashString(it.Location)
	if f.seen[id] {
		return ""
	}
	shape := shapeOf(it.Location)
	if shape == it.from {
		it.Depth-- // the next page of a list is no deeper than the list
	}
	switch {
	case it.Depth > deepest:
		return "too-deep"
	case repeats(it.Location):
		return "repeated-segments"
	case it.Chain >= longestChain && shape == it.from:
		return "endless"
	case f.groups[shape] != nil && f.groups[shape].ended:
		return "same-content"
	case len(f.first)+len(f.later) >= mostRemembers*f.most:
		return "too-many"
	}
	if shape != it.from {
		it.Chain = 0
		f.others++
	} else {
		f.fresh++
	}
	f.seen[id] = true
	f.first = append(f.first, it)
	return ""
}

// next returns the item to request next. Items of a shape or folder that has had its share
// come last.
func (f *frontier) next() (item, bool) {
	if f.asked >= f.most {
		return item{}, false
	}
	for len(f.first) > 0 {
		it := f.first[0]
		f.first = f.first[1:]
		if f.hadShare(it.Location) {
			f.later = append(f.later, it)
			continue
		}
		if f.begin(it) {
			return it, true
		}
	}
	for len(f.later) > 0 {
		it := f.later[0]
		f.later = f.later[1:]
		if f.begin(it) {
			return it, true
		}
	}
	return item{}, false
}

// begin counts a request, unless its shape has ended.
func (f *frontier) begin(it item) bool {
	if f.group(shapeOf(it.Location)).ended {
		return false
	}
	f.asked++
	f.group(shapeOf(it.Location)).asked++
	f.group(folderOf(it.Location)).asked++
	return true
}

// again puts back an item that was not answered.
func (f *frontier) again(it item) {
	f.first = slices.Insert(f.first, 0, it)
	f.asked--
}

// refused puts an item that the site refused behind all others. It returns false if the
// item was tried often enough.
func (f *frontier) refused(it item) bool {
	if it.Tries++; it.Tries >= mostTries {
		return false
	}
	f.later = append(f.later, it)
	f.asked--
	return true
}

func (f *frontier) group(name string) *group {
	if f.groups[name] == nil {
		f.groups[name] = new(group)
	}
	return f.groups[name]
}

func (f *frontier) hadShare(location string) bool {
	most := max(f.most/largestShare, shareFrom)
	return f.group(shapeOf(location)).asked >= most || f.group(folderOf(location)).asked >= most
}

// page returns the item from which the links of a page inherit depth and chain.
func (f *frontier) page(it item) item {
	f.fresh, f.others = 0, 0
	return item{Depth: it.Depth + 1, Chain: it.Chain + chainStep, from: shapeOf(it.Location)}
}

// grew is called after all links of a page were added. A page that led to several new pages
// of its shape begins no chain. A page that also led elsewhere counts for little.
func (f *frontier) grew(found item) {
	chain := found.Chain
	switch {
	case f.fresh > 1:
		chain = 0
	case f.others > 0:
		chain -= chainStep - 1
	}
	for i := len(f.first) - 1; i >= 0 && f.fresh > 0; i-- {
		if shapeOf(f.first[i].Location) == found.from {
			f.first[i].Chain = chain
			f.fresh--
		}
	}
}

// shows notes the content of the page at an item. A shape that shows the same content over
// and over ends.
func (f *frontier) shows(it item, content uint64) {
	g := f.group(shapeOf(it.Location))
	if g.same == nil {
		g.same = map[uint64]int{}
	}
	if g.same[content]++; g.same[content] >= sameContent {
		g.ended = true
	}
}

func (f *frontier) waiting() int { return len(f.first) + len(f.later) }

// state is a frontier in the form that is kept between two explorations.
type state struct {
	Version int
	Seen    []uint64
	Waiting []item
}

// save returns the state from which to continue, nil if nothing waits.
func (f *frontier) save() []byte {
	if f.waiting() == 0 {
		return nil
	}
	s := state{Version: stateVersion, Waiting: slices.Concat(f.first, f.later)}
	for id := range f.seen {
		s.Seen = append(s.Seen, id)
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // never fails: it encodes only numbers and strings
	}
	return b
}

func (f *frontier) load(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	var s state
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("the state to resume cannot be read: %w", err)
	}
	if s.Version != stateVersion {
		return fmt.Errorf("the state to resume has version %d, this release reads version %d; explore anew", s.Version, stateVersion)
	}
	for _, id := range s.Seen {
		f.seen[id] = true
	}
	f.first = s.Waiting
	return nil
}

// shapeOf returns a location with each run of digits as one "0", and without the values of
// its query.
func shapeOf(location string) string {
	path, query, has := strings.Cut(location, "?")
	var b strings.Builder
	digit := false
	for i := range len(path) {
		c := path[i]
		if '0' <= c && c <= '9' {
			if !digit {
				b.WriteByte('0')
			}
			digit = true
			continue
		}
		digit = false
		b.WriteByte(c)
	}
	if !has {
		return b.String()
	}
	for param := range strings.SplitSeq(query, "&") {
		key, _, _ := strings.Cut(param, "=")
		b.WriteString("?" + key)
	}
	return b.String()
}

// folderOf returns the first folder of a location, after a prefix with which no shape
// begins.
func folderOf(location string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(location, "/"), "/")
	return "folder " + first
}

// repeats reports whether a path has too many segments, or repeats one too often. Then
// links relative to the wrong folder have made it: /a/b/a/b/a.
func repeats(location string) bool {
	path, _, _ := strings.Cut(location, "?")
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if len(segments) > mostSegments {
		return true
	}
	times := map[string]int{}
	for i, s := range segments {
		if times[s]++; times[s] > mostRepeats {
			return true
		}
		if i >= 3 && s == segments[i-2] && segments[i-1] == segments[i-3] && s != segments[i-1] {
			return true
		}
	}
	return false
}

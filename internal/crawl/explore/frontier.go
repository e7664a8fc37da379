package explore

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/page/html"
)

// item is a location to request.
type item struct {
	Location string
	Rank     rank
	// Idle grows along the way to the location with each page that showed nothing new: by
	// one if that page led to one new name, by less if it led to more.
	Idle  float64
	From  int     // the page of the trail that led to it
	Plain bool    // it is known to be no control of something
	Probe *string // the pages that it stands for, as a [trail] names them, if those were stopped
	Query bool    // it has a parameter that is not allowed
	Tries int     // how often the site refused it
}

// rank says what is new in the name of a location. A site that makes up pages for ever
// repeats its names, or counts.
type rank int

const (
	named    rank = iota // its last name is new
	numbered             // its last name is a new number
	combined             // only the combination of its names is new, as in /red/size-9 after /size-9
	queried              // it has a parameter that is not allowed: most of these sort, filter and track
	ranks
)

// The bounds of an exploration, besides those of [Config].
const (
	longestIdle   = 20.0 // of an item
	mostIdle      = 20   // pages of a folder that show nothing new and lead to more, before combined locations end
	newShare      = 15   // the same before new numbers and names end: one in so many requests
	mostQueries   = 3    // pages with the same parameters that show nothing new, before no more are requested
	leafIdle      = .1   // what a combined number or date counts that leads to nothing
	mostTexts     = 20   // of a page that are compared
	mostTries     = 3    // for a location that the site refuses while it answers others
	mostRemembers = 4    // locations that wait, for each request that may be made
)

// frontier holds the locations to request, and keeps out those that a site makes up for
// ever. A page earns the requests for what it leads to by showing something new: a text that
// no page showed, or a name that no location had. It uses only its own memory.
type frontier struct {
	most     int
	asked    int
	seen     map[uint64]bool    // hashes of the locations and names that were found
	idle     map[string]float64 // folder: pages that show nothing new, less those that do; "" has those of a new name
	queues   [ranks][]*item
	controls controls
	endless  int // items that were dropped
	trail    trail

	page  item    // whose links are added now
	found []*item // locations that it led to
	fresh bool    // it shows something new
}

func newFrontier(most int) *frontier {
	return &frontier{
		most: most, seen: map[uint64]bool{}, idle: map[string]float64{},
		trail:    trail{Texts: map[uint64]int32{}, Stopped: map[string]map[string]item{}, Within: map[string]string{}, Endless: map[string]bool{}},
		controls: controls{things: map[string]map[string]string{}, got: map[string]bool{}},
	}
}

// news notes a location, a name or a text, and reports whether it is new.
func (f *frontier) news(text string) bool {
	id := xxh3.HashString(text)
	was := f.seen[id]
	f.seen[id] = true
	return !was
}

// has reports whether a location was added before.
func (f *frontier) has(location string) bool { return f.seen[xxh3.HashString(location)] }

// add puts an item into the frontier, or returns why it does not. An item that was added
// before is neither added nor explained.
func (f *frontier) add(it item) (why string) {
	switch {
	case f.has(it.Location):
		return ""
	case it.Query && (f.page.Probe != nil || f.page.Idle >= longestIdle):
		return "endless" // which says nothing of the pages without a query
	case f.page.Probe != nil:
		f.trail.Endless[*f.page.Probe] = true
		return "endless"
	case f.page.Idle >= longestIdle:
		it.From, it.Idle = f.trail.last(), f.page.Idle
		f.trail.stop(it, folderOf(f.page.Location))
		return "endless"
	case f.waiting() >= mostRemembers*f.most:
		return "too-many"
	}
	f.news(it.Location)
	if it.Rank = f.rank(it.Location); it.Query {
		it.Rank = queried
	}
	f.found = append(f.found, &it)
	f.put(&it)
	return ""
}

// addListed puts a location that visitors got into the frontier. It returns false if that was
// added before, or there is no room.
func (f *frontier) addListed(location string) bool {
	if f.waiting() >= mostRemembers*f.most || !f.news(location) {
		return false
	}
	f.put(&item{Location: strings.Clone(location), Plain: true})
	return true
}

// put queues an item. The further pages of a list come first, since they lead to all others.
func (f *frontier) put(it *item) {
	q := &f.queues[it.Rank]
	switch {
	case !it.Plain && f.controls.hold(it):
	case it.Rank == numbered && it.Tries == 0 && pager.MatchString(it.Location):
		*q = slices.Insert(*q, 0, it)
	default:
		*q = append(*q, it)
	}
}

// rank returns what is new in the name of a location, and notes it. A date is the numbers it
// consists of. A number below another one is the next part of a date, or a step into a tree.
func (f *frontier) rank(location string) rank {
	names := strings.FieldsFunc(location, func(c rune) bool { return strings.ContainsRune("/?&=;:,+|~", c) })
	if len(names) > 1 && strings.HasPrefix(names[len(names)-1], "index.") {
		names = names[:len(names)-1]
	}
	if len(names) == 0 {
		return named
	}
	last, before := names[len(names)-1], names[:len(names)-1]
	switch {
	case !number.MatchString(last):
		if f.news("name " + last) {
			return named
		}
		return combined
	case len(before) > 0 && number.MatchString(before[len(before)-1]):
		return combined
	}
	r, scope := combined, digits.ReplaceAllString(strings.Join(before, "/"), "0")
	for i, n := range digits.FindAllString(last, -1) {
		if f.news(fmt.Sprint("number ", scope, " ", i, " ", n)) {
			r = numbered
		}
	}
	return r
}

var (
	digits = regexp.MustCompile(`\d+`)
	values = regexp.MustCompile(`=[^&]*`)
	pager  = regexp.MustCompile(`[/?&]page[/=]\d+$`)
	number = regexp.MustCompile(`^\d[\d._-]*(\.[a-z]+)?$`)
)

// next returns the item to request next. New names come first, then new numbers.
func (f *frontier) next() (item, bool) {
	for r := range f.queues {
		for len(f.queues[r]) > 0 && f.asked < f.most {
			it := *f.queues[r][0]
			f.queues[r] = f.queues[r][1:]
			if key, is := f.isEndless(it); is {
				if f.endless++; !it.Query {
					f.trail.stop(it, key)
				}
				continue
			}
			f.asked++
			return it, true
		}
	}
	return item{}, false
}

// isEndless reports whether pages like the one at an item go on and show nothing new, and which: those of
// its folder, or "" for those of a new name. A new name is believed where the page that led to it was new.
func (f *frontier) isEndless(it item) (of string, is bool) {
	if it.Probe != nil {
		return "", false
	}
	most := max(mostIdle, float64(f.most/newShare))
	switch it.Rank {
	case named:
		return "", it.Idle > 0 && f.idle[""] >= most
	case combined:
		most = mostIdle
	case queried:
		most = mostQueries
	}
	of = it.folder()
	return of, f.idle[of] >= most
}

// folder returns the first folder of the location, with the names of its parameters if one of them is
// not allowed.
func (it *item) folder() string {
	folder := folderOf(it.Location)
	if _, query, _ := strings.Cut(it.Location, "?"); it.Query {
		folder += "?" + digits.ReplaceAllString(values.ReplaceAllString(query, ""), "0")
	}
	return folder
}

// refused puts an item that the site refused behind all others. It returns false if the
// item was tried often enough.
func (f *frontier) refused(it item) bool {
	if it.Tries++; it.Tries >= mostTries {
		return false
	}
	f.put(&it)
	f.asked--
	return true
}

// release puts the items that wait because they may be controls into the queues if they are
// pages. It returns false if none is.
func (f *frontier) release() bool {
	pages := f.controls.release()
	for _, it := range pages {
		it.Plain = true
		f.put(it)
	}
	return len(pages) > 0
}

// probe queues locations of the spaces that were stopped. It returns false if there are none.
func (f *frontier) probe() bool {
	probes := f.trail.probes()
	for _, it := range probes {
		f.news(it.Location)
		f.queues[combined] = append(f.queues[combined], it)
	}
	return len(probes) > 0
}

// begin is called before the links of an answer are added. It notes the texts that the page at
// an item shows. A text counts without numbers and without the words of the page's location,
// since a page that is made up mentions these. A redirect shows no text.
func (f *frontier) begin(it item, page html.Text) {
	f.page, f.found, f.fresh = it, nil, false
	f.trail.Pages = append(f.trail.Pages, step{item: it})
	if page.MainHash != 0 && f.trail.copies(page.MainHash) {
		return
	}
	own, decoded := map[string]bool{}, it.Location
	if plain, err := url.PathUnescape(decoded); err == nil {
		decoded = plain
	}
	for _, w := range wordsOf(decoded) {
		own[w] = true
	}
	texts := 0
	for _, b := range page.Blocks {
		words := slices.DeleteFunc(wordsOf(b.Text), func(w string) bool { return own[w] })
		if !b.Main || len(words) == 0 {
			continue
		}
		if f.fresh = f.trail.shows(strings.Join(words, " "), b.Links > 0) || f.fresh; texts == mostTexts {
			return
		}
		texts++
	}
}

// end is called after all links of an answer were added.
func (f *frontier) end() {
	earned := 0
	for _, it := range f.found {
		if it.Rank != combined {
			earned++
		}
	}
	idle, folder := f.page.Idle+1/float64(max(1, earned)), f.page.folder()
	switch {
	case f.fresh:
		idle, f.idle[folder], f.idle[""] = 0, max(0, f.idle[folder]-1), max(0, f.idle[""]-1)
	case len(f.found) == 0 && f.page.Rank == combined && counted.MatchString(f.page.Location):
		f.idle[folder] += leafIdle
	case len(f.found) == 0 && f.page.Rank != queried: // it leads nowhere
	case f.page.Rank == named:
		f.idle[""]++
	default:
		f.idle[folder]++
	}
	for _, it := range f.found {
		it.Idle, it.From = idle, f.trail.last()
	}
}

// wordsOf returns the words of a text without its numbers.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) })
}

func (f *frontier) waiting() (n int) {
	for _, q := range f.queues {
		n += len(q)
	}
	return n + len(f.controls.waiting)
}

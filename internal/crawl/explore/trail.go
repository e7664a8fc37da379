package explore

import (
	"regexp"
	"strings"

	"github.com/zeebo/xxh3"
)

// trail is what is remembered of the pages that were got. It tells which of them belong to a space
// that has no end: it was stopped since its pages went on and showed nothing new, and it does go on. What
// only the explorer saw there is not believed: a calendar has as many pages as somebody asks for.
type trail struct {
	Pages   []step
	Texts   map[uint64]int32           // the page that shows a text, or first showed just this, or how many do as a negative number
	Stopped map[string]map[string]item // by the space, which is a folder, or "" for all pages with a new name: a location of each shape
	Within  map[string]string          // by the space: the path that the stopped locations, and the pages that led there, have in common
	Endless map[string]bool            // the spaces that went on where they were stopped
	Doubted int                        // if not 0, the pages from this one on are taken for those of such a space
}

// step is a page that was got.
type step struct {
	Location string
	Space    string // its folder
	Named    bool
	Query    bool   // it has a parameter that is not allowed
	From     int    // the page that led to it
	Own      int    // sentences that no other page shows
	Teases   bool   // it shows a sentence that few other pages show
	Title    uint64 // a hash, 0 for none
}

const (
	leastText  = 25 // bytes of a sentence; less may be the name of a month
	mostTeased = 10 // pages that show a sentence of one of them; what more show belongs to the site
	mostProbes = 8  // of a space
)

func newTrail() trail {
	return trail{Texts: map[uint64]int32{}, Stopped: map[string]map[string]item{}, Within: map[string]string{}, Endless: map[string]bool{}}
}

// got adds a page.
func (t *trail) got(it item) {
	t.Pages = append(t.Pages, step{Location: it.Location, Space: it.folder(), Query: it.Query, Named: it.Rank == named, From: it.From})
}

// copies reports whether the last page shows the same as another one. If that has no query, the canonical
// of the two says which of them counts. If only their numbers differ, as with a session in the path, neither
// has a text of its own.
func (t *trail) copies(mainHash uint64) bool {
	id := ^mainHash // not that of a text
	other, known := t.Texts[id]
	if !known {
		t.Texts[id] = int32(t.last())
	} else if p := &t.Pages[t.last()]; other >= 0 {
		p.Query = p.Query && t.Pages[other].Query
		if shapeOf(p.Location) == shapeOf(t.Pages[other].Location) {
			t.Pages[other].Own = 0
		}
	}
	return known
}

// last returns the page that was added last.
func (t *trail) last() int { return len(t.Pages) - 1 }

// shows notes a text of the last page, which may be that of links alone. It reports whether the text is new.
func (t *trail) shows(text string, links bool) bool {
	id, page := xxh3.HashString(text), int32(t.last())
	other, known := t.Texts[id]
	switch {
	case !known && (links || len(text) < leastText):
		t.Texts[id] = -1
	case !known:
		t.Texts[id] = page
		t.Pages[page].Own++
	case other < 0:
		t.Texts[id]--
	case other != page:
		t.Pages[other].Own--
		t.Texts[id] = -2
	}
	if known && other != page && other >= -mostTeased && len(text) >= leastText {
		t.Pages[page].Teases = true
	}
	return !known
}

// stop notes that the location of an item was not requested, since its space goes on.
func (t *trail) stop(it item, space string) {
	within, known := t.Within[space]
	if !known { // then its neighbours are there too
		within = it.Location[:strings.LastIndexAny(it.Location, "/?")]
	}
	t.Within[space] = common(within, it.Location)
	some := t.Stopped[space]
	if some == nil {
		some = map[string]item{}
		t.Stopped[space] = some
	}
	if shape := shapeOf(it.Location); len(some) < mostProbes || some[shape].Probe != nil {
		it.Probe, it.Location = &space, strings.Clone(it.Location)
		some[shape] = it
	}
}

// probes returns the locations where spaces were stopped. A space that leads on from one of them is
// endless. If it does not, as where a list ends with a link to nowhere, it was at its end.
func (t *trail) probes() (all []*item) {
	for _, some := range t.Stopped {
		for _, it := range some {
			all = append(all, &it)
		}
	}
	clear(t.Stopped)
	return all
}

// endless returns the pages that are taken back: those of spaces without end, and those with a query that nobody
// allowed, and archives of a day or month that only show texts of other pages. A page stays if it shows a text of its
// own, was the first to lead to a page that does, or was found from another folder.
func (t *trail) endless() (all []string) {
	own, leads, in := t.own(), map[int]bool{}, make([]bool, len(t.Pages))
	for i, p := range t.Pages {
		leads[p.From] = leads[p.From] || own[i]
		in[i] = t.goesOn(p)
	}
	for i, p := range t.Pages {
		linked := !in[p.From] && t.Pages[p.From].Space != p.Space
		if !own[i] && !leads[i] && (p.Query || p.Teases && date.MatchString(p.Location) || t.Doubted > 0 && i >= t.Doubted || in[i] && !linked || p.Named && t.Endless[""]) {
			all = append(all, p.Location)
		}
	}
	return all
}

// goesOn reports whether a page belongs to a folder's space without end: it is below the path where that begins.
// So a space below one product does not take the other products with it.
func (t *trail) goesOn(p step) bool {
	return t.Endless[p.Space] && p.Space != "" && strings.HasPrefix(strings.ReplaceAll(p.Location, "?", "/"), t.Within[p.Space]+"/")
}

// common returns the path that two locations have in common, in whole names. It ends before a date: the months below one
// year are not all.
func common(a, b string) string {
	ends := func(c rune) bool { return c == '/' || c == '?' }
	as, bs, path := strings.FieldsFunc(a, ends), strings.FieldsFunc(b, ends), ""
	for i := 0; i < min(len(as), len(bs)) && as[i] == bs[i]; i++ {
		if year.MatchString(as[i]) || i > 0 && number.MatchString(as[i]) && number.MatchString(as[i-1]) {
			break
		}
		path += "/" + as[i]
	}
	return path
}

// own returns which pages show a text of their own. Where few in a folder do, one whose name is a number
// does so by chance: a month of a calendar is the only August that was got.
func (t *trail) own() []bool {
	most := map[string]int{}
	for _, p := range t.Pages {
		if p.Own > 0 {
			most[p.Space]++
		} else {
			most[p.Space]--
		}
	}
	own := make([]bool, len(t.Pages))
	for i, p := range t.Pages {
		own[i] = p.Own > 0 && (most[p.Space] > 0 || !counted.MatchString(p.Location))
	}
	return own
}

// counted matches a location whose last name is a number or date.
var counted = regexp.MustCompile(`[/=]\d[\d._-]*(\.[a-z]+)?/?$`)

// date matches a location whose last names are a day or month.
var date = regexp.MustCompile(`[/=](19|20)\d\d([-/.]\d\d?|0[1-9]|1[0-2])([-/.]?\d\d?)?(\.[a-z]+)?/?$`)

var year = regexp.MustCompile(`^(19|20)\d\d$`)

// shapeOf returns a location without its numbers.
func shapeOf(location string) string { return digits.ReplaceAllString(location, "0") }

// folderOf returns the first folder of a location, or the query of the root without its values.
func folderOf(location string) string {
	if strings.HasPrefix(location, "/?") {
		return values.ReplaceAllString(location[1:], "")
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.ReplaceAll(location, "?", "/"), "/"), "/")
	return shapeOf(first)
}

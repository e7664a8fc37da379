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
	Texts   map[uint64]int32           // the page that shows a text, or first showed just this, -1 if several do
	Stopped map[string]map[string]item // by the space, which is a folder, or "" for all pages with a new name: a location of each shape
	Endless map[string]bool            // the spaces of those that went on where they were stopped
	Doubted int                        // if not 0, the pages from this one on are taken for those of such a space
}

// step is a page that was got.
type step struct {
	Location string
	Space    string // its folder
	Named    bool
	Query    bool // it has a parameter that is not allowed
	From     int  // the page that led to it
	Own      int  // sentences that no other page shows
}

const (
	leastText  = 25 // bytes of a sentence; less may be the name of a month
	mostProbes = 8  // of a space
)

func newTrail() trail {
	return trail{Texts: map[uint64]int32{}, Stopped: map[string]map[string]item{}, Endless: map[string]bool{}}
}

// got adds a page.
func (t *trail) got(it item) {
	t.Pages = append(t.Pages, step{Location: it.Location, Space: it.folder(), Query: it.Query, Named: it.Rank == named, From: it.From})
}

// copies reports whether the last page shows the same as another one. If that has no query, the canonical
// of the two says which of them counts.
func (t *trail) copies(mainHash uint64) bool {
	id := ^mainHash // not that of a text
	other, known := t.Texts[id]
	if !known {
		t.Texts[id] = int32(t.last())
	} else if p := &t.Pages[t.last()]; other >= 0 {
		p.Query = p.Query && t.Pages[other].Query
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
	case other >= 0 && other != page:
		t.Pages[other].Own--
		t.Texts[id] = -1
	}
	return !known
}

// stop notes that the location of an item was not requested, since its space goes on.
func (t *trail) stop(it item, space string) {
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

// endless returns the pages of the spaces without end, and those with a query that nobody allowed, but for those that are more than such
// a space makes up: they show a text of their own, or were the first to lead to a page that does.
func (t *trail) endless() (all []string) {
	own, leads := t.own(), map[int]bool{}
	for i, p := range t.Pages {
		leads[p.From] = leads[p.From] || own[i]
	}
	for i, p := range t.Pages {
		if !own[i] && !leads[i] && (p.Query || t.Doubted > 0 && i >= t.Doubted || t.Endless[p.Space] || p.Named && t.Endless[""]) {
			all = append(all, p.Location)
		}
	}
	return all
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

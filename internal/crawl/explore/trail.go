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
	Texts   map[uint64]int32           // the page that shows a text, or first showed just this, or several if several do
	Stopped map[string]map[string]item // by the space, which is a folder, or "" for all pages with a new name: a location of each shape
	Within  map[string]string          // by the space: the path that the stopped locations, and the pages that led there, have in common
	Endless map[string]bool            // the spaces that went on where they were stopped
	Doubted int                        // if not 0, the pages from this one on are taken for those of such a space
}

// step is a page that was got.
type step struct {
	item
	Own   int    // sentences that no other page shows
	Title uint64 // a hash, 0 for none
	Says  bool   // it says itself which page it is, or that it is none for the sitemap
}

const (
	several    = -1 // in place of a page: no page has the text for itself
	leastText  = 25 // bytes of a sentence; less may be the name of a month
	mostProbes = 8  // of a space
)

// copies reports whether the last page shows the same as another one. If that has no query, the canonical
// of the two says which of them counts.
func (t *trail) copies(mainHash uint64) bool {
	id := ^mainHash // not that of a text
	other, known := t.Texts[id]
	if !known {
		t.Texts[id] = int32(t.last())
	} else if p := &t.Pages[t.last()]; other != several { // which a text of the same hash may have left
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
		t.Texts[id] = several
	case !known:
		t.Texts[id] = page
		t.Pages[page].Own++
	case other != several && other != page:
		t.Texts[id] = several
		t.Pages[other].Own--
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
	if t.Stopped[space] == nil {
		t.Stopped[space] = map[string]item{}
	}
	if len(t.Stopped[space]) < mostProbes {
		it.Probe, it.Location = &space, strings.Clone(it.Location)
		t.Stopped[space][shapeOf(it.Location)] = it
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
// allowed. A page stays if it shows a text of its own, or was found from another folder.
func (t *trail) endless() (all []string) {
	own := t.own()
	for i, p := range t.Pages {
		from := t.Pages[p.From]
		linked := !t.goesOn(from) && from.folder() != p.folder()
		if !own[i] && (p.Query || t.Doubted > 0 && i >= t.Doubted || t.goesOn(p) && !linked || p.Rank == named && t.Endless[""]) {
			all = append(all, p.Location)
		}
	}
	return all
}

// goesOn reports whether a page belongs to a folder's space without end: it is below the path where that begins.
// So a space below one product does not take the other products with it.
func (t *trail) goesOn(p step) bool {
	space := p.folder()
	return t.Endless[space] && space != "" && strings.HasPrefix(strings.ReplaceAll(p.Location, "?", "/"), t.Within[space]+"/")
}

// common returns the path that two locations have in common, in whole names. It ends before a year: the months below one
// year are not all.
func common(a, b string) string {
	ends := func(c rune) bool { return c == '/' || c == '?' }
	as, bs, path := strings.FieldsFunc(a, ends), strings.FieldsFunc(b, ends), ""
	for i := 0; i < min(len(as), len(bs)) && as[i] == bs[i] && !year.MatchString(as[i]); i++ {
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
			most[p.folder()]++
		} else {
			most[p.folder()]--
		}
	}
	own := make([]bool, len(t.Pages))
	for i, p := range t.Pages {
		own[i] = p.Own > 0 && (most[p.folder()] > 0 || !counted.MatchString(p.Location))
	}
	return own
}

// counted matches a location whose last name is a number or date.
var counted = regexp.MustCompile(`[/=]\d[\d._-]*(\.[a-z]+)?/?$`)

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

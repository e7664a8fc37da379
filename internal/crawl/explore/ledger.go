package explore

import (
	"net/url"
	stdpath "path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
)

// Ledger says how far to follow a site that may make up addresses for ever, as a calendar does. Each shape of
// address has a budget. A page that shows something new leads on for nothing, and earns for its shape. One that shows
// nothing new costs its shape something if it leads on, and leads nowhere once the budget is spent. So what repeats
// itself ends, and a list without a text of its own is still read to its end.
//
// It also keeps what the site answers to made-up addresses, one for each shape; see lookBeside.
//
// It makes no requests and has no clock. It remembers no more than a few numbers for each request. It is safe for
// concurrent use.
type Ledger struct {
	most    int
	spent   map[string]float64 // by shape
	folders map[string]bool    // that shapes name
	seen    map[uint64]bool    // hashes of the texts and names that there were

	mu    sync.Mutex      // guards the above: a look may be made while the site is explored
	waits map[string]bool // locations that a look is wanted at

	besides sync.Mutex         // guards the next two, also while they are found out
	beside  map[string]*beside // by what nowhere.Beside returns
	entry   *html.Facts        // of the first page, where visitors enter
}

const (
	shapeBudget = 20.0 // of a shape
	queryBudget = 3.0  // of an unlikely shape: most parameters sort, filter and track, and most files are none of HTML
	smallCost   = .1   // of a page that leads only to other shapes, and of an old number or date that leads nowhere
	mostFolders = 100  // that shapes name
	mostTexts   = 20   // of a page that are compared
	mostSeen    = 50   // texts and names that are remembered, for each request that may be made
)

// NewLedger returns the ledger of an exploration that makes so many requests at most, and of the revisits after it.
func NewLedger(most int) *Ledger {
	l := &Ledger{most: max(most, mostLinks)}
	l.spent, l.folders, l.seen, l.beside, l.waits = map[string]float64{}, map[string]bool{}, map[uint64]bool{},
		map[string]*beside{}, map[string]bool{}
	return l
}

// news notes a text or a name, and reports whether it is new.
func (l *Ledger) news(text string) bool {
	id := xxh3.HashString(text)
	if l.seen[id] {
		return false
	}
	if len(l.seen) >= mostSeen*l.most {
		clear(l.seen)
	}
	l.seen[id] = true
	return true
}

// shape returns what a location has in common with others of its kind: its first folder, and whether its last name
// is a number, as in /products/# for /products/17, or a word. Dates are numbers. The number of something, as in
// /products/page/2, has that in its shape too. A query has its first folder and the names of its parameters. That of an
// unlikely page has the kind of file too.
func (l *Ledger) shape(loc string, unlikely bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	path, params, _ := strings.Cut(location.Sorted(loc), "?")
	names, shape := namesOf(path), ""
	last := len(names) - 1
	if last > 0 || last == 0 && params != "" {
		shape = "/" + l.folder(names[0])
	}
	switch {
	case params != "":
		shape += "?" + digits.ReplaceAllString(values.ReplaceAllString(params, ""), "#")
	case last < 0 || !number.MatchString(names[last]):
		shape += "/*"
	case last > 1 && !number.MatchString(names[last-1]):
		shape += "/" + l.folder(names[last-1]) + "/#"
	default:
		shape += "/#"
	}
	if unlikely {
		return "?" + shape + stdpath.Ext(path)
	}
	return shape
}

// folder returns a folder's name without its numbers, or "*" if there are many.
func (l *Ledger) folder(name string) string {
	name = digits.ReplaceAllString(name, "#")
	if !l.folders[name] && len(l.folders) >= mostFolders {
		return "*"
	}
	l.folders[name] = true
	return name
}

// isSpent reports whether the budget of a shape is spent.
func (l *Ledger) isSpent(shape string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.HasPrefix(shape, "?") {
		return l.spent[shape] >= queryBudget
	}
	return l.spent[shape] >= shapeBudget
}

// earn notes that a page of a shape showed something new.
func (l *Ledger) earn(shape string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent[shape] = max(0, l.spent[shape]-1)
}

// mostWaits is how many locations may wait for their first look.
const mostWaits = 4096

// worth reports whether a location is worth its first look, and notes that this is wanted.
func (l *Ledger) worth(loc string) bool {
	if l.isSpent(l.shape(loc, eligibility.AssetName(loc))) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waits) >= mostWaits {
		clear(l.waits)
	}
	l.waits[strings.Clone(loc)] = true
	return true
}

// waited reports whether a look at a location is the first one.
func (l *Ledger) waited(loc string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.waits[loc]
	delete(l.waits, loc)
	return was
}

// spend notes that a page showed nothing new, and led to some locations. It costs less if many of these have a new
// name, as what a list is for, and little if all have another shape.
func (l *Ledger) spend(it *item, led []*item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	alike, news := 0, 0
	for _, to := range led {
		if to.Shape == it.Shape {
			alike++
		}
		if !to.Old {
			news++
		}
	}
	switch {
	case alike > 0:
		l.spent[it.Shape] += 1 / float64(1+news)
	case it.Unlikely && len(led) == 0:
		l.spent[it.Shape]++
	case len(led) > 0, it.Old && strings.HasSuffix(it.Shape, "#"):
		l.spent[it.Shape] += smallCost
	}
}

// isNew reports whether the name of a location is new, and notes it. A site that makes up pages for ever repeats its
// names, as in /red/size-9 after /size-9, or counts. A date is the numbers it consists of. A number below another one
// is the next part of a date, or a step into a tree.
func (l *Ledger) isNew(location string) (is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := namesOf(location)
	if len(names) == 0 {
		return true
	}
	last, before := names[len(names)-1], names[:len(names)-1]
	switch {
	case !number.MatchString(last):
		return l.news("name " + last)
	case len(before) > 0 && number.MatchString(before[len(before)-1]):
		return false
	}
	scope := digits.ReplaceAllString(strings.Join(before, "/"), "#")
	for i, n := range digits.FindAllString(last, -1) {
		is = l.news("number "+scope+strings.Repeat("/", i+1)+n) || is
	}
	return is
}

// shows notes the texts of a page, and reports whether one is new. A text counts without numbers, and must be new with and
// without the words of the page's location: a page that is made up mentions these, and so does a menu that leads to it.
func (l *Ledger) shows(location string, page html.Text) (fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own, texts := map[string]bool{}, 0
	if plain, err := url.PathUnescape(location); err == nil {
		location = plain
	}
	for _, w := range nowhere.Words(location) {
		own[w] = true
	}
	for _, b := range page.Blocks {
		all := nowhere.Words(b.Text)
		words := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return own[w] })
		if !b.Main || len(words) == 0 {
			continue
		}
		isNew := l.news("text " + strings.Join(words, " "))
		if len(words) < len(all) {
			isNew = l.news("text "+strings.Join(all, " ")) && isNew
		}
		if fresh = isNew || fresh; texts == mostTexts {
			break
		}
		texts++
	}
	return fresh
}

// namesOf returns the names that a location consists of.
func namesOf(location string) []string {
	names := strings.FieldsFunc(location, func(c rune) bool { return strings.ContainsRune("/?&=;:,+|~", c) })
	if len(names) > 1 && strings.HasPrefix(names[len(names)-1], "index.") {
		names = names[:len(names)-1]
	}
	return names
}

var (
	digits = regexp.MustCompile(`\d+`)
	values = regexp.MustCompile(`=[^&]*`)
	number = regexp.MustCompile(`^\d[\d._-]*(\.[a-z]+)?$`)
)

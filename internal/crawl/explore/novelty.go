package explore

import (
	"net/url"
	stdpath "path"
	"regexp"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
)

// The ledger tells what is new from what repeats by the shape of an address, by names and numbers, and by texts.
const (
	mostFolders = 100 // that shapes name
	mostTexts   = 20  // of a page that are compared
)

// news notes a text or a name, and reports whether it is new.
func (l *Ledger) news(text string) bool {
	id := xxh3.HashString(text)
	if l.texts[id] {
		return false
	}
	if len(l.texts) >= l.most {
		clear(l.texts)
	}
	l.texts[id] = true
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

// shows notes the texts of a page, and reports whether one is new. A text counts without numbers, and must be new with
// and without the words of the page's location: a page that is made up mentions these, and so does a menu that leads to
// it.
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

// Package novelty tells what is new on a site from what repeats, as the pages of a calendar do that has no end: by the
// shape of an address, by names and numbers that there were already, and by texts. It asks nobody, and remembers a
// bounded number of hashes.
package novelty

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

// Seen remembers the folders, names and texts of a site. It is not safe for concurrent use.
type Seen struct {
	most    int
	folders map[string]bool // that shapes name
	seen    map[uint64]bool // hashes of the texts and names
}

const (
	mostFolders = 100 // that shapes name
	mostTexts   = 20  // of a page that are compared
)

// New returns a Seen that remembers at most so many texts and names. Then it begins anew.
func New(most int) *Seen {
	return &Seen{most: most, folders: map[string]bool{}, seen: map[uint64]bool{}}
}

// News notes a text or a name, and reports whether it is new.
func (s *Seen) News(text string) bool {
	id := xxh3.HashString(text)
	if s.seen[id] {
		return false
	}
	if len(s.seen) >= s.most {
		clear(s.seen)
	}
	s.seen[id] = true
	return true
}

// Shape returns what a location has in common with others of its kind: its first folder, and whether its last name
// is a number, as in /products/# for /products/17, or a word. Dates are numbers. The number of something, as in
// /products/page/2, has that in its shape too. A query has its first folder and the names of its parameters. That of an
// unlikely page has the kind of file too.
func (s *Seen) Shape(loc string, unlikely bool) string {
	path, params, _ := strings.Cut(location.Sorted(loc), "?")
	names, shape := namesOf(path), ""
	last := len(names) - 1
	if last > 0 || last == 0 && params != "" {
		shape = "/" + s.folder(names[0])
	}
	switch {
	case params != "":
		shape += "?" + digits.ReplaceAllString(values.ReplaceAllString(params, ""), "#")
	case last < 0 || !number.MatchString(names[last]):
		shape += "/*"
	case last > 1 && !number.MatchString(names[last-1]):
		shape += "/" + s.folder(names[last-1]) + "/#"
	default:
		shape += "/#"
	}
	if unlikely {
		return "?" + shape + stdpath.Ext(path)
	}
	return shape
}

// folder returns a folder's name without its numbers, or "*" if there are many.
func (s *Seen) folder(name string) string {
	name = digits.ReplaceAllString(name, "#")
	if !s.folders[name] && len(s.folders) >= mostFolders {
		return "*"
	}
	s.folders[name] = true
	return name
}

// Name reports whether the name of a location is new, and notes it. A site that makes up pages for ever repeats its
// names, as in /red/size-9 after /size-9, or counts. A date is the numbers it consists of. A number below another one
// is the next part of a date, or a step into a tree.
func (s *Seen) Name(location string) (is bool) {
	names := namesOf(location)
	if len(names) == 0 {
		return true
	}
	last, before := names[len(names)-1], names[:len(names)-1]
	switch {
	case !number.MatchString(last):
		return s.News("name " + last)
	case len(before) > 0 && number.MatchString(before[len(before)-1]):
		return false
	}
	scope := digits.ReplaceAllString(strings.Join(before, "/"), "#")
	for i, n := range digits.FindAllString(last, -1) {
		is = s.News("number "+scope+strings.Repeat("/", i+1)+n) || is
	}
	return is
}

// Text notes the texts of a page, and reports whether one is new. A text counts without numbers, and must be new with
// and without the words of the page's location: a page that is made up mentions these, and so does a menu that leads to
// it.
func (s *Seen) Text(location string, page html.Text) (fresh bool) {
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
		isNew := s.News("text " + strings.Join(words, " "))
		if len(words) < len(all) {
			isNew = s.News("text "+strings.Join(all, " ")) && isNew
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

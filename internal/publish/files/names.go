package files

import (
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/schema/keys"
)

// newsFile is the number of the file of news. It stands beside the sitemap, and no index
// names it. Parts have lower numbers.
const newsFile = keys.MaxPart + 1

// names knows which names the site's files have.
type names struct {
	first  string // the name of the first file, without ".xml"
	folder string // the location of the folder of the files
	news   bool   // there is a file of news
}

// name says which of the files is asked for.
type name struct {
	number int  // of the part, or newsFile
	top    bool // it is the index, or the only part
	packed bool // the name ends in ".gz"
}

// parse reads the name of a file. ok is false if it is none of the site's.
func (s names) parse(file string) (n name, ok bool) {
	rest, named := strings.CutPrefix(file, s.first) // first, since every request is asked for it
	if !named {
		return name{}, false
	}
	rest, n.packed = strings.CutSuffix(rest, ".gz")
	rest, isXML := strings.CutSuffix(rest, ".xml")
	digits, dashed := strings.CutPrefix(rest, "-")
	switch {
	case !isXML:
		return name{}, false
	case rest == "":
		n.top = true
		return n, true
	case rest == "-news" && s.news:
		n.number = newsFile
		return n, true
	}
	var err error
	n.number, err = strconv.Atoi(digits)
	return n, err == nil && dashed && n.number > 0 && n.number < newsFile && strconv.Itoa(n.number) == digits
}

// of returns the name of a file by its number, 0 for the index.
func (s names) of(number int) string {
	switch number {
	case 0:
		return s.first + ".xml"
	case newsFile:
		return s.first + "-news.xml"
	}
	return s.first + "-" + strconv.Itoa(number) + ".xml"
}

// Owns reports whether file is the name of one of the site's files, there or not.
func (s names) Owns(file string) bool {
	_, ok := s.parse(file)
	return ok
}

// OwnsLocation reports whether one of the site's files is at a location, there or not.
func (s names) OwnsLocation(location string) bool {
	path, _, _ := strings.Cut(location, "?")
	file, below := strings.CutPrefix(path, s.folder)
	return below && s.Owns(file)
}

// Tops returns the names of the files that crawlers are to be told of, since no
// other file names them: the first one and the file of news.
func (s names) Tops() []string {
	if s.news {
		return []string{s.of(0), s.of(newsFile)}
	}
	return []string{s.of(0)}
}

package files

import (
	"strconv"
	"strings"
)

// A name says which of the site's files is asked for.
type name struct {
	part   int    // its number, or 0
	top    bool   // it is the index, or the only part
	suffix string // that of a side file, or ""
	side   side   // which one
	packed bool   // the name ends in ".gz"
	asked  uint64 // the number of when it was asked for, see withdrawals
}

// parse reads the name of a file. ok is false if it is none of the site's.
func (f *Files) parse(file string) (n name, ok bool) {
	rest, named := strings.CutPrefix(file, f.cfg.Name) // first, since every request is asked for it
	if !named {
		return name{}, false
	}
	rest, n.packed = strings.CutSuffix(rest, ".gz")
	rest, isXML := strings.CutSuffix(rest, ".xml")
	switch {
	case !isXML:
		return name{}, false
	case rest == "":
		n.top = true
		return n, true
	}
	if n.side, ok = f.sideNamed(rest); ok {
		n.suffix = rest
		return n, true
	}
	digits, dashed := strings.CutPrefix(rest, "-")
	n.part, ok = number(digits)
	return n, ok && dashed
}

// number reads a positive number, in the one way in which it is written.
func number(digits string) (n int, ok bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n > 0 && strconv.Itoa(n) == digits
}

// Owns reports whether file is the name of one of the site's files, there or not.
func (f *Files) Owns(file string) bool {
	_, ok := f.parse(file)
	return ok
}

// Tops returns the names of the files that crawlers are to be told of, since no
// other file names them: the first one and the side files.
func (f *Files) Tops() []string {
	names := []string{f.cfg.Name + ".xml"}
	for s, suffix := range suffixes {
		if f.has(side(s)) {
			names = append(names, f.cfg.Name+suffix+".xml")
		}
	}
	return names
}

// named returns the file that a name stands for, nil if there is none, and its number
// if it is a part. While there is only one part, that goes by the name of the index.
func (s *snapshot) named(n name) (p *file, part int) {
	switch {
	case n.suffix != "":
		return s.sides[n.side], 0
	case !n.top:
		return s.parts[n.part], n.part
	case s.index != nil:
		return s.index, 0
	}
	for only, p := range s.parts {
		return p, only
	}
	return nil, 0
}

package files

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A name says which of the site's files is asked for.
type name struct {
	number int  // of the part or side file
	top    bool // it is the index, or the only part
	packed bool // the name ends in ".gz"
}

// parse reads the name of a file. ok is false if it is none of the site's.
func (f *Files) parse(file string) (n name, ok bool) {
	rest, named := strings.CutPrefix(file, f.cfg.Name) // first, since every request is asked for it
	if !named {
		return name{}, false
	}
	rest, n.packed = strings.CutSuffix(rest, ".gz")
	rest, isXML := strings.CutSuffix(rest, ".xml")
	if n.top = rest == ""; n.top || !isXML {
		return n, isXML
	}
	if n.number, ok = f.sides()[rest]; ok {
		return n, true
	}
	var err error
	digits, dashed := strings.CutPrefix(rest, "-")
	n.number, err = strconv.Atoi(digits)
	return n, err == nil && dashed && n.number > 0 && n.number < newsFile && strconv.Itoa(n.number) == digits
}

// Owns reports whether file is the name of one of the site's files, there or not.
func (f *Files) Owns(file string) bool {
	_, ok := f.parse(file)
	return ok
}

// OwnsLocation reports whether one of the site's files is at a location, there or not.
func (f *Files) OwnsLocation(location string) bool {
	path, _, _ := strings.Cut(location, "?")
	name, below := strings.CutPrefix(path, f.cfg.Folder)
	return below && f.Owns(name)
}

// Tops returns the names of the files that crawlers are to be told of, since no
// other file names them: the first one and the side files.
func (f *Files) Tops() []string {
	names := []string{f.cfg.Name + ".xml"}
	for _, suffix := range slices.Backward(slices.Sorted(maps.Keys(f.sides()))) {
		names = append(names, f.cfg.Name+suffix+".xml")
	}
	return names
}

// TopsServed returns those of Tops that are served now.
func (f *Files) TopsServed() (names []string) {
	if f.cfg.ReportOnly || f.Listed() == 0 {
		return nil
	}
	s := f.served.Load()
	for _, top := range f.Tops() {
		n, _ := f.parse(top)
		if p, _ := s.named(n); p != nil {
			names = append(names, top)
		}
	}
	return names
}

// named returns the file that a name stands for, nil if there is none, and its number,
// 0 for the index. While there is only one part, that goes by the name of the index.
func (s *snapshot) named(n name) (p *file, number int) {
	if !n.top {
		return s.files[n.number], n.number
	}
	if s.index != nil {
		return s.index, 0
	}
	for number, p := range s.files {
		if number < newsFile {
			return p, number
		}
	}
	return nil, 0
}

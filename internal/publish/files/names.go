package files

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/keys"
)

// names knows which names the site's files have.
type names struct {
	first    string         // the name of the first file, without ".xml"
	folder   string         // the location of the folder of the files
	sections []string       // that rules name
	asides   map[int]*aside // the files beside the sitemap, by their numbers; no index names them
}

// aside is a file of new pages, for one extension.
type aside struct {
	*extension.Aside
	kind extension.Kind
}

func newNames(cfg *Config) names {
	s := names{cfg.Name, cfg.Folder, cfg.Rules.Sections(), map[int]*aside{}}
	for kind, a := range cfg.Extensions.Asides() {
		s.asides[keys.MaxShard+1+int(kind)] = &aside{a, kind}
	}
	return s
}

// name identifies a file of the sitemap.
type name struct {
	number int    // of the shard, or of a file beside the sitemap
	part   string // of a section, in place of a number
	top    bool   // it is the index, or the only shard
	packed bool   // the name ends in ".gz"
}

// parse reads the name of a file. ok is false if it is none of the site's.
func (s names) parse(file string) (n name, ok bool) {
	rest, named := strings.CutPrefix(file, s.first) // first, since every request is asked for it
	if !named {
		return name{}, false
	}
	rest, n.packed = strings.CutSuffix(rest, ".gz")
	rest, isXML := strings.CutSuffix(rest, ".xml")
	if n.top = rest == ""; n.top || !isXML {
		return n, isXML
	}
	for number, a := range s.asides {
		if rest == a.Suffix {
			n.number = number
			return n, true
		}
	}
	var err error
	digits, dashed := strings.CutPrefix(rest, "-")
	for _, section := range s.sections {
		more, is := strings.CutPrefix(digits, section)
		if k, err := strconv.Atoi(strings.TrimPrefix(more, "-")); dashed && is &&
			(more == "" || err == nil && k > 1 && more == "-"+strconv.Itoa(k)) {
			n.part = digits
			return n, true
		}
	}
	n.number, err = strconv.Atoi(digits)
	return n, err == nil && dashed && n.number > 0 && n.number <= keys.MaxShard && strconv.Itoa(n.number) == digits
}

// of returns the name of a file of a snapshot by its number, 0 for the index.
func (s names) of(number int, of *snapshot) string {
	suffix := ""
	if a := s.asides[number]; a != nil {
		suffix = a.Suffix
	} else if part := of.parts[number]; part != "" {
		suffix = "-" + part
	} else if number != 0 {
		suffix = "-" + strconv.Itoa(number)
	}
	return s.first + suffix + ".xml"
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
// other file names them: the first one and those beside the sitemap.
func (s names) Tops() []string {
	none := new(snapshot)
	tops := []string{s.of(0, none)}
	for _, number := range slices.Sorted(maps.Keys(s.asides)) {
		tops = append(tops, s.of(number, none))
	}
	return tops
}

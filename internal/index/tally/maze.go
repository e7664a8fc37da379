package tally

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/novelty"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/words"
)

const (
	mazeNeeded = 50      // listed pages of one shape that show nothing new are a maze, if they are most of its pages
	mazeShare  = .8      // as these are then
	mostNoted  = 1 << 16 // names and texts that are remembered
	mostShapes = 1000
)

// mazes count by their shape the pages that entered the sitemap since the start. The explorer leaves a calendar without
// end by the same judgement, but visitors may walk on: their pages stay listed, and the owner is told.
type mazes struct {
	seen   *novelty.Seen
	shapes map[string]*entered
}

// entered are the pages of a shape that entered.
type entered struct{ pages, nothingNew int }

// enters takes in a page that entered the sitemap, and gives a hint if it is one of many that show nothing new. A page
// has something new by its name, a text or a picture.
func (s *Tally) enters(k *observation.Observation) {
	m := &s.mazes
	if m.seen == nil {
		m.seen, m.shapes = novelty.New(mostNoted), map[string]*entered{}
	}
	shape := m.seen.Shape(k.Location, eligibility.AssetName(k.Location))
	of := m.shapes[shape]
	if of == nil && len(m.shapes) < mostShapes {
		of = &entered{}
		m.shapes[shape] = of
	}
	if of == nil {
		return
	}
	of.pages++
	if m.seen.Name(k.Location) {
		return
	}
	shows := k.Text()
	is := m.seen.Text(k.Location, shows)
	for _, b := range shows.Beside {
		is = !b.Heading && m.seen.News("picture "+b.Text) || is
	}
	if is {
		return
	}
	if of.nothingNew++; of.nothingNew >= mazeNeeded && float64(of.nothingNew) >= mazeShare*float64(of.pages) {
		s.hints.Now(messages.Maze, fmt.Sprintf("Of %d listed pages, %d are like %s.%s", s.Listed(), of.pages,
			s.site.Normalizer.Origin().URL(k.Location), barring(k.Location)))
	}
}

var digit = regexp.MustCompile(`\d`)

// barring says which rule bars the folder of a location, "" if it has none without a number.
func barring(loc string) string {
	first, _, below := strings.Cut(loc[1:], "/")
	if name, err := url.PathUnescape(first); !below || err != nil || digit.MatchString(name) {
		return ""
	}
	return " For that, add " + words.Typed("{NeverThis}", "/"+first+"/") + "."
}

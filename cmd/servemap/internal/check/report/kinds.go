package report

import (
	_ "embed" // for the table
	"maps"
	"slices"
	"strings"
)

const (
	fault     = "fault"
	advice    = "advice"
	leastHarm = "What does little harm" // as the table calls it
)

// kind is a row of the table of all that may be found.
type kind struct {
	level, one, many, remedy string
	harm                     string // that it does
	place                    int    // in the table
}

//go:embed kinds.tsv
var table string

// Remedy says what to do about findings of a kind.
func Remedy(kind string) string { return kinds[kind].remedy }

// Names are those of all kinds, and of their levels.
func Names() []string { return append(slices.Sorted(maps.Keys(kinds)), fault, advice) }

var kinds = func() map[string]kind {
	byName, harm := map[string]kind{}, ""
	for line := range strings.Lines(table) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); line[0] == '=' {
			harm = f[0][2:]
		} else if line[0] != '#' {
			byName[f[0]] = kind{f[1], f[2], f[3], f[4], harm, len(byName)}
		}
	}
	return byName
}()

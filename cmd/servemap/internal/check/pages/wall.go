package pages

import (
	"bytes"
	_ "embed" // for the table
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
)

//go:embed walls.tsv
var wallTable string

// wall is a row of the table of services that keep programs out.
type wall struct {
	name  string
	most  int // letters
	marks []string
}

var walls = func() (all []wall) {
	for line := range strings.Lines(wallTable) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); line[0] != '#' {
			most, _ := strconv.Atoi(f[1])
			all = append(all, wall{f[0], most, f[2:]})
		}
	}
	return all
}()

// refusals are the statuses of walls that say that they refuse.
var refusals = []int{
	http.StatusAccepted, http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed,
	http.StatusTooManyRequests, http.StatusServiceUnavailable,
}

// WallBytes is how much of an answer shows whether it is a wall's.
const WallBytes = 64 << 10

// Wall returns the name of the bot wall that answered in place of a site, "" for none. body is what the answer begins
// with. For check and crawl this is the one law of what a wall is.
func Wall(status int, h http.Header, body []byte) string {
	refuses := slices.Contains(refusals, status)
	begin := body[:min(len(body), WallBytes)]
	text := bytes.ToLower(begin)
	for _, w := range walls {
		if !refuses && w.most == 0 {
			continue
		}
		for _, mark := range w.marks {
			if header, is := strings.CutPrefix(mark, "="); is {
				name, value, has := strings.Cut(header, ": ")
				if got := h.Get(name); got != "" && (!has || strings.EqualFold(got, value)) {
					return w.name
				}
				continue
			}
			if !bytes.Contains(text, []byte(mark)) {
				continue
			}
			if facts := html.Read(begin, html.Options{}); refuses || facts.Letters() < w.most {
				return w.name
			}
		}
	}
	return ""
}

package explore

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/page/location"
)

// How many queries with the same parameters must be linked in no other way before they are tried, and how many names of
// parameters are remembered, with and without their paths.
const (
	queriesTried = 3
	queriesKept  = 100
)

// names returns the names of the parameters of a location, and its path, or "" if it may act or carry a secret.
func names(loc string) string {
	path, query, _ := strings.Cut(location.Sorted(loc), "?")
	var names []string
	for param := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(param, "=")
		names = append(names, name)
	}
	if _, acts := action.Word(loc); acts || capability.Looks(loc) || slices.ContainsFunc(names, func(name string) bool { return capability.Looks("/" + name) }) {
		return ""
	}
	return strings.Join(names, ",") + " " + path
}

// queries are what an exploration knows of locations with a query.
type queries struct {
	frontier *frontier
	linked   map[string]int      // locations with a query that is not allowed, by what names returns
	bares    map[string]string   // by the path: a query of it
	lones    map[string][]string // by the names of parameters: the first such queries of other paths than the site links to
	pages    []shown             // that were got
}

// shown is what a page showed.
type shown struct {
	location string
	title    uint64 // a hash, 0 for none
	fresh    bool   // a new text
	says     bool   // it says itself which page it is, or that it is none for the sitemap
}

// count counts a location with a query that is not allowed, once, but for a day or month.
func (q *queries) count(loc string) {
	if key := names(loc); key != "" && !date.MatchString(loc) && (q.linked[key] > 0 || len(q.linked) < queriesKept) && q.frontier.news("query "+loc) {
		q.linked[strings.Clone(key)]++
	}
}

// lone reports whether the site links to the path of a query in no other way. One that stands alone may act. If
// several have the same parameters, their paths are asked for, and then a query of each. If both show the same, the
// query selects nothing, as with a session in each link, and the link is one to the path.
func (e *explorer) lone(loc string) bool {
	path, _, _ := strings.Cut(loc, "?")
	params, _, _ := strings.Cut(names(values.ReplaceAllString(loc, "")), " ")
	if params == "" || e.frontier.has(path) || slices.Contains(e.Entries, loc) {
		return false
	}
	switch alone := e.queries.lones[params]; {
	case len(alone) >= queriesTried:
		e.bare(path, loc)
	case !slices.Contains(alone, loc) && len(e.queries.lones) < queriesKept:
		e.queries.count(loc)
		alone = append(alone, strings.Clone(loc))
		e.queries.lones[strings.Clone(params)] = alone
		if len(alone) < queriesTried {
			return true
		}
		for _, loc := range alone {
			path, _, _ := strings.Cut(loc, "?")
			e.bare(path, loc)
		}
	}
	return true
}

// bare asks for a path, and then for a query of it.
func (e *explorer) bare(path, loc string) {
	if e.frontier.has(path) {
		e.consider(e.Normalizer.Parse(loc), loc, item{})
		return
	}
	if e.consider(e.Normalizer.Parse(path), path, item{}); e.frontier.has(path) {
		e.frontier.news(loc)
		e.queries.bares[strings.Clone(path)] = strings.Clone(loc)
	}
}

// queueQueryOf queues the query that waits until its path was asked for.
func (q *queries) queueQueryOf(path string) {
	if loc := q.bares[path]; loc != "" {
		delete(q.bares, path)
		q.frontier.put(&item{Location: loc, Unlikely: true, Free: true})
	}
}

// date matches a location whose last names are a day or month.
var date = regexp.MustCompile(`[/=](19|20)\d\d([-/.]\d\d?|0[1-9]|1[0-2])([-/.]?\d\d?)?(\.[a-z]+)?/?$`)

// params says which parameters keep pages out, those with the most pages first: most of the pages that were asked for
// have a title or text of their own, as what sorts, filters or tracks has not. It leaves out those that only add to
// what others select, as action does in ?title=Crow&action=history beside ?title=Crow. pages are how many they keep
// out.
func (q *queries) params(norm *location.Normalizer) (all []string, pages int) {
	asked, own, bare := map[string]int{}, map[string]map[uint64]bool{}, map[string]uint64{}
	for _, p := range q.pages {
		key := names(p.location)
		bare[p.location] = p.title
		if q.linked[key] == 0 {
			continue
		}
		if asked[key]++; own[key] == nil {
			own[key] = map[uint64]bool{}
		}
		switch {
		case p.says:
			q.linked[key]-- // it is not its query that keeps it out
		case p.fresh:
			own[key][xxh3.HashString(p.location)] = true // a text of its own is worth a title
		case p.title != 0:
			own[key][p.title] = true
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(q.linked), func(a, b string) int {
		return cmp.Or(q.linked[b]-q.linked[a], strings.Compare(a, b))
	}) {
		names, path, _ := strings.Cut(key, " ")
		n := q.linked[key]
		if delete(own[key], bare[path]); n <= 0 || asked[key] > 0 && 2*len(own[key]) <= asked[key] {
			continue
		}
		pages += n
		adds := slices.ContainsFunc(strings.Split(names, ","), func(name string) bool {
			return name != names && (q.linked[name+" "+path] > 0 || !norm.Parse(path+"?"+name+"=1").OwnQuery)
		})
		if !adds && len(all) < paramsTold {
			all = append(all, fmt.Sprintf("%s: %d linked pages of %s", names, n, path))
		}
	}
	return all, pages
}

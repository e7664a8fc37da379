package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/location"
)

// queries are the linked locations on one path with the same parameters, but for those that say themselves which page
// they are: true if they were left out.
type queries map[string]bool

// How many queries with the same parameters must be linked in no other way before they are tried, how many paths
// with parameters are remembered, and how many names of parameters.
const (
	queriesTried = 3
	queriesKept  = 100
)

// names returns the names of the parameters of a location, and its path, or "" if a word of it asks for care.
func names(loc string) string {
	path, query, _ := strings.Cut(loc, "?")
	var names []string
	for param := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(param, "=")
		names = append(names, name)
	}
	if eligibility.WordOf(loc, false) != eligibility.Plain || slices.ContainsFunc(names, func(name string) bool { return capability.Looks("/" + name) }) {
		return ""
	}
	return strings.Join(names, ",") + " " + path
}

// keep notes a location with a query that is not allowed. out says that it was left out.
func (e *explorer) keep(loc string, out bool) {
	key := names(loc)
	q := e.queries[key]
	if q == nil && len(e.queries) < queriesKept && key != "" {
		q = queries{}
		e.queries[strings.Clone(key)] = q
	}
	if q != nil && len(q) < skippedKept/queriesKept {
		q[strings.Clone(loc)] = out
	}
}

// lone reports whether the site links to the path of a query in no other way. One that stands alone may act. If several
// have the same parameters, their paths are asked for, and then a query of each. If both show the same, the query selects
// nothing, as with a session in each link, and the link is one to the path.
func (e *explorer) lone(loc string) bool {
	path, _, _ := strings.Cut(loc, "?")
	params, _, _ := strings.Cut(names(values.ReplaceAllString(loc, "")), " ")
	if params == "" || e.frontier.has(path) || e.frontier.has(loc) || slices.Contains(e.Entries, loc) {
		return false
	}
	alone := e.lones[params]
	switch {
	case len(alone) >= queriesTried:
		e.bare(path, loc)
	case !slices.Contains(alone, loc) && len(e.lones) < queriesKept:
		alone = append(alone, strings.Clone(loc))
		e.lones[strings.Clone(params)] = alone
		if len(alone) == queriesTried {
			for _, loc := range alone {
				path, _, _ := strings.Cut(loc, "?")
				e.bare(path, loc)
			}
		}
	}
	return true
}

// bare asks for a path, and then for a query of it.
func (e *explorer) bare(path, loc string) {
	if e.frontier.has(path) {
		e.consider(e.Normalizer.Parse(loc), loc)
		return
	}
	if e.consider(e.Normalizer.Parse(path), path); e.frontier.has(path) {
		e.frontier.news(loc)
		e.bares[strings.Clone(path)] = strings.Clone(loc)
	}
}

// query queues the query of a path that was asked for, if there is one.
func (e *explorer) query(it item) bool {
	loc := e.bares[it.Location]
	if loc == "" {
		return false
	}
	delete(e.bares, it.Location)
	it.Location, it.Query = loc, true
	e.frontier.put(&it)
	return true
}

// params says which parameters keep pages out, those with the most pages first. It leaves out those that only add to what
// others select, as action does in ?title=Crow&action=history beside ?title=Crow.
func (e *explorer) params() (all []string) {
	titles := map[string]uint64{}
	for _, p := range e.frontier.trail.Pages {
		if titles[p.Location] = p.Title; p.Own > 0 && p.Query {
			titles[p.Location] = xxh3.HashString(p.Location) // a text of its own is worth a title
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(e.queries), func(a, b string) int {
		return cmp.Or(len(e.queries[b])-len(e.queries[a]), strings.Compare(a, b))
	}) {
		names, path, _ := strings.Cut(key, " ")
		adds := slices.ContainsFunc(strings.Split(names, ","), func(name string) bool {
			return name != names && (e.queries[name+" "+path] != nil || !e.Normalizer.Parse(path+"?"+name+"=1").OwnQuery)
		})
		n := e.queries[key].pages(titles, path)
		if n > 0 {
			e.report.Skipped[location.ReasonQuery.String()] += n
		}
		if n > 0 && !adds && len(all) < paramsTold {
			all = append(all, fmt.Sprintf("%s: %d linked pages of %s", names, n, path))
		}
	}
	return all
}

// pages returns how many pages only their query keeps out. They are pages if most of those that were asked for have a
// title of their own, or none was. What sorts, filters or tracks shows its texts under one title, and an archive of
// dates shows those of other pages.
func (q queries) pages(titles map[string]uint64, path string) (n int) {
	asked, own, dates := 0, map[uint64]bool{}, 0
	for loc, out := range q {
		title, got := titles[loc]
		own[title] = true
		switch {
		case got:
			asked++
		case out:
			n++
		}
		if date.MatchString(loc) {
			dates++
		}
	}
	delete(own, titles[path])
	delete(own, 0) // of those without a title, or that were not asked for
	switch {
	case dates == len(q), asked > 0 && 2*len(own) <= asked:
		return 0
	case asked > 0:
		return len(q)
	}
	return n
}

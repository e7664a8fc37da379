package explore

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
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
	if _, acts := action.Word(loc); acts || capability.Looks(loc) || slices.ContainsFunc(names,
		func(name string) bool { return capability.Looks("/" + name) }) {
		return ""
	}
	return strings.Join(names, ",") + " " + path
}

// queries are what an exploration knows of locations with a query.
type queries struct {
	frontier *frontier
	linked   map[string]*linked // locations with a query that is not allowed, by what names returns
	bares    map[string]string  // by the path: a query of it
	// by the names of parameters: the first such queries of other paths than the site links to
	lones   map[string][]string
	never   map[string]bool // names of parameters that visitors type, or with a value that looks like a secret
	answers []shown
}

// linked are locations of one path with the same parameters.
type linked struct {
	first            string
	locations, asked int
	others           int             // of those that were asked for: something else than the query keeps them out
	own              map[uint64]bool // what those that were asked for have for themselves: a title or a text
	dropped          int             // those that were not worth a request
	example          string          // the first of these
}

// shown is what an answer showed.
type shown struct {
	location string
	title    uint64 // a hash, 0 for none
	text     uint64 // a hash, whatever its order
	fresh    bool   // some of the text was new
	// something else than its query keeps it out: it is no page, or says which page it is, or that it is none for the
	// sitemap
	other bool
}

// neverOffer notes the name of a parameter that makes no page of its own.
func (q *queries) neverOffer(name string) {
	if len(q.never) < queriesKept {
		q.never[strings.Clone(name)] = true
	}
}

// count counts a location with a query that is not allowed, once, but for a day or month.
func (q *queries) count(loc string) {
	for name := range eligibility.Secrets(loc) {
		q.neverOffer(name)
	}
	key := names(loc)
	if key == "" || date.MatchString(loc) || q.linked[key] == nil && len(q.linked) == queriesKept ||
		!q.frontier.news("query "+loc) {
		return
	}
	if q.linked[key] == nil {
		q.linked[strings.Clone(key)] = &linked{first: strings.Clone(loc), own: map[uint64]bool{}}
	}
	q.linked[key].locations++
}

// of returns the locations among which a location was counted, nil if it was not.
func (q *queries) of(loc string) *linked {
	if date.MatchString(loc) {
		return nil
	}
	return q.linked[names(loc)]
}

// lone reports whether a link with a query is left alone for now, since the site links to its path in no other way: a
// single such link may do something. Once queriesTried of them have the same parameters, the explorer asks for each
// path without its query, and then with it. If both show the same, the query selects nothing, as a session in each link
// does not, and the link counts as one to the path.
func (e *explorer) lone(loc string) bool {
	path, _, _ := strings.Cut(loc, "?")
	params, _, _ := strings.Cut(names(values.ReplaceAllString(loc, "")), " ")
	known := e.frontier.has(path)
	for fewer := range location.Without(location.Sorted(loc)) { // as /product?id=4 beside /product?id=4&ref=home
		known = known || e.frontier.has(fewer)
	}
	if params == "" || known || slices.Contains(e.Entries, loc) {
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
		e.queries.count(loc)
		e.queries.bares[strings.Clone(path)] = strings.Clone(loc)
	}
}

// queueQueryOf queues the address with a query that waited until its path alone was asked for, if there is one.
func (q *queries) queueQueryOf(path string) {
	if loc := q.bares[path]; loc != "" {
		delete(q.bares, path)
		q.frontier.put(&item{Location: loc, Unlikely: true, Free: true})
	}
}

// date matches a location whose last names are a day or month.
var date = regexp.MustCompile(`[/=](19|20)\d\d([-/.]\d\d?|0[1-9]|1[0-2])([-/.]?\d\d?)?(\.[a-z]+)?/?$`)

// compare notes what the locations that were asked for have for themselves.
func (q *queries) compare() (at map[string]shown) {
	at = map[string]shown{}
	for _, a := range q.answers {
		at[location.Sorted(a.location)] = a
		of := q.linked[names(a.location)]
		if of == nil {
			continue
		}
		switch of.asked++; {
		case a.other:
			of.locations, of.others = of.locations-1, of.others+1
		case a.fresh:
			of.own[a.text] = true // a text of its own is worth a title
		case a.title != 0:
			of.own[a.title] = true
		}
	}
	for _, a := range q.answers {
		of := q.linked[names(a.location)]
		if of == nil {
			continue
		}
		if a.fresh {
			delete(of.own, a.title) // it is the title of another text too
		}
		for fewer := range location.Without(location.Sorted(a.location)) { // what selects nothing shows the same, perhaps before
			delete(of.own, at[fewer].text)
			delete(of.own, at[fewer].title)
		}
	}
	return at
}

// variants returns the keys of locations whose query makes no page of its own. At most half of the locations of the key
// that were requested have a title or a text of their own. If none was requested, those with the same parameters in the
// same folder decide. Where a rule allows the parameter elsewhere, a location that names another page as canonical does
// not count.
func (q *queries) variants(rules eligibility.Rules) map[string]bool {
	asked, own, are := map[string]int{}, map[string]int{}, map[string]bool{}
	count := func(key string) (folder string, n int) {
		params, _, _ := strings.Cut(key, " ")
		if n = q.linked[key].asked; rules.Naming(strings.Split(params, ",")) != "" {
			n -= q.linked[key].others
		}
		return key[:strings.LastIndexByte(key, '/')], n
	}
	for key, of := range q.linked {
		folder, n := count(key)
		asked[folder], own[folder] = asked[folder]+n, own[folder]+len(of.own)
	}
	for key, of := range q.linked {
		folder, n := count(key)
		has := len(of.own)
		if n == 0 {
			n, has = asked[folder], own[folder]
		}
		are[key] = n > 0 && 2*has <= n
	}
	return are
}

// params says which parameters keep pages out. First come those that a rule allows elsewhere, as the owner knows best,
// then those with the most pages. Most pages of such a parameter have a title or text of their own; a parameter that
// sorts, filters or tracks has no such pages. params leaves out:
//
//   - parameters of which fewer than two pages came, so that none could be compared, as those of feeds and pictures,
//   - parameters that only add to others, as action in ?title=Crow&action=history beside ?title=Crow,
//   - parameters that are never offered.
//
// left is how many locations may be out because of their query, also by parameters left out here. first is one of them.
func (q *queries) params(norm *location.Normalizer, rules eligibility.Rules) (all []string, left int, first string) {
	at, variants := q.compare(), q.variants(rules)
	allowed := map[string]int{} // how many locations have parameters that a rule allows elsewhere
	for _, key := range slices.SortedFunc(maps.Keys(q.linked), func(a, b string) int {
		return cmp.Or(q.linked[b].locations-q.linked[a].locations, strings.Compare(a, b))
	}) {
		names, path, _ := strings.Cut(key, " ")
		params := strings.Split(names, ",")
		of, bare, rule := q.linked[key], at[path], rules.Naming(params)
		if of.locations <= 0 || variants[key] ||
			slices.ContainsFunc(params, func(name string) bool { return !eligibility.Selects(name) }) {
			continue
		}
		left, first, of.dropped = left+of.locations, cmp.Or(first, of.first), 0 // the query is why they are left out
		if rule != "" {
			allowed[names] += of.locations
			continue
		}
		adds := slices.ContainsFunc(params, func(name string) bool {
			return q.never[name] || name != names && (q.linked[name+" "+path] != nil || !norm.Parse(path+"?"+name+"=1").OwnQuery)
		})
		compared := len(of.own) > 1 || len(of.own) == 1 && (bare.title != 0 || bare.fresh)
		if compared && !adds {
			all = append(all, fmt.Sprintf("%s: %s of %s", names, linkedPages(of.locations), path))
		}
	}
	for _, names := range slices.Backward(slices.Sorted(maps.Keys(allowed))) {
		all = slices.Insert(all, 0, fmt.Sprintf("%s: %s; a rule names it for %s", names, linkedPages(allowed[names]),
			rules.Naming(strings.Split(names, ","))))
	}
	return all[:min(len(all), paramsTold)], left, first
}

func linkedPages(n int) string {
	if n == 1 {
		return "1 linked page"
	}
	return fmt.Sprint(n, " linked pages")
}

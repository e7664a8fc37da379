package notify

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	massWindow = time.Hour
	massLeast  = 100 // fewer changes are no mass change, even on a small site
	groupLeast = 10  // pages of a shape or a folder; fewer belong to the folder above
)

// massChange returns the changes of each group of pages of which more than most changed within an hour. That
// must be a deploy, a template, an import, or a visitor who walks along a list without end. Engines learn of
// it from the lastmod in the sitemap, and would take it amiss if all were sent. groups are the names of the groups.
func massChange(changes []change, most int) (held []change, groups []string) {
	for group, members := range groupChanges(changes) {
		if len(members) > most {
			held, groups = append(held, members...), append(groups, group)
		}
	}
	return held, groups
}

// takeTurns orders changes so that the groups take turns, the oldest change of each first. So no
// group keeps another from being sent when there is a limit.
func takeTurns(changes []change) {
	turns := make(map[hash]int, len(changes))
	for _, members := range groupChanges(changes) {
		for turn, c := range members {
			turns[c.hash] = turn
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return turns[a.hash] - turns[b.hash] })
}

// groupChanges returns the changes of each group. A page is in the narrowest of its groups that has
// some members, else in its folder. Pages that were removed are a group.
func groupChanges(changes []change) map[string][]change {
	count, all := map[string]int{}, make([][]string, len(changes))
	for i, c := range changes {
		if all[i] = groupsOf(c.url); c.removed {
			all[i] = []string{"removed"}
		}
		for _, group := range all[i] {
			count[group]++
		}
	}
	members := map[string][]change{}
	for i, groups := range all {
		in := slices.IndexFunc(groups, func(group string) bool { return count[group] >= groupLeast })
		if in < 0 {
			in = min(1, len(groups)-1)
		}
		members[groups[in]] = append(members[groups[in]], changes[i])
	}
	return members
}

var digits = regexp.MustCompile(`\d+`)

// groupsOf returns the groups to which a page may belong, from the narrowest on: its shape, which
// is "/item-#" for a path with a number and "/news?page" for one with that parameter; its folder;
// and the folders above. The folder of a page with a query is the page without it. The folder of the
// whole site is one only for pages directly in it.
func groupsOf(url string) (groups []string) {
	_, location, _ := strings.Cut(url, "://")
	_, location, _ = strings.Cut(location, "/")
	path, query, has := strings.Cut("/"+location, "?")
	path = digits.ReplaceAllString(strings.TrimSuffix(path, "/"), "#")
	if groups = []string{path}; has {
		names := strings.Split(query, "&")
		for i := range names {
			names[i], _, _ = strings.Cut(names[i], "=")
		}
		slices.Sort(names)
		groups = []string{path + "?" + strings.Join(names, "&"), path + "?"}
	}
	for i := strings.LastIndexByte(path, '/'); i > 0 || i == 0 && len(groups) == 1; i = strings.LastIndexByte(path[:i], '/') {
		groups = append(groups, path[:i+1])
	}
	return groups
}

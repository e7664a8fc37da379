package messages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// several is the least number of links with one parameter from which on it may make pages.
const several = 3

// Parameters says which parameters keep linked pages out, and what to write for those that may make pages. params
// are as in servemap.Exploration, the most frequent first. give has the names of the latter.
func Parameters(params []string) (text string, give []string) {
	type parameter struct {
		name, on     string
		links, paths int
	}
	var all []*parameter
	for _, p := range params { // such as "id: 20 linked pages of /view" or "id,lang: 9 linked pages of /"
		name, rest, _ := strings.Cut(p, ": ")
		n, on, _ := strings.Cut(rest, " ")
		links, _ := strconv.Atoi(n)
		i := slices.IndexFunc(all, func(p *parameter) bool { return p.name == name })
		if i < 0 {
			i, all = len(all), append(all, &parameter{name: name, on: on})
		}
		all[i].links += links
		all[i].paths++
	}
	var kept []string
	for _, p := range all {
		if p.paths > 1 {
			p.on = fmt.Sprintf("linked pages of %d paths", p.paths)
		}
		kept = append(kept, fmt.Sprintf("%s: %d %s", p.name, p.links, p.on))
		if p.links >= several {
			give = append(give, strings.Split(p.name, ",")...)
		}
	}
	slices.Sort(give)
	give = slices.Compact(give)
	switch text = strings.Join(kept, ", "); {
	case len(kept) == 0:
		return "none makes pages by itself", nil
	case len(give) == 0:
		return text, nil
	default:
		names := strings.NewReplacer("GO", `"`+strings.Join(give, `", "`)+`"`, "SHELL", strings.Join(give, ","))
		return text + "; if they make pages of their own, which name no other URL as canonical, give " + names.Replace(Say("{QueryThis}")) +
			" (and what it had before; leave out what only sorts or filters)", give
	}
}

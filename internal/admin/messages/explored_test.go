package messages

import "testing"

func TestOneLineNamesAllParametersThatMayMakePages(t *testing.T) {
	const more = "; if they make pages of their own, which name no other URL as canonical, give "
	const but = " (and what it had before; leave out what only sorts or filters)"
	for _, tt := range []struct {
		name   string
		params []string
		want   string
	}{
		{"several paths", []string{"tag: 8 linked pages of /", "cat: 3 linked pages of /", "tag: 3 linked pages of /old", "ref: 2 linked pages of /"},
			"tag: 11 linked pages of 2 paths, cat: 3 linked pages of /, ref: 2 linked pages of /" + more + `Options.Query: []string{"page", "cat", "tag"}` + but},
		{"a language on each page", []string{"lang: 1 linked pages of /", "lang: 1 linked pages of /about", "lang: 1 linked pages of /news"},
			"lang: 3 linked pages of 3 paths" + more + `Options.Query: []string{"page", "lang"}` + but},
		{"two parameters together", []string{"lang,id: 9 linked pages of /view", "id: 4 linked pages of /view"},
			"lang,id: 9 linked pages of /view, id: 4 linked pages of /view" + more + `Options.Query: []string{"page", "id", "lang"}` + but},
		{"few links", []string{"id: 2 linked pages of /view", "ref: 1 linked pages of /"}, "id: 2 linked pages of /view, ref: 1 linked pages of /"},
		{"none", nil, "none makes pages by itself"},
	} {
		if got, _ := Parameters(tt.params); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

package explore

import (
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/testkit/base"
)

// Several requests run at once, so a query may be answered before its path. A name that visitors type in a form is not
// offered, but what is linked with it is counted.
func TestParametersAreNamedWhicheverAnswerComesFirst(t *testing.T) {
	origin, err := location.ParseOrigin("https://example.com")
	base.Check(t, err)
	norm, err := location.New(origin, location.Config{})
	base.Check(t, err)
	const (
		shop, soup, salad, titled = 1, 2, 3, 10
	)
	for _, tt := range []struct {
		name    string
		answers []shown
		want    string
	}{
		{"an order of what the path shows", []shown{{location: "/shop", title: titled + shop, text: shop},
			{location: "/shop?by=price", title: titled + shop, text: shop}}, ""},
		{"another text", []shown{{location: "/shop", title: titled + shop, text: shop},
			{location: "/shop?dish=soup", title: titled + shop, text: soup}}, "dish: 1 linked page of /shop"},
		{"another text for each of two", []shown{{location: "/shop?dish=soup", title: titled + soup, text: soup},
			{location: "/shop?dish=salad", title: titled + salad, text: salad}}, "dish: 2 linked pages of /shop"},
		{"one that nothing can be compared with", []shown{{location: "/shop?dish=soup", title: titled + soup, text: soup}},
			""},
		{"two that show the same", []shown{{location: "/shop?by=price", title: titled + shop, text: shop},
			{location: "/shop?by=name", title: titled + shop, text: shop}}, ""},
		{"a path that is no page", []shown{{location: "/shop", other: true},
			{location: "/shop?dish=soup", title: titled + soup, text: soup}}, ""},
	} {
		for _, first := range []int{0, len(tt.answers) - 1} {
			for typed, want := range map[string]string{"": tt.want, "dish": ""} {
				q := queries{frontier: newFrontier(100, NewLedger(100)), linked: map[string]*linked{},
					never: map[string]bool{typed: true}}
				texts := map[uint64]bool{}
				for i := range tt.answers {
					a := tt.answers[(first+i)%len(tt.answers)]
					a.fresh = a.text != 0 && !texts[a.text]
					texts[a.text] = true
					if q.answers = append(q.answers, a); strings.Contains(a.location, "?") {
						q.count(a.location)
					}
				}
				all, left, _ := q.params(norm, nil)
				if got := strings.Join(all, "; "); got != want || tt.want != "" && left == 0 || slices.Contains(all, "") {
					t.Errorf("%s, from answer %d, typed %q: %q, want %q; %d are left", tt.name, first, typed, got, want, left)
				}
			}
		}
	}
}

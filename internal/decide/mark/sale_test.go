package mark

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A price that comes back dates its page, if what stood in its place had come to stay. What a visitor, an hour or a
// feed that fails brings back dates nothing.
func TestEndOfASaleIsDated(t *testing.T) {
	const pages, days, start, sale, end = 6, 34, 1_700_000_000, 10, 17
	r := rand.New(rand.NewPCG(3, 3))
	price := func(i int) string { return fmt.Sprintf("€ %d.00", 49+i) }
	cheap := func(i int) string { return fmt.Sprintf("€ %d.00", 34+i) }
	both := func(i int) string { return price(i) + "</p><p>20 % off</p><p>" + cheap(i) }
	all := func(s string) func(int) string { return func(int) string { return s } }
	type shows func(i, visit, hour int) string
	week := func(shown func(i int) string) shows {
		return func(i, _, hour int) string {
			if sale*24 <= hour && hour < end*24 {
				return shown(i)
			}
			return price(i)
		}
	}
	by := func(now func(visit, hour int) bool) shows {
		return func(i, visit, hour int) string {
			if now(visit, hour) {
				return cheap(i)
			}
			return price(i)
		}
	}
	oneOf := func(of ...func(i int) string) shows {
		return func(i, _, _ int) string { return of[r.IntN(len(of))](i) }
	}
	for _, tt := range []struct {
		name  string
		shows shows
		want  []int // the days of the dates, from the begin of the sale on
	}{
		{"for a week", week(cheap), []int{sale, end}},
		{"for two weeks", by(func(_, hour int) bool { return sale*24 <= hour && hour < (sale+14)*24 }),
			[]int{sale, sale + 14}},
		{"before the old price", week(func(i int) string { return cheap(i) + " instead of " + price(i) }), []int{sale, end}},
		{"below the old price", week(both), []int{sale, end}},
		{"for one visit", by(func(visit, hour int) bool { return hour/24 == sale && visit%6 == 4 }), []int{sale}},
		{"for the fifth visitor", by(func(visit, _ int) bool { return visit%5 == 4 }), nil},
		{"for each other visitor", oneOf(price, cheap), nil},
		{"below the old price, for each other visitor", oneOf(price, both), nil},
		{"a currency by visitor", oneOf(price, all("$ 60.00"), all("CHF 50.00")), nil},
		{"at night", by(func(_, hour int) bool { return hour%24 < 12 }), nil},
		{"on weekends", by(func(_, hour int) bool { return hour%(7*24) < 2*24 }), nil},
		{"for each other visitor, below an edit", func(i, visit, hour int) string {
			edit := min(1, hour/24/(sale+6))
			return sentence(rand.New(rand.NewPCG(uint64(i), uint64(edit))), 14) + "</p><p>" + oneOf(price, cheap)(i, visit, hour)
		}, []int{sale + 6}},
		{"a feed without prices for one visit of each page", func(i, visit, _ int) string {
			if visit == 9+i {
				return ""
			}
			return price(i)
		}, nil},
		{"a feed without prices", week(all("")), nil},
		{"a feed with another text", week(all("Price on request")), nil},
		{"a feed with one price", week(all("€ 0.00")), nil},
	} {
		for _, every := range []int{4, 24} { // hours
			var s Site
			var marks [pages]Mark
			var last [pages]int64
			var dates [pages][]int64
			for n := range days * 24 / every * pages {
				i, visit, at := n%pages, n/pages, int64(start+3600*every*n/pages)
				v := viewOf(text(fmt.Sprintf("%s This is page %d.", one, i), tt.shows(i, visit, int(at-start)/3600),
					fmt.Sprintf("<a href=/%d>A product that goes with it</a></p><p>€ %d.50", i+100, 70+i), other))
				v.Last, last[i] = last[i], at
				s.Consult(v, marks[i], fmt.Sprintf("/%d", i), at)
				m, o, since := marks[i].Observe(v, at)
				switch n := len(dates[i]) - 1; {
				case o == Changed:
					dates[i] = append(dates[i], since)
				case n >= 0 && s.Disowns(m, dates[i][n]):
					dates[i] = dates[i][:n]
				}
				marks[i] = m
			}
			for i := range dates {
				var got []int
				for _, at := range dates[i] {
					if d := int(at-start) / day; d >= sale {
						got = append(got, d)
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("%s, a visit each %d hours: page %d is dated on the days %v, want %v", tt.name, every, i, got, tt.want)
				}
			}
		}
	}
}

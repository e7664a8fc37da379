package mark

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// layouts are ways to write down a few texts, one after the other.
var layouts = []struct{ name, before, each, after string }{
	{"paragraphs", "<main><h1>Title</h1>", "<p>%s</p>", "</main>"},
	{"a list", "<main><h1>Title</h1><ul>", "<li>%s</li>", "</ul></main>"},
	{"divs", "<div class=a><h1>Title</h1>", "<div>%s</div>", "</div>"},
	{"rows of a table", "<main><h1>Title</h1><table>", "<tr><td>%s</td></tr>", "</table></main>"},
	{"rows of two cells", "<main><table>", "<tr><th>Of note</th><td>%s</td></tr>", "</table></main>"},
	{"no main, paragraphs in divs", "<body><h1>Title</h1>", "<div><p>%s</p></div>", "</body>"},
}

const counter = "You are visitor number %d of this page."

// beside are edits of a page that has a counter, as lists of its texts before and
// after.
var beside = []struct {
	name          string
	before, after []string
}{
	{"a new paragraph before the counter", []string{one, counter}, []string{one, two, counter}},
	{"a new paragraph after the counter", []string{one, counter}, []string{one, counter, two}},
	{"a new paragraph at the top", []string{one, counter}, []string{two, one, counter}},
	{"a fourth paragraph", []string{one, two, counter}, []string{one, two, three, counter}},
	{"a fourth paragraph after the counter", []string{one, two, counter}, []string{one, two, counter, three}},
	{"a fifth paragraph", []string{one, two, three, counter}, []string{one, two, three, four, counter}},
	{"a fifth paragraph at the top", []string{two, three, four, counter}, []string{one, two, three, four, counter}},
	{"a new paragraph with a number", []string{one, counter}, []string{one, two + " It has 12 lines.", counter}},
	{"a new paragraph beside two counters", []string{one, two, counter, "This hour " + counter}, []string{one, two, three, counter, "This hour " + counter}},
	{"a removed paragraph", []string{one, two, counter}, []string{one, counter}},
	{"a removed paragraph of four", []string{one, two, three, counter}, []string{one, three, counter}},
	{"another text", []string{one, two, counter}, []string{one, three, counter}},
	{"another text at the top", []string{one, two, counter}, []string{three, two, counter}},
	{"another text than the only one", []string{one, counter}, []string{two, counter}},
	{"a few words", []string{one, two, "%d visits"}, []string{one, two, "Sold out", "%d visits"}},
	{"a few words after the counter", []string{one, two, "%d visits"}, []string{one, two, "%d visits", "Sold out"}},
	{"a few words beside some", []string{one, two, "In stock", "%d visits"}, []string{one, two, "In stock", "New", "%d visits"}},
}

// countsVisits shows a page of a site that nobody else visits to a mark, and
// returns when it saw changes.
func countsVisits(m *Mark, site *Site, from, n int, gap int64, page func(visit int) string) (changes []int64) {
	for i := from; i < from+n; i++ {
		v := viewOf(page(i))
		v.Soon = gap < 2*daySeconds
		site.Consult(v, *m, 1)
		var o Outcome
		var since int64
		if *m, o, since = m.Look(v, int64(i+1)*gap); o == Changed {
			changes = append(changes, since)
		}
	}
	return changes
}

func TestAnEditBesideACounterIsFound(t *testing.T) {
	const learn, looks = 20, 40
	for _, l := range layouts {
		for _, e := range beside {
			for _, gap := range []int64{60, 3600, daySeconds} {
				t.Run(fmt.Sprintf("%s, %s, every %d s", l.name, e.name, gap), func(t *testing.T) {
					render := func(texts []string, visit int) string {
						page := l.before
						for _, s := range texts {
							page += fmt.Sprintf(l.each, s)
						}
						return strings.ReplaceAll(page+l.after, "%d", fmt.Sprint(1000+17*visit))
					}
					var m Mark
					var site Site
					countsVisits(&m, &site, 0, learn, gap, func(i int) string { return render(e.before, i) })
					if got := countsVisits(&m, &site, learn, looks, gap, func(i int) string { return render(e.before, i) }); len(got) > 0 {
						t.Fatalf("changes at %v before the edit", got)
					}
					got := countsVisits(&m, &site, learn+looks, looks, gap, func(i int) string { return render(e.after, i) })
					if want := []int64{(learn + looks + 1) * gap}; !slices.Equal(got, want) {
						t.Errorf("changes at %v, want %v", got, want)
					}
				})
			}
		}
	}
}

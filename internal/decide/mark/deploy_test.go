package mark

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// titleOf is a page's own heading.
func titleOf(page int) string { return sentence(rand.New(rand.NewPCG(uint64(page), 2)), 4) }

// deployed is a page of a site with sections, and what a deploy adds to it, by place.
func deployed(page int, deploy map[string]string) string {
	r := rand.New(rand.NewPCG(uint64(page), 3))
	b := new(strings.Builder)
	fmt.Fprintf(b, "<main>%s<h1>%s%s</h1>%s", deploy["top"], titleOf(page), deploy["sign"], deploy["title"])
	for i := range 4 {
		number := ""
		if deploy["number"] != "" {
			number = fmt.Sprintf("%d.%d ", page+1, i+1)
		}
		fmt.Fprintf(b, "<h2>%s%s%s</h2>", number, sentence(r, 3), deploy["sign"])
		for range 3 {
			fmt.Fprintf(b, "<p>%s</p>", sentence(r, 12+i))
		}
	}
	return b.String() + deploy["end"] + "</main>"
}

const pages = 36

// visited is a site, and the marks and dates of its pages.
type visited struct {
	site  Site
	marks [pages]Mark
	last  [pages]int64
	dates map[int]int64
}

// visit has a page visited at a time, and dates it as the site does.
func (s *visited) visit(page int, text string, at int64) {
	v := viewOf(text)
	v.Last, s.last[page] = s.last[page], at
	s.site.Consult(v, s.marks[page], fmt.Sprintf("/page-%d", page), at)
	m, o, since := s.marks[page].Observe(v, at)
	switch s.marks[page] = m; {
	case o == Changed:
		s.dates[page] = since
	case s.site.Disowns(m, s.dates[page]):
		delete(s.dates, page)
	}
}

// lived has pages visited at random for some days, each about three times a day, and returns how many have a date in
// the end, and how many had one at a time. shows returns what a page has besides on a day.
func lived(days int, shows func(page, today int) map[string]string) (dated, most int) {
	s := visited{dates: map[int]int64{}}
	r := rand.New(rand.NewPCG(1, 1))
	for visit := range 3 * pages * days {
		at, i := int64(1_700_000_000+visit*day/pages/3), r.IntN(pages)
		s.visit(i, deployed(i, shows(i, visit/pages/3)), at)
		most = max(most, len(s.dates))
	}
	return len(s.dates), most
}

// A deploy gives each page a line of its own that says nothing new. The first pages that show it may be dated, until
// the others show it too.
func TestDeployDatesNothingForLong(t *testing.T) {
	const old, now = 6, 6 // days
	anna, june := strings.Fields("Anna Bert Carl Dora Emil Fritz Gerda"), strings.Fields("June July August September")
	in := func(where, format string, a ...any) map[string]string {
		return map[string]string{where: fmt.Sprintf(format, a...)}
	}
	own := func(page int) string { return sentence(rand.New(rand.NewPCG(uint64(page), 4)), 12) }
	line := func(s string) func(int) map[string]string {
		return func(int) map[string]string { return in("end", "<p>%s</p>", s) }
	}
	each := func(format string) func(int) map[string]string {
		return func(i int) map[string]string { return in("end", format, 10+i) }
	}
	titled := func(title, picture string) func(int) map[string]string {
		return func(i int) map[string]string {
			return in("top", "<title>"+title+"</title><img src=/%[2]d-"+picture+".jpg>", titleOf(i), i)
		}
	}
	for _, tt := range []struct {
		name           string
		before, deploy func(page int) map[string]string
		most, end      int // pages dated at a time, and in the end
	}{
		{"a sign after headings", nil, func(int) map[string]string { return in("sign", ` <a href="#x">#</a>`) }, 0, 0},
		{"numbered headings", nil, func(int) map[string]string { return in("number", "yes") }, 0, 0},
		{"neighbours", nil, func(i int) map[string]string {
			return in("end", "<div><a href=/p>Previous: %s</a><a href=/n>Next: %s</a></div>", titleOf(i-1), titleOf(i+1))
		}, wavePages, 0},
		{"tags", nil, func(i int) map[string]string {
			return in("end", "<p>Tags: %s, %s, house</p>", words[i%36], words[i*7%36])
		}, wavePages, 0},
		{"tags in a list", nil, func(i int) map[string]string {
			return in("end", "<ul><li>Tagged with %s<li>and with %s</ul>", words[i%36], words[i*7%36])
		}, wavePages, 0},
		{"breadcrumbs", nil, func(i int) map[string]string {
			return in("top", "<div><a href=/>Home</a> › <a href=/m>Machines</a> › %s</div>", titleOf(i))
		}, wavePages, 0},
		{"a date", nil, func(i int) map[string]string {
			return in("title", "<p>Published on %d %s 20%d</p>", 1+i*7%28, june[i%4], 10+i%13)
		}, wavePages, 0},
		{"an author", nil, func(i int) map[string]string { return in("title", "<p>By %s %s</p>", anna[i%7], titleOf(i)) },
			wavePages, 0},
		{"other words in titles", titled("%[1]s", "77c01d"), titled("All about %[1]s", "77c01d"), 0, 0},
		{"the title as a heading in the text", titled("%[1]s on the farm", "a"), func(i int) map[string]string {
			return in("top", "<title>%[1]s on the farm</title><h2>%[1]s on the farm -</h2><img src=/%[2]d-a.jpg>", titleOf(i), i)
		}, wavePages, 0},
		{"other names of pictures", titled("%[1]s", "77c01d"), titled("%[1]s", "3f2a9c"), 0, 0},
		{"another number in a line", line("Open until 20 h"), line("Open until 18 h"), 0, 0},
		{"another price in a line", line("€40 a year"), line("€45 a year"), wavePages, 0},
		{"more words behind headings", nil, func(int) map[string]string { return in("sign", " – now even nicer") },
			wavePages, 0},
		{"a note behind prices", each("<p>€ %d.50</p>"), each("<p>€ %d.50 incl. VAT</p>"), wavePages, 0},
		{"a word before facts", each("<p>In stock: %d</p>"), each("<p>Now in stock: %d</p>"), wavePages, 0},
		{"another form of prices", each("<p>€ %d.50</p>"), each("<p>%d,50 €</p>"), 0, 0},
		{"one line for all", nil, func(int) map[string]string { return in("end", "<p>Was this page of any use to you?</p>") },
			wavePages, 0},
		{"edits of all pages where texts are", nil, func(i int) map[string]string {
			return in("end", "<p>%s</p>", own(i))
		}, pages, pages - wavePages},
		{"edits of a few pages", nil, func(i int) map[string]string {
			return map[string]string{"end": strings.Repeat("<table><tr><td>"+own(i)+"</table>", min(1, i%9/8))}
		}, 4, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dated, most := lived(old+now, func(page, today int) map[string]string {
				switch {
				case today >= old:
					return tt.deploy(page)
				case tt.before != nil:
					return tt.before(page)
				}
				return nil
			})
			if most > tt.most || tt.end == 0 && dated > 0 || dated < tt.end {
				t.Errorf("%d pages are dated in the end and %d at a time, want %d and at most %d", dated, most, tt.end, tt.most)
			}
		})
	}
}

// Authors give one page after the other its first list, table or quote, day by day. Pages in between are seen without.
func TestFirstOfItsKindOnEachPageIsDated(t *testing.T) {
	for _, format := range []string{"<ul><li>%s<li>%s</ul>", "<table><tr><td>%s<td>%s</table>",
		"<blockquote><p>%s</p><p>%s</p></blockquote>"} {
		for _, gap := range []int{1, 2, 4} {
			dated, _ := lived(6+pages*gap+6, func(page, today int) map[string]string {
				if today < 6+page*gap {
					return nil
				}
				own := rand.New(rand.NewPCG(uint64(page), 9))
				return map[string]string{"end": fmt.Sprintf(format, sentence(own, 12), sentence(own, 12))}
			})
			if dated < pages-1 {
				t.Errorf("%s, each %d days: %d of %d edits are dated", format, gap, dated, pages)
			}
		}
	}
}

// A deploy gives most pages a table, and somebody writes one on a page that it left out. That is news of this page,
// and no news of the pages that are visited later.
func TestAuthorsTableEndsNoWave(t *testing.T) {
	const first, later, old = wavePages, wavePages - 1, 8
	s := visited{dates: map[int]int64{}}
	at := int64(1_700_000_000)
	visit := func(from, to int, tables bool) {
		at += day
		for i := from; i < to; i++ {
			at++
			own := map[string]string{}
			if tables {
				own["end"] = "<table><tr><td>" + sentence(rand.New(rand.NewPCG(uint64(i), 9)), 12) + "</table>"
			}
			s.visit(i, deployed(i, own), at)
		}
	}
	for range old {
		visit(0, pages, false)
	}
	visit(0, first, true)
	visit(first+later, first+later+1, false)
	visit(first+later, first+later+1, true)
	visit(0, first+later, true)
	if _, is := s.dates[first+later]; !is || len(s.dates) != 1 {
		t.Errorf("the pages with a date and its time are %v, want page %d alone", s.dates, first+later)
	}
}

package mark

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// taught is the memory of a site whose pages share a menu, and all got one more line
// lately.
func taught(pages int) *Site {
	s := new(Site)
	for i := range pages {
		var m Mark
		for visit := range int64(2) {
			v := viewOf(text(fmt.Sprintf("%s This is page %d.", one, i), two) +
				strings.Repeat("<main><p>A line that stands under each text of the site.</main>", int(visit)))
			s.Consult(v, m, fmt.Sprintf("/%d", i), visit)
			m, _, _ = m.Observe(v, visit)
		}
	}
	return s
}

func TestSiteIsReadAsItWasWritten(t *testing.T) {
	for name, s := range map[string]*Site{"empty": {}, "small": taught(3), "full": taught(3000)} {
		b := s.AppendBinary(nil)
		if len(b) > 34<<10 {
			t.Errorf("%s: %d bytes, want at most 34 KB", name, len(b))
		}
		again, err := ParseSite(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(again.AppendBinary(nil), b) {
			t.Errorf("%s: another memory is read back", name)
		}
	}
	good := taught(3).AppendBinary(nil)
	for _, damaged := range [][]byte{good[:len(good)/2], append(good, 0)} {
		if s, err := ParseSite(damaged); err == nil || s != nil {
			t.Errorf("%d of %d bytes are read: %v", len(damaged), len(good), err)
		}
	}
	if s, err := ParseSite(nil); err != nil || *s != (Site{}) {
		t.Errorf("nothing is read as %v, %v, want the empty memory", s, err)
	}
}

// Two places that share their room are noted in the same order each time.
func TestSiteLearnsTheSameFromTheSamePages(t *testing.T) {
	var first []byte
	for range 20 {
		v := viewOf(text(one, two, three))
		for i, b := range v.blocks {
			b.place = uint16(7 + placesKept*i)
		}
		var s Site
		s.Consult(v, Mark{}, "/", 0)
		if b := s.AppendBinary(nil); first == nil {
			first = b
		} else if !bytes.Equal(b, first) {
			t.Fatal("a site learned something else from the same page")
		}
	}
}

// restamped shows all pages of a site again and again, and returns for each change which page it was, unless it is
// taken back.
func restamped(pages, visits int, html func(visit, page int) string) (changed []int) {
	var s Site
	marks, dates := make([]Mark, pages), make([]int64, pages)
	for visit := range visits {
		for i := range marks {
			v := viewOf(html(visit, i))
			s.Consult(v, marks[i], fmt.Sprintf("/%d", i), int64(visit)*day+int64(i))
			m, o, since := marks[i].Observe(v, int64(visit)*day+int64(i))
			switch marks[i] = m; {
			case o == Changed:
				changed, dates[i] = append(changed, i), since
			case s.Disowns(m, dates[i]):
				changed = slices.DeleteFunc(changed, func(page int) bool { return page == i })
			}
		}
	}
	return changed
}

// A page that loses a text of its own has changed. A text that many pages show belongs to
// the site.
func TestLossOfATextOfTheSiteIsNoChange(t *testing.T) {
	const notice = "A notice that stood on the pages of the site until somebody took it away."
	for _, tt := range []struct {
		name  string
		shown int // on so many of 5 pages
		lost  int // on so many of them
		want  int // changes
	}{
		{"a text of one page", 1, 1, 1},
		{"a text of all pages, on one", 5, 1, 0},
		{"a text of all pages, on all", 5, 5, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changes := restamped(5, 8, func(visit, i int) string {
				html := text(fmt.Sprintf("%s This is page %d.", one, i), two, notice)
				if i >= tt.shown || visit >= 4 && i < tt.lost {
					html = strings.ReplaceAll(html, "<p>"+notice+"</p>", "")
				}
				return html
			})
			if len(changes) != tt.want {
				t.Errorf("changes of the pages %v, want %d", changes, tt.want)
			}
		})
	}
}

// A small edit of a page that nobody knows well yet is dated at once if texts stay where it is, on all pages of the
// site.
func TestNewPageIsNotDoubtedWhereTextsStay(t *testing.T) {
	for _, tt := range []struct {
		name   string
		others int
		middle func(visit int) string // what moves on the others
		want   Outcome
	}{
		{"no other page", 0, nil, Held},
		{"pages whose texts stay", 9, func(int) string { return "" }, Changed},
		{"pages whose texts stay, but for one in another place", 9, func(visit int) string {
			return fmt.Sprintf("<blockquote>%s</blockquote>", sentence(rand.New(rand.NewPCG(7, uint64(visit))), 12))
		}, Changed},
		{"pages with another text each time", 9, func(visit int) string {
			return fmt.Sprintf("<p>%s</p>", sentence(rand.New(rand.NewPCG(7, uint64(visit))), 12))
		}, Held},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s Site
			see := func(m Mark, path, html string, at int) (Mark, Outcome) {
				v := viewOf(html)
				s.Consult(v, m, path, int64(at)*day)
				m, o, _ := m.Observe(v, int64(at)*day)
				return m, o
			}
			for i := range tt.others {
				var m Mark
				for visit := range 14 {
					m, _ = see(m, fmt.Sprintf("/%d", i), article(i, tt.middle(visit)), visit)
				}
			}
			m, _ := see(Mark{}, "/new", article(99, ""), 14)
			if _, o := see(m, "/new", article(99, "", "We have mended a word."), 15); o != tt.want {
				t.Errorf("outcome %d, want %d", o, tt.want)
			}
		})
	}
}

// What comes to a place where most pages show nothing of their own is the template's, although the texts differ.
// The same words elsewhere are news of each of a few pages.
func TestTemplateIsAPlace(t *testing.T) {
	const pages, news = 30, "<p>Our new address is the old mill in the valley.</p>"
	crumbs := func(s string) string { return "<main><div><div>" + s + "</div></div></main>" }
	for _, tt := range []struct {
		name          string
		before, after func(page int, html string) string
		want          int // changes
	}{
		{"breadcrumbs that begin to name the page",
			func(_ int, html string) string { return crumbs("Home of all the pages") + html },
			func(i int, html string) string { return crumbs(fmt.Sprintf("Home of all the pages %c", 'a'+i)) + html }, 0},
		{"a new paragraph in the body of three pages",
			func(_ int, html string) string { return html },
			func(i int, html string) string {
				if i%10 == 0 {
					return strings.Replace(html, "</main>", news+"</main>", 1)
				}
				return html
			}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changes := restamped(pages, 12, func(visit, i int) string {
				if visit < 6 {
					return tt.before(i, article(i, ""))
				}
				return tt.after(i, article(i, ""))
			})
			if len(changes) != tt.want {
				t.Errorf("changes of the pages %v, want %d", changes, tt.want)
			}
		})
	}
}

// A text that the versions, languages or prints of one page show is content of each. One that the pages of a site share
// is not, also where all their paths end in the same word.
func TestFamilyOfPagesCountsOnce(t *testing.T) {
	folders := func(page int) string { return fmt.Sprintf("/folder-%d", page) }
	for _, tt := range []struct {
		name  string
		path  func(page, version int) string
		edits func(page, version int) bool
		want  int // changes
	}{
		{"all versions of one page", func(page, version int) string { return fmt.Sprintf("/v%d/name-%d", version, page) },
			func(page, _ int) bool { return page == 2 }, 6},
		{"all pages, in folders with an index",
			func(page, version int) string { return fmt.Sprintf("/%d%s/index.html", version, folders(page)) },
			func(page, _ int) bool { return page == 2 }, 6},
		{"all pages of all versions", func(page, version int) string { return fmt.Sprintf("/v%d/name-%d", version, page) },
			func(int, int) bool { return true }, pagesOfBody * 6},
		{"a page, and archives of several", func(page, version int) string {
			if page == 9 {
				return fmt.Sprintf("/archive-of-kind-%d", version)
			}
			return fmt.Sprintf("/%d%s", version, folders(page))
		}, func(page, version int) bool { return page == 2 && version == 0 }, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const pages, versions = 10, 6
			var s Site
			marks, changes := [pages][versions]Mark{}, 0
			post := func(page, version, visit int) string {
				if visit >= 6 && tt.edits(page, version) {
					return article(page, "<p>We have added a paragraph that explains what the machine does.</p>")
				}
				return article(page, "")
			}
			for visit := range 10 {
				for page := range pages {
					for version := range versions {
						html, path := post(page, version, visit), tt.path(page, version)
						if strings.HasPrefix(path, "/archive") {
							html = post(1, 0, visit) + post(2, 0, visit) + post(3, 0, visit)
						}
						v, m := viewOf(html), &marks[page][version]
						s.Consult(v, *m, path, int64(visit)*day)
						var o Outcome
						if *m, o, _ = m.Observe(v, int64(visit)*day); o == Changed {
							changes++
						}
					}
				}
			}
			if changes < tt.want-1 || changes > tt.want {
				t.Errorf("%d changes, want %d", changes, tt.want)
			}
		})
	}
}

func FuzzParseSite(f *testing.F) {
	f.Add(taught(3).AppendBinary(nil))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSite(b)
		if err != nil {
			return
		}
		if again, err := ParseSite(s.AppendBinary(nil)); err != nil || !bytes.Equal(again.AppendBinary(nil),
			s.AppendBinary(nil)) {
			t.Errorf("%x is another memory when it is read again, %v", b, err)
		}
		var m Mark
		for i := range uint64(12) {
			v := viewOf([]string{text(one), text(one, two), text(two)}[i%3])
			s.Consult(v, m, fmt.Sprintf("/%d", i/2), int64(i))
			m, _, _ = m.Observe(v, int64(i))
		}
		if _, err := ParseSite(s.AppendBinary(nil)); err != nil {
			t.Errorf("it cannot be read any more: %v", err)
		}
		if n := len(s.AppendBinary(nil)); n > 34<<10 {
			t.Errorf("%d bytes", n)
		}
	})
}

// The words of a short text come again on other pages of a site: each price and each state is news of its own page.
func TestShortNewsThatOtherPagesShowIsDated(t *testing.T) {
	const pages = 12
	for _, tt := range []struct {
		name, format  string
		before, after string
	}{
		{"a price", "<p>%s</p>", "8 EUR", "9 EUR"},
		{"a price that begins alike", "<p>%s</p>", "€12.90", "€12.50"},
		{"a price among cells", "<table><tr><td>Price<td>%s</table>", "8 EUR", "9 EUR"},
		{"a price as a heading", "<h2>%s</h2>", "8 EUR", "9 EUR"},
		{"a state", "<p>%s</p>", "In stock", "Sold out"},
		{"a number", "<p>%s</p>", "Seats: 24", "Seats: 20"},
		{"a state among cells", "<table><tr><td>Seats<td>24<td>%s<td>from Monday on</table>", "In stock", "Sold out"},
	} {
		for _, known := range []int{1, 8} {
			t.Run(fmt.Sprint(tt.name, ", seen ", known), func(t *testing.T) {
				changes := restamped(pages, known+8, func(visit, i int) string {
					text := tt.before
					if i%2 == 1 || i == 10 && visit >= known {
						text = tt.after
					}
					return article(i, fmt.Sprintf(tt.format, text))
				})
				if !slices.Equal(changes, []int{10}) {
					t.Errorf("the pages %v have changed, want 10", changes)
				}
			})
		}
	}
}

// Each product names some others, drawn anew for each visitor. That says nothing of the lists, which have the same
// place for products and their prices.
func TestListsAreDatedBesideBoxesThatVary(t *testing.T) {
	const lists, products = 6, 22
	r := rand.New(rand.NewPCG(1, 2))
	name := func(n int) string { return titleOf(100 + n) }
	for _, known := range []int{2, 12} {
		changes := restamped(lists+products, known+8, func(visit, page int) string {
			b := "<main><h1>" + titleOf(page) + "</h1>"
			if page >= lists {
				b += "<p>" + sentence(rand.New(rand.NewPCG(uint64(page), 3)), 20) + "</p><h2>You may also like</h2>"
			}
			b += "<ul>"
			for n := range 3 {
				n = 3*page + n
				if page >= lists {
					n = r.IntN(products)
				}
				if b += "<li><a href=/p>" + name(n) + "</a>"; page < lists {
					b += fmt.Sprintf(" € %d.50", 12+n+min(1, max(0, visit-known+1)))
				}
			}
			return b + "</ul></main>"
		})
		slices.Sort(changes)
		if !slices.Equal(changes, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("seen %d times: the pages %v have changed, want the six lists", known, changes)
		}
	}
}

// Each product shows some others with their prices, drawn anew for each visitor. That is no news of its page, and a
// price of its own is.
func TestPricesOfOtherProductsAreNotThePages(t *testing.T) {
	const visits, edited = 8, 3
	for _, tt := range []struct{ name, box, card string }{
		{"items", "<ul>%s</ul>", "<li><a href=/p>%s</a> %s</li>"},
		{"items with headings", "<ul>%s</ul>", "<li><h3><a href=/p>%s</a></h3><p>%s</p></li>"},
		{"cards", "<div>%s</div>", "<div><a href=/p>%s</a><p>%s</p></div>"},
		{"cards with the stock", "<div>%s</div>", "<div><h3><a href=/p>%s</a></h3><p>%s</p><p>In stock</p></div>"},
		{"cards with a button", "<div>%s</div>", "<div><h3><a href=/p>%s</a></h3><p>%s</p><a href=/b>Buy</a></div>"},
		{"whole links", "<div>%s</div>", "<a href=/p><h3>%s</h3><p>%s</p></a>"},
		{"a table", "<table>%s</table>", "<tr><td><a href=/p>%s</a><td>%s</tr>"},
	} {
		for n, pool := range []int{8, 10, 24} {
			r, words := rand.New(rand.NewPCG(uint64(n), 5)), []string{"%d kr", "€ %d.50"}[n%2]
			title := func(page int) string {
				if name := strings.TrimSuffix(titleOf(200+page), "."); n%2 == 0 {
					return name
				}
				return fmt.Sprint("Mug ", page)
			}
			changes := restamped(pool, 2*visits, func(visit, page int) string {
				price := func(page int) string {
					if page == edited && visit >= visits {
						return fmt.Sprintf(words, 99)
					}
					return fmt.Sprintf(words, 5+page%20)
				}
				cards := ""
				for _, other := range r.Perm(pool)[:4] {
					if other != page {
						cards += fmt.Sprintf(tt.card, title(other), price(other))
					}
				}
				return "<main><h1>" + title(page) + "</h1><p>" + price(page) + "<p>" +
					sentence(rand.New(rand.NewPCG(uint64(page), 3)), 20) + "<h2>You may also like</h2>" +
					fmt.Sprintf(tt.box, cards) + "</main>"
			})
			if !slices.Equal(changes, []int{edited}) {
				t.Errorf("%s, a pool of %d, %s: the pages %v have changed, want %d", tt.name, pool, words, changes, edited)
			}
		}
	}
}

// The shop draws the boxes of other products anew now and then, so a card that a page never had shows a price that it
// never had. Some products differ in a number alone.
func TestPricesInBoxesDrawnNowAndThenAreNoNews(t *testing.T) {
	const products, visits = 60, 24
	for n := range 6 {
		card := [...]string{"<li><h3><a href=/p>%s</a></h3><p>€ %d.50</p></li>", "<div><a href=/p>%s</a><p>€ %d.50</p></div>",
			"<a href=/p><h3>%s</h3><p>€ %d.50</p></a>"}[n/2]
		changes := restamped(products, visits, func(visit, page int) string {
			box, drawn := "", max(0, (visit-page%8)/8)
			for i := range 4 {
				other := (7*page + 13*i + (29+i)*drawn) % products
				name := strings.TrimSuffix(titleOf(other), ".")
				if n%2 == 1 {
					name = fmt.Sprint("Mug ", other)
				}
				box += fmt.Sprintf(card, name, 5+other)
			}
			return "<main><h1>" + titleOf(page) + "</h1><p>" + sentence(rand.New(rand.NewPCG(uint64(page), 3)), 20) +
				"<h2>You may also like</h2><div>" + box + "</div></main>"
		})
		if len(changes) > 0 {
			t.Errorf("%s: the pages %v have changed, want none", card, changes)
		}
	}
}

// A menu in the text has links under short headings. A link more on one or two pages, before others have it, or one
// less is no news of these pages.
func TestShortHeadingsOfAMenuAreNoNewsBesideOtherLinks(t *testing.T) {
	const known, end = 8, 16
	menu := func(links ...string) string {
		b := "<div><p>Try it</p><a href=/w>Web</a><br>"
		for _, link := range links {
			b += "<p><a href=/" + link + ">" + link + "</a></p>"
		}
		return b + "<p>API</p><p><a href=/d>Docs</a></p></div>"
	}
	for _, tt := range []struct {
		name          string
		before, after []string
	}{
		{"one more", []string{"Cloud"}, []string{"Cloud", "Wiki"}},
		{"one less", []string{"Cloud", "Wiki"}, []string{"Cloud"}},
		{"another one", []string{"Cloud", "Wiki"}, []string{"Cloud", "Forum"}},
	} {
		for _, pages := range []int{1, 2} {
			changes := restamped(pages, end, func(visit, page int) string {
				if visit < known {
					return article(page, menu(tt.before...))
				}
				return article(page, menu(tt.after...))
			})
			if len(changes) > 0 {
				t.Errorf("%s, %d pages: the pages %v have changed, want none", tt.name, pages, changes)
			}
		}
	}
}

// Short pages have a menu of all pages in their text. They are no lists, so what an author writes there dates them.
func TestMenuMakesNoPageAList(t *testing.T) {
	const pages, edited, known = 12, 4, 8
	changes := restamped(pages, known+3, func(visit, page int) string {
		b := "<main><ul>"
		for other := range pages {
			b += "<li><a href=/p>" + sentence(rand.New(rand.NewPCG(uint64(other), 5)), 6) + "</a>"
		}
		b += "</ul><h1>" + titleOf(page) + "</h1><p>" + sentence(rand.New(rand.NewPCG(uint64(page), 6)), 20)
		if page == edited && visit >= known {
			b += "<p>" + sentence(rand.New(rand.NewPCG(uint64(page), 7)), 20)
		}
		return b + "</main>"
	})
	if !slices.Equal(changes, []int{edited}) {
		t.Errorf("the pages %v have changed, want %d", changes, edited)
	}
}

// A deploy words a line of the site anew, under which all pages have the same fact. What an author deletes afterwards
// dates his page.
func TestAFactUnderAnotherLineHasNotComeBack(t *testing.T) {
	const pages, deploy, edited, deleted = 6, 6, 4, 12
	changes := restamped(pages, deleted+6, func(visit, page int) string {
		line := "Visit the farm on any day that it is open:"
		if visit >= deploy {
			line = "Come and see the farm on any day that it is open:"
		}
		own := sentence(rand.New(rand.NewPCG(uint64(page), 8)), 12)
		if page == edited && visit >= deleted {
			own = ""
		}
		return article(page, "<p>"+own+"</p><p>"+line+"</p><p>9 to 5</p>")
	})
	if !slices.Equal(changes, []int{edited}) {
		t.Errorf("the pages %v have changed, want %d", changes, edited)
	}
}

// What a page shows under other queries too, be they languages, sessions or made up, is shown by one page.
func TestCopiesOfAPageTakeNoDateFromIt(t *testing.T) {
	const edit, end = 8, 12
	for _, from := range []int{0, 3, edit, edit + 1} {
		for _, queries := range [][]string{{"?lang=de"}, {"?lang=de", "?lang=xyz", "?utm=1"},
			{"?id=5", "?id=5&lang=de", "?id=5&lang=en"}} {
			var s Site
			marks, dates := map[string]Mark{}, map[string]int64{}
			visit := func(path, page string, at int64) {
				v := viewOf(page)
				s.Consult(v, marks[path], path, at)
				m, o, since := marks[path].Observe(v, at)
				switch marks[path] = m; {
				case o == Changed:
					dates[path] = since
				case s.Disowns(m, dates[path]):
					dates[path] = 0
				}
			}
			for n := range end {
				at := int64(n) * day
				for i := range 6 {
					visit(fmt.Sprintf("/%d.php", i), article(i, "<p>Pay 19,80 EUR at the door.</p>"), at+int64(i))
				}
				menu := article(7, "<p>Schnitzel with potatoes and salad: 19,80 EUR</p><p>So often read: "+fmt.Sprint(31*n)+"</p>")
				if n >= edit {
					menu = strings.Replace(menu, "19,80", "21,30", 1)
				}
				visit("/menu.php", menu, at+10)
				for i, q := range queries {
					if n >= from {
						visit("/menu.php"+q, menu, at+20+int64(i))
					}
				}
			}
			if got := dates["/menu.php"]; got != edit*day+10 {
				t.Errorf("copies %q from visit %d on: the page has the date %d, want %d", queries, from, got, edit*day+10)
			}
		}
	}
}

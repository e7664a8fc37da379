package mark_test

import (
	"fmt"
	"strings"
	"testing"
)

// edits are the things an editor does to an article.
var edits = []struct {
	name string
	edit func(w *website, a *article)
}{
	{"a word", func(w *website, a *article) {
		a.sections[4] = strings.Replace(a.sections[4], " ", " unexpectedly ", 1)
	}},
	{"a new paragraph", func(w *website, a *article) {
		a.sections = append(a.sections[:10:10], append([]string{"We have added a paragraph that explains what the machine does."}, a.sections[10:]...)...)
	}},
	{"a price", func(w *website, a *article) { a.price = "€ 149.00" }},
	{"a new headline", func(w *website, a *article) { a.title = "A headline nobody saw before" }},
	{"a heading", func(w *website, a *article) { a.sections[3] = "Seldom asked questions" }},
	{"structured data", func(w *website, a *article) { a.data = "only in the data" }},
	{"all of the text", func(w *website, a *article) {
		for i := range a.sections {
			a.sections[i] = "New: " + a.sections[i] + " " + a.sections[(i+5)%len(a.sections)]
		}
	}},
}

func TestEditsAreFound(t *testing.T) {
	noises := append([]noise{{"none", func(*website, *article, *slots) {}}}, kinds...)
	noises = append(noises, noise{"all together", nil})
	for i, k := range noises {
		if testing.Short() && 0 < i && i < len(noises)-1 {
			continue // all of them together say most
		}
		list := []noise{k}
		if k.add == nil {
			list = kinds
		}
		t.Run(k.name, func(t *testing.T) {
			templates(t, func(t *testing.T, seed int, soup bool) {
				taught := newWebsite(seed, soup, 8, list...)
				taught.rounds(learning)
				for _, e := range edits {
					if e.name == "all of the text" && k.name == "another language" || e.name == "structured data" && k.add == nil {
						continue // they cannot be told from the noise
					}
					t.Run(e.name, func(t *testing.T) {
						w := taught.clone()
						others := 0
						if k.add == nil {
							others = 9 // of some 200 looks with all kinds of noise
						}
						wantFound(t, w, others, func(a *article) { e.edit(w, a) })
					})
				}
			})
		})
	}
}

func TestNewItemOfAListThatRotatesIsFound(t *testing.T) {
	templates(t, func(t *testing.T, seed int, soup bool) {
		w := newWebsite(seed, soup, 8, rotation)
		w.rounds(learning)
		wantFound(t, w, 0, func(a *article) {
			a.items = append([]string{"An item that nobody saw on this list before."}, a.items...)
		})
	})
}

// wantFound edits one page. It checks that the change is dated to the first look that
// showed it, and that at most others further changes are dated.
func wantFound(t *testing.T, w *website, others int, edit func(*article)) {
	t.Helper()
	before, a := w.changes(), w.pages[3]
	was := a.lastMod
	edit(a)
	from := w.now
	looks := 0
	for ; looks < 40 && a.lastMod == was; looks++ {
		w.round()
	}
	switch {
	case a.lastMod == was:
		t.Errorf("not found in %d looks", looks)
	case a.lastMod < from || a.lastMod > from+12*3600:
		t.Errorf("dated %d s after the edit", a.lastMod-from)
	}
	w.rounds(20)
	if n := w.changes() - before; n > 1+others {
		t.Errorf("%d changes, want %d", n, 1+others)
	}
	t.Logf("found at look %d", looks)
}

// A new text of the site counts as a change on the first two pages that show it, if they
// are known well. Nothing tells yet that other pages will show it too.
func TestDeployRestampsNoMoreThanTwoPages(t *testing.T) {
	deploys := []struct {
		name   string
		deploy func(w *website)
	}{
		{"new assets", func(w *website) { w.build = "99ab" }},
		{"a time of building", func(w *website) { w.stamp = "2026-11-20 17:31:04" }},
		{"a menu item", func(w *website) { w.menu = append(w.menu, "Careers") }},
		{"another menu", func(w *website) { w.menu = []string{"Start", "Store", "Blog", "Who we are", "Contact"} }},
		{"a footer", func(w *website) {
			w.footer = "Delivery, returns and all that you wanted to know about our company and its history"
		}},
		{"a notice on every page", func(w *website) {
			w.noises = append(w.noises, noise{"notice", func(w *website, a *article, s *slots) {
				s.top += "<div class=notice><p>Our offices are closed between the years, and no parcels leave the house.</p></div>"
			}})
		}},
		{"a line in every text", func(w *website) {
			w.noises = append(w.noises, noise{"line", func(w *website, a *article, s *slots) { s.end += "<p>Was this page of use?</p>" }})
		}},
		{"another template", func(w *website) { w.soup = !w.soup }},
		{"all of these", func(w *website) {
			w.build, w.stamp, w.footer, w.soup = "0c0c", "2026-11-20 17:31:04", "All about delivery", !w.soup
			w.menu = append(w.menu, "Careers")
		}},
	}
	for _, d := range deploys {
		for _, looks := range []int{1, 5} {
			t.Run(fmt.Sprintf("%s, %d looks before", d.name, looks), func(t *testing.T) {
				templates(t, func(t *testing.T, seed int, soup bool) {
					w := newWebsite(seed, soup, 40)
					w.rounds(looks)
					d.deploy(w)
					w.rounds(5)
					if n := w.changes(); n > 2 {
						t.Errorf("%d of %d pages restamped", n, len(w.pages))
					}
				})
			})
		}
	}
}

func TestEditAmongADeployIsFound(t *testing.T) {
	templates(t, func(t *testing.T, seed int, soup bool) {
		w := newWebsite(seed, soup, 40)
		w.rounds(3)
		w.build, w.stamp, w.footer = "0c0c", "2026-11-20 17:31:04", "All about delivery"
		w.menu = append(w.menu, "Careers")
		wantFound(t, w, 2, func(a *article) { a.sections[7] += " And so it was decided." })
	})
}

package mark

import (
	"bytes"
	"fmt"
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
			v := viewOf(text(fmt.Sprintf("%s This is page %d.", one, i), two) + strings.Repeat("<main><p>A line that stands under each text of the site.</main>", int(visit)))
			s.Consult(v, m, uint64(i+1)*0x9E3779B97F4A7C15)
			m, _, _ = m.Observe(v, visit)
		}
	}
	return s
}

func TestSiteIsReadAsItWasWritten(t *testing.T) {
	for name, s := range map[string]*Site{"empty": {}, "small": taught(3), "full": taught(3000)} {
		b := s.AppendBinary(nil)
		if len(b) > 33<<10 {
			t.Errorf("%s: %d bytes, want at most 33 KB", name, len(b))
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

// restamped shows all pages of a site again and again, and returns for each change which page it was.
func restamped(pages, visits int, html func(visit, page int) string) (changed []int) {
	var s Site
	marks := make([]Mark, pages)
	for visit := range visits {
		for i := range marks {
			v := viewOf(html(visit, i))
			s.Consult(v, marks[i], uint64(i+1)*0x9E3779B97F4A7C15)
			var o Outcome
			if marks[i], o, _ = marks[i].Observe(v, int64(visit)*day+int64(i)); o == Changed {
				changed = append(changed, i)
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

func FuzzParseSite(f *testing.F) {
	f.Add(taught(3).AppendBinary(nil))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSite(b)
		if err != nil {
			return
		}
		if again, err := ParseSite(s.AppendBinary(nil)); err != nil || !bytes.Equal(again.AppendBinary(nil), s.AppendBinary(nil)) {
			t.Errorf("%x is another memory when it is read again, %v", b, err)
		}
		var m Mark
		for i := range uint64(12) {
			v := viewOf([]string{text(one), text(one, two), text(two)}[i%3])
			s.Consult(v, m, i/2)
			m, _, _ = m.Observe(v, int64(i))
		}
		if _, err := ParseSite(s.AppendBinary(nil)); err != nil {
			t.Errorf("it cannot be read any more: %v", err)
		}
		if n := len(s.AppendBinary(nil)); n > 33<<10 {
			t.Errorf("%d bytes", n)
		}
	})
}

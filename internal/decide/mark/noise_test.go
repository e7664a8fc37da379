package mark

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var words = strings.Fields(`granite valley engine copper winter lantern harbour meadow signal weather bridge
	timber kitchen market garden river mountain window leather paper silver cotton pepper butter orange
	morning evening journey station village captain painter teacher builder farmer baker sailor doctor`)

func sentence(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = words[r.IntN(len(words))]
	}
	return strings.Join(list, " ") + "."
}

// of draws one of n sentences.
func of(n int, r *rand.Rand) string { return sentence(rand.New(rand.NewPCG(7, uint64(r.IntN(n)))), 14) }

// article is a page with a text of its own, and what a noise writes into its middle.
func article(page int, middle string, edits ...string) string {
	r := rand.New(rand.NewPCG(uint64(page), 1))
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "<p>%s</p>", sentence(r, 12+i))
		if i == 7 {
			b.WriteString(middle)
		}
	}
	for _, e := range edits {
		fmt.Fprintf(&b, "<p>%s</p>", e)
	}
	return "<main><h1>The title of an article</h1>" + b.String() + "</main>"
}

// noises are reasons why two responses differ although nobody edited the page.
var noises = []struct {
	name string
	at   func(r *rand.Rand, at int64) string
}{
	{"none", func(*rand.Rand, int64) string { return "" }},
	{"a token", func(r *rand.Rand, at int64) string { return fmt.Sprintf("<p>Request %016x</p>", r.Uint64()) }},
	{"a clock", func(r *rand.Rand, at int64) string {
		return "<p>This page was made at " + time.Unix(at, 0).UTC().Format("15:04:05") + " by the server</p>"
	}},
	{"an advertisement of 200", func(r *rand.Rand, at int64) string { return "<p>" + of(200, r) + "</p>" }},
	{"a quote that begins later and stays for three observations", func(r *rand.Rand, at int64) string {
		if at < 1_700_000_000+12*3600 {
			return ""
		}
		return "<blockquote>" + sentence(rand.New(rand.NewPCG(7, uint64(at/(3*3600)))), 14) + "</blockquote>"
	}},
	{"a tip of the day", func(r *rand.Rand, at int64) string {
		return "<p>Tip of the day: " + sentence(rand.New(rand.NewPCG(7, uint64(at/day))), 14) + "</p>"
	}},
	{"one of two headlines", func(r *rand.Rand, at int64) string { return "<h2>" + of(2, r) + "</h2>" }},
	{"a fresh sentence", func(r *rand.Rand, at int64) string { return "<p>" + sentence(r, 12) + "</p>" }},
	{"related links", func(r *rand.Rand, at int64) string {
		return "<ul><li><a href=/a>" + of(40, r) + "</a><li><a href=/b>" + of(40, r) + "</a></ul>"
	}},
	{"a banner at most observations", func(r *rand.Rand, at int64) string {
		return strings.Repeat("<p>We use cookies to remember what you like and to count our visitors.</p>", min(r.IntN(3), 1))
	}},
	{"two at once", func(r *rand.Rand, at int64) string {
		return "<p>" + of(30, r) + "</p><p>" + sentence(r, 9) +
			"</p>"
	}},
}

// A page that has shown its noise for some time is dated by edits alone.
func TestNoiseIsNoChangeAndEditsAreFound(t *testing.T) {
	const edit = "We have added a paragraph that explains what the machine does."
	for _, n := range noises {
		for name, page := range map[string]func(middle string, edits ...string) string{
			"an article": func(middle string, edits ...string) string { return article(3, middle, edits...) },
			"without main": func(middle string, edits ...string) string {
				return strings.NewReplacer("<main>", "<div>", "</main>", "</div>").Replace(article(3, middle, edits...))
			},
		} {
			t.Run(n.name+", "+name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(5, 5))
				var m Mark
				var site Site
				at, changes, since := int64(1_700_000_000), 0, int64(0)
				visit := func(visits int, edits ...string) {
					for range visits {
						at += 3600 + r.Int64N(60)
						v := viewOf(page(n.at(r, at), edits...))
						site.Consult(v, m, "/page", at)
						var o Outcome
						var s int64
						if m, o, s = m.Observe(v, at); o == Changed {
							changes, since = changes+1, s
						}
					}
				}
				visit(40)
				taught := changes
				visit(60)
				if changes != taught {
					t.Errorf("%d false changes after %d observations that taught", changes-taught, 40)
				}
				from, before := at, changes
				visit(40, edit)
				if changes != before+1 || since <= from || since > from+2*3600+120 {
					t.Errorf("%d changes after an edit, dated %d s after it", changes-before, since-from)
				}
			})
		}
	}
}

// A new text of the site counts as a change on the first pages that show it, if they are
// known well. Nothing tells yet that other pages will show it too.
func TestDeployRestampsFewPages(t *testing.T) {
	const pages = 30
	for _, tt := range []struct {
		name   string
		deploy func(html string) string
	}{
		{"a menu", func(html string) string { return "<nav><ul><li><a href=/c>Careers at our house</a></ul></nav>" + html }},
		{"a notice on every page", func(html string) string {
			return strings.Replace(html, "</h1>",
				"</h1><p>Our offices are closed between the years, and no parcels leave the house.</p>", 1)
		}},
		{"a line under every text", func(html string) string {
			return strings.Replace(html, "</main>", "<p>Was this page of any use to you?</p></main>", 1)
		}},
		{"another template", func(html string) string {
			return strings.NewReplacer("<main>", "<div class=box><div>", "</main>", "</div></div>").Replace(html)
		}},
	} {
		for _, before := range []int{1, 5} {
			t.Run(fmt.Sprintf("%s, %d observations before", tt.name, before), func(t *testing.T) {
				edited := 0
				changes := slices.DeleteFunc(restamped(pages, before+5, func(visit, i int) string {
					html := article(i, "")
					if visit >= before {
						if html = tt.deploy(html); i == 20 {
							html = strings.Replace(html, "</p>", " And so it was decided by all who were there, after a long evening.</p>",
								1)
						}
					}
					return html
				}), func(i int) bool {
					if i == 20 {
						edited++
					}
					return i == 20
				})
				if len(changes) > pagesOfBody || edited != 1 {
					t.Errorf("the pages %v restamped, and the edited page %d times", changes, edited)
				}
			})
		}
	}
}

// What moves beside texts that move has one place still, and waits there for as long as one has stayed before. On a
// list each headline names the place of the next one, so that news above news do not seem to move.
func TestPlaceIsNamedByTextsThatStay(t *testing.T) {
	state := func(n int) string { return [...]string{"Open", "Shut", "Full"}[n/5] }
	related := func(n int) string { all := items(0, 12); return list(all[n%12], all[(n+5)%12]) }
	for _, tt := range []struct {
		name  string
		days  int
		page  func(n int) string
		want  Outcome
		since int64 // day of the change
	}{
		{"a state between links that vary", 14, func(n int) string {
			return text(one, long) + related(5*n) + text(state(n)) + related(7*n)
		}, Held, 0},
		{"a state beside a word that stays for two days", 14, func(n int) string {
			return text(one, fmt.Sprintf("A word of the hour, said by guest %c of the house.", 'a'+n/2), state(n), two)
		}, Same, 0},
		{"a list of nine with three new ones a day", 10, func(n int) string { return list(items(30-3*n, 39-3*n)...) },
			Changed, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var pages []string
			for n := range tt.days {
				pages = append(pages, tt.page(n))
			}
			if _, o, since := observed(pages...); o != tt.want || since != tt.since*day {
				t.Errorf("outcome %d since day %d, want %d since %d", o, since/day, tt.want, tt.since)
			}
		})
	}
}

package mark

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/page/html"
)

// These texts are so long that a page's news in them are believed at once, unless something
// speaks against them.
var (
	long  = strings.Repeat("What a long text says is not what moves by itself on a page. ", 10)
	other = strings.Repeat("Another long text says other things, and says so at length. ", 10)
)

const (
	one   = "This paragraph is about the first of all things."
	two   = "A second paragraph is about another thing altogether."
	three = "And a third one says what the others have left out."
)

// text is a page of paragraphs.
func text(paragraphs ...string) string {
	return "<main><h1>Title of a page</h1><p>" + strings.Join(paragraphs, "</p><p>") + "</p></main>"
}

// cells is a table of one row.
func cells(texts ...string) string {
	return "<main><table><tr><td>" + strings.Join(texts, "</td><td>") + "</td></tr></table></main>"
}

// list is a page of links.
func list(items ...string) string {
	return `<main><li><a href="/">` + strings.Join(items, `</a><li><a href="/">`) + "</a></main>"
}

func viewOf(source string) *View {
	facts := html.Read([]byte(source), html.Options{})
	v := Read(&facts, 0)
	return &v
}

// observed shows pages to a mark, one a day. It returns the mark with the last outcome and
// date.
func observed(pages ...string) (m Mark, o Outcome, since int64) {
	var site Site
	for i, html := range pages {
		v := viewOf(html)
		site.Consult(v, m, "/page", int64(i+1)*day)
		m, o, since = m.Observe(v, int64(i+1)*day)
	}
	return m, o, since
}

// items are headlines of a list.
func items(from, to int) (all []string) {
	for i := from; i < to; i++ {
		all = append(all, fmt.Sprintf("Headline %c%c of what happened somewhere in the world", 'a'+i/26, 'a'+i%26))
	}
	return all
}

func TestObservationsTellChangesFromNoise(t *testing.T) {
	known := slices.Repeat([]string{text(one, two)}, 5)
	curly := slices.Repeat([]string{text("He said: “It’s done” – and left the house…", two)}, 5)
	clock := func(n int, paragraphs ...string) string {
		return text(append(paragraphs, fmt.Sprintf("It is %d:%d, by the clock on the wall of the town hall.", 50+n, 37+n))...)
	}
	fresh := func(n int) string { return strings.Repeat(string(rune('a'+n)), 70) }
	rows := func(n int) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("Row %c of a page that has a good many rows of text.", 'a'+i))
		}
		return all
	}
	beside := func(title, media string) string {
		return "<title>" + title + " – The Grove</title>" + strings.Replace(text(one, two), "</p>", media+"</p>", 1)
	}
	then := func(before, after string) []string {
		return slices.Concat(slices.Repeat([]string{before}, 5), slices.Repeat([]string{after}, 4))
	}
	plain, oak := beside("A guide to the grove", ""), beside("A guide to the grove", "<img src=/oak.jpg>")
	each := func(format string) (days []string) {
		for n := range 8 {
			days = append(days, fmt.Sprintf(format, n))
		}
		return days
	}
	pictured := func(pages ...string) []string {
		for i := range pages {
			pages[i] = strings.Replace(pages[i], "<main>", fmt.Sprintf("<main><img src=/captcha/%d.png>", 1000+37*i), 1)
		}
		return pages
	}
	linked := func(p string) string {
		for i := range 8 {
			p += fmt.Sprintf("<div><a href=/p/%d><img src=/img/solid-wood-garden-furniture-%c-front-view.jpg></a><a "+
				"href=/p/%d>Chair %c</a></div>", i, 'a'+i, i, 'a'+i)
		}
		return text(p)
	}
	priced := func(price string) string { // a category of a shop
		all := ""
		for i, name := range items(0, 9) {
			all += fmt.Sprintf("<div><a href=/p/%d>%s</a><p>€ %d.00</p></div>", i, name, 20+i)
		}
		return "<main>" + strings.Replace(all, "€ 22.00", price, 1) + "</main>"
	}
	named := func(items ...string) string {
		return "<main><h3><a href=/p>" + strings.Join(items, "</a></h3><h3><a href=/p>") + "</a></h3></main>"
	}
	full := text(rows(12)...)
	gone := "A text that will be gone some day, and that is long enough to be missed."
	notice := "On 7 January we close our shop earlier than on all other days."
	rest := slices.Repeat([]string{text(one, two, gone)}, 5)
	for _, tt := range []struct {
		name  string
		pages []string
		want  Outcome
		since int64 // day of the change
	}{
		{"the first observation", []string{text(one)}, First, 0},
		{"the same", []string{text(one), text(one)}, Same, 0},
		{"a new paragraph", append(known, text(one, two, three)), Changed, 6},
		{"a new paragraph at the second observation", []string{text(one), text(one, two)}, Held, 0},
		{"that stays", append([]string{text(one)}, slices.Repeat([]string{text(one, two)}, 5)...), Changed, 2},
		{"that comes and goes from the first observation on", []string{text(one), text(one, two), text(one, two), text(one),
			text(one, two), text(one)}, Variant, 0},
		{"a long one at the second observation", []string{text(one), text(one, long)}, Changed, 2},
		{"other quotes and dashes", append(known, text(strings.ReplaceAll(one, " ", "\u00a0"), two)), Same, 0},
		{"a word", append(known, text(strings.Replace(one, "first", "very first", 1), two)), Changed, 6},
		{"the day", append(known, text(one, two, "A reader adds on the 7th that it was louder.")), Held, 0},
		{"the day before a time", append(known, text(one, two, "Built for everybody at 1970-01-07T08:15.")), Held, 0},
		{"the day before a month", append(known, text(one, two, "What is on today, 7Jan, in our house.")), Held, 0},
		{"a count that is no day", append(known, text(one, two, "A reader adds, 7m8s later, that it was louder.")), Changed,
			6},
		{"other capitals in short texts", append(slices.Repeat([]string{text(one, "FOLLOW US")}, 5),
			slices.Repeat([]string{text(one, "Follow us")}, 4)...), Same, 0},
		{"a price", append(slices.Repeat([]string{text(one, "€ 12.50")}, 5), text(one, "€ 13.50")), Changed, 6},
		{"a price in letters", append(slices.Repeat([]string{text(one, "129,00 Kč")}, 5), text(one, "139,00 Kč")), Changed,
			6},
		{"a price under a short heading below a link", append(
			slices.Repeat([]string{list("All that we have") + "<main><h1>Oak</h1><p>€ 80</p></main>" + text(one)}, 5),
			list("All that we have")+"<main><h1>Oak</h1><p>€ 60</p></main>"+text(one)), Changed, 6},
		{"a price without decimals", append(slices.Repeat([]string{text(one, "65 EUR")}, 5), text(one, "59 EUR")), Changed,
			6},
		{"a price without a space", append(slices.Repeat([]string{text(one, "65EUR")}, 5), text(one, "59EUR")), Changed, 6},
		{"a price that ends a sentence", append(slices.Repeat([]string{text(one, "It is 65 EUR.")}, 5),
			text(one, "It is 59 EUR.")), Changed, 6},
		{"a price as a heading", append(slices.Repeat([]string{text(one) + "<main><h2>65 EUR</h2></main>"}, 5),
			text(one)+"<main><h2>59 EUR</h2></main>"), Changed, 6},
		{"a price behind its currency", append(slices.Repeat([]string{text(one, "from CHF 7")}, 5), text(one, "from CHF 8")),
			Changed, 6},
		{"a tag of a template that was not filled in", then(text(one, "{% toc %}", "7 %"), text(one, "7 %")), Same, 0},
		{"a number beside a word in capitals", append(slices.Repeat([]string{text(one, "65 PDF")}, 5), text(one, "59 PDF")),
			Held, 0},
		{"a counter beside a word that is a code", then(text(one, "ALL 24 COMMENTS"), text(one, "ALL 25 COMMENTS"))[:6],
			Held, 0},
		{"a day and a time with dots", each(text(one, "Stand 2%[1]d.12., 12.3%[1]d.15")), Variant, 0},
		{"a count of a few Russian words", each(text(one, two, "1%d комментариев к этой записи")), Variant, 0},
		{"a price on a list, once", then(priced("€ 22.00"), priced("€ 18.00"))[:6], Held, 0},
		{"a price on a list", then(priced("€ 22.00"), priced("€ 18.00")), Changed, 6},
		{"a price on a list for each other visitor", slices.Repeat([]string{priced("€ 22.00"), priced("€ 18.00")}, 6),
			Variant, 0},
		{"seats, once", then(text(one, "Seats: 24"), text(one, "Seats: 18"))[:6], Held, 0},
		{"seats", then(text(one, "Seats: 24"), text(one, "Seats: 18")), Changed, 6},
		{"seats that change again", append(then(text(one, "Seats: 24"), text(one, "Seats: 18"))[:7], text(one, "Seats: 17")),
			Variant, 0},
		{"a state", then(text("In stock", one), text("Sold out", one)), Changed, 6},
		{"a short heading", then("<main><h1>Oak</h1>"+text(one), "<main><h1>Elm</h1>"+text(one)), Changed, 6},
		{"a short heading that is a link", then("<main><h1><a href=/>Oak</a></h1>"+text(one), "<main><h1>Oak</h1>"+text(one)),
			Same, 0},
		{"a short heading with a sign", then("<main><h1>Oak</h1>"+text(one), "<main><h1>Oak -</h1>"+text(one)), Same, 0},
		{"a version", then(text(one, "Newest release 1.2.1"), text(one, "Newest release 1.3.0")), Changed, 6},
		{"a build's number", append(slices.Repeat([]string{text(one, "Version 1.257.0.323")}, 5),
			text(one, "Version 1.259.0.329")), Variant, 0},
		{"a row of short cells", then(text(one, two)+cells("Anna", "Baker"),
			text(one, two)+cells("Anna", "Baker", "Carl", "Dyer")), Changed, 6},
		{"counts in short cells", each(text(one, two) + cells("Apples sold", "1%[1]d", "Pears", "2%[1]d")), Variant, 0},
		{"a heading of four Chinese characters", append(known, text(one, two, "安装指南")), Changed, 6},
		{"a space that makes a short Chinese heading a character longer",
			append(slices.Repeat([]string{text(one, two, "C++客户端")}, 5), text(one, two, "C++ 客户端")), Variant, 0},
		{"an age", append(known, text(one, two, "Updated 3 hours ago")), Variant, 0},
		{"a copyright line", append(known, text(one, two, "Copyright 2027 by the company")), Variant, 0},
		{"straight quotes and dashes for curly ones",
			append(curly, text(`He said: "It's done" - and left the house...`, two)), Variant, 0},
		{"a clock", []string{clock(1, one), clock(2, one), clock(3, one), clock(4, one), clock(5, one)}, Variant, 0},
		{"a new paragraph beside a clock", []string{clock(1, one), clock(2, one), clock(3, one), clock(4, one), clock(5, one),
			clock(6, one, two), clock(7, one, two), clock(8, one, two), clock(9, one, two)}, Changed, 6},
		{"another text at each observation", []string{text(one, fresh(0)), text(one, fresh(1)), text(one, fresh(2)),
			text(one, fresh(3)), text(one, fresh(4)), text(one, fresh(5))}, Moving, 0},
		{"mostly another text at each observation", []string{
			text(one, fresh(0), fresh(10)), text(one, fresh(1), fresh(11)), text(one, fresh(2), fresh(12)),
			text(one, fresh(3), fresh(13)),
			text(one, fresh(4), fresh(14)), text(one, fresh(5), fresh(15)), text(one, fresh(6), fresh(16)),
		}, Moving, 0},
		{"all is another text", []string{full, full, full, text(rows(3)[0], long, other)}, Changed, 4},
		{"really all of it", []string{full, full, full, text(long, other, long+other)}, Held, 0},
		{"for more than one observation", []string{
			full, full, full, text(long, other, long+other), text(long, other, long+other),
		}, Changed, 4},
		{"another text each time", []string{full, full, full, text(long), text(other, long+other)}, Held, 0},
		{"nearly nothing is left", []string{full, full, full, text("Sorry, something went wrong.")}, Held, 0},
		{"and it is back", []string{full, full, full, text("Sorry, something went wrong."), full, full}, Same, 0},
		{"nearly nothing for days", append([]string{full, full, full},
			slices.Repeat([]string{text("We have moved to another place.")}, 4)...), Changed, 4},
		{"text where there was hardly any", []string{text("Loading"), text("Loading"), text(long, other, one)}, Variant, 0},
		{"a stub that gets its text", append(slices.Repeat([]string{text("To be written")}, 6), text(long, other, one)),
			Changed, 7},
		{"a paragraph in a guide with a sidebar", append(slices.Repeat([]string{text(long, other) + list(items(0, 9)...)}, 5),
			text(long, other, two)+list(items(0, 9)...)), Changed, 6},
		{"the same words in other blocks", append(known, text(one+" "+two)), Same, 0},
		{"a text is gone", append(rest, text(one, two)), Held, 0},
		{"and stays away", append(rest, text(one, two), text(one, two), text(one, two)), Changed, 6},
		{"and was there at the first observation only", append(rest[:1:1], text(one, two), text(one, two), text(one, two)),
			Same, 0},
		{"beside a picture with another name each time",
			pictured(slices.Concat(slices.Repeat([]string{text(long, one, two, gone)}, 12),
				slices.Repeat([]string{text(long, one, two)}, 4))...), Changed, 13},
		{"an item is taken away", then("<main><h1>What is there</h1><ul><li>"+one+"<li>A map of the region<li>"+two+
			"</ul></main>", "<main><h1>What is there</h1><ul><li>"+one+"<li>"+two+"</ul></main>")[:8], Changed, 6},
		{"and comes back", append(rest, text(one, two), text(one, two, gone)), Variant, 0},
		{"and goes again", append(rest, text(one, two), text(one, two, gone), text(one, two), text(one, two), text(one, two)),
			Same, 0},
		{"and all of it was gone for a while", append(slices.Repeat([]string{full}, 6), text("Sorry."), full,
			text(rows(8)...), text(rows(8)...), text(rows(8)...)), Changed, 9},
		{"and a shorter one came for it", append(slices.Repeat([]string{text(one, two, gone, fresh(0))}, 7),
			slices.Repeat([]string{text(one, two, three)}, 3)...), Same, 0},
		{"a notice of the day goes", then(text(one, two), text(one, two, notice))[:6], Held, 0},
		{"and it was never the page's", slices.Concat(known, []string{text(one, two, notice)}, known), Same, 0},
		{"three messages in turn go", slices.Concat(
			known, []string{text(one, two, fresh(0)), text(one, two, fresh(1)), text(one, two, fresh(2))}, known), Same, 0},
		{"links are gone", append(slices.Repeat([]string{text(long, other) + list(items(0, 3)...)}, 6), text(long, other),
			text(long, other), text(long, other)), Same, 0},
		{"a new item with a short name", []string{list(items(0, 9)...) + named("Oak", "Elm"),
			list(items(0, 9)...) + named("Ash", "Oak", "Elm")}, Changed, 2},
		{"a new item", []string{list(items(0, 9)...), list(items(1, 10)...)}, Changed, 2},
		{"known items in another order", []string{list(items(0, 9)...), list(items(3, 9)...), list(items(0, 6)...)}, Variant,
			0},
		{"a text on a list", []string{list(items(0, 9)...), list(items(0, 9)...) + "<main><p>" + one + "</main>"}, Variant,
			0},
		{"a box of contents on a list", []string{list(items(0, 9)...) + "<main><h2>At the end of our long list</h2></main>",
			`<main><ul><li><a href="#end">1. At the end of our long list</a></ul></main>` + list(items(0, 9)...) +
				"<main><h2>At the end of our long list</h2></main>"}, Variant, 0},
		{"a new item that a script opens", then(`<main><li><a href="#">`+strings.Join(items(0, 9),
			`</a><li><a href="#">`)+"</a></main>",
			`<main><li><a href="#">`+strings.Join(items(0, 10), `</a><li><a href="#">`)+"</a></main>")[:6], Changed, 6},
		{"as many other links on an article", []string{text(long) + list(items(0, 2)...), text(long) + list(items(2, 4)...)},
			Variant, 0},
		{"a shorter link in the place of another",
			append(slices.Repeat([]string{text(long) + list("What we know by now of all that it is")}, 5),
				slices.Repeat([]string{text(long) + list("What it all is")}, 3)...), Same, 0},
		{"more links on an article", append([]string{text(long) + list(items(0, 2)...)},
			slices.Repeat([]string{text(long) + list(items(0, 3)...)}, 4)...), Changed, 2},
		{"the title alone", then(plain, beside("All that you need to know", "")), Changed, 6},
		{"a title that repeats the heading", then(plain, beside("Title of a page", "")), Same, 0},
		{"a count in the title", then(plain, beside("(3) A guide to the grove", "")), Same, 0},
		{"a picture", then(plain, oak), Changed, 6},
		{"another one", then(oak, beside("A guide to the grove", "<img src=/elm.jpg>")), Changed, 6},
		{"that comes and goes", append(then(plain, oak)[:8], plain), Same, 0},
		{"the same one from elsewhere", then(oak, beside("A guide to the grove",
			`<img src="https://cdn.example/w_640/oak.webp?key=1">`)), Same, 0},
		{"a text beside many linked pictures", append(slices.Repeat([]string{linked(one)}, 5), linked(three)), Changed, 6},
		{"a picture that links to a page", then(plain, beside("A guide to the grove", "<a href=/elm><img src=/elm.jpg></a>")),
			Same, 0},
		{"a video", then(plain, beside("A guide to the grove",
			`<iframe src="https://www.youtube.com/embed/aqz-KE-bpKQ"></iframe>`)), Changed, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, o, since := observed(tt.pages...)
			if o != tt.want || since != tt.since*day {
				t.Errorf("outcome %d since day %d, want %d since %d", o, since/day, tt.want, tt.since)
			}
			wantReadBack(t, m)
		})
	}
}

func wantReadBack(t *testing.T, m Mark) {
	t.Helper()
	b, _ := m.MarshalBinary()
	again := Mark{began: true}
	if err := again.UnmarshalBinary(b); err != nil || again != m {
		t.Errorf("%+v is read back as %+v, %v", m, again, err)
	}
}

// A date line that follows the clock dates nothing. A date line that stays as it is says
// when the page was updated.
func TestDateLineThatFollowsTheClockDatesNothing(t *testing.T) {
	const start = 1_700_000_000
	dated := func(at int64) string {
		return text(one, two, "Last updated: "+time.Unix(at, 0).UTC().Format("2 January 2006"))
	}
	for _, tt := range []struct {
		name    string
		shows   func(at int64) int64 // the date that is shown
		changes int
	}{
		{"today", func(at int64) int64 { return at }, 0},
		{"yesterday", func(at int64) int64 { return at - day }, 0},
		{"the day of an edit", func(at int64) int64 { return start + max(0, (at-start)/(9*day))*9*day }, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m Mark
			changes := 0
			for at := int64(start); at < start+26*day; at += 5 * 3600 {
				var o Outcome
				if m, o, _ = m.Observe(viewOf(dated(tt.shows(at))), at); o == Changed {
					changes++
				}
			}
			if changes != tt.changes {
				t.Errorf("%d changes, want %d", changes, tt.changes)
			}
		})
	}
}

func TestPageThatIsNearlyEmptyForHoursHasNotChanged(t *testing.T) {
	m, _, _ := observed(slices.Repeat([]string{text(one, two, long, other, three)}, 8)...)
	for i := range int64(20) {
		var o Outcome
		now := []string{"Sorry, something went wrong.", "We work on our site, and are back at ten."}[min(i/6, 1)]
		if m, o, _ = m.Observe(viewOf("<main><p>"+now+"</main>"), 9*day+i*3600); o == Changed {
			t.Fatalf("a change after %d hours", i)
		}
	}
}

func TestMarkIsBounded(t *testing.T) {
	var m Mark
	for day := range int64(20) {
		var all []string
		for i := range 3000 {
			all = append(all, fmt.Sprintf("Line %x of the page as it is on one of the days.",
				uint64(day+1)*uint64(i+1)*0x9E3779B97F4A7C15))
		}
		m, _, _ = m.Observe(viewOf(text(all...)), day*86400)
	}
	if b, _ := m.MarshalBinary(); len(b) > 4096 {
		t.Errorf("%d bytes", len(b))
	}
	wantReadBack(t, m)
}

// Lines that begin in many ways say nothing of a new one, which makes no wave.
func TestMarkOfManyLinesKeepsOnlyTheirPlaces(t *testing.T) {
	var lines []string
	for i := range 80 {
		lines = append(lines, fmt.Sprintf("%c%c begins a line of the page.", 'a'+i/10, 'a'+i%10))
	}
	m, _, _ := observed(text(lines...), text(lines...))
	if n := m.places.set().len(); n > 3 {
		t.Errorf("%d places are kept, want those of headings and lines, and that there are more lines", n)
	}
	wantReadBack(t, m)
	v := viewOf(text(append(lines, "Something new is in a line of its own.")...))
	new(Site).Consult(v, m, "/page", 3*day)
	for _, b := range v.blocks {
		if b.wave != 0 {
			t.Error("a wave is counted")
		}
	}
}

func TestDamagedMarksStartAnew(t *testing.T) {
	m, _, _ := observed(text(one), text(one, two))
	good, _ := m.MarshalBinary()
	older := slices.Clone(good)
	older[0]-- // its form
	for name, in := range map[string][]byte{"too many counted": {255, 1, 2}, "half of it": good[:len(good)/3],
		"half a key": good[:len(good)-1], "an older form": older} {
		if m.UnmarshalBinary(in); m != (Mark{}) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestNewsAreTheTextsThatTheMarkDoesNotRemember(t *testing.T) {
	for _, tt := range []struct {
		name       string
		seen       []string
		now        string
		want       string
		wantedGone int
	}{
		{"nothing was seen", nil, text(one), "", 0},
		{"the same", []string{text(one, two)}, text(one, two), "", 0},
		{"a paragraph more", []string{text(one)}, text(one, two), two, 0},
		{"a paragraph less", []string{text(one, two)}, text(one), "", 1},
		{"another one", []string{text(one, two)}, text(one, three), three, 1},
		{"one that an earlier observation showed", []string{text(one, two), text(one, three)}, text(one, two), "", 1},
		{"an item of a list", []string{list(items(0, 9)...)}, list(items(0, 10)...), items(9, 10)[0], 0},
		{"one that is held", []string{text(one), text(one, two)}, text(one, two), two, 0},
		{"a picture", []string{text(one)}, text(one) + "<main><img src=/oak.jpg></main>", "oak", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _, _ := observed(tt.seen...)
			facts := html.Read([]byte(tt.now), html.Options{})
			news, gone := m.News(&facts)
			if got := strings.Join(news, "|"); got != tt.want || gone != tt.wantedGone {
				t.Errorf("%q and %d gone, want %q and %d", got, gone, tt.want, tt.wantedGone)
			}
		})
	}
}

// A page that is nearly empty now is held until observations agree, and then until a day has passed.
func TestWhatIsHeldSaysForHowManyObservationsAndForHowLong(t *testing.T) {
	var m Mark
	const start = 1_700_000_000
	for i, page := range slices.Concat(slices.Repeat([]string{text(long, one, two)}, 5),
		slices.Repeat([]string{text("It is gone, and some new words are in its place.")}, 6)) {
		f := html.Read([]byte(page), html.Options{})
		v := Read(&f, 0)
		m, _, _ = m.Observe(&v, int64(start+60*i))
		since, more, until := m.Awaited(0, int64(start+60*i))
		switch {
		case i < 5 && (since != 0 || more != 0 || until != 0),
			i >= 5 && (since == 0 || more != max(1, patientObservations+5-i) || until != since+day):
			t.Errorf("observation %d: since %d, %d more, until %d", i, since, more, until)
		}
	}
}

// Once enough observations have agreed, the time that is named stays, and the first observation after it decides.
func TestTimeThatAHeldTextWaitsForIsKept(t *testing.T) {
	const start, visit = 1_699_920_800, 8 * 3600 // on the 14th of a month
	const last = "This paragraph goes one day, and nothing at all comes in its place."
	first := text(long, one, two, last)
	for name, then := range map[string]string{
		"a short text":            text(long, one, two, last, "Sold out"),
		"a line with today's day": text(long, one, two, last, "Roasted teas for the winter are here, 14 November"),
		"a picture":               text(long, one, two, last+"<img src=/oak.jpg>"),
		"a lost text":             text(long, one, two),
		"nearly all is gone":      text("It is gone, and some new words are in its place."),
	} {
		for before := range 6 {
			t.Run(fmt.Sprint(name, before), func(t *testing.T) {
				var m Mark
				o, named, at := First, int64(0), int64(start)
				for i := 0; i < 20 && o != Changed; i++ {
					page := then
					if at = start + int64(i-before-1)*visit; at < start {
						page = first
					}
					f := html.Read([]byte(page), html.Options{})
					v := Read(&f, 0)
					m, o, _ = m.Observe(&v, at)
					switch _, more, until := m.Awaited(0, at); {
					case named != 0 && (o == Changed) != (at > named), o != Changed && named != 0 && until != named:
						t.Fatalf("outcome %d %d s after the change; %d was named, and then %d", o, at-start, named, until)
					case o != Changed && more == 1:
						named = until
					}
				}
				if o != Changed {
					t.Errorf("outcome %d", o)
				}
			})
		}
	}
}

// A shop's everyday edit is a sentence and a number in stock. The wait that ends first is named, with the time that
// becomes the date, and none that could only lead to an earlier date than the page has.
func TestWaitThatDecidesFirstIsNamed(t *testing.T) {
	const sentence, stock = "It pours without a drop, since we gave it another spout.", "In stock: 7"
	const least = 1_700_000_000
	for _, tt := range []struct {
		name  string
		shown []string // a page a minute, after two without news; the last stays, then with a visit an hour
	}{
		{"both together", []string{text(long, one, two, sentence, stock)}},
		{"the number a minute before", []string{text(long, one, two, stock), text(long, one, two, sentence, stock)}},
		{"the sentence a minute before", []string{text(long, one, two, sentence), text(long, one, two, sentence, stock)}},
		{"the number alone", []string{text(long, one, two, stock)}},
		{"the number, and a text that is lost", []string{text(long, one, stock)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m Mark
			var dated, named, until int64
			more, pages := 0, append([]string{text(long, one, two), text(long, one, two)}, tt.shown...)
			for i, at := 0, int64(least); at < least+2*day; i++ {
				var since int64
				m, _, since = m.Observe(viewOf(pages[min(i, len(pages)-1)]), at)
				if decided := named != 0 && more == 1 && at > until; decided != (since > dated) || decided && since != named {
					t.Fatalf("%d s: dated %d; %d was named, %d more until %d", at-least, since, named, more, until)
				}
				dated = max(dated, since)
				was, left := named, more-1
				if named, more, until = m.Awaited(dated, at); named == was && more > max(left, 1) {
					t.Errorf("%d s: %d more visits, want %d", at-least, more, left)
				}
				if at += 60; i > 12 {
					at += 3540
				}
			}
			if dated == 0 {
				t.Error("no change")
			}
		})
	}
}

// A price that stands where another one went again is held until it has stayed for longer than those before, be there a
// visit a minute or a visit a day.
func TestPriceCountsOnceItStayedLongerThanThoseBefore(t *testing.T) {
	type span struct {
		price  string
		visits int
	}
	for _, tt := range []struct {
		name  string
		shown []span
		await int // so many visits that show the last price say what it waits for
		dated bool
	}{
		{"another one for some visits", []span{{"€ 18.15", 8}, {"€ 99.90", 3}, {"€ 18.15", 6}, {"€ 22.40", 9}}, 4, true},
		{"a dated one for more visits", []span{{"€ 51.60", 8}, {"€ 9.99", 7}, {"€ 51.60", 2}, {"€ 12.00", 9}}, 8, true},
		{"in a longer line", []span{{"It is € 51.60 with all that you need to build it", 8},
			{"It is € 9.99 with all that you need to build it", 2}, {"It is € 51.60 with all that you need to build it", 2},
			{"It is € 12.00 with all that you need to build it", 9}}, 3, true},
		{"each for five visits", []span{{"€ 18.15", 8}, {"€ 99.90", 5}, {"€ 18.16", 5}, {"€ 22.40", 5}}, 5, false},
		{"two in turn", []span{{"€ 49.00", 8}, {"€ 59.00", 2}, {"€ 49.00", 7}, {"€ 59.00", 9}}, 0, false},
	} {
		for _, every := range []int64{60, day / 2} {
			t.Run(fmt.Sprintf("%s, a visit each %d s", tt.name, every), func(t *testing.T) {
				var m Mark
				var site Site
				at, came, dated, awaited := int64(1_700_000_000), int64(0), false, 0
				for _, s := range tt.shown {
					came, dated, awaited = at, false, 0
					for range s.visits {
						v := viewOf(text(one, s.price, two))
						site.Consult(v, m, "/page", at)
						var since int64
						m, _, since = m.Observe(v, at)
						dated = dated || since == came
						if first, _, _ := m.Awaited(0, at); first == came {
							awaited++
						}
						at += every
					}
				}
				if dated != tt.dated || awaited != tt.await {
					t.Errorf("dated %t, awaited at %d visits, want %t after %d", dated, awaited, tt.dated, tt.await)
				}
			})
		}
	}
}

package mark

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page"
)

func viewOf(html string) *View {
	facts := page.Read([]byte(html), page.Options{})
	v := Read(&facts)
	return &v
}

// text is a page of paragraphs.
func text(paragraphs ...string) string {
	return "<main><h1>Title</h1><p>" + strings.Join(paragraphs, "<p>") + "</main>"
}

const (
	one   = "The first paragraph says something about the weather of the day."
	two   = "The second paragraph goes on about something else altogether."
	three = "A third paragraph nobody expected stands at the end of the page."
	four  = "And the fourth is here to be told apart from all of the others."
)

// looks has a mark look at pages of a site that nobody else visits, an hour
// apart, and returns what it said.
func looks(pages ...string) (m Mark, got []Outcome, dates []int64) {
	var site Site
	for i, p := range pages {
		v := viewOf(p)
		site.Consult(v, m, 1)
		var o Outcome
		var since int64
		m, o, since = m.Look(v, int64(i+1)*3600)
		got, dates = append(got, o), append(dates, since)
	}
	return m, got, dates
}

func TestLook(t *testing.T) {
	error200 := "<main><h1>Sorry</h1></main>"
	long := text(one, two, three, four, one+two, two+three)
	for _, tt := range []struct {
		name  string
		pages []string
		want  []Outcome
		since int64 // of the last outcome
	}{
		{"first", []string{text(one)}, []Outcome{First}, 0},
		{"the same", []string{text(one), text(one)}, []Outcome{First, Same}, 0},
		{"another paragraph", []string{text(one), text(one, two)}, []Outcome{First, Changed}, 7200},
		{"another text", []string{text(one), text(two)}, []Outcome{First, Changed}, 7200},
		{"what was there before", []string{text(one), text(two), text(one)}, []Outcome{First, Changed, Variant}, 0},
		{"in another order", []string{text(one, two), text(two, one)}, []Outcome{First, Variant}, 0},
		{"all but nothing", []string{long, error200, long}, []Outcome{First, Variant, Same}, 0},
		{
			"in another language",
			[]string{"<html lang=en>" + long, "<html lang=de>" + text(one, two, three), "<html lang=en>" + long},
			[]Outcome{First, Variant, Same}, 0,
		},
		{
			"a region of the language",
			[]string{"<html lang=en>" + long, "<html lang=en-GB>" + text(one, two, three+four)},
			[]Outcome{First, Changed}, 7200,
		},
		{
			"a few words wait for another look",
			[]string{text(one, two), text(one, two, "<b>Sold out</b>"), text(one, two, "<b>Sold out</b>")},
			[]Outcome{First, Held, Changed}, 7200,
		},
		{
			"and are forgotten if they are gone",
			[]string{text(one, two), text(one, two, "Sold out"), text(one, two), text(one, two)},
			[]Outcome{First, Held, Variant, Same}, 0,
		},
		{
			"what is missing waits too",
			[]string{text(one, two, three), text(one, three), text(one, three), text(one, three)},
			[]Outcome{First, Held, Same, Changed}, 7200,
		},
		{
			"and may come back",
			[]string{text(one, two, three), text(one, three), text(one, two, three), text(one, three)},
			[]Outcome{First, Held, Variant, Variant}, 0,
		},
		{
			"at every look another",
			[]string{text(one), text(two), text(three), text(four), text(one + two), text(two + three)},
			[]Outcome{First, Changed, Changed, Moving, Moving, Moving}, 0,
		},
		{"a copyright line", []string{text(one, "© 2026"), text(one, "© 2027")}, []Outcome{First, Variant}, 0},
		{"an age", []string{text(one, "3 minutes ago"), text(one, "4 minutes ago")}, []Outcome{First, Variant}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got, dates := looks(tt.pages...)
			if !slices.Equal(got, tt.want) {
				t.Errorf("outcomes = %v, want %v", got, tt.want)
			}
			if since := dates[len(dates)-1]; since != tt.since {
				t.Errorf("dated to %d, want %d", since, tt.since)
			}
		})
	}
}

func TestWhatStaysEmptyIsWhatThePageHasBecome(t *testing.T) {
	const from = 20_400 // days since the Unix epoch
	for _, tt := range []struct {
		name string
		days []int64
		want []Outcome
	}{
		{"a few looks", []int64{1, 10, 20, 30, 40}, []Outcome{Variant, Variant, Variant, Variant, Changed}},
		{"looks months apart", []int64{1, 60, 120, 180}, []Outcome{Variant, Variant, Variant, Changed}},
		{"a clock that jumps ahead", []int64{1, 3650, 3651, 3652}, []Outcome{Variant, Variant, Variant, Variant}},
		{"a clock that jumps ahead and back", []int64{1, 3650, 2, 3, 12, 20, 32}, []Outcome{Variant, Variant, Variant, Variant, Variant, Variant, Changed}},
		{"a clock that was ahead", []int64{3650, 1, 5, 10, 15, 30}, []Outcome{Variant, Variant, Variant, Variant, Variant, Changed}},
		{"a clock that jumps back", []int64{1, -3650, -3649, 2, 3}, []Outcome{Variant, Variant, Variant, Variant, Variant}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _, _ := looks(text(one, two, three, four, one+two))
			small := viewOf(text("There is nothing here any more but this one line of text."))
			var outcomes []Outcome
			for _, day := range tt.days {
				var o Outcome
				m, o, _ = m.Look(small, (from+day)*daySeconds)
				outcomes = append(outcomes, o)
			}
			if !slices.Equal(outcomes, tt.want) {
				t.Errorf("outcomes = %v, want %v", outcomes, tt.want)
			}
		})
	}
}

func TestAPageThatIsRewrittenNowAndThenIsNotMoving(t *testing.T) {
	var m Mark
	var site Site
	for week := range int64(20) {
		v := viewOf(text(fmt.Sprintf("%s This is letter number %d of the editor.", one, week)))
		site.Consult(v, m, 1)
		var o Outcome
		var since int64
		at := (week + 1) * 7 * daySeconds
		m, o, since = m.Look(v, at)
		if week > 0 && (o != Changed || since != at) {
			t.Errorf("week %d: outcome %v, dated to %d, want Changed, %d", week, o, since, at)
		}
	}
}

func TestWhatHasComeToStayIsNotMovingAnyLonger(t *testing.T) {
	var m Mark
	var site Site
	look := func(hour int64, end string) Outcome {
		v := viewOf(text(one, two, three, four) + fmt.Sprintf("<main><i>%s</i><p><u>%d readers</u></main>", end, hour))
		site.Consult(v, m, 1)
		var o Outcome
		m, o, _ = m.Look(v, hour*3600)
		return o
	}
	for hour := range int64(20) {
		look(hour, fmt.Sprintf("This sentence has the number %d and is another one next time.", hour))
	}
	for hour := range int64(150) {
		if o := look(20+hour, "From now on the sentence is the same at every look."); o == Changed && hour > 0 {
			t.Errorf("changed in hour %d", hour)
		}
	}
	if o := look(170, "Until somebody has the idea of another sentence."); o != Changed {
		t.Errorf("outcome %v of an edit where nothing has moved for long, want Changed", o)
	}
}

func TestLookLeavesItsReceiver(t *testing.T) {
	m, _, _ := looks(text(one), text(one, two))
	before := m
	m.Look(viewOf(text(three)), 1)
	if m != before {
		t.Error("a look has changed the mark that it began with")
	}
	m.Still()
	if m != before {
		t.Error("a look at the same bytes has changed the mark that it began with")
	}
}

// busy is a mark with all that it can hold.
func busy() Mark {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "<p>Paragraph %d of a page that is far longer than most.<p>%d short<p><a href=/>link %d</a>", i, i, i)
	}
	m, _, _ := looks(text(one), "<main lang=x>"+b.String()+"</main>")
	for i := range slotsKept {
		m.slots[i] = slot{uint16(i) * 300, uint8(1 + i)}
	}
	m.news[0] = news{1234, 55, newsThere | newsProse, 3, 1_700_000_000}
	m.news[1] = news{4321, 66, newsThere | newsLink, 0, 1_700_000_001}
	m.oddDay, m.n = 20000, memory
	for i := range m.texts {
		m.texts[i] = uint32(i) * 0x01010101
	}
	for i := uint16(0); m.groups.n < setSize; i++ {
		m.groups.add(&group{print: i * 271 % (1 << printBits), kind: kind(i) % kinds}, true)
	}
	return m
}

func TestAMarkIsSmall(t *testing.T) {
	m := busy()
	if n := len(m.AppendBinary(nil)); n > 160 {
		t.Errorf("a full mark takes %d bytes, want at most 160", n)
	}
	for i := range m.groups.list {
		m.groups.list[i] = newKnown(uint16(1<<printBits-setSize+i), groupAbsent)
	}
	if n := len(m.AppendBinary(nil)); n > 160 {
		t.Errorf("a full mark with the widest gap takes %d bytes, want at most 160", n)
	}
}

func TestGolden(t *testing.T) {
	m, _, _ := looks(text(one, two), text(one, two, "Sold out"))
	const want = "0202ce64870ea96a209f000000085d5b0000000100010c700f13010000001c2004fffdf1ff662187ffffffffffffffffffffffffd710"
	b := m.AppendBinary([]byte("x"))
	if got := hex.EncodeToString(b[1:]); got != want {
		t.Errorf("encoding changed: stored marks would not be read\n got %s\nwant %s", got, want)
	}
	for name, m := range map[string]Mark{"zero": {}, "small": m, "busy": busy()} {
		if again, err := Parse(m.AppendBinary(nil)); err != nil || again != m {
			t.Errorf("%s: read back as %+v, %v, want %+v", name, again, err, m)
		}
	}
}

// version1Of is what version 1 stored for a page that showed texts, the latest
// first.
func version1Of(pages ...string) []byte {
	b := []byte{1}
	for _, p := range pages {
		b = binary.BigEndian.AppendUint64(b, viewOf(p).hash)
	}
	return b
}

func TestAMarkOfVersion1IsCarriedOver(t *testing.T) {
	stored := version1Of(text(one, two), text(one))
	for _, tt := range []struct {
		name, page string
		want       Outcome
	}{
		{"the same text", text(one, two), Same},
		{"an earlier text", text(one), Variant},
		{"another text", text(three), Changed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Parse(stored)
			if err != nil {
				t.Fatal(err)
			}
			if m, err = Parse(m.AppendBinary(nil)); err != nil {
				t.Fatal(err)
			}
			m, o, _ := m.Look(viewOf(tt.page), 1)
			if o != tt.want {
				t.Errorf("outcome %v, want %v", o, tt.want)
			}
			if _, o, _ = m.Look(viewOf(tt.page+"<footer>new</footer>"), 2); o != Same {
				t.Errorf("outcome %v at the next look, want Same", o)
			}
		})
	}
}

// watching is a mark that watches something with the flags.
func watching(flags newsFlags) Mark {
	m := busy()
	m.news[0].flags = flags
	return m
}

// watched is a mark that watches something.
func watched(w news) Mark {
	m := busy()
	m.news[0] = w
	return m
}

// What is watched is counted as far as a byte goes, and no further.
func TestCountsStayAtTheirMost(t *testing.T) {
	m := watched(news{flags: newsThere | newsLink, print: 7, looks: 255, since: 3})
	if since := m.settle([]group{{print: 7, kind: link}}, &View{}, 5, false); since != 3 {
		t.Errorf("after 255 looks the change is of %d, want 3", since)
	}
	var s Site
	for key := range uint32(3 * maxIdle) {
		s.enter(shown{key: key * uint32(len(s.texts)), n: manyPages, idle: maxIdle})
	}
	for _, x := range s.texts[0] {
		if x.idle < maxIdle-ways {
			t.Errorf("a text that was not seen for long counts as idle for %d", x.idle)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := busy().AppendBinary(nil)
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"version 0", []byte{0}, "version 0"},
		{"a later version", []byte{3, 1, 2, 3}, "version 3"},
		{"no text", []byte{1}, "malformed"},
		{"half a text", []byte{1, 0, 0, 0, 0}, "malformed"},
		{"too many texts", append([]byte{1}, make([]byte, 40)...), "malformed"},
		{"nothing after the version", []byte{2}, "malformed"},
		{"five texts", append([]byte{2, 5}, make([]byte, 20)...), "malformed"},
		{"a byte too many", append(slices.Clone(good), 0), "malformed"},
		{"a byte too few", good[:len(good)-1], "malformed"},
		{"half of it", good[:len(good)/2], "malformed"},
		{"a watch that is none", watching(newsProse).AppendBinary(nil), "malformed"},
		{"what is missing, beside something", watching(newsThere | newsProse | newsGone | newsBeside).AppendBinary(nil), "malformed"},
		{"what is missing, and no prose", watching(newsThere | newsGone).AppendBinary(nil), "malformed"},
		{"prose that is a link", watching(newsThere | newsProse | newsLink).AppendBinary(nil), "malformed"},
		{"a link that is back", watching(newsThere | newsLink | newsBack).AppendBinary(nil), "malformed"},
		{"a watch of a sort that is not known", watching(newsThere | 1<<7).AppendBinary(nil), "malformed"},
		{"a fingerprint that is too long", watched(news{flags: newsThere | newsProse, print: 1 << printBits}).AppendBinary(nil), "malformed"},
		{"a slot that is none", watched(news{flags: newsThere, slot: 1 << slotBits}).AppendBinary(nil), "malformed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if m, err := Parse(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) || m != (Mark{}) {
				t.Errorf("mark %v, error %v, want one that says %q", m, err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(busy().AppendBinary(nil), text(one), int64(1_700_000_000), int64(60))
	m, _, _ := looks(text(one), text(two))
	f.Add(m.AppendBinary(nil), text(one, two), int64(0), int64(1))
	f.Add(version1Of(text(one)), text(two), int64(1)<<40, int64(-86400))
	f.Add(watching(newsThere|newsProse|newsGone).AppendBinary(nil), text(one), int64(-5), int64(3*daySeconds))
	f.Add(watching(newsThere|newsProse|newsBeside).AppendBinary(nil), text(one), int64(5), int64(1))
	f.Add(watching(newsThere|newsProse|newsBack).AppendBinary(nil), text(one), int64(5), int64(1))
	f.Add(watching(newsThere|newsLink|newsPublished).AppendBinary(nil), text(one), int64(5), int64(1))
	f.Add([]byte{}, "", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, b []byte, html string, at, gap int64) {
		m, err := Parse(b)
		if err != nil {
			return
		}
		if again, err := Parse(m.AppendBinary(nil)); err != nil || again != m {
			t.Errorf("%x is read as %+v, and that as %+v, %v", b, m, again, err)
		}
		at, gap = at%(1<<40), gap%(1<<36)
		var site Site
		for i, html := range []string{html, html, html + text(one), html + text(two), html, "", html + text(one, two), html} {
			v := viewOf(html)
			v.Soon = i&1 == 0
			site.Consult(v, m, uint64(i&2))
			before := m
			var o Outcome
			var since int64
			m, o, since = m.Look(v, at+int64(i)*gap)
			if o == First && before.n > 0 || (o == Changed) != (since != 0) && at > 0 && gap > 0 {
				t.Errorf("look %d at %+v is %v since %d", i, before, o, since)
			}
			if again, _, _ := before.Look(v, at+int64(i)*gap); again != m {
				t.Errorf("look %d at %+v is another one when it is merged again", i, before)
			}
			if n := len(m.AppendBinary(nil)); n > 160 {
				t.Errorf("a mark takes %d bytes", n)
			}
			if n := m.Ignored(); n.Held > newsKept || n.Volatile > slotsKept || n.Variant > setSize {
				t.Errorf("%+v is ignored", n)
			}
			if i == 4 {
				m = m.Still()
			}
		}
		if again, err := Parse(m.AppendBinary(nil)); err != nil || !bytes.Equal(again.AppendBinary(nil), m.AppendBinary(nil)) {
			t.Errorf("%+v is read back as %+v, %v", m, again, err)
		}
	})
}

func TestAges(t *testing.T) {
	for s, want := range map[string]bool{
		"Updated yesterday": true, "3 minutes ago": true, "Updated this week": true, "Updated in the last 15 minutes": true,
		"vor 3 Tagen": true, "il y a 2 heures": true, "hace 5 minutos": true, "3日前": true, "вчера": true,
		"Delivery in 3 days": false, "Sold out": false, "Effective January 5, 2026": false, "": false, "One month": false,
		"We moved into the new building a year ago and have not looked back since": false,
	} {
		if got := isAge(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestDates(t *testing.T) {
	for s, want := range map[string]bool{
		"1 May 2026": true, "at 10:04": true, "1:00:00": true, "1999": true,
		"€ 149.00": false, "2,026 views": false, "12026": false, "2126": false, "a ratio of 3:2": false, "": false,
	} {
		if got := isDated(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

package inspect

import (
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestNumbersAndTimesAreWrittenForPeople(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ name, got, want string }{
		{"no thousands", words.Thousands("999"), "999"},
		{"thousands", words.Thousands("1000"), "1,000"},
		{"millions", words.Thousands("1234567"), "1,234,567"},
		{"none", words.Count(0, "page"), "0 pages"},
		{"one", words.Count(1, "page"), "1 page"},
		{"many", words.Count(12345, "page"), "12,345 pages"},
		{"now", ago(now.Add(-time.Second), now), "just now"},
		{"a clock that is ahead", ago(now.Add(time.Second), now), "just now"},
		{"seconds", ago(now.Add(-42*time.Second), now), "42 seconds ago"},
		{"a minute", ago(now.Add(-time.Minute), now), "1 minute ago"},
		{"minutes", ago(now.Add(-59*time.Minute), now), "1 hour ago"},
		{"hours", ago(now.Add(-20*time.Hour), now), "20 hours ago"},
		{"days", ago(now.Add(-5*24*time.Hour), now), "5 days ago"},
		{"weeks", ago(now.Add(-15*24*time.Hour), now), "2 weeks ago"},
		{"months", ago(now.Add(-80*24*time.Hour), now), "3 months ago"},
		{"years", ago(now.Add(-800*24*time.Hour), now), "2 years ago"},
		{"a start", started(now.Add(-9*time.Hour), now), "since the program started at 03:00 UTC"},
		{"a start long ago", started(now.Add(-30*time.Hour), now), "since the program started on 21 Nov 2026, 06:00 UTC"},
		{"no next observation", nextObservation(time.Time{}, now), "at the next visit"},
		{"a next observation", nextObservation(now.Add(18*time.Second), now), "at the first visit after 18 seconds"},
		{"often", often(2, 8*time.Minute, 5*time.Minute, 23*time.Minute), "About every 8 minutes " +
			"(between 5 minutes and 23 minutes). 2 changes were seen."},
		{"a clock alone", often(0, time.Hour, time.Minute, 7*day), "Text that moves by itself, as a clock does, " +
			"changes about every hour (between 1 minute and 1 week). No change of the content was seen yet."},
		{"no time", Span(0), "less than a second"},
		{"bytes", words.Size(512), "512 bytes"},
		{"kilobytes", words.Size(51_230), "51.2 kB"},
		{"nearly a megabyte", words.Size(999_999), "1.0 MB"},
		{"megabytes", words.Size(5_123_000), "5.1 MB"},
		{"a path of the site", showPath("https://e.x", "https://e.x/caf%C3%A9"), "/café"},
		{"another host's", showPath("https://e.x", "https://other.x/a"), "https://other.x/a"},
		{"what cannot be shown", showPath("", "/a%E2%80%AEb"), "/a%E2%80%AEb"},
		{"what is no text", showPath("", "/a%FF"), "/a%FF"},
		{"a space", showPath("", "/a%20b"), "/a%20b"},
		{"long", shorten(strings.Repeat("ä", 100)), strings.Repeat("ä", 80) + "…"},
		{"what people type", escaped("Café \"a\""), "Caf%C3%A9%20%22a%22"},
	} {
		base.Equal(t, tt.got, tt.want, "%s", tt.name)
	}
}

func TestGroupsBeginWithWhatToLookInto(t *testing.T) {
	var got []string
	for _, g := range groupsOf(messages.Counts{Verdicts: map[string]int{"listed link": 9, "excluded noindex": 3, "held encoding": 1,
		"waiting not-seen": 2, "excluded private": 4, "held capability": 7}}) {
		got = append(got, g.Reason)
		if g.Means == "" || g.Care == "" {
			t.Errorf("%+v", g)
		}
	}
	if want := "private encoding not-seen capability noindex link"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// A page that is not public is stored without its address, so a new rule lists it only at its next visit.
func TestPrivatePagesWaitOnceARuleMayListThem(t *testing.T) {
	for opens, want := range map[bool]messages.Care{false: messages.Look, true: messages.Wait} {
		g := groupsOf(messages.Counts{Opens: opens, Verdicts: map[string]int{"listed link": 9, "excluded no-store": 2}})[0]
		counts := strings.HasSuffix(g.Means, "(Cache-Control: no-store). They count at their next visit if Rule.IgnoreCacheControl names them.")
		if g.Care != want || counts != opens {
			t.Errorf("with such a rule %t: %+v", opens, g)
		}
	}
}

func TestPasswordFieldsAreToLookIntoOnlyWhereTheyAreMany(t *testing.T) {
	for _, tt := range []struct {
		name           string
		listed, fields int
		want           messages.Care
	}{
		{"a page to log in", 5, 1, messages.Intended},
		{"to sign up and to choose a password too", 5, 3, messages.Intended},
		{"only the home is listed, and links to the log-in", 1, 1, messages.Intended},
		{"a log-in in each language of a large site", 400, 20, messages.Intended},
		{"a box in the head of every page but the home", 1, 2, messages.Look},
		{"a box in the head of a section", 100, 40, messages.Look},
		{"no page is listed", 0, 1, messages.Look},
	} {
		groups := groupsOf(messages.Counts{Verdicts: map[string]int{"listed entry": min(tt.listed, 1), "listed link": max(tt.listed-1, 0),
			"excluded password-field": tt.fields}})
		for _, g := range groups {
			if g.Reason == "password-field" && g.Care != tt.want {
				t.Errorf("%s: %s, want %s", tt.name, g.Care, tt.want)
			}
		}
	}
}

func TestTimelineCountsTheChangesWhoseTimeIsNotKnown(t *testing.T) {
	first := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	at := func(days int) time.Time { return first.AddDate(0, 0, days) }
	for _, tt := range []struct {
		name    string
		changes []time.Time
		seen    int
		want    string
	}{
		{"new", nil, 0, "Last seen, First seen"},
		{"all are known", []time.Time{at(2)}, 1, "Last seen, Changed, First seen"},
		{"one more", []time.Time{at(3), at(2)}, 3, "Last seen, Changed, Changed, 1 earlier change, First seen"},
		{"many more", []time.Time{at(3)}, 1236, "Last seen, Changed, 1,235 earlier changes, First seen"},
	} {
		var got []string
		for _, h := range timelineOf(first, at(4), tt.changes, tt.seen) {
			got = append(got, h.Text)
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
}

func TestStateSaysInOneLineHowTheSiteDoes(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    messages.Counts
		want string
	}{
		{"new", messages.Counts{}, "Waiting for the first visitor"},
		{"nothing that counts", messages.Counts{Ignored: map[string]uint64{"cookie": 120}}, "No page is listed"},
		{"the first file", messages.Counts{Observations: 1, Verdicts: map[string]int{"listed link": 1}},
			"The first file of the sitemap is being made"},
		{"nothing listed", messages.Counts{Observations: 3}, "No page is listed"},
		{"serving", messages.Counts{Listed: 1200}, "1,200 pages in the sitemap"},
		{"reporting", messages.Counts{Listed: 1, ReportOnly: true}, "Nothing is published yet: 1 page would be listed"},
		{"a dead store", messages.Counts{Listed: 2, NoStore: true}, "2 pages in the last sitemap"},
		{"a store that never answered", messages.Counts{NoStore: true}, "No sitemap for now"},
	} {
		base.Equal(t, state(tt.s), tt.want, "%s", tt.name)
	}
}

func TestNamesOfSettingsAreMarkedAsCode(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"a name in a text", "<p>Set `robots-text`.</p>", "<p>Set <code>robots-text</code>.</p>"},
		{"a name in an attribute", "<p title=\"`never`\">a</p>", "<p title=\"`never`\">a</p>"},
		{"what is no name", "<p>`A b`</p>", "<p>`A b`</p>"},
	} {
		if got := string(markNames([]byte(tt.page))); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

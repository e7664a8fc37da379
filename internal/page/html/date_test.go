package html

import (
	"strings"
	"testing"
	"time"
)

func TestDateReadsTheFormsOfTheWeb(t *testing.T) {
	utc := func(y, mo, d, h, mi, s int) time.Time {
		return time.Date(y, time.Month(mo), d, h, mi, s, 0, time.UTC)
	}
	tests := []struct {
		in   string
		want time.Time
	}{
		{"2024-05-01T10:20:30Z", utc(2024, 5, 1, 10, 20, 30)},
		{"2024-05-01T10:20:30+02", utc(2024, 5, 1, 8, 20, 30)},
		{"2024-05-01T10:20:30", utc(2024, 5, 1, 10, 20, 30)},
		{"2024-05-01 10:20:30 +0200", utc(2024, 5, 1, 8, 20, 30)},
		{" 2024-05-01 ", utc(2024, 5, 1, 0, 0, 0)},
		{"Fri, 25 Jun 2010 15:00:00 GMT", utc(2010, 6, 25, 15, 0, 0)},
		{"25 Jun 10 15:00 UTC", utc(2010, 6, 25, 15, 0, 0)},
		{"25 Jun 2010 15:00:00 -0700", utc(2010, 6, 25, 22, 0, 0)},
		{"Friday, 25-Jun-10 15:00:00 UTC", utc(2010, 6, 25, 15, 0, 0)},
		{"25 Jun 2010 15:00:00 PST", time.Time{}},
		{"", time.Time{}},
		{"tomorrow at noon", time.Time{}},
		{"05/01/2024 10:20", time.Time{}},
		{"1714558830", time.Time{}},
		{"2024-05-01T10:20:30Z" + strings.Repeat(" x", 40), time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			if got := Date(tt.in); !got.Equal(tt.want) {
				t.Errorf("date %v, want %v", got, tt.want)
			}
		})
	}
	if got := Date("2024-05-01T10:20:30.123456Z"); got.Nanosecond() != 123456000 {
		t.Errorf("fraction of a second: %v", got)
	}
}

func TestModifiedIsTheDateThatThePageGives(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC) }
	jsonLD := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	checkRows(t, []row[time.Time]{
		{"article", `<meta property="article:modified_time" content="2024-05-02"><meta property="article:published_time" content="2024-05-03">`, day(2)},
		{"structured data, and open graph, which is not read", `<meta property="og:updated_time" content="2024-05-09">` +
			jsonLD(`{"dateModified":"2024-05-08"}`), day(8)},
		{"unparseable", `<meta property="article:modified_time" content="yesterday">`, time.Time{}},
		{"a zero value", `<meta property="article:modified_time" content="1970-01-01T00:00:00Z">`, time.Time{}},
		{"nested", jsonLD(`{"@graph":[{"@type":"WebSite"},{"@type":"WebPage","mainEntity":{"@type":"Article","dateModified":"2024-05-04","datePublished":"2024-05-01"}}]}`), day(4)},
		{"the newest", jsonLD(`[{"dateModified":"2024-05-04"},{"dateModified":"2024-05-06"}]`), day(6)},
		{"comments are not the page", jsonLD(
			`{"@type":"Article","dateModified":"2024-05-04","comment":[{"@type":"Comment","dateModified":"2024-05-30"}]}`), day(
			4)},
		{"type after the date", jsonLD(`{"@graph":[{"dateModified":"2024-05-30","@type":["Comment"]},{"@type":"Article","dateModified":"2024-05-04"}]}`), day(4)},
		{"listed items are not the page", jsonLD(
			`{"@type":"ItemList","itemListElement":[{"item":{"@type":"Article","dateModified":"2024-05-30"}}]}`), time.Time{}},
		{"a value that looks like a key", jsonLD(`{"name":"dateModified","x":"2024-05-04"}`), time.Time{}},
		{"too long", jsonLD(`{"dateModified":"2024-05-04","x":"` + strings.Repeat("x", maxData) + `"}`), time.Time{}},
		{"another type of script", `<script>{"dateModified":"2024-05-04"}</script>`, time.Time{}},
		{"type with a parameter", `<script type="Application/LD+JSON; charset=utf-8">{"dateModified":"2024-05-04"}</script>`,
			day(4)},
		{"for visitors without scripts", `<noscript><meta property="article:modified_time" content="2024-05-02"></noscript>`,
			time.Time{}},
	}, func(f Facts) time.Time { return f.Modified })
}

// Package time gives +00:00 the name of the machine's own zone, if that has this offset.
func TestDateIsTheSameOnAMachineInAnyZone(t *testing.T) {
	defer func(local *time.Location) { time.Local = local }(time.Local)
	time.Local = time.FixedZone("WET", 0)
	for _, text := range []string{"2024-05-01T10:20:30+00:00", "Wed, 01 May 2024 10:20:30 +0000"} {
		if got, want := Date(text), time.Date(2024, 5, 1, 10, 20, 30, 0, time.UTC); !got.Equal(want) {
			t.Errorf("Date(%q) is %v, want %v", text, got, want)
		}
	}
}

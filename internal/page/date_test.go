package page

import (
	"strings"
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	utc := func(y, mo, d, h, mi, s int) time.Time {
		return time.Date(y, time.Month(mo), d, h, mi, s, 0, time.UTC)
	}
	tests := []struct {
		in   string
		want time.Time
	}{
		{"2024-05-01T10:20:30Z", utc(2024, 5, 1, 10, 20, 30)},
		{"2024-05-01T10:20:30+02:00", utc(2024, 5, 1, 8, 20, 30)},
		{"2024-05-01T10:20:30+0200", utc(2024, 5, 1, 8, 20, 30)},
		{"2024-05-01T10:20:30+02", utc(2024, 5, 1, 8, 20, 30)},
		{"2024-05-01T10:20:30", utc(2024, 5, 1, 10, 20, 30)},
		{"2024-05-01T10:20+02:00", utc(2024, 5, 1, 8, 20, 0)},
		{"2024-05-01T10:20", utc(2024, 5, 1, 10, 20, 0)},
		{"2024-05-01 10:20:30 +0200", utc(2024, 5, 1, 8, 20, 30)},
		{"2024-05-01 10:20:30 PDT", utc(2024, 5, 1, 17, 20, 30)},
		{" 2024-05-01 ", utc(2024, 5, 1, 0, 0, 0)},
		{"25 Jun 2010 15:00:00 PST", utc(2010, 6, 25, 23, 0, 0)},
		{"Fri, 25 Jun 2010 15:00:00 GMT", utc(2010, 6, 25, 15, 0, 0)},
		{"25 Jun 10 15:00 EST", utc(2010, 6, 25, 20, 0, 0)},
		{"25 Jun 2010 15:00:00 -0700", utc(2010, 6, 25, 22, 0, 0)},
		{"Friday, 25-Jun-10 15:00:00 UTC", utc(2010, 6, 25, 15, 0, 0)},
		{"25-Jun-2010 15:00:00 EDT", utc(2010, 6, 25, 19, 0, 0)},
		{"25 Jun 2010", utc(2010, 6, 25, 0, 0, 0)},
		{"", time.Time{}},
		{"tomorrow at noon", time.Time{}},
		{"2024-13-01", time.Time{}},
		{"05/01/2024 10:20", time.Time{}},
		{"1714558830", time.Time{}},
		{"2024-05-01T10:20:30Z" + strings.Repeat(" x", 40), time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			got, ok := parseDate(tt.in)
			if ok == tt.want.IsZero() || !got.Equal(tt.want) {
				t.Errorf("date %v, %v, want %v", got, ok, tt.want)
			}
		})
	}
	if got, ok := parseDate("2024-05-01T10:20:30.123456Z"); !ok || got.Nanosecond() != 123456000 {
		t.Errorf("fraction of a second: %v, %v", got, ok)
	}
}

func TestDates(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC) }
	jsonLD := func(s string) string { return `<script type="application/ld+json">` + s + `</script>` }
	tests := []struct {
		name, html          string
		modified, published time.Time
		source              DateSource
	}{
		{"article", `<meta property="article:modified_time" content="2024-05-02"><meta property="article:published_time" content="2024-05-01">`, day(2), day(1), DateMeta},
		{"as a name, upper case", `<META NAME="Article:Modified_Time" CONTENT="2024-05-02">`, day(2), time.Time{}, DateMeta},
		{"open graph", `<meta property="og:updated_time" content="2024-05-03">`, day(3), time.Time{}, DateOG},
		{"last-modified", `<meta http-equiv="last-modified" content="Thu, 02 May 2024 00:00:00 GMT">`, day(2), time.Time{}, DateName},
		{"dublin core", `<meta name="DCTERMS.modified" content="2024-05-02">`, day(2), time.Time{}, DateName},
		{"an unclear name", `<meta name="date" content="2024-05-02">`, time.Time{}, time.Time{}, DateNone},
		{"the best source wins", `<meta property="og:updated_time" content="2024-05-09">` + jsonLD(`{"dateModified":"2024-05-08"}`) + `<meta property="article:modified_time" content="2024-05-02">`, day(2), time.Time{}, DateMeta},
		{"structured data before open graph", `<meta property="og:updated_time" content="2024-05-09">` + jsonLD(`{"dateModified":"2024-05-08"}`), day(8), time.Time{}, DateJSONLD},
		{"unparseable", `<meta property="article:modified_time" content="yesterday">`, time.Time{}, time.Time{}, DateNone},
		{"unparseable falls back", `<meta property="article:modified_time" content="yesterday"><meta property="og:updated_time" content="2024-05-03">`, day(3), time.Time{}, DateOG},
		{"a zero value", `<meta property="article:modified_time" content="1970-01-01T00:00:00Z">`, time.Time{}, time.Time{}, DateNone},
		{"nested", jsonLD(`{"@graph":[{"@type":"WebSite"},{"@type":"WebPage","mainEntity":{"@type":"Article","dateModified":"2024-05-04","datePublished":"2024-05-01"}}]}`), day(4), day(1), DateJSONLD},
		{"the newest", jsonLD(`[{"dateModified":"2024-05-04"},{"dateModified":"2024-05-06"}]`), day(6), time.Time{}, DateJSONLD},
		{"two scripts", jsonLD(`{"dateModified":"2024-05-04"}`) + jsonLD(`{"dateModified":"2024-05-05"}`), day(5), time.Time{}, DateJSONLD},
		{"comments are not the page", jsonLD(`{"@type":"Article","dateModified":"2024-05-04","comment":[{"@type":"Comment","dateModified":"2024-05-30"}]}`), day(4), time.Time{}, DateJSONLD},
		{"type after the date", jsonLD(`{"@graph":[{"dateModified":"2024-05-30","@type":["Comment"]},{"@type":"Article","dateModified":"2024-05-04"}]}`), day(4), time.Time{}, DateJSONLD},
		{"listed items are not the page", jsonLD(`{"@type":"ItemList","itemListElement":[{"item":{"@type":"Article","dateModified":"2024-05-30"}}]}`), time.Time{}, time.Time{}, DateNone},
		{"date in an array", jsonLD(`{"dateModified":["2024-05-04"]}`), day(4), time.Time{}, DateJSONLD},
		{"a number for a date", jsonLD(`{"dateModified":1714558830}`), time.Time{}, time.Time{}, DateNone},
		{"a key that follows an object", jsonLD(`{"a":{"b":1},"dateModified":"2024-05-04"}`), day(4), time.Time{}, DateJSONLD},
		{"a value that looks like a key", jsonLD(`{"name":"dateModified","x":"2024-05-04"}`), time.Time{}, time.Time{}, DateNone},
		{"not JSON", jsonLD(`{"dateModified":"2024-05-04",}`), time.Time{}, time.Time{}, DateNone},
		{"cut off", jsonLD(`{"dateModified":"2024-05-04"`), time.Time{}, time.Time{}, DateNone},
		{"too deep", jsonLD(strings.Repeat("[", 100) + `{"dateModified":"2024-05-04"}` + strings.Repeat("]", 100)), time.Time{}, time.Time{}, DateNone},
		{"too long", jsonLD(`{"dateModified":"2024-05-04","x":"` + strings.Repeat("x", maxJSONLD) + `"}`), time.Time{}, time.Time{}, DateNone},
		{"another type of script", `<script>{"dateModified":"2024-05-04"}</script>`, time.Time{}, time.Time{}, DateNone},
		{"type with a parameter", `<script type="Application/LD+JSON; charset=utf-8">{"dateModified":"2024-05-04"}</script>`, day(4), time.Time{}, DateJSONLD},
		{"in a template", `<template>` + jsonLD(`{"dateModified":"2024-05-04"}`) + `</template>`, time.Time{}, time.Time{}, DateNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Read([]byte(tt.html), Options{})
			if !f.Modified.Equal(tt.modified) || !f.Published.Equal(tt.published) || f.ModifiedSource != tt.source {
				t.Errorf("modified %v by %d, published %v; want %v by %d, %v", f.Modified, f.ModifiedSource, f.Published,
					tt.modified, tt.source, tt.published)
			}
		})
	}
}

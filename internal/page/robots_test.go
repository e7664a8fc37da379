package page

import (
	"testing"
	"time"
)

func TestRobots(t *testing.T) {
	at := time.Date(2010, 6, 25, 23, 0, 0, 0, time.UTC)
	tests := []struct {
		name              string
		values            []string
		noIndex, noFollow bool
		after             time.Time
	}{
		{"no header", nil, false, false, time.Time{}},
		{"noindex", []string{"noindex"}, true, false, time.Time{}},
		{"upper case", []string{"NoIndex"}, true, false, time.Time{}},
		{"none", []string{"none"}, true, true, time.Time{}},
		{"list", []string{"noarchive, nofollow ,noindex"}, true, true, time.Time{}},
		{"two headers", []string{"noarchive", "noindex"}, true, false, time.Time{}},
		{"for a robot", []string{"googlebot: nofollow"}, false, true, time.Time{}},
		{"for any robot", []string{"otherbot: noindex, nofollow"}, true, true, time.Time{}},
		{"second header for a robot", []string{"all", "googlebot: noindex, nofollow"}, true, true, time.Time{}},
		{"without space", []string{"googlebot:noindex"}, true, false, time.Time{}},
		{"with space before the colon", []string{"googlebot : noindex"}, true, false, time.Time{}},
		{"several robots", []string{"googlebot: nofollow, bingbot: noindex"}, true, true, time.Time{}},
		{"harmless", []string{"all, nosnippet, noarchive, notranslate, noimageindex, indexifembedded"}, false, false, time.Time{}},
		{"values that look like rules", []string{"max-image-preview:none, max-snippet: none, max-video-preview:-1"}, false, false, time.Time{}},
		{"rule after such a value", []string{"max-image-preview:large, noindex"}, true, false, time.Time{}},
		{"semicolons", []string{"noindex; nofollow"}, true, true, time.Time{}},
		{"RFC 822 date", []string{"unavailable_after: 25 Jun 2010 15:00:00 PST"}, false, false, at},
		{"RFC 1123 date with a comma", []string{"unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT"}, false, false, at},
		{"RFC 850 date with a comma", []string{"unavailable_after: Friday, 25-Jun-10 15:00:00 PST"}, false, false, at},
		{"ISO 8601 date", []string{"unavailable_after: 2010-06-25T16:00:00-07:00"}, false, false, at},
		{"for a robot, rule after it", []string{"googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"}, true, false, at},
		{"rule after a date with a comma", []string{"UNAVAILABLE_AFTER: Fri, 25 Jun 2010 23:00:00 GMT, nofollow"}, false, true, at},
		{"the earliest date", []string{"unavailable_after: 2011-01-01", "unavailable_after: 25 Jun 2010 15:00:00 PST", "unavailable_after: 2012-01-01"}, false, false, at},
		{"no valid date", []string{"unavailable_after: soon"}, false, false, time.Time{}},
		{"rule after no valid date", []string{"unavailable_after: soon, noindex"}, true, false, time.Time{}},
		{"odd bytes", []string{":::,,;: \x00 noindex"}, true, false, time.Time{}},
		{"empty", []string{""}, false, false, time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			noIndex, noFollow, after := Robots(tt.values)
			if noIndex != tt.noIndex || noFollow != tt.noFollow || !after.Equal(tt.after) {
				t.Errorf("noindex %v, nofollow %v, after %v; want %v, %v, %v", noIndex, noFollow, after,
					tt.noIndex, tt.noFollow, tt.after)
			}
		})
	}
}

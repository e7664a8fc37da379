package page

import (
	"testing"
	"time"
)

func TestRobots(t *testing.T) {
	at := time.Date(2010, 6, 25, 23, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		values []string
		want   Rules
	}{
		{"no header", nil, Rules{}},
		{"noindex", []string{"noindex"}, Rules{NoIndex: true}},
		{"upper case", []string{"NoIndex"}, Rules{NoIndex: true}},
		{"none", []string{"none"}, Rules{NoIndex: true, NoFollow: true}},
		{"list", []string{"noarchive, nofollow ,noindex"}, Rules{NoIndex: true, NoFollow: true}},
		{"two headers", []string{"noarchive", "noindex"}, Rules{NoIndex: true}},
		{"for a robot", []string{"googlebot: nofollow"}, Rules{NoFollow: true}},
		{"for any robot", []string{"otherbot: noindex, nofollow"}, Rules{NoIndex: true, NoFollow: true}},
		{"second header for a robot", []string{"all", "googlebot: noindex, nofollow"}, Rules{NoIndex: true, NoFollow: true}},
		{"without space", []string{"googlebot:noindex"}, Rules{NoIndex: true}},
		{"with space before the colon", []string{"googlebot : noindex"}, Rules{NoIndex: true}},
		{"several robots", []string{"googlebot: nofollow, bingbot: noindex"}, Rules{NoIndex: true, NoFollow: true}},
		{"harmless", []string{"all, nosnippet, noarchive, notranslate, noimageindex, indexifembedded"}, Rules{}},
		{"values that look like rules", []string{"max-image-preview:none, max-snippet: none, max-video-preview:-1"}, Rules{}},
		{"rule after such a value", []string{"max-image-preview:large, noindex"}, Rules{NoIndex: true}},
		{"semicolons", []string{"noindex; nofollow"}, Rules{NoIndex: true, NoFollow: true}},
		{"RFC 822 date", []string{"unavailable_after: 25 Jun 2010 15:00:00 PST"}, Rules{UnavailableAfter: at}},
		{"RFC 1123 date with a comma", []string{"unavailable_after: Fri, 25 Jun 2010 23:00:00 GMT"}, Rules{UnavailableAfter: at}},
		{"RFC 850 date with a comma", []string{"unavailable_after: Friday, 25-Jun-10 15:00:00 PST"}, Rules{UnavailableAfter: at}},
		{"ISO 8601 date", []string{"unavailable_after: 2010-06-25T16:00:00-07:00"}, Rules{UnavailableAfter: at}},
		{"for a robot, rule after it", []string{"googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"}, Rules{NoIndex: true, UnavailableAfter: at}},
		{"rule after a date with a comma", []string{"UNAVAILABLE_AFTER: Fri, 25 Jun 2010 23:00:00 GMT, nofollow"}, Rules{NoFollow: true, UnavailableAfter: at}},
		{"the earliest date", []string{"unavailable_after: 2011-01-01", "unavailable_after: 25 Jun 2010 15:00:00 PST", "unavailable_after: 2012-01-01"}, Rules{UnavailableAfter: at}},
		{"no valid date", []string{"unavailable_after: soon"}, Rules{}},
		{"rule after no valid date", []string{"unavailable_after: soon, noindex"}, Rules{NoIndex: true}},
		{"odd bytes", []string{":::,,;: \x00 noindex"}, Rules{NoIndex: true}},
		{"empty", []string{""}, Rules{}},
	} {
		var got Rules
		if got.NoIndex, got.NoFollow, got.UnavailableAfter = Robots(tt.values); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

package extension

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// videoObject returns what a video must have, with more before the last brace.
func videoObject(more string) string {
	return jsonLD(`{"@type":"VideoObject","name":"A  film","description":"What it shows","thumbnailUrl":"/t.jpg"` + more +
		`}`)
}

func wantVideo(content, player string) video {
	return video{Thumbnail: "/t.jpg", Title: "A film", Description: "What it shows", Content: content, Player: player}
}

var (
	full = video{
		Thumbnail: "/t.jpg", Title: "A film", Description: "What it shows", Content: "/v.mp4", Player: "/embed/1",
		Seconds: 3723, Published: date(time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC).Unix()),
	}
)

var videoTests = []struct {
	name, html string
	want       []video
}{
	{"file", videoObject(`,"contentUrl":"/v.mp4"`), []video{wantVideo("/v.mp4", "")}},
	{"everything", videoObject(`,"contentUrl":"/v.mp4","embedUrl":"/embed/1","duration":"PT1H2M3S","uploadDate":"2026-11-20T10:00:00+01:00"`), []video{full}},
	{"image objects", jsonLD(`{"@type":"VideoObject","name":"A film","description":"What it shows","thumbnail":{"@type":"ImageObject","contentUrl":"/t.jpg"},"contentUrl":"/v.mp4"}`), []video{wantVideo("/v.mp4", "")}},
	{"in an article", jsonLD(`{"@type":"Article","video":{"@type":"VideoObject","name":"A film","description":"What it shows","thumbnailUrl":"/t.jpg","embedUrl":"/embed/1"}}`), []video{wantVideo("", "/embed/1")}},
	{"in a list of others", jsonLD(`{"@type":"ItemList","itemListElement":[{"@type":"VideoObject","name":"A film","description":"What it shows","thumbnailUrl":"/t.jpg","embedUrl":"/embed/1"}]}`), nil},
	{"twice", videoObject(`,"contentUrl":"/v.mp4"`) + videoObject(`,"contentUrl":"/v.mp4"`),
		[]video{wantVideo("/v.mp4", "")}},
	{"no description", jsonLD(`{"@type":"VideoObject","name":"A film","thumbnailUrl":"/t.jpg","contentUrl":"/v.mp4"}`),
		nil},
	{"not JSON", `<script type="application/ld+json">{"@type":"VideoObject",</script>`, nil},
}

func TestVideosAreReadFromStructuredData(t *testing.T) {
	for _, tt := range videoTests {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(t, tt.html).Videos; !slices.Equal(got, tt.want) {
				t.Errorf("videos %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestDurationsAreReadAsSeconds(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want int
	}{
		{"PT1H2M3S", 3723}, {"PT90S", 90}, {" PT2M ", 120}, {"PT1.9S", 1}, {"P0DT0H5M", 300}, {"PT8H", maxDuration},
		{"", 0}, {"P", 0}, {"PT", 0}, {"90", 0}, {"1:30", 0}, {"PT90", 0}, {"PTS", 0}, {"P1M", 0}, {"P1Y", 0}, {"PT1D", 0},
		{"P1S", 0},
		{"PT1..5S", 0}, {"-PT1S", 0}, {"PT-1S", 0}, {"PT8H1S", 0}, {"P1DT1S", 0}, {"P7D", 0},
		{"PT" + strings.Repeat("9", 400) + "S", 0}, {"PT1HT1M", 0},
	} {
		if got := isoSeconds(tt.s); got != tt.want {
			t.Errorf("isoSeconds(%q) = %d, want %d", tt.s, got, tt.want)
		}
	}
}

package extension

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/page/html"
)

// videos are those that a page describes in its structured data.
var videos = Extension{
	Namespace: `xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"`,
	Read:      func(p *Page) []byte { return elementsOf("video:video", readVideos(p), maxVideoBytes) },
}

// video is what a sitemap says about a video, in the order of the schema.
type video struct {
	Thumbnail   string `xml:"video:thumbnail_loc"`
	Title       string `xml:"video:title"`
	Description string `xml:"video:description"`
	Content     string `xml:"video:content_loc,omitempty"` // the video file; this or Player is required
	Player      string `xml:"video:player_loc,omitempty"`
	Seconds     int    `xml:"video:duration,omitempty"`
	Published   date   `xml:"video:publication_date,omitempty"`
}

var videoType = regexp.MustCompile(`\bVideoObject$`)

// The limits for the videos of one page.
const (
	maxVideos      = 4
	maxVideoBytes  = 24 << 10 // of elements
	maxTries       = 1_000    // things of structured data that are judged
	maxDescription = 2_048    // bytes
	maxDuration    = 28_800   // seconds; a longer one is left out
)

// complete reports whether it has all that a sitemap must say of a video.
func (v *video) complete() bool {
	return v.Thumbnail != "" && v.Title != "" && v.Description != "" && v.Content+v.Player != ""
}

// readVideos returns the videos in the structured data that a sitemap can list.
func readVideos(p *Page) (found []video) {
	b := newBase(p)
	for _, t := range p.Things[:min(len(p.Things), maxTries)] {
		if !t.Is(videoType) {
			continue
		}
		v := fromData(b, t)
		same := func(w video) bool { return v.Content == w.Content && v.Player == w.Player }
		if len(found) < maxVideos && v.complete() && !slices.ContainsFunc(found, same) {
			found = append(found, v)
		}
	}
	return found
}

// fromData returns the video that a VideoObject describes.
func fromData(b base, t html.Thing) video {
	return video{
		Thumbnail:   b.urlOf(t, "thumbnailUrl", "thumbnail", "image"),
		Title:       cmp.Or(text(t, "name", maxText), text(t, "headline", maxText)),
		Description: text(t, "description", maxDescription),
		Content:     b.urlOf(t, "contentUrl"),
		Player:      b.urlOf(t, "embedUrl"),
		Seconds:     isoSeconds(t.Text("duration")),
		Published:   cmp.Or(dateOf(t.Text("uploadDate")), dateOf(t.Text("datePublished"))),
	}
}

// isoSeconds returns the seconds of an ISO 8601 duration in hours, minutes and seconds, such as
// PT1H2M3S, rounded down. It returns 0 for anything else: a sitemap cannot list a video that lasts
// days.
func isoSeconds(s string) int {
	days, clock, _ := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "t")
	d, err := time.ParseDuration(clock)
	if err != nil || days != "p" && days != "p0d" || d < 0 || d > maxDuration*time.Second {
		return 0
	}
	return int(d / time.Second)
}

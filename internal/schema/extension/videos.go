package extension

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// videos are those that a page describes in its structured data or the Open Graph.
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

// The limits for the videos of one page.
const (
	maxVideos      = 4
	maxVideoBytes  = 24 << 10 // of elements
	maxVideoTries  = 16       // videos of structured data that are judged
	maxDescription = 2_048    // bytes
	maxDuration    = 28_800   // seconds; a longer one is left out
)

// complete reports whether it has all that a sitemap must say of a video.
func (v *video) complete() bool {
	return v.Thumbnail != "" && v.Title != "" && v.Description != "" && v.Content+v.Player != ""
}

// readVideos returns the videos in the structured data that a sitemap can list, or else the Open
// Graph's video.
func readVideos(p *Page) (found []video) {
	b, ok := newBase(p)
	if p.Media == nil || !ok {
		return nil
	}
	d, og := readData(p.Media.Data), openGraph(p.Media.Properties)
	add := func(v video) bool {
		same := func(w video) bool { return v.Content == w.Content && v.Player == w.Player }
		if !v.complete() || slices.ContainsFunc(found, same) {
			return true
		}
		if len(found) == maxVideos {
			return false
		}
		found = append(found, v)
		return true
	}
	for _, t := range d.videos {
		if !add(fromData(b, t)) {
			break
		}
	}
	if len(found) == 0 {
		add(fromOpenGraph(b, og))
	}
	return found
}

// fromData returns the video that a VideoObject describes.
func fromData(b base, t thing) video {
	return video{
		Thumbnail:   t.url(b, "thumbnailUrl", "thumbnail", "image"),
		Title:       cmp.Or(t.text("name", maxText), t.text("headline", maxText)),
		Description: t.text("description", maxDescription),
		Content:     t.url(b, "contentUrl"),
		Player:      t.url(b, "embedUrl"),
		Seconds:     isoSeconds(t.raw("duration")),
		Published:   cmp.Or(dateOf(t.raw("uploadDate")), dateOf(t.raw("datePublished"))),
	}
}

// fromOpenGraph returns the first video that the Open Graph describes.
func fromOpenGraph(b base, og openGraph) video {
	v := video{
		Thumbnail:   b.url(og.first("og:image", "og:image:url")),
		Title:       og.text(maxText, "og:title"),
		Description: og.text(maxDescription, "og:description"),
		Published:   dateOf(og.first("video:release_date", "og:video:release_date")),
	}
	seconds, err := strconv.Atoi(strings.TrimSpace(og.first("video:duration", "og:video:duration")))
	if err == nil && seconds > 0 && seconds <= maxDuration {
		v.Seconds = seconds
	}
	u := b.url(cmp.Or(og.first("og:video:secure_url"), og.first("og:video", "og:video:url")))
	switch typ := strings.ToLower(strings.TrimSpace(og.first("og:video:type"))); {
	case strings.HasPrefix(typ, "text/html"):
		v.Player = u
	case strings.HasPrefix(typ, "video/"), typ == "" && isVideoFile(u):
		v.Content = u
	}
	return v
}

// isVideoFile reports whether a URL ends in the name of a video file.
func isVideoFile(u string) bool {
	name, _, _ := strings.Cut(u, "?")
	switch strings.ToLower(path.Ext(name)) {
	case ".mp4", ".m4v", ".mov", ".webm", ".ogv", ".m3u8", ".mpg", ".mpeg":
		return true
	}
	return false
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

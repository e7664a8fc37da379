package media

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/publish/sitemap"
)

// maxDescription bounds the description of a video, in bytes.
const maxDescription = 2_048

// listVideos returns the videos in the structured data that a sitemap can list, or else the Open
// Graph's video.
func (d *data) listVideos(b base, og openGraph) (found []sitemap.Video) {
	size := 0
	add := func(v sitemap.Video) bool {
		same := func(w sitemap.Video) bool { return v.Content == w.Content && v.Player == w.Player }
		if x := (sitemap.Extension{Videos: []sitemap.Video{v}}); !x.Valid() || slices.ContainsFunc(found, same) {
			return true
		}
		size += len(v.Thumbnail) + len(v.Title) + len(v.Description) + len(v.Content) + len(v.Player)
		if size > maxVideoBytes || len(found) == maxVideos {
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
func fromData(b base, t thing) sitemap.Video {
	return sitemap.Video{
		Thumbnail:   t.url(b, "thumbnailUrl", "thumbnail", "image"),
		Title:       cmp.Or(t.text("name", maxText), t.text("headline", maxText)),
		Description: t.text("description", maxDescription),
		Content:     t.url(b, "contentUrl"),
		Player:      t.url(b, "embedUrl"),
		Seconds:     isoSeconds(t.raw("duration")),
		Published:   cmp.Or(unix(t.raw("uploadDate")), unix(t.raw("datePublished"))),
	}
}

// fromOpenGraph returns the first video that the Open Graph describes.
func fromOpenGraph(b base, og openGraph) sitemap.Video {
	v := sitemap.Video{
		Thumbnail:   b.url(og.first("og:image", "og:image:url")),
		Title:       og.text(maxText, "og:title"),
		Description: og.text(maxDescription, "og:description"),
		Published:   unix(og.first("video:release_date", "og:video:release_date")),
	}
	v.Seconds, _ = strconv.Atoi(strings.TrimSpace(og.first("video:duration", "og:video:duration"))) // 0 if this fails
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
	if err != nil || days != "p" && days != "p0d" || d < 0 || d > sitemap.MaxDuration*time.Second {
		return 0
	}
	return int(d / time.Second)
}

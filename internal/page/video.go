package page

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Video is a video that the page shows.
type Video struct {
	Thumbnail   string    // where an image of it is, as written, never empty
	Title       string    // white space collapsed, at most 300 bytes, never empty
	Description string    // white space collapsed, at most 2,048 bytes, never empty
	Content     string    // where the video is, as written; it or Player is not empty
	Player      string    // where a player of it is, as written
	Seconds     int       // how long it is, 0 where the page does not say it
	Published   time.Time // zero where the page does not say it
}

// complete reports whether a sitemap can list v.
func (v *Video) complete() bool {
	return v.Thumbnail != "" && v.Title != "" && v.Description != "" && (v.Content != "" || v.Player != "")
}

// addVideo takes a VideoObject (schema.org).
func (m *media) addVideo(t thing) {
	v := Video{
		Thumbnail:   t.href("thumbnailUrl", "thumbnail", "image"),
		Title:       t.text("name", maxTitle),
		Description: t.text("description", maxDescription),
		Content:     t.href("contentUrl"),
		Player:      t.href("embedUrl"),
		Seconds:     isoSeconds(firstString(t["duration"])),
		Published:   pageDate(firstString(t["uploadDate"])),
	}
	fill(&v.Title, t.text("headline", maxTitle))
	if v.Published.IsZero() {
		v.Published = pageDate(firstString(t["datePublished"]))
	}
	if v.complete() && len(m.videos) < maxVideos && !slices.ContainsFunc(m.videos, v.same) {
		m.videos = append(m.videos, v)
	}
}

// same reports whether w is the same video, said again.
func (v *Video) same(w Video) bool { return v.Content == w.Content && v.Player == w.Player }

// allVideos returns the videos of the structured data, or else that of the Open
// Graph.
func (m *media) allVideos() []Video {
	if len(m.videos) > 0 {
		return m.videos
	}
	g := &m.og
	v := Video{
		Thumbnail:   mediaHref(g.image),
		Title:       plainText(g.title, maxTitle),
		Description: plainText(g.description, maxDescription),
		Published:   pageDate(g.video.released),
	}
	g.video.settle()
	v.Content, v.Player = g.video.content, g.video.player
	if n, err := strconv.Atoi(strings.TrimSpace(g.video.duration)); err == nil {
		v.Seconds = max(n, 0)
	}
	if !v.complete() {
		return nil
	}
	return []Video{v}
}

// ogVideo gathers the videos of the Open Graph. Properties that follow an
// address describe it.
type ogVideo struct {
	address, typ       string // of the one being read
	content, player    string // the first of each kind
	duration, released string
}

func (o *ogVideo) take(name, content string) {
	switch name {
	case "og:video", "og:video:url":
		if content != o.address {
			o.settle()
			o.address = content
		}
	case "og:video:secure_url":
		o.address = content
	case "og:video:type":
		o.typ = content
	case "video:duration", "og:video:duration":
		fill(&o.duration, content)
	case "video:release_date", "og:video:release_date":
		fill(&o.released, content)
	}
}

// settle decides what the one being read is: a file or a player. What does not
// say so is neither.
func (o *ogVideo) settle() {
	href := mediaHref(o.address)
	typ := strings.ToLower(strings.TrimSpace(o.typ))
	o.address, o.typ = "", ""
	switch {
	case href == "":
	case strings.HasPrefix(typ, "text/html"):
		fill(&o.player, href)
	case strings.HasPrefix(typ, "video/"), typ == "" && isVideoFile(href):
		fill(&o.content, href)
	}
}

// isVideoFile reports whether a reference ends in the name of a video file.
func isVideoFile(href string) bool {
	path, _, _ := strings.Cut(href, "#")
	path, _, _ = strings.Cut(path, "?")
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 || len(path)-dot > len(".webm") {
		return false
	}
	switch strings.ToLower(path[dot+1:]) {
	case "mp4", "m4v", "mov", "webm", "ogv", "m3u8", "mpg", "mpeg":
		return true
	}
	return false
}

// maxSeconds is the longest duration that is believed: a week.
const maxSeconds = 7 * 86_400

// isoSeconds returns a duration of ISO 8601 in days, hours, minutes and
// seconds, such as PT1H2M3S, rounded down; 0 for what is none.
func isoSeconds(s string) int {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "P")
	if !ok {
		return 0
	}
	total, inTime := 0.0, false
	for rest != "" {
		if after, ok := strings.CutPrefix(rest, "T"); ok && !inTime {
			rest, inTime = after, true
			continue
		}
		n := strings.IndexFunc(rest, func(c rune) bool { return c != '.' && (c < '0' || c > '9') })
		if n <= 0 {
			return 0
		}
		value, err := strconv.ParseFloat(rest[:n], 64)
		unit := unitSeconds(rest[n], inTime)
		if err != nil || unit == 0 {
			return 0
		}
		total += value * unit
		rest = rest[n+1:]
	}
	if total > maxSeconds {
		return 0
	}
	return int(total)
}

// unitSeconds returns how long a unit is, 0 for what is none.
func unitSeconds(unit byte, inTime bool) float64 {
	switch {
	case !inTime && unit == 'D':
		return 86_400
	case inTime && unit == 'H':
		return 3_600
	case inTime && unit == 'M':
		return 60
	case inTime && unit == 'S':
		return 1
	}
	return 0
}

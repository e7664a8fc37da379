package look

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/capability"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/sitemap"
)

// What bounds the extensions of one page, so that its entry stays small.
const (
	imagesKept  = 20
	imagesBytes = 4 << 10
	videosKept  = 4
	videosBytes = 8 << 10
)

// ByReading are the extensions that take a reading of the page; alternates are
// known in any case.
const ByReading = sitemap.Images | sitemap.NewsItem | sitemap.Videos

// gather returns what a page that was read shows of the extensions that are
// wanted, nil for nothing.
func gather(norm *location.Normalizer, want sitemap.Namespaces, k *Look, facts *page.Facts) *book.Extension {
	if want&ByReading == 0 {
		return nil
	}
	from, ok := mediaBase(norm, k.Location, facts.Base)
	if !ok {
		return nil
	}
	x := new(book.Extension)
	if want&sitemap.Images != 0 {
		x.Images = images(from, facts.MainImages)
	}
	if want&sitemap.NewsItem != 0 {
		x.News = article(k, facts.News)
	}
	if want&sitemap.Videos != 0 {
		x.Videos = videos(from, facts.Videos)
	}
	return x
}

func images(from mediaFrom, srcs []string) (found []string) {
	size := 0
	for _, src := range srcs {
		u := from.url(src)
		if u == "" || slices.Contains(found, u) {
			continue
		}
		if size += len(u); size > imagesBytes || len(found) == imagesKept {
			break
		}
		found = append(found, u)
	}
	return found
}

// article returns what a page says of itself as an article, nil if that is too old
// for news. One that is dated ahead by more than time zones explain is none.
func article(k *Look, n *page.News) *sitemap.News {
	if n == nil {
		return nil
	}
	age := k.At.Sub(n.Published)
	language := sitemap.NewsLanguage(n.Language)
	if language == "" || age >= book.NewsFor || age <= -24*time.Hour {
		return nil
	}
	return &sitemap.News{Publication: n.Publication, Language: language, Published: n.Published.Unix(), Title: n.Title}
}

func videos(from mediaFrom, all []page.Video) (found []sitemap.Video) {
	size := 0
	for _, v := range all {
		w := sitemap.Video{
			Thumbnail: from.url(v.Thumbnail), Title: v.Title, Description: v.Description,
			Content: from.url(v.Content), Player: from.url(v.Player), Seconds: v.Seconds,
		}
		if !v.Published.IsZero() {
			w.Published = v.Published.Unix()
		}
		if valid := (sitemap.Extension{Videos: []sitemap.Video{w}}); !valid.Valid() {
			continue
		}
		size += len(w.Thumbnail) + len(w.Title) + len(w.Description) + len(w.Content) + len(w.Player)
		if size > videosBytes || len(found) == videosKept {
			break
		}
		found = append(found, w)
	}
	return found
}

// mediaFrom is what the references of a page to its media are read by: the URL
// that they are relative to, and the site's own host.
type mediaFrom struct {
	base *url.URL
	own  string
}

func mediaBase(norm *location.Normalizer, from, base string) (mediaFrom, bool) {
	u, err := url.Parse(norm.Origin().URL(from))
	if err != nil {
		return mediaFrom{}, false
	}
	own := u.Host
	if named, ok := parseMedia(u, base); ok && base != "" {
		u = named
	}
	return mediaFrom{u, own}, true
}

// parseMedia resolves a reference as browsers do, where they and package net/url
// could mean different hosts.
func parseMedia(base *url.URL, href string) (*url.URL, bool) {
	href = location.Clean(href)
	if strings.HasPrefix(href, "///") {
		return nil, false // a host for browsers, and a path for net/url
	}
	u, err := base.Parse(href)
	return u, err == nil
}

// url returns the absolute URL of an image or a video, "" for one that has no
// place in a sitemap. It may be on another host, as what a site shows often is;
// but nothing may let in who has it, say who somebody is, or name what only the
// site's own network reaches, as a base does that was made of what a proxy asked
// for.
func (from mediaFrom) url(href string) string {
	if href == "" {
		return ""
	}
	u, ok := parseMedia(from.base, href)
	if !ok || u.User != nil || u.Opaque != "" || signed(u) || namesSomebody(u) {
		return ""
	}
	if u.Host != from.own {
		host, public := location.PublicHost(u.Scheme, u.Host)
		if !public {
			return ""
		}
		u.Host = host
	}
	u.Fragment, u.RawFragment = "", ""
	s := u.String()
	if !sitemap.ValidAddress(s) {
		return ""
	}
	return s
}

// signed reports whether a URL lets in who has it: it is signed, or has a token.
// Some signatures stand in the path, as in "/token=exp=1~hmac=2/" and in the
// "/s--1a2b3c--/" of Cloudinary.
func signed(u *url.URL) bool {
	var short [len(shortSigning)]bool
	for item := range strings.FieldsFuncSeq(u.RawQuery, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(item, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || signing(name) {
			return true
		}
		if i := slices.Index(shortSigning[:], strings.ToLower(name)); i >= 0 {
			short[i] = true
		}
	}
	for _, pair := range shortPairs {
		if short[pair[0]] && short[pair[1]] {
			return true
		}
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if len(segment) > len("s----") && strings.HasPrefix(segment, "s--") && strings.HasSuffix(segment, "--") {
			return true
		}
		for item := range strings.FieldsFuncSeq(segment, func(c rune) bool { return strings.ContainsRune("~&;,!", c) }) {
			if name, _, ok := strings.Cut(item, "="); ok && signing(name) {
				return true
			}
		}
	}
	location := u.EscapedPath()
	if u.RawQuery != "" {
		location += "?" + u.RawQuery
	}
	return capability.Looks(location)
}

// shortSigning are names of parameters that only sign a URL in pairs: a time and
// a hash, as nginx (secure_link), the networks of Meta, LinkedIn and Discord and
// Qiniu have them.
var shortSigning = [...]string{"st", "e", "oh", "oe", "t", "ex", "hm"}

var shortPairs = [...][2]int{{0, 1}, {2, 3}, {1, 4}, {5, 6}}

// signing reports whether a parameter is one of those that stores of files and
// delivery networks sign their URLs with, or is named like a secret.
func signing(name string) bool {
	if capability.Variable("{" + name + "}") {
		return true
	}
	name = strings.ToLower(name)
	switch name {
	case "policy", "key-pair-id", "sp", "se", "sv", "sr", "awsaccesskeyid", "googleaccessid", "ossaccesskeyid", "keyname", "urlprefix",
		"exp", "acl", "md5", "hdnts", "hdnea", "hdntl", "__gda__", "_nc_ohc", "wssecret", "wstime", "txsecret", "txtime", "rlkey":
		return true
	}
	return strings.HasPrefix(name, "x-amz-") || strings.HasPrefix(name, "x-goog-") || strings.Contains(name, "expir")
}

// namesSomebody reports whether a URL has an e-mail address, also one that is
// escaped for another URL within it.
func namesSomebody(u *url.URL) bool {
	text := u.Path + "?" + u.RawQuery
	for range 3 {
		if location.HasEmail([]byte(atVariant.ReplaceAllString(text, "$1"))) {
			return true
		}
		plain, err := url.PathUnescape(text)
		if err != nil || plain == text {
			return false
		}
		text = plain
	}
	return true // escaped more often than is told
}

// atVariant finds the name of a variant of an image, as in "logo@2x.png", which
// is no e-mail address.
var atVariant = regexp.MustCompile(`(?i)@[a-z0-9_-]+\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|heic|jxl|mp4|webm)($|[^a-z0-9._-])`)

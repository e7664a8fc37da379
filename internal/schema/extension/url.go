package extension

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/page/location"
)

// base is the base for a page's references to its media.
type base struct {
	*url.URL
	own    string                     // the site's own host
	hidden func(location string) bool // see Page.Hidden
}

// newBase returns the base of a page.
func newBase(p *Page) base {
	u, _ := url.Parse(p.Norm.Origin().URL(p.Location)) // a location is part of a URL
	b := base{u, u.Host, p.Hidden}
	if u, ok := b.parse(p.Base); ok {
		b.URL = u
	}
	return b
}

// parse resolves a reference. It refuses a reference to the page itself.
func (b base) parse(href string) (*url.URL, bool) {
	u, err := location.ParseLink(href)
	if err != nil || *u == (url.URL{}) || len(href) > maxHref {
		return nil, false
	}
	return b.ResolveReference(u), true
}

// validURL is an absolute URL of ASCII, percent-encoded (RFC 3986).
var validURL = regexp.MustCompile(`^https?://[A-Za-z0-9]` + urlBytes + `(#` + urlBytes + `)?$`)

const urlBytes = `(?:[!$&'()*+,\-./0-9:;=?@A-Z_a-z~]|%[0-9A-Fa-f]{2})*`

// ValidURL reports whether a sitemap may name s, which may come from anybody.
func ValidURL(s string) bool { return len(s) <= maxURL && validURL.MatchString(s) }

// maxURL is how long the protocol allows a URL to be, in bytes.
const maxURL = 2047

// maxHref bounds the references that are resolved, in bytes.
const maxHref = 2048

// url returns the absolute URL of an image or a video, or "" if it must not be in a sitemap. It may
// be on another host. It must not let in whoever has it, or identify somebody. It must not be on a
// host that only the site's own network reaches: a framework may derive the base from a proxy's
// request.
func (b base) url(href string) string {
	u, ok := b.parse(href)
	if !ok || u.User != nil || signed(u) || namesSomebody(u) {
		return ""
	}
	if u.Host != b.own {
		host, public := location.PublicHost(u.Scheme, u.Host)
		if !public {
			return ""
		}
		u.Host = host
	}
	u.Fragment, u.RawFragment = "", ""
	s := u.String()
	if !ValidURL(s) || u.Host == b.own && b.hidden != nil && b.hidden(u.RequestURI()) {
		return ""
	}
	return s
}

// signed reports whether a URL lets in whoever has it, because it is signed or has a token. Some
// signatures are in the path, as in "/token=exp=1~hmac=2/" and in Cloudinary's "/s--1a2b3c--/".
func signed(u *url.URL) bool {
	for item := range strings.FieldsFuncSeq(u.RawQuery, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(item, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || signing(name) {
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

// signing reports whether file stores or delivery networks sign URLs with a parameter of that name,
// or the name is like a secret's. The shortest ones are times and hashes of nginx (secure_link) and
// the networks of Meta, LinkedIn and Discord.
func signing(name string) bool {
	if capability.Variable("{" + name + "}") {
		return true
	}
	name = strings.ToLower(name)
	switch name {
	case "st", "e", "oh", "oe", "ex", "hm", "policy", "key-pair-id", "sp", "se", "sv", "sr", "awsaccesskeyid",
		"googleaccessid", "ossaccesskeyid", "keyname", "urlprefix", "exp", "acl", "md5", "hdnts", "hdnea", "hdntl", "__gda__",
		"_nc_ohc", "wssecret", "wstime", "txsecret", "txtime", "rlkey":
		return true
	}
	return strings.HasPrefix(name, "x-amz-") || strings.HasPrefix(name, "x-goog-") || strings.Contains(name, "expir")
}

// namesSomebody reports whether a URL has an e-mail address, even one that is escaped for another
// URL inside it.
func namesSomebody(u *url.URL) bool {
	text := u.Path + "?" + u.RawQuery
	for range 3 {
		if location.HasEmail(atVariant.ReplaceAllString(text, "$1")) {
			return true
		}
		plain, err := url.PathUnescape(text)
		if err != nil || plain == text {
			return false
		}
		text = plain
	}
	return true // escaped too often to tell
}

// atVariant finds names of image variants, as in "logo@2x.png", which are not e-mail addresses.
var atVariant = regexp.MustCompile(
	`(?i)@[a-z0-9_-]+\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|heic|jxl|mp4|webm)($|[^a-z0-9._-])`)

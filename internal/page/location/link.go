package location

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Resolve returns the location that a link leads to. base is the location of the page with the
// link, or the result of Base for it, or an absolute URL. href is the link as written, with
// entities decoded. An empty href leads to base itself. The result must pass the rules for
// requests. Its host must be the origin's or one of Config.Hosts, with http or https.
func (n *Normalizer) Resolve(base, href string) Result {
	u, reason := n.follow(base, href)
	switch {
	case reason != ReasonNone:
		return Result{Reason: reason}
	case !n.linked(u.Host):
		return Result{Reason: ReasonHost}
	}
	path := u.EscapedPath()
	if strings.Contains(path, ";") {
		path = visitIn.ReplaceAllString(path, "")
	}
	return n.locate(path, strings.ReplaceAll(u.RawQuery, "'", "%27"), true) // as browsers write it
}

// Twin reports whether a link, as Resolve takes it, leads to the host of the origin's twin, and the site does not have
// that host too.
func (n *Normalizer) Twin(base, href string) bool {
	u, reason := n.follow(base, href)
	return reason == ReasonNone && hostKey(u.Host) == hostKey(n.origin.Twin().host) && !n.Names(u.Host)
}

// Safer reports whether an absolute URL has https where the origin has http. Resolve ignores the difference, and the
// other way round the origin is right.
func (n *Normalizer) Safer(link string) bool {
	scheme, _, absolute := strings.Cut(strings.TrimSpace(link), "://")
	return absolute && n.origin.scheme == "http" && strings.EqualFold(scheme, "https")
}

// Elsewhere returns the scheme and host of a link, as Resolve takes it, that leads to another host, and whether
// everybody can find that host. It returns "" for any other link.
func (n *Normalizer) Elsewhere(base, href string) (origin string, public bool) {
	u, reason := n.follow(base, href)
	if reason != ReasonNone || n.linked(u.Host) {
		return "", false
	}
	_, public = PublicHost(u.Scheme, u.Host)
	return u.Scheme + "://" + u.Host, public
}

// Base returns the base for Resolve if the page at location has a base element with this href. As
// in browsers, an href that cannot be a base is ignored, and so is an empty one. The result is then
// location. If the path of href has a character that must not be there, no link has a location.
func (n *Normalizer) Base(location, href string) string {
	if href == "" { // as on nearly all pages
		return location
	}
	u, reason := n.follow(location, href)
	switch reason {
	case ReasonNone:
		return u.String()
	case ReasonCharacter:
		return href // a browser does not ignore it, and Resolve refuses it
	}
	return location
}

// Parse returns the location of a URL or path that the site's owner names, for example one copied
// from a browser. It is public, so it already contains Config.StrippedPrefix.
func (n *Normalizer) Parse(link string) Result {
	link = trim(link)
	if u, err := url.Parse(escapeLink(link)); err == nil && !u.IsAbs() && !strings.HasPrefix(link, "/") {
		return Result{Reason: ReasonForm}
	}
	return n.Resolve("/", link)
}

// follow resolves a link against a base, both as Resolve takes them.
func (n *Normalizer) follow(base, href string) (*url.URL, Reason) {
	if len(base) > maxInput || len(href) > maxInput {
		return nil, ReasonTooLong
	}
	from, err := ParseLink(base)
	if err != nil {
		return nil, ReasonForm
	}
	to, err := ParseLink(href)
	if err != nil {
		return nil, ReasonForm
	}
	if respelled(from) || respelled(to) {
		return nil, ReasonCharacter
	}
	if strings.Contains(to.EscapedPath(), "//") {
		return nil, ReasonSegment // package url drops some of them
	}
	u := n.root.ResolveReference(from).ResolveReference(to)
	if !isWeb(u) {
		return nil, ReasonForm
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u, ReasonNone
}

// ParseLink reads a link without its fragment. It refuses a link with a backslash, which browsers take for a slash, and
// one in which browsers see a host and package url does not.
func ParseLink(s string) (*url.URL, error) {
	s, _, _ = strings.Cut(escapeLink(trim(s)), "#")
	u, err := url.Parse(s)
	if err == nil && (strings.Contains(s, `\`) || u.Host == "" && strings.HasPrefix(s, "//")) {
		return nil, errors.New("location: browsers read this link in another way")
	}
	return u, err
}

// trim removes what browsers remove around a link: spaces and control characters of ASCII alone.
func trim(s string) string { return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }) }

// respelled reports whether package url would write a path in another way than it was spelled. It does so at a
// character that no path may have. A request with that spelling is refused.
func respelled(u *url.URL) bool { return u.RawPath != "" && u.RawPath != u.EscapedPath() }

// isWeb reports whether an absolute URL is one of a web page. It refuses user information, which is
// either a credential or a disguise.
func isWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.Opaque == ""
}

// unsent matches what browsers escape before they request a link, in its path and in its query, and what package url
// would not, or only together with other characters (WHATWG URL, "query percent-encode set").
var unsent = regexp.MustCompile(`[ "<>\x80-\x{10ffff}]`)

func escapeLink(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return c >= utf8.RuneSelf || strings.ContainsRune(` "<>`, c) }) < 0 {
		return s // as nearly all are
	}
	return unsent.ReplaceAllStringFunc(s, url.PathEscape)
}

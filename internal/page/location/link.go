package location

import (
	"bytes"
	"strings"
)

// reference is a link in parts (RFC 3986 section 3), without its fragment. An empty authority means
// the origin's.
type reference struct{ authority, path, query string }

// Resolve returns the location that a link leads to. base is the location of the page with the
// link, or the result of Base for it, or an absolute URL. href is the link as written, with
// entities decoded. Resolve reads href as browsers do (WHATWG URL). It ignores space around it and
// line breaks in it, takes a backslash for a slash, resolves dot segments, and drops the fragment.
// An empty href leads to base itself. The result must pass the rules for requests. Its host must be
// the origin's or one of Config.Hosts, with http or https.
func (n *Normalizer) Resolve(base, href string) Result {
	ref, reason := follow(base, href)
	switch {
	case reason != ReasonNone:
		return Result{Reason: reason}
	case ref.authority != "" && !n.link.hasLink(ref.authority):
		return Result{Reason: ReasonHost}
	}
	return n.locate(ref.path, ref.query, browser)
}

// Twin reports whether a link, as Resolve takes it, leads to the host of the origin's twin and that
// host is not one of the site's.
func (n *Normalizer) Twin(base, href string) bool {
	ref, reason := follow(base, href)
	return reason == ReasonNone && ref.authority != "" && hostKey(ref.authority) == hostKey(n.origin.Twin().host) && !n.link.hasLink(ref.authority)
}

// OtherScheme reports whether an absolute URL has the one of http and https that the origin does not
// have. Resolve ignores that difference.
func (n *Normalizer) OtherScheme(url string) bool {
	scheme, _, absolute := strings.Cut(Clean(url), "://")
	return absolute && !strings.EqualFold(scheme, n.origin.scheme)
}

// Base returns the base for Resolve if the page at location has a base element with this href. As
// in browsers, an href that cannot be a base is ignored, and so is an empty one. The result is then
// location.
func (n *Normalizer) Base(location, href string) string {
	ref, reason := follow(location, href)
	if href == "" || reason != ReasonNone {
		return location
	}
	s := ref.path
	if ref.authority != "" {
		s = n.origin.scheme + "://" + ref.authority + s
	}
	if ref.query != "" {
		s += "?" + ref.query
	}
	return s
}

// Parse returns the location of a URL or path that the site's owner names, for example one copied
// from a browser. It is public, so it already contains Config.StrippedPrefix.
func (n *Normalizer) Parse(url string) Result {
	s := strings.TrimSpace(url)
	if _, absolute := cutHTTP(s); !absolute && !strings.HasPrefix(s, "/") {
		return Result{Reason: ReasonForm}
	}
	return n.Resolve("/", s)
}

// follow resolves a link against a base, both as Resolve takes them.
func follow(base, href string) (reference, Reason) {
	if len(base) > maxInput || len(href) > maxInput {
		return reference{}, ReasonTooLong
	}
	b, ok := resolve(reference{path: "/"}, base)
	if !ok {
		return reference{}, ReasonForm
	}
	ref, ok := resolve(b, href)
	if !ok {
		return reference{}, ReasonForm
	}
	return ref, ReasonNone
}

// resolve resolves a link against a base (RFC 3986 section 5.2.2). It reports false if href is not
// a link to a web page.
func resolve(base reference, href string) (reference, bool) {
	href = Clean(href)
	if after, ok := cutHTTP(href); ok {
		return resolveNetwork(after)
	}
	if hasScheme(href) {
		return reference{}, false
	}
	if strings.HasPrefix(href, "//") {
		return resolveNetwork(href)
	}
	path, query, hasQuery := strings.Cut(href, "?")
	switch {
	case path == "" && !hasQuery:
		return base, true
	case path == "":
		path = base.path
	case path[0] != '/':
		path = base.path[:strings.LastIndexByte(base.path, '/')+1] + path
	}
	return reference{base.authority, removeDots(path), query}, true
}

// resolveNetwork reads the part of a URL after the scheme.
func resolveNetwork(s string) (reference, bool) {
	authority, rest, ok := cutNetwork(s)
	path, query, _ := strings.Cut(rest, "?")
	if path == "" {
		path = "/"
	}
	return reference{authority, removeDots(path), query}, ok
}

// cutNetwork splits the part of a URL after the scheme into the authority and the rest. It refuses
// user information, which is either a credential or a disguise.
func cutNetwork(s string) (authority, rest string, ok bool) {
	after, ok := strings.CutPrefix(s, "//")
	if !ok {
		return "", "", false
	}
	authority, rest = cutAuthority(after)
	return authority, rest, authority != "" && strings.IndexByte(authority, '@') < 0
}

// cutAuthority splits the part of a URL after "//" where the authority ends.
func cutAuthority(s string) (authority, rest string) {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// cutHTTP returns what comes after "http:" or "https:", in any case.
func cutHTTP(s string) (after string, ok bool) {
	for _, scheme := range [...]string{"http:", "https:"} {
		if len(s) >= len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return s[len(scheme):], true
		}
	}
	return "", false
}

// hasScheme reports whether s starts with a scheme (RFC 3986 section 3.1).
func hasScheme(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return i > 0 && c == ':'
		}
	}
	return false
}

// Clean returns a link as browsers read it: without space around it, line breaks and fragment, and
// with slashes for backslashes.
func Clean(href string) string {
	href = strings.TrimFunc(href, func(r rune) bool { return r <= ' ' })
	if i := strings.IndexByte(href, '#'); i >= 0 {
		href = href[:i]
	}
	if !strings.ContainsAny(href, "\t\n\r\\") {
		return href
	}
	b := make([]byte, 0, len(href))
	inQuery := false
	for i := range len(href) {
		c := href[i]
		switch {
		case c == '\t', c == '\n', c == '\r':
			continue
		case c == '?':
			inQuery = true
		case c == '\\' && !inQuery:
			c = '/'
		}
		b = append(b, c)
	}
	return string(b)
}

// removeDots resolves the dot segments of a path that starts with a slash (RFC 3986 section 5.2.4).
// As in browsers, an escaped dot is a dot.
func removeDots(path string) string {
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%2") {
		return path
	}
	out := make([]byte, 0, len(path))
	for rest := path[1:]; ; {
		segment, after, more := strings.Cut(rest, "/")
		switch dots(segment) {
		case 0:
			out = append(append(out, '/'), segment...)
		case 2:
			out = out[:max(bytes.LastIndexByte(out, '/'), 0)]
		}
		if !more {
			if dots(segment) > 0 {
				out = append(out, '/')
			}
			return string(out)
		}
		rest = after
	}
}

// dots returns 1 or 2 for a segment of one or two dots, and 0 for any other segment.
func dots(segment string) int {
	n := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && strings.EqualFold(segment[:3], "%2e"):
			segment = segment[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

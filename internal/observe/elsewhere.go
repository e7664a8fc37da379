package observe

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/servemap/servemap/internal/decide/forwarded"
)

// elsewhere reports whether a forwarding header names another host, path or prefix than those of the page that
// r asks for. A handler may obey the header, and answer for a test copy, another site or another page. A
// stranger can send it too, so the answer says nothing of the page.
func (a *Addresses) elsewhere(r *http.Request, page string) bool {
	for name, lines := range r.Header {
		if !forwarded.Header(name) || !place.MatchString(name) || remote.MatchString(name) {
			continue
		}
		for _, line := range lines {
			for part := range strings.FieldsFuncSeq(line, func(c rune) bool { return strings.ContainsRune(",; \t", c) }) {
				if !a.isHere(part, r, page) {
					return true
				}
			}
		}
	}
	return false
}

var (
	place  = regexp.MustCompile(`(?i)^forwarded$|host|(prefix|script[-_]name|[-_]ur[li]|[-_]path)$`)
	remote = regexp.MustCompile(`(?i)^remote[-_]`) // of the client
)

// isHere reports whether a part of such a header names the page, its host or the prefix that is cut off, or
// something else than a place. Each of several proxies may add its own. The origin's host always is the site's, even
// if Options.Hosts leaves it out: a proxy may ask for the page under its own name for it, and forward the visitor's.
func (a *Addresses) isHere(part string, r *http.Request, page string) bool {
	if key, host, pair := strings.Cut(part, "="); pair && !strings.ContainsAny(key, "/?") { // of Forwarded (RFC 7239, section 4)
		if !strings.EqualFold(key, "host") {
			return true // for=, by= or proto=
		}
		part = strings.Trim(host, `"`)
	}
	norm, prefix := a.Normalizer, strings.TrimSuffix(part, "/")
	return prefix == "" || prefix == a.StrippedPrefix || prefix+"/" == norm.Origin().Folder() || part == r.RequestURI || norm.Ours(part, nearby(r)) ||
		norm.Resolve("/", part).Location == page || norm.Request(r.Host, part).Location == page
}

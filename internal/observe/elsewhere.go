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
			if !a.isHere(name, strings.TrimSpace(line), r, page) {
				return true
			}
		}
	}
	return false
}

// The names of headers, by what their values name.
var (
	place  = regexp.MustCompile(`(?i)^forwarded$|host|(prefix|script[-_]name|[-_]ur[li]|[-_]path)$`)
	remote = regexp.MustCompile(`(?i)^remote[-_]`) // the client, and not a place of the site
	inPath = regexp.MustCompile(`(?i)(prefix|script[-_]name)$`)
	target = regexp.MustCompile(`(?i)[-_](ur[li]|path)$`)
)

// isHere reports whether the value of such a header names the page, its host or the prefix that is cut off, or no
// place at all. Each of several proxies may add its own host, and the part of the prefix that it cuts
// off. The origin's host always is the site's: a proxy may ask for the page under its own name for it, and forward the
// visitor's.
func (a *Addresses) isHere(name, value string, r *http.Request, page string) bool {
	norm := a.Normalizer
	switch {
	case value == "":
		return true
	case target.MatchString(name):
		return value == r.RequestURI || norm.Resolve("/", value).Location == page ||
			norm.Request(r.Host, value).Location == page
	case inPath.MatchString(name):
		prefix := strings.TrimSuffix(strings.NewReplacer(",", "", " ", "").Replace(value), "/")
		return prefix == "" || prefix == a.StrippedPrefix || prefix+"/" == norm.Origin().Folder()
	}
	for part := range strings.FieldsFuncSeq(value, func(c rune) bool { return strings.ContainsRune(",; \t", c) }) {
		key, host, pair := strings.Cut(part, "=")
		switch {
		case pair && !strings.EqualFold(key, "host"): // for=, by= or proto= in Forwarded (RFC 7239, section 4)
			continue
		case !pair:
			host = part
		}
		if host = strings.Trim(host, `"`); host != "" && !norm.Ours(host, nearby(r)) {
			return false
		}
	}
	return true
}

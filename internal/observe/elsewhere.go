package observe

import (
	"net/http"
	"strings"

	"github.com/servemap/servemap/internal/decide/forwarded"
)

// elsewhere reports whether a forwarding header names another host, path or prefix than those of the page that
// r asks for. A handler may obey the header, and answer for a test copy, another site or another page. A
// stranger can send it too, so the answer says nothing of the page.
func (a *Addresses) elsewhere(r *http.Request, page string) bool {
	for name, lines := range r.Header {
		if !forwarded.Header(name) {
			continue
		}
		same := a.sameAs(strings.ReplaceAll(strings.ToLower(name), "_", "-"), r, page)
		for _, line := range lines {
			if same != nil && strings.TrimSpace(line) != "" && !same(line) {
				return true
			}
		}
	}
	return false
}

// sameAs returns what reports whether a header of that name names the page, nil if no such header names one.
func (a *Addresses) sameAs(name string, r *http.Request, page string) func(value string) bool {
	switch {
	case name == "forwarded", strings.Contains(name, "host") && !strings.HasPrefix(name, "remote-"): // which is the client's
		return func(value string) bool { return a.sameHosts(name, value, nearby(r)) }
	case strings.HasSuffix(name, "prefix"), strings.HasSuffix(name, "script-name"):
		return a.samePrefix
	case strings.HasSuffix(name, "-url"), strings.HasSuffix(name, "-uri"), strings.HasSuffix(name, "-path"):
		return func(value string) bool { return a.samePage(value, r, page) }
	}
	return nil
}

// sameHosts reports whether all hosts of a header are the site's. A proxy may ask for the page under its own name for
// it, and forward the visitor's.
func (a *Addresses) sameHosts(name, value string, nearby bool) bool {
	for part := range strings.FieldsFuncSeq(value, func(c rune) bool { return strings.ContainsRune(",; \t", c) }) {
		key, host, pair := strings.Cut(part, "=")
		switch {
		case !pair && name != "forwarded":
			host = part
		case !strings.EqualFold(key, "host"): // for=, by= or proto= in Forwarded (RFC 7239, section 4)
			continue
		}
		if host = strings.Trim(host, `"`); host != "" && !a.Normalizer.Ours(host, nearby) {
			return false
		}
	}
	return true
}

// samePrefix reports whether a header names the prefix that is cut off. Each of several proxies may add its own.
func (a *Addresses) samePrefix(value string) bool {
	prefix := strings.TrimSuffix(strings.NewReplacer(",", "", " ", "").Replace(value), "/")
	return prefix == "" || prefix == a.StrippedPrefix || prefix+"/" == a.Normalizer.Origin().Folder()
}

// samePage reports whether a header names the page, as visitors ask for it or as the request does.
func (a *Addresses) samePage(value string, r *http.Request, page string) bool {
	norm := a.Normalizer
	return value == r.RequestURI || norm.Resolve("/", value).Location == page || norm.Request(r.Host, value).Location == page
}

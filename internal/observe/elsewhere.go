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
		name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
		for _, line := range lines {
			if line = strings.TrimSpace(line); line != "" && !a.names(name, line, r, page) {
				return true
			}
		}
	}
	return false
}

// names reports whether a line of a forwarding header names the page, or says nothing of that.
func (a *Addresses) names(name, line string, r *http.Request, page string) bool {
	switch norm := a.Normalizer; {
	case name == "forwarded", strings.Contains(name, "host") && !strings.HasPrefix(name, "remote-"): // which is the client's
		return a.sameHosts(line, nearby(r))
	case strings.HasSuffix(name, "prefix"), strings.HasSuffix(name, "script-name"): // each of several proxies may add its own
		prefix := strings.TrimSuffix(strings.NewReplacer(",", "", " ", "").Replace(line), "/")
		return prefix == "" || prefix == a.StrippedPrefix || prefix+"/" == norm.Origin().Folder()
	case strings.HasSuffix(name, "-url"), strings.HasSuffix(name, "-uri"), strings.HasSuffix(name, "-path"):
		return line == r.RequestURI || norm.Public(r.Host, line).Location == page || norm.Request(r.Host, line).Location == page
	}
	return true
}

// sameHosts reports whether all hosts of a header are the site's, also one of Forwarded, which has them in pairs
// (RFC 7239, section 4). The origin's host always is, even if Options.Hosts leaves it out: a proxy may ask for the
// page under its own name for it, and forward the visitor's.
func (a *Addresses) sameHosts(line string, nearby bool) bool {
	for part := range strings.FieldsFuncSeq(line, func(c rune) bool { return strings.ContainsRune(",; \t", c) }) {
		key, host, pair := strings.Cut(part, "=")
		if pair && !strings.EqualFold(key, "host") { // for=, by= or proto=
			continue
		}
		if !pair {
			host = part
		}
		if host = strings.Trim(host, `"`); host != "" && !a.Normalizer.Ours(host, nearby) {
			return false
		}
	}
	return true
}

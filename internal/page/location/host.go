package location

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Names reports whether a host, as a request spells it, is the origin's or a configured one. Hosts
// that only a nearby proxy may send do not count.
func (n *Normalizer) Names(host string) bool { return n.hosts[host] || n.hosts[hostKey(host)] }

// linked reports whether the host of a link counts, as in Names. A link may spell it in ways that a
// request cannot. Then the rules for a configured host apply.
func (n *Normalizer) linked(host string) bool {
	if n.Names(host) {
		return true
	}
	name, err := parseHost(host)
	return err == nil && n.Names(name)
}

// hostKey returns a host in the form for comparisons: lower case, without a trailing dot or a
// default port. It drops both default ports whatever the scheme, since a proxy may end TLS. It does
// not check the host.
func hostKey(host string) string {
	u := url.URL{Host: host}
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		return name + ":" + port
	}
	return name
}

const label = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// isLocal reports whether a nearby proxy may send the host instead of the visitor's: an address,
// "localhost" or another name without dots. The public cannot have reached another site under such
// a name.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if strings.Trim(name, label) == "" {
		return name != "" && len(name) <= 63
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (addr.Is4() || host[0] == '[')
}

// hostName matches names in ASCII. Underscores occur in practice.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$`)

// parseHost reads a host that the owner configured. It returns the host in lower case and ASCII, with its port if it
// has one.
func parseHost(s string) (string, error) {
	if strings.Contains(s, "@") {
		return "", errors.New("a user name stands before the host") // a password may follow it
	}
	bad := fmt.Errorf(`%q is not a host name, such as "example.com" or "example.com:8443"; it has no wildcards, and an IPv6 address is in brackets`, s)
	u, err := url.Parse("https://" + s)
	if err != nil || u.Host != s {
		return "", bad
	}
	name := strings.TrimSuffix(u.Hostname(), ".")
	if strings.HasPrefix(s, "[") {
		addr, err := netip.ParseAddr(name)
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", bad
		}
		name = "[" + addr.String() + "]"
	} else if name = toASCII(name); len(name) > 253 || !hostName.MatchString(name) {
		return "", bad
	}
	if !strings.Contains(s[strings.LastIndexByte(s, ']')+1:], ":") {
		return name, nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 || strconv.FormatUint(port, 10) != u.Port() {
		return "", bad
	}
	return name + ":" + u.Port(), nil
}

// toASCII returns a host name as browsers convert it to look it up, or "".
func toASCII(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(name)
	}
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil || !utf8.ValidString(name) { // idna replaces invalid UTF-8 without an error
		return ""
	}
	return ascii
}

// PublicHost returns the host of another site's URL in lower case and ASCII, without the port that
// its scheme implies. It reports false unless the host is a name below a top-level domain that IANA
// has delegated, so that everybody can find it. An address does not count, however it is spelled.
// Browsers take any host that ends in a number for an address, such as "127.1" or "0x7f.1" (WHATWG
// URL, "ends in a number checker"). No top-level domain is a number.
func PublicHost(scheme, host string) (string, bool) {
	host, err := parseHost(host)
	if err != nil {
		return "", false
	}
	name := (&url.URL{Host: host}).Hostname()
	if _, err := netip.ParseAddr(name); err == nil || strings.IndexByte(name, '.') < 0 {
		return "", false
	}
	suffix, delegated := publicsuffix.PublicSuffix(name)
	if !delegated && strings.IndexByte(suffix, '.') < 0 {
		return "", false
	}
	switch suffix[strings.LastIndexByte(suffix, '.')+1:] {
	case "onion", "arpa": // on the list, but not for everybody
		return "", false
	}
	return dropPort(host, scheme), true
}

package location

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// hostSet holds the hosts that count as the site's.
type hostSet struct {
	named   map[string]bool // each as hostKey spells it
	lenient bool            // so do addresses and names of a single label
}

// has reports whether a host, as a request or a link spells it, is in the set.
func (s *hostSet) has(host string) bool { return s.names(host) || s.lenient && isLocal(host) }

// names reports whether a host is one of those that are named in the set.
func (s *hostSet) names(host string) bool { return s.named[hostKey(host)] }

// hasLink reports whether the host of a link is in the set. A link may spell it in ways that a request cannot, and is
// held to the same rules as a configured host then.
func (s *hostSet) hasLink(host string) bool {
	if !isASCII(host) {
		name, err := parseHost(host)
		if err != nil {
			return false
		}
		host = name
	}
	return s.has(host)
}

// hostKey returns the form in which hosts are compared: lower case, without a trailing dot or a default port. Both
// default ports go whatever the scheme, since a proxy may end TLS. It does not check the host.
func hostKey(host string) string {
	name, port := cutPort(host)
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if port == "" || port == "80" || port == "443" {
		return name
	}
	return name + ":" + port
}

// cutPort splits a host into its name, in brackets if it is an IPv6 address, and its port, empty if there is none.
func cutPort(host string) (name, port string) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.IndexByte(host[i:], ']') >= 0 {
		return host, ""
	}
	return host[:i], host[i+1:]
}

// isLocal reports whether a host is what a proxy beside the server sends when it does not pass on the visitor's: an
// address, "localhost" or another name without dots. The public cannot have reached another site under such a name.
func isLocal(host string) bool {
	name, port := cutPort(host)
	if port != "" && !isPort(port) {
		return false
	}
	name = strings.TrimSuffix(name, ".")
	if strings.IndexByte(name, '.') < 0 && isName(name) {
		return true
	}
	if inner, ok := cutBrackets(name); ok {
		name = inner
	} else if strings.IndexByte(name, ':') >= 0 {
		return false
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

func cutBrackets(s string) (string, bool) {
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return "", false
	}
	return s[1 : len(s)-1], true
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && s[0] != '+' && s[0] != '0'
}

// isName reports whether s is a host name in ASCII: labels of letters, digits, hyphens and underscores, RFC 1034
// section 3.5 and what is found in practice.
func isName(s string) bool {
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !isLetter(c) && !isDigit(c) && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// parseHost reads a host that the owner configured and returns it in lower case and ASCII, with its port if it names
// one.
func parseHost(s string) (string, error) {
	if s == "" {
		return "", errors.New(`the host is empty; write it as "example.com"`)
	}
	if strings.IndexByte(s, '@') >= 0 {
		return "", errors.New("a user name stands before the host; write the host alone")
	}
	if strings.ContainsAny(s, "/?#\\ ") {
		return "", fmt.Errorf("%q is not a host; write the host alone, such as %q", s, "example.com")
	}
	name, port := cutPort(s)
	if strings.HasSuffix(s, ":") || port != "" && !isPort(port) {
		return "", fmt.Errorf("host %q has a bad port; it must be a number from 1 to 65535", s)
	}
	name, err := parseHostName(strings.TrimSuffix(name, "."))
	if err != nil {
		return "", err
	}
	if port != "" {
		name += ":" + port
	}
	return name, nil
}

// parseHostName reads a host without its port.
func parseHostName(s string) (string, error) {
	if inner, ok := cutBrackets(s); ok {
		addr, err := netip.ParseAddr(inner)
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", fmt.Errorf("host %q is not an IPv6 address without zone", s)
		}
		return "[" + addr.String() + "]", nil
	}
	name, err := toASCII(s)
	if err != nil {
		return "", err
	}
	if !isName(name) {
		return "", fmt.Errorf("host %q is not a host name; write one such as \"example.com\", each host by itself without wildcards, and an IPv6 address in brackets", s)
	}
	return strings.ToLower(name), nil
}

// toASCII returns a host name in the form that is sent over the wire, as browsers convert it when they look it up.
func toASCII(name string) (string, error) {
	if isASCII(name) {
		return name, nil
	}
	// The conversion would replace what is not UTF-8 and go on.
	if !utf8.ValidString(name) {
		return "", fmt.Errorf("host %q is not UTF-8", name)
	}
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return "", fmt.Errorf("host %q cannot be converted to punycode: %w", name, err)
	}
	return ascii, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

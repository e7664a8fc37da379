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
	named   map[string]bool // keys are as hostKey returns them
	lenient bool            // addresses and names of a single label count too
}

// has reports whether a host, as a request or a link spells it, is in the set.
func (s *hostSet) has(host string) bool { return s.names(host) || s.lenient && isLocal(host) }

// names reports whether the set names a host.
func (s *hostSet) names(host string) bool { return s.named[hostKey(host)] }

// hasLink reports whether the host of a link is in the set. A link may spell it in ways that a
// request cannot. Then the rules for a configured host apply.
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

// hostKey returns a host in the form for comparisons: lower case, without a trailing dot or a
// default port. It drops both default ports whatever the scheme, since a proxy may end TLS. It does
// not check the host.
func hostKey(host string) string {
	name, port := cutPort(host)
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if port == "" || port == "80" || port == "443" {
		return name
	}
	return name + ":" + port
}

// cutPort splits a host into its name and its port. The name of an IPv6 address keeps its brackets.
// The port may be empty.
func cutPort(host string) (name, port string) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.IndexByte(host[i:], ']') >= 0 {
		return host, ""
	}
	return host[:i], host[i+1:]
}

// isLocal reports whether a nearby proxy may send the host instead of the visitor's: an address,
// "localhost" or another name without dots. The public cannot have reached another site under such
// a name.
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

// isName reports whether s is a host name in ASCII: labels of letters, digits, hyphens and
// underscores. See RFC 1034 section 3.5; underscores occur in practice.
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

// parseHost reads a host that the owner configured. It returns it in lower case and ASCII, with its
// port if it has one.
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

// toASCII returns a host name as browsers convert it to look it up.
func toASCII(name string) (string, error) {
	if isASCII(name) {
		return name, nil
	}
	// The conversion would replace invalid UTF-8 without an error.
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

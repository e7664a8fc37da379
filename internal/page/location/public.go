package location

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

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
	name, _ := cutPort(host)
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

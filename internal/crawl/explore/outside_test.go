package explore

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/location"
)

func TestNameWithoutADNSEntryIsToldAsThat(t *testing.T) {
	dns := &net.DNSError{Err: "no such host", Name: "tea.example", Server: "10.0.0.53:53", IsNotFound: true}
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: dns}
	err := withoutURL(&url.Error{Op: "Get", URL: "https://tea.example/draft", Err: dial})
	if err.Error() != "tea.example has no DNS entry yet" || !errors.Is(err, dns) {
		t.Errorf("%q", err)
	}
	dns.IsNotFound = false
	if err := withoutURL(dial); !strings.Contains(err.Error(), "10.0.0.53") {
		t.Errorf("a name server that fails is hidden: %q", err)
	}
}

func TestNameInPublicIsNotFollowedIntoAPrivateNetwork(t *testing.T) {
	for _, tt := range []struct {
		origin, address string
		want            bool
	}{
		{"https://example.com", "93.184.216.34:443", true}, {"https://example.com", "[2606:2800:220:1::1]:443", true},
		{"https://example.com", "127.0.0.1:443", false}, {"https://example.com", "[::1]:443", false},
		{"https://example.com", "10.0.0.7:443", false},
		{"https://example.com", "192.168.1.1:443", false}, {"https://example.com", "[fd00::1]:443", false},
		{"https://example.com", "169.254.169.254:80", false},
		{"https://example.com", "[::ffff:127.0.0.1]:443", false}, {"https://example.com", "100.64.0.1:443", false},
		{"https://example.com", "0.0.0.0:443", false},
		{"https://example.com", "[64:ff9b::7f00:1]:443", false}, {"https://example.com", "[2002:7f00:1::1]:443", false},
		{"https://example.com", "[fec0::1]:443", false}, {"https://example.com", "[::7f00:1]:443", false},
		{"https://example.com", "[fe80::1%eth0]:443", false}, {"https://example.com:8443", "127.0.0.1:8443", false},
		{"http://localhost:8080", "127.0.0.1:8080", true}, {"http://127.0.0.1:8080", "127.0.0.1:8080", true},
		{"http://192.168.1.1", "192.168.1.1:80", true}, {"http://shop.internal", "10.0.0.7:80", true},
	} {
		origin, err := location.ParseOrigin(tt.origin)
		if err != nil {
			t.Fatal(err)
		}
		if got := mayDial(origin, netip.MustParseAddrPort(tt.address).Addr()); got != tt.want {
			t.Errorf("%s at %s: %v, want %v", tt.origin, tt.address, got, tt.want)
		}
	}
}

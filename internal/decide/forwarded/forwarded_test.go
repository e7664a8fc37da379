package forwarded

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func prefixes(list ...string) (ps Proxies) {
	for _, p := range list {
		ps = append(ps, netip.MustParsePrefix(p))
	}
	return ps
}

func TestClientIsTheLastAddressThatNoTrustedProxySent(t *testing.T) {
	ours := prefixes("10.0.0.0/8", "192.0.2.7/32", "2001:db8:1::/48")
	for _, tt := range []struct {
		name, peer string
		forwarded  []string
		trusted    Proxies
		want       string // "" for the zero Addr
	}{
		{"a visitor without a proxy", "198.51.100.1:1", nil, ours, "198.51.100.1"},
		{"a visitor who claims to be another", "198.51.100.1:1", []string{"203.0.113.9"}, ours, "198.51.100.1"},
		{"a visitor who claims to come through our proxy", "198.51.100.1:1", []string{"203.0.113.9, 10.0.0.1"}, ours,
			"198.51.100.1"},
		{"one proxy", "10.1.2.3:1", []string{"203.0.113.9"}, ours, "203.0.113.9"},
		{"the visitor sent one of our addresses", "10.1.2.3:1", []string{"10.9.9.9, 203.0.113.9"}, ours, "203.0.113.9"},
		{"two proxies, in two lines", "192.0.2.7:1", []string{"1.1.1.1, 203.0.113.9", "10.0.0.1"}, ours, "203.0.113.9"},
		{"IPv6 with a port", "[2001:db8:1::1]:1", []string{"[2001:db8:2::1]:4711"}, ours, "2001:db8:2::1"},
		{"IPv4 written as IPv6", "[::ffff:10.1.2.3]:1", []string{"::ffff:203.0.113.9"}, ours, "203.0.113.9"},
		{"no header", "10.1.2.3:1", nil, ours, ""},
		{"an empty element on the right", "10.1.2.3:1", []string{"203.0.113.9,"}, ours, ""},
		{"our own machines alone", "10.1.2.3:1", []string{"10.0.0.2, 10.0.0.1"}, ours, ""},
		{"a peer that is no address", "pipe", []string{"203.0.113.9"}, ours, ""},
		{"no proxy is trusted", "10.1.2.3:1", []string{"203.0.113.9"}, nil, "10.1.2.3"},
		{"a Unix socket, and no proxy is trusted", "@", []string{"203.0.113.9"}, nil, ""},
		{"a Unix socket, by which a proxy on this machine comes", "@", []string{"203.0.113.9"}, ours, "203.0.113.9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want netip.Addr
			if tt.want != "" {
				want = netip.MustParseAddr(tt.want)
			}
			r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
			base.Equal(t, tt.trusted.Client(r), want, "the client")
			if got := strings.Join(r.Header["X-Forwarded-For"], "\n"); got != strings.Join(tt.forwarded, "\n") {
				t.Errorf("the header is now %q", got)
			}
		})
	}
}

func TestParseReadsAListOfProxies(t *testing.T) {
	trusted, err := Parse("10.0.0.0/8, 192.0.2.7,private,")
	base.Check(t, err)
	for addr, want := range map[string]bool{
		"10.1.2.3": true, "192.0.2.7": true, "192.168.1.1": true, "::1": true,
		"192.0.2.8": false, "198.51.100.1": false, "2001:db8::1": false,
	} {
		base.Equal(t, trusted.Has(netip.MustParseAddr(addr)), want, "%s is trusted", addr)
	}
	for _, list := range []string{"all", "10.0.0.0/99", "10.0.0.1;10.0.0.2", "privateer", "privateprivate"} {
		if ps, err := Parse(list); err == nil {
			t.Errorf("%q is read as %v", list, ps)
		}
	}
}

func TestHeadersOfProxiesAreKnown(t *testing.T) {
	for names, want := range map[string]struct{ header, passed bool }{
		"X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded x_forwarded_host X-Original-Url Forwarded " +
			"X-Real-Ip x-real_ip X-Originating-Ip Ali-Cdn-Real-Ip REMOTE_ADDR Cf-Connecting-Ip " +
			"X-Proxyuser-Ip True-Client-Ip Fastly-Client-Ip X-Client-Ip X-Cluster-Client-Ip Fly-Client-Ip " +
			"X-Envoy-External-Address X-Azure-Clientip": {true, true},
		"X.Forwarded.For X!real~ip":                                           {true, false},
		"Via Cdn-Loop X-Amzn-Trace-Id Cf-Ray":                                 {false, true},
		"Accept Host X-Requested-With Referer Origin User-Agent Cookie Cache": {false, false},
	} {
		for name := range strings.FieldsSeq(names) {
			if header, passed := Header(name), Passed(http.Header{"Accept": {"*/*"}, name: {""}}); header != want.header ||
				passed != want.passed {
				t.Errorf("%s: %v and passed on %v, want %+v", name, header, passed, want)
			}
		}
	}
}

package location

import "testing"

func TestPublicHosts(t *testing.T) {
	for _, tt := range []struct{ name, host, want string }{
		{"a domain", "cdn.example.net", "cdn.example.net"},
		{"capitals", "CDN.Example.NET", "cdn.example.net"},
		{"a full stop at the end", "example.com.", "example.com"},
		{"a port", "example.com:8443", "example.com:8443"},
		{"the scheme's port", "example.com:443", "example.com"},
		{"another scheme's port", "example.com:80", "example.com:80"},
		{"a suffix of two labels", "shop.example.co.uk", "shop.example.co.uk"},
		{"a suffix of somebody's", "jane.github.io", "jane.github.io"},
		{"a bucket", "b.s3.amazonaws.com", "b.s3.amazonaws.com"},
		{"another script", "bücher.de", "xn--bcher-kva.de"},
		{"a domain of another script", "пример.рф", "xn--e1afmkfd.xn--p1ai"},
		{"full width", "ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"},
		{"a number below", "127.1.example.com", "127.1.example.com"},
		{"an address below", "127.0.0.1.nip.io", "127.0.0.1.nip.io"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := PublicHost("https", tt.host)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("%q is %q, %v, want %q", tt.host, got, ok, tt.want)
			}
		})
	}
}

func TestHostsThatAreNotPublic(t *testing.T) {
	for kind, hosts := range map[string][]string{
		"an address": {"10.0.0.7", "8.8.8.8", "10.0.0.7:8080", "10.0.0.7.", "[::1]", "[2a00:1450:4001:81b::200e]"},
		"an address in another spelling": {"127.1", "0x7f.1", "2130706433", "0x7f000001", "0177.0.0.1", "images.1", "images.0x",
			"１２７.０.０.１", "127．0．0．1", "127。0。0。1", "①②⑦.⓪.⓪.①"},
		"this machine": {"localhost", "ｌｏｃａｌｈｏｓｔ", "local\u00adhost", "app.localhost"},
		"a name in a private network": {"images", "nas.local", "nas.local.", "NAS.LOCAL", "nas.localdomain", "nas.lan", "nas.home", "nas.home.arpa",
			"images.internal", "10-0-0-7.ec2.internal", "images.private", "images.intranet", "images.corp", "images.default.svc",
			"images.default.svc.cluster.local", "images.service.consul", "images.acme"},
		"a reserved name": {"com", "abcdefghijklmnop.onion", "images.test", "images.example", "images.invalid", "7.0.0.10.in-addr.arpa"},
		"not a host name": {"127%2E1", "example.com..", "a..example.com", "", ".", "example.com:99999", "u@example.com", "exa mple.com"},
	} {
		for _, host := range hosts {
			if got, ok := PublicHost("https", host); ok || got != "" {
				t.Errorf("%q, %s, is taken for %q", host, kind, got)
			}
		}
	}
}

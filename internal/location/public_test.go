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

		{"an address", "10.0.0.7", ""},
		{"an address of the internet", "8.8.8.8", ""},
		{"an address with a port", "10.0.0.7:8080", ""},
		{"an address with a full stop", "10.0.0.7.", ""},
		{"a short address", "127.1", ""},
		{"a hexadecimal address", "0x7f.1", ""},
		{"an address of one number", "2130706433", ""},
		{"one hexadecimal number", "0x7f000001", ""},
		{"an octal address", "0177.0.0.1", ""},
		{"a name that ends in a number", "images.1", ""},
		{"a name that ends in an empty number", "images.0x", ""},
		{"an address of full width", "１２７.０.０.１", ""},
		{"an address with full stops of full width", "127．0．0．1", ""},
		{"an address with Chinese full stops", "127。0。0。1", ""},
		{"an address of circled numbers", "①②⑦.⓪.⓪.①", ""},
		{"IPv6", "[::1]", ""},
		{"IPv6 of the internet", "[2a00:1450:4001:81b::200e]", ""},
		{"localhost", "localhost", ""},
		{"localhost in another script's letters", "ｌｏｃａｌｈｏｓｔ", ""},
		{"localhost with a soft hyphen", "local\u00adhost", ""},
		{"below localhost", "app.localhost", ""},
		{"one label", "images", ""},
		{"a top-level domain", "com", ""},
		{".local", "nas.local", ""},
		{".local, full stop", "nas.local.", ""},
		{".LOCAL", "NAS.LOCAL", ""},
		{".localdomain", "nas.localdomain", ""},
		{".lan", "nas.lan", ""},
		{".home", "nas.home", ""},
		{".home.arpa", "nas.home.arpa", ""},
		{".internal", "images.internal", ""},
		{"of a cloud", "10-0-0-7.ec2.internal", ""},
		{".private", "images.private", ""},
		{".intranet", "images.intranet", ""},
		{".corp", "images.corp", ""},
		{".svc", "images.default.svc", ""},
		{".cluster.local", "images.default.svc.cluster.local", ""},
		{".onion", "abcdefghijklmnop.onion", ""},
		{".test", "images.test", ""},
		{".example", "images.example", ""},
		{".invalid", "images.invalid", ""},
		{".consul", "images.service.consul", ""},
		{"a name of the company's", "images.acme", ""},
		{"reverse", "7.0.0.10.in-addr.arpa", ""},
		{"an escape", "127%2E1", ""},
		{"two full stops", "example.com..", ""},
		{"an empty label", "a..example.com", ""},
		{"nothing", "", ""},
		{"a full stop", ".", ""},
		{"a bad port", "example.com:99999", ""},
		{"a user", "u@example.com", ""},
		{"a space", "exa mple.com", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := PublicHost("https", tt.host)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("%q is %q, %v, want %q", tt.host, got, ok, tt.want)
			}
		})
	}
}

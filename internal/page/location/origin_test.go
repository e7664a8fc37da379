package location

import (
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// longestHost has 253 bytes, and labels of 63.
var longestHost = strings.Repeat(strings.Repeat("a", 63)+".", 3) + strings.Repeat("a", 61)

func TestParseOriginBringsOriginsIntoOneForm(t *testing.T) {
	for _, tt := range []struct {
		name   string
		in     string
		want   string
		host   string
		folder string
	}{
		{"host", "https://example.com", "https://example.com", "example.com", "/"},
		{"folder", "https://example.com/blog", "https://example.com/blog", "example.com", "/blog/"},
		{"folder not in ASCII", "https://example.com/café", "https://example.com/caf%C3%A9", "example.com", "/caf%C3%A9/"},
		{"other port", "https://example.com:8443/a", "https://example.com:8443/a", "example.com:8443", "/a/"},
		{"trailing dot", "https://example.com.", "https://example.com", "example.com", "/"},
		{"host in another script: full width", "https://ｅxample.com", "https://example.com", "example.com", "/"},
		{"longest folder", "https://example.com" + filled("/", maxURL/2-1), "https://example.com" + filled("/", maxURL/2-1),
			"example.com", filled("/", maxURL/2-1) + "/"},
		{"IPv6", "http://[0:0::1]:8080", "http://[::1]:8080", "[::1]:8080", "/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, err := ParseOrigin(tt.in)
			base.Check(t, err)
			if o.String() != tt.want || o.Host() != tt.host || o.Folder() != tt.folder {
				t.Errorf("ParseOrigin(%q) = %q, host %q, folder %q; want %q, %q, %q",
					tt.in, o, o.Host(), o.Folder(), tt.want, tt.host, tt.folder)
			}
			again, err := ParseOrigin(o.String())
			if err != nil || again != o {
				t.Errorf("ParseOrigin(%q) = %v, %v; want the same origin again", o, again, err)
			}
			if got, want := o.URL(o.Folder()+"x?page=2"), strings.TrimSuffix(tt.want, "/")+"/x?page=2"; got != want {
				t.Errorf("URL = %q, want %q", got, want)
			}
		})
	}
}

func TestParseOriginNamesTheDefectOrTheFix(t *testing.T) {
	for _, tt := range []struct {
		name    string
		in      string
		mention string // the defect or the fix
	}{
		{"empty", "", `"" is wrong: it is empty; write it as "https://example.com"`},
		{"a scheme alone", "http://", `"http://" is wrong: it has no host;`},
		{"a port alone", "https://:8080", `it has no host;`},
		{"a path alone", "https:///blog", `it has no host;`},
		{"other scheme", "ftp://example.com", `"ftp://example.com" is wrong: it does not begin with http:// or https://`},
		{"space in front", " https://example.com", `" https://example.com" is wrong: it is not a URL`},
		{"user", "https://user:secret@example.com", `write it as "https://example.com"`},
		{"query", "https://example.com/a?b", `write it as "https://example.com"`},
		{"port too high", "https://example.com:65536", "there is no port 65536"},
		{"IPv6 with zone", "https://[fe80::1%25eth0]", "IPv6"},
		{"wildcard", "https://*.example.com", "wildcard"},
		{"label too long", "https://" + strings.Repeat("a", 64) + ".com", "not a host name"},
		{"folder with dots", "https://example.com/a/../b", goodFolder},
		{"folder a byte too long", "https://example.com" + filled("/", maxURL/2), goodFolder},
		{"host a byte too long", "https://" + longestHost + "a", "not a host name"},
		{"empty user", "https://@example.com", "user name"},
		{"a file", "https://example.com/blog/sitemap.xml", `write it as "https://example.com/blog"`},
		{"no scheme", "example.com/blog", "write https://example.com/blog"},
		{"no scheme, on this machine", "localhost:8080", "write http://localhost:8080"},
		{"host with mixed writing directions", "https://aא.example", "not a host name"},
		{"host with an invisible character", "https://exam\u202eple.com", "not a host name"},
		{"slash by compatibility", "https://example.com\uff0fevil.com", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, err := ParseOrigin(tt.in)
			if err == nil || o != (Origin{}) {
				t.Fatalf("ParseOrigin(%q) = %v, %v; want an error", tt.in, o, err)
			}
			if !strings.Contains(err.Error(), tt.mention) {
				t.Errorf("error %q does not mention %q", err, tt.mention)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("error %q repeats the password", err)
			}
		})
	}
}

func TestTwinIsTheOriginWithOrWithoutWWW(t *testing.T) {
	for _, tt := range []struct {
		origin, twin, href string
		hosts              []string
		want               bool
	}{
		{"https://example.com", "https://www.example.com", "https://www.example.com/a", nil, true},
		{"https://example.com", "https://www.example.com", "//WWW.Example.com./", nil, true},
		{"https://example.com", "https://www.example.com", "http://www.example.com:80/", nil, true},
		{"https://example.com", "https://www.example.com", "https://example.com/a", nil, false},
		{"https://example.com", "https://www.example.com", "/www.example.com", nil, false},
		{"https://example.com", "https://www.example.com", "https://user@www.example.com/", nil, false},
		{"https://example.com", "https://www.example.com", "https://www.example.com/a",
			[]string{"example.com", "www.example.com"}, false},
		{"https://www.example.com/blog", "https://example.com/blog", "https://example.com/", nil, true},
		{"http://example.com:8080", "http://www.example.com:8080", "http://www.example.com:8080/", nil, true},
		{"http://example.com:8080", "http://www.example.com:8080", "http://www.example.com/", nil, false},
	} {
		n := newNormalizer(t, tt.origin, Config{Hosts: tt.hosts})
		origin := n.Origin()
		base.Equal(t, origin.Twin().String(), tt.twin, "the twin of %s is", tt.origin)
		base.Equal(t, n.Twin(origin.Folder(), tt.href), tt.want, "%s leads to the twin of %s", tt.href, tt.origin)
	}
}

// TestPublicAddsNoStrippedPrefix reads a target that no proxy has cut.
func TestPublicAddsNoStrippedPrefix(t *testing.T) {
	n := newNormalizer(t, "https://example.com/blog", Config{StrippedPrefix: "/blog"})
	base.Equal(t, n.Request("example.com", "/a").Location, "/blog/a", "what a proxy has cut is at")
	if got := n.Public("example.com", "/blog/a").Location; got != "/blog/a" {
		t.Errorf("what it has not cut is at %q", got)
	}
}

func TestPublicHostTakesHostsOfTheInternet(t *testing.T) {
	for host, want := range map[string]string{
		"cdn.example.net": "cdn.example.net", "example.com:8443": "example.com:8443", "jane.github.io": "jane.github.io",
		"example.com:443": "example.com", "example.com:80": "example.com:80", // the port of the scheme, and of another one
		"пример.рф": "xn--e1afmkfd.xn--p1ai", "ｅｘａｍｐｌｅ．ｃｏｍ": "example.com", // another script, and full width
	} {
		if got, ok := PublicHost("https", host); got != want || !ok {
			t.Errorf("%q is %q, %v, want %q", host, got, ok, want)
		}
	}
}

func TestPublicHostRefusesOtherHosts(t *testing.T) {
	for kind, hosts := range map[string][]string{
		"an address": {"10.0.0.7", "8.8.8.8", "10.0.0.7:8080", "10.0.0.7.", "[::1]", "[2a00:1450:4001:81b::200e]"},
		"an address in another spelling": {"127.1", "0x7f.1", "2130706433", "0x7f000001", "0177.0.0.1", "images.1",
			"images.0x", "１２７.０.０.１", "127．0．0．1", "127。0。0。1", "①②⑦.⓪.⓪.①"},
		"this machine": {"localhost", "ｌｏｃａｌｈｏｓｔ", "local\u00adhost", "app.localhost"},
		"a name in a private network": {"images", "nas.local", "nas.local.", "NAS.LOCAL", "nas.localdomain", "nas.lan",
			"nas.home", "nas.home.arpa", "images.internal", "10-0-0-7.ec2.internal", "images.private", "images.intranet",
			"images.corp", "images.default.svc",
			"images.default.svc.cluster.local", "images.service.consul", "images.acme"},
		"a reserved name": {"com", "abcdefghijklmnop.onion", "images.test", "images.example", "images.invalid",
			"7.0.0.10.in-addr.arpa"},
		"not a host name": {"127%2E1", "example.com..", "a..example.com", "", ".", "example.com:99999", "u@example.com",
			"exa mple.com"},
	} {
		for _, host := range hosts {
			if got, ok := PublicHost("https", host); ok || got != "" {
				t.Errorf("%q, %s, is taken for %q", host, kind, got)
			}
		}
	}
}

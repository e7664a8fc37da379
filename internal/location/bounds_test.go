package location

import (
	"strings"
	"testing"
)

// filled returns s padded to n bytes.
func filled(s string, n int) string { return s + strings.Repeat("x", n-len(s)) }

func TestRequestAtItsBounds(t *testing.T) {
	n := newShop(t)
	deep := strings.Repeat("/s", maxSegments)
	for _, tt := range []struct {
		name, host, target, want string
		reason                   Reason
	}{
		{"as long as is read", "example.com", filled("/a?utm_source=", maxInput), "/a", ReasonNone},
		{"longer than is read", "example.com", filled("/a?utm_source=", maxInput+1), "", ReasonTooLong},
		{"as long as a location", "example.com", filled("/", maxLocation), filled("/", maxLocation), ReasonNone},
		{"longer than a location", "example.com", filled("/", maxLocation+1), "", ReasonTooLong},
		{"as deep as may be", "example.com", deep, deep, ReasonNone},
		{"deeper", "example.com", deep + "/s", "", ReasonTooLong},
		{"only slashes", "example.com", "//", "", ReasonEmptySegment},
		{"only a dot", "example.com", "/.", "", ReasonDotSegment},
		{"only two dots", "example.com", "/..", "", ReasonDotSegment},
		{"two dots and a slash", "example.com", "/../", "", ReasonDotSegment},
		{"delete character", "example.com", "/a%7F", "", ReasonControl},
		{"last of the second controls", "example.com", "/a%C2%9F", "", ReasonControl},
		{"no-break space, the next", "example.com", "/a%C2%A0", "/a%C2%A0", ReasonNone},
		{"first noncharacter", "example.com", "/a%EF%B7%90", "", ReasonControl},
		{"last of those", "example.com", "/a%EF%B7%AF", "", ReasonControl},
		{"the character before them", "example.com", "/a%EF%B7%8F", "/a%EF%B7%8F", ReasonNone},
		{"the character after them", "example.com", "/a%EF%B7%B0", "/a%EF%B7%B0", ReasonNone},
		{"address after two signs", "example.com", "/@@jane@example.com", "", ReasonEmail},
		{"address that ends in an underscore", "example.com", "/jane_@example.com", "", ReasonEmail},
		{"address that ends in a plus", "example.com", "/jane+@example.com", "", ReasonEmail},
		{"address in capitals", "example.com", "/JANE@EXAMPLE.COM", "", ReasonEmail},
		{"address that ends in a digit", "example.com", "/jane0@host9.com", "", ReasonEmail},
		{"address in another script", "example.com", "/jan%C3%A9@m%C3%BCller.de", "", ReasonEmail},
		{"address with a hyphen", "example.com", "/jane-@my-host.com", "", ReasonEmail},
		{"shortest domain", "example.com", "/jane@b.io", "", ReasonEmail},
		{"last label too short", "example.com", "/jane@abc.d", "/jane@abc.d", ReasonNone},
		{"no first label", "example.com", "/jane@.io", "/jane@.io", ReasonNone},
		{"version", "example.com", "/lib@1.200", "/lib@1.200", ReasonNone},
		{"no address", "example.com", "/jane(@example.com", "/jane(@example.com", ReasonNone},
		{"semicolon in front of a query", "example.com", "/a?;page=2", "", ReasonQuery},
		{"absolute form without slashes", "example.com", "http:a", "", ReasonForm},
		{"absolute form with nothing", "example.com", "http:", "", ReasonForm},
		{"absolute form, empty user", "example.com", "http://@example.com/a", "", ReasonForm},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := n.Request(tt.host, tt.target)
			if got.Location != tt.want || got.Reason != tt.reason {
				t.Errorf("%.60q because of %v, want %.60q because of %v", got.Location, got.Reason, tt.want, tt.reason)
			}
		})
	}
}

// Hosts that a proxy beside the server may send, and what only looks like one.
func TestLocalHosts(t *testing.T) {
	n := newNormalizer(t, "https://example.com", Config{})
	for _, tt := range []struct {
		name, host string
		local      bool
	}{
		{"single label", "app", true},
		{"single label with a port", "app:8080", true},
		{"as long as a label", strings.Repeat("a", 63), true},
		{"longer than a label", strings.Repeat("a", 64), false},
		{"address", "10.0.0.1", true},
		{"address in brackets", "[::1]:80", true},
		{"address without brackets", "::1:80", false},
		{"empty brackets", "[]", false},
		{"dot", ".", false},
		{"only a port", ":80", false},
		{"port 0", "app:0", false},
		{"port with a zero in front", "app:080", false},
		{"port beyond all", "app:65536", false},
		{"highest port", "app:65535", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := n.Request(tt.host, "/a")
			if got.Local != tt.local || (got.Reason == ReasonNone) != tt.local {
				t.Errorf("%q is local: %v, because of %v, want %v", tt.host, got.Local, got.Reason, tt.local)
			}
		})
	}
}

func TestHostNamesAtTheirBounds(t *testing.T) {
	label := strings.Repeat("a", 63)
	longest := strings.Join([]string{label, label, label, label[:61]}, ".") // 253 bytes
	for _, tt := range []struct {
		name, origin, mention string // of the error, "" for none
	}{
		{"longest name", "https://" + longest, ""},
		{"a byte longer", "https://" + longest + "a", "not a host name"},
		{"longest folder", "https://example.com" + filled("/", maxLocation-1), ""},
		{"a byte longer folder", "https://example.com" + filled("/", maxLocation), "can be listed: it is too long"},
		{"empty user", "https://@example.com", "user name"},
		{"not UTF-8", "https://\x80.example", "is not UTF-8"},
		{"not of one script", "https://aא.example", "cannot be converted to punycode"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseOrigin(tt.origin)
			switch {
			case tt.mention == "" && err != nil:
				t.Error(err)
			case tt.mention != "" && (err == nil || !strings.Contains(err.Error(), tt.mention)):
				t.Errorf("the error is %v, want one with %q", err, tt.mention)
			}
		})
	}
	o, err := ParseOrigin("https://example.com")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"user@example.com", "@example.com"} {
		if _, err := New(o, Config{Hosts: []string{host}}); err == nil || !strings.Contains(err.Error(), "user name") {
			t.Errorf("host %q: %v, want an error about the user name", host, err)
		}
	}
}

func TestLinksAtTheirBounds(t *testing.T) {
	n := newShop(t)
	for _, tt := range []struct {
		name, base, href string
		want             Result
	}{
		{"link as long as is read", "/a", filled("/c#", maxInput), Result{Location: "/c"}},
		{"longer than is read", "/a", filled("/c#", maxInput+1), Result{Reason: ReasonTooLong}},
		{"base as long as is read", filled("/a?", maxInput), "/c", Result{Location: "/c"}},
		{"base longer than is read", filled("/a?", maxInput+1), "/c", Result{Reason: ReasonTooLong}},
		{"escaped dots alone", "/a", "/a/%2e%2e/b", Result{Location: "/b"}},
		{"colon in front", "/a/b", ":c", Result{Location: "/a/:c"}},
		{"digit before a colon", "/a/b", "1c:d", Result{Location: "/a/1c:d"}},
		{"plus before a colon", "/a/b", "+c:d", Result{Location: "/a/+c:d"}},
		{"scheme with a digit", "/a", "h2c:x", Result{Reason: ReasonForm}},
		{"scheme with a plus", "/a", "git+ssh:x", Result{Reason: ReasonForm}},
		{"scheme with a hyphen", "/a", "view-source:x", Result{Reason: ReasonForm}},
		{"scheme with a dot", "/a", "com.example:x", Result{Reason: ReasonForm}},
		{"empty user", "/a", "https://@example.com/b", Result{Reason: ReasonForm}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := n.Resolve(tt.base, tt.href); got != tt.want {
				t.Errorf("%.60q leads to %+v, want %+v", tt.href, got, tt.want)
			}
		})
	}
}

func TestBaseAtItsBounds(t *testing.T) {
	n := newShop(t)
	for _, tt := range []struct{ name, location, href, want string }{
		{"as long as is read", "/a", filled("/docs/#", maxInput), "/docs/"},
		{"longer than is read", "/a", filled("/docs/#", maxInput+1), "/a"},
		{"location as long as is read", filled("/a?", maxInput), "/docs/", "/docs/"},
		{"location longer than is read", filled("/a?", maxInput+1), "/docs/", filled("/a?", maxInput+1)},
		{"location that is none", "nothing", "/docs/", "nothing"},
		{"no slashes", "/a", "https:docs", "/a"},
		{"no host", "/a", "https:///docs/", "/a"},
		{"user", "/a", "https://user@example.com/docs/", "/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := n.Base(tt.location, tt.href); got != tt.want {
				t.Errorf("%.60q, want %.60q", got, tt.want)
			}
		})
	}
}

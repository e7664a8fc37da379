package location

import "testing"

func TestHostInAnyScript(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"umlaut", "https://müller.example", "https://xn--mller-kva.example"},
		{"upper case", "https://MÜLLER.example:8443/a", "https://xn--mller-kva.example:8443/a"},
		{"combining mark", "https://mu\u0308ller.example", "https://xn--mller-kva.example"},
		{"sharp s stays one", "https://straße.example", "https://xn--strae-oqa.example"},
		{"Chinese, ideographic full stop", "https://例え。jp", "https://xn--r8jz45g.jp"},
		{"Hebrew", "https://דוגמה.example", "https://xn--6dbbec0c.example"},
		{"full width", "https://ｅxample.com", "https://example.com"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, err := ParseOrigin(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := o.String(); got != tt.want {
				t.Errorf("ParseOrigin(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestHostInAnyScriptRefused(t *testing.T) {
	for _, tt := range []struct{ name, in string }{
		{"writing directions mixed", "https://aא.example"},
		{"invisible character", "https://exam\u202eple.com"},
		{"not UTF-8", "https://\xff.example"},
		{"slash by compatibility", "https://example.com\uff0fevil.com"},
		{"at sign by compatibility", "https://user\uff20evil.com"},
		{"colon by compatibility", "https://evil.com\uff1a80"},
		{"symbol", "https://a\u2100.example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if o, err := ParseOrigin(tt.in); err == nil {
				t.Errorf("ParseOrigin(%q) = %v, want an error", tt.in, o)
			}
		})
	}
}

func TestLinkHostInAnyScript(t *testing.T) {
	n := newNormalizer(t, "https://xn--mller-kva.example", Config{})
	if got, want := n.Resolve("/", "https://MÜLLER.example/a"), (Result{Location: "/a"}); got != want {
		t.Errorf("a link to the origin: %+v, want %+v", got, want)
	}
	if got, want := n.Resolve("/", "https://möller.example/a"), (Result{Reason: ReasonHost}); got != want {
		t.Errorf("a link to another host: %+v, want %+v", got, want)
	}
}

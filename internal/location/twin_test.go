package location

import "testing"

func TestTwin(t *testing.T) {
	for _, tt := range []struct {
		origin, twin, href string
		hosts              []string
		want               bool
	}{
		{"https://example.com", "https://www.example.com", "https://www.example.com/a", nil, true},
		{"https://example.com", "https://www.example.com", "//WWW.Example.com./", nil, true},
		{"https://example.com", "https://www.example.com", "http://www.example.com:80/", nil, true},
		{"https://example.com", "https://www.example.com", "https://example.com/a", nil, false},
		{"https://example.com", "https://www.example.com", "https://www2.example.com/a", nil, false},
		{"https://example.com", "https://www.example.com", "/www.example.com", nil, false},
		{"https://example.com", "https://www.example.com", "https://user@www.example.com/", nil, false},
		{"https://example.com", "https://www.example.com", "mailto:a@www.example.com", nil, false},
		{"https://example.com", "https://www.example.com", "https://www.example.com/a", []string{"example.com", "www.example.com"}, false},
		{"https://www.example.com/blog", "https://example.com/blog", "https://example.com/", nil, true},
		{"http://example.com:8080", "http://www.example.com:8080", "http://www.example.com:8080/", nil, true},
		{"http://example.com:8080", "http://www.example.com:8080", "http://www.example.com/", nil, false},
	} {
		n := newNormalizer(t, tt.origin, Config{Hosts: tt.hosts})
		origin := n.Origin()
		if got := origin.Twin().String(); got != tt.twin {
			t.Errorf("the twin of %s is %s, want %s", tt.origin, got, tt.twin)
		}
		if got := n.Twin(origin.Folder(), tt.href); got != tt.want {
			t.Errorf("%s leads to the twin of %s: %t, want %t", tt.href, tt.origin, got, tt.want)
		}
	}
}

// TestPublicHasTheWholePath reads a target that no proxy has cut.
func TestPublicHasTheWholePath(t *testing.T) {
	n := newNormalizer(t, "https://example.com/blog", Config{StrippedPrefix: "/blog"})
	if got := n.Request("example.com", "/a").Location; got != "/blog/a" {
		t.Errorf("what a proxy has cut is at %q", got)
	}
	if got := n.Public("example.com", "/blog/a").Location; got != "/blog/a" {
		t.Errorf("what it has not cut is at %q", got)
	}
}

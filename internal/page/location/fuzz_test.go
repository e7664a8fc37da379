package location

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// checkResult fails unless r is as every Result must be.
func checkResult(t *testing.T, n *Normalizer, r Result) {
	t.Helper()
	r.Local = false // it depends on the host
	if r.OwnQuery && (r.Reason != ReasonQuery || r.Location == "") {
		t.Fatalf("%+v needs a canonical link without cause", r)
	}
	if (r.Location != "") != (r.Reason == ReasonNone || r.OwnQuery) {
		t.Fatalf("%+v: a location and a reason against it, or neither", r)
	}
	if r.Location == "" {
		return
	}
	if len(n.Origin().URL(r.Location)) > maxURL || !strings.HasPrefix(r.Location, n.Origin().Folder()) {
		t.Fatalf("%q is too long or outside the folder", r.Location)
	}
	for i := range len(r.Location) {
		if c := r.Location[i]; c < 0x21 || c > 0x7E || strings.IndexByte("\"<>\\^`{|}#", c) >= 0 {
			t.Fatalf("%q has the byte %#x", r.Location, c)
		}
	}
	u, err := url.Parse(n.Origin().URL(r.Location))
	if err != nil {
		t.Fatalf("%q cannot be parsed: %v", r.Location, err)
	}
	if u.Host != n.Origin().Host() || u.User != nil || u.Fragment != "" || u.RequestURI() != r.Location {
		t.Fatalf("%q is read as %q on host %q", r.Location, u.RequestURI(), u.Host)
	}
	if again := n.Parse(r.Location); again != r {
		t.Fatalf("Parse(%q) = %+v, want %+v", r.Location, again, r)
	}
	if again := n.Resolve(r.Location, ""); again != r {
		t.Fatalf("Resolve(%q, \"\") = %+v, want %+v", r.Location, again, r)
	}
}

// checkSpelling fails if a link and requests that spell a path alike have different locations.
func checkSpelling(t *testing.T, n *Normalizer, s string) {
	t.Helper()
	if !strings.HasPrefix(s, "/") || len(s) > maxInput/2 {
		return
	}
	request, whole, link := n.Request("example.com", s), n.Request("example.com", "https://example.com"+s),
		n.Resolve("/", s)
	if whole != request {
		t.Fatalf("the request for %q has the location %+v, with the host in it %+v", s, request, whole)
	}
	switch {
	case link == request, link.Location == "" && request.Location == "":
	case request.Location == "" && (rewritten(s) || tracked(s)):
	default:
		t.Fatalf("the link %q has the location %+v, the request %+v", s, link, request)
	}
}

// tracked reports whether a target has a tracking parameter.
func tracked(s string) bool {
	_, query, _ := strings.Cut(s, "?")
	return slices.ContainsFunc(strings.Split(query, "&"), func(pair string) bool {
		key, _, _ := strings.Cut(pair, "=")
		return tracking.MatchString(key)
	})
}

func control(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F })
}

// rewritten reports whether browsers make another request of a link than it is spelled.
func rewritten(s string) bool {
	path, _, _ := strings.Cut(s, "?")
	return strings.HasPrefix(s, "//") || strings.ContainsAny(s, " '#\"<>") || control(s) ||
		strings.Contains(path+"/", "/./") || strings.Contains(path+"/", "/../")
}

func TestAPageHasOneLocationInLinksAndRequests(t *testing.T) {
	parts := strings.Split("/ / a b ? & = page=2 utm_source=x id=7 %2F %41 %7C %zz % é %C3%A9 \u00a0 \xff .. . # @ ; \\ "+
		"' + ~ \n * ( ) ! [ ] | < > \" ` { } ^ $ , :", " ")
	parts = append(parts, " ")
	n, r, both := newShop(t), rand.New(rand.NewPCG(1, 2)), 0
	for range 50_000 {
		s := "/"
		for range r.IntN(7) {
			s += parts[r.IntN(len(parts))]
		}
		checkSpelling(t, n, s)
		if n.Request("example.com", s).Location != "" && n.Resolve("/", s).Location != "" {
			both++
		}
	}
	if both < 5_000 {
		t.Errorf("only %d spellings have a location", both)
	}
}

func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		"/", "/a/b?page=2&lang=de", "/caf%c3%a9/%F0%9F%98%80", "/a%252Fb", "/a;b",
		"/a/%2e%2E/b", "//evil.com/x", "/x@y.zz", "/.//a", "/a?page=%27+&id=7", "/a?f[]=1&page=2&f[]=;x|y", "/wiki/\"<a>\";x",
		"/a?page='", "*", "/%", "/blog/a", "/\xff",
	} {
		f.Add("example.com", s)
	}
	f.Add("[::1]:80", "/a")
	f.Add("EXAMPLE.com.:443", "/a")
	plain := newNormalizer(f, "https://example.com", Config{Params: []string{"page", "lang"}})
	folder := newNormalizer(f, "https://example.com/blog", Config{})
	stripped := newNormalizer(f, "https://example.com", Config{StrippedPrefix: "/app"})
	more := newNormalizer(f, "https://example.com", Config{More: func(path string) []string {
		if strings.HasPrefix(path, "/a") {
			return []string{"id", "utm_page"}
		}
		return nil
	}})
	f.Fuzz(func(t *testing.T, host, target string) {
		r := plain.Request(host, target)
		checkResult(t, plain, r)
		if r.Location != "" {
			r.Local = false // it depends on the host
			if again := plain.Request("example.com", r.Location); again != r {
				t.Fatalf("Request(%q) = %+v, want %+v", r.Location, again, r)
			}
		}
		checkResult(t, folder, folder.Request(host, target))
		checkResult(t, more, more.Request(host, target))
		checkSpelling(t, plain, target)
		r = stripped.Request(host, target)
		checkResult(t, stripped, r)
		if r.Location != "" && !strings.HasPrefix(r.Location, "/app/") {
			t.Fatalf("%q lacks the prefix", r.Location)
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{
		"", "#a", "?page=2", "b", "../b", "/b/./..", "//example.com/b", "https://example.com", "mailto:a@b.cc", `\\a\b`,
		"/b c{d}^?page='", "%2e%2e/b", "/.//b", "http:b", " /b\n", "https://exämple.com/", "/%zz", "java\tscript:a",
	} {
		f.Add("/a/b?page=2", s, "/docs/")
		f.Add("/a/b", "c", s)
	}
	n := newNormalizer(f, "https://example.com", Config{})
	folder := newNormalizer(f, "https://example.com/a", Config{})
	f.Fuzz(func(t *testing.T, base, href, baseHref string) {
		checkResult(t, n, n.Resolve(base, href))
		checkResult(t, folder, folder.Resolve(base, href))
		checkResult(t, n, n.Resolve(n.Base("/a/b", baseHref), href))
		checkResult(t, n, n.Parse(href))
		checkSpelling(t, n, href)
	})
}

package extension

import (
	"net/url"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/location"
)

func TestSitemapMayNamePublicURLs(t *testing.T) {
	b := newBase(pageOf(t, ""))
	for _, tt := range []struct{ name, href, want string }{
		{"another host", "//cdn.example.net/c.png", "https://cdn.example.net/c.png"},
		{"what is not ASCII", "/ä b.png", "https://example.com/%C3%A4%20b.png"},
		{"a variant for dense screens", "/img/logo@2x.png", "https://example.com/img/logo@2x.png"},
		{"a variant that is made smaller", "/_next/image?url=%2Flogo%402x.png&w=640",
			"https://example.com/_next/image?url=%2Flogo%402x.png&w=640"},
		{"Cloudflare's sizes", "/cdn-cgi/image/width=80,quality=75/c.jpg",
			"https://example.com/cdn-cgi/image/width=80,quality=75/c.jpg"},
		{"backslashes to a public host, which only browsers read as slashes", `\\cdn.example.net\c.png`, ""},
	} {
		if got := b.url(tt.href); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSitemapMayNameNoPrivateURLs(t *testing.T) {
	b := newBase(pageOf(t, ""))
	for _, tt := range []struct{ name, href string }{
		{"none", ""},
		{"a user", "https://u:p@cdn.example.net/c.png"},
		{"an address", "http://10.0.0.7/c.png"},
		{"a name of the network", "http://images/c.png"},
		{"signed for S3", "https://b.s3.amazonaws.com/c.png?X-Amz-Date=20261121T000000Z&X-Amz-Expires=900"},
		{"a token", "/c.png?token=x"},
		{"a token by its look", "/c.png?v=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"},
		{"a token in the path", "/share/3f2504e0-4f89-11d3-9a0c-0305e82c3301/c.png"},
		{"a broken escape", "/c.png?a=%zz"},
		{"a host that is none", "//cdn.example::/c.png"},
		{"too long", "/" + strings.Repeat("c/", 1500)},

		{"Akamai, in the query", "https://cdn.example.net/c.jpg?hdnts=exp=1~acl=/*~hmac=a"},
		{"Akamai, in the path", "https://cdn.example.net/token=exp=1~acl=/*~hmac=a/c.jpg"},
		{"Vimeo", "https://cdn.example.net/exp=1~acl=%2F1%2F*~hmac=a/c.mp4"},
		{"Google Media CDN", "https://cdn.example.net/edge-cache-token=Expires=1~KeyName=a~Signature=b/c.mp4"},
		{"Cloudinary", "https://res.cloudinary.com/demo/image/upload/s--1a2B3c4D--/w_300/c.jpg"},
		{"Meta", "https://scontent.example.net/c.jpg?oh=00_a&oe=6571"},
		{"nginx", "https://cdn.example.net/c.jpg?st=abc&e=1"},
		{"Discord", "https://cdn.example.net/c.jpg?ex=65&is=65&hm=a"},
		{"a session in the path", "/jsessionid=1/c.jpg"},

		{"an address of full width", "/avatars/jane＠example.org/1.png"},
		{"an address in a URL in the query", "/proxy.png?url=https%3A%2F%2Fcdn.example.net%2Fjane%2540example.org"},
		{"an address before a variant", "/jane@example.org/c@2x.png"},
		{"what is escaped for ever", "/c.png?a=%25252525252541"},

		{"an address of full width", "https://１２７.0.0.1/c.png"},
		{"backslashes", `\\nas.local\c.png`},
		{"a line break in the slashes", "/\n/nas.local/c.png"},
	} {
		if got := b.url(tt.href); got != "" {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"c.png", "//h.example/x", "https://u@h/x", "?token=1", "\\\\h\\x", "http:x", "%", "a b",
		"/x?a;b", "//h.exampl::", "//h.example:/x"} {
		f.Add(s)
	}
	b := newBase(pageOf(f, ""))
	f.Fuzz(func(t *testing.T, href string) {
		got := b.url(href)
		if got == "" {
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || !ownOrPublic(u) || !ValidURL(got) {
			t.Errorf("%q leads to %q", href, got)
		}
	})
}

func ownOrPublic(u *url.URL) bool {
	_, public := location.PublicHost(u.Scheme, u.Host)
	return public || u.Host == "example.com"
}

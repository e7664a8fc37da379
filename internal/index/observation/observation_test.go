package observation

import (
	"net/http"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestLinkThatRepeatsTheRequestIsRecognised(t *testing.T) {
	const uuid = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	origin, err := location.ParseOrigin("https://example.com")
	base.Check(t, err)
	norm, err := location.New(origin, location.Config{Params: []string{"page", "id"}})
	base.Check(t, err)
	for _, tt := range []struct {
		name    string
		named   Named
		link    string
		repeats bool
	}{
		{"nothing named", Named{}, uuid, false},
		{"nothing named, and the root", Named{}, "/", false},
		{"the Referer", Named{Referer: "https://example.com" + uuid}, uuid, true},
		{"the Referer, on another host", Named{Referer: "http://127.0.0.1:8080" + uuid}, uuid, true},
		{"the Referer, with a query that the link has not", Named{Referer: "https://example.com" + uuid + "?x=1"}, uuid,
			true},
		{"the Referer, with dropped parameters", Named{Referer: "https://example.com/d?utm_source=x&id=7"}, "/d?id=7", true},
		{"the Referer, in another order", Named{Referer: "https://example.com/d?page=2&id=7"}, "/d?id=7&page=2", true},
		{"the Referer, otherwise escaped", Named{Referer: "https://example.com/caf%C3%A9/%7Eann"}, "/caf%C3%A9/~ann", true},
		{"the Referer, with a slash at the end", Named{Referer: "https://example.com" + uuid + "/"}, uuid, true},
		{"the Referer, in capitals", Named{Referer: "https://example.com" + strings.ToUpper(uuid)}, uuid, true},
		{"a page beside the Referer", Named{Referer: "https://example.com/d/other"}, uuid, false},
		{"another page of the Referer's path", Named{Referer: "https://example.com/d?id=7"}, "/d?id=8", false},
		{"the Referer is the host alone", Named{Referer: "https://example.com"}, "/about", false},
		{"the Referer is the host alone, and the root", Named{Referer: "https://example.com"}, "/", true},
		{"the Referer is no web page", Named{Referer: "about:blank"}, "/about", false},
		{"the query", Named{Query: "next=" + uuid}, uuid, true},
		{"the query, escaped twice", Named{Query: "next=%252Fd%252F3f2504e0-4f89-41d3-9a0c-0305e82c3301"}, uuid, true},
		{"the query, with a host", Named{Query: "next=https%3A%2F%2Fexample.com" + uuid}, uuid, true},
		{"the query, with a query in it", Named{Query: "next=%2Fd%3Fpage%3D2%26id%3D7"}, "/d?id=7&page=2", true},
		{"the query of the Referer", Named{Referer: "https://example.com/login?next=" + uuid}, uuid, true},
		{"another query", Named{Query: "page=2"}, "/archive/2", false},
		{"a folder of the page, in another header", Named{Referer: "https://example.com/about/x"}, "/about/us", false},
		{"a word of the query, which the page's address has too", Named{Query: "id=about"}, "/about/us", false},
		{"a folder of what the query names", Named{Query: "next=/docs/intro"}, "/docs", false},
		{"the first letters of what the query names", Named{Query: "ref=/about-us"}, "/about", false},
		{"the end of what the query names", Named{Query: "to=/shop/de/shoes"}, "/de/shoes", false},
		{"a search for its name", Named{Query: "q=the+price/cut+of+/docs-of-all"}, "/docs", false},
		{"a folder of what the Referer's query names", Named{Referer: "https://example.com/search?in=/docs/api/v2"},
			"/docs/api", false},
		{"a page below the Referer", Named{Referer: "https://example.com/docs/"}, "/docs/intro", false},
		{"the query, with a slash at the end and more behind it", Named{Query: "next=/docs/&page=2"}, "/docs", true},
		{"the query, without the first slash", Named{Query: "next=docs/api"}, "/docs/api", true},
		{"a text in the query", Named{Query: "m=see%20https://example.com/docs%20now"}, "/docs", true},
		{"a broken query", Named{Query: "next=%zz" + uuid + "%"}, uuid, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEcho(norm, &tt.named)
			base.Equal(t, e.Repeats(tt.link), tt.repeats, "%s repeats %+v", tt.link, tt.named)
		})
	}
}

func TestRequestPrefersALanguageIfVarySaysThatItCounts(t *testing.T) {
	for _, tt := range []struct{ name, vary, language, want string }{
		{"does not vary", "", "de", ""},
		{"by what decides nothing about the text", "Accept-Encoding, Cookie", "de", ""},
		{"by language", "Cookie, accept-language", "de-AT,de;q=0.9,en;q=0.8", "de"},
		{"no language", "Accept-Language", "", ""},
		{"an endless language", "Accept-Language", strings.Repeat("x", 1000), strings.Repeat("x", 16)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Preferred(tt.vary, http.Header{"Accept-Language": {tt.language}}); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

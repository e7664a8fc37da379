package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// A site that answers exactly the addresses which it links to, spelled as it spells them, is listed so.
func TestAddressesKeepTheSpellingOfTheSite(t *testing.T) {
	joomla := times(6, "/index.php?option=com_content&view=article&id=%d&catid=2&Itemid=101")
	typo3 := times(6, "/news?tx_news_pi1%%5Bnews%%5D=%d&tx_news_pi1%%5Baction%%5D=detail&cHash=abc")
	titles := []string{"/index.php?title=%E4%BA%BA%E6%B0%91%E6%96%87%E5%AD%A6%E5%87%BA%E7%89%88%E7%A4%BE%E5%9B%BD%E9%99%85%E5%90%88%E4%BD%9C%E9%83%A8", "/index.php?title=Foo:Bar_(band)"}
	wiki := []string{"/wiki/%22Heroes%22", "/wiki/%3Cblink%3E", "/wiki/Steins;Gate", "/wiki/A%7CB", "/wiki/Who_Is_It%3F",
		"/wiki/AC/DC", "/wiki/50%25"}
	deep := []string{"/a/b/c/d/e/f/g/h/i/j/k/l/m", "/" + strings.Repeat("%E7%AB%A0%E8%8A%82-", 60)}
	for _, tt := range []struct {
		name      string
		query     []string
		canonical bool     // each page names its address
		linked    []string // from the home page
		want      []string // if not what is linked: then each page answers in either order, and is listed in one
	}{
		{name: "unsorted", query: []string{"view", "id"}, linked: times(6, "/p?view=full&id=%d")},
		{name: "five parameters", query: []string{"option", "view", "id", "catid", "Itemid"}, linked: joomla},
		{name: "brackets", query: []string{"tx_news_pi1[news]", "tx_news_pi1[action]", "cHash"}, linked: typo3},
		{name: "brackets that the page names itself", canonical: true, linked: typo3},
		{name: "titles in a query", query: []string{"title"}, linked: titles},
		{name: "titles in the path", linked: wiki},
		{name: "deep and long", linked: deep},
		{name: "a canonical in another order", query: []string{"z", "a"}, linked: times(6, "/p?a=%d&z=1"),
			canonical: true, want: times(6, "/p?z=1&a=%d")},
		{name: "parameters that only the canonical allows, in another order", linked: times(6, "/p?a=%d&z=1"),
			canonical: true, want: times(6, "/p?z=1&a=%d")},
		{name: "links in both orders", query: []string{"a", "z"}, linked: append(times(6, "/p?z=1&a=%d"),
			times(6, "/p?a=%d&z=1")...), want: times(6, "/p?z=1&a=%d")},
	} {
		want := append([]string{"/"}, tt.want...)
		if tt.want == nil {
			want = append(want, tt.linked...)
		}
		texts := map[string]string{}
		for i, uri := range append(want, tt.linked...) {
			texts[uri] = paragraph(i%len(tt.linked)) + nouns[i%len(nouns)]
		}
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch uri := r.URL.RequestURI(); {
			case uri == "/":
				testkit.Reply(http.StatusOK, testkit.HTML("", "home", tt.linked...))(w, r)
			case texts[uri] != "":
				head, page := "", uri
				if tt.want != nil {
					page = swapped(uri)
				}
				if tt.canonical {
					head = fmt.Sprintf("<link rel=canonical href=%q>", page)
				}
				testkit.Reply(http.StatusOK, testkit.HTML(head, texts[page], "/"))(w, r)
			default:
				http.NotFound(w, r)
			}
		})
		opts := servemap.Options{Query: tt.query, Limits: servemap.Limits{Looks: 1000}}
		t.Run(tt.name+", explored", func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: h, Options: opts}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				s.WantListed(want...)
			})
		})
		t.Run(tt.name+", visited", func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: h, Options: opts}, func(s *testkit.Site) {
				s.Visit("/")
				s.Visit(tt.linked...)
				s.Settle()
				s.WantListed(want...)
			})
		})
	}
}

// swapped returns /p?a=5&z=1 as /p?z=1&a=5, and /p?z=1&a=5 as it is.
func swapped(uri string) string {
	path, query, _ := strings.Cut(uri, "?")
	first, second, _ := strings.Cut(query, "&")
	if strings.HasPrefix(first, "z=") {
		return uri
	}
	return path + "?" + second + "&" + first
}

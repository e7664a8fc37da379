package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// lists is a site with a home page and a list of many pages, each of which leads only to its own posts and
// the next page of the list. format is the address of a page of the list.
func lists(format, canonical string) http.Handler {
	head := ""
	if canonical != "" {
		head = fmt.Sprintf(`<link rel=canonical href="%s">`, canonical)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n, post int
		switch {
		case r.RequestURI == "/":
			testkit.Page("home", "/posts")(w, r)
			return
		case r.RequestURI == "/posts":
			n = 1
		case scan(r.RequestURI, format, &n) && 1 < n && n <= listPages:
		case scan(r.RequestURI, "/posts/title-%d", &post) && post <= listPages*10+2:
			testkit.Page(fmt.Sprint("post ", post))(w, r)
			return
		default:
			http.NotFound(w, r)
			return
		}
		links := []string{fmt.Sprintf(format, n+1)}
		for i := range 3 {
			links = append(links, fmt.Sprintf("/posts/title-%d", n*10+i))
		}
		testkit.Reply(http.StatusOK, testkit.HTML(head, fmt.Sprintf("page %d with letters %s", n, strings.Repeat("x", n)), links...))(w, r)
	})
}

const listPages = 12

// Posts that only further pages of a list lead to are listed, although these pages are not: they name the
// first one as canonical, or have a query.
func TestFurtherPagesOfAListLeadToItsPosts(t *testing.T) {
	base.OneByOne(t)
	for _, tt := range []struct{ name, format, canonical string }{
		{"a folder for each page", "/posts/page/%d/", "/posts"},
		{"page=", "/posts?page=%d", "/posts"},
		{"another parameter", "/posts?paged=%d", ""},
		{"another parameter, and the first page as canonical", "/posts?start=%d", "/posts"},
	} {
		want := []string{"/", "/posts"}
		for n := range listPages {
			for i := range 3 {
				want = append(want, fmt.Sprintf("/posts/title-%d", (n+1)*10+i))
			}
		}
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: lists(tt.format, tt.canonical)}, func(s *testkit.Site) {
				explore(s, servemap.ExploreOptions{})
				s.WantListed(want...)
			})
		})
	}
}

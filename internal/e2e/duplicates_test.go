package e2e

import (
	"fmt"
	"html"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// postVariants is a site with three linked pages and /post, which nobody links to. /post-0 to
// /post-24 show the same post, and so does /post with any query. Its head may name /post as
// canonical.
func postVariants(head string) testkit.Paths {
	post := testkit.Reply(http.StatusOK, testkit.HTML(head, "a post that nobody links to"))
	pages := testkit.Paths{"/": testkit.Page("the home page", "/one", "/two", "/three"), "/post": post}
	for _, name := range []string{"one", "two", "three"} {
		pages["/"+name] = testkit.Page(name)
	}
	for _, target := range numbered("/post-%d", 25) {
		pages[target] = post
	}
	return pages
}

// numbered returns n paths, from number 0 on.
func numbered(format string, n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf(format, i))
	}
	return paths
}

const (
	noCanonical    = ""
	namesCanonical = `<link rel="canonical" href="https://example.com/post">`
)

func TestManyClientsTakeOutNoPageByVariants(t *testing.T) {
	for _, tt := range []struct{ name, head, format string }{
		{"another query", noCanonical, "/post?page=%d"},
		{"suffixes that name the canonical page", namesCanonical, "/post-%d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inCrowd(t, postVariants(tt.head), servemap.Options{}, func(c crowd) {
				c.visitAll(ann, "/", "/one", "/two", "/three")
				for i, from := range []string{ann, bob, carl, dora, eve} {
					c.visitAll(from, fmt.Sprintf(tt.format, i+2), "/post")
				}
				c.WantListed("/", "/one", "/two", "/three", "/post")
			})
		})
	}
}

// discussion is a site with an article and the page of its comments. Both show the same text and
// name themselves canonical. More pages link to the comments.
type discussion struct{ article, comments, text string }

func (d *discussion) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	article, comments := html.EscapeString(d.article), html.EscapeString(d.comments)
	switch r.URL.Path {
	case "/":
		testkit.Page("the home page", article, comments, "/recent")(w, r)
	case "/recent":
		testkit.Page("recent comments", comments)(w, r)
	default:
		testkit.Reply(http.StatusOK, testkit.HTML(selfCanonical(r), d.text, article, comments))(w, r)
	}
}

// selfCanonical is the head of a page that names itself canonical.
func selfCanonical(r *http.Request) string {
	return fmt.Sprintf(`<link rel="canonical" href="%s%s">`, testkit.Origin, html.EscapeString(r.URL.RequestURI()))
}

func TestArticleIsListedAndNotItsCommentPage(t *testing.T) {
	for _, tt := range []struct {
		name, article, comments string
		opts                    servemap.Options
	}{
		{"paths", "/2024/01/post/", "/2024/01/post/comment-page-1/", servemap.Options{}},
		{"queries that the canonical vouches for", "/blog?p=1", "/blog?p=1&cpage=1", servemap.Options{}},
		{"queries that are allowed", "/blog?p=1", "/blog?p=1&cpage=1", servemap.Options{Query: []string{"p", "cpage"}}},
	} {
		t.Run(tt.name+", the article first", func(t *testing.T) {
			d := &discussion{tt.article, tt.comments, "an article"}
			testkit.Run(t, testkit.Setup{Options: tt.opts, Handler: d}, func(s *testkit.Site) {
				c := crowd{s}
				c.visitAll(ann, "/", "/recent", tt.article, tt.comments)
				c.WantListed("/", "/recent", tt.article)
				c.WantVerdict(tt.comments, "held", "duplicate")
				d.text = "an article, with a comment" // the page of comments shows it first
				c.visitAll(ann, tt.comments, tt.article)
				c.WantListed("/", "/recent", tt.article)
				c.WantVerdict(tt.comments, "held", "duplicate")
			})
		})
		t.Run(tt.name+", the comments first", func(t *testing.T) {
			d := &discussion{tt.article, tt.comments, "an article"}
			testkit.Run(t, testkit.Setup{Options: tt.opts, Handler: d}, func(s *testkit.Site) {
				c := crowd{s}
				c.visitAll(ann, "/", "/recent", tt.comments)
				c.WantVerdict(tt.comments, "listed", "link")
				time.Sleep(50 * time.Hour)
				c.visit(ann, tt.article)
				c.WantListed("/", "/recent", tt.article)
				began := time.Now()
				for range 5 { // and they do not take turns
					c.visitAll(bob, tt.comments, tt.article)
					time.Sleep(9 * time.Hour)
				}
				c.WantListed("/", "/recent", tt.article)
				for change, err := range c.Changes(c.Context(), began) {
					s.Errorf("%s was %s, %v", change.URL, change.Kind, err)
				}
			})
		})
	}
}

// A location that strangers ask for replaces no page, however short it is.
func TestShorterLocationThatNobodyLinksToTakesNoPlace(t *testing.T) {
	article := func(w http.ResponseWriter, r *http.Request) {
		testkit.Reply(http.StatusOK, testkit.HTML(selfCanonical(r), "an article"))(w, r)
	}
	pages := testkit.Paths{
		"/": testkit.Page("the home page", "/a-post/", "/b", "/c"), "/b": testkit.Page("b"), "/c": testkit.Page("c"),
		"/a-post/": article, "/a-post": article, "/a": article,
	}
	inCrowd(t, pages, servemap.Options{}, func(c crowd) {
		c.visitAll(ann, "/", "/b", "/c", "/a-post/")
		for _, from := range []string{bob, carl, dora, eve} {
			c.visitAll(from, "/a-post", "/a")
		}
		c.WantListed("/", "/a-post/", "/b", "/c")
	})
}

// Addresses of visitors, each in another network.
const (
	ann  = "8.8.8.8"
	bob  = "9.9.9.9"
	carl = "1.1.1.1"
	dora = "4.4.4.4"
	eve  = "5.5.5.5"
)

// betweenVisits is longer than the wait between two looks at a visited page.
const betweenVisits = 70 * time.Second

// crowd is a site whose visitors come from addresses that the test chooses.
type crowd struct{ *testkit.Site }

// inCrowd runs fn with a site of these pages in virtual time.
func inCrowd(t *testing.T, pages testkit.Paths, opts servemap.Options, fn func(crowd)) {
	t.Helper()
	testkit.Run(t, testkit.Setup{Options: opts, Handler: pages}, func(s *testkit.Site) { fn(crowd{s}) })
}

// visit gets a page from an address, waits until it is learned, and lets a while pass.
func (c crowd) visit(from, target string, headers ...string) {
	c.Helper()
	c.From(from, target, headers...)
	c.Settle()
	time.Sleep(betweenVisits)
}

// visitAll visits each target from one address.
func (c crowd) visitAll(from string, targets ...string) {
	c.Helper()
	for _, target := range targets {
		c.visit(from, target)
	}
}

package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// Pages of a section are in files of its own, which keep their names over restarts. When rules change, a page moves to
// the file of its section.
func TestSectionsHaveFilesOfTheirOwn(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/a", "/blog/1", "/blog/2", "/blog/3", "/shop/1"),
		"/a": testkit.Page("a"), "/blog/1": testkit.Page("one"), "/blog/2": testkit.Page("two"),
		"/blog/3": testkit.Page("three"), "/shop/1": testkit.Page("thing")}
	blog, shop := servemap.Rule{Pattern: "/blog/", Section: "blog"}, servemap.Rule{Pattern: "/shop/", Section: "shop"}
	st := memstore.New()
	for _, tt := range []struct {
		name  string
		rules []servemap.Rule
		files []string
	}{
		{"none", nil, []string{"sitemap.xml / /a /blog/1 /blog/2 /blog/3 /shop/1"}},
		{"one", []servemap.Rule{blog}, []string{"sitemap.xml", "sitemap-1.xml / /a /shop/1",
			"sitemap-blog.xml /blog/1 /blog/2 /blog/3"}},
		{"one, after a restart", []servemap.Rule{blog}, []string{"sitemap.xml", "sitemap-1.xml / /a /shop/1",
			"sitemap-blog.xml /blog/1 /blog/2 /blog/3"}},
		{"two", []servemap.Rule{blog, shop}, []string{"sitemap.xml", "sitemap-1.xml / /a",
			"sitemap-blog.xml /blog/1 /blog/2 /blog/3", "sitemap-shop.xml /shop/1"}},
		{"the longest pattern decides", []servemap.Rule{blog, shop, {Pattern: "/blog/3", Section: "shop"}},
			[]string{"sitemap.xml", "sitemap-1.xml / /a", "sitemap-blog.xml /blog/1 /blog/2",
				"sitemap-shop.xml /blog/3 /shop/1"}},
		{"none again", nil, []string{"sitemap.xml / /a /blog/1 /blog/2 /blog/3 /shop/1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: site, Store: st, Options: servemap.Options{Rules: tt.rules}},
				func(s *testkit.Site) {
					explore(s, servemap.ExploreOptions{})
					s.Settle()
					base.EqualLists(s, sectioned(s), tt.files, "the files are")
				})
		})
	}
	testkit.Run(t, testkit.Setup{Handler: site, Options: servemap.Options{Rules: []servemap.Rule{blog},
		Limits: servemap.Limits{PartPages: 2}}}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		s.Settle()
		names := strings.Join(sectioned(s), "; ")
		for _, name := range []string{"sitemap-blog.xml", "sitemap-blog-2.xml"} {
			if !strings.Contains(names, name+" /blog/") {
				s.Errorf("%s is not among %s", name, names)
			}
		}
		base.Equal(s, s.Get("/sitemap-blog-3.xml").Status, http.StatusNotFound, "a part that is not there")
	})
}

// sectioned returns the files that crawlers find, each with the pages that it lists.
func sectioned(s *testkit.Site) (all []string) {
	for line := range strings.Lines(filesOf(s)) {
		if name, _, is := strings.Cut(line, ".xml "); is && line[0] == '/' {
			all = append(all, name[1:]+".xml")
		}
		if loc, is := strings.CutPrefix(line, "<url><loc>"+testkit.Origin); is {
			path, _, _ := strings.Cut(loc, "</loc>")
			all[len(all)-1] += " " + path
		}
	}
	return all
}

func TestSectionsThatCannotBeAreRefused(t *testing.T) {
	for _, section := range []string{"1", "news", "index", "blog-2", "Blog", "a b", "a/b", "-a", strings.Repeat("a", 33)} {
		_, err := servemap.New(testkit.Origin, nil,
			&servemap.Options{Rules: []servemap.Rule{{Pattern: "/x", Section: section}}})
		if err == nil || !strings.Contains(err.Error(), "section") || !strings.Contains(err.Error(), "Options.Rules") {
			t.Errorf("%q: %v", section, err)
		}
	}
}

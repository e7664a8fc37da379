package tree

import (
	"context"
	"errors"
	"fmt"
	"html"
	"html/template"
	"iter"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// garden has a tree over listed pages.
type garden struct {
	testing.TB
	tree  *Tree
	store *memstore.Store
	pages map[string]string // titles by locations, of the pages that the sitemap lists
}

const someKeys = keys.Keys("https://example.com|")

func plant(t testing.TB, pages map[string]string, change ...func(*Config)) *garden {
	t.Helper()
	g := &garden{TB: t, store: new(memstore.Store), pages: pages}
	cfg := Config{
		Store: g.store, Keys: someKeys, URL: func(l string) string { return "https://example.com" + l }, Folder: "/", Name: "sitemap.html",
		Words: Words{Lang: "en", Title: "Site map", More: "More in", All: "All pages"},
	}
	for _, f := range change {
		f(&cfg)
	}
	var err error
	if g.tree, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	for _, locations := range slices.Collect(slices.Chunk(slices.Sorted(maps.Keys(pages)), store.MaxKeys)) {
		g.put(locations, func(location string) []byte {
			p := &pagerecord.Page{Standing: pagerecord.Standing{Verdict: eligibility.Listed, Reason: eligibility.ByLink}}
			p.Part, p.Title = 1, pages[location]
			return p.Encode()
		})
	}
	return g
}

func (g *garden) put(locations []string, value func(string) []byte) {
	g.Helper()
	var names []string
	for _, l := range locations {
		names = append(names, someKeys.Page(l))
	}
	err := g.store.Update(context.Background(), names, func(values [][]byte) error {
		for i, l := range locations {
			values[i] = value(l)
		}
		return nil
	})
	if err != nil {
		g.Fatal(err)
	}
}

func (g *garden) render(q Query) (string, error) {
	b, err := g.tree.Render(context.Background(), q, len(g.pages), func(l string) bool { _, is := g.pages[l]; return is })
	return string(b), err
}

// show returns a view that must exist.
func (g *garden) show(q Query) string {
	g.Helper()
	text, err := g.render(q)
	if err != nil {
		g.Fatalf("%+v: %v", q, err)
	}
	return text
}

var anchor = regexp.MustCompile(`<a href="([^"]*)"[^>]*>([^<]*)</a>`)

// hrefs returns the targets of the links of a view, in order.
func hrefs(text string) (all []string) {
	_, text, _ = strings.Cut(text, "<main>")
	for _, m := range anchor.FindAllStringSubmatch(text, -1) {
		all = append(all, html.UnescapeString(m[1]))
	}
	return all
}

// many returns n pages with locations in such a format.
func many(n int, format string) map[string]string {
	pages := map[string]string{}
	for i := range n {
		pages[fmt.Sprintf(format, i)] = fmt.Sprintf("Page %d | Example", i)
	}
	return pages
}

func with(pages map[string]string, more ...string) map[string]string {
	for _, l := range more {
		pages[l] = ""
	}
	return pages
}

func TestEveryPageIsReachedInThreeClicksAndNoOtherIs(t *testing.T) {
	folders := map[string]string{"/": "Home"}
	for f := range 40 {
		for p := range 60 {
			folders[fmt.Sprintf("/folder%d/page%d", f, p)] = ""
		}
	}
	deep := many(300, "/a/%d/b/c")
	tests := []struct {
		name   string
		pages  map[string]string
		clicks int // clicks from the first view
	}{
		{"one page", map[string]string{"/": "Home"}, 1},
		{"fewer than a view has", many(99, "/p%d"), 1},
		{"as many as a view has", many(100, "/p%d"), 3},
		{"a flat folder", with(many(3000, "/blog/%d"), "/", "/blog", "/blog/"), 3},
		{"folders that are pages", with(many(800, "/blog/%d/"), "/", "/blog/"), 3},
		{"queries", with(many(300, "/list?page=%d"), "/list", "/"), 3},
		{"many folders", folders, 3},
		{"a folder for each page", deep, 3},
		{"names that begin with others", with(many(600, "/%d"), "/5/", "/5/5", "/5/55", "/5?page=2", "/5~"), 3},
		{"tildes", with(many(150, "/~user%d/"), "/~", "/~~", "/~/~/~"), 3},
		{"escapes", with(many(700, "/%%D0%%B0%d"), "/"), 3},
		{"a tree without a first page", many(120, "/only/%d/x"), 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := plant(t, tt.pages)
			g.put([]string{"/gone", "/blog/gone", "/only/gone"}, func(string) []byte {
				p := &pagerecord.Page{Standing: pagerecord.Standing{Verdict: eligibility.Gone, Reason: eligibility.NotFound}}
				p.Part, p.Title = 1, "Gone"
				return p.Encode()
			})
			reached, views, next := map[string]int{}, map[string]bool{}, []string{"/sitemap.html"}
			for click := 1; len(next) > 0; click++ {
				var found []string
				for _, address := range next {
					if views[address] {
						continue
					}
					views[address] = true
					links := hrefs(g.show(queryOf(t, address)))
					most := folderLinks
					switch {
					case address == "/sitemap.html":
						most = firstLinks
					case strings.HasSuffix(address, "?all=1"):
						most = allPages
					}
					if len(links) > most {
						t.Errorf("%s has %d links, at most %d", address, len(links), most)
					}
					for _, l := range links {
						if strings.HasPrefix(l, "/sitemap.html") {
							found = append(found, l)
						} else if reached[l] == 0 {
							reached[l] = click
						}
					}
				}
				next = found
			}
			for l := range tt.pages {
				if reached[l] == 0 || reached[l] > tt.clicks {
					t.Fatalf("%s is reached by %d clicks (0 for never), want %d at most", l, reached[l], tt.clicks)
				}
			}
			for l := range reached {
				if _, is := tt.pages[l]; !is {
					t.Errorf("%s is not listed", l)
				}
			}
		})
	}
}

// queryOf returns the Query that a link to a view stands for.
func queryOf(t *testing.T, address string) Query {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return Query{In: u.Query().Get("in"), All: u.Query().Has("all")}
}

func TestViewsShowFoldersAndTheirPages(t *testing.T) {
	pages := map[string]string{
		"/": "Example – all there is", "/about": "About us – Example", "/blog": "The blog – Example", "/blog/a": "Zebras – Example",
		"/blog/b": "Ants – Example", "/blog/c/d": "", "/list?page=1": "List – Example", "/list?page=2": "List – Example",
		"/shop/": "Shop – Example", "/shop/x": "X – Example", "//twice": "Twice – Example",
	}
	tests := []struct {
		name  string
		query Query
		want  []string // hrefs of the view
		has   []string
	}{
		{"a small site, whole", Query{}, []string{
			"/", "/about", "/list?page=1", "/list?page=2", "/shop/", "/shop/x", "/blog", "/blog/b", "/blog/a", "/blog/c/d", "https://example.com//twice",
		}, []string{
			`<h1 dir="auto">Site map</h1>`, `<h2 dir="auto"><a href="/blog">The blog</a></h2>`, `>List</a> <small>page=2</small>`, ">Example – all there is<", ">D<",
			`<link rel="canonical" href="https://example.com/sitemap.html">`, `<html lang="en">`,
		}},
		{"a folder", Query{In: "/blog/"}, []string{"/sitemap.html", "/blog", "/blog/b", "/blog/a", "/blog/c/d"}, []string{
			`<h1 dir="auto">The blog</h1>`, `<link rel="canonical" href="https://example.com/sitemap.html?in=/blog/">`,
		}},
		{"a folder with a page of its own", Query{In: "/shop/"}, []string{"/sitemap.html", "/shop/", "/shop/x"}, []string{`<h1 dir="auto">Shop</h1>`}},
		{"a folder in a folder", Query{In: "/blog/c/"}, []string{"/sitemap.html", "/sitemap.html?in=/blog/", "/blog/c/d"}, []string{`<h1 dir="auto">C</h1>`}},
		{"a group", Query{In: "/list"}, []string{"/sitemap.html", "/list?page=1", "/list?page=2"}, []string{`<h1 dir="auto">list…</h1>`}},
	}
	g := plant(t, pages)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := g.show(tt.query)
			got := hrefs(text)
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(tt.want))) {
				t.Errorf("links\n%q, want\n%q", got, tt.want)
			}
			for _, part := range tt.has {
				if !strings.Contains(text, part) {
					t.Errorf("no %s in\n%s", part, text)
				}
			}
		})
	}
}

func TestUnknownFolderHasNoView(t *testing.T) {
	g := plant(t, many(2001, "/p/%d"), func(c *Config) { c.Folder = "/p/" })
	for _, q := range []Query{{In: "/"}, {In: "/q/"}, {In: "/p/x"}, {In: "p"}, {In: "/p/\n"}, {In: "/p/ "}, {In: "/p/" + strings.Repeat("a", 2000)}, {All: true}} {
		if text, err := g.render(q); !errors.Is(err, ErrNone) {
			t.Errorf("%+.40v: %v, %d bytes", q, err, len(text))
		}
	}
}

func TestHostileTitlesAreText(t *testing.T) {
	g := plant(t, map[string]string{
		"/": `</a><script>alert(1)</script>`, "/b": `"onmouseover="x`, `/javascript:alert(1)"'<>`: "", "/c": "\xff\x00{{.}}", "/d/": "", "/d/" + strings.Repeat("x", 900): strings.Repeat("ß", 80),
	})
	text := g.show(Query{})
	for _, bad := range []string{"<script", `"onmouseover`, `"'<`, "\x00"} {
		if strings.Contains(text, bad) {
			t.Errorf("the view has %q:\n%s", bad, text)
		}
	}
	if !strings.Contains(text, "&lt;script&gt;alert(1)") {
		t.Errorf("the title is not shown:\n%s", text)
	}
}

// Titles in any script are shown in the order of their characters, each in its own direction.
func TestTitlesOfAnyScript(t *testing.T) {
	titles := []string{"apples", "Bees", "Ёжик", "שלום עולם", "مرحبا & أهلا", "日本の港", "港の灯台"}
	pages := map[string]string{}
	for i, title := range titles {
		pages[fmt.Sprintf("/p/%d", len(titles)-i)] = title
	}
	g := plant(t, pages)
	var shown []string
	for _, m := range regexp.MustCompile(`<li dir="auto"><a href="/p/[^"]*">([^<]*)</a>`).FindAllStringSubmatch(g.show(Query{}), -1) {
		shown = append(shown, html.UnescapeString(m[1]))
	}
	if !slices.Equal(shown, titles) {
		t.Errorf("%q, want %q", shown, titles)
	}
}

func TestLayoutOfTheOwnerIsUsed(t *testing.T) {
	layout := func(text string) func(*Config) {
		return func(c *Config) {
			c.Layout, c.Data = template.Must(template.New("x").Parse(text)), func(p Page) any { return p }
		}
	}
	g := plant(t, map[string]string{"/": "Home"}, layout(`<title>{{.Title}} {{.Canonical}} {{.Lang}}</title><style>{{.Style}}</style>{{.Tree}}`))
	text := g.show(Query{})
	if !strings.HasPrefix(text, "<title>Site map https://example.com/sitemap.html en</title><style>/* The links") || !strings.Contains(text, `<a href="/">Home</a>`) {
		t.Errorf("got %s", text)
	}
	if strings.Contains(text, "color-scheme") || g.tree.Policy() != "" {
		t.Error("the owner's page gets our colours or policy")
	}
	cfg := g.tree.cfg
	layout(`{{.Nothing}}`)(&cfg)
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "Nothing") {
		t.Errorf("a layout that fails: %v", err)
	}
}

func TestPolicyAllowsTheStyleAndNothingElse(t *testing.T) {
	g := plant(t, map[string]string{"/": "Home"})
	_, text, _ := strings.Cut(g.show(Query{}), "<style>")
	if text, _, _ = strings.Cut(text, "</style>"); text != ownStyle {
		t.Error("the style element is not what the policy was made of")
	}
	if p := g.tree.Policy(); !strings.Contains(p, styleHash) || strings.Contains(p, "unsafe") || strings.Contains(g.show(Query{}), "<script") {
		t.Errorf("policy %s", p)
	}
}

// failing is a store that cannot be used.
type failing struct{ store.Store }

func (failing) Scan(context.Context, string, string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) { yield(store.Record{}, store.ErrUnavailable) }
}

func TestStoreInTroubleIsAnError(t *testing.T) {
	g := plant(t, map[string]string{"/": "Home"}, func(c *Config) { c.Store = failing{} })
	if _, err := g.render(Query{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("error %v", err)
	}
}

func TestViewEndsWithItsRequest(t *testing.T) {
	g := plant(t, map[string]string{"/": "Home"})
	g.tree.busy <- struct{}{} // another view is being made, and does not end
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.tree.Render(ctx, Query{}, 1, func(string) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

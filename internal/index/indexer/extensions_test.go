package indexer

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/extension"
	"github.com/servemap/servemap/internal/schema/shards"
)

// allExtensions are those that there are.
var allExtensions = extension.Of(extension.Alternates, extension.Images, extension.News, extension.Videos)

// illustrated is a page with images.
func illustrated(text string, images ...string) string {
	var b strings.Builder
	for _, src := range images {
		fmt.Fprintf(&b, `<img src="%s">`, src)
	}
	return strings.Replace(html(text), "</main>", b.String()+"</main>", 1)
}

// entry returns the stored entry of a listed page.
func (r *rig) entry(location string) shards.Entry {
	r.Helper()
	for key, value := range r.dump() {
		if strings.Contains(key, "|list|") && strings.HasSuffix(key, "|"+location) {
			e, err := shards.DecodeEntry([]byte(value))
			r.check(err)
			return e
		}
	}
	r.Fatalf("%s has no entry", location)
	return shards.Entry{}
}

// wantImages checks the images in the entry of a page of the site.
func (r *rig) wantImages(location string, want ...string) {
	r.Helper()
	var got []string
	for _, element := range strings.Split(string(r.entry(location).Extensions[extension.Images]), "</image:loc></image:image>") {
		if _, u, is := strings.Cut(element, "<image:loc>https://example.com"); is {
			got = append(got, u)
		}
	}
	if !slices.Equal(got, want) {
		r.Errorf("%s has the images %q, want %q", location, got, want)
	}
}

// file returns the sitemap as it is served.
func (r *rig) file() (body, tag string) {
	r.Helper()
	r.flush()
	w := httptest.NewRecorder()
	r.files.Serve(w, httptest.NewRequest(http.MethodGet, "/sitemap.xml", nil))
	if w.Code != http.StatusOK {
		r.Fatalf("the sitemap: status %d", w.Code)
	}
	return w.Body.String(), w.Header().Get("Etag")
}

func TestImagesFollowThePage(t *testing.T) {
	inBubble(t, Config{Extensions: allExtensions}, func(r *rig) {
		r.sight("/", html("home", "/a", "/b"))
		r.sight("/a", illustrated("one", "/1.png", "2.png", "/1.png"))
		r.wantImages("/a", "/1.png", "/2.png")
		r.wantImages("/")
		r.sight("/a", illustrated("one", "/1.png", "2.png", "/1.png"))
		r.wantImages("/a", "/1.png", "/2.png")
		r.restart()
		r.answer("/a", 304)
		r.wantImages("/a", "/1.png", "/2.png")

		r.answer("/a", 410)
		time.Sleep(time.Minute)
		r.sight("/a", illustrated("one", "/3.png"))
		r.wantImages("/a", "/3.png")
		r.sight("/a", illustrated("one"), robotsTag("noindex"))
		r.wantVerdict("/a", eligibility.Excluded, eligibility.NoIndex)
		r.wantNoTrace("/3.png")
	})
}

// The images of a carousel change at each look; the text does not.
func TestVisitChangesNoFile(t *testing.T) {
	inBubble(t, Config{Extensions: allExtensions}, func(r *rig) {
		r.sight("/", html("home", "/a", "/b"))
		carousel := func(i int) string {
			return illustrated("a text that stays as it is, whatever is shown below it", fmt.Sprintf("/%d.png", i))
		}
		for i := range 2 {
			r.sight("/a", carousel(i))
		}
		time.Sleep(24 * time.Hour)
		r.sight("/a", carousel(2))
		r.wantImages("/a", "/2.png")
		_, first := r.file()
		for i := range 20 {
			time.Sleep(10 * time.Minute)
			r.sight("/a", carousel(3+i))
			if _, tag := r.file(); tag != first {
				t.Fatalf("look %d changed the file", i)
			}
		}
		r.wantImages("/a", "/2.png")
	})
}

func TestExtensionsThatAreSwitchedOnAndOff(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		body := illustrated("one", "/1.png")
		languages := func(text string) string {
			return strings.Replace(inLanguages(text, "de=/de", "en=/en"), "</main>", `<img src="/2.png"></main>`, 1)
		}
		visit := func() {
			r.sight("/", html("home", "/a", "/de", "/en"))
			r.sight("/a", body)
			r.sight("/de", languages("hallo"))
			r.sight("/en", languages("hello"))
		}
		visit()
		visit()
		plain, _ := r.file()
		if x := r.entry("/en").Extensions; x != nil {
			t.Errorf("without extensions the entry has %+v", x)
		}
		for _, name := range []string{"|extensions"} {
			for key := range r.dump() {
				if strings.Contains(key, name) {
					t.Errorf("without extensions there is the key %s", key)
				}
			}
		}

		r.cfg.Extensions = extension.Of(extension.Alternates) // they are known, and need no visit
		r.restart()
		if body, _ := r.file(); strings.Count(body, "<xhtml:link") != 4 {
			t.Errorf("with alternates it is\n%s", body)
		}
		r.cfg.Extensions |= extension.Of(extension.Images) // these are not
		r.restart()
		r.file()
		r.wantImages("/a")
		visit()
		r.wantImages("/a", "/1.png")
		r.wantImages("/en", "/2.png")
		if body, _ := r.file(); strings.Count(body, "<xhtml:link") != 4 || strings.Count(body, "<image:loc>") != 3 {
			t.Errorf("with images it is\n%s", body)
		}
		r.cfg.Extensions = 0
		r.restart()
		if body, _ := r.file(); body != plain {
			t.Errorf("when they are switched off it is\n%s, want\n%s", body, plain)
		}
		if x := r.entry("/en").Extensions; x != nil {
			t.Errorf("when they are switched off the entry has %+v", x)
		}
	})
}

func TestAlternatesAreTheSameOnEachPage(t *testing.T) {
	inBubble(t, Config{Extensions: extension.Of(extension.Alternates)}, func(r *rig) {
		all := []string{"en=/en", "x-default=/en", "de-AT=/de", "fr=/fr", "es=/es"}
		pages := []string{"/en", "/de", "/fr"}
		r.sight("/", html("home", append(pages, "/es", "/mute")...))
		r.sight("/es", inLanguages("hola"))                // names nobody
		r.sight("/mute", inLanguages("others", "en=/en"))  // does not name itself
		r.sight("/en", inLanguages("text of /en", all...)) // whose peers are not known yet
		r.sight("/de", inLanguages("text of /de", all...))
		r.sight("/fr", inLanguages("text of /fr", all...))
		want := []extension.Alternate{{Lang: "de-at", Location: "/de"}, {Lang: "en", Location: "/en"}, {Lang: "fr", Location: "/fr"}, {Lang: "x-default", Location: "/en"}}
		for _, location := range pages {
			if x := r.entry(location).Extensions; !slices.Equal(x.Alternates(), want) {
				t.Errorf("%s has %+v, want %+v", location, x, want)
			}
		}
		for _, location := range []string{"/", "/es", "/mute"} {
			if x := r.entry(location).Extensions; x != nil {
				t.Errorf("%s has %+v", location, x)
			}
		}
		r.answer("/de", 410)
		if body, _ := r.file(); strings.Contains(body, "/de") || strings.Count(body, "<xhtml:link") != 6 {
			t.Errorf("without a page that is gone it is\n%s", body)
		}
	})
}

func TestNewsOfAPageAreListedForTwoDays(t *testing.T) {
	inBubble(t, Config{Extensions: extension.Of(extension.News)}, func(r *rig) {
		article := func(headline, published string) string {
			return `<html lang="de-AT"><script type="application/ld+json">{"@type":"NewsArticle","headline":"` + headline +
				`","datePublished":"` + published + `","publisher":{"name":"P"}}</script><main>` + headline + `</main>`
		}
		now := time.Now().UTC()
		r.sight("/", html("home", "/new", "/old", "/undated"))
		r.sight("/new", article("new", now.Add(-time.Hour).Format(time.RFC3339)))
		r.sight("/old", article("old", now.Add(-50*time.Hour).Format(time.RFC3339)))
		r.sight("/undated", article("undated", ""))
		want := `{"Publication":"P","Language":"de","Published":"` + now.Add(-time.Hour).Format(time.RFC3339) + `","Title":"new"}`
		if got := string(r.entry("/new").Extensions[extension.News]); got != want {
			t.Errorf("the article has %s, want %s", got, want)
		}
		for _, location := range []string{"/old", "/undated"} {
			if x := r.entry(location).Extensions; x != nil {
				t.Errorf("%s has %v", location, x)
			}
		}
	})
}

// A page with more images than its part has room for moves to another part.
func TestPageMovesWhenItsPartHasNoRoomForItsImages(t *testing.T) {
	inBubble(t, Config{Extensions: extension.Of(extension.Images), MaxBytes: 5000}, func(r *rig) {
		locations := []string{"/", "/a", "/b", "/c", "/d"}
		r.sight("/", html("home", locations[1:]...))
		for _, location := range locations[1:] {
			r.sight(location, html("page "+location))
		}
		time.Sleep(24 * time.Hour)
		for _, location := range locations[1:] {
			r.sight(location, illustrated("page "+location, "/"+strings.Repeat("photos/", 200)+location[1:]+".png"))
		}
		r.wantListed(locations...)
		if n := len(r.pagesByPart()); n < 2 {
			t.Errorf("they are in %d part", n)
		}
		parts, err := shards.ReadAll(r.Context(), r.st, r.indexer.site.Keys)
		if err != nil {
			t.Fatal(err)
		}
		if over := r.indexer.site.Layout.TooLarge(parts); len(over) > 0 {
			t.Errorf("parts %v have more than they may", over)
		}
	})
}

// inLanguages is a page that names itself in other languages, as "de=/de".
func inLanguages(text string, alternates ...string) string {
	var b strings.Builder
	b.WriteString("<html><head>")
	for _, a := range alternates {
		lang, href, _ := strings.Cut(a, "=")
		fmt.Fprintf(&b, `<link rel="alternate" hreflang="%s" href="%s">`, lang, href)
	}
	fmt.Fprintf(&b, "</head><body><main>%s</main></body></html>", text)
	return b.String()
}

func (r *rig) wantAlternates(location string, want ...string) {
	r.Helper()
	var got []string
	for _, a := range r.page(location).Alternates {
		got = append(got, a.Lang+"="+a.Location)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		r.Errorf("%s has the alternates %q, want %q", location, got, want)
	}
}

func TestAlternatesAreKeptWhereBothPagesNameEachOther(t *testing.T) {
	// A hash stands before each language in the record, so no location may be "/de".
	all := []string{"en=/en", "de-AT=/deutsch", "x-default=/en", "fr=/fr", "es=https://other.example/es"}
	start := func(r *rig) {
		r.sight("/", html("home", "/en", "/deutsch", "/fr"))
		r.sight("/en", inLanguages("hello", all...))
		r.wantAlternates("/en")
		r.sight("/deutsch", inLanguages("hallo", all...))
	}
	runInBubble(t, "kept when reciprocal and listed", Config{}, func(r *rig) {
		start(r)
		r.wantAlternates("/en", "de-at=/deutsch")
		r.wantAlternates("/deutsch", "en=/en", "x-default=/en")
		r.sight("/fr", inLanguages("salut")) // names nobody
		r.wantAlternates("/en", "de-at=/deutsch")
		r.restart()
		r.wantAlternates("/en", "de-at=/deutsch")
	})
	runInBubble(t, "not while one is not listed", Config{}, func(r *rig) {
		start(r)
		r.answer("/deutsch", 410)
		r.wantAlternates("/en")
		r.sight("/deutsch", inLanguages("hallo", all...))
		r.wantAlternates("/en", "de-at=/deutsch")
		r.forget("/deutsch")
		r.wantAlternates("/en")
		r.wantNoTrace("/deutsch")
	})
	runInBubble(t, "not when one no longer says so", Config{}, func(r *rig) {
		start(r)
		r.sight("/deutsch", inLanguages("hallo"))
		r.wantAlternates("/en")
		r.wantAlternates("/deutsch")
	})
	runInBubble(t, "when it becomes listed later", Config{}, func(r *rig) {
		r.sight("/", html("home", "/en"))
		r.sight("/en", inLanguages("hello", all...))
		r.sight("/deutsch", inLanguages("hallo", all...))
		r.wantAlternates("/en")
		time.Sleep(time.Hour)
		r.sight("/", html("home", "/en", "/deutsch"))
		r.sight("/deutsch", inLanguages("hallo", all...))
		r.wantAlternates("/en", "de-at=/deutsch")
		r.wantAlternates("/deutsch", "en=/en", "x-default=/en")
	})
}

package indexer

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/testkit/base"
)

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

// file returns the sitemap as it is served.
func (r *rig) file() (body string) {
	r.Helper()
	r.flush()
	w := httptest.NewRecorder()
	r.files.Serve(w, httptest.NewRequest(http.MethodGet, "/sitemap.xml", nil))
	if w.Code != http.StatusOK {
		r.Fatalf("the sitemap: status %d", w.Code)
	}
	return w.Body.String()
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
		plain := r.file()
		if x := r.entry("/en").Extensions; x != nil {
			t.Errorf("without extensions the entry has %+v", x)
		}

		r.cfg.Settings.Extensions = extension.Of(extension.Alternates)
		r.restart()
		visit()
		if body := r.file(); strings.Count(body, "<xhtml:link") != 4 {
			t.Errorf("with alternates it is\n%s", body)
		}
		r.cfg.Settings.Extensions |= extension.Of(extension.Images)
		r.restart()
		if body := r.file(); strings.Contains(body, "<image:loc>") {
			t.Errorf("with images of which no page was read it is\n%s", body)
		}
		visit()
		if body := r.file(); strings.Count(body, "<xhtml:link") != 4 || strings.Count(body, "<image:loc>") != 3 {
			t.Errorf("with images it is\n%s", body)
		}
		r.cfg.Settings.Extensions = 0
		r.restart()
		base.Equal(t, r.file(), plain, "when they are switched off it is")
		if x := r.entry("/en").Extensions; x != nil {
			t.Errorf("when they are switched off the entry has %+v", x)
		}
	})
}

// A page with more images than its part has room for moves to another part.
func TestPageMovesWhenItsPartHasNoRoomForItsImages(t *testing.T) {
	inBubble(t, Config{Settings: merge.Settings{Extensions: extension.Of(extension.Images)}}, func(r *rig) {
		synctest.Wait() // the worker has begun, and waits
		r.indexer.site.Layout.MaxBytes = 5000
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
		r.check(err)
		for n, p := range parts {
			if p.Bytes > 5000 {
				t.Errorf("part %d has %d bytes", n, p.Bytes)
			}
		}
	})
}

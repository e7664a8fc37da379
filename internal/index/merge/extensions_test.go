package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/testkit/base"
)

// wantImages checks the images in the entry of a page of the site.
func (w *world) wantImages(location string, want ...string) {
	w.Helper()
	var got []string
	for _, element := range strings.Split(string(w.entry(location).Extensions[extension.Images]),
		"</image:loc></image:image>") {
		if _, u, is := strings.Cut(element, "<image:loc>https://example.com"); is {
			got = append(got, u)
		}
	}
	base.EqualLists(w, got, want, "%s has the images", location)
}

func (w *world) wantAlternates(location string, want ...string) {
	w.Helper()
	var got []string
	for _, a := range w.page(location).Peers {
		got = append(got, a.Lang+"="+a.Location)
	}
	slices.Sort(got)
	slices.Sort(want)
	base.EqualLists(w, got, want, "%s has the alternates", location)
}

// The images of a carousel change at each visit; the text does not.
func TestVisitChangesNoFile(t *testing.T) {
	w := newWorld(t, options{extensions: extension.All()})
	w.sight("/", html("home", "/a", "/b"))
	carousel := func(i int) string {
		return illustrated("a text that stays as it is, whatever is shown below it", fmt.Sprintf("/%d.png", i))
	}
	for i := range 2 {
		w.sight("/a", carousel(i))
	}
	w.wait(24 * time.Hour)
	w.sight("/a", carousel(2))
	w.wantImages("/a", "/2.png")
	shard := w.site.Keys.Shard(w.record("/a").Shard)
	before := string(w.records[shard])
	for i := range 20 {
		w.wait(10 * time.Minute)
		w.sight("/a", carousel(3+i))
		if string(w.records[shard]) != before {
			t.Fatalf("visit %d changed the file", i)
		}
	}
	w.wantImages("/a", "/2.png")
}

func TestAlternatesAreKeptWhereBothPagesNameEachOther(t *testing.T) {
	// A hash stands before each language in the record, so no location may be "/de".
	all := []string{"en=/en", "de-AT=/deutsch", "x-default=/en", "fr=/fr", "es=https://other.example/es"}
	start := func(w *world) {
		w.sight("/", html("home", "/en", "/deutsch", "/fr"))
		w.sight("/en", inLanguages("hello", all...))
		w.wantAlternates("/en")
		w.sight("/deutsch", inLanguages("hallo", all...))
	}
	run(t, "kept when reciprocal and listed", options{extensions: extension.All()}, func(w *world) {
		start(w)
		w.wantAlternates("/en", "de-at=/deutsch")
		w.wantAlternates("/deutsch", "en=/en", "x-default=/en")
		w.sight("/fr", inLanguages("salut")) // names nobody
		w.wantAlternates("/en", "de-at=/deutsch")
	})
	run(t, "not while one is not listed", options{extensions: extension.All()}, func(w *world) {
		start(w)
		w.answer("/deutsch", 410)
		w.wantAlternates("/en")
		w.sight("/deutsch", inLanguages("hallo", all...))
		w.wantAlternates("/en", "de-at=/deutsch")
		w.forget("/deutsch")
		w.wantAlternates("/en")
		w.wantNoTrace("/deutsch")
	})
	run(t, "not when one no longer says so", options{extensions: extension.All()}, func(w *world) {
		start(w)
		w.sight("/deutsch", inLanguages("hallo"))
		w.wantAlternates("/en")
		w.wantAlternates("/deutsch")
	})
	run(t, "when it becomes listed later", options{extensions: extension.All()}, func(w *world) {
		w.sight("/", html("home", "/en"))
		w.sight("/en", inLanguages("hello", all...))
		w.sight("/deutsch", inLanguages("hallo"))
		w.wantAlternates("/en")
		w.wait(time.Hour)
		w.sight("/", html("home", "/en", "/deutsch"))
		w.sight("/deutsch", inLanguages("hallo", all...))
		w.wantAlternates("/en", "de-at=/deutsch")
		w.wantAlternates("/deutsch", "en=/en", "x-default=/en")
	})
}

package shards

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/strict"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// everything is an extension of all kinds.
func everything() *Extension {
	return &Extension{
		Alternates: []Alternate{{"de", "/de"}, {"x-default", "/"}},
		Images:     []string{"https://example.com/a.png", "https://cdn.example.net/b.png?x=1&y=2"},
		News:       &sitemap.News{Publication: "The Paper", Language: "en", Published: 1700000000, Title: "Cats & dogs"},
		Videos: []sitemap.Video{{Thumbnail: "https://example.com/t.png", Title: "T", Description: "D",
			Content: "https://example.com/v.mp4", Player: "https://example.com/p", Seconds: 60, Published: 1690000000}},
	}
}

func TestExtensionIsReadAsItWasWritten(t *testing.T) {
	e := Entry{Date: lastmod.Date{At: moment.Seconds(1700000000), Seen: true}, Extension: everything(), Room: 300}
	b := e.Encode()
	if got, err := DecodeEntry(b); err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("decoded\n%+v, %v, want\n%+v", got, err, e)
	}
	if b := (changedAt(5)).Encode(); len(b) > 20 {
		t.Errorf("an entry without extensions is stored as %x", b)
	}
}

func TestPartCountsItsExtensions(t *testing.T) {
	tx, b := mapTx{}, testBook()
	plain := b.Add(tx, 0, "/plain", Entry{})
	part := func() Part { return DecodePart(tx.Get(b.Keys.Part(1))) }
	bare := part()
	b.Add(tx, 0, "/a", Entry{})
	without := part()
	for _, tt := range []struct {
		name string
		x    *Extension
		uses sitemap.Namespaces
		room int
	}{
		{"images", &Extension{Images: everything().Images}, sitemap.Images, 2*len("<image:image><image:loc></image:loc></image:image>") + len("https://example.com/a.png"+"https://cdn.example.net/b.png?x=1&amp;y=2")},
		{"alternates", &Extension{Alternates: everything().Alternates}, sitemap.Alternates, len("\n\n\n") + 2*len(`<xhtml:link rel="alternate" hreflang="" href=""/>`) + len("de"+"x-default"+"https://example.com/de"+"https://example.com/")},
		{"only news, which no part has", &Extension{News: everything().News}, 0, 0},
		{"one that is not valid", &Extension{Images: []string{"no address"}}, sitemap.Images, 0},
		{"one of whose kinds is not valid", &Extension{Images: []string{"no address"}, Alternates: everything().Alternates}, sitemap.Images | sitemap.Alternates, len("\n\n\n") + 2*len(`<xhtml:link rel="alternate" hreflang="" href=""/>`) + len("de"+"x-default"+"https://example.com/de"+"https://example.com/")},
		{"nothing", nil, 0, 0},
	} {
		b.Set(tx, plain, "/a", Entry{Extension: tt.x})
		if p := part(); p.Uses() != tt.uses || p.Bytes != without.Bytes+tt.room || p.Pages != 2 {
			t.Errorf("%s: the part is %+v, and used %d bytes without", tt.name, p, without.Bytes)
		}
	}
	b.Set(tx, plain, "/a", Entry{Extension: everything()})
	b.Remove(tx, 1, "/a")
	if p := part(); p.Changes <= bare.Changes || p.Pages != bare.Pages || p.Bytes != bare.Bytes || p.Uses() != 0 {
		t.Errorf("without the page the part is %+v, want %+v", p, bare)
	}
	for key := range tx {
		if strings.Contains(key, "/a") {
			t.Errorf("the key %s is left of the page", key)
		}
	}
}

// The keys of many articles with long locations take more than one update.
func TestPruneNewsTakesManyLongLocationsInSteps(t *testing.T) {
	b := Book{Keys: "https://www.example.com|"}
	st := strict.New(t, new(memstore.Store))
	long := strings.Repeat("%E6%97%A5", 112)
	for i := range store.MaxKeys {
		key := b.Keys.Article(1, fmt.Sprintf("/%s/%010d", long, i))
		base.Check(t, st.Update(t.Context(), []string{key}, func(values [][]byte) error { values[0] = []byte{1}; return nil }))
	}
	base.Check(t, b.PruneNews(t.Context(), st, time.Now()))
	for r, err := range st.Scan(t.Context(), b.Keys.Announced(), "") {
		t.Fatalf("%s is left, error %v", r.Key, err)
	}
}

package part

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
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

func TestGoldenExtension(t *testing.T) {
	e := Entry{Candidates: lastmod.Candidates{Changed: moment.Seconds(1700000000)}, Priority: 7, Extension: everything(), room: 300}
	const golden = "010880c49fd50c60ac02680772066465202f6465720b782d64656661756c74202f7a1968747470733a2f2f6578616d706c652e636f6d2f612e706e677a2568747470733a2f2f63646e2e6578616d706c652e6e65742f622e706e673f783d3126793d32820127010a095468652050617065721202656e1880c49fd50c220b43617473202620646f6773f340542c8a0160010a1968747470733a2f2f6578616d706c652e636f6d2f742e706e671201541a0144221968747470733a2f2f6578616d706c652e636f6d2f762e6d70342a1568747470733a2f2f6578616d706c652e636f6d2f70303c3880eadacb0c49cd13cec9926d7c"
	b := e.Encode()
	if got := hex.EncodeToString(b); got != golden {
		t.Errorf("encoding is\n%s, want\n%s", got, golden)
	}
	if got, err := DecodeEntry(b); err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("decoded\n%+v, %v, want\n%+v", got, err, e)
	}
	if b := (changedAt(5)).Encode(); hex.EncodeToString(b[:3]) != "01080a" || len(b) != 7 {
		t.Errorf("an entry without extensions is stored as %x", b)
	}
}

func TestAPartCountsWhatItHas(t *testing.T) {
	tx, b := mapTx{}, testBook()
	plain := b.Add(tx, 0, "/plain", Entry{})
	part := func() Part { return readPart(tx.Get(b.Keys.part(1))) }
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
		{"alternates", &Extension{Alternates: everything().Alternates}, sitemap.Alternates, 2*len(`<xhtml:link rel="alternate" hreflang="" href=""/>`) + len("de"+"x-default"+"https://example.com/de"+"https://example.com/")},
		{"only news, which no part has", &Extension{News: everything().News}, 0, 0},
		{"one that is not valid", &Extension{Images: []string{"no address"}}, sitemap.Images, 0},
		{"one of whose kinds is not valid", &Extension{Images: []string{"no address"}, Alternates: everything().Alternates}, sitemap.Images | sitemap.Alternates, 2*len(`<xhtml:link rel="alternate" hreflang="" href=""/>`) + len("de"+"x-default"+"https://example.com/de"+"https://example.com/")},
		{"nothing", nil, 0, 0},
	} {
		b.Set(tx, plain, "/a", Entry{Extension: tt.x})
		if p := part(); p.uses() != tt.uses || p.Bytes != without.Bytes+tt.room || p.Pages != 2 {
			t.Errorf("%s: the part is %+v, and used %d bytes without", tt.name, p, without.Bytes)
		}
	}
	b.Set(tx, plain, "/a", Entry{Extension: everything()})
	b.Remove(tx, 1, "/a")
	if p := part(); p != bare {
		t.Errorf("without the page the part is %+v, want %+v", p, bare)
	}
	for key := range tx {
		if strings.Contains(key, "/a") {
			t.Errorf("the key %s is left of the page", key)
		}
	}
}

func TestAPageThatOutgrowsItsPartLeavesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 4000
		s := newShelf(t, func(c *Config) { c.Extensions = sitemap.Images })
		s.book.MaxBytes = most
		s.list(Entry{}, "/a", "/b", "/c")
		s.render()
		s.want("sitemap.xml", "/a", "/b", "/c")
		big := Entry{Extension: &Extension{Images: []string{"https://example.com/" + strings.Repeat("x", 1300)}}}
		for _, location := range []string{"/a", "/b"} {
			s.write(func(tx Tx) {
				s.book.Set(tx, 1, location, big)
				s.files.Changed(1, s.book.Move(tx, 1, location))
			})
			s.render()
		}
		s.want("sitemap-1.xml", "/a", "/c")
		s.want("sitemap-2.xml", "/b")
		for _, name := range []string{"sitemap-1.xml", "sitemap-2.xml"} {
			if n := s.get(name).Body.Len(); n > most || n < 1300 {
				t.Errorf("%s has %d bytes, at most %d are allowed, and each has a page with an image", name, n, most)
			}
		}
	})
}

func TestNamespacesAreThoseInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, func(c *Config) { c.Extensions = sitemap.Images | sitemap.Alternates })
		x := everything()
		s.list(Entry{Extension: &Extension{Videos: x.Videos}}, "/v")
		s.list(Entry{Extension: &Extension{Images: x.Images}}, "/i")
		s.list(Entry{Extension: &Extension{Images: []string{"javascript:1"}}}, "/bad")
		s.list(Entry{}, "/4")
		s.render()
		first, second := s.get("sitemap-1.xml").Body.String(), s.get("sitemap-2.xml").Body.String()
		if !strings.Contains(first, "xmlns:image") || strings.Contains(first, "xmlns:xhtml") || strings.Contains(first, "video") {
			t.Errorf("the first part is\n%s", first)
		}
		if !strings.Contains(first, "<url><loc>https://example.com/bad</loc></url>") {
			t.Errorf("a page whose images are none is not listed without them:\n%s", first)
		}
		if !strings.HasPrefix(second, sitemap.URLSetOpen) {
			t.Errorf("a part without extensions is\n%s", second)
		}
	})
}

// A withdrawn page must be named nowhere, although the store does not know yet.
func TestAWithdrawnPageIsNoAlternate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cache int
	}{{"in memory", 0}, {"out of memory", 1}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(t, func(c *Config) { c.Extensions, c.CacheBytes = sitemap.Alternates, tt.cache })
				e := Entry{Extension: &Extension{Alternates: []Alternate{{"de", "/de"}, {"en", "/en"}, {"fr", "/fr"}}}}
				s.list(Entry{}, "/1", "/2")
				s.list(e, "/en", "/fr", "/de")
				s.render()
				s.files.Withdraw("/de", time.Now())
				s.files.cut()
				for _, name := range []string{"sitemap-1.xml", "sitemap-2.xml"} {
					body := s.get(name).Body.String()
					if strings.Contains(body, "/de") || !strings.Contains(body, `hreflang="fr"`) {
						t.Errorf("%s is\n%s", name, body)
					}
				}
				if n := s.files.Listed(); n != 4 {
					t.Errorf("%d pages are listed, want 4", n)
				}
			})
		})
	}
}

func TestNewsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, func(c *Config) { c.News = true })
		now := time.Now().Unix()
		news := func(ago int64) Entry {
			return Entry{Extension: &Extension{News: &sitemap.News{Publication: "P", Language: "en", Published: now - ago, Title: "T"}}}
		}
		s.list(news(3600), "/new")
		s.list(news(47*3600), "/old")
		s.list(news(49*3600), "/older")
		s.list(news(-600), "/ahead")
		s.list(Entry{}, "/page")
		s.render()
		s.want("sitemap-news.xml", "/new", "/old")
		time.Sleep(2 * time.Hour)
		s.render()
		s.want("sitemap-news.xml", "/ahead", "/new")
		s.files.Withdraw("/new", time.Now())
		s.files.cut()
		s.want("sitemap-news.xml", "/ahead")
		if err := s.book.PruneNews(t.Context(), s.st, time.Now()); err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, err := range s.st.Scan(t.Context(), s.book.Keys.announced(), "") {
			if left++; err != nil {
				t.Fatal(err)
			}
		}
		if left != 2 {
			t.Errorf("%d keys of news are left, want those of the two young ones", left)
		}
		time.Sleep(72 * time.Hour)
		s.render()
		if w := s.get("sitemap-news.xml"); w.Code != 404 {
			t.Errorf("without news: status %d", w.Code)
		}
	})
}

// The keys of many articles with long locations take more than one update.
func TestManyOldNewsWithLongLocations(t *testing.T) {
	s := newShelf(t)
	s.book.Keys = "https://www.example.com|"
	st := storetest.Strict(t, s.st.Store)
	long := strings.Repeat("%E6%97%A5", 112)
	for i := range store.MaxKeys {
		key := fmt.Sprintf("%s/%s/%010d", s.book.Keys.announcedAt(1), long, i)
		if err := st.Update(t.Context(), []string{key}, func(values [][]byte) error { values[0] = []byte{1}; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.book.PruneNews(t.Context(), st, time.Now()); err != nil {
		t.Fatal(err)
	}
	for r, err := range st.Scan(t.Context(), s.book.Keys.announced(), "") {
		t.Fatalf("%s is left, error %v", r.Key, err)
	}
}

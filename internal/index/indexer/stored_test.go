package indexer

import (
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/codec/recordtest"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// recordKinds are the beginnings of the keys of a site's records.
var recordKinds = []string{
	"active", "bar|", "boilerplate", "duplicates|", "file|", "list|", "log|", "page|", "refusals", "robots|", "shard|",
	"siblings|", "site", "trust", "wait|",
}

const newsPage = `<html lang="de"><script type="application/ld+json">{"@type":"NewsArticle","headline":"HEADLINE",` +
	`"datePublished":"PUBLISHED","publisher":{"name":"P"}}</script><main>HEADLINE</main>`

// mixed is a site that gets traffic of all kinds.
type mixed struct {
	*rig
	began time.Time
}

func (m *mixed) news(headline string) {
	at := m.began.Add(-time.Hour).UTC().Format(time.RFC3339)
	m.sight("/news", strings.NewReplacer("HEADLINE", headline, "PUBLISHED", at).Replace(newsPage))
}

// dated is an observation of a page that says when it was modified.
func (m *mixed) dated(text string, hours int) {
	m.sight("/a", html(text), lastModified(m.began.Add(time.Duration(hours-1000)*time.Hour)))
}

// before is traffic that creates a record of each kind.
func (m *mixed) before() {
	m.sight("/", html("home", "/a", "/b", "/c", "/news"))
	m.dated("a", 0)
	m.sight("/b", html(same))
	m.sight("/c", html(same))
	m.news("first")
	m.sight("/lonely", html("lonely"), from("192.0.2.0/24"))
	m.answer("/a", http.StatusNotFound, from(netA))
	m.dated("a", 1) // without another content
	serveRobots(m.rig, http.StatusOK, "User-agent: *\nDisallow: /x\n")
}

// after is traffic that changes a record of each kind.
func (m *mixed) after() {
	m.sight("/", html("home, today", "/a", "/b", "/c", "/d", "/e", "/f", "/g", "/news"))
	m.sight("/d", html(same))
	m.sight("/e", html("e"))
	m.sight("/f", html("f"))
	m.sight("/g", html("g"))
	m.answer("/a", http.StatusNotFound, from(netB))
	m.dated("a", 2)
	m.dated("a has changed, as everybody can see who reads what it has to say", 3)
	m.news("second")
	m.sight("/lonely", html("lonely"), from("198.51.100.0/24"))
	serveRobots(m.rig, http.StatusNotFound, "", from(netA))
	time.Sleep(time.Minute)
	serveRobots(m.rig, http.StatusNotFound, "", from(netB))
}

// A process that finds the site's record of a later version serves its last sitemap,
// stores nothing more, and says so once.
func TestOlderProcessStopsWhereALaterVersionHasTakenOver(t *testing.T) {
	for _, when := range []string{"while it runs", "before it starts"} {
		runInBubble(t, when, Config{RefreshEvery: time.Minute}, func(r *rig) {
			r.sight("/", html("home", "/a", "/b"))
			r.sight("/a", html("a"))
			r.wantListed("/", "/a")
			if when != "while it runs" {
				r.stop()
			}
			r.put(r.indexer.site.Keys.Site(), laterRecord())
			if when != "while it runs" {
				r.start()
			}
			before := r.dump()
			for range 3 {
				r.offer(seen("/b", html("b")))
				r.offer(seen("/a", html("another text of this page")))
				time.Sleep(time.Hour)
			}
			if keys := differences(r.dump(), before); len(keys) > 0 {
				r.Errorf("it changed %q", keys)
			}
			if err := r.indexer.Forget(r.Context(), "/a"); !errors.Is(err, txn.ErrLater) {
				r.Errorf("Forget returned %v", err)
			}
			if when == "while it runs" && !r.files.Lists("/") {
				r.Error("the last sitemap is no longer served")
			}
			if err := r.indexer.Stats().Problem; !errors.Is(err, txn.ErrLater) {
				r.Errorf("the stats say %v", err)
			}
			if n := strings.Count(r.log.String(), "later version"); n < 1 || n > 2 { // the worker's and the files'
				r.Errorf("logged %d times:\n%s", n, r.log)
			}
		})
	}
}

// A listed page has a record under its own location. A record under a hash that claims to
// be of a listed page must not name it.
func TestWaitingRecordThatClaimsToBeListed(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home"))
		r.put(r.indexer.site.Keys.Wait(r.indexer.site.Secret.Name("/token-8f14e45fceea167a").Hash), []byte(r.dump()[r.indexer.site.Keys.Page("/")]))
		r.restart()
		r.sight("/token-8f14e45fceea167a", html("secret"))
		r.wantNoTrace("/token-8f14e45fceea167a")
	})
}

// stored is the store of a site that has seen some traffic.
func stored(t *testing.T) (all map[string]string) {
	synctest.Test(t, func(t *testing.T) {
		m := &mixed{newRig(t, new(memstore.Store), Config{RefreshEvery: time.Minute, MaxURLs: 3, Extensions: allExtensions}), time.Now()}
		m.before()
		m.answer("/c", http.StatusNotFound)
		all = m.dump()
		m.stop()
	})
	return all
}

// lastMods are the dates in a file.
var lastMods = regexp.MustCompile(`<lastmod>([^<]*)</lastmod>`)

// FuzzStored forges a field of one record of a site and lets the site go on. The listing
// may be wrong then, but the site lists no future date and does not stop.
func FuzzStored(f *testing.F) {
	for i := range recordKinds {
		f.Add(uint8(i), uint8(i+1), uint64(1)<<63, "", int64(0))
		f.Add(uint8(i), uint8(i+2), uint64(math.MaxUint64), "", int64(i)<<30)
		f.Add(uint8(i), uint8(2*i), uint64(0), "/x", int64(-5))
	}
	var before map[string]string
	f.Fuzz(func(t *testing.T, kind, num uint8, n uint64, data string, shift int64) {
		if before == nil {
			before = stored(t)
		}
		var forged any = n
		if data != "" {
			forged = data
		}
		synctest.Test(t, func(t *testing.T) {
			st := new(memstore.Store)
			keys := "https://example.com|" + recordKinds[int(kind)%len(recordKinds)]
			for key, value := range before {
				b := []byte(value)
				if strings.HasPrefix(key, keys) {
					b = recordtest.Set(b, uint64(num)/16, uint64(num)%16, forged)
				}
				if err := st.Update(t.Context(), []string{key}, func(values [][]byte) error { values[0] = b; return nil }); err != nil {
					return // a value may be no longer than so
				}
			}
			m := &mixed{newRig(t, st, Config{RefreshEvery: 6 * time.Hour, MaxURLs: 3, Extensions: allExtensions}), time.Now()}
			defer func() { m.stop() }()
			m.after()
			time.Sleep(time.Duration(uint64(shift) % uint64(4*24*time.Hour)))
			m.sight("/c", html("c"))
			m.sight("/a", html("a in other words that nobody has read before"))
			_ = m.indexer.Forget(m.Context(), "/b")
			m.flush()
			m.wantSaneFiles()
		})
	})
}

// wantSaneFiles checks what is served, and what is told of it.
func (m *mixed) wantSaneFiles() {
	m.Helper()
	for _, err := range m.indexer.Pages(m.Context()) {
		base.Check(m, err)
	}
	for _, location := range []string{"/a", "/b", "/lonely"} {
		m.page(location)
	}
	for range m.indexer.Events(m.Context(), time.Now().Add(-time.Hour)) {
	}
	for _, name := range []string{"sitemap.xml", "sitemap-1.xml", "sitemap-2.xml"} {
		w := httptest.NewRecorder()
		m.files.Serve(w, httptest.NewRequest(http.MethodGet, "/"+name, nil))
		for _, found := range lastMods.FindAllStringSubmatch(w.Body.String(), -1) {
			at, err := time.Parse(time.RFC3339, found[1])
			if err != nil || name != "sitemap.xml" && at.After(time.Now()) {
				m.Errorf("%s has a lastmod of %q at %v", name, found[1], time.Now())
			}
		}
	}
}

func TestWhatSearchEnginesWereToldIsRead(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl()
		r.put(r.indexer.site.Keys.Notify("state"), []byte("told"))
		if got, err := r.indexer.Notified(r.Context()); err != nil || string(got) != "told" {
			r.Errorf("%q, %v", got, err)
		}
	})
}

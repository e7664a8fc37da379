package leak_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/schema/keys"
	keyed "github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
	"github.com/servemap/servemap/store/memstore"
)

// person is somebody who visits a site, with all by which he can be told from others.
type person struct {
	addrs                          [2]string // today's and tomorrow's
	agent, cookie, referer, search string
}

var (
	ann = person{
		[2]string{"198.41.30.117", "2a0b:7d91:aa1:c3::5e"}, "Mozilla/5.0 (X11; Linux x86_64) annsbrowser/7.1",
		"GA1.1.annscookie.1792", "https://annsforum.example/annsthread", "annssearch",
	}
	bob = person{
		[2]string{"87.201.144.212", "2a0c:1234:bb9:77::1d"}, "Opera/9.80 (Windows) bobsbrowser/3.2",
		"GA1.1.bobscookie.9930", "https://bobsforum.example/bobsthread", "bobssearch",
	}
)

// site is one that he visits: pages of each kind, and what becomes of them on the third day.
func site(st store.Store, log *testkit.Log) testkit.Setup {
	start := sync.OnceValue(time.Now)
	later := func(first, then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if time.Since(start()) < 40*time.Hour {
				first(w, r)
			} else {
				then(w, r)
			}
		}
	}
	return testkit.Setup{Store: st, Log: log, Handler: testkit.Paths{
		"/": testkit.Page("home", "/a", "/changes", "/share/k7Qx92mVbT4z", "/missing", "/denied", "/private", "/hidden",
			"/moved", "/leaves", "/closes", "/fails"),
		"/robots.txt": later(testkit.Reply(200, "User-agent: *\nDisallow: /x", "Content-Type", "text/plain"),
			testkit.Reply(200, "User-agent: *\nDisallow: /a", "Content-Type", "text/plain")),
		"/changes": later(testkit.Page("before", "/b"), testkit.Page("after", "/c")),
		"/a":       testkit.Page("a"), "/b": testkit.Page("b"), "/c": testkit.Page("c"), "/target": testkit.Page("target"),
		"/unlinked":           testkit.Page("unlinked"),
		"/share/k7Qx92mVbT4z": testkit.Page("shared"),
		"/denied":             testkit.Reply(401, "who are you?"),
		"/private":            testkit.Reply(200, testkit.HTML("", "private"), "Cache-Control", "private"),
		"/hidden":             testkit.Reply(200, testkit.HTML("<meta name=robots content=noindex>", "hidden")),
		"/moved":              http.RedirectHandler("/target", http.StatusMovedPermanently).ServeHTTP,
		"/leaves":             later(testkit.Page("leaves"), http.NotFound),
		"/closes":             later(testkit.Page("closes"), testkit.Reply(403, "closed")),
		"/fails":              later(testkit.Page("fails"), testkit.Reply(500, "failed")),
	}, Options: servemap.Options{Crawlers: true, Limits: servemap.Limits{Looks: -1},
		ClientIP: func(r *http.Request) netip.Addr {
			addr, _ := netip.ParseAddr(r.Header.Get(visitorHeader))
			return addr
		}}}
}

// visits asks for all pages. Where an answer tells nothing of a page, he searches for something too. Anywhere else,
// only if everywhere is true: of an address that got a page, and is not listed, a hash with the site's secret is kept.
func (p person) visits(s *testkit.Site, addr string, everywhere bool) {
	nothing := []string{"/robots.txt", "/missing", "/denied", "/moved", "/sitemap.xml"}
	for _, path := range append(nothing, "/", "/a", "/b", "/changes", "/c", "/share/k7Qx92mVbT4z", "/hidden", "/private",
		"/target", "/leaves", "/closes", "/fails", "/unlinked") {
		queries := []string{"", "?utm_source=" + p.search}
		if everywhere || slices.Contains(nothing, path) {
			queries = append(queries, "?q="+p.search, "?session="+p.search)
		}
		for _, query := range queries {
			s.Get(path+query, visitorHeader, addr, "User-Agent", p.agent, "Cookie", "_ga="+p.cookie, "Referer", p.referer)
			s.Settle()
			// logged in
			s.Get(path+query, visitorHeader, addr, "User-Agent", p.agent, "Cookie", "session="+p.cookie, "Referer", p.referer)
			s.Settle()
		}
	}
	s.Get("/a", visitorHeader, "10.77.0.1", "User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1) "+p.agent)
	s.Settle()
}

// Whoever visits a site, and wherever from, its store has the same bytes. So it has nothing by which
// he could be told from others, in clear, in part or as a hash.
func TestStoreIsTheSameWhoeverVisits(t *testing.T) {
	stored := func(p person) (records []string) {
		st := memstore.New()
		testkit.Run(t, site(st, nil), func(s *testkit.Site) {
			for day := range 5 {
				p.visits(s, p.addrs[day%2], false)
				time.Sleep(25 * time.Hour)
			}
			s.WantListed("/", "/b", "/c", "/changes", "/fails", "/share/k7Qx92mVbT4z", "/target")
			s.Shut()
			for r, err := range st.Scan(t.Context(), "", "") {
				base.Check(t, err)
				records = append(records, fmt.Sprintf("%s %x", r.Key, r.Value))
			}
		})
		return records
	}
	a, b := stored(ann), stored(bob)
	if len(a) != len(b) {
		t.Fatalf("%d records are stored for one, and %d for the other", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("a record differs:\n%s\n%s", a[i], b[i])
		}
	}
}

// Badger's files have more than the records: what was replaced, and what it writes for itself.
func TestFilesOfTheStoreHaveNothingOfAVisitor(t *testing.T) {
	dir, log := t.TempDir(), new(testkit.Log)
	st, err := badgerstore.Open(dir, &badgerstore.Options{Reserve: 1, Logger: log.Logger()})
	base.Check(t, err)
	s := testkit.Start(t, site(st, log))
	for _, addr := range ann.addrs {
		ann.visits(s, addr, true)
	}
	s.Shut()
	values := make([][]byte, 1)
	k, err := keys.New(testkit.Origin)
	base.Check(t, err)
	base.Check(t, st.View(t.Context(), []string{k.Site()},
		func(v [][]byte) error { values[0] = bytes.Clone(v[0]); return nil }))
	key, err := keyed.Read(values[0])
	base.Check(t, err)
	base.Check(t, st.Close())
	marks := []string{ann.agent, ann.cookie, "_ga=" + ann.cookie, ann.referer, "annsforum.example", "/annsthread",
		ann.search, "utm_source=" + ann.search, "q=" + ann.search}
	binaries := map[string][]byte{}
	for _, text := range ann.addrs {
		addr := netip.MustParseAddr(text)
		prefix, err := addr.Prefix(map[bool]int{true: 24, false: 48}[addr.Is4()])
		base.Check(t, err)
		marks = append(marks, text, addr.StringExpanded(), prefix.String(), network(addr))
		binaries[text] = addr.AsSlice()
	}
	for _, m := range marks {
		for name, hash := range map[string]uint64{
			"xxh3": xxh3.HashString(m), "the secret's for networks": key.Hash("network", m),
			"the secret's for contents": key.Hash("showing", m), "the secret's for locations": key.Name(m).ID,
		} {
			binaries[m+" by "+name] = binary.BigEndian.AppendUint64(nil, hash)
			binaries[m+" by "+name+", the other way round"] = binary.LittleEndian.AppendUint64(nil, hash)
		}
		binaries[m+" by the secret's for locations, in hex"] = []byte(key.Name(m).Hash)
	}
	contents := files(t, dir)
	contents["the log"] = []byte(log.String())
	find := newFinder(slices.DeleteFunc(marks, func(m string) bool { return len(m) < 8 })...)
	for name, data := range contents {
		for _, found := range find.find(data) {
			t.Errorf("%s has %s (%s)", name, found.of, found.form)
		}
		for what, b := range binaries {
			if bytes.Contains(data, b) {
				t.Errorf("%s has %s", name, what)
			}
		}
	}
	if len(contents) < 3 {
		t.Errorf("only %d files were read", len(contents))
	}
}

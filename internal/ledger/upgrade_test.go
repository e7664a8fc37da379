package ledger

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/store/memstore"
)

// The records of a site that has seen some traffic, by what their keys begin with. None is left out
// but the secret, without which nothing can be read, and doubts that are not confirmed yet: they are
// written once and only ever deleted, as are events.
var recordKinds = []string{
	"active", "article|", "extensions", "file|", "furniture", "head", "journal", "kin|", "list|", "log|", "page|", "part|",
	"robots|", "told|", "trust", "twin|", "wait|",
}

// someKinds returns all kinds of records, or with -short every fourth.
func someKinds() (kinds []string) {
	for i, kind := range recordKinds {
		if !testing.Short() || i%4 == 1 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

const upgradeNews = `<html lang="de"><script type="application/ld+json">{"@type":"NewsArticle","headline":"HEADLINE",` +
	`"datePublished":"PUBLISHED","publisher":{"name":"P"}}</script><main>HEADLINE</main>`

// mixed is a site whose store an earlier and a later version of the program share.
type mixed struct {
	*rig
	began time.Time
}

func (m *mixed) news(headline string) {
	at := m.began.Add(-time.Hour).UTC().Format(time.RFC3339)
	m.sight("/news", strings.NewReplacer("HEADLINE", headline, "PUBLISHED", at).Replace(upgradeNews))
}

// dated is a look at a page that says when it was modified.
func (m *mixed) dated(text string, hours int) {
	m.sight("/a", html(text), lastModified(m.began.Add(time.Duration(hours-1000)*time.Hour)))
}

// before is the traffic that makes a record of each kind.
func (m *mixed) before() {
	m.sight("/", html("home", "/a", "/b", "/c", "/news"))
	m.dated("a", 0)
	m.sight("/b", html(same))
	m.sight("/c", html(same))
	m.news("first")
	m.sight("/lonely", html("lonely"), from("192.0.2.0/24"))
	m.dated("a", 1) // without another content
	robotsTxt(m.rig, http.StatusOK, "User-agent: *\nDisallow: /x\n")
}

// after is traffic that changes a record of each kind.
func (m *mixed) after() {
	m.sight("/", html("home, today", "/a", "/b", "/c", "/d", "/e", "/f", "/g", "/news"))
	m.sight("/d", html(same))
	m.sight("/e", html("e"))
	m.sight("/f", html("f"))
	m.sight("/g", html("g"))
	m.dated("a", 2)
	m.dated("a has changed, as everybody can see who reads what it has to say", 3)
	m.news("second")
	m.sight("/lonely", html("lonely"), from("198.51.100.0/24"))
	robotsTxt(m.rig, http.StatusNotFound, "")
	time.Sleep(time.Minute)
	robotsTxt(m.rig, http.StatusNotFound, "")
}

// longAfter changes what changes with the days.
func (m *mixed) longAfter() {
	time.Sleep(8 * 24 * time.Hour)
	m.sight("/", html("home, a week later", "/a", "/b", "/c", "/d", "/e", "/f", "/g", "/news"))
	m.flush()
}

// mix runs fn on a site of which forge, where it is not nil, has replaced the records of a kind before
// the traffic of after. All but the bulletin, which is each process's own, are met by another process
// than the one that wrote them first. fn gets those records by their keys.
func mix(t *testing.T, kind string, forge func([]byte) []byte, fn func(m *mixed, was map[string]string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		// Others are asked for once a minute, as days pass.
		cfg := Config{RefreshEvery: time.Minute, MaxURLs: 3, Extensions: allExtensions}
		m := &mixed{newRig(t, new(memstore.Store), cfg), time.Now()}
		defer func() { m.stop() }()
		m.before()
		if kind != "told|" {
			m.stop()
			m.cfg.Extensions &^= sitemap.Videos
		}
		was := m.kind(kind)
		for key, value := range was {
			if forge != nil {
				was[key] = string(forge([]byte(value)))
				m.put(key, []byte(was[key]))
			}
		}
		if kind != "told|" {
			m.start()
		}
		if len(was) == 0 {
			t.Fatalf("there is no record %q", kind)
		}
		fn(m, was)
	})
}

// kind returns the records whose keys begin so.
func (m *mixed) kind(kind string) map[string]string {
	found := map[string]string{}
	for key, value := range m.dump() {
		if strings.HasPrefix(strings.TrimPrefix(key, "https://example.com|"), kind) {
			found[key] = value
		}
	}
	return found
}

// differing returns how many records are other ones by now.
func (m *mixed) differing(kind string, was map[string]string) (n int) {
	now := m.kind(kind)
	for key, value := range was {
		if now[key] != value {
			n++
		}
	}
	return n
}

// Fields that no version so far has.
const (
	unknownNumber = 3000
	unknownText   = 3001
)

// withMore returns a record with fields that only a later version knows.
func withMore(b []byte) []byte {
	var e record.Encoder
	e.Keep(record.Others(b, 0))
	e.Uint(unknownNumber, 42)
	e.Bytes(unknownText, []byte("what a later version knows"))
	return e.Seal()
}

func hasMore(b []byte) bool {
	number, text := false, false
	err := record.Open(b, func(f record.Field) {
		number = number || f.Num == unknownNumber && f.Value == 42
		text = text || f.Num == unknownText && string(f.Data) == "what a later version knows"
	})
	return err == nil && number && text
}

// TestFieldsOfALaterVersionStay has each kind of record written with fields that are not known here, and
// then changed by traffic.
func TestFieldsOfALaterVersionStay(t *testing.T) {
	for _, kind := range someKinds() {
		if kind == "log|" {
			continue // an event is never changed
		}
		t.Run(kind, func(t *testing.T) {
			mix(t, kind, withMore, func(m *mixed, was map[string]string) {
				check := func(when string) {
					for key, value := range m.kind(kind) {
						if _, is := was[key]; is && !hasMore([]byte(value)) {
							m.Errorf("%s, %s has lost what it does not know", when, key)
						}
					}
				}
				m.after()
				check("soon")
				changed := m.differing(kind, was)
				m.longAfter()
				check("after a week")
				if changed += m.differing(kind, was); changed == 0 {
					m.Error("no such record was changed, so this shows nothing")
				}
			})
		})
	}
}

// TestRecordsOfALaterVersionAreLeftAlone has each kind of record written by a version that cannot be read
// here, and traffic that would change it. The site goes on.
func TestRecordsOfALaterVersionAreLeftAlone(t *testing.T) {
	for _, kind := range someKinds() {
		t.Run(kind, func(t *testing.T) {
			later := func([]byte) []byte { return laterRecord() }
			mix(t, kind, later, func(m *mixed, was map[string]string) {
				m.after()
				m.longAfter()
				now := m.kind(kind)
				for key, value := range was {
					if now[key] != value {
						m.Errorf("%s is %x by now", key, now[key])
					}
				}
				if kind == "page|" || kind == "list|" {
					return // the pages that are asked for below are among those left alone
				}
				if !m.files.Lists("/") || m.files.Lists("/lonely") || m.files.Lists("/c") {
					m.Errorf("listed are: / %v, /lonely %v, /c, which shows the same as another page, %v",
						m.files.Lists("/"), m.files.Lists("/lonely"), m.files.Lists("/c"))
				}
				if !m.files.Lists("/e") {
					m.Error("a new page that is linked is not listed")
				}
			})
		})
	}
}

// Forget says so if a page is named by a record that only a later version can delete, and leaves that to
// a process which runs it.
func TestForgettingWhatALaterVersionNames(t *testing.T) {
	for _, tt := range []struct {
		kind string
		left bool
	}{{"page|", true}, {"list|", true}, {"log|", true}, {"part|", false}, {"head", false}, {"journal", false}} {
		t.Run(tt.kind, func(t *testing.T) {
			later := func([]byte) []byte { return laterRecord() }
			mix(t, tt.kind, later, func(m *mixed, was map[string]string) {
				err := m.ledger.Forget(m.Context(), "/a")
				if errors.Is(err, record.ErrVersion) != tt.left || (err == nil) == tt.left {
					m.Errorf("Forget returned %v, want that it is a later version's: %v", err, tt.left)
				}
				if m.files.Lists("/a") {
					m.Error("/a is still in the files")
				}
				if !tt.left {
					m.wantNoName("/a")
					return
				}
				if barred := m.page("/a").Reason == admit.Forgotten; barred != (tt.kind != "page|") {
					m.Errorf("/a is barred: %v", barred)
				}
				m.dated("a is seen once more, and shows what nobody has read before", 5)
				m.flush()
				if m.files.Lists("/a") {
					m.Error("/a is back in the files, as somebody got it")
				}
				if tt.kind == "list|" {
					return
				}
				for key := range was { // as a process of the later version does it
					if strings.HasSuffix(key, "|/a") {
						m.put(key, nil)
					}
				}
				m.longAfter()
				if p := m.page("/a"); p.Reason != admit.Forgotten || m.files.Lists("/a") || len(m.ledger.forgotten) != 0 {
					m.Errorf("in the end /a is %v because of %v, and %d locations are still to be forgotten", p.Verdict, p.Reason, len(m.ledger.forgotten))
				}
				if tt.kind == "log|" {
					m.wantNoName("/a")
				}
			})
		})
	}
}

// wantNoName checks that no key names a location.
func (m *mixed) wantNoName(location string) {
	m.Helper()
	for key := range m.dump() {
		if strings.HasSuffix(key, "|"+location) {
			m.Errorf("there is a record %q", key)
		}
	}
}

// What only a later version knows of robots.txt may disallow anything, until this process has seen it.
func TestARobotsTxtThatOnlyALaterVersionCanRead(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a", "/x"))
		robotsTxt(r, http.StatusOK, "User-agent: *\nDisallow: /x\n")
		r.sight("/a", html("a"))
		r.sight("/x", html("x"))
		r.put(r.ledger.keys.robots(0), laterRecord())
		r.restart()
		r.sight("/", html("home, again", "/a", "/b", "/x"))
		visit := func() {
			r.sight("/b", html("b"))
			r.sight("/x", html("x"))
		}
		visit()
		r.wantListed("/", "/a")
		robotsTxt(r, http.StatusOK, "User-agent: *\nDisallow: /x\n")
		visit()
		r.wantListed("/", "/a", "/b")
		robotsTxt(r, http.StatusNotFound, "")
		visit()
		r.wantListed("/", "/a", "/b") // not by one look
		time.Sleep(time.Minute)
		robotsTxt(r, http.StatusNotFound, "")
		visit()
		r.wantListed("/", "/a", "/b", "/x")
	})
}

package ledger

import (
	"github.com/servemap/servemap/internal/record/recordtest"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/store/memstore"
)

// A foreign key is among the keys of the waiting locations.
func TestWaitingRecordUnderAForeignKeyIsIgnored(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/waits"))
		waitingRecord := r.onlyWaiting()
		for _, key := range []string{"", "ab", "zzzzzzzzzzzzzzzzzz"} {
			r.put(r.ledger.site.Keys.Waits()+"~"+key, waitingRecord)
		}
		r.restart()
		r.wantListed("/")
	})
}

// A listed page has a record under its own location. A record under a hash that claims to
// be of a listed page must not name it.
func TestWaitingRecordThatClaimsToBeListed(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home"))
		r.put(r.ledger.site.Keys.Wait(r.ledger.site.Names.Of("/token-8f14e45fceea167a").Hash), []byte(r.dump()[r.ledger.site.Keys.Page("/")]))
		r.restart()
		r.sight("/token-8f14e45fceea167a", html("secret"))
		r.wantNoTrace("/token-8f14e45fceea167a")
	})
}

// stored is the store of a site that has seen some traffic.
func stored(t *testing.T) (all map[string]string) {
	mix(t, "page|", nil, func(m *mixed, _ map[string]string) {
		m.answer("/c", http.StatusNotFound)
		all = m.dump()
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
	kinds := append([]string{"lost|", "site"}, recordKinds...)
	f.Fuzz(func(t *testing.T, kind, num uint8, n uint64, data string, shift int64) {
		if before == nil {
			before = stored(t)
		}
		forge := recordtest.Forged{Num: 1 + int(num)%80, N: n, Data: data}
		if kinds[int(kind)%len(kinds)] == "part|" && forge.Num == 1 {
			return // of a part that counts too many pages the first rendering fails, and the next does not
		}
		synctest.Test(t, func(t *testing.T) {
			st := new(memstore.Store)
			keys := "https://example.com|" + kinds[int(kind)%len(kinds)]
			for key, value := range before {
				b := []byte(value)
				if strings.HasPrefix(key, keys) {
					b = forge.In(b)
				}
				if err := st.Update(t.Context(), []string{key}, func(values [][]byte) error { values[0] = b; return nil }); err != nil {
					return // a value may be no longer than so
				}
			}
			m := &mixed{newRig(t, st, Config{RefreshEvery: 6 * time.Hour, MaxURLs: 3, Extensions: allExtensions, InferPriority: true}), time.Now()}
			defer func() { m.stop() }()
			m.after()
			time.Sleep(time.Duration(uint64(shift) % uint64(4*24*time.Hour)))
			m.sight("/c", html("c"))
			m.sight("/a", html("a in other words that nobody has read before"))
			_ = m.ledger.Forget(m.Context(), "/b")
			m.flush()
			m.wantSaneFiles()
		})
	})
}

// wantSaneFiles checks what is served, and what is told of it.
func (m *mixed) wantSaneFiles() {
	m.Helper()
	for p, err := range m.ledger.Pages(m.Context()) {
		if err != nil {
			m.Fatal(err)
		}
		p.DatedBy(m.files.Trust(), time.Now())
	}
	for _, location := range []string{"/a", "/b", "/lonely"} {
		m.page(location)
	}
	for range m.ledger.Events(m.Context(), time.Now().Add(-time.Hour)) {
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

// onlyWaiting returns the record of the one location that waits.
func (r *rig) onlyWaiting() []byte {
	r.Helper()
	for key, value := range r.dump() {
		if strings.HasPrefix(key, r.ledger.site.Keys.Waits()) {
			return []byte(value)
		}
	}
	r.Fatal("no location waits")
	return nil
}

package ledger

import (
	"bytes"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store/memstore"
)

// sealed is the record with these fields, whatever they are.
func sealed(fields []byte) []byte {
	var e record.Encoder
	e.Raw(fields)
	return e.Seal()
}

// fieldsOf returns the fields of a record.
func fieldsOf(b []byte) []byte { return b[1 : len(b)-4] }

// forged is a field that says something else than the one of its number in a
// record: readers go by the last one.
type forged struct {
	num  int
	n    uint64
	data string // where it is not empty, in place of the number
}

func (f forged) in(b []byte) []byte {
	var e record.Encoder
	e.Keep(record.Others(b, 0))
	if f.data != "" {
		e.Bytes(f.num, []byte(f.data))
	} else {
		e.Uint(f.num, f.n)
	}
	return e.Seal()
}

// Records whose checksums hold may say anything all the same. Where the rest of
// the program could not go on with that, it is not believed.
func TestStatesThatCannotBe(t *testing.T) {
	for _, tt := range []struct {
		name string
		forged
		damaged bool
		want    func(*state) bool
	}{
		{"a part beyond all", forged{num: fieldPart, n: 1 << 31}, true, nil},
		{"a part below none", forged{num: fieldPart, n: math.MaxUint64}, true, nil},
		{"listed in no part", forged{num: fieldPart, data: "x"}, true, nil},
		{"a last look in no year", forged{num: fieldLastSeen, n: math.MaxUint64 - 1}, false, func(s *state) bool { return s.lastSeen/1000 == 253_402_300_799 }},
		{"an event in no year", forged{num: fieldLogged, n: math.MaxUint64 - 1}, false, func(s *state) bool { return s.logged > 0 && s.logged < 1<<48 }},
		{"a peer that is no location", forged{num: fieldPeer, data: "de no location"}, false, func(s *state) bool { return len(s.peers) == 1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := decodeState(tt.in(full().encode()))
			if (err != nil) != tt.damaged || err == nil && !tt.want(s) {
				t.Errorf("read as %+v, %v", s, err)
			}
		})
	}
}

// What was seen by a clock that no clock can follow counts for nothing.
func TestActivityThatCannotBe(t *testing.T) {
	for name, a := range map[string]activity{
		"a last span long before all": {length: 3600, last: math.MinInt64, seen: 7},
		"spans without a length":      {length: 0, last: 5, seen: 7},
		"spans that go back":          {length: -60, last: 5, seen: 7},
		"a last span after all":       {length: 3600, last: math.MaxInt64, seen: 7},
	} {
		t.Run(name, func(t *testing.T) {
			got := readActivity(a.encode())
			after := got.observed(1_700_000_000, 3600)
			if after.seen&1 != 1 || after.since(math.MinInt64+1) > spans {
				t.Errorf("observed, it is %+v", after)
			}
		})
	}
}

// A key that is none of ours stands among those of the waiting locations.
func TestAWaitingRecordOfAnotherKey(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home"))
		for _, key := range []string{"", "ab", "zzzzzzzzzzzzzzzzzz"} {
			r.put(r.ledger.keys.Waits()+"~"+key, (&state{witnessed: true, showing: 7, lastSeen: 1}).encode())
		}
		r.restart()
		r.flush()
		r.wantListed("/")
	})
}

// What was listed is named by its own key. A record under a hash that says so of
// another location does not name that one.
func TestAWaitingRecordThatClaimsToBeListed(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home"))
		s := full()
		s.barred, s.absent, s.missing, s.content = false, admit.None, 0, admit.None
		r.put(r.ledger.wait("/token-8f14e45fceea167a"), s.encode())
		r.restart()
		r.sight("/token-8f14e45fceea167a", html("secret"))
		r.wantNoTrace("/token-8f14e45fceea167a")
	})
}

// A record of a content may name anything as the location that stands for it.
func TestAContentOfWhatIsNoLocation(t *testing.T) {
	for _, listed := range []string{"no location", "/\x00", "/" + strings.Repeat("a", keys.MaxLocation)} {
		if got := readTwin(twin{listed: listed}.encode()); got.listed != "" {
			t.Errorf("%.20q stands for it", got.listed)
		}
	}
	if got := readTwin(twin{listed: "/a"}.encode()); got.listed != "/a" {
		t.Errorf("%q stands for it, want /a", got.listed)
	}
}

// Others tell of parts that are rendered then.
func TestABulletinOfPartsThatAreNone(t *testing.T) {
	n := readBulletin(bulletin{seq: 2, parts: []toldPart{{-1, 1}, {0, 1}, {keys.MaxPart + 1, 1}, {7, 2}}}.encode())
	if len(n.parts) != 1 || n.parts[0] != (toldPart{7, 2}) {
		t.Errorf("told are %+v, want part 7 alone", n.parts)
	}
}

// lookAt merges a look at a page into a state that belongs to no store.
func (s *state) lookAt(facts *page.Facts, at int64, variety uint16) {
	l := &Ledger{keys: "https://example.com|", secret: secret.NewNames(nil)}
	m := &merge{Tx: txn.New(map[string][]byte{}), l: l, now: time.Unix(at, 0), media: map[string]*book.Extension{}}
	m.effects = effects{parts: map[int]bool{}, doubted: map[string]int64{}, settled: map[string]settlement{}, left: map[admit.Reason]int{}}
	k := &look{Sighting: seen("/a", ""), full: true, hash: facts.MainHash, server: at - 2*3600, own: at - 3*3600, variety: variety}
	k.At = time.Unix(at, 0)
	v := mark.Read(facts)
	k.view = &v
	k.same = s.bodyHash == k.hash && s.bodyHash != 0
	if m.follows(s, k.At.UnixMilli()) {
		m.seen(k, s, k.At.UnixMilli())
	}
}

// FuzzState reads a state, and does with it what looks do.
func FuzzState(f *testing.F) {
	f.Add(fieldsOf(full().encode()), int64(1_700_000_500), int64(60), "<main><p>A text that is long enough to be one, and more of it.")
	f.Add(fieldsOf(new(state).encode()), int64(0), int64(-5), "<main><p>one</p><p>two")
	var e record.Encoder
	e.Bytes(fieldMark, []byte{1, 2, 3})
	e.Bytes(fieldRate, []byte{9, 9})
	e.Bytes(fieldNetworks, []byte{1})
	f.Add(fieldsOf(e.Seal()), int64(1<<40), int64(1), "")
	f.Fuzz(func(t *testing.T, fields []byte, at, gap int64, body string) {
		s, err := decodeState(sealed(fields))
		if err != nil {
			return
		}
		again, err := decodeState(s.encode())
		if err != nil || !bytes.Equal(again.encode(), s.encode()) {
			t.Fatalf("%+v is read again as %+v, %v", s, again, err)
		}
		at, gap = record.Seconds(at), gap%(1<<32)
		facts := page.Read([]byte(body), page.Options{})
		for i := range 4 {
			before := *s
			dated := s.lastMod(at)
			s.lookAt(&facts, at, uint16(gap)&6)
			after := s.lastMod(at)
			if after > at && after > 0 {
				t.Errorf("dated %d at %d", after, at)
			}
			if certain := before.dates.LastChange() > 0; certain && dated > after && after > 0 {
				t.Errorf("the date went back from %d to %d at %d", dated, after, at)
			}
			if n := len(s.encode()); n > len(fields)+700 {
				t.Errorf("a state that came with %d bytes has %d", len(fields), n)
			}
			s.history()
			s.entry(0.5)
			if i == 1 {
				facts = page.Read([]byte(body+"<p>Something else that is long enough to be a text of its own."), page.Options{})
			}
			at = record.Seconds(at + gap)
		}
		if _, err := decodeState(s.encode()); err != nil {
			t.Errorf("it cannot be read any more: %v", err)
		}
	})
}

// FuzzSmallRecords reads the records of all that is no page, and does with them
// what is done then.
func FuzzSmallRecords(f *testing.F) {
	f.Add(fieldsOf(bulletin{seq: 2, parts: []toldPart{{1, 2}}, topics: [topics]uint64{1}}.encode()), int64(0))
	f.Add(fieldsOf(kin{siblings: 1, orphans: 2, day: 3, grown: 4}.encode()), int64(1_700_000_000))
	f.Add(fieldsOf(activity{length: 3600, last: 472222, seen: 5}.encode()), int64(1_700_000_000))
	f.Add(fieldsOf(twin{listed: "/a", members: []uint64{1, 2}}.encode()), int64(5))
	f.Fuzz(func(t *testing.T, fields []byte, now int64) {
		b := sealed(fields)
		now = max(0, record.Seconds(now))
		n := readBulletin(b)
		c := changes{parts: map[int]bool{}}
		c.since(n, 0)
		next := n.with(map[int]bool{5: true}, []topic{robotsTopic}, time.Unix(now, 0))
		if len(next.parts) > partsTold || !c.all && len(c.parts) > len(fields) {
			t.Errorf("%d parts are told, %d were", len(next.parts), len(c.parts))
		}
		if back := readBulletin(next.encode()); !bytes.Equal(back.encode(), next.encode()) {
			t.Errorf("%+v is read again as %+v", next, back)
		}
		a := readActivity(b).observed(now, 3600)
		if seen := a.since(now - 5); seen < 0 || seen > spans || a.last < 0 {
			t.Errorf("%+v was observed in %d spans", a, seen)
		}
		k := readKin(b)
		k.grow(now / day)
		k.add(sibling, 1)
		if k.siblings < 1 || k.grown < 1 {
			t.Errorf("%+v", k)
		}
		tw := readTwin(b)
		if tw.join(1); tw.listed != "" && !isLocation(tw.listed) {
			t.Errorf("%q stands for a content", tw.listed)
		}
		if s, err := secret.Read(b); err == nil && s != nil && len(s) != 32 {
			t.Errorf("a secret has %d bytes", len(s))
		}
		if n := readCount(b); n < 0 {
			t.Errorf("a count of %d", n)
		}
	})
}

// stored is what a site that has seen some traffic has stored.
func stored(t *testing.T) (all map[string]string) {
	mix(t, "page|", nil, func(m *mixed, _ map[string]string) {
		m.answer("/c", http.StatusNotFound)
		all = m.dump()
	})
	return all
}

// lastMods are the dates in a file.
var lastMods = regexp.MustCompile(`<lastmod>([^<]*)</lastmod>`)

// FuzzStored forges a field of one of the records of a site, and has the site go
// on with that. What is listed by then nobody can say; but it lists nothing that is
// dated after now, and does not stop.
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
		forge := forged{num: 1 + int(num)%80, n: n, data: data}
		if kinds[int(kind)%len(kinds)] == "part|" && forge.num == 1 {
			return // of a part that counts too many pages the first rendering fails, and the next does not
		}
		synctest.Test(t, func(t *testing.T) {
			st := new(memstore.Store)
			keys := "https://example.com|" + kinds[int(kind)%len(kinds)]
			for key, value := range before {
				b := []byte(value)
				if strings.HasPrefix(key, keys) {
					b = forge.in(b)
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
		p.Told(m.files.Trust(), time.Now())
	}
	for _, location := range []string{"/a", "/b", "/lonely"} {
		m.page(location)
	}
	for range m.ledger.Events(m.Context(), time.Now().Add(-time.Hour)) {
	}
	for _, name := range []string{"sitemap.xml", "sitemap-1.xml", "sitemap-2.xml"} {
		w := httptest.NewRecorder()
		m.files.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+name, nil))
		for _, found := range lastMods.FindAllStringSubmatch(w.Body.String(), -1) {
			at, err := time.Parse(time.RFC3339, found[1])
			if err != nil || name != "sitemap.xml" && at.After(time.Now()) {
				m.Errorf("%s has a lastmod of %q at %v", name, found[1], time.Now())
			}
		}
	}
}

// lastMod returns the date that is published while every source is believed, in
// Unix seconds.
func (s *state) lastMod(now int64) int64 {
	return s.dates.Candidates().LastMod(lastmod.Trust{}, moment.Seconds(now)).Seconds()
}

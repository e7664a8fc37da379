package storetest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/servemap/servemap/store"
)

// sharedRules matter most if several processes share a store. They also hold within one.
var sharedRules = []rule{
	{"OthersSeeWhatWasWritten", "a server would decide on what another one has long changed", othersSeeWhatWasWritten},
	{"NothingIsLostOnTheMove", "a page that moves from one record to another would be lost, be there twice, or be read " +
		"from different times", nothingIsLostOnTheMove},
}

// othersSeeWhatWasWritten writes through one handle, again and again, and reads through the other,
// each time in the same way. So it finds whatever a handle wrongly remembers.
func othersSeeWhatWasWritten(t tester, p pair) {
	for _, way := range []struct {
		name string
		look func(p pair, key string) []byte
	}{
		{"View", func(p pair, key string) []byte { return p.get(t, key) }},
		{"Scan", func(p pair, key string) (got []byte) {
			for _, r := range p.scan(t, key, "") {
				got = r.Value
			}
			return got
		}},
		{"Update", func(p pair, key string) (got []byte) {
			update(t, p.b, []string{key}, func(values [][]byte) { got = clone(values[0]) })
			return got
		}},
	} {
		for i := range 8 {
			want := []byte(fmt.Sprint("written in round ", i))
			if i%3 == 2 {
				want = nil
			}
			p.put(t, way.name, want)
			if got := way.look(p, way.name); (got == nil) != (want == nil) || !bytes.Equal(got, want) {
				t.Fatalf("%s shows %q after the other handle wrote %q", way.name, got, want)
			}
		}
		p.a, p.b = p.b, p.a
	}
}

// nothingIsLostOnTheMove makes writers move tokens between keys, by deleting one and writing
// another. Others count the tokens meanwhile.
func nothingIsLostOnTheMove(t tester, p pair) {
	const tokens, places = 3, 6
	keys, records := make([]string, places), map[string][]byte{}
	for i := range keys {
		if keys[i] = fmt.Sprint("place", i); i < tokens {
			records[keys[i]] = []byte("token")
		}
	}
	p.putAll(t, records)
	count := func(st store.Store) {
		err := st.View(context.Background(), keys, func(values [][]byte) error {
			if n := present(values); n != tokens {
				t.Errorf("of %d values that updates move around View shows %d", tokens, n)
			}
			return nil
		})
		if err != nil {
			t.Errorf("View: %v", err)
		}
	}
	together(writers, func(w int) {
		st := []store.Store{p.a, p.b}[w/2%2]
		for range rounds {
			if w == 0 {
				count(st)
				continue
			}
			from, way := rand.IntN(places), 1+rand.IntN(places-1)
			err := st.Update(context.Background(), []string{keys[from], keys[(from+way)%places]}, func(values [][]byte) error {
				runtime.Gosched()
				values[0], values[1] = values[1], values[0]
				return nil
			})
			if err != nil {
				t.Errorf("Update: %v", err)
				return
			}
		}
	})
	count(p.b)
}

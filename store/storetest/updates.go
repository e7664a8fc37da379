package storetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/servemap/servemap/store"
)

var updateRules = []rule{
	{"ErrorStoresNothing", "a failed decision would be half stored", errorStoresNothing},
	{"ErrorComesBack", "the caller could not tell its own error from the store's", errorComesBack},
	{"AllOrNothing", "a page and its listing would disagree", allOrNothing},
	{"ChangedInPlaceCounts", "a record changed in place would be lost in silence", changedInPlaceCounts},
	{"UnchangedStays", "a record only looked at would be lost", unchangedStays},
	{"UpdateSeesTheLatest", "an update on a stale record undoes another", updateSeesTheLatest},
	{"SlicesAreNotKept", "a buffer used again would change what is stored", slicesAreNotKept},
	{"SlicesAreNotShared", "what one caller does to its values would change what others read", slicesAreNotShared},
	{"FnPanicLeavesTheStoreUsable", "one panic would stop the store for ever", fnPanicLeavesTheStoreUsable},
	{"SyncAfterUpdate", "a withdrawal could not be made durable", syncAfterUpdate},
}

var errMine = errors.New("fn's own error")

func errorStoresNothing(t tester, p pair) {
	p.putAll(t, map[string][]byte{"a": []byte("1"), "b": []byte("2")})
	_ = p.a.Update(context.Background(), []string{"a", "b", "c"}, func(values [][]byte) error {
		values[0], values[1], values[2] = []byte("9"), nil, []byte("9")
		return errMine
	})
	got := p.getAll(t, []string{"a", "b", "c"})
	if string(got[0]) != "1" || string(got[1]) != "2" || got[2] != nil {
		t.Errorf("after an error of fn the values are %q, want 1, 2 and none", got)
	}
}

func errorComesBack(t tester, p pair) {
	wrapped := fmt.Errorf("wrapped: %w", errMine)
	fail := func([][]byte) error { return wrapped }
	if err := p.a.Update(context.Background(), []string{"a"}, fail); err != wrapped {
		t.Errorf("Update returns %v for an error of fn, want it as it is", err)
	}
	if err := p.b.View(context.Background(), []string{"a"}, fail); err != wrapped {
		t.Errorf("View returns %v for an error of fn, want it as it is", err)
	}
}

// allOrNothing breaks a limit with the last value, which a store that writes
// one by one notices too late.
func allOrNothing(t tester, p pair) {
	p.put(t, "a", []byte("1"))
	err := p.a.Update(context.Background(), []string{"a", "b", "c"}, func(values [][]byte) error {
		values[0], values[1], values[2] = nil, []byte("2"), make([]byte, store.MaxValue+1)
		return nil
	})
	if err == nil {
		t.Errorf("Update took a value of %d bytes", store.MaxValue+1)
	}
	got := p.getAll(t, []string{"a", "b", "c"})
	if string(got[0]) != "1" || got[1] != nil || got[2] != nil {
		t.Errorf("an update that failed with its third value left %d, %d and %d bytes, want 1, 0 and 0",
			len(got[0]), len(got[1]), len(got[2]))
	}
}

func changedInPlaceCounts(t tester, p pair) {
	p.put(t, "k", []byte("before"))
	update(t, p.a, []string{"k"}, func(values [][]byte) { copy(values[0], "after.") })
	if got := p.get(t, "k"); string(got) != "after." {
		t.Errorf("a value changed in place is %q, want %q", got, "after.")
	}
	update(t, p.a, []string{"k"}, func(values [][]byte) { values[0] = append(values[0][:2], "ghan"...) })
	if got := p.get(t, "k"); string(got) != "afghan" {
		t.Errorf("a value appended to in place is %q, want %q", got, "afghan")
	}
}

func unchangedStays(t tester, p pair) {
	p.putAll(t, map[string][]byte{"a": []byte("1"), "b": {}})
	keys := []string{"a", "b", "c"}
	update(t, p.a, keys, func(values [][]byte) { values[2] = []byte("3") })
	if got := p.getAll(t, keys); string(got[0]) != "1" || got[1] == nil || string(got[2]) != "3" {
		t.Errorf("values only looked at are now %q, want 1, empty and 3", got)
	}
}

func updateSeesTheLatest(t tester, p pair) {
	for i := range 50 {
		st := []store.Store{p.a, p.b}[i%2]
		update(t, st, []string{"k", "n"}, func(values [][]byte) {
			values[0], values[1] = append(values[0], byte(i)), increment(values[1])
		})
	}
	want := make([]byte, 50)
	for i := range want {
		want[i] = byte(i)
	}
	if got := p.get(t, "k"); !bytes.Equal(got, want) {
		t.Errorf("50 updates that append a byte each left %x", got)
	}
	if got := count(p.get(t, "n")); got != 50 {
		t.Errorf("50 updates that add one left %d", got)
	}
}

// slicesAreNotKept uses one buffer for everything it writes.
func slicesAreNotKept(t tester, p pair) {
	buf, keys := make([]byte, 8), make([]string, 1)
	for i := range 10 {
		keys[0] = fmt.Sprintf("k%d", i)
		fill(buf, byte('0'+i))
		update(t, p.a, keys, func(values [][]byte) { values[0] = buf })
	}
	fill(buf, 'x')
	keys[0] = "x"
	for i, r := range p.scan(t, "", "") {
		want := bytes.Repeat([]byte{byte('0' + i)}, 8)
		if r.Key != fmt.Sprintf("k%d", i) || !bytes.Equal(r.Value, want) {
			t.Errorf("record %d is %s=%q, want k%d=%q", i, r.Key, r.Value, i, want)
		}
		if got := p.get(t, r.Key); !bytes.Equal(got, want) {
			t.Errorf("value of %s is %q, want %q", r.Key, got, want)
		}
	}
}

// slicesAreNotShared scribbles over every value while it may.
func slicesAreNotShared(t tester, p pair) {
	keys := []string{"a", "b"}
	p.putAll(t, map[string][]byte{"a": []byte("first"), "b": []byte("other")})
	scribble := func(values [][]byte) error {
		for _, value := range values {
			fill(value[:cap(value)], 'x')
		}
		return errMine
	}
	_ = p.b.View(context.Background(), keys, scribble)
	_ = p.b.Update(context.Background(), keys, scribble)
	for r, err := range p.b.Scan(context.Background(), "", "") {
		if err != nil {
			t.Fatalf("Scan: %v", err)
		}
		fill(r.Value, 'x')
	}
	if got := p.getAll(t, keys); string(got[0]) != "first" || string(got[1]) != "other" {
		t.Errorf("values are %q after callers scribbled over theirs, want first and other", got)
	}
	_ = p.b.View(context.Background(), keys, func(values [][]byte) error {
		_ = append(values[0], "overflow"...)
		if string(values[1]) != "other" {
			t.Errorf("appending to one value changed the next to %q", values[1])
		}
		return nil
	})
}

func fnPanicLeavesTheStoreUsable(t tester, p pair) {
	for _, call := range []func(context.Context, []string, func([][]byte) error) error{p.a.View, p.a.Update} {
		func() {
			defer func() {
				if v := recover(); v != errMine {
					t.Errorf("a panic of fn reaches the caller as %v, want it as it is", v)
				}
			}()
			_ = call(context.Background(), []string{"k"}, func(values [][]byte) error {
				values[0] = []byte("half done")
				panic(errMine)
			})
		}()
	}
	if got := p.get(t, "k"); got != nil {
		t.Errorf("an update whose fn panicked stored %q", got)
	}
	p.put(t, "k", []byte("1"))
	if got := p.get(t, "k"); string(got) != "1" {
		t.Errorf("after a panic of fn, a value written is %q, want 1", got)
	}
}

func syncAfterUpdate(t tester, p pair) {
	p.put(t, "k", []byte("1"))
	if err := p.a.Sync(context.Background()); err != nil {
		t.Errorf("Sync: %v", err)
	}
	if got := p.get(t, "k"); string(got) != "1" {
		t.Errorf("after Sync the value is %q, want 1", got)
	}
}

var sharingRules = []rule{
	{"NoUpdateIsLost", "sightings counted at the same time would be lost", noUpdateIsLost},
	{"UpdatesAreSerial", "two updates that look at each other's keys would both go ahead", updatesAreSerial},
	{"ViewIsOneMoment", "a page and its listing would be read from different times", viewIsOneMoment},
}

const (
	writers = 4
	rounds  = 25
)

// noUpdateIsLost has writers increment the same counters through both handles.
// They start together and give way inside fn, which makes a lost update all
// but certain where one is possible.
func noUpdateIsLost(t tester, p pair) {
	keys := []string{"a", "b", "c"}
	inParallel(t, p, func(st store.Store, w int) error {
		mine := []string{keys[w%3], keys[(w+1)%3]}
		return st.Update(context.Background(), mine, func(values [][]byte) error {
			runtime.Gosched()
			values[0], values[1] = increment(values[0]), increment(values[1])
			runtime.Gosched()
			return nil
		})
	})
	total := 0
	for _, value := range p.getAll(t, keys) {
		total += count(value)
	}
	if want := 2 * writers * rounds; total != want {
		t.Errorf("%d increments at the same time left a total of %d", want, total)
	}
}

// updatesAreSerial has each writer take one key, provided that the other is
// free. Writers that see the same snapshot would take both.
func updatesAreSerial(t tester, p pair) {
	for round := range rounds {
		keys := []string{fmt.Sprintf("x%d", round), fmt.Sprintf("y%d", round)}
		together(2, func(w int) {
			st := []store.Store{p.a, p.b}[w]
			err := st.Update(context.Background(), keys, func(values [][]byte) error {
				runtime.Gosched()
				if values[1-w] == nil {
					values[w] = []byte("taken")
				}
				return nil
			})
			if err != nil {
				t.Errorf("Update: %v", err)
			}
		})
		taken := 0
		for _, value := range p.getAll(t, keys) {
			if value != nil {
				taken++
			}
		}
		if taken != 1 {
			t.Fatalf("of two keys that exclude each other %d were taken", taken)
		}
	}
}

// viewIsOneMoment looks at keys that are always written together.
func viewIsOneMoment(t tester, p pair) {
	keys := []string{"a", "b", "c", "d"}
	inParallel(t, p, func(st store.Store, w int) error {
		if w%2 == 0 {
			runtime.Gosched()
			return st.Update(context.Background(), keys, func(values [][]byte) error {
				runtime.Gosched()
				n := increment(values[0])
				for i := range values {
					values[i] = n
				}
				return nil
			})
		}
		return st.View(context.Background(), keys, func(values [][]byte) error {
			for _, value := range values[1:] {
				if !bytes.Equal(value, values[0]) {
					t.Errorf("View shows %x beside %x, which were never there together", values[0], value)
				}
			}
			return nil
		})
	})
}

// inParallel has writers call f, rounds times each, through both handles.
func inParallel(t tester, p pair, f func(st store.Store, w int) error) {
	together(writers, func(w int) {
		st := []store.Store{p.a, p.b}[w/2%2]
		for range rounds {
			if err := f(st, w); err != nil {
				t.Errorf("concurrent call: %v", err)
				return
			}
		}
	})
}

// together runs f n times at once and waits for all.
func together(n int, f func(i int)) {
	var begin, end sync.WaitGroup
	begin.Add(1)
	for i := range n {
		end.Go(func() {
			begin.Wait()
			f(i)
		})
	}
	begin.Done()
	end.Wait()
}

func count(value []byte) int {
	if len(value) != 8 {
		return 0
	}
	return int(binary.BigEndian.Uint64(value))
}

func increment(value []byte) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(count(value)+1))
}

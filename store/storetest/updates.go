package storetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/servemap/servemap/store"
)

var updateRules = []rule{
	{"FailureStoresNothing", "a page and its listing would disagree", failureStoresNothing},
	{"ErrorComesBack", "the caller could not tell its own error from the store's", errorComesBack},
	{"ChangedInPlaceCounts", "a record changed in place would be lost in silence", changedInPlaceCounts},
	{"UnchangedStays", "a record only looked at would be lost", unchangedStays},
	{"SlicesAreNotKept", "a buffer used again would change what is stored", slicesAreNotKept},
	{"SlicesAreNotShared", "what one caller does to its values would change what others read", slicesAreNotShared},
	{"FnPanicLeavesTheStoreUsable", "one panic would stop the store for ever", fnPanicLeavesTheStoreUsable},
	{"SyncAfterUpdate", "a withdrawal could not be made durable", syncAfterUpdate},
}

var errMine = errors.New("fn's own error")

// failureStoresNothing makes fn fail, and then exceed a limit with its last value. A store that
// writes values one by one notices that too late.
func failureStoresNothing(t tester, p pair) {
	p.putAll(t, map[string][]byte{"a": []byte("1"), "b": []byte("2")})
	for _, c := range []struct {
		name string
		last []byte
		err  error
	}{
		{"an error of fn", []byte("9"), errMine},
		{"a value too long", make([]byte, store.MaxValue+1), nil},
	} {
		err := p.a.Update(context.Background(), []string{"a", "b", "c"}, func(values [][]byte) error {
			values[0], values[1], values[2] = []byte("9"), nil, c.last
			return c.err
		})
		if err == nil {
			t.Errorf("Update succeeds with %s", c.name)
		}
		got := p.getAll(t, []string{"a", "b", "c"})
		if string(got[0]) != "1" || string(got[1]) != "2" || got[2] != nil {
			t.Errorf("after %s the values are %.10q, want 1, 2 and none", c.name, got)
		}
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

// slicesAreNotShared overwrites every value while it may.
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
	{"NoUpdateIsLost", "servers that write the same pages would lose sightings, or fail each other", noUpdateIsLost},
	{"UpdatesAreSerial", "two updates that look at each other's keys would both go ahead", updatesAreSerial},
}

const (
	writers = 4
	rounds  = 25
)

// noUpdateIsLost makes writers increment the same counters through both handles, each in its own
// order. They start together and yield inside fn. So if a lost update or a deadlock is possible, it
// will almost certainly happen.
func noUpdateIsLost(t tester, p pair) {
	const batches = 5
	keys := numbered(300)
	together(writers, func(w int) {
		st, mine := []store.Store{p.a, p.b}[w%2], slices.Concat(keys[w*70:], keys[:w*70])
		if w/2 == 1 {
			slices.Reverse(mine)
		}
		for range batches {
			err := st.Update(context.Background(), mine, func(values [][]byte) error {
				runtime.Gosched()
				for i, value := range values {
					values[i] = increment(value)
				}
				runtime.Gosched()
				return nil
			})
			if err != nil {
				t.Errorf("Update of many keys that others update too: %v", err)
				return
			}
		}
	})
	for i, value := range p.getAll(t, keys) {
		if count(value) != writers*batches {
			t.Fatalf("%d increments of key %s left %d", writers*batches, keys[i], count(value))
		}
	}
}

// updatesAreSerial makes each writer take one key if the other is free. Writers that see the same
// snapshot would take both.
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
		if taken := present(p.getAll(t, keys)); taken != 1 {
			t.Fatalf("of two keys that exclude each other %d were taken", taken)
		}
	}
}

// present returns how many of the values are there.
func present(values [][]byte) (n int) {
	for _, value := range values {
		if value != nil {
			n++
		}
	}
	return n
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

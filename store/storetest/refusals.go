package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/servemap/servemap/store"
)

var refusalRules = []rule{
	{"BadKeysAreRefused", "a key that one store takes and another refuses ties a site to a store", badKeysAreRefused},
	{"BadScansAreRefused", "a scan of what cannot be there hides a mistake", badScansAreRefused},
	{"BigUpdatesAreRefused", "a batch that one store takes and another refuses ties a site to a store", bigUpdatesAreRefused},
	{"RefusalsTellNoKeys", "a location that is not public would reach the log", refusalsTellNoKeys},
	{"DoneContextIsRefused", "a server that is shutting down would wait for its store", doneContextIsRefused},
	{"DoneContextEndsScan", "a server that is shutting down would wait for a long scan", doneContextEndsScan},
}

func badKeysAreRefused(t tester, p pair) {
	p.put(t, "a", []byte("1"))
	many := make([]string, store.MaxKeys+1)
	for i := range many {
		many[i] = fmt.Sprintf("k%d", i)
	}
	for _, c := range []struct {
		name string
		keys []string
	}{
		{"an empty key", []string{"a", ""}},
		{"a key with a space", []string{"a", "b c"}},
		{"a key with a NUL", []string{"a", "b\x00"}},
		{"a key with a newline", []string{"a", "b\n"}},
		{"a key with DEL", []string{"a", "b\x7f"}},
		{"a key beyond ASCII", []string{"a", "café"}},
		{"a key with a byte that is not UTF-8", []string{"a", "b\xff"}},
		{"a key too long", []string{"a", strings.Repeat("k", store.MaxKey+1)}},
		{"a key twice in a row", []string{"a", "a"}},
		{"a key twice", []string{"a", "b", "c", "a"}},
		{"too many keys", many},
	} {
		called := false
		fn := func(values [][]byte) error {
			called = true
			values[0] = []byte("2")
			return nil
		}
		if err := p.a.Update(context.Background(), c.keys, fn); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Update with %s: %v, want ErrInvalid", c.name, err)
		}
		if err := p.b.View(context.Background(), c.keys, fn); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("View with %s: %v, want ErrInvalid", c.name, err)
		}
		if called {
			t.Errorf("fn was called with %s", c.name)
		}
	}
	if got := p.get(t, "a"); string(got) != "1" {
		t.Errorf("a refused update stored %q", got)
	}
}

func badScansAreRefused(t tester, p pair) {
	p.put(t, "a", []byte("1"))
	long := strings.Repeat("k", store.MaxKey+1)
	for _, c := range [][2]string{{"a b", ""}, {"\x00", ""}, {"é", ""}, {long, ""}, {"", "a b"}, {"", "\xff"}, {"a", long}} {
		if err := scanError(p.b, context.Background(), c[0], c[1]); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Scan(%.10q, %.10q): %v, want ErrInvalid", c[0], c[1], err)
		}
	}
}

func bigUpdatesAreRefused(t tester, p pair) {
	p.put(t, "a", []byte("1"))
	full := make([]string, store.MaxUpdate/store.MaxValue)
	for i := range full {
		full[i] = fmt.Sprintf("k%d", i)
	}
	for _, c := range []struct {
		name string
		keys []string
		size int
	}{
		{"a value too long", []string{"a"}, store.MaxValue + 1},
		{"values that with their keys are too much", full, store.MaxValue},
	} {
		err := p.a.Update(context.Background(), c.keys, func(values [][]byte) error {
			for i := range values {
				values[i] = make([]byte, c.size)
			}
			return nil
		})
		if !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Update with %s: %v, want ErrInvalid", c.name, err)
		}
	}
	if got := p.scan(t, "", ""); len(got) != 1 || string(got[0].Value) != "1" {
		t.Errorf("after refused updates there are %d records", len(got))
	}
}

func refusalsTellNoKeys(t tester, p pair) {
	const secret = "reset-token"
	nop := func([][]byte) error { return nil }
	for _, err := range []error{
		p.a.Update(context.Background(), []string{secret + " "}, nop),
		p.a.Update(context.Background(), []string{secret, secret}, nop),
		p.b.View(context.Background(), []string{secret + strings.Repeat("k", store.MaxKey)}, nop),
		scanError(p.b, context.Background(), secret+" ", ""),
		p.a.Update(context.Background(), []string{secret}, func(values [][]byte) error {
			values[0] = []byte(strings.Repeat(secret, store.MaxValue))
			return nil
		}),
	} {
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("a bad call gives the error %.100v, want one that does not show the key", err)
		}
	}
}

func doneContextIsRefused(t tester, p pair) {
	p.put(t, "a", []byte("1"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	called := false
	fn := func(values [][]byte) error {
		called = true
		values[0] = []byte("2")
		return nil
	}
	for name, err := range map[string]error{
		"View":   p.b.View(ctx, []string{"a"}, fn),
		"Update": p.a.Update(ctx, []string{"a"}, fn),
		"Sync":   p.a.Sync(ctx),
		"Scan":   scanError(p.b, ctx, "", ""),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a context that is done: %v, want context.Canceled", name, err)
		}
	}
	if got := p.get(t, "a"); called || string(got) != "1" {
		t.Errorf("with a context that is done fn was called, or %q was stored", got)
	}
}

func doneContextEndsScan(t tester, p pair) {
	putKeys(t, p, awkward)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	records, after := 0, 0
	var last error
	for _, err := range p.b.Scan(ctx, "", "") {
		if last != nil {
			after++
		}
		if last = err; err == nil {
			records++
		}
		if records == 2 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || records == len(awkward) {
		t.Errorf("a scan whose context ended went on for %d records and ended with %v, want context.Canceled", records, last)
	}
	if after != 0 {
		t.Errorf("a scan went on for %d pairs after its error", after)
	}
}

// scanError returns the error that a scan ends with.
func scanError(st store.Store, ctx context.Context, prefix, after string) (last error) {
	for _, err := range st.Scan(ctx, prefix, after) {
		last = err
	}
	return last
}

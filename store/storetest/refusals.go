package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap/store"
)

var refusalRules = []rule{
	{"BadCallsAreRefused", "what one store takes and another refuses ties a site to a store", badCallsAreRefused},
	{"DoneContextIsRefused", "a server that is shutting down would wait for its store", doneContextIsRefused},
	{"DoneContextEndsWait", "a server that is shutting down would wait for a slow writer", doneContextEndsWait},
	{"DoneContextEndsScan", "a server that is shutting down would wait for a long scan", doneContextEndsScan},
}

// secret is in the keys of bad calls. An error that shows it would put a location that is not
// public into the log.
const secret = "reset-token"

// numbered returns n keys.
func numbered(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("k%04d", i)
	}
	return keys
}

// badCallsAreRefused makes calls with one fault each.
func badCallsAreRefused(t tester, p pair) {
	p.put(t, "a", []byte("1"))
	for _, c := range []struct {
		name string
		keys []string
	}{
		{"an empty key", []string{"a", ""}},
		{"a key with a space", []string{"a", secret + " c"}},
		{"a key with a NUL", []string{"a", secret + "\x00"}},
		{"a key beyond ASCII", []string{"a", secret + "é"}},
		{"a key with a byte that is not UTF-8", []string{"a", secret + "\xff"}},
		{"a key too long", []string{"a", secret + strings.Repeat("k", store.MaxKey)}},
		{"a key twice in a row", []string{secret, secret}},
		{"a key twice", []string{secret, "b", "c", secret}},
		{"too many keys", numbered(store.MaxKeys + 1)},
	} {
		called := false
		fn := func(values [][]byte) error {
			called = true
			values[0] = []byte("2")
			return nil
		}
		wantRefused(t, "Update with "+c.name, p.a.Update(context.Background(), c.keys, fn))
		wantRefused(t, "View with "+c.name, p.b.View(context.Background(), c.keys, fn))
		if called {
			t.Errorf("fn was called with %s", c.name)
		}
	}
	long := strings.Repeat("k", store.MaxKey+1)
	for _, c := range [][2]string{{secret + " b", ""}, {"\x00", ""}, {"é", ""}, {long, ""}, {"", secret + " b"},
		{"", "\xff"}, {"a", long}} {
		wantRefused(t, fmt.Sprintf("Scan(%.20q, %.20q)", c[0], c[1]), scanError(p.b, context.Background(), c[0], c[1]))
	}
	for _, c := range []struct {
		name string
		keys []string
		size int
	}{
		{"a value too long", []string{secret}, store.MaxValue + 1},
		{"values that with their keys are too much", numbered(store.MaxUpdate / store.MaxValue), store.MaxValue},
	} {
		wantRefused(t, "Update with "+c.name, p.a.Update(context.Background(), c.keys, func(values [][]byte) error {
			for i := range values {
				values[i] = make([]byte, c.size)
			}
			return nil
		}))
	}
	if got := p.scan(t, "", ""); len(got) != 1 || string(got[0].Value) != "1" {
		t.Errorf("after refused calls there are %d records, or other ones, want 1", len(got))
	}
}

func wantRefused(t tester, what string, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrInvalid) {
		t.Errorf("%s: %v, want ErrInvalid", what, err)
	} else if strings.Contains(err.Error(), secret) {
		t.Errorf("%s: the error shows the key: %.100v", what, err)
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

// doneContextEndsWait makes calls while the fn of an Update takes its time. Where they need not wait for
// that, they succeed.
func doneContextEndsWait(t tester, p pair) {
	begun, end := make(chan struct{}), make(chan struct{})
	slow := make(chan error, 1)
	go func() {
		var once sync.Once
		slow <- p.a.Update(context.Background(), []string{"a"}, func(values [][]byte) error {
			once.Do(func() { close(begun) })
			<-end
			values[0] = []byte("1")
			return nil
		})
	}()
	<-begun
	fn := func(values [][]byte) error { return nil }
	ended := make(chan error)
	for name, call := range map[string]func(context.Context) error{
		"View":   func(ctx context.Context) error { return p.b.View(ctx, []string{"a"}, fn) },
		"Update": func(ctx context.Context) error { return p.b.Update(ctx, []string{"b"}, fn) },
		"Sync":   p.b.Sync,
		"Scan":   func(ctx context.Context) error { return scanError(p.b, ctx, "", "") },
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		go func() { ended <- call(ctx) }()
		select {
		case err := <-ended:
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s beside a slow writer: %v, want nothing or context.DeadlineExceeded", name, err)
			}
		case <-time.After(patience):
			t.Errorf("%s still waits for a slow writer %v after its context ended", name, patience)
			close(end)
			<-ended
			cancel()
			return
		}
		cancel()
	}
	close(end)
	if err := <-slow; err != nil {
		t.Errorf("a slow Update: %v", err)
	}
}

// patience is how long a call may go on after its context ended: this machine may be busy.
const patience = 2 * time.Second

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

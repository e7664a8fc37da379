package storetest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

func sound() store.Store { return new(memstore.Store) }

// TestRunSharedAcceptsASoundStore tries the rules on two handles of a sound store.
func TestRunSharedAcceptsASoundStore(t *testing.T) {
	RunShared(t, func(*testing.T) (a, b store.Store) {
		st := sound()
		return struct{ store.Store }{st}, struct{ store.Store }{st}
	})
}

// TestEachRuleRejectsItsBrokenStore tries each rule on the store that breaks it.
func TestEachRuleRejectsItsBrokenStore(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			broken, ok := brokenStores[r.name]
			if !ok || r.why == "" {
				t.Fatal("no broken store tries the rule, or it does not say what it is for")
			}
			if !rejected(r, func() pair { st := broken.make(sound()); return pair{st, st} }) {
				t.Errorf("it accepts a store that %s", broken.does)
			}
		})
	}
}

// rejected reports whether the rule finds a fault in the stores that make returns. A fault that
// needs two writers to meet may need several tries on a busy machine.
func rejected(r rule, make func() pair) bool {
	const tries = 20
	for range tries {
		if len(record(r, make())) > 0 {
			return true
		}
	}
	return false
}

// recorder is a tester that only records failures.
type recorder struct {
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// record tries a rule and returns what it found wrong. A panic in the rule or in the store counts
// too.
func record(r rule, p pair) []string {
	var rec recorder
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				rec.Errorf("panic: %v", v)
			}
		}()
		r.try(&rec, p)
	}()
	<-done
	return rec.failures
}

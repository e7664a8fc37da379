package storetest

import (
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

// TestRunSharedRejectsTwoSeparateStores uses two handles that share nothing.
func TestRunSharedRejectsTwoSeparateStores(t *testing.T) {
	if !rejected(sharingRules[0], func() pair { return pair{sound(), sound()} }) {
		t.Errorf("%s accepts two handles to different stores", sharingRules[0].name)
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

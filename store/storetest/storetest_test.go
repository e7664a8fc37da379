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

// TestRulesRejectBrokenStores tries each broken store on the rule that it breaks, and checks that
// each rule rejects some store.
func TestRulesRejectBrokenStores(t *testing.T) {
	byName := map[string]rule{}
	for _, r := range rules {
		byName[r.name] = r
	}
	rejects := map[string]bool{}
	for _, br := range brokenStores {
		t.Run(br.name, func(t *testing.T) {
			r, ok := byName[br.breaks]
			if !ok {
				t.Fatalf("there is no rule %s", br.breaks)
			}
			if !rejected(r, func() pair { st := br.make(sound()); return pair{st, st} }) {
				t.Errorf("%s accepts a store that %s", r.name, br.name)
			}
			rejects[r.name] = true
		})
	}
	for _, br := range brokenHandles {
		t.Run(br.name, func(t *testing.T) {
			if !rejected(byName[br.breaks], func() pair { return br.make(sound()) }) {
				t.Errorf("%s accepts handles of which each %s", br.breaks, br.name)
			}
			rejects[br.breaks] = true
		})
	}
	for _, r := range rules {
		if !rejects[r.name] {
			t.Errorf("no broken store tries %s", r.name)
		}
		if r.why == "" {
			t.Errorf("%s does not say what it is for", r.name)
		}
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

// TestRunSharedRejectsTwoSeparateStores uses two handles that share nothing.
func TestRunSharedRejectsTwoSeparateStores(t *testing.T) {
	for _, r := range sharingRules[:1] {
		if found := record(r, pair{sound(), sound()}); len(found) == 0 {
			t.Errorf("%s accepts two handles to different stores", r.name)
		}
	}
}

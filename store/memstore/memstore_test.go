package memstore

import (
	"testing"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
)

func TestStoreKeepsTheRules(t *testing.T) {
	for name, empty := range map[string]func() store.Store{
		"New": func() store.Store { return New() }, "zero": func() store.Store { return new(Store) },
	} {
		t.Run(name, func(t *testing.T) { storetest.Run(t, func(*testing.T) store.Store { return empty() }) })
	}
}

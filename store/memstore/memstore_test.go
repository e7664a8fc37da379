package memstore

import (
	"testing"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
)

func TestStoreKeepsTheRules(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return new(Store) })
}

package ledger

import (
	"strings"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
)

// wait returns the key under which a location waits.
func (l *Ledger) wait(location string) string { return l.keys.Wait(l.secret.Of(location).Hash) }

// id returns the ID of a location.
func (l *Ledger) id(location string) uint64 { return l.secret.Of(location).ID }

// idOf returns the ID of the location that a key made by wait stands for.
func idOf(k keys.Keys, wait string) uint64 { return secret.ID(strings.TrimPrefix(wait, k.Waits())) }

// Guard returns the store of a site, guarded; see [txn.Guard].
func Guard(st store.Store, k keys.Keys) store.Store { return txn.Guard(st, k.Site()) }

// isLocation reports whether a stored text can be a location, and so stand in a key.
func isLocation(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.HasPrefix(s, "/") && len(s) <= keys.MaxLocation
}

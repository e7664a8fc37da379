package ledger

import (
	"fmt"
	"strings"

	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
)

// keys names the records of one site. All begin with the site's origin, so
// that several sites share a store, and what was learned under one origin is
// never listed under another.
//
//	site            the secret, see secret
//	trust           the sources whose dates were caught lying
//	page|LOCATION   the state of a page that is or was listed, and so is public
//	wait|HASH       the state of any other location: nobody can read which one
//	lost|LOCATION   a listed page that may be gone, while it has its minute
//	refusals        which networks are refused pages, see refusal
//	kin|HASH        how many pages of a route or folder are listed, see kin
//	twin|HASH       which pages show one content, see twin
//	active          when the site was observed, see activity
//	furniture       what the pages have in common, see furniture
//	robots|N        what the site's robots.txt says, in pieces
//	told|PROCESS    what one of several processes has changed, see bulletin
//	extensions      for which extensions the pages were read
//	head, part|N, list|N|LOCATION, file|N, index|N: see package part
//	journal, log|TIME|LOCATION: see [part.Journal]
//	article|TIME|LOCATION, articles: see package part
type keys string

// originBytes is the longest origin that leaves room for the longest location
// in a key.
const originBytes = store.MaxKey - locationBytes - part.LogKeyBytes

func newKeys(origin string) (keys, error) {
	if len(origin) > originBytes {
		return "", fmt.Errorf("origin is %d bytes long, at most %d can be stored", len(origin), originBytes)
	}
	return keys(origin + "|"), nil
}

func (k keys) parts() part.Keys               { return part.Keys(k) }
func (k keys) site() string                   { return string(k) + "site" }
func (k keys) trust() string                  { return string(k) + "trust" }
func (k keys) pages() string                  { return string(k) + "page|" }
func (k keys) page(location string) string    { return k.pages() + location }
func (k keys) waits() string                  { return string(k) + "wait|" }
func (k keys) losts() string                  { return string(k) + "lost|" }
func (k keys) lost(location string) string    { return k.losts() + location }
func (k keys) kin(group uint64) string        { return fmt.Sprintf("%skin|%016x", string(k), group) }
func (k keys) twin(showing uint64) string     { return fmt.Sprintf("%stwin|%016x", string(k), showing) }
func (k keys) refusals() string               { return string(k) + "refusals" }
func (k keys) active() string                 { return string(k) + "active" }
func (k keys) furniture() string              { return string(k) + "furniture" }
func (k keys) bulletins() string              { return string(k) + "told|" }
func (k keys) bulletin(process string) string { return k.bulletins() + process }
func (k keys) extensions() string             { return string(k) + "extensions" }
func (k keys) robots(piece int) string        { return fmt.Sprintf("%srobots|%03d", string(k), piece) }
func (k keys) wait(hash string) string        { return k.waits() + hash }

// idOf returns the ID of the location that a key made by wait stands for.
func (k keys) idOf(wait string) uint64 { return secret.ID(strings.TrimPrefix(wait, k.waits())) }

// locationBytes is the length of the longest location.
const locationBytes = 1024

// isLocation reports whether a stored text can be a location, and so stand in a key.
func isLocation(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.HasPrefix(s, "/") && len(s) <= locationBytes
}

// wait returns the key under which a location waits.
func (l *Ledger) wait(location string) string { return l.keys.wait(l.secret.Of(location).Hash) }

// id returns the ID of a location.
func (l *Ledger) id(location string) uint64 { return l.secret.Of(location).ID }

// Guard returns the store of a site, guarded; see [txn.Guard].
func Guard(st store.Store, keys part.Keys) store.Store {
	return txn.Guard(st, string(keys)+"site")
}

// Package keys names the records of a site in its store. It makes the key of each record, and reads
// keys back. It never touches the store, and does not know what the records hold.
package keys

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/store"
)

// Keys makes the keys of one site. All begin with the site's origin. So several sites can share a
// store, and what was learned under one origin is never listed under another.
type Keys string

// MaxLocation is the length of the longest location in a key.
const MaxLocation = 2047

// maxOrigin is the longest origin that leaves room for the longest location in the longest key,
// that of an event.
const maxOrigin = store.MaxKey - MaxLocation - len("||log||") - logDigits

// New returns the keys of the site at origin. It refuses an origin that is too long to be stored.
func New(origin string) (Keys, error) {
	if len(origin) > maxOrigin {
		return "", fmt.Errorf("origin is %d bytes long, at most %d can be stored", len(origin), maxOrigin)
	}
	return Keys(origin + "|"), nil
}

// The records of which a site has one.
func (k Keys) Site() string        { return string(k) + "site" }        // the site's secret
func (k Keys) Trust() string       { return string(k) + "trust" }       // what is known of the sources of dates
func (k Keys) Refusals() string    { return string(k) + "refusals" }    // pages that left as refused
func (k Keys) Active() string      { return string(k) + "active" }      // when the site was observed
func (k Keys) Boilerplate() string { return string(k) + "boilerplate" } // what the pages have in common
// changes whenever records of locations are erased
func (k Keys) Erased() string    { return string(k) + "erased" }
func (k Keys) Changelog() string { return string(k) + "changelog" } // when the changelog begins
func (k Keys) Days() string      { return string(k) + "days" }      // a few numbers of each day

// The starts of the keys of all records of a kind.
func (k Keys) Pages() string  { return string(k) + "page|" }  // public pages
func (k Keys) Waits() string  { return string(k) + "wait|" }  // locations that are not public
func (k Keys) Shards() string { return string(k) + "shard|" } // shards
func (k Keys) Logs() string   { return string(k) + "log|" }   // events

// The records of which a site has many. A location that is not public is named by its hash.
func (k Keys) Page(location string) string { return k.Pages() + location }
func (k Keys) Wait(hash string) string     { return k.Waits() + hash }
func (k Keys) Robots(piece int) string     { return fmt.Sprintf("%srobots|%03d", string(k), piece) }
func (k Keys) Crawler(name string) string  { return string(k) + "crawler|" + name }
func (k Keys) Notify(name string) string   { return string(k) + "notify|" + name } // of package notify
func (k Keys) Shard(n int) string          { return fmt.Sprintf("%s%06d", k.Shards(), n) }

// Bar is the key of the record that bars a location, whatever the order of its parameters. The location is barred while
// such a record exists, whatever is in it. The hash does not need the site's secret, so a bar also holds if that is
// lost.
func (k Keys) Bar(loc string) string {
	return string(k) + "bar|" + secret.Key(k).Name(location.Sorted(loc)).Hash
}

// Order is the key of the record that names the listed one among the locations that differ in the order of their
// parameters alone. It is "" if the location has fewer than two.
func (k Keys) Order(loc string) string {
	if _, query, _ := strings.Cut(loc, "?"); !strings.Contains(query, "&") {
		return ""
	}
	return string(k) + "order|" + secret.Key(k).Name(location.Sorted(loc)).Hash
}

// Duplicates is the key of the record about the pages with one content.
func (k Keys) Duplicates(showing uint64) string {
	return fmt.Sprintf("%sduplicates|%016x", string(k), showing)
}

// List is the key of a page's entry in shard n. If location is "", it is the start of the keys of all pages of the
// shard.
func (k Keys) List(n int, location string) string {
	return fmt.Sprintf("%slist|%06d|%s", string(k), n, location)
}

// MaxShard is the highest number of a shard. Up to it, the keys of shards are in the order of their
// numbers. Readers do not believe a record with a higher number.
const MaxShard = 999_999

// ShardOf returns the number of the shard whose record has a key.
func (k Keys) ShardOf(key string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(key, k.Shards()))
	return n, err == nil && n > 0 && n <= MaxShard
}

// IsLocation reports whether a stored text can be a location, and so be in a key.
func IsLocation(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return strings.HasPrefix(s, "/") && len(s) <= MaxLocation
}

// logDigits is how many hexadecimal digits the time of an event has, in Unix milliseconds until the
// year 2527. So the keys of events sort by time.
const logDigits = 11

// Log is the key of a page's event at a time in Unix milliseconds.
func (k Keys) Log(at int64, location string) string {
	return fmt.Sprintf("%s%0*x|%s", k.Logs(), logDigits, LogTime(at), location)
}

// LogTime returns the time nearest to millis, in Unix milliseconds, that fits into the key of an
// event.
func LogTime(millis int64) int64 { return max(0, min(millis, 1<<(4*logDigits)-1)) }

// Logged reads the time and the location from a key that [Keys.Log] of k made. A time with another number
// of digits would be out of order.
func Logged(k Keys, key string) (at int64, location string, ok bool) {
	digits, location, ok := strings.Cut(strings.TrimPrefix(key, k.Logs()), "|")
	if !ok || len(digits) != logDigits {
		return 0, "", false
	}
	t, err := strconv.ParseUint(digits, 16, 63)
	return int64(t), location, err == nil
}

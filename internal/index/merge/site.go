// Package merge decides what a visit changes. Its input is one visit, and the records that a
// transaction has read. Its output is the changed records, and the [Effects] that follow.
// It never touches a store, a clock, a queue or a log. The same input always gives the
// same output, so that a transaction may run again.
package merge

import (
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// Settings are what the owner of the site has set. They never change.
type Settings struct {
	Rules      eligibility.Rules
	Normalizer *location.Normalizer
	Entries    map[string]bool            // locations where visitors enter
	KeepFor    time.Duration              // how long an unseen page is kept
	Extensions extension.Set              // of entries
	Owns       func(location string) bool // whether servemap itself serves a location
	Fails      func(location string) bool // whether the site's own looks at a location get no answer; nil for none
}

// Site is what merging uses besides the records of pages: the settings, and the state of
// the site as a whole. It belongs to one goroutine, which changes it only between
// transactions.
type Site struct {
	Settings
	Keys    keys.Keys
	Layout  shards.Layout
	Journal changelog.Log
	Names

	Robots *robots.Obeyed
	Dating
	Activity sitewide.Activity
	Listed   int // pages listed now, about
	Looking  Looking
	Growth   Growth

	// What can be learned again. It is lost at a restart, except for the boilerplate.
	Followed    quota.Recent // links that were merged lately
	Boilerplate mark.Site    // the text that the site's pages have in common

	nowhere nowhere.Answers // where it has no page
	learned moment.Time     // when the last of these was learned
	led     string          // where the entry led the site itself
	box     eligibility.Box // to log in
}

// Dating says which dates are believed.
type Dating struct {
	Trust       lastmod.Trust
	Reputations lastmod.Reputations
}

// Names name locations where these must not appear. Another secret needs other Names.
type Names struct {
	Secret secret.Key

	names map[string]secret.Name // of locations used lately
}

// namesKept bounds the remembered names. All are dropped at once, which is good enough: the uses of
// one location mostly follow each other.
const namesKept = 1 << 9

// name returns the name of a location.
func (n *Names) name(location string) secret.Name {
	if name, known := n.names[location]; known {
		return name
	}
	if n.names == nil || len(n.names) >= namesKept {
		n.names = map[string]secret.Name{}
	}
	name := n.Secret.Name(location)
	n.names[location] = name
	return name
}

// ID returns the ID of a location.
func (n *Names) ID(location string) uint64 { return n.name(location).ID }

// wait returns the key under which a location that is not public is stored.
func (site *Site) wait(location string) string {
	return site.Keys.Wait(site.name(location).Hash)
}

// RecordKeys returns the keys under which a location may be stored.
func (site *Site) RecordKeys(location string) []string {
	return []string{site.Keys.Page(location), site.wait(location)}
}

// OwnQuery reports whether the location has a query parameter that is not allowed. Only the page's
// own canonical vouches for such a location.
func (s *Settings) OwnQuery(location string) bool {
	return strings.Contains(location, "?") && s.Normalizer.Parse(location).OwnQuery
}

// SpanLength returns the length of the spans in which the site's activity is kept.
func (s *Settings) SpanLength() time.Duration { return sitewide.SpanLength(s.KeepFor) }

const day = 24 * time.Hour

// Package reader answers questions about what is stored: what is known of a page, which pages are
// listed, and what happened to them. It never writes to the store, and it needs no worker.
package reader

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Reader answers questions about what is stored. Its methods may be called concurrently.
type Reader struct {
	store    store.Store
	site     *merge.Site                   // only its settings and its keys
	robots   atomic.Pointer[robots.Obeyed] // the robots.txt that holds
	sitemaps atomic.Pointer[[]string]      // those that robots.txt names, nil if it was not seen since the start
}

// New returns a reader of the records of a site.
func New(st store.Store, site *merge.Site) *Reader { return &Reader{store: st, site: site} }

// Allows reports whether robots.txt lets crawlers fetch a location.
func (r *Reader) Allows(location string) bool { return r.robots.Load().Allows(location) }

// Obey makes o the robots.txt that holds.
func (r *Reader) Obey(o *robots.Obeyed) { r.robots.Store(o) }

// SetSitemaps notes the values of the Sitemap lines of a robots.txt that was seen.
func (r *Reader) SetSitemaps(named []string) { r.sitemaps.Store(&named) }

// Sitemaps returns the values of the Sitemap lines of the robots.txt that was seen last, nil
// if none was seen since the start.
func (r *Reader) Sitemaps() []string {
	if named := r.sitemaps.Load(); named != nil {
		return *named
	}
	return nil
}

// Pages yields the listed pages in the order of their locations. It leaves out records
// that cannot be read.
func (r *Reader) Pages(ctx context.Context) iter.Seq2[Known, error] {
	return func(yield func(Known, error) bool) {
		var err error
		for location, value := range r.publicFrom(ctx, "", "", &err) {
			if p, ok := r.listed(location, value); ok && !yield(p, nil) {
				return
			}
		}
		if err != nil {
			yield(Known{}, err)
		}
	}
}

// Page returns what is known of a location. If nothing is, the verdict is Unknown.
func (r *Reader) Page(ctx context.Context, loc string) (p Known, err error) {
	defer func() {
		if err != nil {
			p, err = Known{}, fmt.Errorf("looking the page up: %w", err)
		}
	}()
	folder := location.Folder(loc)
	found, key, err := r.find(ctx, loc, folder)
	s := found[0]
	p = r.Know(loc, s)
	if err != nil || key == nil {
		return p, err
	}
	p.Canonical = key.Unseal(loc, s.Canonical)
	p.Nowhere = s.Showing == merge.Showing(key, observation.Nothing)
	if p.Reason != eligibility.Duplicate && p.Reason != eligibility.SoftNotFound {
		return p, nil
	}
	if found[1].Listed() && s.Mark.Resembles(found[1].Mark) {
		p.SameAs = folder
		return p, nil
	}
	if p.SameAs, err = r.otherOrder(ctx, loc); err != nil || p.SameAs != "" {
		return p, err
	}
	duplicates, err := txn.Read(ctx, r.store, r.site.Keys.Duplicates(s.Showing))
	p.SameAs = sitewide.ReadDuplicates(duplicates, func(of string) uint64 { return key.Name(of).ID }).Listed
	return p, err
}

// otherOrder returns the listed location that differs from loc at most in the order of its parameters, "" if there is
// none.
func (r *Reader) otherOrder(ctx context.Context, loc string) (string, error) {
	order := r.site.Keys.Order(loc)
	if order == "" {
		return "", nil
	}
	first, err := txn.Read(ctx, r.store, order)
	if !keys.IsLocation(string(first)) {
		return "", err
	}
	return string(first), err
}

// OtherSpelling returns the listed page that is probably meant by an unknown location: with or without the last slash,
// in lower case, or with its parameters in another order. It returns "" if there is none.
func (r *Reader) OtherSpelling(ctx context.Context, location string) string {
	slash := location + "/"
	if cut, ended := strings.CutSuffix(location, "/"); ended {
		slash = cut
	}
	ordered, _ := r.otherOrder(ctx, location) // if the store fails now, the page is not named
	for _, other := range []string{slash, strings.ToLower(location), strings.ToLower(slash), ordered} {
		if other == location || other == "" {
			continue
		}
		if p, err := r.Page(ctx, other); err == nil && p.Verdict == eligibility.Listed {
			return other
		}
	}
	return ""
}

// PagesAt returns what is known of some locations, without Canonical and SameAs.
func (r *Reader) PagesAt(ctx context.Context, locations []string) (all []Known, err error) {
	found, _, err := r.find(ctx, locations...)
	known := make([]Known, len(found))
	for n, s := range found {
		known[n] = r.Know(locations[n], s)
	}
	return known, err
}

// find returns the records of locations, an empty one for each that has none, and the site's secret. It
// reads the secret itself, since the worker may not have done so yet. The secret is nil if
// the store is new.
func (r *Reader) find(ctx context.Context, locations ...string) (found []*pagerecord.Page, key secret.Key, err error) {
	for range locations {
		found = append(found, new(pagerecord.Page))
	}
	site, err := txn.Read(ctx, r.store, r.site.Keys.Site())
	if key, _ = secret.Read(site); err != nil || key == nil {
		return found, nil, err
	}
	var wanted []string
	for _, location := range locations {
		wanted = append(wanted, r.site.Keys.Wait(key.Name(location).Hash), r.site.Keys.Page(location),
			r.site.Keys.Bar(location))
	}
	records, err := txn.ReadAll(ctx, r.store, wanted...)
	for n, record := range records {
		if stored, err := pagerecord.Decode(record); err == nil && n%3 < 2 {
			found[n/3] = stored // a page's own record comes after the one under a hash
		}
		if n%3 == 2 && record != nil {
			found[n/3].Barred = true
		}
	}
	return found, key, err
}

// Days returns a few numbers of each of the last days, by days since 1970.
func (r *Reader) Days(ctx context.Context) (sitewide.Days, error) {
	record, err := txn.Read(ctx, r.store, r.site.Keys.Days())
	return sitewide.ReadDays(record, moment.Of(time.Now()).Day()), err
}

// Notified returns the record in which package notify says what it told search engines, nil if there is none.
func (r *Reader) Notified(ctx context.Context) ([]byte, error) {
	return txn.Read(ctx, r.store, r.site.Keys.Notify("state"))
}

// Events yields what happened to listed pages since a time, see
// [changelog.Log.Events]. It may be called concurrently.
func (r *Reader) Events(ctx context.Context, since time.Time) iter.Seq2[changelog.Event, error] {
	return r.site.Journal.Events(ctx, r.store, since)
}

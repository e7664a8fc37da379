package merge

import (
	"slices"
	"strconv"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// Observe returns the visit of an exchange. before is the record of the page. unread says that the
// page may show something new and must be read, see [Site.Read].
func (site *Site) Observe(e *observation.Exchange, before *pagerecord.Page) (v *Visit, unread bool) {
	v = &Visit{Observation: observation.New(e, site.Normalizer, site.Secret), Before: before}
	if v.Kind != eligibility.Witness || v.Tracked && !site.WantsTracked(v.Moment(), before) {
		return v, false
	}
	v.Same, v.Again = site.Knows(v.Observation, before)
	return v, !v.Same
}

// Read parses the page, all of it or its head, and compares its blocks with those of other pages.
func (site *Site) Read(v *Visit, full bool) {
	v.Observation.Read(site.Normalizer, full, site.Extensions, site.hidden)
	v.Links = slices.DeleteFunc(v.Links, func(ln observation.Link) bool { return site.Owns(ln.Location) })
	if v.Showing != 0 && !(v.Tracked && v.Before.Observations > 0) { // a tracked visit must not replace what the page itself shows
		v.Showing = site.Secret.Hash("showing", strconv.FormatUint(v.Showing, 16))
	}
	if v.Tracked {
		v.DropContent()
	}
	site.consult(v)
}

// consult marks the blocks of the page that other pages of the site show too. A variant
// counts as its canonical page, so that a text which both show is not taken for boilerplate.
func (site *Site) consult(v *Visit) {
	if v.View == nil || v.Cut {
		return
	}
	location := v.Location
	if v.Canonical != "" {
		location = v.Canonical
	}
	site.Boilerplate.Consult(v.View, v.Before.Mark, site.ID(location))
}

// hidden reports whether a rule or robots.txt keeps a location out.
func (site *Site) hidden(location string) bool {
	rule, _ := site.Rules.Match(location)
	return rule.Listing == eligibility.Never || !site.Robots.Allows(location)
}

package indexer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// observe turns a sighting into a look, and reads the page if it may show anything new.
// before is the record of the page. all says that no budget applies.
func (m *merging) observe(s *observation.Exchange, before *pagerecord.Page, all bool) *merge.Visit {
	k := &merge.Visit{Observation: observation.New(s, m.cfg.Normalizer, m.site.Names.Key()), Before: before}
	if k.Kind != eligibility.Witness || k.Tracked && !m.site.WantsTracked(k.Moment(), before) {
		return k
	}
	if k.Same, k.Again = m.site.Knows(k.Observation, before); k.Same {
		m.compare(k, before.Showing, before.Content)
	} else {
		m.readPage(k, all)
	}
	return k
}

// readPage reads the page of a witness: in full if the budget allows it.
func (m *merging) readPage(k *merge.Visit, all bool) {
	full := all || k.Explored || m.budget.allows(time.Now(), m.site.Trusted(k))
	m.read(k, full)
	m.consult(k)
	k.Fresh = m.site.Fresh(k)
	k.Apart = len(k.Fresh) > linksAtOnce
	if !k.Explored {
		m.budget.spend(k.Cost + time.Duration(len(k.Fresh))*observation.LinkCost)
	}
}

// read parses the page. If a stranger's bytes make that panic, the page is held, and the
// site goes on.
func (m *merging) read(k *merge.Visit, full bool) {
	defer func() {
		if p := recover(); p != nil {
			k.Full, k.Forbids = false, eligibility.Encoding
			m.cfg.Logger.Error("servemap: a page could not be parsed; please report this", "panic", p)
		}
	}()
	k.Read(m.cfg.Normalizer, full, m.cfg.Extensions)
	k.Links = slices.DeleteFunc(k.Links, func(ln observation.Link) bool { return m.cfg.Files.OwnsLocation(ln.Location) })
	m.hide(k.Media)
	if k.Showing != 0 && !(k.Tracked && k.Before.Looks > 0) { // a tagged look must not replace what the page itself shows
		k.Showing = m.site.Names.Key().Hash("showing", strconv.FormatUint(k.Showing, 16))
		m.compare(k, k.Showing, k.Forbids)
	}
	if k.Tracked {
		k.DropContent()
	}
}

// consult marks the blocks of the page that other pages of the site show too. A variant
// counts as its canonical page, so that a text which both show is not taken for
// furniture.
func (m *merging) consult(k *merge.Visit) {
	if k.View == nil || k.Cut {
		return
	}
	location := k.Location
	if k.Canonical != "" {
		location = k.Canonical
	}
	m.boilerplate.Consult(k.View, k.Before.Mark, m.site.ID(location))
	m.boilerplate.changed = true
}

// compare notes whether other locations show the content of a look, and remembers that
// this one does. A page that forbids its listing, or that has a query, is not remembered:
// it must not count against other pages.
func (m *merging) compare(k *merge.Visit, showing uint64, content eligibility.Reason) {
	id := m.site.ID(k.Location)
	k.Shared, k.Crowd = m.shown.Elsewhere(showing, id)
	if sitewide.OwnPage(k.Location) && content == eligibility.None {
		m.shown.Shows(showing, id, k.Net)
	}
}

// hide leaves out the site's own media that a rule or robots.txt excludes.
func (m *merging) hide(x *shards.Extension) {
	if x == nil {
		return
	}
	hidden := func(u string) bool {
		_, rest, _ := strings.Cut(u, "://")
		location, own := strings.CutPrefix(rest, m.cfg.Normalizer.Origin().Host())
		if !own || !strings.HasPrefix(location, "/") {
			return false
		}
		rule, _ := m.cfg.Rules.Match(location)
		return rule.Listing == eligibility.Never || !m.site.Robots.Allows(location)
	}
	x.Images = slices.DeleteFunc(x.Images, hidden)
	x.Videos = slices.DeleteFunc(x.Videos, func(v sitemap.Video) bool {
		return hidden(v.Thumbnail) || hidden(v.Content) || hidden(v.Player)
	})
}

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

// lookAt turns a sighting into a look, and reads the page if it may show anything new.
// before is the record of the page. all says that no budget applies.
func (l *Ledger) lookAt(s *observation.Exchange, before *pagerecord.Page, all bool) *merge.Visit {
	k := &merge.Visit{Observation: observation.New(s, l.cfg.Normalizer, l.site.Names.Key()), Before: before}
	if k.Kind != eligibility.Witness || k.Tracked && !l.site.WantsTracked(k.Moment(), before) {
		return k
	}
	if k.Same, k.Again = l.site.Knows(k.Observation, before); k.Same {
		l.compare(k, before.Showing, before.Content)
	} else {
		l.readPage(k, all)
	}
	return k
}

// readPage reads the page of a witness: in full if the budget allows it.
func (l *Ledger) readPage(k *merge.Visit, all bool) {
	full := all || k.Explored || l.budget.allows(time.Now(), l.site.Trusted(k))
	l.read(k, full)
	l.consult(k)
	k.Fresh = l.site.Fresh(k)
	k.Apart = len(k.Fresh) > linksAtOnce
	if !k.Explored {
		l.budget.spend(k.Cost + time.Duration(len(k.Fresh))*observation.LinkCost)
	}
}

// read parses the page. If a stranger's bytes make that panic, the page is held, and the
// site goes on.
func (l *Ledger) read(k *merge.Visit, full bool) {
	defer func() {
		if p := recover(); p != nil {
			k.Full, k.Forbids = false, eligibility.Encoding
			l.cfg.Logger.Error("servemap: a page could not be parsed; please report this", "panic", p)
		}
	}()
	k.Read(l.cfg.Normalizer, full, l.cfg.Extensions)
	k.Links = slices.DeleteFunc(k.Links, func(ln observation.Link) bool { return l.cfg.Files.OwnsLocation(ln.Location) })
	l.hide(k.Media)
	if k.Showing != 0 && !(k.Tracked && k.Before.Looks > 0) { // a tagged look must not replace what the page itself shows
		k.Showing = l.site.Names.Key().Hash("showing", strconv.FormatUint(k.Showing, 16))
		l.compare(k, k.Showing, k.Forbids)
	}
	if k.Tracked {
		k.DropContent()
	}
}

// consult marks the blocks of the page that other pages of the site show too. A variant
// counts as its canonical page, so that a text which both show is not taken for
// furniture.
func (l *Ledger) consult(k *merge.Visit) {
	if k.View == nil || k.Cut {
		return
	}
	location := k.Location
	if k.Canonical != "" {
		location = k.Canonical
	}
	l.furniture.Consult(k.View, k.Before.Mark, l.site.ID(location))
	l.furniture.changed = true
}

// compare notes whether other locations show the content of a look, and remembers that
// this one does. A page that forbids its listing, or that has a query, is not remembered:
// it must not count against other pages.
func (l *Ledger) compare(k *merge.Visit, showing uint64, content eligibility.Reason) {
	id := l.site.ID(k.Location)
	k.Shared, k.Crowd = l.shown.Elsewhere(showing, id)
	if sitewide.OwnPage(k.Location) && content == eligibility.None {
		l.shown.Shows(showing, id, k.Net)
	}
}

// hide leaves out the site's own media that a rule or robots.txt excludes.
func (l *Ledger) hide(x *shards.Extension) {
	if x == nil {
		return
	}
	hidden := func(u string) bool {
		_, rest, _ := strings.Cut(u, "://")
		location, own := strings.CutPrefix(rest, l.cfg.Normalizer.Origin().Host())
		if !own || !strings.HasPrefix(location, "/") {
			return false
		}
		rule, _ := l.cfg.Rules.Match(location)
		return rule.Listing == eligibility.Never || !l.site.Robots.Allows(location)
	}
	x.Images = slices.DeleteFunc(x.Images, hidden)
	x.Videos = slices.DeleteFunc(x.Videos, func(v sitemap.Video) bool {
		return hidden(v.Thumbnail) || hidden(v.Content) || hidden(v.Player)
	})
}

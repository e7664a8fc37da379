package merge

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
)

// page is the record of a page in a transaction. What follows from its verdict is written here: its
// entry, its event and the record itself.
type page struct {
	*Transaction
	p *pagerecord.Page
}

// list writes the entry of the page.
func (g page) list() {
	p := g.p
	e := p.Entry()
	e.Extensions = g.extensions()
	location := p.Loaded.Location
	if _, found := g.found[location]; !found && g.site.Extensions&^p.Extended != 0 {
		p.ReadAt = 0 // it was read without an extension that is on by now
	}
	p.Extended = g.site.Extensions
	if !p.Loaded.Listed {
		p.Shard = g.layout().Add(g.Tx, p.Shard, location, e)
		p.Entered()
		g.filled()
		g.happened(changelog.Added)
		return
	}
	changed := g.layout().Set(g.Tx, p.Shard, location, e)
	if changed {
		g.Effects.Shards[p.Shard] = true
	}
	if changed && e.Extensions != nil && g.site.Layout.Over(g.Tx, p.Shard) || // the shard may have become too large
		g.site.Layout.Misplaced(p.Shard, location) {
		g.Effects.Shards[p.Shard] = true
		p.Shard = g.layout().Move(g.Tx, p.Shard, location)
		g.filled()
	}
	if !changed {
		return
	}
	if p.Dates.Changed > p.Loaded.Change {
		g.happened(changelog.Changed)
	}
}

// filled notes that the page was added to its shard.
func (g page) filled() {
	g.Effects.Shards[g.p.Shard] = true
	if g.site.Layout.Section != nil {
		g.Effects.Sections[g.p.Shard] = g.site.Layout.SectionOf(g.p.Loaded.Location)
	}
}

// unlist erases the entry of the page.
func (g page) unlist() {
	p := g.p
	g.layout().Remove(g.Tx, p.Shard, p.Loaded.Location)
	if key := g.site.Keys.Order(p.Loaded.Location); key != "" && string(g.Get(key)) == p.Loaded.Location {
		g.Put(key, nil)
	}
	g.Effects.Shards[p.Shard] = true
	g.happened(changelog.Removed)
	g.due(p.Loaded.Location) // the next client may get another answer
	g.Effects.Left[p.Reason]++
}

// put stores the page: under its location if it is or was listed, otherwise under a hash.
func (g page) put() {
	p := g.p
	location := p.Loaded.Location
	key, wait := g.site.Keys.Page(location), g.site.wait(location)
	if p.Public() {
		if g.Get(wait) != nil {
			g.Put(wait, nil)
			g.tally(wait, eligibility.Standing{})
		}
		p.Canonical = nil // the location, now in clear, would unseal it
		p.Dates.Listed()
	} else {
		key = wait
	}
	g.tally(key, p.Standing)
	g.Put(key, p.Encode())
	p.Loaded.Changed, p.Loaded.Listed, p.Loaded.Change = false, p.Listed(), p.Dates.Changed
}

// tally notes under which verdict the record is counted with that key.
func (g page) tally(key string, as eligibility.Standing) {
	g.Effects.Moves = append(g.Effects.Moves, Move{key, g.p.Loaded.Tallied, as})
	g.p.Loaded.Tallied = as
}

// happened writes an event of the page to the changelog.
func (g page) happened(what changelog.Happening) {
	p := g.p
	p.Logged = moment.Time(g.site.Journal.Note(g.Tx, int64(p.Logged), p.Loaded.Location, what, p.Reason,
		g.Now.UnixMilli()))
	g.Effects.Events[what]++
}

// layout returns the layout of the shards at the time of the transaction.
func (m *Transaction) layout() shards.Layout { return m.site.Layout.At(m.moment()) }

// extensions returns what the entry of a listed page has, as far as it is wanted: what the last
// visit that counted found, and the known alternates. Only the entry keeps the former.
func (g page) extensions() extension.Values {
	p := g.p
	if g.site.Extensions == 0 {
		return nil
	}
	found, renewed := g.found[p.Loaded.Location]
	if !renewed && p.Loaded.Listed {
		found = g.site.Layout.Extensions(g.Tx, p.Shard, p.Loaded.Location)
	}
	languages := extension.Languages(p.Named(g.site.ID(p.Loaded.Location)), p.Loaded.Location, p.Peers)
	return found.With(g.site.Extensions, extension.Alternates, languages)
}

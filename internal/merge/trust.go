package merge

import "github.com/servemap/servemap/internal/lastmod"

// report merges what a look at a location showed of the sources of dates.
func (m *Batch) report(location string, reports []lastmod.Report) {
	for _, r := range reports {
		if !m.site.Reputations.Concerns(r) {
			continue
		}
		page := m.site.Names.Key().Hash("suspect", location) | 1
		m.Repute(func(rs *lastmod.Reputations) { rs.Take(r, page, m.moment()) })
	}
}

// Repute changes the stored reputations.
func (m *Batch) Repute(change func(*lastmod.Reputations)) {
	key := m.site.Keys.Trust()
	before, unread := lastmod.ReadReputations(m.Get(key))
	after := before
	if change(&after); after != before {
		m.Put(key, after.Encode(unread))
		m.Effects.Reputes = true
	}
}

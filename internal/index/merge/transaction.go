package merge

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
)

// Transaction merges visits, over one transaction of the store. It loads each page once. It judges a changed page
// at once, since the next visit may depend on the verdict. [Transaction.Settle] then writes each
// page and its entry once.
type Transaction struct {
	*txn.Tx
	Now     time.Time // when the transaction is stored
	Effects Effects

	site    *Site
	by      *observation.Observation // that is merged, the zero Observation for none
	pages   map[string]*pagerecord.Page
	changed []*pagerecord.Page          // pages for Settle
	found   map[string]extension.Values // what the last readings found for extensions, by location
}

// New returns a transaction at now, over the one of the store.
func New(t *txn.Tx, site *Site, now time.Time) *Transaction {
	return &Transaction{
		Tx: t, Now: now, site: site, by: new(observation.Observation),
		pages: map[string]*pagerecord.Page{}, found: map[string]extension.Values{},
		Effects: Effects{
			Shards: map[int]bool{}, Sections: map[int]string{}, Removals: Removals{Pending: map[string]moment.Time{}},
			Counts: Counts{Left: map[eligibility.Reason]int{}},
		},
	}
}

// Effects are what the rest of the program must do after the transaction was stored.
type Effects struct {
	Shards   map[int]bool   // shards whose entries changed
	Sections map[int]string // of shards that got a page, if there are sections
	Followed []uint64       // hashes of links that need not be followed again
	Reputes  bool           // the reputation of a source of dates has changed
	Erased   bool           // records of locations were erased
	Wanted
	Removals
	Counts
}

// Wanted are locations whose next answer matters.
type Wanted struct {
	Due    []string // to observe when they are next visited
	Looks  []string // for the site to look at itself
	Linked []string // that a listed page links to, and nobody has got yet
}

// Removals are what became of pending removals.
type Removals struct {
	Pending map[string]moment.Time // to confirm a minute after that time
	Ended   []string               // locations of those that have ended
}

// Counts are what the owner is told.
type Counts struct {
	Moves   []Move                     // verdicts that changed
	Left    map[eligibility.Reason]int // how many pages left, and why
	Grown   int                        // how many pages links have listed for the first time, see Growth
	Events  [changelog.Happenings]int  // that were added to the journal, by what happened
	Refused bool                       // the day's limit of pages that may leave as refused was reached
	Alike   map[uint64]Borrowed        // by a content that is not theirs
	Damaged int                        // records that could not be read
}

// Borrowed says how many listed pages now show a content that is not theirs, as far as they are counted.
type Borrowed struct {
	Pages int
	Shown bool // one of them has just shown it
	Back  int  // how many have just shown their own content again
}

// Move is a change of the verdict in the record with that key. The zero Standing means
// that there is no record.
type Move struct {
	Key      string
	From, To eligibility.Standing
}

func (m *Transaction) moment() moment.Time { return moment.Of(m.Now) }

// Load returns what is known of location. known is false if there is no record.
func (m *Transaction) Load(location string) (p *pagerecord.Page, known bool) {
	if p := m.pages[location]; p != nil {
		return p, p.Loaded.Known
	}
	p = m.read(location)
	p.Loaded.Location = location
	m.pages[location] = p
	return p, p.Loaded.Known
}

// page returns a page with its transaction.
func (m *Transaction) page(location string) page {
	p, _ := m.Load(location)
	return page{m, p}
}

func (m *Transaction) read(location string) *pagerecord.Page {
	for _, key := range m.site.RecordKeys(location) {
		b := m.Get(key)
		if b == nil {
			continue
		}
		p, err := pagerecord.Decode(b)
		if err == nil && p.Public() && key != m.site.Keys.Page(location) {
			err = codec.ErrDamaged // a record under a hash cannot be of a listed page
		}
		if err == nil {
			return p
		}
		m.Effects.Damaged++
		if n := m.site.Layout.Find(m.Tx, location); n != 0 {
			p := &pagerecord.Page{Loaded: pagerecord.Loaded{Known: true, Listed: true}}
			p.Standing, p.Shard, p.Witnessed, p.Barred = eligibility.ByHistory.Standing(), n, true,
				m.Get(m.site.Keys.Bar(location)) != nil
			return p
		}
	}
	return new(pagerecord.Page)
}

// Save judges a page by its present values. Settle will store it.
func (m *Transaction) Save(p *pagerecord.Page) {
	was := p.Standing
	next := page{m, p}.judge()
	if p.Listed() && p.Shard == 0 && p.Reason.Plenty() && !p.Route && !was.Listed() && !m.by.Explored {
		m.Effects.Grown++
	}
	if p.Listed() && !was.Listed() {
		m.due(p.Loaded.Location) // the next visit may show that the page is not public
		if !m.by.Explored || m.by.Location != p.Loaded.Location {
			m.look(p.Loaded.Location) // the site's own look gives the page its first text, and the links that count
		}
	}
	var peers []extension.Alternate
	if was.Listed() && !p.Listed() {
		p.ReadAt = 0
		peers, p.Peers = p.Peers, nil
	}
	m.keep(p)
	for _, peer := range peers {
		m.page(peer.Location).removeAlternate(p.Loaded.Location)
	}
	if next != nil {
		m.Save(next)
	}
}

// keep has Settle store a page.
func (m *Transaction) keep(p *pagerecord.Page) {
	if !p.Loaded.Changed {
		p.Loaded.Known, p.Loaded.Changed = true, true
		m.changed = append(m.changed, p)
	}
}

// Settle stores each saved page, and updates the shards and the changelog.
func (m *Transaction) Settle() {
	for _, p := range m.changed {
		g := page{m, p}
		switch {
		case !p.Loaded.Changed: // it was erased after Save
			continue
		case p.Listed():
			g.list()
		case p.Loaded.Listed:
			g.unlist()
		}
		g.put()
	}
	m.changed = nil
}

// due marks a location as due at its next visit.
func (m *Transaction) due(location string) { m.Effects.Due = append(m.Effects.Due, location) }

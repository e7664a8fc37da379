package merge

import (
	"bytes"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// Batch merges looks in one transaction. It loads each page once. It judges a changed page
// at once, since the next look may depend on the verdict. [Batch.Settle] then writes each
// page and its entry once.
type Batch struct {
	*txn.Tx
	Now     time.Time // when the transaction is stored
	Effects Effects

	site    *Site
	pages   map[string]*pagerecord.Page
	changed []*pagerecord.Page           // pages for Settle
	media   map[string]*shards.Extension // new extensions of entries, by location
	saved   map[*pagerecord.Page][]byte  // for tests, see Site.OnUnsaved
}

// New returns an empty batch for a transaction at now.
func New(t *txn.Tx, site *Site, now time.Time) *Batch {
	return &Batch{
		Tx: t, Now: now, site: site,
		pages: map[string]*pagerecord.Page{}, media: map[string]*shards.Extension{}, saved: map[*pagerecord.Page][]byte{},
		Effects: Effects{
			Parts: map[int]bool{}, Followed: map[uint64]bool{}, Doubted: map[string]moment.Time{},
			Settled: map[string]Settlement{}, Left: map[eligibility.Reason]int{},
		},
	}
}

// Effects are what the rest of the program must do after the transaction was stored.
type Effects struct {
	Parts   map[int]bool // parts whose entries changed
	Filling int          // the highest part that a page was added to, 0 for none
	Due     []string     // locations to look at when they are next visited

	Followed map[uint64]bool // links that need not be followed again

	Doubted   map[string]moment.Time // locations to confirm a minute after that time
	Undoubted []string               // locations whose doubt is over
	Settled   map[string]Settlement  // locations whose verdict is stored now

	Moves   []Move                     // verdicts that changed
	Waiting int                        // change in the number of waiting locations
	Left    map[eligibility.Reason]int // how many pages left, and why
	Events  [changelog.Happenings]int  // that were added to the journal, by what happened
	Damaged int                        // records that could not be read

	Reputes bool // the reputation of a source of dates has changed
	Refused bool // somebody is refused pages that others get
	Erased  bool // records of locations were erased
}

// Move is a change of the verdict in the record with that key. The zero Standing means
// that there is no record.
type Move struct {
	Key      string
	From, To eligibility.Standing
}

// Settlement says that the stored verdict on a page includes everything seen up to At.
// Part lists the page, or did.
type Settlement struct {
	Part int
	At   time.Time
}

func (m *Batch) moment() moment.Time { return moment.Of(m.Now) }

// Load returns what is known of location. known is false if there is no record.
func (m *Batch) Load(location string) (p *pagerecord.Page, known bool) {
	if p := m.pages[location]; p != nil {
		return p, p.Loaded.Known
	}
	p = m.read(location)
	p.Loaded.Location = location
	m.pages[location] = p
	m.asSaved(p)
	return p, p.Loaded.Known
}

func (m *Batch) read(location string) *pagerecord.Page {
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
		if n := m.site.Book.Find(m.Tx, location); n != 0 {
			p := &pagerecord.Page{Loaded: pagerecord.Loaded{Known: true, Listed: true}}
			p.Verdict, p.Part, p.Witnessed = eligibility.Listed, n, true
			return p
		}
	}
	return new(pagerecord.Page)
}

// Save judges a page by its present values. Settle will store it.
func (m *Batch) Save(p *pagerecord.Page) {
	was, isNew := p.Standing, !p.Public()
	next := m.judge(p)
	if p.Listed() && !was.Listed() {
		m.due(p.Loaded.Location) // the next visit may show that the page is not public
	}
	var peers []shards.Alternate
	if was.Listed() && !p.Listed() {
		p.Read = false
		peers, p.Peers = p.Peers, nil
	}
	m.count(p, isNew)
	if !p.Loaded.Changed {
		p.Loaded.Known, p.Loaded.Changed = true, true
		m.changed = append(m.changed, p)
	}
	for _, peer := range peers {
		m.removeAlternate(peer.Location, p.Loaded.Location)
	}
	m.asSaved(p)
	if next != nil {
		m.Save(next)
	}
}

// asSaved notes for tests the values that were saved.
func (m *Batch) asSaved(p *pagerecord.Page) {
	if m.site.OnUnsaved != nil {
		m.saved[p] = p.Encode()
	}
}

// Settle stores each saved page, and updates the book and the journal.
func (m *Batch) Settle() {
	for p, saved := range m.saved {
		if p == m.pages[p.Loaded.Location] && !bytes.Equal(p.Encode(), saved) {
			m.site.OnUnsaved(p.Loaded.Location)
		}
	}
	for _, p := range m.changed {
		switch {
		case !p.Loaded.Changed: // it was erased after Save
			continue
		case p.Listed():
			m.list(p)
		case p.Loaded.Listed:
			m.unlist(p)
		}
		m.put(p)
	}
	m.changed = nil
}

func (m *Batch) list(p *pagerecord.Page) {
	e := p.Entry(m.site.Confidence)
	e.Extension = m.extension(p)
	location := p.Loaded.Location
	if !p.Loaded.Listed {
		p.Part = m.site.Book.Add(m.Tx, p.Part, location, e)
		m.Effects.Filling = max(m.Effects.Filling, p.Part)
		m.Effects.Parts[p.Part] = true
		m.happened(p, changelog.Added)
		return
	}
	if !m.site.Book.Set(m.Tx, p.Part, location, e) {
		return
	}
	m.Effects.Parts[p.Part] = true
	if e.Extension != nil && m.site.Book.Over(m.Tx, p.Part) { // the part may have become too large
		m.move(p)
	}
	if p.Dates.LastChange() != p.Loaded.Change {
		m.happened(p, changelog.Changed)
	}
}

func (m *Batch) unlist(p *pagerecord.Page) {
	m.site.Book.Remove(m.Tx, p.Part, p.Loaded.Location)
	m.Effects.Parts[p.Part] = true
	m.happened(p, changelog.Removed)
	m.due(p.Loaded.Location) // the next client may get another answer
	m.Effects.Left[p.Reason]++
}

// put stores a page: under its location if it is or was listed, otherwise under a hash.
func (m *Batch) put(p *pagerecord.Page) {
	location := p.Loaded.Location
	key, wait := m.site.Keys.Page(location), m.site.wait(location)
	if p.Public() {
		if m.Get(wait) != nil {
			m.Put(wait, nil)
			m.Effects.Waiting--
			m.tally(wait, p, eligibility.Standing{})
		}
		p.Entered()
		p.Canonical = nil // the location, now in clear, would unseal it
		p.Dates.Listed()
	} else {
		key = wait
		if m.Get(wait) == nil {
			m.Effects.Waiting++
		}
	}
	m.tally(key, p, p.Standing)
	m.Put(key, p.Encode())
	p.Loaded.Changed, p.Loaded.Listed, p.Loaded.Change = false, p.Listed(), p.Dates.LastChange()
}

// tally notes under which verdict the survey counts the record with that key.
func (m *Batch) tally(key string, p *pagerecord.Page, as eligibility.Standing) {
	m.Effects.Moves = append(m.Effects.Moves, Move{key, p.Loaded.Tallied, as})
	p.Loaded.Tallied = as
}

// happened writes an event of a listed page to the journal.
func (m *Batch) happened(p *pagerecord.Page, what changelog.Happening) {
	p.Logged = moment.Time(m.site.Journal.Note(m.Tx, int64(p.Logged), p.Loaded.Location, what, p.Reason, m.Now.UnixMilli()))
	m.Effects.Events[what]++
}

// settled notes that the verdict to be stored includes everything seen up to a time.
func (m *Batch) settled(p *pagerecord.Page, at time.Time) {
	m.Effects.Settled[p.Loaded.Location] = Settlement{p.Part, at}
}

// due marks a location as due at its next visit.
func (m *Batch) due(location string) { m.Effects.Due = append(m.Effects.Due, location) }

// move moves a listed page to another part, since its own is too large.
func (m *Batch) move(p *pagerecord.Page) {
	to := m.site.Book.Move(m.Tx, p.Part, p.Loaded.Location)
	if to == p.Part {
		return
	}
	m.Effects.Parts[p.Part], m.Effects.Parts[to] = true, true
	m.Effects.Filling = max(m.Effects.Filling, to)
	p.Part = to
	m.asSaved(p)
}

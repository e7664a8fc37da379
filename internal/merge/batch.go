package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/txn"
)

// Batch merges looks in one transaction. It loads each page once. A page that a look
// changes is judged at once, as the next look may depend on it. What follows for the
// sitemap is written once for each page, by [Batch.Settle].
type Batch struct {
	*txn.Tx
	Now     time.Time // when the transaction is stored
	Effects Effects

	site    *Site
	pages   map[string]*Page
	changed []*Page                    // to be settled
	media   map[string]*book.Extension // of pages whose entries are to show it from now on
}

// New returns an empty batch for a transaction at now.
func New(t *txn.Tx, site *Site, now time.Time) *Batch {
	return &Batch{Tx: t, Now: now, site: site, pages: map[string]*Page{}, media: map[string]*book.Extension{}, Effects: Effects{
		Parts: map[int]bool{}, Followed: map[uint64]bool{}, Doubted: map[string]moment.Time{}, Settled: map[string]Settlement{}, Left: map[admit.Reason]int{},
	}}
}

// Effects are what a stored transaction asks of the rest of the program.
type Effects struct {
	Parts   map[int]bool // whose listing changed
	Filling int          // the part that a page was added to last, 0 if none was
	Due     []string     // locations to look at again soon
	Early   []*Look      // that show where locations lead for which nothing vouches yet

	Followed map[uint64]bool // links that need not be followed again

	Doubted   map[string]moment.Time // locations to confirm a minute after that time
	Undoubted []string               // locations of which that is off
	Settled   map[string]Settlement  // locations on which the store now holds the verdict

	Moves   []Move               // verdicts that became others
	Waiting int                  // change in the number of waiting locations
	Left    map[admit.Reason]int // how many pages left, and why
	Events  int                  // that were added to the journal
	Damaged int                  // records that could not be read

	Reputes bool // what is known of the sources of dates has changed
	Refused bool // somebody is refused pages that others get
	Erased  bool // records of locations were erased
}

// Move is a verdict that became another one, in the record with that key. The zero
// Standing stands for no record.
type Move struct {
	Key      string
	From, To Standing
}

// Settlement says which part lists a page, or did, on which the store now holds the
// verdict by all that was seen up to a time.
type Settlement struct {
	Part int
	At   time.Time
}

func (m *Batch) moment() moment.Time { return moment.Of(m.Now) }

// Load returns what is known of location. known is false if there is no record.
func (m *Batch) Load(location string) (s *Page, known bool) {
	if s := m.pages[location]; s != nil {
		return s, s.loaded.known
	}
	s = m.read(location)
	s.loaded.location = location
	m.pages[location] = s
	return s, s.loaded.known
}

func (m *Batch) read(location string) *Page {
	for _, key := range m.site.RecordKeys(location) {
		b := m.Get(key)
		if b == nil {
			continue
		}
		s, err := Decode(b)
		if err == nil && s.Public() && key != m.site.Keys.Page(location) {
			err = record.ErrDamaged // what was never listed is not to be named by it
		}
		if err == nil {
			return s
		}
		m.Effects.Damaged++
		if n := m.site.Book.Find(m.Tx, location); n != 0 {
			s := &Page{loaded: loaded{known: true, listed: true}}
			s.Verdict, s.part, s.witnessed = admit.Listed, n, true
			return s
		}
	}
	return new(Page)
}

// Save judges a page by its values as they are now, and has it settled in the end.
func (m *Batch) Save(s *Page) {
	was, isNew := s.Standing, !s.Public()
	s.Verdict, s.Reason = m.verdict(s)
	if s.Reason == admit.ByHistory && was.Listed() && was.Reason == admit.ByNetworks {
		s.Reason = was.Reason // the networks themselves are forgotten by now
	}
	loser := m.represent(s)
	var peers []look.Alternate
	if was.Listed() && !s.Listed() {
		s.read = false
		peers, s.peers = s.peers, nil
	}
	m.count(s, isNew)
	if !s.loaded.changed {
		s.loaded.known, s.loaded.changed = true, true
		m.changed = append(m.changed, s)
	}
	for _, p := range peers {
		m.removeAlternate(p.Location, s.loaded.location)
	}
	if loser != nil {
		m.Save(loser)
	}
}

// Settle brings the sitemap in line with each page that was saved, and stores the
// pages.
func (m *Batch) Settle() {
	for _, s := range m.changed {
		switch {
		case s.Listed():
			m.list(s)
		case s.loaded.listed:
			m.unlist(s)
		}
		m.put(s)
	}
	m.changed = nil
}

func (m *Batch) list(s *Page) {
	e := s.entry(m.site.Confidence)
	if e.Extension = m.extension(s); m.site.InferPriority {
		e.Priority = s.priority
	}
	location := s.loaded.location
	if !s.loaded.listed {
		s.part = m.site.Book.Add(m.Tx, s.part, location, e)
		m.Effects.Filling = s.part
		m.Effects.Parts[s.part] = true
		m.happened(s, journal.Added)
		m.due(location) // its next visit may show that the page is not for everybody
		return
	}
	if !m.site.Book.Set(m.Tx, s.part, location, e) {
		return
	}
	m.Effects.Parts[s.part] = true
	if e.Extension != nil && m.site.Book.Over(m.Tx, s.part) { // it may be more than the part has room for
		m.move(s)
	}
	if s.dates.LastChange() != s.loaded.change {
		m.happened(s, journal.Changed)
	}
}

func (m *Batch) unlist(s *Page) {
	m.site.Book.Remove(m.Tx, s.part, s.loaded.location)
	m.Effects.Parts[s.part] = true
	m.happened(s, journal.Removed)
	m.due(s.loaded.location) // one client's answer may not be the next one's
	m.Effects.Left[s.Reason]++
}

// put stores a page: in clear if it is or was listed, else under a hash.
func (m *Batch) put(s *Page) {
	location := s.loaded.location
	key, wait := m.site.Keys.Page(location), m.site.wait(location)
	if s.Public() {
		if m.Get(wait) != nil {
			m.Put(wait, nil)
			m.Effects.Waiting--
			m.tally(wait, s, Standing{})
		}
		s.networks, s.canonical = nil, nil // its location no longer hides what is sealed
		s.dates.Listed()
		s.linkAt, s.linkNet, s.unprompted = 0, 0, false
	} else {
		key = wait
		if m.Get(wait) == nil {
			m.Effects.Waiting++
		}
	}
	m.tally(key, s, s.Standing)
	m.Put(key, s.encode())
	s.loaded.changed, s.loaded.listed, s.loaded.change = false, s.Listed(), s.dates.LastChange()
}

// tally notes under which verdict the record with that key is to be counted.
func (m *Batch) tally(key string, s *Page, as Standing) {
	m.Effects.Moves = append(m.Effects.Moves, Move{key, s.loaded.tallied, as})
	s.loaded.tallied = as
}

// happened notes in the journal what became of a listed page.
func (m *Batch) happened(s *Page, what journal.Happening) {
	s.logged = moment.Time(m.site.Journal.Note(m.Tx, int64(s.logged), s.loaded.location, what, m.Now.UnixMilli(), s.part))
	m.Effects.Events++
}

// settled notes that the store will hold the verdict on a page, by all that was seen
// up to a time.
func (m *Batch) settled(s *Page, at time.Time) {
	m.Effects.Settled[s.loaded.location] = Settlement{s.part, at}
}

// due has a location looked at again soon.
func (m *Batch) due(location string) { m.Effects.Due = append(m.Effects.Due, location) }

// move moves a listed page to another part if its own has too many or too few, and
// reports whether it did.
func (m *Batch) move(s *Page) bool {
	to := m.site.Book.Move(m.Tx, s.part, s.loaded.location)
	if to == s.part {
		return false
	}
	m.Effects.Parts[s.part], m.Effects.Parts[to] = true, true
	m.site.Journal.Moved(m.Tx, int64(s.logged), s.loaded.location, to)
	s.part = to
	return true
}

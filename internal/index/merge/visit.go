package merge

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/secret"
)

// Observe begins to read an observation. before is the record of its page. unread says that the page may show something
// new and must be read, see [Site.Read].
func (site *Site) Observe(v *observation.Observation, before *pagerecord.Page) (unread bool) {
	v.ReadHeader(site.Normalizer)
	if v.Before = before; v.Kind == eligibility.Witness {
		v.Same, v.Again = site.Knows(v, before)
		unread = !v.Same
	}
	site.enter(v)
	return unread
}

// Read parses the page, all of it or its head, and compares its blocks with those of other pages.
func (site *Site) Read(v *observation.Observation, full bool) {
	site.parse(v, full)
	site.enter(v)
	site.consult(v)
}

// ReadAgain reads a listed page that shows the same as before. It learns from that only what is lost at a restart.
func (site *Site) ReadAgain(v *observation.Observation) {
	before := v.Before
	v.ReadHeader(site.Normalizer)
	v.Before = before
	v.Read(site.Normalizer, true, 0, nil, nil)
	site.enter(v)
}

// enter notes where the site itself is led from where visitors enter, and what pages ask for that may have a box to log
// in.
func (site *Site) enter(v *observation.Observation) {
	enters := site.enters(v.Location, v.Before)
	switch {
	case v.Kind == eligibility.Redirected && v.Explored && enters:
		site.led = v.Target
	case !v.Full:
	case enters || v.Forbids == eligibility.None || v.Forbids == eligibility.PasswordField:
		site.box.Saw(v.Location, enters, v.LogIn)
	}
}

// enters reports whether visitors enter the site at a location, or are led there from where they do.
func (site *Site) enters(location string, p *pagerecord.Page) bool {
	return site.Entries[location] || location == site.led || p.Hop > 0
}

func (site *Site) parse(v *observation.Observation, full bool) {
	v.Read(site.Normalizer, full, site.Extensions, site.hidden, &site.nowhere)
	v.Links = slices.DeleteFunc(v.Links, func(ln observation.Link) bool { return site.Owns(ln.Location) })
	v.Showing = site.showing(v.Showing)
	if v.Forbids == eligibility.PasswordField && (site.Entries[v.Location] || site.vouches(v.Location) ||
		site.enters(v.Location, v.Before) && !eligibility.IsLogIn(v.Location) || site.box.Has(v.Location, v.LogIn)) {
		v.Forbids = eligibility.None
	}
}

// ReadToTry reads an observation for [Transaction.Try], and learns nothing from it.
func (site *Site) ReadToTry(v *observation.Observation) {
	v.ReadHeader(site.Normalizer)
	v.Before = new(pagerecord.Page)
	site.parse(v, true)
}

// Try returns the record that a page would have after a visitor's observation, if the site never looked itself. The
// transaction must not be stored.
func (m *Transaction) Try(v *observation.Observation) *pagerecord.Page {
	blind := *m.site
	blind.Looking = Never
	m.site = &blind
	m.Apply(v)
	p, _ := m.Load(v.Location)
	return p
}

// Showing returns the form in which the hash of a page's content is stored. Without the site's secret nobody can tell
// which content that is.
func Showing(key secret.Key, showing uint64) uint64 {
	if showing == 0 {
		return 0
	}
	return key.Hash("showing", strconv.FormatUint(showing, 16))
}

func (site *Site) showing(showing uint64) uint64 { return Showing(site.Secret, showing) }

// LearnNowhere learns what the site shows at a made-up address, see [nowhere.Beside].
func (site *Site) LearnNowhere(stands string, shows *nowhere.Page, at time.Time) {
	site.nowhere.Learn(stands, shows)
	site.learned = moment.Of(at)
}

// ShowsNothing notes that a page shows what the site shows where it has none. It does so only for a page that was first
// seen lately, and never with something else: in a maintenance all pages show the same as made-up addresses. Others
// leave by their visits, once that has lasted.
func (m *Transaction) ShowsNothing(location string) {
	p, known := m.Load(location)
	if known && m.moment().Sub(p.FirstSeen) < day && p.Borrowed == 0 && p.Turned.At == 0 {
		p.Showing = m.site.showing(observation.Nothing)
		m.Save(p)
	}
}

// consult marks the blocks of the page that other pages of the site show too. A variant counts as its canonical page,
// and /blog/index.php as its folder, so that a text which both show is not taken for boilerplate.
func (site *Site) consult(v *observation.Observation) {
	if v.View == nil {
		return
	}
	loc := cmp.Or(v.Canonical, location.Folder(v.Location), v.Location)
	v.View.Last = v.Before.LastSeen.Seconds()
	site.Boilerplate.Consult(v.View, v.Before.Mark, loc, v.At.Unix())
}

// hidden reports whether a rule or robots.txt keeps a location out.
func (site *Site) hidden(location string) bool {
	rule, _ := site.Rules.Match(location)
	return rule.Listing == eligibility.Never || !site.Robots.Allows(location)
}

// Merged is the result of merging a visit.
type Merged struct {
	eligibility.Standing
	News   News
	Follow bool // its links count and must still be merged, see [Transaction.Follow]
}

// visited is an observation beside the record of its page.
type visited struct {
	page
	*observation.Observation
	firstLook bool        // it is the site's own look that follows a visitor's first visit
	began     moment.Time // when the page began to show the content, if it has borrowed that until now
}

// Apply merges a visit.
func (m *Transaction) Apply(v *observation.Observation) Merged {
	m.by = v
	p, known := m.Load(v.Location)
	u := &visited{page: page{m, p}, Observation: v}
	follow := u.merge(known)
	return Merged{p.Standing, newsOf(v, p), follow && m.site.leads(p)}
}

// merge merges the visit. follow says that the links of the page must be followed, if they count.
func (u *visited) merge(known bool) (follow bool) {
	p := u.p
	if u.Elsewhere {
		if u.Same || !p.Witnessed || !u.another() {
			return false // a cache may have answered
		}
		o := *u.Observation // a copy, since the observation may be merged again
		o.Kind, o.Reason, o.Kept = eligibility.Nothing, eligibility.Denied, true
		u.Observation = &o
	}
	switch {
	case u.keptFromAll() && !u.site.vouches(u.Location):
		u.look(u.Location) // the client came by another path than a stranger, or may have logged in
	case (u.Kept && u.Kind != eligibility.Redirected || u.Kind == eligibility.Nothing) && known && !p.Witnessed:
		u.refusedUnseen()
	case u.Kept && p.Listed():
		why := u.Reason
		if why.Standing().Verdict != eligibility.Gone && !pagerecord.Stated(why) {
			why = eligibility.Denied // the reason says what came instead, and not what became of the page
		}
		u.refused(why)
	case u.Kind == eligibility.Witness:
		return u.witness()
	case u.Kind == eligibility.Redirected:
		if u.Kept && known {
			p.Kept = pagerecord.Front
			u.Save(p)
		}
		u.redirected()
	case !known && !u.site.Entries[u.Location] && !u.Personal():
		// An address that does not exist leaves no record.
	case !p.Witnessed:
		u.refusedUnseen()
	case u.Kind == eligibility.Nothing:
		// Nothing came, which is no word on a page that was there.
	case u.Kind == eligibility.Alive:
		u.alive()
	default:
		u.refused(u.Reason)
	}
	return false
}

// another reports whether what came from elsewhere is another page than the one that visitors get. Then something in
// front keeps the page from strangers.
func (u *visited) another() bool {
	p := u.p
	compared := u.View != nil && p.Showing != 0
	return u.Kind == eligibility.Redirected || compared && u.Showing != p.Showing && !p.Mark.Recognises(u.View)
}

// vouches reports whether a rule of the owner's lists a location.
func (s *Settings) vouches(location string) bool {
	rule, _ := s.Rules.Match(location)
	return rule.Listing == eligibility.Always
}

// clockSkew is how far the clock of another process may be ahead. A time further ahead
// comes from a wrong clock.
const clockSkew = time.Minute

// late reports whether a newer visit was merged before this one, for example because the
// store could not be reached for a while. A newer visit by a wrong clock does not count:
// otherwise a page that forbids its listing would stay until that time comes.
func (u *visited) late() bool {
	last := u.p.LastSeen
	return u.Moment() < last && last <= moment.Of(u.Now.Add(clockSkew))
}

// follows reports whether the visit comes after the last one. It may be the same visit, merged
// again, or a late one. The explorer may ask twice in a millisecond, and the site may judge the same bytes anew.
func (u *visited) follows() bool {
	anew := u.Hash != u.p.BodyHash || !u.Same && u.Forbids != u.p.Content
	return !u.late() && (u.Moment() != u.p.LastSeen || u.Explored && anew)
}

// refusedUnseen notes the answer of a location that nobody got a page from yet. Explain
// tells it.
func (u *visited) refusedUnseen() {
	p := u.p
	p.Status = u.Response.Status
	p.Kept = u.keeper()
	if p.Content = eligibility.None; u.Kind == eligibility.Forbidden {
		p.Content = u.Reason
	}
	u.noteLogIn()
	if !p.Public() { // a page that was listed keeps the reason why it left
		if p.Absent = eligibility.None; u.Kind == eligibility.Doubtful {
			p.Absent = u.Reason
		}
	}
	if u.Personal() && !u.Explored && (p.Led() || u.site.Entries[u.Location]) {
		u.look(u.Location) // a stranger without the visitor's cookies may get the page
	}
	if u.Personal() && p.FirstSeen == 0 {
		p.LastSeen = max(p.LastSeen, u.Moment()) // the record expires by this time
	}
	u.Save(p)
}

// Stale returns the page if the visit seemed to show the same bytes as the last one, but another process has merged a
// visit since. Otherwise it returns nil.
func (m *Transaction) Stale(v *observation.Observation) *pagerecord.Page {
	if p, _ := m.Load(v.Location); v.Same && p.BodyHash != v.Hash {
		return p
	}
	return nil
}

// Guess returns the keys that merging a visit needs in most cases. A key that is missing here costs another run of the
// transaction.
func (site *Site) Guess(v *observation.Observation, now time.Time) (keys []string) {
	p := v.Before
	keys = append(site.RecordKeys(v.Location), site.Keys.Refusals(), site.Keys.Duplicates(p.Showing),
		site.Keys.Duplicates(v.Showing))
	if order := site.Keys.Order(v.Location); order != "" {
		keys = append(keys, order)
	}
	if !p.Listed() {
		keys = append(keys, site.Keys.Bar(v.Location))
	}
	if p.Listed() || v.Parsed { // it may enter, also by a link of a page that is merged before it
		keys = append(keys, site.Layout.Guess(p.Shard, v.Location)...)
		keys = append(keys, site.Journal.Guess(int64(p.Logged), v.Location, now.UnixMilli())...)
	}
	return keys
}

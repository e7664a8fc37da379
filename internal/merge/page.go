package merge

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitewide"
)

// Page is all that is remembered of one location. Its record does not name the
// location, so that it can be kept under a hash.
type Page struct {
	Standing
	presence
	doubt
	statement
	evidence
	redirect
	reading
	copies
	languages
	ranking
	listing

	mark      mark.Mark     // to tell changes of the content
	varieties varieties     // the texts by language that the mark has met
	newLinks  newLinks      // that may announce new pages
	dates     lastmod.Dates // what its lastmod is chosen from
	rate      rate.Estimate // how often the content changes

	unread record.Unread // fields of a later version
	loaded loaded
}

// loaded is what a transaction knows of the page besides its record.
type loaded struct {
	location  string
	known     bool             // there is a record
	changed   bool             // it is to be settled
	listed    bool             // the page was listed before the transaction
	tallied   Standing         // as which the record is counted
	sibling   sitewide.Sibling // as which the page is counted in its group
	change    moment.Time      // the last change of its content before the transaction
	announced []announcement   // what turned out at the look that is merged
}

// Public reports whether the page is or was listed. Then its location is no secret.
func (p *Page) Public() bool { return p.part != 0 || p.Listed() }

// fields lists the fields of the record. Each value has a range of numbers. A number is
// never used again for something else.
func (p *Page) fields(f *record.Fields) {
	f.Value(1, 10, p.ownFields)
	f.Value(10, 20, p.presence.fields)
	f.Value(20, 30, p.doubt.fields)
	f.Value(30, 40, p.statement.fields)
	f.Value(40, 60, p.evidence.fields)
	f.Value(60, 70, p.redirect.fields)
	f.Value(70, 80, p.reading.fields)
	f.Value(80, 90, p.copies.fields)
	f.Value(90, 100, p.languages.fields)
	f.Value(100, 110, p.ranking.fields)
	f.Value(110, 120, p.listing.fields)
}

// ownFields lists the fields that are in no value of the page.
func (p *Page) ownFields(f *record.Fields) {
	record.Uint(f, 1, &p.Verdict)
	record.Uint(f, 2, &p.Reason)
	f.Data(3, 1, func(int) []byte { return p.mark.AppendBinary(nil) }, func(b []byte) { p.mark, _ = mark.Parse(b) })
	f.Data(4, 1, func(int) []byte {
		if p.rate == (rate.Estimate{}) {
			return nil
		}
		return p.rate.AppendBinary(nil)
	}, func(b []byte) { p.rate, _ = rate.Parse(b) })
	shorts(f, 5, (*[]uint16)(&p.varieties))
	p.newLinks.fields(f)
}

func (p *Page) encode() []byte {
	var e record.Encoder
	e.Add(p.fields)
	p.dates.Encode(&e, 120)
	e.Keep(p.unread)
	return e.Seal()
}

// Decode reads the record of a page. A mark or an estimate that cannot be read begins
// anew; everything else is kept.
func Decode(b []byte) (*Page, error) {
	p := new(Page)
	into := record.Into(p.fields)
	unread, err := record.Read(b, func(f record.Field) bool { return into(f) || p.dates.Decode(f, 120) })
	if err != nil {
		return nil, err
	}
	if p.part > keys.MaxPart || p.Listed() && p.part == 0 {
		return nil, record.ErrDamaged // no page is listed there
	}
	p.unread, p.priority = unread, min(p.priority, priority.Most)
	p.loaded = loaded{known: true, listed: p.Listed(), tallied: p.Standing, sibling: p.sibling(), change: p.dates.LastChange()}
	return p, nil
}

// Standing is a verdict with its reason.
type Standing struct {
	Verdict admit.Verdict
	Reason  admit.Reason
}

// Listed reports whether the page is to be listed.
func (s Standing) Listed() bool { return s.Verdict == admit.Listed }

// presence says when a page was seen, and whether it was there. Looks change it, and the
// review once the page was not seen for long.
type presence struct {
	firstSeen moment.Time // to the second, 0 if only a link is known
	lastSeen  moment.Time
	status    int // of the last answer
	looks     uint64
	witnessed bool         // it was there when it was last asked for
	absent    admit.Reason // why it was not
	barred    bool         // the owner had it forgotten
}

func (p *presence) fields(f *record.Fields) {
	f.Date(10, &p.firstSeen)
	f.Time(11, &p.lastSeen)
	f.Count(12, &p.status)
	record.Uint(f, 13, &p.looks)
	f.Bool(14, &p.witnessed)
	record.Uint(f, 15, &p.absent)
	f.Bool(16, &p.barred)
}

// doubt says that a listed page may be gone, or may not be for everybody, until that is
// confirmed.
type doubt struct {
	missing    moment.Time  // since when, 0 for no doubt
	missingWhy admit.Reason // what a client was told
	missingNet uint32       // which client; see look.Look.Net
}

func (d *doubt) fields(f *record.Fields) {
	f.Time(20, &d.missing)
	record.Uint(f, 21, &d.missingWhy)
	record.Uint(f, 22, &d.missingNet)
}

// statement is what the page said of itself at the last look.
type statement struct {
	content   admit.Reason // why it forbids its listing
	until     moment.Time  // when it is to leave (unavailable_after), 0 for never
	noFollow  bool         // its links count for nothing
	ownURL    bool         // only its own canonical vouches for its query
	self      bool         // it names itself as the canonical location
	canonical []byte       // the other location that it names so, sealed, while the page is not public
}

func (s *statement) fields(f *record.Fields) {
	record.Uint(f, 30, &s.content)
	f.Date(31, &s.until)
	f.Bool(32, &s.noFollow)
	f.Bool(33, &s.ownURL)
	f.Bool(34, &s.self)
	f.Data(35, 1, func(int) []byte { return s.canonical }, func(b []byte) { s.canonical = bytes.Clone(b) })
}

// end applies the time for which the page has announced its end.
func (s *statement) end(now time.Time) {
	if s.ended(now) && s.content == admit.None {
		s.content = admit.NoIndex
	}
}

func (s *statement) ended(now time.Time) bool { return s.until != 0 && moment.Of(now) >= s.until }

// evidence is what speaks for listing the page. Looks at it add to it, and looks at
// pages that lead to it.
type evidence struct {
	route    bool        // its route's template is exactly its location, and showed a whole document
	variable bool        // a variable of its route is named like a secret
	query    bool        // its location has one
	link     bool        // a listed page links to it
	linkAt   moment.Time // when a look first saw such a link, to the second, while it waits
	linkNet  uint32      // whose look that was; see look.Look.Net
	shown    bool        // looks a day apart, or from two networks, saw such a link

	// unprompted says that a look saw such a link whose request named no page but
	// public ones. It is only noted where the location has a risky word.
	unprompted bool

	hop      int      // entries that redirect here, one or two steps away
	networks []uint16 // that got the page while it waits
	group    uint64   // its route or folder
}

func (ev *evidence) fields(f *record.Fields) {
	f.Bool(40, &ev.route)
	f.Bool(41, &ev.variable)
	f.Bool(42, &ev.query)
	f.Bool(43, &ev.link)
	f.Date(44, &ev.linkAt)
	record.Uint(f, 45, &ev.linkNet)
	f.Bool(46, &ev.shown)
	f.Bool(47, &ev.unprompted)
	f.Count(48, &ev.hop)
	shorts(f, 49, &ev.networks)
	f.Hash(50, &ev.group)
}

// redirect is what is known of where the location redirects to. Targets are kept as
// hashes.
type redirect struct {
	target   uint64
	targetAt moment.Time // the look that first saw it
	by       uint32      // whose look that was; see look.Look.Net

	next   uint64 // another target, seen once since, 0 for none
	nextAt moment.Time
}

func (r *redirect) fields(f *record.Fields) {
	f.Hash(60, &r.target)
	f.Time(61, &r.targetAt)
	record.Uint(f, 62, &r.by)
	f.Hash(63, &r.next)
	f.Time(64, &r.nextAt)
}

// reading says what was read of the page, and what another reading of the same bytes
// may bring.
type reading struct {
	bodyHash uint64
	tagHash  uint64      // of the entity tag
	read     bool        // parsed in full with this body hash, and its links followed
	open     Openness    // some links were not settled at the last reading
	readAt   moment.Time // when that was, to the second
	readNet  uint32      // and whose look; see look.Look.Net
}

// Openness says what another reading of a page's unchanged bytes may bring.
type Openness uint8

const (
	settled  Openness = iota // nothing
	unseen                   // in a day: some of what it links to has never been got
	unproven                 // in a day, or from another network: a link may prove to be no visitor's own
)

func (r *reading) fields(f *record.Fields) {
	f.Hash(70, &r.bodyHash)
	f.Hash(71, &r.tagHash)
	f.Bool(72, &r.read)
	record.Uint(f, 73, &r.open)
	f.Date(74, &r.readAt)
	record.Uint(f, 75, &r.readNet)
}

// copies says what the page shows, to find others that show the same.
type copies struct {
	showing uint64 // a hash of the content, 0 if it is not known or too little to tell pages apart
	joined  uint64 // the content among whose duplicates the page is; showing or 0 once it was judged
	shared  bool   // another location showed the same lately
	crowd   bool   // many did
}

func (c *copies) fields(f *record.Fields) {
	f.Hash(80, &c.showing)
	joined := c.joined != 0
	if f.Bool(81, &joined); joined {
		c.joined = c.showing
	}
	f.Bool(82, &c.shared)
	f.Bool(83, &c.crowd)
}

// languages says which locations show the page in other languages.
type languages struct {
	claims []claim          // what the page names so
	peers  []look.Alternate // those of them that are listed and name the page in turn
}

// claim is an alternate that a page names: its language, and the ID of its location,
// which may not be public.
type claim struct {
	lang string
	id   uint64
}

func (l *languages) fields(f *record.Fields) {
	f.Data(90, len(l.claims), func(i int) []byte {
		return append(binary.BigEndian.AppendUint64(nil, l.claims[i].id), l.claims[i].lang...)
	}, func(b []byte) {
		if len(b) >= 8 {
			l.claims = append(l.claims, claim{string(b[8:]), binary.BigEndian.Uint64(b)})
		}
	})
	f.Data(91, len(l.peers), func(i int) []byte {
		return []byte(l.peers[i].Lang + " " + l.peers[i].Location)
	}, func(b []byte) {
		if lang, location, ok := strings.Cut(string(b), " "); ok && keys.IsLocation(location) {
			l.peers = append(l.peers, look.Alternate{Lang: lang, Location: location})
		}
	})
}

// ranking says how important the page is among the others. Links to it change it, and
// the review.
type ranking struct {
	inbound  priority.Inbound // the pages that lead to it, as far as they are counted
	priority uint8            // inferred, in tenths, 0 for none
}

func (r *ranking) fields(f *record.Fields) {
	record.Uint(f, 100, &r.inbound)
	record.Uint(f, 101, &r.priority)
}

// listing says where the page is in the sitemap, and in the journal. Only
// [Batch.Settle] and [Batch.move] change it.
type listing struct {
	part   int         // that lists it, or did; 0 if it was never listed
	logged moment.Time // its last event, see journal.Journal.Note
}

func (l *listing) fields(f *record.Fields) {
	f.Count(110, &l.part)
	f.Time(111, &l.logged)
}

// varieties are the texts by language in which the page was seen, the last one first.
// A page that varies by language shows each of them to its own visitors.
type varieties []uint16

// newLinks are links of a page to locations that nobody knew. They were first seen at a
// look which may have been the first to show a change, and at each look since.
type newLinks []newLink

type newLink struct {
	since moment.Time // the look, to the second
	to    uint64      // the ID of the location
}

// newLinksKept bounds the new links of one page.
const newLinksKept = 8

func (l *newLinks) fields(f *record.Fields) {
	f.Data(6, len(*l), func(i int) []byte {
		b := binary.AppendVarint(nil, (*l)[i].since.Seconds())
		return binary.BigEndian.AppendUint64(b, (*l)[i].to)
	}, func(b []byte) {
		if since, n := binary.Varint(b); n > 0 && len(b) == n+8 && len(*l) < newLinksKept {
			*l = append(*l, newLink{moment.Seconds(record.Seconds(since)), binary.BigEndian.Uint64(b[n:])})
		}
	})
}

// shorts lists small numbers, two bytes each.
func shorts(f *record.Fields, num int, v *[]uint16) {
	f.Data(num, 1, func(int) (b []byte) {
		for _, n := range *v {
			b = binary.BigEndian.AppendUint16(b, n)
		}
		return b
	}, func(b []byte) {
		for *v = nil; len(b) >= 2; b = b[2:] {
			*v = append(*v, binary.BigEndian.Uint16(b))
		}
	})
}

// Package pagerecord has the record of one location: all that is remembered of a page, and the
// rules that need only the record. Its input is stored bytes and what looks showed. Its output is
// values, and bytes to store. It never decides what becomes of a page, and never touches a store or
// a clock.
package pagerecord

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// Page is all that is remembered of one location. Its record does not name the location, so it can
// be stored under a hash.
type Page struct {
	eligibility.Standing
	Presence
	PendingRemoval
	Statement
	eligibility.Evidence
	Redirect
	Reading
	Copies
	Languages
	Listing

	Mark      mark.Mark     // recognises changes of the content
	Varieties Varieties     // the texts by language that the mark has met
	NewLinks  NewLinks      // links that may announce new pages
	Dates     lastmod.Dates // what the lastmod is chosen from
	Rate      rate.Estimate // how often the content changes

	unread codec.Unread // fields written by a later version
	Loaded Loaded
}

// Loaded is what a transaction knows of the page besides its record.
type Loaded struct {
	Location string
	Known    bool                 // whether there is a record
	Changed  bool                 // whether the transaction must settle it
	Listed   bool                 // whether the page was listed before the transaction
	Tallied  eligibility.Standing // how the tally counts the record
	Sibling  sitewide.Sibling     // how its group counts the page
	Before   moment.Time          // the look before the one being merged, to the second, 0 if none
	Change   moment.Time          // the last content change before the transaction
}

// Public reports whether the page is or was listed. Then its location is not secret.
func (p *Page) Public() bool { return p.Part != 0 || p.Listed() }

// fields lists the fields of the record. Each value has a range of numbers. A number never gets
// another meaning.
func (p *Page) fields(f *codec.Fields) {
	f.Value(1, 10, p.ownFields)
	f.Value(10, 20, p.Presence.fields)
	f.Value(20, 30, p.PendingRemoval.fields)
	f.Value(30, 40, p.Statement.fields)
	f.Value(40, 60, p.evidenceFields)
	f.Value(60, 70, p.Redirect.fields)
	f.Value(70, 80, p.Reading.fields)
	f.Value(80, 90, p.Copies.fields)
	f.Value(90, 100, p.Languages.fields)
	f.Value(110, 120, p.Listing.fields)
	f.Value(120, 120+lastmod.DateFields, func(f *codec.Fields) { p.Dates.Fields(f, 120) })
}

// ownFields lists the fields that are in none of the page's values.
func (p *Page) ownFields(f *codec.Fields) {
	codec.Uint(f, 1, &p.Verdict)
	codec.Uint(f, 2, &p.Reason)
	f.Data(3, 1, func(int) []byte { return p.Mark.AppendBinary(nil) }, func(b []byte) { p.Mark, _ = mark.Parse(b) })
	f.Data(4, 1, func(int) []byte {
		if p.Rate == (rate.Estimate{}) {
			return nil
		}
		return p.Rate.AppendBinary(nil)
	}, func(b []byte) { p.Rate, _ = rate.Parse(b) })
	shorts(f, 5, (*[]uint16)(&p.Varieties))
	p.NewLinks.fields(f)
}

// Encode returns the record.
func (p *Page) Encode() []byte { return codec.Encode(p.fields, p.unread) }

// Decode reads the record of a page. If a mark or an estimate is unreadable, it starts anew.
// Everything else is kept.
func Decode(b []byte) (*Page, error) {
	p := new(Page)
	unread, err := codec.Read(b, codec.Into(p.fields))
	if err != nil {
		return nil, err
	}
	if p.Part > keys.MaxPart || p.Listed() && p.Part == 0 {
		return nil, codec.ErrDamaged // no page is listed there
	}
	p.unread = unread
	p.Loaded = Loaded{Known: true, Listed: p.Listed(), Tallied: p.Standing, Sibling: p.CountsAs(), Change: p.Dates.LastChange()}
	return p, nil
}

// Presence says when a page was seen, and whether it was there. Looks change it. So does the
// review, once the page was not seen for long.
type Presence struct {
	FirstSeen moment.Time // to the second, 0 if only a link is known
	LastSeen  moment.Time
	Status    int // of the last answer
	Looks     uint64
	Witnessed bool               // it was there when somebody last asked
	Absent    eligibility.Reason // why it was not
	Barred    bool               // the owner made servemap forget it
}

func (p *Presence) fields(f *codec.Fields) {
	f.Date(10, &p.FirstSeen)
	f.Time(11, &p.LastSeen)
	f.Count(12, &p.Status)
	codec.Uint(f, 13, &p.Looks)
	f.Bool(14, &p.Witnessed)
	codec.Uint(f, 15, &p.Absent)
	f.Bool(16, &p.Barred)
}

// Unasked reports whether nobody has asked for the location yet, as far as is known.
func (p *Page) Unasked() bool {
	return !p.Witnessed && p.Status == 0 && p.Absent == eligibility.None && p.Content == eligibility.None
}

// PendingRemoval says that a listed page may be gone, or may not be for everybody. It lasts until it is
// confirmed or refuted.
type PendingRemoval struct {
	Missing    moment.Time        // since when, 0 for no doubt
	MissingWhy eligibility.Reason // what a client was told
	MissingNet uint32             // which client; see look.Look.Net
}

func (d *PendingRemoval) fields(f *codec.Fields) {
	f.Time(20, &d.Missing)
	codec.Uint(f, 21, &d.MissingWhy)
	codec.Uint(f, 22, &d.MissingNet)
}

// Statement is what the page said about itself at the last look.
type Statement struct {
	Content   eligibility.Reason // why it forbids its listing
	Until     moment.Time        // when it should leave (unavailable_after), 0 for never
	NoFollow  bool               // its links do not count
	Self      bool               // it names itself as canonical
	Canonical []byte             // another location that it names as canonical, encrypted, while the page is not public
}

func (s *Statement) fields(f *codec.Fields) {
	codec.Uint(f, 30, &s.Content)
	f.Date(31, &s.Until)
	f.Bool(32, &s.NoFollow)
	f.Bool(34, &s.Self)
	f.Data(35, 1, func(int) []byte { return s.Canonical }, func(b []byte) { s.Canonical = bytes.Clone(b) })
}

// evidenceFields lists the fields of the evidence.
func (p *Page) evidenceFields(f *codec.Fields) {
	ev := &p.Evidence
	f.Bool(40, &ev.Route)
	f.Bool(41, &ev.Variable)
	f.Bool(42, &ev.Query)
	f.Bool(43, &ev.Link)
	f.Date(44, &ev.LinkAt)
	codec.Uint(f, 45, &ev.LinkNet)
	f.Bool(46, &ev.Shown)
	f.Bool(47, &ev.Unprompted)
	f.Count(48, &ev.Hop)
	shorts(f, 49, &ev.Networks)
	f.Hash(50, &ev.Group)
}

// Redirect says where the location redirects to. Targets are stored as hashes.
type Redirect struct {
	Target   uint64      // the last target
	TargetAt moment.Time // the look that first saw it
	By       uint32      // the client of that look; see look.Look.Net
}

func (r *Redirect) fields(f *codec.Fields) {
	f.Hash(60, &r.Target)
	f.Time(61, &r.TargetAt)
	codec.Uint(f, 62, &r.By)
}

// Reading says what was read of the page, and what reading the same bytes again may add.
type Reading struct {
	BodyHash uint64
	Read     bool        // whether all with this body hash was parsed, and its links followed
	Open     Openness    // whether some links were unsettled at the last reading
	ReadAt   moment.Time // when that was, to the second
	ReadNet  uint32      // and its client; see look.Look.Net
}

// Openness says what reading a page's unchanged bytes again may add.
type Openness uint8

const (
	Settled  Openness = iota // nothing
	Unseen                   // in a day, something: a page that it links to was never got
	Unproven                 // in a day, or from another network, something: a link may prove to be for everybody
)

func (r *Reading) fields(f *codec.Fields) {
	f.Hash(70, &r.BodyHash)
	f.Bool(72, &r.Read)
	codec.Uint(f, 73, &r.Open)
	f.Date(74, &r.ReadAt)
	codec.Uint(f, 75, &r.ReadNet)
}

// Copies says what the page shows, to find others that show the same.
type Copies struct {
	Showing uint64 // a hash of the content, 0 if unknown or too little to compare pages
	Joined  uint64 // the content among whose duplicates the page is; once it was judged, Showing or 0
	Shared  bool   // another location showed the same lately
	Crowd   bool   // many did
}

func (c *Copies) fields(f *codec.Fields) {
	f.Hash(80, &c.Showing)
	joined := c.Joined != 0
	if f.Bool(81, &joined); joined {
		c.Joined = c.Showing
	}
	f.Bool(82, &c.Shared)
	f.Bool(83, &c.Crowd)
}

// Languages says which locations show the page in other languages.
type Languages struct {
	Claims []Claim            // what the page names as such
	Peers  []shards.Alternate // those that are listed and name the page in return
}

// Claim is an alternate that a page names: its language, and the ID of its location, which may not
// be public.
type Claim struct {
	Lang string
	ID   uint64
}

func (l *Languages) fields(f *codec.Fields) {
	f.Data(90, len(l.Claims), func(i int) []byte {
		return append(binary.BigEndian.AppendUint64(nil, l.Claims[i].ID), l.Claims[i].Lang...)
	}, func(b []byte) {
		if len(b) >= 8 {
			l.Claims = append(l.Claims, Claim{string(b[8:]), binary.BigEndian.Uint64(b)})
		}
	})
	f.Data(91, len(l.Peers), func(i int) []byte {
		return []byte(l.Peers[i].Lang + " " + l.Peers[i].Location)
	}, func(b []byte) {
		if lang, location, ok := strings.Cut(string(b), " "); ok && keys.IsLocation(location) {
			l.Peers = append(l.Peers, shards.Alternate{Lang: lang, Location: location})
		}
	})
}

// Named returns the languages under which the page names a location, nil if none.
func (l *Languages) Named(id uint64) (langs []string) {
	for _, c := range l.Claims {
		if c.ID == id {
			langs = append(langs, c.Lang)
		}
	}
	return langs
}

// Listing says where the page is in the sitemap and in the journal. Only settling a page changes
// it.
type Listing struct {
	Part   int         // the part that lists the page, or did; 0 if it was never listed
	Logged moment.Time // its last event, see journal.Journal.Note
}

func (l *Listing) fields(f *codec.Fields) {
	f.Count(110, &l.Part)
	f.Time(111, &l.Logged)
}

// Varieties are the texts by language in which the page was seen, the latest first. A page that
// varies by language shows each of them to its own visitors.
type Varieties []uint16

// NewLinks are links of a page to locations that nobody knew. A look that may have been the first
// to show a change saw them first, and each look since has seen them.
type NewLinks []NewLink

// NewLink is one such link.
type NewLink struct {
	Since moment.Time // the look, to the second
	To    uint64      // the ID of the location
}

// NewLinksKept bounds the new links of one page.
const NewLinksKept = 8

func (l *NewLinks) fields(f *codec.Fields) {
	f.Data(6, len(*l), func(i int) []byte {
		b := binary.AppendVarint(nil, (*l)[i].Since.Seconds())
		return binary.BigEndian.AppendUint64(b, (*l)[i].To)
	}, func(b []byte) {
		if since, n := binary.Varint(b); n > 0 && len(b) == n+8 && len(*l) < NewLinksKept {
			*l = append(*l, NewLink{moment.Seconds(codec.Seconds(since)), binary.BigEndian.Uint64(b[n:])})
		}
	})
}

// shorts lists small numbers, two bytes each.
func shorts(f *codec.Fields, num int, v *[]uint16) {
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

// Package pagerecord has the record of one location: all that is remembered of a page, and the
// rules that need only the record. Its input is stored bytes and what observations showed. Its output is
// values, and bytes to store. It never decides what becomes of a page, and never touches a store or
// a clock.
package pagerecord

import (
	"slices"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/decide/rate"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/keys"
)

// Page is all that is remembered of one location. Its record does not name the location, so it can
// be stored under a hash. The numbers of the fields, here and below, are stored: a number never gets
// another meaning.
type Page struct {
	eligibility.Standing `cbor:"1,keyasint,omitzero"`
	Presence             `cbor:"2,keyasint,omitzero"`
	PendingRemoval       `cbor:"3,keyasint,omitzero"`
	Statement            `cbor:"4,keyasint,omitzero"`
	eligibility.Evidence `cbor:"5,keyasint,omitzero"`
	Redirect             `cbor:"6,keyasint,omitzero"`
	Reading              `cbor:"7,keyasint,omitzero"`
	Copies               `cbor:"8,keyasint,omitzero"`
	Languages            `cbor:"9,keyasint,omitzero"`
	Place                `cbor:"10,keyasint,omitzero"`

	Mark  mark.Mark     `cbor:"11,keyasint,omitzero"` // recognises changes of the content
	Dates lastmod.Dates `cbor:"12,keyasint,omitzero"` // when the content changed, and who says so
	Rate  rate.Estimate `cbor:"13,keyasint,omitzero"` // how often the content changes
	Freq  rate.Freq     `cbor:"14,keyasint,omitzero"` // the word for that, kept until another one is clearly better

	Loaded Loaded `cbor:"-"`
}

// Loaded is what a transaction knows of the page besides its record.
type Loaded struct {
	Location string
	Known    bool                 // whether there is a record
	Changed  bool                 // whether the transaction must settle it
	Listed   bool                 // whether the page was listed before the transaction
	Tallied  eligibility.Standing // how the tally counts the record
	Before   moment.Time          // the observation before the one being merged, to the second, 0 if none
	Change   moment.Time          // the last content change before the transaction
	Joined   uint64               // the content of whose duplicates the page may be one, 0 for none
}

// Public reports whether the page is or was listed. Then its location is not secret.
func (p *Page) Public() bool { return p.Shard != 0 || p.Listed() }

// Encode returns the record.
func (p *Page) Encode() []byte { return codec.Marshal(p) }

// Decode reads the record of a page. If a mark or an estimate is unreadable, it starts anew.
// Everything else is kept.
func Decode(b []byte) (*Page, error) {
	p := new(Page)
	if err := codec.Unmarshal(b, p); err != nil {
		return nil, err
	}
	p.Standing = p.Reason.Standing()
	if p.Shard < 0 || p.Shard > keys.MaxShard || p.Listed() && p.Shard == 0 {
		return nil, codec.ErrDamaged // no shard has such a number, or the page is listed in none
	}
	p.Peers = slices.DeleteFunc(p.Peers, func(a extension.Alternate) bool { return !keys.IsLocation(a.Location) })
	p.Loaded = Loaded{Known: true, Listed: p.Listed(), Tallied: p.Standing, Change: p.Dates.Changed, Joined: p.Showing}
	return p, nil
}

// Presence says when a page was seen, and whether it was there. Observations change it. So does the
// review, once the page was not seen for long.
type Presence struct {
	FirstSeen    moment.Time        `cbor:"1,keyasint,omitzero"` // to the second, 0 if only a link is known
	LastSeen     moment.Time        `cbor:"2,keyasint,omitzero"`
	Status       int                `cbor:"3,keyasint,omitzero"` // of the last answer
	Observations uint64             `cbor:"4,keyasint,omitzero"`
	Witnessed    bool               `cbor:"5,keyasint,omitzero"`  // it was there when somebody last asked
	Absent       eligibility.Reason `cbor:"6,keyasint,omitzero"`  // why it was not
	Barred       bool               `cbor:"7,keyasint,omitzero"`  // the owner made servemap forget it, see keys.Keys.Bar
	Kept         Keeper             `cbor:"13,keyasint,omitzero"` // who keeps it from strangers
}

// Keeper says who keeps a page from strangers. Visitors who get the page may have been let in.
type Keeper uint8

// The keepers.
const (
	Nobody  Keeper = iota // as far as is known
	Program               // the program did not give it to the site itself
	Front                 // at the origin something else came, perhaps from what is in front of the program
	LogIn                 // the program asked a visitor to log in, see noteLogIn in package merge
	Shown                 // nobody: the site itself got it last
)

// Unasked reports whether nobody has asked for the location yet, as far as is known.
func (p *Page) Unasked() bool {
	return !p.Witnessed && p.Status == 0 && p.Absent == eligibility.None && p.Content == eligibility.None
}

// PendingRemoval says that a listed page may be gone, or may not be for everybody. It lasts until it is confirmed or
// refuted. What a look of the site's own found, only another look refutes.
type PendingRemoval struct {
	Missing    moment.Time        `cbor:"1,keyasint,omitzero"` // since when, 0 if it is not pending
	MissingWhy eligibility.Reason `cbor:"2,keyasint,omitzero"` // what a client was told
	Looked     bool               `cbor:"5,keyasint,omitzero"` // the site itself got that answer too
	// the content that the page showed then, if it was not its own; see sitewide.Duplicates
	Borrowed uint64 `cbor:"4,keyasint,omitzero"`
}

// Statement is what the page said about itself at the last observation.
type Statement struct {
	Content  eligibility.Reason `cbor:"1,keyasint,omitzero"` // why it forbids its listing
	Until    moment.Time        `cbor:"2,keyasint,omitzero"` // when it should leave (unavailable_after), 0 for never
	NoFollow bool               `cbor:"3,keyasint,omitzero"` // its links do not count
	Self     bool               `cbor:"4,keyasint,omitzero"` // it names itself as canonical
	// another location that it names as canonical, encrypted, while the page is not public
	Canonical []byte `cbor:"5,keyasint,omitzero"`
}

// Redirect says where the location redirects to. Targets are stored as hashes.
type Redirect struct {
	Target   uint64      `cbor:"1,keyasint,omitzero"` // the last target
	TargetAt moment.Time `cbor:"2,keyasint,omitzero"` // the observation that first saw it
}

// Reading says what was read of the page, and what reading the same bytes again may add.
type Reading struct {
	// the hash of the page's bytes, 0 if the last observation did not read them all
	BodyHash uint64   `cbor:"1,keyasint,omitzero"`
	Open     Openness `cbor:"3,keyasint,omitzero"` // whether some links were unsettled at the last reading
	// when the links in those bytes were merged, to the second, 0 if they were not
	ReadAt   moment.Time `cbor:"8,keyasint,omitzero"`
	NewLinks NewLinks    `cbor:"6,keyasint,omitzero"` // links that may announce new pages
}

// Read reports whether the links of the page, as it was last seen, were merged.
func (r *Reading) Read() bool { return r.ReadAt != 0 }

// Openness says what reading a page's unchanged bytes again may add.
type Openness uint8

const (
	Settled Openness = iota // nothing
	Unseen                  // something in a day: nobody has got a page that it links to yet, or a link must last a day
	// something once the site itself has looked, or in a day: a link may prove to be for everybody
	Unproven
)

// Copies says what the page shows, to find others that show the same.
type Copies struct {
	Showing uint64 `cbor:"1,keyasint,omitzero"` // a hash of the content, 0 if unknown or too little to compare pages

	// Turned says when the page, while it was listed, turned to this content from another one; or when it turned away
	// from this content, while it was a copy of the page at its path.
	Turned Turn `cbor:"6,keyasint,omitzero"`
}

// Turn is when a page turned to another content. If hardly any of its text stayed, From is the mark before that, for a
// day: the page may be under maintenance.
type Turn struct {
	At   moment.Time `cbor:"1,keyasint,omitzero"`
	From mark.Mark   `cbor:"2,keyasint,omitzero"`
}

// Lately reports whether the page turned less than a day before a time.
func (t Turn) Lately(now moment.Time) bool { return t.At != 0 && now.Sub(t.At) < day }

// CameWithIt reports whether the page came into the sitemap after a time, and has shown no other content since.
func (p *Page) CameWithIt(after moment.Time) bool {
	return p.Turned.At == 0 && (p.Logged > after || !p.Loaded.Listed)
}

// Languages says which locations show the page in other languages, and in which language it is itself.
type Languages struct {
	Claims   []Claim               `cbor:"1,keyasint,omitzero"` // what the page names as such
	Peers    []extension.Alternate `cbor:"2,keyasint,omitzero"` // those that are listed and name the page in return
	Language uint16                `cbor:"5,keyasint,omitzero"` // of the text in the mark, see observation.Language
	// since when visitors got another language, to the second, 0 if the last one did not
	Foreign moment.Time `cbor:"6,keyasint,omitzero"`
}

// Claim is an alternate that a page names: its language, and the ID of its location, which may not
// be public.
type Claim struct {
	Lang string `cbor:"1,keyasint,omitzero"`
	ID   uint64 `cbor:"2,keyasint,omitzero"`
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

// Place says where the page is in the sitemap and in the changelog. Only settling a page changes
// it.
type Place struct {
	Shard    int           `cbor:"1,keyasint,omitzero"` // the shard that lists the page, or did; 0 if it was never listed
	Logged   moment.Time   `cbor:"2,keyasint,omitzero"` // its last event, see changelog.Log.Note
	Extended extension.Set `cbor:"3,keyasint,omitzero"` // the extensions for which its entry was made
}

// NewLinks are links of a page to locations that nobody knew. An observation that may have been the first
// to show a change saw them first, and each observation since has seen them.
type NewLinks []NewLink

// NewLink is one such link.
type NewLink struct {
	Since moment.Time `cbor:"1,keyasint,omitzero"` // the observation, to the second
	To    uint64      `cbor:"2,keyasint,omitzero"` // the ID of the location
}

// NewLinksKept bounds the new links of one page.
const NewLinksKept = 8

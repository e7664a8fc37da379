package ledger

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/rate"
)

// state is all that is remembered of one location. It does not name the
// location, so that it can be kept under a hash.
type state struct {
	verdict admit.Verdict
	reason  admit.Reason

	firstSeen int64 // Unix seconds, 0 if only a link is known
	lastSeen  int64 // Unix milliseconds
	status    int   // of the last sighting
	looks     uint64
	changes   uint64

	// witnessed says that the page was there when it was last asked for; absent
	// says why it was not. missing is since when, in Unix milliseconds, it may
	// be gone, and missingWhy why, until that is confirmed.
	witnessed  bool
	absent     admit.Reason
	missing    int64
	missingWhy admit.Reason
	content    admit.Reason // why the page itself forbids its listing
	ownURL     bool         // only its own canonical vouches for its query
	noFollow   bool         // the page's links count for nothing
	barred     bool         // the owner has it forgotten

	route    bool     // its route's template is exactly its location
	variable bool     // a variable of its route is named like a secret
	link     bool     // a listed page links to it
	linkAt   int64    // when a look first saw such a link, in Unix seconds, while it waits
	linkNet  uint32   // whose look that was: the client's network plus one, 0 if not known
	shown    bool     // looks a day apart, or from two networks, saw such a link
	hop      int      // entries that redirect here, one or two steps away
	networks []uint16 // while it waits
	group    uint64   // its route or folder
	counted  kinship  // how it counts in its group

	// target is where an entry redirects to, nextTarget another one that was
	// seen once since, both as hashes.
	target, nextTarget uint64

	bodyHash uint64
	tagHash  uint64 // of the entity tag
	read     bool   // parsed in full with this body hash, and its links followed
	mark     mark.Mark
	rate     rate.Estimate
	word     word

	// open says what another reading of the same bytes may bring, since some
	// links were not settled at the last one: when that was, and whose look.
	open    openness
	readAt  int64
	readNet uint32

	// showing is a hash of the content, 0 if it is not known or too little to
	// tell pages apart; joined that under which the page claims to be listed,
	// see twin. shared says that another location showed the same lately, crowd
	// that many did.
	showing, joined uint64
	shared, crowd   bool
	self            bool   // it names itself as the canonical location
	canonical       []byte // the other location that it names so, sealed

	changed int64 // see part.Entry
	exact   int64
	exactBy part.Source
	given   [part.Page + 1]int64 // as it was last
	kept    [part.Page + 1]int64 // of the present content, where the given one has moved since, 0 for none
	moved   part.Sources         // those whose date has moved since
	young   part.Sources         // those whose date no look has found old enough to be used
	isNew   bool                 // a page read before without a link to it now has one
	fresh   int64
	until   int64 // when it is to leave, in Unix seconds (unavailable_after)

	unchanged int64    // when the last look before the change was, 0 if not known
	earlier   []int64  // changes before the last one, the latest first
	held      heldDate // what a look showed that may turn out to be a change
	behind    int64    // the first look by a clock that is behind the page's dates, 0 if it is not
	undated   bool     // such a look showed a change
	aside     mended   // dates that may have been right all the same
	varieties []uint16 // in which the page was seen, the last one first; see meet

	newLinks []newLink // if what is held is a change, these announced new pages

	claims []claim // what it names as itself in other languages
	peers  []peer  // those of them that are listed and name it in turn

	inbound  priority.Inbound // the pages that lead to it, as far as they are counted
	priority uint8            // inferred, in tenths, 0 for none

	part   int
	logged int64  // when its last event happened, see part.Journal.Note
	unread []byte // fields of a later version

	announced []announcement // what turns out at this look; not stored

	// The verdict as it is stored, for who counts them, and the last change that
	// is, for who tells of new ones.
	stored        standing
	storedChanged int64
}

// standing is a verdict with its reason.
type standing struct {
	verdict admit.Verdict
	reason  admit.Reason
}

func (s *state) listed() bool { return s.verdict == admit.Listed }

// entry returns what the sitemap is to tell of the page. confidence is the
// least probability that a changefreq needs; nothing is certain, so 1 admits
// none, whatever rounding says.
func (s *state) entry(confidence float64) part.Entry {
	e := s.dates()
	freq, p := s.freq()
	if p >= confidence && confidence < 1 && s.bearsOut(freq) {
		e.Freq = freq
	}
	e.Volatile = freq == rate.Always && p >= 0.5 && s.changes >= volatileChanges
	return e
}

// volatileChanges is how many changes it takes to say of a page that it is
// another one at every look. One or two soon after the first look are those of
// somebody who is at work on it, and have their dates.
const volatileChanges = 3

// dates is entry without what the estimate says.
func (s *state) dates() part.Entry {
	e := part.Entry{Changed: s.changed, Exact: s.exact, ExactBy: s.exactBy, Fresh: s.fresh, Until: s.until}
	for src := part.Server; src <= part.Page; src++ {
		e.Given[src] = s.given[src]
		if s.changed == 0 && s.moved.Has(src) {
			e.Given[src] = s.kept[src]
		}
	}
	e.Young = s.young &^ s.moved
	return e
}

// bearsOut reports whether the page was watched for long enough to say that it
// changes so often. Pages are edited when somebody is looking, as after a
// deploy, so one change soon after the first look says little: it takes another
// one, or the time in which that would have come.
func (s *state) bearsOut(freq rate.Freq) bool {
	watched := time.Duration(seconds(s.lastSeen)-s.firstSeen) * time.Second
	switch {
	case s.changes != 1:
		return true
	case freq <= rate.Hourly:
		return watched >= time.Hour
	case freq == rate.Daily:
		return watched >= 24*time.Hour
	case freq == rate.Weekly:
		return watched >= 7*24*time.Hour
	}
	return true
}

func seconds(millis int64) int64 { return millis / 1000 }

func fromMillis(millis int64) time.Time {
	if millis == 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis)
}

func fromSeconds(sec int64) time.Time {
	if sec == 0 {
		return time.Time{}
	}
	return time.Unix(sec, 0)
}

package ledger

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
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

	// witnessed says that the page was there when it was last asked for; absent
	// says why it was not. missing is since when, in Unix milliseconds, it may
	// be gone, missingWhy why, and missingNet who was told so, as look.net has
	// it, until that is confirmed.
	witnessed  bool
	absent     admit.Reason
	missing    int64
	missingWhy admit.Reason
	missingNet uint32
	content    admit.Reason // why the page itself forbids its listing
	ownURL     bool         // only its own canonical vouches for its query
	noFollow   bool         // the page's links count for nothing
	barred     bool         // the owner has it forgotten

	route    bool     // its route's template is exactly its location, and showed a whole document
	variable bool     // a variable of its route is named like a secret
	link     bool     // a listed page links to it
	linkAt   int64    // when a look first saw such a link, in Unix seconds, while it waits
	linkNet  uint32   // whose look that was: the client's network plus one, 0 if not known
	shown    bool     // looks a day apart, or from two networks, saw such a link
	hop      int      // entries that redirect here, one or two steps away
	networks []uint16 // while it waits
	group    uint64   // its route or folder
	counted  kinship  // how it counts in its group

	// unprompted says that a look saw such a link whose request named no page
	// but public ones. It is noted where the location has a risky word.
	unprompted bool
	query      bool // its location has one

	// target is where the location redirects to, nextTarget another one that was
	// seen once since, both as hashes. Each has the time of the look that first
	// saw it, in Unix milliseconds; targetNet is whose look that was, as linkNet.
	target, nextTarget uint64
	targetAt, nextAt   int64
	targetNet          uint32

	bodyHash uint64
	tagHash  uint64 // of the entity tag
	read     bool   // parsed in full with this body hash, and its links followed
	mark     mark.Mark
	rate     rate.Estimate

	// open says what another reading of the same bytes may bring, since some
	// links were not settled at the last one: when that was, in Unix seconds, and
	// whose look.
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

	dates     lastmod.Dates
	until     moment.Time // when it is to leave (unavailable_after)
	varieties []uint16    // in which the page was seen, the last one first; see meet

	newLinks []newLink // if what is held is a change, these announced new pages

	claims []claim // what it names as itself in other languages
	peers  []peer  // those of them that are listed and name it in turn

	inbound  priority.Inbound // the pages that lead to it, as far as they are counted
	priority uint8            // inferred, in tenths, 0 for none

	part   int
	logged int64  // when its last event happened, see journal.Journal.Note
	unread []byte // fields of a later version

	announced []announcement // what turns out at this look; not stored

	// The verdict as it is stored, for who counts them, and the last change that
	// is, for who tells of new ones.
	stored        standing
	storedChanged moment.Time
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
func (s *state) entry(confidence float64) book.Entry {
	e := book.Entry{Candidates: s.dates.Candidates(), Until: s.until}
	freq, p := s.rate.Freq()
	if p >= confidence && confidence < 1 && s.bearsOut(freq) {
		e.Freq = freq
	}
	e.Volatile = freq == rate.Always && p >= 0.5 && s.dates.Changes() >= volatileChanges
	return e
}

// volatileChanges is how many changes it takes to say of a page that it is
// another one at every look. One or two soon after the first look are those of
// somebody who is at work on it, and have their dates.
const volatileChanges = 3

// bearsOut reports whether the page was watched for long enough to say that it
// changes so often. Pages are edited when somebody is looking, as after a
// deploy, so one change soon after the first look says little: it takes another
// one, or the time in which that would have come.
func (s *state) bearsOut(freq rate.Freq) bool {
	watched := time.Duration(seconds(s.lastSeen)-s.firstSeen) * time.Second
	switch {
	case s.dates.Changes() != 1:
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

// day is the length of a day in seconds.
const day = int64(24 * time.Hour / time.Second)

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

package sitewide

import (
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

const (
	// refusedFor is how long a refusal counts.
	refusedFor = 24 * time.Hour
	// refusedMany is how many pages that others get a network must be refused in a day. A few may
	// come from a moment in which the site answered wrongly.
	refusedMany = 5
	// missingAlone is how many pages one network alone can remove in a day by 404s. On a large
	// site, it is one page in missingShare.
	missingAlone = 10
	missingShare = 100
	// refusalsKept bounds how many networks are remembered.
	refusalsKept = 64
)

// Refusal is what is known of one network that was refused listed pages.
type Refusal struct {
	network uint32      // see look.Look.Net
	since   moment.Time // when it removed the first of the missing pages
	missing int         // pages that it alone removed by 404s in the day after that
	wrongAt moment.Time // when others last got a page that it was refused
	wrong   int         // how many such pages, each at most a day after the one before
	unread  codec.Unread
}

// Blocked reports whether the network is refused pages that others get.
func (r Refusal) Blocked() bool { return r.wrong >= refusedMany }

// Suffices reports whether it is enough that this network found a page missing. listed is how many
// pages the site lists.
func (r Refusal) Suffices(listed int) bool {
	return !r.Blocked() && r.missing < max(missingAlone, (listed+r.missing)/missingShare)
}

// age forgets what is more than a day old.
func (r *Refusal) age(now moment.Time) {
	over := func(since moment.Time) bool { return now < since || now.Sub(since) >= refusedFor }
	if over(r.since) {
		r.since, r.missing = now, 0
	}
	if over(r.wrongAt) {
		r.wrong = 0
	}
}

func (r *Refusal) fields(f *codec.Fields) {
	codec.Uint(f, 1, &r.network)
	f.Date(2, &r.since)
	f.Count(3, &r.missing)
	f.Date(4, &r.wrongAt)
	f.Count(5, &r.wrong)
}

// Refusals holds the networks that were last refused pages.
type Refusals struct {
	of     []Refusal
	unread codec.Unread
}

// ReadRefusals reads what Encode wrote. A damaged record says nothing.
func ReadRefusals(b []byte) (all Refusals) {
	unread, err := codec.Read(b, codec.Into(all.fields))
	if err != nil {
		return Refusals{}
	}
	all.unread = unread
	return all
}

func (all *Refusals) fields(f *codec.Fields) {
	f.Data(1, len(all.of), func(i int) []byte { return codec.Write(all.of[i].fields, all.of[i].unread) }, func(b []byte) {
		var r Refusal
		var err error
		if r.unread, err = codec.Read(b, codec.Into(r.fields)); err == nil && len(all.of) < refusalsKept {
			all.of = append(all.of, r)
		}
	})
}

// Encode returns nil if there is nothing to remember.
func (all *Refusals) Encode() []byte { return codec.Write(all.fields, all.unread) }

// Of returns what is known of a network at now.
func (all *Refusals) Of(network uint32, now moment.Time) Refusal {
	for _, r := range all.of {
		if r.network == network {
			r.age(now)
			return r
		}
	}
	return Refusal{network: network, since: now}
}

// FoundMissing notes that a network alone removed a page by a 404.
func (all *Refusals) FoundMissing(network uint32, now moment.Time) {
	r := all.Of(network, now)
	r.missing++
	all.put(r)
}

// Refuted notes that others got a page that a network was refused. It reports whether the network
// is blocked.
func (all *Refusals) Refuted(network uint32, now moment.Time) (blocked bool) {
	r := all.Of(network, now)
	r.wrong, r.wrongAt = r.wrong+1, now
	all.put(r)
	return r.Blocked()
}

// put stores what is known of a network. If there is no room, it replaces the network whose last
// refusal is the oldest.
func (all *Refusals) put(r Refusal) {
	oldest := 0
	for i, o := range all.of {
		if o.network == r.network {
			all.of[i] = r
			return
		}
		if last := all.of[oldest]; max(o.since, o.wrongAt) < max(last.since, last.wrongAt) {
			oldest = i
		}
	}
	if len(all.of) < refusalsKept {
		all.of = append(all.of, r)
		return
	}
	all.of[oldest] = r
}

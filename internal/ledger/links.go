package ledger

import (
	"context"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
)

// linksAtOnce is how many links one transaction merges. Each may need the
// records of a page, of its part and of its kin.
const linksAtOnce = 100

// link is a link to another location of the site.
type link struct {
	location string
	main     bool // in the page's main content
}

// follow merges the links of a page that counts, and then notes that the page
// has been read. In this order a crash costs a second reading and no link.
func (l *Ledger) follow(ctx context.Context, k *look, news bool) error {
	fresh := make([]link, 0, len(k.links))
	for _, ln := range k.links {
		if ln.location != k.Location && !l.followed.has(ln.location) {
			fresh = append(fresh, ln)
		}
	}
	for {
		n := min(linksAtOnce, len(fresh))
		led, err := l.followSome(ctx, k, fresh[:n], n == len(fresh), news)
		if err != nil || !led {
			return err
		}
		for _, ln := range fresh[:n] {
			l.followed.add(ln.location)
		}
		if fresh = fresh[n:]; len(fresh) == 0 {
			return nil
		}
	}
}

// followSome merges some of the links, unless the page is no longer one whose
// links count.
func (l *Ledger) followSome(ctx context.Context, k *look, links []link, last, news bool) (led bool, err error) {
	first := []string{l.keys.page(k.Location), l.keys.wait(l.secret, k.Location)}
	for _, ln := range links {
		first = append(first, l.keys.page(ln.location), l.keys.wait(l.secret, ln.location))
	}
	err = l.commit(ctx, first, func(m *merge) {
		from, _ := m.load(k.Location)
		if led = l.leads(k.Location, from); !led {
			return
		}
		for _, ln := range links {
			m.linked(ln, news)
		}
		if last && from.bodyHash == k.hash {
			from.read = true
			m.save(k.Location, from)
		}
	})
	return led, err
}

// leads reports whether what the page links to is public: any visitor finds
// it. An archive that asks not to be listed itself still leads to its pages,
// and an entry leads on whatever it says of itself.
func (l *Ledger) leads(location string, s *state) bool {
	switch {
	case s.noFollow:
		return false
	case s.listed():
		return true
	case s.verdict != admit.Excluded || s.barred:
		return false
	}
	entry := s.hop > 0 || l.entries[location]
	return s.content == admit.NoIndex && (s.link || entry) || s.content == admit.CanonicalElsewhere && entry
}

// linked notes that a page leads to a location. news says that the page had
// been read before, has changed since, and did not have links that are
// unknown now; a page that nobody knew of must then be a new one.
func (m *merge) linked(ln link, news bool) {
	to, known := m.load(ln.location)
	if to.link {
		return
	}
	to.link = true
	to.isNew = news && ln.main && !known
	m.save(ln.location, to)
}

// memory of followed links: a menu repeats the same links on every page, and
// each costs two reads of the store.
const followedLinks = 1 << 15

// followed remembers, of the links merged last, that they were. It belongs to
// one goroutine. The zero value is empty.
type followed struct{ slots [followedLinks]uint64 }

func (f *followed) has(location string) bool {
	h := xxh3.HashString(location)
	return f.slots[h%followedLinks] == h
}

func (f *followed) add(location string) {
	h := xxh3.HashString(location)
	f.slots[h%followedLinks] = h
}

// forget drops everything, for when the store may have lost what was merged.
func (f *followed) forget() { f.slots = [followedLinks]uint64{} }

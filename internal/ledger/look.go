package ledger

import (
	"net/http"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/tap"
)

// look is a sighting with what was made of it outside of any transaction.
type look struct {
	*Sighting
	confirm bool // no sighting at all: a doubt that had its minute

	group   uint64  // the page's route or folder
	network *uint16 // the client's
	target  string  // where a redirect leads, "" if off the site
	hash    uint64  // of the body

	same     bool // the body is that of the last look, which was read
	full     bool // more than the head was read
	cut      bool // the page is longer than what was read
	text     uint64
	content  admit.Reason
	noFollow bool
	own      int64 // the page's own date
	server   int64 // Last-Modified
	links    []link
}

func (l *Ledger) newLook(s *Sighting) *look {
	k := &look{Sighting: s}
	if s.Response == nil {
		return k
	}
	h := &s.Response.Header
	switch s.Kind {
	case admit.Witness:
		k.hash = fingerprint(s.Response)
		k.group = l.secret.short("group", groupName(s.Route, s.Location))
		if s.Network.IsValid() {
			n := l.secret.network(s.Network.String())
			k.network = &n
		}
		if t, err := http.ParseTime(h.LastModified); err == nil {
			k.server = t.Unix()
		}
	case admit.Redirected:
		if to := l.cfg.Normalizer.Resolve(s.Location, h.Location); to.Reason == location.ReasonNone {
			k.target = to.Location
		}
	}
	return k
}

// fingerprint returns a hash of everything that reading the page would go by:
// its bytes, and the headers that say how to read them. It is never 0.
func fingerprint(resp *tap.Response) uint64 {
	h := &resp.Header
	headers := xxh3.HashString(h.ContentType + "\n" + h.ContentEncoding + "\n" + h.Link + "\n" + h.RobotsTag)
	return xxh3.HashSeed(resp.Body, headers) | 1
}

// knows reports whether the look shows nothing that has not been read: the same
// bytes as the last one, whose links were followed. A page that is not listed
// is read each time, as the look may be what lists it; but not one that forbids
// its listing, in the same bytes as before.
func (l *Ledger) knows(k *look, s *state) bool {
	if !s.witnessed || s.bodyHash != k.hash {
		return false
	}
	return s.read || !s.listed() && s.content != admit.None && !l.leads(k.Location, s)
}

// MaxPage is how many bytes of a page are read, decoded. What a longer page
// shows beyond is not seen, so its changes are not dated by what it shows.
const MaxPage = 2 << 20

// read parses the page: in full, or only its head when that is all that can be
// afforded.
func (k *look) read(norm *location.Normalizer, full bool) {
	h := &k.Response.Header
	body, cut, err := decode(h.ContentEncoding, k.Response.Body)
	if err != nil {
		k.content = admit.Encoding
		return
	}
	opts := page.Options{ContentType: h.ContentType, Truncated: cut || k.Response.Truncated}
	var facts page.Facts
	if full {
		facts = page.Read(body, opts)
	} else {
		facts = page.Head(body, opts)
	}
	k.content, k.noFollow = forbids(k, norm, &facts)
	if !facts.Modified.IsZero() {
		k.own = facts.Modified.Unix()
	}
	if !full {
		return
	}
	k.full, k.cut = true, opts.Truncated
	k.text = facts.MainHash
	k.links = resolve(norm, k.Location, &facts)
}

// decode undoes the response's content coding, if it has one. A compressor
// around the site may have named a coding that it applies only further out;
// then the bytes are still those of the page.
func decode(encoding string, body []byte) (out []byte, cut bool, err error) {
	if encoding == "" || strings.HasPrefix(http.DetectContentType(body), "text/html") {
		return body, false, nil
	}
	return page.Decode(nil, encoding, body, MaxPage)
}

// forbids returns why the page itself is not to be listed, None if it does not
// say so, and whether its links count for nothing.
func forbids(k *look, norm *location.Normalizer, facts *page.Facts) (why admit.Reason, noFollow bool) {
	noIndex, noFollow, until := page.Robots(strings.Split(k.Response.Header.RobotsTag, "\n"))
	noFollow = noFollow || facts.NoFollow
	switch {
	case noIndex || facts.NoIndex, expired(until, k.At), expired(facts.UnavailableAfter, k.At):
		return admit.NoIndex, noFollow
	case !facts.HeadSeen:
		return admit.HeadNotSeen, noFollow
	}
	return canonical(k, norm, facts), noFollow
}

func expired(after, now time.Time) bool { return !after.IsZero() && now.After(after) }

// canonical compares the page's canonical with the location it was seen at. The
// link in the HTML and that in the header must agree where both are given.
func canonical(k *look, norm *location.Normalizer, facts *page.Facts) admit.Reason {
	given := page.LinkCanonicals([]string{k.Response.Header.Link})
	if facts.CanonicalConflict || len(given) > 1 {
		return admit.CanonicalConflict
	}
	if facts.Canonical != "" {
		given = append(given, facts.Canonical)
	}
	if len(given) == 0 {
		if k.OwnURL {
			return admit.QueryNotCanonical
		}
		return admit.None
	}
	base := norm.Base(k.Location, facts.Base)
	for _, href := range given {
		if norm.Resolve(base, href).Location != k.Location {
			if k.OwnURL {
				return admit.QueryNotCanonical
			}
			return admit.CanonicalElsewhere
		}
	}
	return admit.None
}

// resolve returns the locations of the site that the page leads to.
func resolve(norm *location.Normalizer, from string, facts *page.Facts) []link {
	base := norm.Base(from, facts.Base)
	links := make([]link, 0, len(facts.Links))
	seen := make(map[string]int, len(facts.Links))
	for _, a := range facts.Links {
		if a.NoFollow {
			continue
		}
		to := norm.Resolve(base, a.Href)
		if to.Location == "" {
			continue
		}
		if i, ok := seen[to.Location]; ok {
			links[i].main = links[i].main || a.Main
			continue
		}
		seen[to.Location] = len(links)
		links = append(links, link{to.Location, a.Main})
	}
	return links
}

package ledger

import (
	"encoding/binary"
	"net/http"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/coding"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/media"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/sitemap"
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
	echo    echo    // what of the request its links may repeat
	undated bool    // it dates nothing, see clock

	same     bool       // the body is that of the last look, which was read
	again    bool       // it is, and its links are to be followed again all the same
	full     bool       // more than the head was read
	cut      bool       // the page is longer than what was read
	view     *mark.View // what the page shows, nil if it was not read in full
	variety  uint16     // see Variety.key
	content  admit.Reason
	noFollow bool
	own      int64       // the page's own date
	server   int64       // Last-Modified
	until    moment.Time // when the page is to leave, 0 for never
	links    []link
	fresh    []link // those to be merged, should they count
	apart    bool   // by transactions of their own

	parsed bool   // the page was read, or its head
	whole  bool   // it is a whole document, and no part of one
	before *state // what was known of the page, nil if nobody asked

	cost time.Duration // of reading all of it, 0 if only the head was read

	canonical string // the location that the page names as its canonical one, "" if none or its own
	self      bool   // it names its own
	nameless  bool   // it names none, and has a query that only its own would vouch for
	twin      bool   // it names, or its links lead to, the origin's twin
	showing   uint64 // keyed hash of the content, 0 if that is too little to tell pages apart
	shared    bool   // another location showed it lately
	crowd     bool   // many did

	alternates []peer          // itself in other languages, as it says
	media      *part.Extension // its images, news and videos, as far as they are wanted
}

func (l *Ledger) newLook(s *Sighting) *look {
	k := &look{Sighting: s}
	if s.Response == nil {
		return k
	}
	k.undated = l.clock.behind()
	h := &s.Response.Header
	if net := l.networkOf(s); net != 0 {
		n := uint16(net - 1)
		k.network = &n
	}
	k.echo = newEcho(l.cfg.Normalizer, s.Location, &s.Named)
	switch s.Kind {
	case admit.Witness:
		k.hash = fingerprint(s.Response)
		k.group = l.secret.short("group", groupName(s.Route, s.Location))
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

// networkOf returns the client's network as look.net has it.
func (l *Ledger) networkOf(s *Sighting) uint32 {
	if !s.Network.IsValid() {
		return 0
	}
	return uint32(l.secret.network(s.Network.String())) + 1
}

// net returns the client's network plus one, 0 if it is not known.
func (k *look) net() uint32 {
	if k.network == nil {
		return 0
	}
	return uint32(*k.network) + 1
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
	k.again = s.read && l.reopens(k, s) // whatever the mark makes of the look
	if s.mark.Holding() || s.unmarked() {
		return false
	}
	if s.content == admit.QueryNotCanonical && !k.OwnURL {
		return false // a rule allows the query by now
	}
	if s.content == admit.NoIndex && s.until != 0 && !s.ended(k.At) {
		return false // a clock that was ahead had ended it
	}
	if k.again {
		return false
	}
	return s.read || !s.listed() && s.content != admit.None && !l.leads(k.Location, s)
}

// MaxPage is how many bytes of a page are read, decoded. What a longer page
// shows beyond is not seen, so its changes are not dated by what it shows.
const MaxPage = 2 << 20

// headMost is how many bytes are read of a page, decoded, of which only the head
// can be afforded.
const headMost = 128 << 10

// read parses the page: in full, or only its head when that is all that can be
// afforded.
func (k *look) read(norm *location.Normalizer, full bool, want sitemap.Namespaces) {
	h := &k.Response.Header
	most := MaxPage
	if !full {
		most = headMost
	}
	body, cut, err := decode(h.ContentEncoding, k.Response.Body, most)
	if err != nil {
		k.content = admit.Encoding
		return
	}
	opts := page.Options{ContentType: h.ContentType, Extensions: want&media.Extensions != 0}
	var facts page.Facts
	if full {
		k.cost = readingCost(body, h.ContentEncoding != "")
		facts = page.Read(body, opts)
	} else {
		facts = page.Head(body, opts)
	}
	k.whole = facts.Document
	k.forbids(norm, &facts)
	if !facts.Modified.IsZero() {
		k.own = facts.Modified.Unix()
	}
	if !full {
		return
	}
	k.full, k.cut = true, cut || k.Response.Truncated
	if k.variety = k.Variety.key(facts.Lang); k.Variety.ByLanguage {
		facts.Lang = "" // a text in another language is no oddity
	}
	view := mark.Read(&facts)
	k.view = &view
	k.showing = showing(k, &facts)
	k.alternates = alternates(norm, k.Location, &facts)
	links, twin := resolve(norm, k.Location, &facts)
	k.links, k.twin = links, k.twin || twin
	k.media = k.readMedia(norm, want, &facts)
}

// decode undoes the response's content coding, if it has one. A compressor
// around the site may have named a coding that it applies only further out;
// then the bytes are still those of the page. At most most bytes are returned.
func decode(encoding string, body []byte, most int) (out []byte, cut bool, err error) {
	if encoding == "" || strings.HasPrefix(http.DetectContentType(body), "text/html") {
		return body[:min(len(body), most)], len(body) > most, nil
	}
	return coding.Decode(nil, encoding, body, most)
}

// forbids notes why the page itself is not to be listed, None if it does not say
// so, whether its links count for nothing, and what it names as canonical.
func (k *look) forbids(norm *location.Normalizer, facts *page.Facts) {
	noIndex, noFollow, until := page.Robots(strings.Split(k.Response.Header.RobotsTag, "\n"))
	k.noFollow = noFollow || facts.NoFollow
	if until = earliest(until, facts.UnavailableAfter); !until.IsZero() {
		k.until = moment.Of(until).Second()
	}
	canonical := k.findCanonical(norm, facts)
	switch {
	case noIndex || facts.NoIndex, !until.IsZero() && k.At.After(until):
		k.content = admit.NoIndex
	case !facts.HeadSeen:
		k.content = admit.HeadNotSeen
	default:
		k.content = canonical
	}
}

// earliest returns the earlier of two times, of which the zero Time is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// findCanonical compares the page's canonical with the location it was seen at,
// and returns why that forbids its listing. The link in the HTML and that in
// the header must agree where both are given.
func (k *look) findCanonical(norm *location.Normalizer, facts *page.Facts) admit.Reason {
	given := page.LinkCanonicals([]string{k.Response.Header.Link})
	if facts.CanonicalConflict || len(given) > 1 {
		return admit.CanonicalConflict
	}
	if facts.Canonical != "" {
		given = append(given, facts.Canonical)
	}
	if len(given) == 0 {
		if k.nameless = k.OwnURL; k.nameless {
			return admit.QueryNotCanonical
		}
		return admit.None
	}
	base := norm.Base(k.Location, facts.Base)
	named := norm.Resolve(base, given[0])
	k.self = named.Location == k.Location
	for _, href := range given[1:] {
		if to := norm.Resolve(base, href); to.Location != named.Location {
			named, k.self = location.Result{}, false
		}
	}
	switch {
	case k.self:
		return admit.None
	case named.Reason == location.ReasonNone:
		k.canonical = named.Location
	case named.Reason == location.ReasonHost:
		k.twin = norm.Twin(base, given[0])
	}
	if k.OwnURL {
		return admit.QueryNotCanonical
	}
	return admit.CanonicalElsewhere
}

// tellingText is how many bytes of main text tell pages apart. Of pages with
// less only those are taken for the same that are so to the byte.
const tellingText = 64

// showing returns a hash of the page's content, for finding pages that show the
// same: its title, its main text and the images in it.
func showing(k *look, facts *page.Facts) uint64 {
	size := 0
	for i := range facts.Blocks {
		if facts.Blocks[i].Main {
			size += len(facts.Blocks[i].Text)
		}
	}
	if size < tellingText {
		return k.hash
	}
	var h xxh3.Hasher
	_, _ = h.Write(binary.BigEndian.AppendUint64(nil, facts.MainHash)) // it never fails
	_, _ = h.WriteString(facts.Title)
	for _, src := range facts.Images {
		_, _ = h.WriteString("\n" + src)
	}
	return h.Sum64()
}

// resolve returns the locations of the site that the page leads to, and whether
// it leads to the origin's twin.
func resolve(norm *location.Normalizer, from string, facts *page.Facts) (links []link, twin bool) {
	base := norm.Base(from, facts.Base)
	links = make([]link, 0, len(facts.Links))
	seen := make(map[string]int, len(facts.Links))
	for _, a := range facts.Links {
		if a.NoFollow {
			continue
		}
		to := norm.Resolve(base, a.Href)
		if to.Location == "" {
			twin = twin || to.Reason == location.ReasonHost && norm.Twin(base, a.Href)
			continue
		}
		if i, ok := seen[to.Location]; ok {
			links[i].main = links[i].main || a.Main
			continue
		}
		seen[to.Location] = len(links)
		links = append(links, link{to.Location, a.Main})
	}
	return links, twin
}

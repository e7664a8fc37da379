package observe

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/coding"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/tap"
)

// tally counts what tells the causes that keep a whole site from being learned.
// Like the outcomes it counts looks, never requests that are not due.
type tally struct {
	own        atomic.Uint64 // requests for a host that counts
	inside     atomic.Uint64 // those of them for locations in the origin's folder
	outside    atomic.Uint64 // those of them for pages outside of the origin's folder
	redirects  atomic.Uint64 // those of them that were led elsewhere
	whole      atomic.Uint64 // those of them with nothing of the path cut off but the beginning of the folder
	bare       atomic.Uint64 // those of them for the origin's folder without its slash
	home       atomic.Uint64 // pages that the folder itself showed
	empty      atomic.Uint64 // looks at an entry that showed nothing at all
	other      atomic.Uint64 // looks at an entry that showed something else than HTML
	anonymous  atomic.Uint64
	failing    atomic.Uint64 // answered with an error that may pass
	pages      atomic.Uint64
	remote     atomic.Uint64 // pages that went to another machine
	networks   atomic.Uint64 // pages that went to a network that is known
	setting    atomic.Uint64 // pages that came with a cookie
	unreadable atomic.Uint64 // pages with a content coding that cannot be undone
	ended      atomic.Uint64 // looks that are over
}

// counts are what a tally and the outcomes show at one time.
type counts struct {
	foreign, own, redirects, bare              uint64 // looks by location
	inside, outside                            uint64 // those of own in the origin's folder, and for pages outside of it
	cookie, authorization, identity, anonymous uint64 // looks by client
	failing, private, pages, home, unreadable  uint64 // looks by response
	notHTML, empty, other                      uint64 // looks that showed no HTML, and of those at an entry by response
	setting, remote, networks                  uint64 // pages by response and client
	networksGiven                              bool   // the owner says what the client's address is
	starved                                    bool   // hardly any of the pages that the site links to was got by anonymous visitors
}

// The evidence that a hint takes.
const (
	foreignLooks    = 20
	knownLooks      = 50
	failingLooks    = 50
	privateLooks    = 20
	bareLooks       = 3 // in as many minutes
	networkPages    = 50
	unreadablePages = 5
	otherLooks      = 20 // one at an entry among them, and no page anywhere
	settingLooks    = 20 // by clients with cookies, while pages wait for others

	// A page of the right host is looked at once a minute at most, while one of
	// a foreign host and a client that is known use up no look. So a few more of
	// these say nothing of what most requests are.
	foreignShare = 10 // for each of the right host
	knownShare   = 50 // for each anonymous one
	outsideShare = 8  // for each in the origin's folder; other pages may stand beside those of the site
	settingShare = 2  // for each anonymous one, where each of these was given a cookie
)

// causes returns the causes that the counts are good evidence of.
func causes(c counts) []hint.Hint {
	var found []hint.Hint
	for _, cause := range []struct {
		hint hint.Hint
		is   bool
	}{
		{hint.Host, c.foreign >= foreignLooks && c.foreign > foreignShare*(c.own-min(c.own, c.redirects))},
		{hint.Failing, c.failing >= failingLooks && c.pages == 0},
		{hint.Authorization, crowdsOut(c.authorization, c.anonymous)},
		{hint.Identity, crowdsOut(c.identity, c.anonymous)},
		{hint.Cookies, crowdsOut(c.cookie, c.anonymous) || c.givesCookies()},
		{hint.Private, c.private >= privateLooks && c.pages == 0},
		{hint.Folder, c.outside >= foreignLooks && (c.pages == 0 || c.outside > outsideShare*c.inside)},
		{hint.Slash, c.bare >= bareLooks && c.home == 0},
		{hint.Empty, c.empty > c.other && c.notHTML >= otherLooks && c.pages == 0},
		{hint.NotHTML, c.other > 0 && c.other >= c.empty && c.notHTML >= otherLooks && c.pages == 0},
		{hint.Encoding, c.unreadable >= unreadablePages && c.unreadable == c.pages},
		{hint.Proxy, c.remote >= networkPages && c.networks == 0 && !c.networksGiven},
	} {
		if cause.is {
			found = append(found, cause.hint)
		}
	}
	return found
}

// crowdsOut reports whether there are so many clients that are known, and for
// one reason, that hardly any is anonymous.
func crowdsOut(known, anonymous uint64) bool {
	return known >= knownLooks && known >= knownShare*anonymous
}

// givesCookies reports whether the site gives a cookie to every visitor, as it
// does where it saves a session at each visit. Then a visitor gets only his first
// page without it, and most pages are got by nobody who is anonymous.
func (c counts) givesCookies() bool {
	return c.starved && c.pages > 0 && c.setting == c.pages && c.cookie >= settingLooks && c.cookie >= settingShare*c.anonymous
}

// judgeEvery is after how many looks the causes are looked for again.
const judgeEvery = 10

// ended notes the end of a look, and now and then gives the hints that follow.
func (o *Observer) ended() {
	if o.cfg.Hints == nil || o.tally.ended.Add(1)%judgeEvery != 0 {
		return
	}
	for _, h := range causes(o.counts()) {
		o.nameHint(h)
		o.cfg.Hints.Give(h, "origin", o.cfg.Normalizer.Origin().String())
	}
}

func (o *Observer) counts() counts {
	t := &o.tally
	return counts{
		foreign: o.refusals[location.ReasonHost].Load(), own: t.own.Load(), redirects: t.redirects.Load(),
		inside: t.inside.Load(), outside: t.outside.Load(),
		cookie: o.outcomes[admit.Cookie].Load(), authorization: o.outcomes[admit.Authorization].Load(),
		identity: o.outcomes[admit.IdentityHeader].Load() + o.outcomes[admit.ClientCertificate].Load(), anonymous: t.anonymous.Load(),
		bare: t.bare.Load(), home: t.home.Load(),
		private: o.outcomes[admit.Private].Load() + o.outcomes[admit.NoStore].Load(),
		failing: t.failing.Load(), pages: t.pages.Load(), remote: t.remote.Load(), networks: t.networks.Load(), unreadable: t.unreadable.Load(),
		notHTML: o.outcomes[admit.NotHTML].Load(), empty: t.empty.Load(), other: t.other.Load(), setting: t.setting.Load(),
		networksGiven: o.cfg.ClientIP != nil, starved: o.cfg.Ledger.Starved(),
	}
}

// tallyResponse notes what kind of response an anonymous client got.
func (o *Observer) tallyResponse(kind admit.Kind, asked asked, loc string, resp *tap.Response) {
	t := &o.tally
	switch {
	case kind == admit.Redirected:
		t.redirects.Add(1)
	case resp.Status >= 500 || resp.Status == http.StatusTooManyRequests:
		t.failing.Add(1)
	case kind == admit.Witness:
		t.pages.Add(1)
		if loc == o.cfg.Normalizer.Origin().Folder() {
			t.home.Add(1)
		}
		if !asked.local {
			t.remote.Add(1)
		}
		if asked.network.IsValid() {
			t.networks.Add(1)
		}
		if !readable(resp) {
			t.unreadable.Add(1)
		}
		if asked.given {
			t.setting.Add(1)
		}
	case kind != admit.Nothing, asked.method != http.MethodGet, resp.Status != http.StatusOK, !o.cfg.Ledger.IsEntry(loc):
	case resp.Written == 0:
		t.empty.Add(1)
	case !resp.HTML():
		t.other.Add(1)
	}
}

// tallyOutside notes a request for a location outside of the origin's folder.
func (o *Observer) tallyOutside(r *http.Request) {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if folder := o.cfg.Normalizer.Origin().Folder(); o.cfg.StrippedPrefix+path+"/" == folder || CutOff(r)+"/" == folder && r.URL.Path == "" {
		o.tally.bare.Add(1)
	}
	if !admit.AssetName(path) { // the pages of the folder may have their assets elsewhere
		o.tally.outside.Add(1)
	}
}

// local reports whether the request comes from the machine itself, and from
// nobody behind it, as while the site is tried out.
func local(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback() && !admit.Forwarded(r.Header)
}

// readable reports whether the content coding of the body can be undone. A
// compressor around the site may have named one that it applies only further
// out; then the body is still what the site wrote.
func readable(resp *tap.Response) bool {
	encoding := resp.Header.ContentEncoding
	if encoding == "" || isText(resp.Body) {
		return true
	}
	_, _, err := coding.Decode(nil, encoding, nil, 0)
	return !errors.Is(err, coding.ErrUnsupported)
}

func isText(body []byte) bool { return strings.HasPrefix(http.DetectContentType(body), "text/") }

package observe

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/page/coding"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
)

// A diagnosis counts what becomes of requests that are due, and gives the owner a hint if that
// keeps the whole site from being learned.
type diagnosis struct {
	cfg      *Config
	turns    quota.Held // requests by network, so that one client cannot outweigh all others
	tally    [nCounts]atomic.Uint64
	ends     atomic.Uint64 // requests that were due and have ended
	given    atomic.Uint32 // a bit for each hint that follows from the counts
	cookies  nameCounts    // names that identified clients
	headers  nameCounts
	hosts    nameCounts // other than the site's, quoted, since a stranger chooses them
	outcomes [eligibility.Reasons]atomic.Uint64
	refusals [location.ReasonQuery + 1]atomic.Uint64
}

// The counts.
const (
	nForeign   = iota // for a host other than the site's
	nOwn              // for the site's host
	nInside           // of nOwn: in the origin's folder
	nOutside          // of nOwn: for pages outside the origin's folder
	nBare             // of nOwn: for the origin's folder without its slash
	nWhole            // of nOwn: this program cut off nothing but the start of the folder
	nRedirects        // of nOwn: answered with a redirect

	nCookie // the client was identified by a cookie
	nAuthorization
	nIdentity
	nAnonymous // the client was anonymous

	nFailing // answered with a temporary error
	nPrivate // answered with a page that is private or must not be stored
	nNotHTML
	nOdd  // an entry that showed something other than HTML, or nothing
	nPart // answered with a part of a page

	nPages
	nHome       // of nPages: the origin's folder itself
	nUnreadable // of nPages: with a content coding that this program cannot undo
	nSetting    // of nPages: the response set a cookie that may stand for a log-in
	nRemote     // of nPages: sent to another machine
	nNetworks   // of nPages: sent to a known network

	nStarved       // 1 if the site links to more pages that no anonymous visitor got than are listed
	nNetworksGiven // 1 if the owner supplies the client's address
	nCounts
)

// counts are the counts at one moment.
type counts [nCounts]uint64

// How much evidence the hints need.
const (
	some = 20
	many = 50

	perNetwork = 10 // requests of one network that count, so that several must show the cause of a hint
	namesEach  = 5  // of these, requests whose names of cookies or headers count

	// A page is observed once a minute at most. But a request for another host or by a known
	// client uses up no claim, so each is counted. That is why these must be so many more.
	foreignShare = 10 // for each of the right host
	knownShare   = 51 // for each anonymous client
	outsideShare = 8  // for each in the folder; pages of others may stand next to the site's
	partShare    = 5  // for each page
	settingShare = 2  // for each anonymous client, if each of these got a cookie
)

// causes returns the causes for which the counts are strong evidence.
func causes(c counts) []messages.Hint {
	var found []messages.Hint
	for _, cause := range []struct {
		hint messages.Hint
		is   bool
	}{
		{messages.OtherOrigin, c[nForeign] >= some && c[nForeign] > foreignShare*(c[nOwn]-min(c[nOwn], c[nRedirects]))},
		{messages.NoPageYet, c[nFailing] >= many && c[nPages] == 0},
		{messages.Credentials, c.hardlyAnonymous(nAuthorization) || c.hardlyAnonymous(nIdentity)},
		{messages.Cookies, c.hardlyAnonymous(nCookie) || c.givesCookies()},
		{messages.ForOne, c[nPrivate] >= some && c[nPages] == 0},
		{messages.OtherFolder, c[nOutside] >= some && (c[nPages] == 0 || c[nOutside] > outsideShare*c[nInside])},
		{messages.OtherFolder, c[nBare] >= 3 && c[nHome] == 0}, // at most one a minute is counted
		{messages.NoPages, c[nOdd] > 0 && c[nNotHTML] >= some && c[nPages] == 0},
		{messages.NoPages, c[nUnreadable] >= some && c[nUnreadable] == c[nPages]},
		{messages.NoPages, c[nPart] >= some && c[nPart] > partShare*c[nPages] && c[nStarved] == 1},
		{messages.NoNetworks, c[nRemote] >= many && c[nNetworks] == 0 && c[nNetworksGiven] == 0},
	} {
		if cause.is && !slices.Contains(found, cause.hint) {
			found = append(found, cause.hint)
		}
	}
	return found
}

// hardlyAnonymous reports whether one reason identifies so many clients that hardly any is
// anonymous.
func (c counts) hardlyAnonymous(known int) bool {
	return c[known] >= many && c[known] >= knownShare*c[nAnonymous]
}

// givesCookies reports whether the site gives every visitor a cookie, as it does if it saves a
// session at each visit. Then only a visitor's first page is anonymous.
func (c counts) givesCookies() bool {
	return c[nStarved] == 1 && c[nPages] > 0 && c[nSetting] == c[nPages] && c[nCookie] >= some && c[nCookie] >= settingShare*c[nAnonymous]
}

// ended notes the end of a request that was due. At every tenth, it gives the hints that follow
// from the counts, and ends those that no longer do.
func (d *diagnosis) ended() {
	if d.ends.Add(1)%10 != 0 {
		return
	}
	now := uint32(0)
	for _, h := range causes(d.counts()) {
		if now |= 1 << h; !d.cfg.Hints.Has(h) {
			d.cfg.Hints.Give(h, d.names(h), "origin", d.cfg.Normalizer.Origin().String())
		}
	}
	gone := d.given.Swap(now) &^ now
	for h := messages.Hint(0); gone>>h != 0; h++ {
		if gone>>h&1 != 0 {
			d.cfg.Hints.End(h)
		}
	}
}

func (d *diagnosis) counts() (c counts) {
	for i := range c {
		c[i] = d.tally[i].Load()
	}
	if d.cfg.Indexer.Starved() {
		c[nStarved] = 1
	}
	if d.cfg.ClientIP != nil {
		c[nNetworksGiven] = 1
	}
	return c
}

// turn returns how many requests of a network were counted, with this one. It is 1 if the network is
// not known, as behind a proxy that the owner has not named: then all count.
func (d *diagnosis) turn(by quota.Payer) int64 {
	if by == 0 {
		return 1
	}
	return d.turns.Add(by, 1)
}

func (d *diagnosis) add(counts ...int) {
	for _, n := range counts {
		d.tally[n].Add(1)
	}
}

func (d *diagnosis) addIf(n int, is bool) {
	if is {
		d.tally[n].Add(1)
	}
}

// refused counts a request that is not for a location of the site.
func (d *diagnosis) refused(r *http.Request, why location.Reason, turn int64) {
	d.refusals[why].Add(1)
	if turn > perNetwork {
		return
	}
	if why == location.ReasonHost {
		d.add(nForeign)
		d.hosts.add(slices.Values([]string{strconv.Quote(r.Host)}))
	}
	d.addIf(nOwn, why != location.ReasonHost)
	if path, _, _ := strings.Cut(r.RequestURI, "?"); why == location.ReasonOutsideFolder {
		folder := d.cfg.Normalizer.Origin().Folder()
		d.addIf(nBare, turn == 1 && (d.cfg.StrippedPrefix+path+"/" == folder || CutOff(r)+"/" == folder && r.URL.Path == ""))
		d.addIf(nOutside, !eligibility.AssetName(path)) // the folder's pages may have their assets elsewhere
	}
	d.ended()
}

// came counts a request, unless too many of its network are counted already.
func (d *diagnosis) came(turn int64, counts ...int) {
	if turn <= perNetwork {
		d.add(counts...)
	}
}

// passed counts a request that was not watched, as that of a client who may not be anonymous.
func (d *diagnosis) passed(why eligibility.Reason, h http.Header, turn int64) {
	d.outcomes[why].Add(1)
	if turn > perNetwork {
		return
	}
	switch why {
	case eligibility.NotHTML:
		d.add(nNotHTML)
	case eligibility.Fragment:
		d.add(nPart)
	case eligibility.Authorization:
		d.add(nAuthorization)
	case eligibility.Cookie:
		if d.add(nCookie); turn <= namesEach {
			d.cookies.add(d.cfg.Benign.Telling(h))
		}
	case eligibility.IdentityHeader, eligibility.ClientCertificate:
		if d.add(nIdentity); turn <= namesEach {
			d.headers.add(d.cfg.Benign.NamingHeaders(h))
		}
	}
	d.ended()
}

// answered counts the response that an anonymous client got.
func (d *diagnosis) answered(asked asked, loc string, kind eligibility.Kind, why eligibility.Reason, resp *response.Response) {
	if kind == eligibility.Forbidden || kind == eligibility.Nothing && !unread(resp) {
		d.outcomes[why].Add(1)
	}
	if asked.turn > perNetwork {
		return
	}
	entry := asked.method == http.MethodGet && resp.Status == http.StatusOK && d.cfg.Indexer.IsEntry(loc)
	switch {
	case kind == eligibility.Redirected:
		d.add(nRedirects)
	case resp.Status >= 500 || resp.Status == http.StatusTooManyRequests:
		d.add(nFailing)
	case kind == eligibility.Witness:
		d.add(nPages)
		d.addIf(nHome, loc == d.cfg.Normalizer.Origin().Folder())
		d.addIf(nUnreadable, !readable(resp))
		d.addIf(nSetting, asked.given)
		d.addIf(nRemote, !asked.local)
		d.addIf(nNetworks, asked.network.IsValid())
	case kind == eligibility.Nothing && entry && (resp.Written == 0 || !resp.HTML()):
		d.add(nOdd)
	}
	d.addIf(nPrivate, why == eligibility.Private || why == eligibility.NoStore)
	d.addIf(nNotHTML, why == eligibility.NotHTML)
	d.addIf(nPart, why == eligibility.Fragment)
}

// reasons returns how many requests that were due taught nothing, by the reason's name.
func (d *diagnosis) reasons() map[string]uint64 {
	found := map[string]uint64{}
	for i := range d.outcomes {
		if n := d.outcomes[i].Load(); n > 0 {
			found[eligibility.Reason(i).String()] += n
		}
	}
	for i := range d.refusals {
		if n := d.refusals[i].Load(); n > 0 {
			found[location.Reason(i).String()] += n
		}
	}
	return found
}

// readable reports whether this program can undo the content coding of the body. A compressor
// around the site may have named a coding that it applies only later. Then the body is still as the
// site wrote it.
func readable(resp *response.Response) bool {
	encoding := resp.Header.ContentEncoding
	if encoding == "" || strings.HasPrefix(http.DetectContentType(resp.Body), "text/") {
		return true
	}
	_, _, err := coding.Decode(encoding, nil, 0)
	return !errors.Is(err, coding.ErrUnsupported)
}

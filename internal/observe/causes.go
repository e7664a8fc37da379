package observe

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/coding"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
)

// Counts that tell why servemap learns nothing of a whole site. They count looks, never requests
// that are not due.
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
	nOdd // an entry that showed something other than HTML, or nothing

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

// A tally counts while requests are served. counts holds its values at one moment.
type (
	tally  [nCounts]atomic.Uint64
	counts [nCounts]uint64
)

// How much evidence each hint needs.
const (
	foreignLooks    = 20
	knownLooks      = 50
	failingLooks    = 50
	privateLooks    = 20
	bareLooks       = 3 // at most one a minute is counted
	networkPages    = 50
	unreadablePages = 5
	otherLooks      = 20 // at least one of an entry, and no page anywhere
	settingLooks    = 20 // by clients with cookies, while pages wait for others

	// A page is looked at once a minute at most. But a request for another host or by a known
	// client uses up no look, so each is counted. That is why these must be so many more.
	foreignShare = 10 // for each of the right host
	knownShare   = 50 // for each anonymous client
	outsideShare = 8  // for each in the folder; pages of others may stand next to the site's
	settingShare = 2  // for each anonymous client, if each of these got a cookie
)

// causes returns the causes for which the counts are strong evidence.
func causes(c counts) []messages.Hint {
	var found []messages.Hint
	for _, cause := range []struct {
		hint messages.Hint
		is   bool
	}{
		{messages.OtherOrigin, c[nForeign] >= foreignLooks && c[nForeign] > foreignShare*(c[nOwn]-min(c[nOwn], c[nRedirects]))},
		{messages.NoPageYet, c[nFailing] >= failingLooks && c[nPages] == 0},
		{messages.Credentials, crowdsOut(c[nAuthorization], c[nAnonymous]) || crowdsOut(c[nIdentity], c[nAnonymous])},
		{messages.Cookies, crowdsOut(c[nCookie], c[nAnonymous]) || c.givesCookies()},
		{messages.ForOne, c[nPrivate] >= privateLooks && c[nPages] == 0},
		{messages.OtherFolder, c[nOutside] >= foreignLooks && (c[nPages] == 0 || c[nOutside] > outsideShare*c[nInside])},
		{messages.OtherFolder, c[nBare] >= bareLooks && c[nHome] == 0},
		{messages.NotHTML, c[nOdd] > 0 && c[nNotHTML] >= otherLooks && c[nPages] == 0},
		{messages.Unreadable, c[nUnreadable] >= unreadablePages && c[nUnreadable] == c[nPages]},
		{messages.NoNetworks, c[nRemote] >= networkPages && c[nNetworks] == 0 && c[nNetworksGiven] == 0},
	} {
		if cause.is && !slices.Contains(found, cause.hint) {
			found = append(found, cause.hint)
		}
	}
	return found
}

// crowdsOut reports whether one reason identifies so many clients that hardly any is anonymous.
func crowdsOut(known, anonymous uint64) bool {
	return known >= knownLooks && known >= knownShare*anonymous
}

// givesCookies reports whether the site gives every visitor a cookie, as it does if it saves a
// session at each visit. Then only a visitor's first page is anonymous.
func (c counts) givesCookies() bool {
	return c[nStarved] == 1 && c[nPages] > 0 && c[nSetting] == c[nPages] && c[nCookie] >= settingLooks && c[nCookie] >= settingShare*c[nAnonymous]
}

// judgeEvery is how many looks pass between two searches for causes.
const judgeEvery = 10

// ended notes the end of a look. At every judgeEvery-th, it gives the hints that follow from the
// counts.
func (o *Observer) ended() {
	if o.looks.Add(1)%judgeEvery != 0 {
		return
	}
	for _, h := range causes(o.counts()) {
		if !o.cfg.Hints.Has(h) {
			o.cfg.Hints.Give(h, o.names(h), "origin", o.cfg.Normalizer.Origin().String())
		}
	}
}

func (o *Observer) counts() (c counts) {
	for i := range c {
		c[i] = o.tally[i].Load()
	}
	c[nForeign] = o.refusals[location.ReasonHost].Load()
	for _, is := range [...]struct {
		why eligibility.Reason
		n   int
	}{
		{eligibility.Cookie, nCookie}, {eligibility.Authorization, nAuthorization}, {eligibility.IdentityHeader, nIdentity}, {eligibility.ClientCertificate, nIdentity},
		{eligibility.Private, nPrivate}, {eligibility.NoStore, nPrivate}, {eligibility.NotHTML, nNotHTML},
	} {
		c[is.n] += o.outcomes[is.why].Load()
	}
	if o.cfg.Ledger.Starved() {
		c[nStarved] = 1
	}
	if o.cfg.ClientIP != nil {
		c[nNetworksGiven] = 1
	}
	return c
}

func (t *tally) addIf(n int, is bool) {
	if is {
		t[n].Add(1)
	}
}

// tallyResponse counts the kind of response that an anonymous client got.
func (o *Observer) tallyResponse(kind eligibility.Kind, asked asked, loc string, resp *response.Response) {
	entry := asked.method == http.MethodGet && resp.Status == http.StatusOK && o.cfg.Ledger.IsEntry(loc)
	switch {
	case kind == eligibility.Redirected:
		o.tally[nRedirects].Add(1)
	case resp.Status >= 500 || resp.Status == http.StatusTooManyRequests:
		o.tally[nFailing].Add(1)
	case kind == eligibility.Witness:
		o.tally[nPages].Add(1)
		o.tally.addIf(nHome, loc == o.cfg.Normalizer.Origin().Folder())
		o.tally.addIf(nUnreadable, !readable(resp))
		o.tally.addIf(nSetting, asked.given)
		o.tally.addIf(nRemote, !asked.local)
		o.tally.addIf(nNetworks, asked.network.IsValid())
	case kind == eligibility.Nothing && entry && (resp.Written == 0 || !resp.HTML()):
		o.tally[nOdd].Add(1)
	}
}

// tallyOutside counts a request for a location outside the origin's folder.
func (o *Observer) tallyOutside(r *http.Request) {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if folder := o.cfg.Normalizer.Origin().Folder(); o.cfg.StrippedPrefix+path+"/" == folder || CutOff(r)+"/" == folder && r.URL.Path == "" {
		o.tally[nBare].Add(1)
	}
	if !eligibility.AssetName(path) { // the folder's pages may have their assets elsewhere
		o.tally[nOutside].Add(1)
	}
}

// readable reports whether this program can undo the content coding of the body. A compressor
// around the site may have named a coding that it applies only later. Then the body is still as the
// site wrote it.
func readable(resp *response.Response) bool {
	encoding := resp.Header.ContentEncoding
	if encoding == "" || isText(resp.Body) {
		return true
	}
	_, _, err := coding.Decode(nil, encoding, nil, 0)
	return !errors.Is(err, coding.ErrUnsupported)
}

func isText(body []byte) bool { return strings.HasPrefix(http.DetectContentType(body), "text/") }

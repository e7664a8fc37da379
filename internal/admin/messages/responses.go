package messages

import (
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
)

// Counts are the numbers to show in place of a sitemap.
type Counts struct {
	Origin       string
	Listed       int
	Dated        int               // of these, with a lastmod
	Observations uint64            // since the start
	Verdicts     map[string]int    // locations by verdict and reason
	Ignored      map[string]uint64 // responses that did not count, by reason
	Hints        []Hint
	Broken       int // links
	ReportOnly   bool
	NoStore      bool // the store cannot be used
}

// Making reports whether the first file of the sitemap is still being made: a page is listed, and
// none is served yet.
func (c Counts) Making() bool {
	for why := range c.Verdicts {
		if c.Listed == 0 && strings.HasPrefix(why, eligibility.Listed.String()+" ") {
			return true
		}
	}
	return false
}

// NoSitemap says why there is no sitemap. Strangers may read it, so the owner learns more elsewhere.
func NoSitemap(c Counts) string {
	text := "No page of " + c.Origin + " is listed yet."
	switch {
	case c.ReportOnly:
		text = "The sitemap of " + c.Origin + " is not served because {ReportOnly} is set."
	case c.NoStore:
		text = "The sitemap of " + c.Origin + " cannot be served now because its store does not work."
	case c.Making():
		text = "The first file of the sitemap of " + c.Origin + " is being made. Ask again in some seconds."
	}
	return words.Say(text + " The log and the inspector tell its owner more.\n")
}

// responses says why responses did not count, and what to do about it.
var responses = map[string]string{
	eligibility.Cookie.String():            "the visitor has a cookie; if everybody gets it and it is never a log-in, name it in {Benign}",
	eligibility.IdentityHeader.String():    "a header may name a user; if a proxy adds it to all and it says nothing of who is asking, name it in {Benign}, with a colon after it",
	eligibility.Authorization.String():     "the visitor sent credentials; if a proxy adds them to all, have it leave that out{OrAnonymous}",
	eligibility.Encoding.String():          "servemap cannot read the Content-Encoding; " + strings.ToLower(unreadable[:1]) + strings.TrimSuffix(unreadable[1:], "."),
	eligibility.Private.String():           "the response says Cache-Control: private; where that is wrong, set {Public}",
	eligibility.NoStore.String():           "the response says Cache-Control: no-store; where that is wrong, set {Public}",
	eligibility.NotAnonymous.String():      "{Anonymous} says that the visitor is not anonymous",
	eligibility.NotHTML.String():           "it is not HTML, or has no Content-Type",
	eligibility.Fragment.String():          "a script or a frame asked for it, not a visitor",
	eligibility.ClientCertificate.String(): "the visitor has a certificate",
	eligibility.Status.String():            "an answer that says nothing about the page, such as a temporary error",
	eligibility.Attachment.String():        "a download",
	eligibility.Incomplete.String():        "the response ended early, or is only a part of the page",
	eligibility.Moved.String():             "a redirect",
	eligibility.NotFound.String():          "404: there is no page",
	eligibility.StatusGone.String():        "410: the page is gone",
	eligibility.Denied.String():            "401 or 403: visitors are refused",
	eligibility.LoginRedirect.String():     "visitors must log in",
	eligibility.NoIndex.String():           "the response says noindex",

	location.ReasonQuery.String():         "the query has a parameter that is not allowed, tracks visitors or has no value; if it makes a page of its own, name it in {Query}",
	location.ReasonOutsideFolder.String(): "the path is outside the origin's folder",
	location.ReasonHost.String():          "the request is for another host; if it is yours, correct {Origin}, or name its hosts in {Hosts}",
}

// Response says why responses did not count. reason is the reason's name.
func Response(reason string) string {
	if text := responses[reason]; text != "" {
		return words.Say(text)
	}
	for r := location.ReasonNone + 1; r <= location.ReasonQuery; r++ {
		if r.String() == reason {
			return "the address: " + r.Text()
		}
	}
	return "see the log"
}

package notify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/page/words"
)

// Google says how to submit the sitemap to Google Search Console.
type Google struct {
	// Client adds the owner's authorisation to each request; see the package's
	// documentation. The notifier uses it only for the Search Console API, and follows no
	// redirect there.
	Client *http.Client
	// Property is the site as Search Console names it: "sc-domain:example.com", or
	// "https://example.com/" with a slash at the end. By default the notifier chooses among those
	// for which the account has full permission, a domain before an address, each time that it asks.
	Property string
}

// Sitemap is what Google says about a file of the sitemap.
type Sitemap struct {
	URL            string    `json:"url"`                      // of the file
	LastSubmitted  time.Time `json:"last_submitted,omitzero"`  // the zero Time if never
	LastDownloaded time.Time `json:"last_downloaded,omitzero"` // the zero Time if never
	Pending        bool      `json:"pending,omitempty"`        // Google has not processed it yet
	// Errors and Warnings are how many Google found. Submitted is how many pages the file
	// had when Google downloaded it. For an index, that is the pages of all its parts.
	// Compare it with Status.Listed.
	Errors    int `json:"errors"`
	Warnings  int `json:"warnings"`
	Submitted int `json:"submitted"`
}

const (
	consoleURL = "https://www.googleapis.com/webmasters/v3/sites"
	readAgain  = 24 * time.Hour
	readSoon   = time.Hour // after a submission, and after a failure
)

// google asks once a day what Google says about the top files that are served, and submits those that Google does not
// know. About a new file it asks at once.
func (n *Notifier) google(ctx context.Context, tops []string) error {
	st, now := &n.st, n.now()
	if n.console == nil {
		if st.GoogleProblem == "" && st.Sitemaps == nil {
			return nil
		}
		st.GoogleProblem, st.Sitemaps = "", nil // the owner no longer wants Google asked
		return n.save(ctx, leaseFor)
	}
	isNew := func(top string) bool {
		return !slices.ContainsFunc(st.Sitemaps, func(s Sitemap) bool { return s.URL == top })
	}
	if now.Before(st.AskGoogle) && (st.GoogleProblem != "" || !slices.ContainsFunc(tops, isNew)) {
		return nil
	}
	said, submitted, err := n.console.ask(ctx, tops)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		if err.Error() != st.GoogleProblem {
			n.log.Error("notify: Search Console", "problem", err)
		}
		st.GoogleProblem, st.AskGoogle = err.Error(), now.Add(max(readSoon, n.console.wait)) // what Google said last stays
	default:
		st.GoogleProblem, st.Sitemaps, st.AskGoogle = "", said, now.Add(readAgain)
		if submitted > 0 {
			st.AskGoogle = now.Add(readSoon)
			n.log.Info("notify: submitted the sitemap to Search Console", "files", submitted)
		}
	}
	return n.save(ctx, leaseFor)
}

// console is Search Console, as an owner's account sees it.
type console struct {
	client   *http.Client
	property string // the one that the owner gave, "" if it is to be chosen
	agent    string
	wait     time.Duration // how long the last answer asked to wait
}

func newConsole(g Google, agent string) *console {
	client := *g.Client
	client.CheckRedirect = noRedirect
	return &console{client: &client, property: g.Property, agent: agent}
}

// ask reads what Google says about the top files, and submits those that it does not know.
func (c *console) ask(ctx context.Context, tops []string) (said []Sitemap, submitted int, err error) {
	property := c.property
	if property == "" {
		if property, err = c.choose(ctx, tops[0]); err != nil {
			return nil, 0, err
		}
	}
	for _, top := range tops {
		at := consoleURL + "/" + url.PathEscape(property) + "/sitemaps/" + url.PathEscape(top)
		var r struct { // its numbers are strings
			LastSubmitted, LastDownloaded time.Time
			IsPending                     bool
			Errors, Warnings              int `json:",string"`
			Contents                      []struct {
				Submitted int `json:",string"`
			}
		}
		err := c.call(ctx, http.MethodGet, at, &r)
		if errors.Is(err, errUnknown) {
			err = c.call(ctx, http.MethodPut, at, nil)
			r.LastSubmitted, r.IsPending, submitted = time.Now().UTC(), true, submitted+1
		}
		if err != nil {
			return nil, 0, fmt.Errorf("the property %s: %w", property, err)
		}
		s := Sitemap{
			URL: top, LastSubmitted: r.LastSubmitted, LastDownloaded: r.LastDownloaded,
			Pending: r.IsPending, Errors: r.Errors, Warnings: r.Warnings,
		}
		for _, content := range r.Contents {
			s.Submitted = max(s.Submitted, content.Submitted) // pages; the other contents are images and videos on them
		}
		said = append(said, s)
	}
	return said, submitted, nil
}

// choose returns the property to use for a top file, of those that the account may change: a domain before an
// address. It is called each time, since the account's rights may have changed.
func (c *console) choose(ctx context.Context, top string) (property string, err error) {
	var list struct {
		SiteEntry []struct{ SiteURL, PermissionLevel string }
	}
	if err := c.call(ctx, http.MethodGet, consoleURL, &list); err != nil {
		return "", fmt.Errorf("the account's properties: %w", err)
	}
	for _, e := range list.SiteEntry {
		domain, whole := strings.CutPrefix(e.SiteURL, "sc-domain:")
		covers := whole && strings.HasSuffix("."+hostOf(top), "."+domain) || !whole && strings.HasPrefix(top, e.SiteURL)
		if covers && (e.PermissionLevel == "siteOwner" || e.PermissionLevel == "siteFullUser") {
			property = max(property, e.SiteURL) // "sc-domain:" comes after "https:"
		}
	}
	if property == "" {
		return "", errors.New("the account has full permission for no property of this site; add it as a user with full " +
			"permission in Search Console")
	}
	return property, nil
}

// reason is a cause as Google names it, and what it means for the owner.
type reason struct{ name, why string }

// busy are reasons that ask for patience, with any status. denials are the reasons of a 403, the most general last.
var (
	busy = []reason{
		{"dailyLimitExceeded", "the Cloud project of the client has used up its requests of today; Google counts anew at " +
			"midnight in California"},
		{"quotaExceeded", "the Cloud project of the client has used up its requests"},
	}
	denials = []reason{
		{"accessNotConfigured", "the Google Search Console API must be enabled in the client's Cloud project"},
		{"insufficientPermissions", "the client needs the scope https://www.googleapis.com/auth/webmasters"},
		{"forbidden", "the account needs full permission for exactly this property"},
	}
)

// whyOf returns the meaning of the first reason that an answer names, "" if it names none.
func whyOf(said []byte, reasons []reason) string {
	for _, r := range reasons {
		if bytes.Contains(said, []byte(strconv.Quote(r.name))) {
			return r.why
		}
	}
	return ""
}

// errUnknown says that Google does not know a sitemap or a property.
var errUnknown = errors.New("it answered 404: Search Console has no such property")

// call makes a request to the API, and decodes the answer into to, unless that is nil. No
// error repeats the other side's words.
func (c *console) call(ctx context.Context, method, at string, to any) error {
	a, err := ask(ctx, c.client, c.agent, method, at, nil)
	c.wait = a.retryAfter
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return fmt.Errorf(words.Say("{Google} got no authorisation: %w"), file)
	case err != nil && strings.Contains(err.Error(), "invalid_grant"):
		return errors.New(words.Say("{Google} got no authorisation (invalid_grant): the account's key or refresh token was " +
			"revoked, has run out, or the clock of this machine is wrong"))
	case err != nil:
		return errors.New(words.Say("it cannot be reached in time, or {Google} got no authorisation"))
	case a.accepted() && to != nil && json.Unmarshal(a.body, to) != nil:
		return errors.New("the answer cannot be read")
	case a.accepted():
		return nil
	case a.code == http.StatusUnauthorized:
		return errors.New(words.Say("it answered 401: {Google} has no valid authorisation"))
	case whyOf(a.body, busy) != "":
		return fmt.Errorf("it answered %d: %s", a.code, whyOf(a.body, busy))
	case a.code == http.StatusTooManyRequests:
		return errors.New("it answered 429: it was asked too often, by all that uses the client's Cloud project; it is " +
			"asked again in an hour or later")
	case a.code == http.StatusServiceUnavailable:
		return errors.New("it answered 503: Search Console has trouble of its own; it is asked again in an hour")
	case a.code == http.StatusForbidden:
		return errors.New("it answered 403: " + cmp.Or(whyOf(a.body, denials),
			denials[2].why+", "+denials[1].why+", and "+denials[0].why))
	case a.code == http.StatusNotFound:
		return errUnknown
	}
	return fmt.Errorf("it answered %d", a.code)
}

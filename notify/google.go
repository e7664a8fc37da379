package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
)

// Google says how to submit the sitemap to Google Search Console.
type Google struct {
	// Client adds the owner's authorisation to each request; see the package's
	// documentation. The notifier uses it only for the Search Console API, and follows no
	// redirect there.
	Client *http.Client
	// Property is the site as Search Console names it: "sc-domain:example.com", or
	// "https://example.com/" with a slash at the end. By default the notifier chooses among those
	// for which the account has full permission, and looks again after a failure.
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
	consoleURL   = "https://www.googleapis.com/webmasters/v3/sites"
	readAgain    = 24 * time.Hour
	readSoon     = time.Hour // after a submission, and after a failure
	consoleBytes = 1 << 20   // the most bytes to read of an answer from the owner's account
)

// google submits the top files that are served and were not submitted yet. Once a day it reads what
// Google says about all of them.
func (n *Notifier) google(ctx context.Context, st state, tops []string) error {
	submitted := slices.DeleteFunc(st.Submitted, func(top string) bool { return !slices.Contains(n.tops, top) })
	fresh := slices.DeleteFunc(slices.Clone(tops), func(top string) bool { return slices.Contains(submitted, top) })
	now := n.now()
	if n.console == nil && st.GoogleProblem != "" { // the owner wants it no longer
		_, err := n.update(ctx, func(st *state) error {
			st.GoogleProblem = ""
			return nil
		})
		return err
	}
	if n.console == nil || now.Before(st.AskGoogle) && (len(fresh) == 0 || st.GoogleProblem != "") {
		return nil
	}
	said, done, err := n.console.submit(ctx, tops, fresh)
	problem, next := "", now.Add(readAgain)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		problem, next = err.Error(), now.Add(max(readSoon, n.console.wait))
	case done > 0:
		next = now.Add(readSoon)
		n.log.Info("notify: submitted the sitemap to Search Console", "files", done)
	}
	if problem != "" && problem != st.GoogleProblem {
		n.log.Error("notify: Search Console", "problem", problem)
	}
	_, err = n.update(ctx, func(st *state) error {
		st.Submitted, st.AskGoogle, st.GoogleProblem = append(submitted, fresh[:done]...), next, problem
		if problem == "" {
			st.Sitemaps = said // else what Google said last stays
		}
		return nil
	})
	return err
}

// console is a property of Search Console, as an owner's account sees it.
type console struct {
	client   *http.Client
	given    string // the property that the owner gave, "" if it is to be chosen
	property string // in use, "" if it is not known yet
	agent    string
	wait     time.Duration // that the last answer asked for
}

func newConsole(g Google, agent string) *console {
	client := *g.Client
	client.CheckRedirect = noRedirect
	return &console{client: &client, given: g.Property, agent: agent}
}

// submit submits the fresh top files, and reads what Google says about all of them. done is
// how many it submitted.
func (c *console) submit(ctx context.Context, tops, fresh []string) (said []Sitemap, done int, err error) {
	defer func() {
		if err != nil {
			c.property = "" // the account's rights may have changed
		}
	}()
	if err := c.choose(ctx, tops[0]); err != nil {
		return nil, 0, err
	}
	at := consoleURL + "/" + url.PathEscape(c.property) + "/sitemaps/"
	for _, top := range fresh {
		if err := c.call(ctx, http.MethodPut, at+url.PathEscape(top), nil); err != nil {
			return nil, done, fmt.Errorf("submitting to the property %s: %w", c.property, err)
		}
		done++
	}
	for _, top := range tops {
		var r resource
		if err := c.call(ctx, http.MethodGet, at+url.PathEscape(top), &r); err != nil {
			return said, done, fmt.Errorf("reading the property %s: %w", c.property, err)
		}
		said = append(said, r.sitemap(top))
	}
	return said, done, nil
}

// choose finds out which property to use for a sitemap, unless that is known: the domain before an address.
func (c *console) choose(ctx context.Context, sitemap string) error {
	if c.property = cmp.Or(c.property, c.given); c.property != "" {
		return nil
	}
	var list struct {
		SiteEntry []struct{ SiteURL, PermissionLevel string }
	}
	if err := c.call(ctx, http.MethodGet, consoleURL, &list); err != nil {
		return fmt.Errorf("reading the account's properties: %w", err)
	}
	at, err := url.Parse(sitemap)
	if err != nil {
		return withoutURL(err)
	}
	for _, e := range list.SiteEntry {
		domain, whole := strings.CutPrefix(e.SiteURL, "sc-domain:")
		covers := whole && strings.HasSuffix("."+at.Hostname(), "."+domain) || !whole && strings.HasPrefix(sitemap, e.SiteURL)
		if covers && (e.PermissionLevel == "siteOwner" || e.PermissionLevel == "siteFullUser") {
			c.property = max(c.property, e.SiteURL) // "s" comes after "h"
		}
	}
	if c.property == "" {
		return errors.New("the account has full permission for no property of this site; add it as a user with full permission in Search Console")
	}
	return nil
}

// resource is a sitemap as the API describes it. Its numbers are strings.
type resource struct {
	LastSubmitted, LastDownloaded time.Time
	IsPending                     bool
	Errors, Warnings              int `json:",string"`
	Contents                      []struct {
		Submitted int `json:",string"`
	}
}

func (r resource) sitemap(url string) Sitemap {
	s := Sitemap{
		URL: url, LastSubmitted: r.LastSubmitted, LastDownloaded: r.LastDownloaded,
		Pending: r.IsPending, Errors: r.Errors, Warnings: r.Warnings,
	}
	for _, c := range r.Contents {
		s.Submitted = max(s.Submitted, c.Submitted) // pages; the other contents are images and videos on them
	}
	return s
}

// whyForbidden says what the owner can do about an answer 403. Google names the reason.
func whyForbidden(body io.Reader) string {
	var said struct {
		Error struct {
			Errors []struct{ Reason string }
		}
	}
	_ = json.NewDecoder(body).Decode(&said) // without a reason all of them are named
	const (
		enable = "the Google Search Console API must be enabled in the client's Cloud project"
		scope  = "the client needs the scope https://www.googleapis.com/auth/webmasters"
		rights = "the account needs full permission for exactly this property"
	)
	for _, e := range said.Error.Errors {
		switch e.Reason {
		case "accessNotConfigured":
			return enable
		case "insufficientPermissions":
			return scope
		case "forbidden":
			return rights
		}
	}
	return rights + ", " + scope + ", and " + enable
}

// call makes a request to the API, and decodes the answer into to, unless that is nil. No
// error repeats the other side's words.
func (c *console) call(ctx context.Context, method, at string, to any) error {
	c.wait = 0
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, at, nil)
	if err != nil {
		return withoutURL(err)
	}
	req.Header.Set("User-Agent", c.agent)
	resp, err := c.client.Do(req)
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return fmt.Errorf(messages.Say("{Google} got no authorisation: %w"), file)
	case err != nil && strings.Contains(err.Error(), "invalid_grant"):
		return errors.New(messages.Say("{Google} got no authorisation (invalid_grant): the account's key or refresh token was revoked, has run out, or the clock of this machine is wrong"))
	case err != nil:
		return errors.New(messages.Say("it cannot be reached in time, or {Google} got no authorisation"))
	}
	defer resp.Body.Close()
	c.wait = retryAfter(resp.Header.Get("Retry-After"), time.Now())
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return errors.New(messages.Say("it answered 401: {Google} has no valid authorisation"))
	case resp.StatusCode == http.StatusForbidden:
		return fmt.Errorf("it answered 403: %s", whyForbidden(io.LimitReader(resp.Body, consoleBytes)))
	case resp.StatusCode == http.StatusNotFound:
		return errors.New("it answered 404: Search Console has no such property, or the sitemap was removed there; submit it there again")
	case resp.StatusCode/100 != 2:
		return fmt.Errorf("it answered %d", resp.StatusCode)
	case to != nil && json.NewDecoder(io.LimitReader(resp.Body, consoleBytes)).Decode(to) != nil:
		return errors.New("the answer cannot be read")
	}
	return nil
}

package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Google says how to submit the sitemap to Google Search Console.
type Google struct {
	// Client adds the owner's authorisation to each request; see the package's
	// documentation. The notifier uses it only for the Search Console API, and follows no
	// redirect there.
	Client *http.Client
	// Property is the site as Search Console names it: "sc-domain:example.com", or
	// "https://example.com/" with a slash at the end. If it is "", the notifier chooses the
	// account's property that fits best.
	Property string
}

// Sitemap is what Google says about a file of the sitemap.
type Sitemap struct {
	URL            string    // of the file
	LastSubmitted  time.Time // the zero Time if never
	LastDownloaded time.Time // the zero Time if never
	Pending        bool      // Google has not processed it yet
	// Errors and Warnings are how many Google found. Submitted is how many pages the file
	// had when Google downloaded it. For an index, that is the pages of all its parts.
	// Compare it with Status.Listed.
	Errors, Warnings, Submitted int
}

// googleState is the stored state of the submission.
type googleState struct {
	Submitted []string // top files
	Until     time.Time
	Problem   string
	Sitemaps  []Sitemap
}

const (
	console      = "https://www.googleapis.com/webmasters/v3/sites"
	readAgain    = 24 * time.Hour
	readSoon     = time.Hour // after a submission, and after a failure
	consoleBytes = 1 << 20   // the most bytes to read of an answer from the owner's account
)

// google submits the top files that are served and were not submitted yet. Once a day it
// reads what Google says about all of them.
func (n *Notifier) google(ctx context.Context, st state, tops []string) error {
	g := st.Google
	g.Submitted = slices.DeleteFunc(slices.Clone(g.Submitted), func(top string) bool { return !slices.Contains(n.tops, top) })
	fresh := slices.DeleteFunc(slices.Clone(tops), func(top string) bool { return slices.Contains(g.Submitted, top) })
	now := n.now()
	if n.console == nil || now.Before(g.Until) && (len(fresh) == 0 || g.Problem != "") {
		return nil
	}
	g.Until, g.Problem = now.Add(readAgain), ""
	if err := n.askGoogle(ctx, &g, tops, fresh); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.Until, g.Problem = now.Add(readSoon), err.Error()
		if g.Problem != st.Google.Problem {
			n.log.Error("notify: Search Console", "problem", g.Problem)
		}
	} else if len(fresh) > 0 {
		g.Until = now.Add(readSoon)
		n.log.Info("notify: submitted the sitemap to Search Console", "files", len(fresh))
	}
	_, err := n.update(ctx, func(st *state, _ time.Time) error {
		st.Google = g
		return nil
	})
	return err
}

// askGoogle submits the fresh top files, and reads what Google says about all of them.
func (n *Notifier) askGoogle(ctx context.Context, g *googleState, tops, fresh []string) error {
	if n.property == "" {
		property, err := n.findProperty(ctx)
		if err != nil {
			return err
		}
		n.property = property
	}
	at := console + "/" + url.PathEscape(n.property) + "/sitemaps/"
	for _, top := range fresh {
		if err := n.callGoogle(ctx, http.MethodPut, at+url.PathEscape(top), nil); err != nil {
			return fmt.Errorf("submitting to the property %s: %w", n.property, err)
		}
		g.Submitted = append(g.Submitted, top)
	}
	g.Sitemaps = nil
	for _, top := range tops {
		var said resource
		if err := n.callGoogle(ctx, http.MethodGet, at+url.PathEscape(top), &said); err != nil {
			return fmt.Errorf("reading the property %s: %w", n.property, err)
		}
		g.Sitemaps = append(g.Sitemaps, said.sitemap(top))
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

// findProperty returns the property of the account that fits the site best.
func (n *Notifier) findProperty(ctx context.Context) (string, error) {
	var list struct {
		SiteEntry []struct{ SiteURL, PermissionLevel string }
	}
	if err := n.callGoogle(ctx, http.MethodGet, console, &list); err != nil {
		return "", fmt.Errorf("reading the properties of the account: %w", err)
	}
	levels := map[string]string{}
	for _, e := range list.SiteEntry {
		levels[e.SiteURL] = e.PermissionLevel
	}
	property := chooseProperty(slices.Collect(maps.Keys(levels)), n.folder)
	switch levels[property] {
	case "":
		return "", fmt.Errorf("none of the account's %d properties has %s: add the account to the property as a user with full permission, or give Google.Property", len(levels), n.folder)
	case "siteOwner", "siteFullUser":
		return property, nil
	}
	return "", fmt.Errorf("the account may not submit to the property %s: give it full permission there", property)
}

// chooseProperty returns the property with the longest URL that the site is below, else
// that of its domain, "" if there is none.
func chooseProperty(properties []string, site string) (best string) {
	u, err := url.Parse(site)
	if err != nil {
		return ""
	}
	var domain string
	for _, p := range properties {
		name, isDomain := strings.CutPrefix(p, "sc-domain:")
		switch {
		case isDomain && (u.Host == name || strings.HasSuffix(u.Host, "."+name)) && len(p) > len(domain):
			domain = p
		case !isDomain && strings.HasSuffix(p, "/") && strings.HasPrefix(site, p) && len(p) > len(best):
			best = p
		}
	}
	if best == "" {
		return domain
	}
	return best
}

// callGoogle makes a request to the API, and decodes the answer into to, unless that is nil. No
// error repeats the other side's words.
func (n *Notifier) callGoogle(ctx context.Context, method, at string, to any) error {
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, at, nil)
	if err != nil {
		return withoutURL(err)
	}
	req.Header.Set("User-Agent", n.agent)
	resp, err := n.console.Do(req)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return errors.New("no answer within 20 seconds")
		}
		return errors.New("it cannot be reached, or Google.Client got no authorisation")
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode/100 == 2 && to == nil:
		return nil
	case resp.StatusCode/100 == 2:
		if json.NewDecoder(io.LimitReader(resp.Body, consoleBytes)).Decode(to) != nil {
			return errors.New("the answer cannot be read")
		}
		return nil
	case resp.StatusCode == http.StatusUnauthorized:
		return errors.New("it answered 401: Google.Client has no valid authorisation")
	case resp.StatusCode == http.StatusForbidden:
		return errors.New(`it answered 403: the account needs full permission for exactly this property, the client the scope https://www.googleapis.com/auth/webmasters, ` +
			`and the Google Search Console API must be enabled in the client's Cloud project`)
	}
	return fmt.Errorf("it answered %d", resp.StatusCode)
}

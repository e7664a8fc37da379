package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
)

// Trial is what a fetch of a page in this process showed, and what would be decided by it.
type Trial struct {
	URL     string          `json:"url"`
	Refused string          `json:"refused,omitempty"` // why nothing was fetched
	Status  int             `json:"status,omitempty"`
	Took    time.Duration   `json:"took_ns,omitempty"`
	Verdict string          `json:"verdict,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Text    string          `json:"text,omitempty"`
	Missing []string        `json:"missing,omitempty"`
	Setting messages.Change `json:"setting,omitzero"`

	// the page was observed before, so that there is something to compare with
	Seen  bool     `json:"seen"`
	New   []string `json:"new,omitempty"`  // texts that no observation is remembered to have shown
	Gone  int      `json:"gone,omitempty"` // texts of the last observation that are not there
	Links int      `json:"links"`          // pages of the site that it links to
	// those that the sitemap does not list, and that look like no secret; at most 100
	Unlisted []string `json:"unlisted,omitempty"`
}

// try fetches a page in this process as an anonymous visitor would, and says what would be decided.
func (c *Config) try(ctx context.Context, url string) (t Trial, err error) {
	to := c.Normalizer.Parse(url)
	if to.Location == "" {
		why := eligibility.OfAddress(to.Reason)
		return t, errors.New(messages.NoPageOf(url, c.Origin.String(), why))
	}
	loc := to.Location
	p, err := c.Indexer.Page(ctx, loc)
	if err != nil {
		return t, err
	}
	t.URL = c.Origin.URL(loc)
	if t.Refused = c.untried(t.URL); t.Refused != "" {
		return t, nil
	}
	begun := time.Now()
	o, err := c.Own.Try(ctx, *c.Handler.Load(), loc)
	if err != nil {
		return t, fmt.Errorf("fetching: %w", err)
	}
	t.Took, t.Status = time.Since(begun).Round(time.Microsecond), o.Response.Status
	if o.Kind != eligibility.Witness {
		why := cmp.Or(o.Reason, eligibility.LeadsOn) // a redirect has no other reason
		if s := o.Response.Status; s == http.StatusMovedPermanently || s == http.StatusPermanentRedirect {
			why = eligibility.Moved
		}
		t.Text = fmt.Sprintf("It would not be listed by that answer: %s.", messages.ReasonNamed(why.String()).Why)
		return t, nil
	}
	would, err := c.Indexer.Try(ctx, o)
	if err != nil {
		return t, err
	}
	t.New, t.Gone = o.News(p.Mark)
	t.Seen = p.FirstSeen != 0
	c.follow(&t, loc, o.Links)
	t.Verdict, t.Reason = would.Verdict.String(), would.Reason.String()
	t.Text, t.Missing = c.Public.Why(&would)
	t.Setting = SettingOf(&would)
	return t, nil
}

// untried says why servemap does not fetch a page now, "" if it does.
func (c *Config) untried(url string) string {
	loc := c.Normalizer.Parse(url).Location
	switch {
	case action.Acts(loc) || !c.Files.Lists(loc) && action.Waits(loc):
		return "A request for an address with such a name may change something, so servemap does not make it. Visit it " +
			"yourself."
	case c.Handler.Load() == nil:
		return "servemap does not know the handler that answers: it knows what Site.Wrap or Site.Mount was given. Visit it " +
			"yourself."
	}
	return ""
}

// follow notes where the links of a page lead.
func (c *Config) follow(t *Trial, loc string, links []observation.Link) {
	for _, ln := range links {
		if ln.Location == loc || c.Files.OwnsLocation(ln.Location) {
			continue
		}
		t.Links++
		if len(t.Unlisted) < mostPages && !c.Files.Lists(ln.Location) && !capability.Looks(ln.Location) {
			t.Unlisted = append(t.Unlisted, c.Origin.URL(ln.Location))
		}
	}
}

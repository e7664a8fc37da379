package indexer

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
)

// robotsTxt keeps what the site's robots.txt says.
type robotsTxt struct{ *Indexer }

// open reads the stored robots.txt, unless the owner has given one.
func (r *robotsTxt) open(ctx context.Context) error {
	if r.cfg.Robots != nil {
		r.set(&robots.Obeyed{Now: r.cfg.Robots})
		return nil
	}
	var o robots.Obeyed
	err := txn.View(ctx, r.cfg.Store, sitewide.RobotsKeys(r.site.Keys),
		func(t *txn.Tx) { o = sitewide.ReadRobots(t, r.site.Keys) })
	if err != nil {
		return err
	}
	if before := r.site.Robots; o.Lost && (before == nil || !before.Lost) {
		r.health.damaged.Add(1)
		r.cfg.Logger.Warn("servemap: what is stored of robots.txt is damaged; pages that it disallowed stay out until " +
			"somebody asks for robots.txt")
	}
	r.set(&o)
	return nil
}

// obey merges a robots.txt that the site has served.
func (r *robotsTxt) obey(ctx context.Context, s *observation.Observation) error {
	before := r.site.Robots
	if r.cfg.Robots != nil {
		return nil
	}
	text, ok := robotsText(s.Response)
	if !ok {
		return nil // it cannot be read; the one before still holds
	}
	if s.Response.Status != http.StatusOK && len(r.Sitemaps()) > 0 {
		r.SetSitemaps(nil) // the file may be missing for a moment only; the next answer tells
	} else {
		r.SetSitemaps(slices.AppendSeq([]string{}, robots.Sitemaps(text)))
	}
	seen := robots.Parse(text)
	if before.Saw(seen, s.At, s.Explored) == *before {
		return nil
	}
	var after robots.Obeyed
	err := txn.Update(ctx, r.cfg.Store, sitewide.RobotsKeys(r.site.Keys), func(t *txn.Tx) {
		stored := sitewide.ReadRobots(t, r.site.Keys) // another process may have seen it as well
		if stored.Lost {
			stored = *before
		}
		if after = stored.Saw(seen, s.At, s.Explored); after != stored {
			sitewide.WriteRobots(t, r.site.Keys, after)
		}
	})
	if err != nil {
		return err
	}
	r.syncing.unsynced = true
	if !after.Since.IsZero() {
		r.look(s.Location)
	}
	if before.Lost || !before.Now.Equal(after.Now) {
		r.review.begin()
	}
	r.set(&after)
	r.trust.tellFiles()
	return nil
}

// robotsText returns what a response to /robots.txt says, and false if that cannot be read
// to the end. If there is no robots.txt, it says nothing.
func robotsText(resp *response.Response) ([]byte, bool) {
	if resp.Status != http.StatusOK {
		return nil, true
	}
	body, cut, err := observation.Decode(resp.Header.ContentEncoding, resp.Body, robots.Enough)
	if err != nil && strings.HasPrefix(http.DetectContentType(resp.Body), "text/") {
		return resp.Body, true // a middleware around the site will compress it, and has set the header already
	}
	if err != nil || cut && len(body) < robots.Enough {
		return nil, false
	}
	return body, true
}

// set makes o the robots.txt that holds.
func (r *robotsTxt) set(o *robots.Obeyed) {
	r.site.Robots = o
	r.Obey(o)
	r.counts.Robots()
}

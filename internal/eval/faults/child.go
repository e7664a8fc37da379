package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// recoveryLimit is how long a site may take to work again when the trouble is over.
const recoveryLimit = time.Minute

// child is a site in another process.
type child struct {
	*kit.Child
	public string // URL of the site
	begun  time.Time
	log    *base.Log
	client *http.Client
	ask    kit.Getter // for orders
}

// launch says how to start a site.
type launch struct {
	dir   string
	pages *fates
	moods bool
}

// start waits until the site serves. If the site ends before that, start returns it with an
// error.
func (l launch) start(ctx context.Context) (*child, error) {
	l.pages.mu.RLock()
	state, err := json.Marshal(l.pages)
	l.pages.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	command, err := kit.Self(siteArg, "-dir", l.dir, "-state", string(state), fmt.Sprintf("-moods=%t", l.moods))
	if err != nil {
		return nil, err
	}
	c := &child{
		begun: time.Now(), log: new(base.Log),
		client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
	}
	if c.Child, err = kit.Start(ctx, c.log, command); c.Child == nil {
		return nil, err
	}
	if err == nil {
		c.public, c.ask = c.Said[0], kit.FromServer(c.client, c.Said[1])
	}
	return c, c.explain(err)
}

// explain adds what the site logged to an error.
func (c *child) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\n%s", err, c.log)
}

// awaitWork waits until the store works, and returns how long that took from the start.
func (c *child) awaitWork(limit time.Duration) (time.Duration, error) {
	err := c.await(limit, "the store works", func(now status) bool { return now.Health == "" })
	return time.Since(c.begun), c.explain(err)
}

// awaitFlush waits until all that was seen can be stored.
func (c *child) awaitFlush() (time.Duration, error) {
	return kit.Until(recoveryLimit, "the store works", func() bool { return c.order("flush") == nil })
}

// order makes the site do something. The arguments are names and values, alternating.
func (c *child) order(what string, args ...string) error {
	_, err := c.tell(what, args...)
	return err
}

func (c *child) tell(what string, args ...string) ([]byte, error) {
	form := url.Values{}
	for i := 0; i < len(args); i += 2 {
		form.Set(args[i], args[i+1])
	}
	status, body, err := c.ask("/" + what + "?" + form.Encode())
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s: %s", what, strings.TrimSpace(string(body)))
	}
	return body, err
}

func (c *child) status() (s status, err error) {
	body, err := c.tell("status")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(body, &s)
}

// await waits until the site reports a status that holds.
func (c *child) await(limit time.Duration, what string, holds func(status) bool) error {
	var failure error
	_, err := kit.Until(limit, what, func() bool {
		var now status
		now, failure = c.status()
		return failure == nil && holds(now)
	})
	return errors.Join(err, failure)
}

// rest returns the status of a site without visitors, once its connections are closed and
// its garbage is collected.
func (c *child) rest(v *visitors) (last status, err error) {
	v.client.CloseIdleConnections()
	if err := c.order("collect"); err != nil {
		return last, err
	}
	err = c.await(20*time.Second, "connections are closed", func(now status) bool {
		before := last.Goroutines
		last = now
		return now.Goroutines == before
	})
	return last, err
}

// withdraw changes a page so that it leaves the sitemap.
func (c *child) withdraw(pages *fates, path string, to fate) error {
	pages.set(path, to)
	return c.order("fate", "path", path, "to", string(to))
}

// wantPages checks that the first pages are listed, and that no forbidden page is.
func (c *child) wantPages(v *visitors, pages int) error {
	if err := c.order("flush"); err != nil {
		return err
	}
	return c.lists(v, pages)
}

// lists is wantPages without a wait for what was seen to be stored.
func (c *child) lists(v *visitors, pages int) error {
	listed, err := v.sitemap(c.public)
	if err != nil {
		return err
	}
	for i := range pages {
		if !listed[pagePath(i)] {
			return fmt.Errorf("%s was stored and is not listed", pagePath(i))
		}
	}
	return nil
}

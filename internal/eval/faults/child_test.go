package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// recoveryLimit is how long a site may take to work again when the trouble is over.
const recoveryLimit = time.Minute

// child is a site in another process.
type child struct {
	testing.TB
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

// start waits until the site serves. It ends with the test, which shows what the site logged if it fails.
func (l launch) start(t testing.TB) *child {
	t.Helper()
	l.pages.mu.RLock()
	state, err := json.Marshal(l.pages)
	l.pages.mu.RUnlock()
	base.Check(t, err)
	c := &child{
		TB: t, begun: time.Now(), log: new(base.Log),
		client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
	}
	c.Child, err = kit.Start(t.Context(), c.log, siteArg, "-dir", l.dir, "-state", string(state),
		fmt.Sprintf("-moods=%t", l.moods))
	t.Cleanup(func() {
		if c.Child != nil {
			c.Kill()
		}
		if t.Failed() {
			t.Logf("the site logged:\n%s", c.log)
		}
	})
	base.Check(t, err)
	c.public, c.ask = c.Said[0], kit.FromServer(c.client, c.Said[1])
	return c
}

// awaitWork waits until the store works, and returns how long that took from the start.
func (c *child) awaitWork(limit time.Duration) time.Duration {
	c.Helper()
	c.await(limit, "the store works", func(now status) bool { return now.Health == "" })
	return time.Since(c.begun)
}

// awaitFlush waits until all that was seen can be stored, and returns how long that took.
func (c *child) awaitFlush() time.Duration {
	c.Helper()
	took, err := kit.Until(recoveryLimit, "the store works", func() bool { _, err := c.tell("flush"); return err == nil })
	base.Check(c, err)
	return took
}

// order makes the site do something. The arguments are names and values, alternating.
func (c *child) order(what string, args ...string) {
	c.Helper()
	_, err := c.tell(what, args...)
	base.Check(c, err)
}

// tell is order for what may fail.
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

// await waits until the site reports a status that holds, and returns it.
func (c *child) await(limit time.Duration, what string, holds func(status) bool) (now status) {
	c.Helper()
	var failure error
	_, err := kit.Until(limit, what, func() bool {
		now, failure = c.status()
		return failure == nil && holds(now)
	})
	base.Check(c, errors.Join(err, failure))
	return now
}

// rest returns the status of a site without visitors, once its connections are closed and
// its garbage is collected.
func (c *child) rest(v *visitors) status {
	c.Helper()
	v.client.CloseIdleConnections()
	c.order("collect")
	before := -1
	return c.await(20*time.Second, "connections are closed", func(now status) bool {
		rests := now.Goroutines == before
		before = now.Goroutines
		return rests
	})
}

// withdraw changes a page so that it leaves the sitemap.
func (c *child) withdraw(pages *fates, path string, to fate) {
	c.Helper()
	pages.set(path, to)
	c.order("fate", "path", path, "to", string(to))
}

// lists returns an error unless the first pages are listed, and no forbidden page is.
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

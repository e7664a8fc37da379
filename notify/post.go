package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
)

const (
	batchPages    = 1000
	postTimeout   = 20 * time.Second
	settleTimeout = 2 * time.Second // then it is tried again
	answerBytes   = 2 << 10         // read of an answer
)

// post is the outcome of a post. The endpoint is "" if the pages are settled without one.
type post struct {
	name     string // of its record
	endpoint string
	engine   Endpoint
	settled  []change // the pages that need no further post
}

// errWait ends a pass before a post that must not be made yet.
var errWait = errors.New("not now")

// send posts the due pages in batches to an endpoint, at most so many that the day's limit is kept
// and the lease lasts.
func (n *Notifier) send(ctx context.Context, st state, endpoint string, due []change) error {
	for left := n.perDay - st.SentToday; len(due) > 0; {
		size := min(len(due), n.batch, left)
		if size <= 0 {
			return fmt.Errorf("the %d pages of a day (%s) are sent; the others wait for the next day, in UTC", n.perDay, messages.Say("{PerDay}"))
		}
		pages, err := n.sendable(ctx, due[:size]) // just before each post, since a post takes long
		if err == nil && st.Until.Sub(n.now()) < leaseFor/2 {
			err = errWait
		}
		if err == nil && len(pages) > 0 {
			err = n.post(ctx, n.keyOf(st), st.Engines[endpoint], endpoint, pages)
		}
		if err != nil {
			return err
		}
		due, left = due[size:], left-len(pages)
	}
	return nil
}

// post sends pages to an endpoint, and stores the outcome. The error is errWait if the engine did
// not accept them.
func (n *Notifier) post(ctx context.Context, key string, before Endpoint, endpoint string, pages []change) error {
	a, err := n.ask(ctx, endpoint, key, pages)
	if ctx.Err() != nil {
		return ctx.Err() // nobody knows the outcome
	}
	before.URL = endpoint
	p := post{name: sentName(n.now()), endpoint: endpoint, engine: judge(before, a, n.now())}
	if a.accepted() {
		p.engine.Sent += uint64(len(pages))
	} else {
		p.engine.Refused++
	}
	if a.accepted() || a.code == http.StatusUnprocessableEntity { // an invalid page must not stop the others for ever
		p.settled = pages
	}
	if wait := p.engine.NextTry.Sub(n.now()); wait > 0 {
		p.engine.NextTry = p.engine.NextTry.Add(rand.N(wait/8 + 1)) // so that not all sites come at once
	}
	if a.code == http.StatusRequestEntityTooLarge {
		n.batch = max(1, n.batch/2)
	}
	n.tell(before, p.engine, a, pages, err)
	n.owed = &p
	if err := n.pay(ctx); err != nil || a.accepted() {
		return err
	}
	return errWait
}

// pay stores the outcome of the last post if it is not stored yet, even while Run ends. Nothing is
// sent before that.
func (n *Notifier) pay(ctx context.Context) error {
	if n.owed == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	if err := n.settle(ctx, *n.owed); err != nil {
		return err
	}
	n.owed = nil
	return nil
}

// message is the body of a post, in the order of the protocol's own example.
type message struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLs        []string `json:"urlList"`
}

// ask posts pages to an endpoint. The error says why no answer came.
func (n *Notifier) ask(ctx context.Context, endpoint, key string, pages []change) (answer, error) {
	m := message{Host: n.host, Key: key}
	if n.folder != n.root {
		m.KeyLocation = n.folder + key + ".txt"
	}
	for _, c := range pages {
		m.URLs = append(m.URLs, c.url)
	}
	body, _ := json.Marshal(m) // strings can be encoded
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return answer{}, withoutURL(err)
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", n.agent)
	resp, err := n.client.Do(req)
	if err != nil {
		return answer{}, withoutURL(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, answerBytes) // so that the connection can be used again
	return answer{resp.StatusCode, retryAfter(resp.Header.Get("Retry-After"), n.now())}, nil
}

const urlsLogged = 10 // the first ones of a post

// tell logs a post, and the engine's verdict if it is new.
func (n *Notifier) tell(before, e Endpoint, a answer, pages []change, err error) {
	to, _ := url.Parse(e.URL)
	log := n.log.With("engine", to.Host, "code", a.code)
	switch v := a.verdict(); {
	case a.accepted():
		var urls []string
		for _, c := range pages[:min(len(pages), urlsLogged)] {
			urls = append(urls, c.url)
		}
		log.Info("notify: sent", "pages", len(pages), "urls", urls)
	case e.Verdict != before.Verdict:
		log.Log(context.Background(), v.level, "notify: "+v.says, "verdict", v.name, "error", err, "advice", e.Advice, "until", e.NextTry.UTC().Format(time.RFC3339))
	}
}

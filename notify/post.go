package notify

import (
	"bytes"
	"cmp"
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
	answerBytes   = 2 << 10         // the most bytes to read of an answer
)

// post is the outcome of a post. The endpoint is "" if no page was sendable.
type post struct {
	endpoint string
	engine   engine
	sent     bool     // whether the engine took the pages
	settled  []change // the pages that need no further post
	dropped  []change // pages that must not be sent
}

// errWait ends a pass before a post that must not be made yet.
var errWait = errors.New("not now")

// send posts the due pages in batches. left is how many pages may still be sent today.
func (n *Notifier) send(ctx context.Context, due []change, left int) error {
	for len(due) > 0 {
		size := min(len(due), cmp.Or(n.most, n.batch), left)
		if size <= 0 {
			return fmt.Errorf("the %d pages of a day%s are sent; the others wait for the next day, in UTC", n.perDay, messages.Say("{OrPerDay}"))
		}
		pages, dropped, err := n.sendable(ctx, due[:size]) // just before each post, since a post takes long
		if err == nil && len(dropped) > 0 {
			n.owed = &post{dropped: dropped}
			err = n.pay(ctx)
		}
		if err == nil && len(pages) > 0 {
			err = n.post(ctx, pages)
		}
		if err != nil {
			return err
		}
		due, left = due[size:], left-len(pages)
	}
	return nil
}

// post sends pages to the engine whose turn it is, and stores the outcome. The error is
// errWait if the engine did not accept them.
func (n *Notifier) post(ctx context.Context, pages []change) error {
	endpoint, st, err := n.begin(ctx, len(pages))
	if err != nil {
		return err
	}
	key := n.keyOf(st)
	a, err := n.ask(ctx, endpoint, key, pages)
	if ctx.Err() != nil {
		return ctx.Err() // nobody knows the outcome
	}
	before := st.Engines[endpoint]
	before.URL = endpoint
	p := post{endpoint: endpoint, engine: judge(before, a, n.now())}
	switch {
	case a.accepted():
		p.sent = true
		p.settled, n.most = pages, 0
	case a.code == http.StatusUnprocessableEntity && len(pages) > 1: // look for the invalid page in smaller posts
		n.most = len(pages) / 2
		p.engine.Fails, p.engine.NextTry = 0, n.now().Add(time.Minute)
	case a.code == http.StatusUnprocessableEntity: // an invalid page must not stop the others for ever
		p.settled = pages
	}
	if p.engine.Verdict == verdictRefused.name {
		n.key.refused(ctx, key)
	}
	if wait := p.engine.NextTry.Sub(n.now()); wait > 0 {
		p.engine.NextTry = p.engine.NextTry.Add(rand.N(wait/8 + 1)) // so that not all sites come at once
	}
	n.tell(before, p.engine, a, len(pages), err)
	n.owed = &p
	if err := n.pay(ctx); err != nil || p.sent {
		return err
	}
	return errWait
}

// pay stores the outcome of the last post if it is not stored yet, even while Run ends.
// Nothing is sent before that.
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

// begin returns the endpoint for a post of so many pages, if there may be one. It makes the
// lease longer, so that nobody repeats the post soon if this process dies before the outcome
// is stored.
func (n *Notifier) begin(ctx context.Context, pages int) (endpoint string, st state, err error) {
	st, err = n.update(ctx, func(st *state) error {
		if !n.leads(*st) {
			return errElsewhere
		}
		endpoint = choose(n.endpoints, st.Engines, n.now())
		if endpoint == "" || st.SentToday+pages > n.perDay {
			return errWait
		}
		st.Until = n.now().Add(doubtFor)
		return nil
	})
	if err == nil && st.Until.Before(n.now().Add(postTimeout)) {
		err = errElsewhere // the store took so long that another process may be sending
	}
	return endpoint, st, err
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
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(bytes.TrimSpace(body.Bytes())))
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
	said, _ := io.ReadAll(io.LimitReader(resp.Body, answerBytes)) // only for the error code
	return answer{resp.StatusCode, errorCode(said, key), retryAfter(resp.Header.Get("Retry-After"), n.now())}, nil
}

// tell logs a post, and the engine's verdict if it is new.
func (n *Notifier) tell(before, e engine, a answer, pages int, err error) {
	to, _ := url.Parse(e.URL)
	log := n.log.With("engine", to.Host, "code", a.code)
	if a.accepted() {
		log.Info("notify: sent", "pages", pages)
		return
	}
	if e.Verdict == before.Verdict && e.ErrorCode == before.ErrorCode {
		return
	}
	v := a.verdict()
	log.Log(context.Background(), v.level, "notify: "+v.says, "verdict", v.name, "errorCode", a.errorCode,
		"error", err, "keyFile", n.key.saw, "advice", e.Advice, "until", e.NextTry.UTC().Format(time.RFC3339))
}

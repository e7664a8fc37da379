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
	batchPages  = 1000
	postTimeout = 20 * time.Second
	answerBytes = 2 << 10 // the most bytes to read of an answer
)

// post is one post and its outcome. The endpoint is "" if no page was sendable.
type post struct {
	endpoint string
	began    time.Time
	settled  []change // the pages that need no further post
	dropped  []change // pages that must not be sent
	engine   engine
	keyFile  string // what was seen of the key file, "" if it was not checked
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

// post sends pages to the engine whose turn it is, and stores the outcome. Before that it
// stores the intent. So whoever finds an intent knows that pages may have been sent. The
// error is errWait if the engine did not accept them.
func (n *Notifier) post(ctx context.Context, pages []change) error {
	p, st, err := n.intend(ctx, len(pages))
	if err != nil {
		return err
	}
	key := n.keyOf(st)
	a, err := n.ask(ctx, p.endpoint, key, pages)
	if ctx.Err() != nil {
		return ctx.Err() // the outcome is not known: the intent stays
	}
	before := st.Engines[p.endpoint]
	p.engine = judge(before, a, n.now())
	switch {
	case p.engine.accepted():
		p.settled, n.most = pages, 0
	case a.code == http.StatusUnprocessableEntity && len(pages) > 1: // look for the invalid page in smaller posts
		n.most = len(pages) / 2
		p.engine.Fails, p.engine.Until = 0, n.now().Add(time.Minute)
	case a.code == http.StatusUnprocessableEntity: // an invalid page must not stop the others for ever
		p.settled = pages
	}
	if p.engine.Verdict == verdictRefused {
		p.keyFile = n.checkKey(ctx, key)
		n.keyFile, n.proved = p.keyFile, p.keyFile == fileOK || p.keyFile == fileUnreachable
	}
	if wait := p.engine.Until.Sub(n.now()); wait > 0 {
		p.engine.Until = p.engine.Until.Add(rand.N(wait/8 + 1)) // so that not all sites come at once
	}
	n.tell(before, p, len(pages), err)
	n.owed = &p
	if err := n.pay(ctx); err != nil || p.engine.accepted() {
		return err
	}
	return errWait
}

// pay stores the outcome of the last post if it is not stored yet. Nothing is sent before
// that.
func (n *Notifier) pay(ctx context.Context) error {
	if n.owed == nil {
		return nil
	}
	if err := n.settle(ctx, *n.owed); err != nil {
		return err
	}
	n.owed = nil
	return nil
}

// intend stores that a post of so many pages begins, if it may.
func (n *Notifier) intend(ctx context.Context, pages int) (p post, st state, err error) {
	st, err = n.update(ctx, func(st *state, now time.Time) error {
		if !st.leads(n.owner, now) {
			return errElsewhere
		}
		p.endpoint = choose(n.endpoints, st.Engines, now)
		if p.endpoint == "" || !now.After(st.Intent.Add(doubtFor)) || st.Sent+pages > n.perDay {
			return errWait
		}
		p.began = now.UTC().Round(0)
		st.Intent, st.Until = p.began, now.Add(leaseFor)
		return nil
	})
	if err == nil && !st.leads(n.owner, n.now()) {
		err = errElsewhere // the store took so long that another process may be sending
	}
	return p, st, err
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

// withoutURL leaves the URL out of an error of net/http, since it may hold a key.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// tell logs a post, and the engine's verdict if it is new.
func (n *Notifier) tell(before engine, p post, pages int, err error) {
	to, _ := url.Parse(p.endpoint)
	e, log := p.engine, n.log.With("engine", to.Host, "code", p.engine.Code)
	if e.accepted() {
		log.Info("notify: sent", "pages", pages)
	}
	if e.Verdict == before.Verdict && e.ErrorCode == before.ErrorCode || e.Verdict == verdictOK {
		return
	}
	if err != nil {
		log = log.With("error", err)
	}
	for _, one := range [][2]string{{"verdict", e.Verdict}, {"errorCode", e.ErrorCode}, {"keyFile", p.keyFile}, {"advice", e.advice()}} {
		if one[1] != "" {
			log = log.With(one[0], one[1])
		}
	}
	if !e.Until.IsZero() {
		log = log.With("until", e.Until.UTC().Format(time.RFC3339))
	}
	log.Log(context.Background(), verdicts[e.Verdict].level, "notify: "+verdicts[e.Verdict].says)
}

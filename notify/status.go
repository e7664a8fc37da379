package notify

import (
	"context"
	"fmt"
	"time"
)

// Status says how the notifier is doing, for people and for monitoring. It never holds the
// key. If processes share the store, it is about all of them.
type Status struct {
	// Endpoints describe each of Options.Endpoints.
	Endpoints []Endpoint `json:"endpoints"`
	// SentToday is how many pages were accepted today, in UTC. Pending is how many wait to
	// be sent.
	SentToday int `json:"sent_today"`
	Pending   int `json:"pending"`
	// Dropped counts the pages that were not sent because too many of their shape or folder
	// changed at once, since the first start. The log names these groups.
	Dropped int `json:"dropped,omitempty"`
	// KeyFile is what the notifier saw when it last fetched the key file: "ok", a status
	// code such as "404", "other content", "unreachable", or "" before the first time.
	KeyFile string `json:"key_file,omitempty"`
	// KeyFetched is when somebody else last fetched the key file from this process, as
	// engines do to check it. It is the zero Time if nobody did.
	KeyFetched time.Time `json:"key_fetched,omitzero"`
	// Listed is how many pages the sitemap lists now.
	Listed int `json:"listed"`
	// Sitemaps is what Google says about the sitemap's top files, nil without
	// Options.Google.
	Sitemaps []Sitemap `json:"sitemaps,omitempty"`
	// GoogleProblem says why the notifier cannot ask Google, "" if it can.
	GoogleProblem string `json:"google_problem,omitempty"`
}

// Endpoint describes an endpoint of IndexNow.
type Endpoint struct {
	URL string `json:"url"` // as in Options.Endpoints
	// Verdict is "ok"; "pending-key" while the engine checks a new key; "key-refused";
	// "throttled"; "down"; "paused" if it refuses the pages; or "" if nothing was sent yet.
	Verdict string `json:"verdict,omitempty"`
	// Advice is what the owner can do about it, "" if nothing.
	Advice string `json:"advice,omitempty"`
	// Code is the status code of the last answer, 0 if there was none.
	Code int `json:"code,omitempty"`
	// ErrorCode is the engine's own word for that answer, "" if it gave none.
	ErrorCode string `json:"error_code,omitempty"`
	// LastTried and LastAccepted are when pages were last sent and last accepted. Nothing
	// is sent before NextTry. Each may be the zero Time.
	LastTried    time.Time `json:"last_tried,omitzero"`
	LastAccepted time.Time `json:"last_accepted,omitzero"`
	NextTry      time.Time `json:"next_try,omitzero"`
}

// Status reads from the store how the notifier is doing. Its error is that of the store. It
// may be called concurrently, also without Run.
func (n *Notifier) Status(ctx context.Context) (Status, error) {
	var st state
	err := n.store.View(ctx, []string{n.keys.Notify("state")}, func(values [][]byte) error {
		st, _ = readState(values[0], n.now())
		return nil
	})
	if err != nil {
		return Status{}, fmt.Errorf("notify: reading the status: %w", err)
	}
	s := st.Status
	s.Listed = n.site.Stats().Listed
	if at := n.key.fetched.Load(); at != 0 {
		s.KeyFetched = time.Unix(0, at).UTC()
	}
	for _, url := range n.endpoints {
		e := st.Engines[url].Endpoint
		e.URL = url
		s.Endpoints = append(s.Endpoints, e)
	}
	return s, nil
}

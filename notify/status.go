package notify

import (
	"context"
	"fmt"
	"time"
)

// Status says how the telling goes, for people and for monitoring. It never holds the
// key. Where processes share the store, it is that of all of them.
type Status struct {
	// Endpoints says how each of Options.Endpoints does.
	Endpoints []Endpoint
	// SentToday is how many pages were accepted today, in UTC. Pending is how many wait
	// to be sent.
	SentToday, Pending int
	// Dropped counts the pages that were not sent as they had lost their listing, and
	// Rushed those that were not sent as too many changed at once, both since the first
	// start. Rush reports that this is so now.
	Dropped, Rushed int
	Rush            bool
	// KeyFile is what was seen of the key file at the last look from here: "ok", a
	// status code such as "404", "other content", "unreachable", or "" before the first
	// look.
	KeyFile string
	// KeyFetched is when somebody else last fetched the key file from this process, as
	// engines do to check it; the zero Time if nobody did.
	KeyFetched time.Time
	// Listed is how many pages the sitemap lists now.
	Listed int
	// Sitemaps is what Google says of the sitemap's top files, and GoogleProblem what
	// keeps it from being asked, "" if nothing does.
	Sitemaps      []Sitemap
	GoogleProblem string
}

// Endpoint says how an endpoint of IndexNow does.
type Endpoint struct {
	URL string
	// Verdict is "ok"; "unverified" if the engine has taken pages for a day without
	// checking the key; "pending-key" while it checks a new key; "key-refused";
	// "throttled"; "down"; "paused" if it refuses what is sent; or "" if nothing was sent
	// yet.
	Verdict string
	// Advice is what the owner can do about it, "" if nothing.
	Advice string
	// Code is the status code of the last answer, 0 if none came, and ErrorCode the
	// engine's own word for it, "" if it gave none.
	Code      int
	ErrorCode string
	// LastTried and LastAccepted are when pages were last sent and last accepted, and
	// NextTry is before when nothing is sent. Each may be the zero Time.
	LastTried, LastAccepted, NextTry time.Time
}

// Status reads from the store how the telling goes. Its error is that of the store. It
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
	s := Status{
		SentToday: st.Sent, Pending: st.Pending, Dropped: st.Dropped, Rushed: st.Rushed, Rush: st.Rush,
		KeyFile: st.KeyFile, Listed: n.site.Stats().Listed, Sitemaps: st.Google.Sitemaps, GoogleProblem: st.Google.Problem,
	}
	if at := n.keyFetched.Load(); at != 0 {
		s.KeyFetched = time.Unix(0, at).UTC()
	}
	for _, url := range n.endpoints {
		e := st.Engines[url]
		s.Endpoints = append(s.Endpoints, Endpoint{
			URL: url, Verdict: e.Verdict, Advice: e.advice(), Code: e.Code, ErrorCode: e.ErrorCode,
			LastTried: e.LastTried, LastAccepted: e.LastAccepted, NextTry: e.Until,
		})
	}
	return s, nil
}

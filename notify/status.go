package notify

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/metrics"
)

// Status says how the notifier is doing, for people and for monitoring. It never holds the key. If
// processes share the store, it is about all of them.
type Status struct {
	Endpoints []Endpoint `json:"endpoints"`  // one, or none with Options.GoogleOnly
	SentToday int        `json:"sent_today"` // pages that were accepted today, in UTC
	Pending   int        `json:"pending"`    // pages that wait to be sent
	Listed    int        `json:"listed"`     // pages in the sitemap now
	// Waits says why these pages are not sent now, and NextSend when the first of them may be. Both are zero if
	// nothing keeps them.
	Waits    string    `json:"waits,omitempty"`
	NextSend time.Time `json:"next_send,omitzero"`
	// Sitemaps is what Google says about the sitemap's top files, nil without Options.Google.
	Sitemaps []Sitemap `json:"sitemaps,omitempty"`
	// GoogleProblem says why the notifier cannot ask Google, "" if it can.
	GoogleProblem string `json:"google_problem,omitempty"`
}

// Endpoint describes an endpoint of IndexNow.
type Endpoint struct {
	URL string `json:"url"`
	// Verdict is "ok", "key-refused", "throttled", "down", "paused" if it refuses the pages, or "" if
	// nothing was sent yet.
	Verdict string `json:"verdict,omitempty"`
	Advice  string `json:"advice,omitempty"` // what the owner can do about it, "" if nothing
	Code    int    `json:"code,omitempty"`   // the status code of the last answer, 0 if there was none
	Fails   int    `json:"fails,omitempty"`  // posts in a row that ended with this verdict, 0 for "ok"
	// Sent counts the pages that were accepted, and Refused the posts that were not, since the key is used.
	Sent    uint64 `json:"sent,omitempty"`
	Refused uint64 `json:"refused,omitempty"`
	// LastTried and LastAccepted are when pages were last sent and last accepted. Nothing is sent
	// before NextTry. Each may be the zero Time.
	LastTried    time.Time `json:"last_tried,omitzero"`
	LastAccepted time.Time `json:"last_accepted,omitzero"`
	NextTry      time.Time `json:"next_try,omitzero"`
}

// Metrics returns a handler that gives the numbers of [servemap.Site.Metrics] and those of the notifier, to
// those whom allow lets in. If processes share the store, the notifier's are about all of them.
func (n *Notifier) Metrics(allow func(*http.Request) bool) http.Handler {
	site := n.site.Metrics(allow)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if site.ServeHTTP(w, r); w.Header().Get("Content-Type") != metrics.ContentType {
			return // allow refused it
		}
		if s, err := n.Status(r.Context()); err == nil { // else Prometheus finds no value
			_, _ = w.Write(metrics.Text(strings.TrimSuffix(n.folder.String(), "/"), n.metrics(s)))
		}
	})
}

func (n *Notifier) metrics(s Status) []metrics.Family {
	var sent, refused, accepted, verdict []metrics.Series
	for _, e := range s.Endpoints {
		sent = append(sent, metrics.One(e.Sent, "engine", hostOf(e.URL))...)
		refused = append(refused, metrics.One(e.Refused, "engine", hostOf(e.URL))...)
		if e.Verdict != "" {
			verdict = append(verdict, metrics.One(1, "engine", hostOf(e.URL), "verdict", e.Verdict)...)
		}
		accepted = append(accepted, metrics.When(e.LastAccepted, "engine", hostOf(e.URL))...)
	}
	all := []metrics.Family{
		metrics.Counter("servemap_indexnow_pages_sent_total", "Pages that an engine accepted.", sent),
		metrics.Counter("servemap_indexnow_posts_refused_total", "Posts that an engine did not accept.", refused),
		metrics.Gauge("servemap_indexnow_accepted_timestamp_seconds", "When an engine last accepted a post.", accepted),
		metrics.Gauge("servemap_indexnow_verdict", "What an engine's last answer means, as a label of the constant 1.",
			verdict),
		metrics.Gauge("servemap_indexnow_pages_waiting", "Pages that wait to be sent.", metrics.One(s.Pending)),
	}
	if n.console == nil {
		return all
	}
	var g Sitemap // all of them together
	for _, f := range s.Sitemaps {
		g.Errors, g.Warnings, g.Submitted = g.Errors+f.Errors, g.Warnings+f.Warnings, g.Submitted+f.Submitted
		g.LastDownloaded = latest(g.LastDownloaded, f.LastDownloaded)
	}
	return append(all, []metrics.Family{
		metrics.Gauge("servemap_google_up", "Whether Search Console could be asked: 1 if it could.",
			metrics.Whether(s.GoogleProblem == "")),
		metrics.Gauge("servemap_google_sitemap_errors", "Errors that Google found in the sitemap.", metrics.One(g.Errors)),
		metrics.Gauge("servemap_google_sitemap_warnings", "Warnings of Google about the sitemap.", metrics.One(g.Warnings)),
		metrics.Gauge("servemap_google_sitemap_pages", "Pages of the sitemap when Google last downloaded it.",
			metrics.One(g.Submitted)),
		metrics.Gauge("servemap_google_sitemap_downloaded_timestamp_seconds", "When Google last downloaded the sitemap.",
			metrics.When(g.LastDownloaded)),
	}...)
}

// quietFor is how long a notifier that sends may not renew its lease, as while a post waits for its answer.
const quietFor = time.Minute

// Status reads from the store how the notifier is doing. It fails only if the store does. It may be called
// concurrently, also without Run.
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
	if now := n.now(); st.Owner != n.owner && st.Until.After(now) && now.Sub(st.Until.Add(-leaseFor)) > quietFor {
		s.Waits, s.NextSend = "the notifier that sends was ended in the midst of it, and nobody knows what arrived", st.Until
	}
	s.Listed = n.site.Stats().Listed
	return s, nil
}

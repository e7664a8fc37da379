package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/schema/changelog"
)

// Changes are the last changes of each page, the newest first.
type Changes struct {
	Since   time.Time `json:"since"`
	Span    string    `json:"-"`                       // as in the query
	From    time.Time `json:"complete_since,omitzero"` // if earlier changes are unknown
	Before  string    `json:"before,omitempty"`
	Changes []any     `json:"changes"`        // each a servemap.Change
	Next    string    `json:"next,omitempty"` // value of before for the next page, "" at the end
}

// spans are the times that the view of changes offers.
var spans = []struct{ Value, Text string }{{"1h", "Last hour"}, {"24h", "Since yesterday"}, {"168h", "Seven days"}}

func (i *Inspector) changes(ctx context.Context, q url.Values) (view, error) {
	c := Changes{Span: cmp.Or(q.Get("since"), "168h"), Before: q.Get("before")}
	ago, err := time.ParseDuration(c.Span)
	if err != nil || ago < 0 {
		return view{}, refusal{fmt.Errorf("since %q is no span such as 24h", shorten(c.Span))}
	}
	c.Since = time.Now().Add(-ago).UTC().Truncate(time.Millisecond)
	from, err := i.Indexer.JournalFrom(ctx)
	if from.After(c.Since) {
		c.From, c.Since = from.UTC(), from.UTC()
	}
	if err == nil {
		err = i.latest(ctx, &c)
	}
	return view{Name: "changes", Nav: "changes", Title: "Changes", Data: c}, err
}

// latest finds the newest changes that come before the cursor.
func (i *Inspector) latest(ctx context.Context, c *Changes) error {
	var before changelog.Event
	at, loc, _ := strings.Cut(c.Before, " ")
	if c.Before != "" {
		var err error
		if before.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return refusal{errors.New("before is none that a page of changes gave")}
		}
		before.Location = loc
	}
	events, err := i.Indexer.Latest(ctx, c.Since, before, mostPages+1)
	for n, e := range events {
		if n == mostPages {
			last := events[n-1]
			c.Next = last.At.UTC().Format(time.RFC3339Nano) + " " + last.Location
			break
		}
		c.Changes = append(c.Changes, i.Public.Change(e, c.Since))
	}
	return err
}

package servemap

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/admin/inspect"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/index/reader"
)

func (i inspected) List(ctx context.Context, w inspect.Wanted) (inspect.List, error) {
	some, err := reader.List(ctx, i.indexer.Reader, reader.Wanted(w), func(p *reader.Known) inspect.Row {
		page := i.page(*p)
		return inspect.Row{Page: page, Location: p.Location, Reason: p.Reason.String(), Modified: page.LastModified, Changes: page.Changes}
	})
	return inspect.List{Rows: some.Rows, Next: some.Next}, err
}

func (i inspected) Days(ctx context.Context) (days []inspect.Day, err error) {
	all, err := i.indexer.Days(ctx)
	for day, n := range all {
		at := time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly)
		days = append(days, inspect.Day{Date: at, Listed: n.Listed, Dated: n.Dated, Added: n.Added, Changed: n.Changed, Removed: n.Removed})
	}
	return days, err
}

// Links names the addresses that listed pages link to and the sitemap does not list, but no secret.
func (i inspected) Links(ctx context.Context) (links []inspect.Link, err error) {
	for _, t := range i.indexer.Links.Targets() {
		p, err := i.indexer.Page(ctx, t.Location)
		if err != nil {
			return nil, err
		}
		if p.Reason == eligibility.Capability || p.Reason == eligibility.Forgotten || p.Verdict == eligibility.Listed {
			continue
		}
		link := inspect.Link{
			URL: i.origin.URL(t.Location), Verdict: p.Verdict.String(), Reason: p.Reason.String(), From: i.urlsAt(t.From), At: t.At.UTC(),
			Status: t.Status, Followed: t.Followed, Broken: t.Broken(),
		}
		if t.To != "" {
			link.To = i.origin.URL(t.To)
		}
		links = append(links, link)
	}
	return links, nil
}

func (i inspected) Told(ctx context.Context) (told *inspect.Told, err error) {
	record, err := i.indexer.Notified(ctx)
	if err == nil && record != nil {
		err = json.Unmarshal(record, &told)
	}
	return told, err
}

func (i inspected) WriteFile(w io.Writer, name string) bool { return i.files.WriteTo(w, name) }

func (i inspected) Try(ctx context.Context, url string) (t inspect.Trial, err error) {
	loc, err := i.locate(url)
	if err != nil {
		return t, err
	}
	p, err := i.indexer.Page(ctx, loc)
	if err != nil {
		return t, err
	}
	t.URL = i.origin.URL(loc)
	word, _ := eligibility.WordIn(loc)
	inner := i.inner.Load()
	switch {
	case word == eligibility.Action || explore.MayAct(loc) || p.Verdict != eligibility.Listed && explore.Waits(loc):
		t.Refused = "A request for an address with such a name may change something, so servemap does not make it. Visit it yourself."
		return t, nil
	case inner == nil:
		t.Refused = "servemap does not know the handler that answers: it knows what Site.Wrap or Site.Mount was given. Visit it yourself."
		return t, nil
	}
	begun := time.Now()
	resp, err := explore.Once(ctx, explore.Config{Site: &i.observer.Visits, Normalizer: i.norm, Inside: *inner}, loc)
	if err != nil {
		return t, fmt.Errorf("servemap: fetching: %w", err)
	}
	t.Took, t.Status = time.Since(begun), resp.Status
	exchange := &observation.Exchange{Location: loc, At: begun, Response: resp, OwnQuery: i.norm.Parse(loc).OwnQuery, Explored: true}
	exchange.Kind, exchange.Reason = i.rules.Response(http.MethodGet, loc, resp)
	if exchange.Kind != eligibility.Witness {
		t.Text = fmt.Sprintf("It would not be listed by that answer: %s.", messages.Response(exchange.Reason.String()))
		return t, nil
	}
	o := observation.New(exchange, i.norm, nil)
	o.Read(i.norm, true, 0, nil)
	r := p.Judged()
	r.Witnessed, r.Absent, r.Content, r.Self, r.Until = true, eligibility.None, o.Forbids, o.Canonized, o.Until
	rule, _ := i.rules.Match(loc)
	would, _ := eligibility.Decide(r, eligibility.Context{
		Now: moment.Of(begun), Listing: rule.Listing, Entry: slices.Contains(i.entries, loc), OwnQuery: exchange.OwnQuery,
		Disallowed: p.Reason == eligibility.Disallowed,
	})
	t.Verdict, t.Reason, t.Text = would.Verdict.String(), would.Reason.String(), messages.Page(would.Verdict, would.Reason, loc)
	t.Missing = messages.Missing(loc, would.Verdict, would.Reason, r.Led())
	t.Setting = messages.Setting(loc, t.Verdict, t.Reason)
	return t, nil
}

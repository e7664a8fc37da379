package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/internal/admin/inspect"
	"github.com/servemap/servemap/notify"
)

// healthCommand never opens the folder: a site that nobody serves is not healthy.
func healthCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, _ string) error {
		if err := checkData(a.data); err != nil {
			return err
		}
		h, err := askHealth(ctx, a.data)
		switch {
		case a.json:
			_ = json.NewEncoder(s.out).Encode(h)
		case err != nil:
			fmt.Fprintf(s.out, "not served: no process answers in %s\n", a.data)
		case h.Store != "":
			fmt.Fprintf(s.out, "served by process %d at %s; the store cannot be used: %s\n", h.PID, escape(h.Listen, ""), escape(h.Store, ""))
		default:
			fmt.Fprintf(s.out, "served by process %d at %s\n", h.PID, escape(h.Listen, ""))
		}
		if errors.Is(err, locked(a.data)) {
			return err
		}
		if err != nil || !h.Ready {
			return errNo
		}
		return nil
	}
}

// isPage reports whether a text begins as a path or a URL does.
func isPage(text string) bool { return strings.HasPrefix(text, "/") || strings.Contains(text, "://") }

func noPage(text string) error {
	return usage("%q is no page; give its path, such as /%[1]s, or its URL", text)
}

func explainCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, u string) error {
		if !isPage(u) {
			return noPage(u)
		}
		c, err := a.connect(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		p, err := control.Get[servemap.Explanation](ctx, c, "/inspect/page.json", url.Values{"u": {u}})
		if err != nil {
			return err
		}
		p.NextObservation = time.Time{} // only a process that serves knows it; the answer is the same without one
		if err := a.show(p); err != nil || p.Listed() {
			return err
		}
		return errNo
	}
}

func listCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	prefix := fs.String("prefix", "", "print only pages whose URL or path begins with `TEXT`")
	return func(ctx context.Context, _ string) error {
		if *prefix != "" && !isPage(*prefix) {
			return usage("-prefix %s begins no page; give the beginning of a path, such as /%[1]s, or of a URL", *prefix)
		}
		return each(ctx, a, http.MethodGet, "/pages", url.Values{"prefix": {*prefix}}, func(w io.Writer, p servemap.Page) error {
			_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", escape(p.URL, ""), stamp(p.LastModified), escape(p.ChangeFreq, ""))
			return err
		})
	}
}

func statsCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, _ string) error {
		c, err := a.connect(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		var st stats
		if st.summary, err = control.Get[summary](ctx, c, "/inspect/stats.json", nil); err != nil {
			return err
		}
		if st.Crawlers, err = control.Get[crawlers](ctx, c, "/inspect/crawlers.json", nil); err != nil {
			return err
		}
		if st.IndexNow, err = control.Get[*notify.Status](ctx, c, "/indexnow", nil); err != nil {
			return err
		}
		if !a.json { // people get these with what they mean
			st.Stats.Verdicts, st.Stats.Ignored, st.Week = nil, nil, inspect.Week{}
		}
		return a.show(st)
	}
}

// stats are what the inspector knows of the whole site, and what IndexNow does.
type stats struct {
	summary
	Crawlers crawlers       `json:"crawlers"`
	IndexNow *notify.Status `json:"indexnow,omitempty"` // nil without -indexnow
}

type summary struct {
	inspect.Overview
	Stats servemap.Stats `json:"stats"` // in place of the Overview's, which are of any type
}

type crawlers struct {
	Followed bool               `json:"followed"`
	Crawlers []servemap.Crawler `json:"crawlers"`
}

func changesCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	since := fs.String("since", "24h", "how long ago, such as 24h, or a `TIME` such as 2026-11-01T00:00:00Z; all is the last 7 days")
	return func(ctx context.Context, _ string) error {
		at, err := time.Parse(time.RFC3339, *since)
		if d, e := time.ParseDuration(*since); e == nil && d >= 0 {
			at, err = time.Now().Add(-d), nil
		}
		if err != nil {
			return usage("-since %s is no time; give a duration such as 24h, or a time such as 2026-11-01T00:00:00Z", *since)
		}
		return each(ctx, a, http.MethodGet, "/changes", url.Values{"since": {at.Format(time.RFC3339Nano)}}, func(w io.Writer, c servemap.Change) error {
			kind := string(c.Kind)
			if c.Kind == servemap.ChangeAdded && c.At.After(c.Listed) {
				kind += ", changed"
			} else if c.Reason != "" {
				kind += ", " + string(c.Reason)
			}
			_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", stamp(c.At), escape(kind, ""), escape(c.URL, ""))
			return err
		})
	}
}

func forgetCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	undo := fs.Bool("undo", false, "let a page that was forgotten be listed again")
	return func(ctx context.Context, u string) error {
		if !isPage(u) {
			return noPage(u)
		}
		query, says := url.Values{"url": {u}}, map[bool]string{
			true: "is no longer listed or known, and stays out until -always names it or -undo", false: "was not known, and stays out until -always names it or -undo"}
		if *undo {
			query.Set("undo", "1")
			says = map[bool]string{true: "may be listed again, once a visitor gets it", false: "was not forgotten"}
		}
		return each(ctx, a, http.MethodPost, "/forget", query, func(w io.Writer, f forgotten) error {
			_, err := fmt.Fprintln(w, u, says[f.Known])
			return err
		})
	}
}

func linkCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, _ string) error {
		return each(ctx, a, http.MethodGet, "/link", nil, func(w io.Writer, v way) error {
			if v.Link == "" { // the key of a link ends with its process
				return fmt.Errorf("no process with an inspector serves -data %s; start proxy or files with -admin, such as -admin 127.0.0.1:9090", a.data)
			}
			_, err := fmt.Fprintln(w, v.Link)
			return err
		})
	}
}

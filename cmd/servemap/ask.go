package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/explorer"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/page/words"
)

func healthCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, _ string) error {
		h, err := askFirst[health](ctx, control.Near, a.data, "/health")
		text := "not served: no process answers in " + a.data
		switch {
		case errors.As(err, new(exit)):
			return err
		case errors.Is(err, os.ErrPermission):
			text = "not known: " + cmp.Or(control.Check(a.data), err).Error()
		case err != nil && control.Check(a.data) != nil:
			text += "; " + control.Check(a.data).Error()
		case err == nil && !h.Serves:
			text = fmt.Sprintf("not served: process %d only answers commands", h.PID)
		case err == nil && h.Store != "":
			text = fmt.Sprintf("served by process %d at %s; the store cannot be used: %s", h.PID, h.Listen, h.Store)
			if has, err := askFirst[health](ctx, control.Process, a.data, "/health"); err == nil && has.PID != h.PID {
				text = fmt.Sprintf("served by process %d at %s, without a sitemap: it waits for the folder, which process %d at "+
					"%s has", h.PID, h.Listen, has.PID, has.Listen)
			}
		case err == nil:
			text = fmt.Sprintf("served by process %d at %s", h.PID, h.Listen)
			switch {
			case h.Down:
				text += ", but the site behind it does not answer: visitors get 502 or 504"
			case h.Ending:
				text += ", which ends in order"
			case !h.Ready:
				text += "; there is no sitemap yet, and its address says why"
			}
		}
		if a.json {
			_ = a.show(h)
		} else {
			fmt.Fprintln(s.out, terminal.Escape(terminal.Conceal(text), ""))
		}
		if err != nil || !h.Serves {
			return errNo
		}
		return nil
	}
}

// isPage reports whether a text begins as a path or a URL does.
func isPage(text string) bool { return strings.HasPrefix(text, "/") || strings.Contains(text, "://") }

func noPage(text string) error {
	return usage("%q is no page; give its path, such as /about, or its URL with http:// or https://", text)
}

// shownLinks is how many of the pages that link to a page people are shown.
const shownLinks = 5

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
		p, err := control.Get[servemap.Explanation](ctx, c, "/inspect/page.json", url.Values{"u": {u}})
		c.Close() // before it prints, which may take long
		if err != nil {
			return err
		}
		if !a.served {
			fmt.Fprintln(a.err, "No process serves the site: this is what is stored.")
		}
		if !a.json {
			p.Missing = []string{strings.Join(p.Missing, "; or ")} // any one is enough
			if n := len(p.LinkedFrom); n > shownLinks {            // such as all that have a menu
				p.LinkedFrom = append(p.LinkedFrom[:shownLinks:shownLinks], fmt.Sprintf("and %d more", n-shownLinks))
			}
		}
		if err := a.show(p); err != nil || p.Listed() {
			return err
		}
		return errNo
	}
}

func listCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, _ string) error {
		none := true
		err := each(ctx, a, http.MethodGet, "/pages", nil, func(p servemap.Page) string {
			none = false
			return terminal.Row(p.URL, terminal.Stamp(p.LastModified), p.ChangeFreq)
		})
		if err == nil && none {
			fmt.Fprintf(a.err, "No page is listed; \"servemap status -data %s\" says why.\n", a.data)
		}
		return err
	}
}

func forgetCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	undo := fs.Bool("undo", false, "let a page that was forgotten be listed again")
	return func(ctx context.Context, u string) error {
		if !isPage(u) {
			return noPage(u)
		}
		query := url.Values{"url": {u}}
		done, not := "is no longer listed or known, and stays out until {Always} or -undo names it",
			"is not known, so nothing was changed; {Never} keeps out what is not known yet"
		if *undo {
			query.Set("undo", "1")
			done, not = "may be listed again, once a visitor gets it", "was not forgotten, so nothing was changed"
		}
		var f forgotten
		err := each(ctx, a, http.MethodPost, "/forget", query, func(answered forgotten) string {
			says := done
			if f = answered; !f.Known {
				says = not
			}
			return u + " " + words.Say(says) + "\n"
		})
		if err == nil && !f.Known {
			return errNo
		}
		return err
	}
}

func linkCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, _ string) error {
		v, err := askFirst[way](ctx, control.Process, a.data, "/link")
		switch {
		case errors.As(err, new(exit)), errors.As(err, new(control.ForeignError)):
			return err
		case err != nil || v.Link == "":
			return fmt.Errorf("no process with an inspector serves -data %s; start proxy or files with -admin, such as -admin "+
				"127.0.0.1:9090; a Go program says where its inspector is in its log", a.data)
		case a.json:
			return a.show(v)
		}
		_, err = fmt.Fprintln(a.out, v.Link)
		return err
	}
}

func exploreCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	most := fs.Int("max", 20_000, "how many `REQUESTS` it makes at most")
	inside := fs.Bool("inside", false, "explore the site itself, even where -origin does not lead to the process; only "+
		"if no server in front keeps strangers from a page")
	return func(ctx context.Context, _ string) error {
		log, err := newLog(s, "", slog.LevelInfo)
		if err != nil {
			return err
		}
		var last progress
		tell, query := explorer.Progress(log), url.Values{"max": {strconv.Itoa(*most)},
			"inside": {strconv.FormatBool(*inside)}}
		err = each(ctx, a, http.MethodPost, "/explore", query, func(p progress) string {
			last = p
			tell(p.Exploration)
			return ""
		})
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%w; what was found so far is kept, and the next exploration begins anew", err)
		case err != nil:
			return err
		case last.Error != "":
			return errors.New(strings.TrimPrefix(last.Error, "servemap: "))
		case a.json:
			return nil
		}
		fmt.Fprintf(a.out, "%s got %s. Now:\n\n", words.Count(last.Requests, "request"), words.Count(last.Pages, "page"))
		return a.status(ctx)
	}
}

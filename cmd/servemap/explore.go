package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/servemap/servemap/cmd/servemap/internal/explorer"
)

func exploreCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	most, inside := 0, false
	fs.IntVar(&most, "max", 20_000, "how many `REQUESTS` it makes at most")
	fs.BoolVar(&inside, "inside", false, "explore the site itself, even where -origin does not lead to the process; only if no server in front keeps strangers from a page")
	return func(ctx context.Context, _ string) error {
		return a.explore(ctx, url.Values{"max": {strconv.Itoa(most)}, "inside": {strconv.FormatBool(inside)}})
	}
}

// explore makes the process explore its site, and shows the progress.
func (a *asking) explore(ctx context.Context, query url.Values) error {
	log, err := newLog(a.streams, "", slog.LevelInfo)
	if err != nil {
		return err
	}
	var last progress
	tell := explorer.Progress(log)
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
	for _, advice := range explorer.Advice(last.Exploration) {
		fmt.Fprintln(a.err, advice)
	}
	return a.show(last.Exploration)
}

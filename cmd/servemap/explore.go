package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/explorer"
)

func exploreCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	a := newAsking(s, fs)
	most, inside := 0, false
	maxFlag(fs, &most)
	insideFlag(fs, &inside)
	return func(ctx context.Context, _ string) error {
		return a.explore(ctx, url.Values{"max": {strconv.Itoa(most)}, "inside": {strconv.FormatBool(inside)}})
	}
}

// explore makes the process explore its site, and shows the progress.
func (a *asking) explore(ctx context.Context, query url.Values) error {
	told := time.Now()
	var last progress
	err := each(ctx, a, http.MethodPost, "/explore", query, func(_ io.Writer, p progress) error {
		if last = p; time.Since(told) >= explorer.LogEvery {
			told = time.Now()
			fmt.Fprintf(a.err, "%d requests, %d pages, %d waiting\n", p.Requests, p.Pages, p.Waiting)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case last.Elsewhere:
		return fmt.Errorf("%s: %s", strings.TrimPrefix(last.Error, "servemap: exploring: "), a.withInside())
	case last.Error != "":
		return errors.New(strings.TrimPrefix(last.Error, "servemap: "))
	case a.json:
		return nil
	}
	if last.Waiting > 0 {
		fmt.Fprintln(a.err, "Call it again to ask for the locations that wait.")
	}
	if last.Skipped["query"] > 0 {
		fmt.Fprintln(a.err, "If a parameter of a query makes a page of its own, name it in -query.")
	}
	if len(last.Acting) > 0 {
		fmt.Fprintln(a.err, "Links that may change something were not asked for; give -always for those that are pages.")
	}
	return a.show(last.Exploration)
}

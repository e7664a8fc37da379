package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
	err := each(ctx, a, http.MethodPost, "/explore", query, func(p progress) string {
		if last = p; time.Since(told) >= explorer.LogEvery {
			told = time.Now()
			fmt.Fprintf(a.err, "%d requests, %d pages, %d left\n", p.Requests, p.Pages, p.Waiting)
		}
		return ""
	})
	switch {
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

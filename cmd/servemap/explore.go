package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

func exploreCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	most := 0
	maxFlag(fs, &most)
	return func(ctx context.Context, args []string) error {
		if err := none(args); err != nil {
			return err
		}
		return a.explore(ctx, url.Values{"max": {strconv.Itoa(most)}}, nil)
	}
}

func importCommand(s streams, fs *flag.FlagSet) func(context.Context, []string) error {
	a := newAsking(s, fs)
	return func(ctx context.Context, args []string) error {
		if len(args) == 0 {
			return usage("name a sitemap or an access log: a file, - for the standard input, or the URL of a sitemap that the site serves")
		}
		for _, name := range args {
			if err := a.importOne(ctx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}
}

func (a *asking) importOne(ctx context.Context, name string) error {
	if strings.Contains(name, "://") {
		return a.explore(ctx, url.Values{"sitemap": {name}}, nil)
	}
	if name == "-" {
		return a.explore(ctx, nil, a.in)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return a.explore(ctx, nil, f)
}

// explore makes the process explore its site, and shows the progress.
func (a *asking) explore(ctx context.Context, query url.Values, seed io.Reader) error {
	told := time.Now()
	terminal := isTerminal(a.err)
	var last progress
	err := each(ctx, a, http.MethodPost, "/explore", query, seed, func(_ *bufio.Writer, p progress) error {
		last = p
		switch {
		case terminal && !a.json:
			fmt.Fprintf(a.err, "\r\033[K%d requests, %d pages, %d waiting", p.Requests, p.Pages, p.Waiting)
		case time.Since(told) >= logEvery:
			told = time.Now()
			fmt.Fprintf(a.err, "%d requests, %d pages, %d waiting\n", p.Requests, p.Pages, p.Waiting)
		}
		return nil
	})
	if terminal && !a.json {
		fmt.Fprint(a.err, "\r\033[K")
	}
	switch {
	case err != nil:
		return err
	case last.Error != "":
		return errors.New(strings.TrimPrefix(last.Error, "servemap: "))
	case a.json:
		return nil
	}
	out := bufio.NewWriter(a.out)
	fmt.Fprintf(out, "%d requests, %d pages", last.Requests, last.Pages)
	if last.Waiting > 0 {
		fmt.Fprintf(out, "; %d locations are left, call it again to ask for them", last.Waiting)
	}
	out.WriteByte('\n')
	table(out, "Links that were not asked for, by reason:", last.Skipped, nil)
	if len(last.Acting) > 0 {
		fmt.Fprint(out, "\nThese may change something and were not asked for; give -always for those that are pages:\n")
	}
	for _, u := range last.Acting {
		fmt.Fprintf(out, "  %s\n", u)
	}
	return out.Flush()
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
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

	"github.com/servemap/servemap/cmd/servemap/internal/explorer"
	"github.com/servemap/servemap/internal/crawl/explore"
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
		seed, err := a.seed(args)
		if err != nil {
			return err
		}
		return a.explore(ctx, nil, seed)
	}
}

// seed returns what the arguments of import name, as one seed for one exploration.
func (a *asking) seed(names []string) (io.Reader, error) {
	var seed bytes.Buffer
	name := func(kind string, addresses ...string) {
		for _, u := range addresses {
			fmt.Fprintf(&seed, "<%s><loc>", kind)
			_ = xml.EscapeText(&seed, []byte(u)) // a Buffer never fails
			fmt.Fprintf(&seed, "</loc></%s>", kind)
		}
	}
	seed.WriteString("<urlset>")
	for _, arg := range names {
		if strings.Contains(arg, "://") {
			name("sitemap", arg)
			continue
		}
		urls, sitemaps, err := a.readSeed(arg)
		if err != nil {
			return nil, err
		}
		name("url", urls...)
		name("sitemap", sitemaps...)
	}
	seed.WriteString("</urlset>")
	return &seed, nil
}

// readSeed reads a sitemap or a log from a file.
func (a *asking) readSeed(name string) (urls, sitemaps []string, err error) {
	in := a.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		in = f
	}
	urls, sitemaps, err = explore.ReadSeeds(in)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s cannot be read: %w", name, err)
	case len(urls)+len(sitemaps) == 0:
		return nil, nil, fmt.Errorf("%s names no page: it is neither a sitemap nor an access log in the combined or common format", name)
	}
	return urls, sitemaps, nil
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
		case time.Since(told) >= explorer.LogEvery:
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
	table(out, "Links that were not asked for, by reason:", last.Skipped)
	if last.Skipped["query"] > 0 {
		fmt.Fprint(out, "\nIf a parameter of a query makes a page of its own, name it in -query.\n")
	}
	if len(last.Acting) > 0 {
		fmt.Fprint(out, "\nThese may change something and were not asked for; give -always for those that are pages:\n")
	}
	for _, u := range last.Acting {
		fmt.Fprintf(out, "  %s\n", u)
	}
	return out.Flush()
}

package main

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"strconv"

	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
)

func checkCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	asJSON := fs.Bool("json", false, "print JSON, an object a line")
	sample := fs.Int("pages", 20, "how many of the listed `PAGES` are checked")
	origin := fs.String("origin", "", "the site's public `URL`, where the sitemap is read from another server, such as the one behind a proxy")
	return func(ctx context.Context, name string) error {
		cfg := check.Config{Pages: *sample, Tell: func(f check.Finding) {
			fmt.Fprintf(s.out, "%-7s %s: %s\n", f.Level, terminal.Escape(f.Where, ""), terminal.Escape(f.Text, ""))
		}}
		if *asJSON {
			cfg.Tell = func(f check.Finding) { answer(s.out, f) }
		}
		for _, u := range []struct {
			text string
			to   **url.URL
		}{{name, &cfg.URL}, {*origin, &cfg.Origin}} {
			at, err := url.Parse(u.text)
			if u.text == "" {
				at = cfg.URL
			} else if err != nil || at.Host == "" {
				return usage("%s is no URL; give one such as https://example.com or https://example.com/sitemap.xml", u.text)
			}
			*u.to = at
		}
		pages, faults, err := check.Run(ctx, cfg)
		if err != nil {
			return err
		}
		if !*asJSON {
			fmt.Fprintf(s.out, "%s, %s\n", count(pages, "page"), count(faults, "fault"))
		}
		if faults > 0 {
			return errNo
		}
		return nil
	}
}

// count names a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

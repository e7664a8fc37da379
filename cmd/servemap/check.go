package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"

	"github.com/servemap/servemap/cmd/servemap/internal/check"
)

// samePrinted is how many findings with the same text are printed.
const samePrinted = 5

func checkCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	asJSON := fs.Bool("json", false, "print JSON, an object a line")
	sample := fs.Int("pages", 20, "how many of the listed `pages` are checked")
	origin := fs.String("origin", "", "the site's public `URL`, where the sitemap is read from another server, such as the one behind a proxy")
	return func(ctx context.Context, name string) (err error) {
		cfg := check.Config{Name: name, Pages: *sample}
		if *origin != "" {
			if cfg.Origin, err = url.Parse(*origin); err != nil || cfg.Origin.Host == "" {
				return usage("-origin %s is no URL; give one such as https://example.com", *origin)
			}
		}
		told := map[check.Finding]int{} // findings by level and text
		var many []check.Finding        // of which not all are printed
		cfg.Tell = func(f check.Finding) {
			same := check.Finding{Level: f.Level, Text: f.Text}
			if told[same]++; told[same] <= samePrinted {
				fmt.Fprintf(s.out, "%-7s %s: %s\n", f.Level, escape(f.Where, ""), escape(f.Text, ""))
			} else if told[same] == samePrinted+1 {
				many = append(many, same)
			}
		}
		if *asJSON {
			out := json.NewEncoder(s.out)
			out.SetEscapeHTML(false)
			cfg.Tell = func(f check.Finding) { _ = out.Encode(f) }
		}
		pages, faults, err := check.Run(ctx, cfg)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w; if it is an address, begin it with http:// or https://", err)
		} else if err != nil {
			return err
		}
		for _, f := range many {
			fmt.Fprintf(s.out, "%-7s %d more: each %s\n", f.Level, told[f]-samePrinted, escape(f.Text, ""))
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

func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

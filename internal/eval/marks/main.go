// Command marks measures how well changes of a page's content are told from everything else that makes two responses differ. It replays histories
// of real pages through the ledger, as if a visitor had got each fetch, and compares the dates that the sitemap would publish with the truth.
//
//	go run ./internal/eval/marks FILE.jsonl.zst
//	go run ./internal/eval/marks -rebuild DIR
//
// Run it with -help for what is in such a file and how it is scored.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

const help = `usage: marks [-json] [-restart N] FILE.jsonl.zst ...
       marks [-json] [-restart N] [-builds N] [-looks X] [-seed N] -rebuild DIR [-rebuild DIR ...]

A file holds the fetches of pages, one JSON object a line, in plain text or
compressed with zstd; a site's lines stand together, the oldest first:

  {"site": "...", "page": "...", "unix": 1762857928, "truth": "...", "html": "..."}

The truth says whether the content became another one than before: "change" or
"same"; "first" at a page's first fetch, which only teaches; "unclear" where
nobody knows, which is not scored, and a change dated there is taken for one.

A detector may take its time. A change counts by the fetch that it is dated to,
the date that the sitemap would show if it lists the page: one between two
fetches stands for the later one, and one before the first for none. Just before
a page's next fetch, and at the end, the date then published is compared with
the true last change: the share of those that agree is "lastmod".

Per look are the microseconds that a detector takes, with the parsing of the
page, and for ours all else that a ledger does. Bytes are those that a detector
keeps of a page, on average; the simple ones keep a hash or some.

With -rebuild, the HTML files below each DIR are taken for a site that is built
again and again: each time with another date and version, other names of assets,
at times with another menu or template, and with a true edit of a few pages.

`

func main() {
	var dirs []string
	opts := options{simulation: simulation{maxPages: 200}}
	flag.BoolVar(&opts.json, "json", false, "print JSON")
	flag.IntVar(&opts.restart, "restart", 0, "start the ledger of a site anew after each `N` fetches, 0 for never")
	flag.Func("rebuild", "simulate rebuilds of the site of HTML files below `DIR`; may be repeated", func(dir string) error {
		dirs = append(dirs, dir)
		return nil
	})
	flag.IntVar(&opts.builds, "builds", 12, "with -rebuild, how often a site is built")
	flag.Float64Var(&opts.looks, "looks", 1, "with -rebuild, how often a page is looked at between two builds, on average")
	flag.Uint64Var(&opts.seed, "seed", 1, "with -rebuild, of the random numbers")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), help)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg()+len(dirs) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, flag.Args(), dirs, opts); err != nil {
		fmt.Fprintln(os.Stderr, "marks:", err)
		os.Exit(1)
	}
}

type options struct {
	json    bool
	restart int // see replay
	simulation
}

// run replays files and sites that are simulated, and prints the outcome.
func run(ctx context.Context, w io.Writer, files, dirs []string, opts options) error {
	var all report
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = replay(ctx, func(each func(*fetch) error) error { return read(f, each) }, opts.restart, &all)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, dir := range dirs {
		if err := replay(ctx, opts.simulation.of(dir), opts.restart, &all); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	if opts.json {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(all.sum())
	}
	all.print(w)
	return nil
}

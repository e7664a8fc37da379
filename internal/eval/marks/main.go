// Command marks measures how well changes of a page's content are told from everything else that makes two responses differ. It replays histories
// of real pages through the ledger, as if a visitor had got each fetch, and compares the dates that the sitemap would publish with the truth.
//
//	go run ./internal/eval/marks FILE.jsonl.zst
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

const help = `usage: marks [-json] FILE.jsonl.zst ...

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

`

func main() {
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), help)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, flag.Args(), *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "marks:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, files []string, asJSON bool) error {
	var all report
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = replay(ctx, f, &all)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(all.sum())
	}
	all.print(w)
	return nil
}

// Command flood measures what a flood of junk locations costs an observed site, and whether
// any of it is listed.
//
//	go run ./internal/eval/flood
//	go run ./internal/eval/flood -http -rate 60 -junk 6000 -bytes 1048576 -patience 45s
//
// The site answers 200 with HTML to any path. A crawler visits its real pages. Then each junk location gets one
// visit, among visits to the real pages. Most of a fast flood gets no observation, since observations of unknown
// targets are rationed. New pages are linked in the middle of the flood.
//
// It exits with status 1 if junk was listed, a real page was lost or missed, a new one was
// not listed in time, or a bound was exceeded.
package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// config says what the flood is and what it may cost.
type config struct {
	junk, pages        int
	http               bool
	bytes              int           // of a junk page, at least
	rate               float64       // requests/s, 0 for as fast as it goes
	patience           time.Duration // for new pages to be listed
	maxMemory, maxDisk int64         // bytes, over those of the bare site
}

// errBounds says that the flood did, or cost, more than it may.
var errBounds = errors.New("out of bounds")

func main() {
	cfg := config{maxMemory: 64 << 20, maxDisk: 256 << 20}
	flag.IntVar(&cfg.junk, "junk", 1_000_000, "distinct junk locations")
	flag.IntVar(&cfg.pages, "pages", 1000, "real pages, with the root and 20 sections")
	flag.BoolVar(&cfg.http, "http", false, "serve by a real server on the loopback interface")
	flag.Float64Var(&cfg.rate, "rate", 0, "requests per second; 0 for as fast as it goes")
	flag.IntVar(&cfg.bytes, "bytes", 0, "least size of a junk page; what is added is dense with markup")
	flag.DurationVar(&cfg.patience, "patience", 90*time.Second, "how long new pages may take to be listed")
	kit.Main("flood", func(ctx context.Context) error { return run(ctx, cfg, os.Stdout) })
}

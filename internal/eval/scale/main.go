// Command scale fills a store on disk with a site of many pages, as visits would, and
// measures what that site costs.
//
//	go run ./internal/eval/scale -pages 1000000 -dir /var/tmp/million
//	go run ./internal/eval/scale -sites 10000
//
// A folder that is filled already is only measured. Each step runs in its own process, so
// that one step's memory does not count for another.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// config says how large the site is and where it is kept.
type config struct {
	pages int
	looks int // at each page
	sites int // 0 for one large site
	parts int // sections, 0 for none
	dir   string
	rest  time.Duration
	step  string
}

func main() {
	var cfg config
	flag.IntVar(&cfg.pages, "pages", 100_000, "pages of the site")
	flag.IntVar(&cfg.looks, "looks", 2, "how often each page is seen")
	flag.IntVar(&cfg.sites, "sites", 0, "sites of 20 pages each, in place of one with all pages")
	flag.IntVar(&cfg.parts, "sections", 0, "sections of the sitemap, by the first letters of its folders, at most 26")
	flag.StringVar(&cfg.dir, "dir", "", `folder of the store, which is kept; "" for a temporary one`)
	flag.DurationVar(&cfg.rest, "rest", 135*time.Second,
		"how long the site is left alone before its memory is measured; Go collects garbage once in 2 minutes where "+
			"nothing happens")
	flag.StringVar(&cfg.step, "step", "",
		`the one step to be done: "fill", "change", "serve" or "inspect", with -sites "fill" or "serve"; "" for all`)
	kit.Main("scale", func(ctx context.Context) error { return run(ctx, cfg) })
}

func run(ctx context.Context, cfg config) error {
	steps := map[string]func(context.Context,
		config) error{"": runAll, "fill": fill, "change": change, "serve": serve, "inspect": inspect}
	if cfg.sites > 0 {
		steps = map[string]func(context.Context, config) error{"": runAll, "fill": fillSites, "serve": serveSites}
	}
	step := steps[cfg.step]
	if step == nil {
		return fmt.Errorf("there is no step %q", cfg.step)
	}
	return step(ctx, cfg)
}

// runAll runs every step in its own process.
func runAll(ctx context.Context, cfg config) (err error) {
	if cfg.dir == "" {
		if cfg.dir, err = os.MkdirTemp("", "scale-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(cfg.dir)) }()
	}
	filled := filepath.Join(cfg.dir, "filled") // says how many pages the folder has
	want, measured := fmt.Sprintf("%d pages\n", cfg.pages), []string{"change", "serve", "inspect"}
	if cfg.sites > 0 {
		want, measured = fmt.Sprintf("%d sites\n", cfg.sites), []string{"serve"}
	}
	got, _ := os.ReadFile(filled)
	switch {
	case len(got) > 0 && string(got) != want:
		return fmt.Errorf("%s holds %s", cfg.dir, got)
	case string(got) != want:
		if err := child(ctx, cfg, "fill"); err != nil {
			return err
		}
		if err := os.WriteFile(filled, []byte(want), 0o600); err != nil {
			return err
		}
	}
	for _, step := range measured {
		if err := child(ctx, cfg, step); err != nil {
			return err
		}
	}
	return nil
}

func child(ctx context.Context, cfg config, step string) error {
	command, err := kit.Self("-step", step, "-dir", cfg.dir, "-rest", cfg.rest.String(),
		"-pages", strconv.Itoa(cfg.pages), "-looks", strconv.Itoa(cfg.looks), "-sites", strconv.Itoa(cfg.sites), "-sections",
		strconv.Itoa(cfg.parts))
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("step %s: %w", step, err)
	}
	return nil
}

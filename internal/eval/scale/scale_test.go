package scale

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
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

var given config

func init() {
	flag.IntVar(&given.pages, "pages", 0, "pages of the site; 0 for small sites")
	flag.IntVar(&given.looks, "looks", 2, "how often each page is seen")
	flag.IntVar(&given.sites, "sites", 0, "sites of 20 pages each, in place of one with all pages")
	flag.IntVar(&given.parts, "sections", 0, "sections of the sitemap, by the first letters of its folders, at most 26")
	flag.StringVar(&given.dir, "dir", "", `folder of the store, which is kept; "" for a temporary one`)
	flag.DurationVar(&given.rest, "rest", 135*time.Second,
		"how long the site is left alone before its memory is measured; Go collects garbage once in 2 minutes where "+
			"nothing happens")
	flag.StringVar(&given.step, "step", "",
		`the one step to be done: "fill", "change", "serve" or "inspect", with -sites "fill" or "serve"; "" for all`)
}

// steps are what is done with one site or, if several is set, with many.
func steps(several bool) map[string]func(*testing.T, config) {
	if several {
		return map[string]func(*testing.T, config){"fill": fillSites, "serve": serveSites}
	}
	return map[string]func(*testing.T, config){"fill": fill, "change": change, "serve": serve, "inspect": inspect}
}

func TestEveryStepWorks(t *testing.T) {
	switch {
	case given.dir != "" && !filepath.IsAbs(given.dir): // it would be in the folder of the package, where tests run
		t.Fatalf("-dir %s: give it from the root on, such as /var/tmp/million", given.dir)
	case given.step != "":
		do := steps(given.sites > 0)[given.step]
		if do == nil {
			t.Fatalf("there is no step %q", given.step)
		}
		do(t, given)
		return
	case given.pages+given.sites > 0:
		runAll(t, given)
		return
	}
	base.OneByOne(t)
	for _, cfg := range []config{{pages: 250, looks: 2, dir: t.TempDir()}, {pages: 250, sites: 3, dir: t.TempDir()}} {
		for _, step := range []string{"fill", "change", "serve", "inspect"} {
			if do := steps(cfg.sites > 0)[step]; do != nil {
				t.Run(fmt.Sprintf("%s %d", step, cfg.sites), func(t *testing.T) { do(t, cfg) })
			}
		}
	}
}

// runAll runs every step in its own process.
func runAll(t *testing.T, cfg config) {
	if cfg.dir == "" {
		cfg.dir = t.TempDir()
	}
	filled := filepath.Join(cfg.dir, "filled") // says how many pages the folder has
	want, measured := fmt.Sprintf("%d pages\n", cfg.pages), []string{"change", "serve", "inspect"}
	if cfg.sites > 0 {
		want, measured = fmt.Sprintf("%d sites\n", cfg.sites), []string{"serve"}
	}
	got, _ := os.ReadFile(filled)
	switch {
	case len(got) > 0 && string(got) != want:
		t.Fatalf("%s holds %s", cfg.dir, got)
	case string(got) != want:
		child(t, cfg, "fill")
		base.Check(t, os.WriteFile(filled, []byte(want), 0o600))
	}
	for _, step := range measured {
		child(t, cfg, step)
	}
}

func child(t *testing.T, cfg config, step string) {
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout", "0", "-step", step, "-dir", cfg.dir, "-rest",
		cfg.rest.String(), "-pages", strconv.Itoa(cfg.pages), "-looks", strconv.Itoa(cfg.looks), "-sites",
		strconv.Itoa(cfg.sites), "-sections", strconv.Itoa(cfg.parts))
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		t.Fatalf("step %s: %v", step, err)
	}
}

// Command faults breaks what a site's store depends on. It checks that the site still
// serves, that nothing is lost, and that nothing is listed that must not be.
//
//	go run ./internal/eval/faults
//	go run ./internal/eval/faults -part diskfull -trials 100
//	go run ./internal/eval/faults -part kill -kills 200
//
// It starts itself again as the site, in another process, and then kills and starves that.
// Each part prints one line with its counts. A part that the system does not allow is left
// out, with the reason; if CI=true, that is a failure. Most parts need root on Linux.
//
// It exits with status 1 if a part failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// config says how long and how hard the parts try.
type config struct {
	trials int // of shortages
	images int // damaged folders
	kills  int
	work   string // a folder for all files
}

// part is one way to break the store. It returns its line.
type part struct {
	name string
	run  func(context.Context, *config) (string, error)
}

var parts = []part{
	{"diskfull", diskFull},
	{"corrupt", corrupt},
	{"stores", badStores},
	{"kill", kill},
}

// errForbidden is wrapped by the error of a part that this system does not allow.
var errForbidden = errors.New("not possible here")

func main() {
	if len(os.Args) > 1 && os.Args[1] == siteArg {
		os.Exit(serveSite(os.Args[2:]))
	}
	var cfg config
	names := flag.String("part", "", "the parts to run, with commas between; all by default")
	flag.IntVar(&cfg.trials, "trials", 20, "how often the disk is filled")
	flag.IntVar(&cfg.images, "images", 200, "damaged folders")
	flag.IntVar(&cfg.kills, "kills", 50, "how often a site is killed")
	kit.Main("faults", func(ctx context.Context) error { return runAll(ctx, cfg, *names) })
}

// runAll runs the named parts one after the other, and returns which of them failed.
func runAll(ctx context.Context, cfg config, names string) (err error) {
	known := 0
	for _, p := range parts {
		if names != "" && !strings.Contains(","+names+",", ","+p.name+",") {
			continue
		}
		known++
		begun := time.Now()
		line, failure := runIn(ctx, cfg, p)
		took := time.Since(begun).Round(time.Second)
		switch {
		case errors.Is(failure, errForbidden) && os.Getenv("CI") != "true":
			fmt.Printf("%s: left out: %v\n", p.name, failure)
		case failure != nil:
			err = errors.Join(err, fmt.Errorf("part %s failed", p.name))
			fmt.Printf("%s: FAILED after %v: %s: %v\n", p.name, took, line, failure)
		default:
			fmt.Printf("%s: %s (%v)\n", p.name, line, took)
		}
	}
	if names != "" && known != len(strings.Split(names, ",")) {
		return fmt.Errorf("some of the parts %q do not exist", names)
	}
	return err
}

// runIn runs a part in its own folder.
func runIn(ctx context.Context, cfg config, p part) (line string, err error) {
	if cfg.work, err = os.MkdirTemp("", "faults-"+p.name+"-"); err != nil {
		return "", err
	}
	line, err = p.run(ctx, &cfg)
	return line, errors.Join(err, os.RemoveAll(cfg.work))
}

package faults

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var (
	asked  = flag.String("part", "none", "the parts to run, with commas between")
	trials = flag.Int("trials", 20, "how often the disk is filled")
	images = flag.Int("images", 200, "damaged folders")
	kills  = flag.Int("kills", 50, "how often a site is killed")
)

// parts are the ways to break the store.
var parts = map[string]func(*testing.T){"diskfull": diskFull, "corrupt": corrupt, "stores": badStores, "kill": kill}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == siteArg {
		os.Exit(serveSite(os.Args[2:]))
	}
	m.Run()
}

func TestFaults(t *testing.T) {
	if *asked == "none" {
		t.Skip("no part is asked for")
	}
	for part := range strings.SplitSeq(*asked, ",") {
		run := parts[part]
		if run == nil {
			t.Fatalf("there is no part %q", part)
		}
		t.Run(part, run)
	}
}

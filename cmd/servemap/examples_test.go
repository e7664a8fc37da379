package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestExamplesOfTheHelpRun(t *testing.T) {
	site := writeSite(t)
	t.Chdir(t.TempDir())
	base.Check(t, os.WriteFile(filepath.Join(site, "about"), []byte(`<!doctype html><title>about</title><p>We bake.`), 0o600))
	files(t, site, "sitemap-data", "-always", "/about", "-admin", "127.0.0.1:0") // explored, since the rule names it
	for _, c := range commands() {
		if c.name == "proxy" || c.name == "files" || c.name == "check" { // they need the site of the example
			continue
		}
		must(t, strings.Fields(c.example)...)
	}
}

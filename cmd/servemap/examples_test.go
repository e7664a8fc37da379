package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExamplesOfTheHelpRun(t *testing.T) {
	site := writeSite(t)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		filepath.Join(site, "about"): `<!doctype html><title>about</title><p>We bake.`,
		"access.log":                 `192.0.2.1 - - [22/Nov/2026:10:00:00 +0000] "GET /a.html HTTP/1.1" 200 12 "-" "curl"` + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files(t, site, "sitemap-data", "-always", "/about") // explored, since the rule names it
	for _, c := range commands() {
		if c.name == "proxy" || c.name == "files" || c.name == "check" { // they need the site of the example
			continue
		}
		must(t, strings.Fields(c.example)...)
	}
}

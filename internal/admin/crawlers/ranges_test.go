package crawlers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestRangesAreReadAsEnginesPublishThem(t *testing.T) {
	const list = `{"creationTime": "2026-11-01T00:00:00", "prefixes": [{"ipv4Prefix": "192.0.2.0/28"}, {"ipv6Prefix": "2001:db8::/48"}]}`
	for _, row := range []struct{ name, file, content, fails string }{
		{"a list", "GPTBot.json", list, ""},
		{"a crawler that is not followed", "MyBot.json", list, "no crawler that is followed"},
		{"no JSON", "GPTBot.json", "<html>", "no list of an engine's addresses"},
		{"an empty list", "GPTBot.json", `{"prefixes": []}`, "no ipv4Prefix"},
		{"a range that is none", "GPTBot.json", `{"prefixes": [{"ipv4Prefix": "192.0.2.0/99"}]}`, "no list of an engine's addresses"},
		{"no list in the folder", "GPTBot.txt", list, "has no list"},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			base.Check(t, os.WriteFile(filepath.Join(dir, row.file), []byte(row.content), 0o600))
			ranges, err := ReadRanges(dir)
			if row.fails != "" {
				if err == nil || !strings.Contains(err.Error(), row.fails) {
					t.Fatalf("the error is %v, want %q in it", err, row.fails)
				}
				return
			}
			base.Check(t, err)
			if got := ranges[gpt]; len(got) != 2 || got[0].String() != "192.0.2.0/28" || got[1].String() != "2001:db8::/48" {
				t.Errorf("the ranges are %v", got)
			}
		})
	}
}

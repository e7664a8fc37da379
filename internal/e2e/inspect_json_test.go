package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestInspectorAnswersInJSON(t *testing.T) {
	inspected(t, nil, func(s *testkit.Site) {
		for path, fields := range map[string][]string{
			"stats.json": {"stats", "state", "reasons", "history", "look_into"},
			"page.json?u=/a": {"url", "verdict", "reason", "text", "evidence", "changes", "first_seen", "last_seen",
				"dates", "element"},
			"pages.json":               {"pages"},
			"pages.json?q=c":           {"query", "pages"},
			"changes.json?since=1h":    {"since", "changes"},
			"files.json":               {"files", "robots_line"},
			"links.json":               {"broken", "chains"},
			"crawlers.json":            {"followed", "crawlers"},
			"page.json?u=https://x.y/": {"error"},
		} {
			a := s.Get("/inspect/" + path)
			var got map[string]any
			if err := json.Unmarshal([]byte(a.Body), &got); err != nil ||
				a.Header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("%s: %v, %q", path, err, a.Header.Get("Content-Type"))
			}
			for _, f := range fields {
				if list, ok := got[f]; !ok || list == nil {
					t.Errorf("%s has no %q:\n%s", path, f, a.Body)
				}
			}
		}
		var p struct{ Element string }
		if err := json.Unmarshal([]byte(s.Get("/inspect/page.json?u=/a").Body), &p); err != nil || p.Element == "" ||
			!strings.Contains(s.Get("/sitemap.xml").Body, p.Element) {
			t.Errorf("%v: the sitemap has no %q", err, p.Element)
		}
	})
}

func TestPagesAndChangesGoOnWhereTheyEnded(t *testing.T) {
	base.OneByOne(t)
	links := append(numbered("/list/p%03d", 230), numbered("/d%02d/x", 70)...)
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL(links...)}, func(s *testkit.Site) {
		s.Visit(append([]string{"/"}, links...)...)
		inspector := s.Inspector(everybody)
		each := func(target, list, key, cursor string) (found []string) {
			for next := ""; ; {
				address := target
				if next != "" {
					address += "&" + cursor + "=" + url.QueryEscape(next)
				}
				w := base.Ask(inspector, http.MethodGet, address)
				var got map[string]any
				if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
					t.Fatalf("%s: %v\n%s", address, err, w.Body)
				}
				rows, _ := got[list].([]any)
				for _, row := range rows {
					found = append(found, strings.TrimPrefix(row.(map[string]any)[key].(string), "https://example.com"))
				}
				if next, _ = got["next"].(string); next == "" || len(found) > 1000 {
					return found
				}
			}
		}
		all := append([]string{"/"}, links...)
		slices.Sort(all)
		for _, tt := range []struct {
			name string
			got  []string
			want []string
			any  bool // in any order
		}{
			{"pages", each("/pages.json?q=", "pages", "url", "after"), all, false},
			{"pages of a folder", each("/pages.json?q=/list/*", "pages", "url", "after"), links[:230], false},
			{"found by a word", each("/pages.json?q=LIST", "pages", "url", "after"), links[:230], false},
			{"changes", each("/changes.json?since=1h", "changes", "url", "before"), all, true},
		} {
			if tt.any {
				slices.Sort(tt.got)
			}
			if !slices.Equal(tt.got, tt.want) {
				t.Errorf("%s: %d, want %d:\n%q", tt.name, len(tt.got), len(tt.want), tt.got)
			}
		}
	})
}

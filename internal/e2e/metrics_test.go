package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestMetricsShowWhatTheSiteDid(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/about"), "/about": testkit.Page("about"),
		"/data": testkit.Reply(http.StatusOK, "{}", "Content-Type", "application/json")}
	s := testkit.Start(t, testkit.Setup{Handler: site, Options: servemap.Options{Crawlers: true}})
	_, err := s.Explore(t.Context(), &servemap.ExploreOptions{Inside: site})
	base.Check(t, err)
	base.Ask(s, http.MethodGet, "https://example.com/sitemap.xml", "User-Agent", "DuckDuckBot/1.1")
	s.Visit("/data", "/sitemap-7.xml") // so that all verdicts are counted
	before := scrape(t, s)
	for _, line := range []string{
		`servemap_pages{site="https://example.com",verdict="listed",reason="entry"} 1`,
		`servemap_sitemap_pages{site="https://example.com"} 2`,
		`servemap_sitemap_files{site="https://example.com"} 1`,
		`servemap_changes_total{site="https://example.com",kind="added"} 2`,
		`servemap_changes_total{site="https://example.com",kind="removed"} 0`,
		`servemap_observations_total{site="https://example.com"} 3`, // robots.txt counts too
		`servemap_responses_ignored_total{site="https://example.com",reason="not-html"} 1`,
		`servemap_sitemap_requests_total{site="https://example.com",code="200"} 1`,
		`servemap_sitemap_requests_total{site="https://example.com",code="404"} 1`,
		`servemap_explore_requests_total{site="https://example.com",result="client-error"} 1`, // robots.txt
		`servemap_explore_requests_total{site="https://example.com",result="ok"} 2`,
		`servemap_store_up{site="https://example.com"} 1`,
		`servemap_crawler_requests{site="https://example.com",crawler="DuckDuckBot",result="claimed"} 1`,
		`servemap_crawler_requests{site="https://example.com",crawler="DuckDuckBot",result="confirmed"} 0`,
		`servemap_crawler_sitemap_fetched_timestamp_seconds{site="https://example.com",crawler="DuckDuckBot"} `,
	} {
		if !strings.HasSuffix(line, " ") {
			line += "\n"
		}
		if !strings.Contains(before, line) {
			t.Errorf("no %s in\n%s", line, before)
		}
	}
	count := strings.Count(before, "\n")
	for i := range 300 { // a flood of targets that are no pages adds the reason for which it is ignored, and nothing else
		s.Get(fmt.Sprintf("/%d?token=%d&%d=1", i, i, i))
	}
	if after := strings.Count(scrape(t, s), "\n"); after > count+2 {
		t.Errorf("a flood made %d lines of %d", after, count)
	}
}

func scrape(t *testing.T, s *testkit.Site) string {
	t.Helper()
	w := base.Ask(s.Metrics(everybody), http.MethodGet, "/metrics")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("%d %v", w.Code, w.Header())
	}
	return w.Body.String()
}

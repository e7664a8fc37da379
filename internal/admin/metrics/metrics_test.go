package metrics

import (
	"maps"
	"strings"
	"testing"
	"time"
)

func TestTextIsInTheFormatOfPrometheus(t *testing.T) {
	got := string(Site{
		Origin:   "https://example.com",
		Verdicts: []Verdict{{"listed", "link", 3}, {"waiting", "no-evidence", 1}},
		Files:    Files{Pages: 3, Files: 1, Bytes: 512, Rendered: time.Unix(1_700_000_000, 0)},
		Ignored:  map[string]uint64{"not-html": 2, "cookie": 7}, Answers: map[int]uint64{200: 4, 304: 5},
		StoreUp: true, Worker: Worker{Time: 1500 * time.Millisecond, Observations: 1 << 53},
		More: []Family{Gauge("servemap_crawler_requests", "Requests.", One(4, "crawler", "Googlebot", "result", "confirmed")), Gauge("servemap_crawler_never", "Never.", When(time.Time{}))},
	}.Text())
	for _, line := range []string{
		"# TYPE servemap_pages gauge",
		`servemap_build_info{site="https://example.com",version="` + Version() + `"} 1`,
		`servemap_pages{site="https://example.com",verdict="listed",reason="link"} 3`,
		`servemap_pages{site="https://example.com",verdict="waiting",reason="no-evidence"} 1`,
		`servemap_sitemap_bytes{site="https://example.com"} 512`,
		`servemap_sitemap_rendered_timestamp_seconds{site="https://example.com"} 1.7e+09`,
		"# TYPE servemap_responses_ignored_total counter",
		"servemap_responses_ignored_total{site=\"https://example.com\",reason=\"cookie\"} 7\nservemap_responses_ignored_total{site=\"https://example.com\",reason=\"not-html\"} 2",
		`servemap_sitemap_requests_total{site="https://example.com",code="304"} 5`,
		`servemap_store_up{site="https://example.com"} 1`,
		`servemap_worker_seconds_total{site="https://example.com"} 1.5`,
		`servemap_observations_total{site="https://example.com"} 9.007199254740992e+15`,
		`servemap_crawler_requests{site="https://example.com",crawler="Googlebot",result="confirmed"} 4`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %q in\n%s", line, got)
		}
	}
	if strings.Contains(string(Site{}.Text()), "servemap_sitemap_rendered_timestamp_seconds{") {
		t.Error("a sitemap that was never made has a time")
	}
}

func TestTextEscapesLabels(t *testing.T) {
	got := string(Site{Origin: "a\"b\\c\nd"}.Text())
	if want := `servemap_sitemap_pages{site="a\"b\\c\nd"} 0`; !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, got)
	}
}

func TestAnswersAreCountedByTheirCode(t *testing.T) {
	var a Answers
	for _, code := range []int{200, 304, 304, 418} {
		a.Count(code)
	}
	if got, want := a.Counts(), map[int]uint64{200: 1, 304: 2, 404: 0, 405: 0, 503: 0}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestResultsAreCountedByStatus(t *testing.T) {
	for status, want := range map[int]string{200: "ok", 204: "ok", 301: "redirect", 404: "client-error", 503: "server-error", 0: "failed", 101: "failed", 999: "failed"} {
		var r Result
		r.Count(status)
		if got := r.Counts(); got[want] != 1 || len(got) != len(results) {
			t.Errorf("status %d counts as %v, want %s", status, got, want)
		}
	}
}

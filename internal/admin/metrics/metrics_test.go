package metrics

import (
	"maps"
	"strings"
	"testing"
	"time"
)

func TestTextIsInTheFormatOfPrometheus(t *testing.T) {
	got := string(Text("https://a.example/\"b\\c\nd", []Family{
		Gauge("pages", "Pages.", append(One(3, "verdict", "listed", "reason", "link"),
			One(1, "verdict", "waiting", "reason", "no-evidence")...)),
		Gauge("up", "Whether it is.", Whether(true)), Gauge("rendered_seconds", "When.", When(time.Unix(1_700_000_000, 0))),
		Gauge("never", "Never.", When(time.Time{})),
		Counter("ignored_total", "Ignored.", Each("reason", map[string]uint64{"not-html": 2, "cookie": 7})),
		Counter("answers_total", "Answers.", Each("code", map[int]uint64{304: 5})),
		Counter("worked_total", "Seconds.", One(1.5)), Counter("many_total", "Many.", One(1<<53)),
	}))
	want := strings.ReplaceAll(`# HELP pages Pages.
# TYPE pages gauge
pages{SITE,verdict="listed",reason="link"} 3
pages{SITE,verdict="waiting",reason="no-evidence"} 1
# HELP up Whether it is.
# TYPE up gauge
up{SITE} 1
# HELP rendered_seconds When.
# TYPE rendered_seconds gauge
rendered_seconds{SITE} 1.7e+09
# HELP never Never.
# TYPE never gauge
# HELP ignored_total Ignored.
# TYPE ignored_total counter
ignored_total{SITE,reason="cookie"} 7
ignored_total{SITE,reason="not-html"} 2
# HELP answers_total Answers.
# TYPE answers_total counter
answers_total{SITE,code="304"} 5
# HELP worked_total Seconds.
# TYPE worked_total counter
worked_total{SITE} 1.5
# HELP many_total Many.
# TYPE many_total counter
many_total{SITE} 9.007199254740992e+15
`, "SITE", `site="https://a.example/\"b\\c\nd"`)
	if got != want {
		t.Errorf("got\n%s", got)
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
	for status, want := range map[int]string{200: "ok", 204: "ok", 301: "redirect", 404: "client-error",
		503: "server-error", 0: "failed", 101: "failed", 999: "failed"} {
		var r Result
		r.Count(status)
		if got := r.Counts(); got[want] != 1 || len(got) != 5 {
			t.Errorf("status %d counts as %v, want %s", status, got, want)
		}
	}
}

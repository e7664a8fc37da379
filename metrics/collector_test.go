package metrics

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store/memstore"
)

// newSite returns a site that has served a page and an image, and its sitemap once.
func newSite(t *testing.T, origin string) *servemap.Site {
	t.Helper()
	site, err := servemap.New(origin, new(memstore.Store), nil)
	base.Check(t, err)
	t.Cleanup(func() { _ = site.Close(context.Background()) })
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><html><head><title>Home</title></head><body><main>Welcome to this page, " +
			"which says something.</main></body></html>"))
	})
	mux.HandleFunc("GET /logo", func(w http.ResponseWriter,
		_ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
	})
	h := site.Wrap(mux)
	for _, path := range []string{"/", "/logo"} {
		ask(h, origin+path)
	}
	base.Check(t, site.Flush(t.Context()))
	ask(h, origin+"/sitemap.xml")
	return site
}

// newNotifier returns a notifier that asks IndexNow and Search Console.
func newNotifier(t *testing.T) *notify.Notifier {
	t.Helper()
	n, err := notify.New(newSite(t, "https://example.com"), new(memstore.Store),
		&notify.Options{Google: &notify.Google{Client: http.DefaultClient}})
	base.Check(t, err)
	return n
}

func ask(h http.Handler, url string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	return w
}

func everybody(*http.Request) bool { return true }

// moving matches metrics that may differ between two readings.
var moving = regexp.MustCompile(`(?m)^(servemap_worker_seconds_total|go_|process_|promhttp_).*\n|^# .*\n`)

func TestCollectorGivesTheNumbersOfTheHandler(t *testing.T) {
	site := newSite(t, "https://example.com")
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(NewCollector(site))
	got := lines(ask(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), "http://x/metrics").Body.String())
	want := lines(ask(site.Metrics(everybody), "http://x/metrics").Body.String())
	if !slices.Equal(got, want) {
		t.Errorf("the collector gives\n%s\nthe handler\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !slices.Contains(got, `servemap_pages{reason="entry",site="https://example.com",verdict="listed"} 1`) {
		t.Errorf("no page is listed in\n%s", strings.Join(got, "\n"))
	}
}

var labels = regexp.MustCompile(`\{(.*)\} `)

// lines returns the series of a text, with their labels in order.
func lines(text string) []string {
	all := strings.Split(strings.TrimSpace(moving.ReplaceAllString(text, "")), "\n")
	for i, line := range all {
		all[i] = labels.ReplaceAllStringFunc(line, func(s string) string {
			parts := strings.Split(s[1:len(s)-2], ",")
			slices.Sort(parts)
			return "{" + strings.Join(parts, ",") + "} "
		})
	}
	slices.Sort(all)
	return all
}

func TestCollectorOfSeveralSites(t *testing.T) {
	a, b := newSite(t, "https://a.example"), newSite(t, "https://b.example")
	tests := []struct {
		name     string
		register func(*prometheus.Registry) error
		sites    int
		refused  bool
	}{
		{"in one collector", func(r *prometheus.Registry) error { return r.Register(NewCollector(a, b)) }, 2, false},
		{"in two", func(r *prometheus.Registry) error {
			r.MustRegister(NewCollector(a))
			return r.Register(NewCollector(b))
		}, 2, false},
		{"the same twice", func(r *prometheus.Registry) error {
			r.MustRegister(NewCollector(a))
			return r.Register(NewCollector(a))
		}, 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := prometheus.NewRegistry()
			if err := tt.register(r); (err != nil) != tt.refused {
				t.Fatalf("registering: %v", err)
			}
			if n, err := testutil.GatherAndCount(r, "servemap_store_up"); n != tt.sites || err != nil {
				t.Errorf("%d sites, error %v", n, err)
			}
		})
	}
}

// known returns the names of all metrics.
func known(t *testing.T) map[string]bool {
	names := map[string]bool{}
	text := ask(newNotifier(t).Metrics(everybody), "http://x/metrics").Body.String()
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	return names
}

var metricName = regexp.MustCompile(`servemap_[a-z_]+`)

func TestDashboardAndAlertsUseMetricsThatExist(t *testing.T) {
	all := known(t)
	if len(all) < 15 {
		t.Fatalf("only %d metrics: %v", len(all), all)
	}
	shown := map[string]bool{}
	for _, file := range []string{"dashboard.json", "alerts.yml"} {
		b, err := os.ReadFile(file)
		base.Check(t, err)
		names := metricName.FindAllString(string(b), -1)
		if len(names) == 0 {
			t.Errorf("%s uses no metric", file)
		}
		for _, name := range names {
			if shown[name] = true; !all[name] {
				t.Errorf("%s uses %s, which does not exist", file, name)
			}
		}
	}
	for name := range all {
		if !shown[name] {
			t.Errorf("neither the dashboard nor an alert shows %s", name)
		}
	}
}

// TestPromtoolAcceptsTheAlerts lets Prometheus' own tool judge the metrics and the alerts. Without that
// tool it is skipped, except in CI.
func TestPromtoolAcceptsTheAlerts(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		base.Lacks(t, "promtool is not installed: %v", err)
	}
	tests := []struct {
		name  string
		args  []string
		stdin string
	}{
		{"rules", []string{"check", "rules", "alerts.yml"}, ""},
		{"alerts fire when they should", []string{"test", "rules", "testdata/alerts_test.yml"}, ""},
		{"metrics", []string{"check", "metrics"}, ask(newNotifier(t).Metrics(everybody), "http://x/metrics").Body.String()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "promtool", tt.args...)
			cmd.Stdin = strings.NewReader(tt.stdin)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

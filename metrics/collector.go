// Package metrics gives the numbers of [servemap.Site] to a program that has Prometheus
// metrics already:
//
//	prometheus.MustRegister(metrics.NewCollector(site))
//
// The metrics are those of [servemap.Site.Metrics], with the label site. A program without
// other metrics needs only that handler, and not this package. The package is a module of
// its own, so that servemap itself depends on no client of Prometheus. It uses only the
// exported API and the text of the metrics, so that it works with any later release of
// servemap.
//
// Beside it are dashboard.json for Grafana and alerts.yml for Prometheus.
package metrics

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/servemap/servemap"
)

// A Source has metrics: a [servemap.Site], or a notify.Notifier, which has those of its site too.
type Source interface {
	Metrics(allow func(*http.Request) bool) http.Handler
}

var _ Source = (*servemap.Site)(nil)

// NewCollector returns a collector of the metrics of sites, for a registry such as
// [prometheus.DefaultRegisterer]. A registry takes each site once. NewCollector panics if a
// site is nil. The collector is safe for concurrent use.
func NewCollector(sites ...Source) prometheus.Collector {
	c := collector{}
	for i, site := range sites {
		if site == nil {
			panic(fmt.Sprintf("servemap: NewCollector: site %d is nil", i+1))
		}
		c = append(c, site.Metrics(func(*http.Request) bool { return true }))
	}
	return c
}

// collector has the handler of each site's metrics.
type collector []http.Handler

// Describe describes the present metrics.
func (c collector) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, to) }

// Collect reads the metrics of each site, and sends them.
func (c collector) Collect(to chan<- prometheus.Metric) {
	for _, h := range c {
		text := &answer{header: http.Header{}}
		h.ServeHTTP(text, new(http.Request))
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(&text.Buffer)
		if err != nil {
			to <- prometheus.NewInvalidMetric(prometheus.NewDesc("servemap", "", nil, nil),
				fmt.Errorf("reading the metrics of servemap: %w", err))
			continue
		}
		for _, family := range families {
			for _, m := range family.Metric {
				to <- metric(family, m)
			}
		}
	}
}

// metric returns one series. The site is a constant label, so that each site's metrics have
// their own descriptions.
func metric(family *dto.MetricFamily, m *dto.Metric) prometheus.Metric {
	var names, values []string
	site := prometheus.Labels{}
	for _, l := range m.Label {
		if l.GetName() == "site" {
			site["site"] = l.GetValue()
			continue
		}
		names, values = append(names, l.GetName()), append(values, l.GetValue())
	}
	desc := prometheus.NewDesc(family.GetName(), family.GetHelp(), names, site)
	if family.GetType() == dto.MetricType_COUNTER {
		return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, m.GetCounter().GetValue(), values...)
	}
	return prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, m.GetGauge().GetValue(), values...)
}

// answer receives what a handler writes.
type answer struct {
	bytes.Buffer
	header http.Header
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(int) {}

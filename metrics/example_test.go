package metrics_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/metrics"
	"github.com/servemap/servemap/store/memstore"
)

// ExampleNewCollector adds the numbers of a site to a program's own registry.
func ExampleNewCollector() {
	site, err := servemap.New("https://example.com", new(memstore.Store), nil)
	if err != nil {
		panic(err)
	}
	defer site.Close(context.Background())
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.NewCollector(site))
	families, err := registry.Gather()
	if err != nil {
		panic(err)
	}
	for _, family := range families {
		if family.GetName() == "servemap_sitemap_pages" {
			fmt.Println(family.GetName(), family.GetMetric()[0].GetGauge().GetValue())
		}
	}
	// Output:
	// servemap_sitemap_pages 0
}

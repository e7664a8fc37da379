package main

import (
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/upstream"
	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/store/badgerstore"
)

// serveMetrics answers with the numbers of the site and of its notifier, and with those that only a process of its own
// has.
func (c *answers) serveMetrics(allow func(*http.Request) bool) http.Handler {
	numbers := c.site.Metrics
	if c.notifier != nil {
		numbers = c.notifier.Metrics
	}
	site := numbers(allow)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if site.ServeHTTP(w, r); w.Header().Get("Content-Type") != metrics.ContentType {
			return // allow refused it
		}
		_, _ = w.Write(metrics.Text(strings.TrimSuffix(c.Origin, "/"), append(c.numbers(), ofProcess()...)))
	})
}

// numbers returns the numbers of the site that the library does not have.
func (c *answers) numbers() (all []metrics.Family) {
	if st, is := c.store.(interface{ Usage() badgerstore.Usage }); is {
		u := st.Usage()
		all = append(all,
			metrics.Gauge("servemap_folder_bytes", "Size of the files in the folder of the data.", metrics.One(u.Bytes)),
			metrics.Gauge("servemap_folder_free_bytes", "Free space of its file system.", metrics.One(u.Free)),
			metrics.Gauge("servemap_folder_written_timestamp_seconds", "When something was last written there since the start.",
				metrics.When(u.Written)))
	}
	if up, is := c.explorer.Handler.(*upstream.Site); is {
		all = append(all, metrics.Counter("servemap_upstream_errors_total",
			"Answers 502 and 504 that visitors got: the site's, and those in its place.",
			metrics.Each("code", map[int]uint64{http.StatusBadGateway: up.BadGateway.Load(),
				http.StatusGatewayTimeout: up.Timeout.Load()})))
	}
	var explored time.Time
	if info, err := os.Stat(control.Explored(c.Data)); err == nil {
		explored = info.ModTime()
	}
	return append(all, metrics.Gauge("servemap_explored_timestamp_seconds", "When the last whole exploration ended.",
		metrics.When(explored)))
}

// ofProcess has what Prometheus' own clients say of a process, by the same names. Only Linux tells all of it.
func ofProcess() []metrics.Family {
	const ticks = 100 // of Linux, in a second
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	all := []metrics.Family{
		metrics.Gauge("go_info", "The version of Go.", metrics.One(1, "version", runtime.Version())),
		metrics.Gauge("go_goroutines", "Goroutines that exist.", metrics.One(runtime.NumGoroutine())),
		metrics.Gauge("go_memstats_heap_inuse_bytes", "Memory in use by Go.", metrics.One(memory.HeapInuse)),
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		all = append(all, metrics.Gauge("process_open_fds", "Open files.", metrics.One(len(open))))
	}
	stat, _ := os.ReadFile("/proc/self/stat")
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])) // from the third on; see proc(5)
	if len(fields) < 22 {
		return all
	}
	number := func(field int) float64 { n, _ := strconv.ParseFloat(fields[field-3], 64); return n }
	return append(all,
		metrics.Counter("process_cpu_seconds_total", "Time of processors.", metrics.One((number(14)+number(15))/ticks)),
		metrics.Gauge("process_resident_memory_bytes", "Memory of the process.",
			metrics.One(number(24)*float64(os.Getpagesize()))))
}

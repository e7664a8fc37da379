package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A load is what wrk does in one measurement.
type load struct{ seconds, connections, pages int }

// measured is what one measurement shows.
type measured struct {
	perSecond float64
	requests  int
	p99       time.Duration
	cpu       time.Duration // of the server, for each request
}

// script has wrk ask for the pages in turn, but for the front page, which is longer.
func (l load) script() string {
	return fmt.Sprintf(`local n, requests = 0, {}
function init()
	for i = 1, %d do requests[i] = wrk.format("GET", "/page/" .. i) end
end
function request()
	n = n %% #requests + 1
	return requests[n]
end
`, l.pages-1)
}

func (l load) run(ctx context.Context, url, script string) (measured, error) {
	out, err := exec.CommandContext(ctx, "wrk", "-t1", "-c"+strconv.Itoa(l.connections), "-d"+strconv.Itoa(l.seconds)+"s",
		"--latency", "-s", script, url).CombinedOutput()
	if err != nil {
		return measured{}, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	return parse(string(out))
}

var (
	countLine = regexp.MustCompile(`(\d+) requests in `)
	rateLine  = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	p99Line   = regexp.MustCompile(`\n\s+99%\s+([0-9.]+[a-z]+)`)
	wrongLine = regexp.MustCompile(`Non-2xx or 3xx responses: \d+|Socket errors: .*`)
)

// parse reads what wrk prints.
func parse(out string) (m measured, err error) {
	if wrong := wrongLine.FindString(out); wrong != "" {
		return m, fmt.Errorf("wrk: %s", wrong)
	}
	count, rate, p99 := countLine.FindStringSubmatch(out), rateLine.FindStringSubmatch(out), p99Line.FindStringSubmatch(out)
	if count == nil || rate == nil || p99 == nil {
		return m, fmt.Errorf("wrk does not say all of count, rate and latency:\n%s", out)
	}
	if m.requests, err = strconv.Atoi(count[1]); err != nil {
		return m, err
	}
	if m.perSecond, err = strconv.ParseFloat(rate[1], 64); err != nil {
		return m, err
	}
	m.p99, err = time.ParseDuration(strings.TrimSpace(p99[1]))
	return m, err
}

// median returns the middle of the values, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

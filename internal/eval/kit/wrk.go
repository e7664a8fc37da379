package kit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Load is a task for the load generator wrk.
type Load struct {
	Seconds, Connections int
	Script               string // in Lua; it makes the requests
}

// Loaded is what wrk counted.
type Loaded struct {
	Requests  int
	PerSecond float64
	P99       time.Duration
}

// Run puts the server at a URL under the load. It also fails if any answer was not a page.
func (l Load) Run(ctx context.Context, url string) (Loaded, error) {
	folder, err := os.MkdirTemp("", "wrk-")
	if err != nil {
		return Loaded{}, err
	}
	defer os.RemoveAll(folder)
	script := filepath.Join(folder, "script.lua")
	if err := os.WriteFile(script, []byte(l.Script), 0o600); err != nil {
		return Loaded{}, err
	}
	out, err := exec.CommandContext(ctx, "wrk", "-t1", "-c"+strconv.Itoa(l.Connections), "-d"+strconv.Itoa(l.Seconds)+"s",
		"--timeout", "10s", "--latency", "-s", script, url).CombinedOutput()
	if err != nil {
		return Loaded{}, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	return parseWrk(string(out))
}

// parseWrk reads the output of wrk.
func parseWrk(out string) (l Loaded, err error) {
	wanted := regexp.MustCompile(`(?s)\n\s+99%\s+([0-9.]+[a-z]+).*?(\d+) requests in .*Requests/sec:\s+([0-9.]+)`).FindStringSubmatch(out)
	if wanted == nil {
		return l, fmt.Errorf("wrk does not say all of latency, count and rate:\n%s", out)
	}
	var p99Err, countErr, rateErr error
	l.P99, p99Err = time.ParseDuration(wanted[1])
	l.Requests, countErr = strconv.Atoi(wanted[2])
	l.PerSecond, rateErr = strconv.ParseFloat(wanted[3], 64)
	if wrong := regexp.MustCompile(`Non-2xx or 3xx responses: \d+|Socket errors: .*`).FindAllString(out, -1); wrong != nil {
		err = fmt.Errorf("wrk: %s", strings.Join(wrong, ", "))
	}
	return l, errors.Join(err, p99Err, countErr, rateErr)
}

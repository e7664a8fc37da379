// Command wrk compares a real server with servemap and without it, under the
// load generator of that name:
//
//	cd internal/eval/peers && go run ./wrk -pairs 9 -seconds 5
//
// Both servers are processes of their own, and take turns under the load, so
// that what else the machine does meets both. Pages of 10 KB link to one another,
// and are visited as by anonymous visitors.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	serves := flag.String("serve", "", `be the server, "bare" or "observed"; used by the command itself`)
	pairs := flag.Int("pairs", 9, "how often each server is measured")
	seconds := flag.Int("seconds", 5, "of each measurement")
	warm := flag.Int("warm", 30, "seconds of load on each server beforehand")
	connections := flag.Int("connections", 32, "kept open by wrk")
	pages := flag.Int("pages", 1000, "of the site")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *serves != "" {
		err = serve(ctx, *serves == "observed", *pages)
	} else {
		err = compare(ctx, load{*seconds, *connections, *pages}, *pairs, *warm)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// compare measures both servers in turn and prints the medians of the ratios.
func compare(ctx context.Context, l load, pairs, warm int) error {
	dir, err := os.MkdirTemp("", "wrk")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "paths.lua")
	if err := os.WriteFile(script, []byte(l.script()), 0o600); err != nil {
		return err
	}
	var servers [2]*server // bare, observed
	for i, which := range []string{"bare", "observed"} {
		if servers[i], err = start(ctx, which, l.pages); err != nil {
			return err
		}
		defer servers[i].stop()
		if err := servers[i].visit(ctx, l.pages); err != nil {
			return err
		}
	}
	for _, s := range servers { // looks at pages that were just met come closer than later
		if _, err := (load{warm, l.connections, l.pages}).run(ctx, s.url, script); err != nil {
			return err
		}
	}
	var ratios, p99s, cpus []float64
	fmt.Println("pair   bare/s  observed/s   ratio   bare p99  observed p99   ratio  bare cpu  observed cpu   ratio")
	for pair := range pairs {
		var got [2]measured
		for turn := range 2 {
			i := (turn + pair) % 2 // each goes first as often
			if got[i], err = servers[i].measure(ctx, l, script); err != nil {
				return err
			}
		}
		bare, observed := got[0], got[1]
		ratios = append(ratios, observed.perSecond/bare.perSecond)
		p99s = append(p99s, float64(observed.p99)/float64(bare.p99))
		cpus = append(cpus, float64(observed.cpu)/float64(bare.cpu))
		fmt.Printf("%4d %8.0f %11.0f %7.4f %10v %13v %7.4f %9v %13v %7.4f\n", pair+1, bare.perSecond, observed.perSecond, ratios[pair],
			bare.p99, observed.p99, p99s[pair], bare.cpu, observed.cpu, cpus[pair])
	}
	fmt.Printf("median of %d pairs: throughput %.2f %%, p99 %.2f %%, CPU per request %.2f %% of bare\n", pairs, 100*median(ratios), 100*median(p99s), 100*median(cpus))
	return nil
}

// A server is a process that serves the pages.
type server struct {
	cmd *exec.Cmd
	url string
}

func start(ctx context.Context, which string, pages int) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{cmd: exec.CommandContext(ctx, self, "-serve", which, "-pages", fmt.Sprint(pages))}
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("the %s server did not start: %w", which, err)
	}
	s.url = strings.TrimSpace(line)
	return s, nil
}

// visit gets each page once, as the first visitor of a site does.
func (s *server) visit(ctx context.Context, pages int) error {
	for i := range pages {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+pathOf(i), nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, resp.Body)
		if resp.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

// measure puts the server under the load, and notes its own CPU time too, which
// says more than its speed where other programs want the machine.
func (s *server) measure(ctx context.Context, l load, script string) (measured, error) {
	before, err := cpuTime(s.cmd.Process.Pid)
	if err != nil {
		return measured{}, err
	}
	m, err := l.run(ctx, s.url, script)
	if err != nil {
		return m, err
	}
	after, err := cpuTime(s.cmd.Process.Pid)
	m.cpu = (after - before) / time.Duration(max(m.requests, 1))
	return m, err
}

// cpuTime returns what a process has used, as Linux tells it (proc_pid_stat(5)).
func cpuTime(pid int) (time.Duration, error) {
	const perSecond = 100
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name may have spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / perSecond, err
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

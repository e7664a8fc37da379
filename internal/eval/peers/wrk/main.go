// Command wrk compares a real server with and without servemap, under the load generator of
// that name:
//
//	cd internal/eval/peers && go run ./wrk -pairs 9 -seconds 5
//
// Both servers are separate processes and take turns under the load, so that other work of
// the machine affects both. Pages of 10 KB link to one another, and anonymous visitors
// request them.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store/memstore"
)

const (
	pages       = 1000
	pageBytes   = 10 << 10 // about what a page has
	connections = 32       // kept open by wrk
	warmUp      = 30       // seconds of load on each server beforehand
)

func main() {
	serves := flag.String("serve", "", `be the server, "bare" or "observed"; used by the command itself`)
	pairs := flag.Int("pairs", 9, "how often each server is measured")
	seconds := flag.Int("seconds", 5, "of each measurement")
	kit.Main("wrk", func(ctx context.Context) error {
		if *serves != "" {
			return serve(*serves == "observed")
		}
		return compare(ctx, *pairs, *seconds)
	})
}

// location returns the location of the page with this number; 0 is the front page,
// which links to all others.
func location(i int) string {
	if i == 0 {
		return "/"
	}
	return "/page/" + strconv.Itoa(i)
}

func html(i int) []byte {
	return kit.Page{Title: fmt.Sprintf("Page %d of %d", i, pages)}.Append(nil, func(b []byte) []byte {
		for link := 1; i == 0 && link < pages; link++ {
			b = kit.AppendLink(b, location(link), strconv.Itoa(link))
		}
		for word := i; len(b) < pageBytes; word++ {
			b = fmt.Appendf(b, "<p>Paragraph %d of page %d says something of its own.</p>", word, i)
		}
		return b
	})
}

// cpuPath is where a server reports its CPU time.
const cpuPath = "/-/cpu"

// serve prints its URL and serves the pages until it is stopped.
func serve(observed bool) error {
	bodies := map[string][]byte{}
	for i := range pages {
		bodies[location(i)] = html(i)
	}
	h := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := bodies[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kit.HTML)
		w.Header().Set("Content-Length", strconv.Itoa(len(page)))
		_, _ = w.Write(page) // the client may be gone
	}))
	if observed {
		site, err := kit.NewSite(new(memstore.Store), kit.Setup{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		defer func() { _ = kit.CloseSite(site, 10*time.Second) }()
		h = site.Wrap(h)
	}
	server, err := kit.Listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == cpuPath {
			_ = json.NewEncoder(w).Encode(kit.CPUTime())
			return
		}
		h.ServeHTTP(w, r)
	}))
	if err != nil {
		return err
	}
	fmt.Println(server.URL)
	kit.AwaitStop()
	return server.Close()
}

// script makes wrk request the pages in turn, except the front page, which is longer.
func script() string {
	return fmt.Sprintf(`local n, requests = 0, {}
function init()
	for i = 1, %d do requests[i] = wrk.format("GET", "/page/" .. i) end
end
function request()
	n = n %% #requests + 1
	return requests[n]
end
`, pages-1)
}

// measured is what one measurement shows.
type measured struct {
	kit.Loaded
	cpu time.Duration // of the server, for each request
}

// compare measures both servers in turn and prints the medians of the ratios.
func compare(ctx context.Context, pairs, seconds int) error {
	var servers [2]*server // bare, observed
	for i, which := range []string{"bare", "observed"} {
		s, err := start(ctx, which)
		if err != nil {
			return err
		}
		defer func() { _ = s.child.Stop() }()
		for i := range pages { // as the first visitor of a site does
			if _, err := s.get(ctx, location(i)); err != nil {
				return err
			}
		}
		servers[i] = s
	}
	for _, s := range servers { // right after the first look, looks come closer together
		if _, err := s.measure(ctx, warmUp); err != nil {
			return err
		}
	}
	var ratios, p99s, cpus []float64
	fmt.Println("pair   bare/s  observed/s   ratio   bare p99  observed p99   ratio  bare cpu  observed cpu   ratio")
	for pair := range pairs {
		var got [2]measured
		for turn := range 2 {
			i := (turn + pair) % 2 // each goes first equally often
			var err error
			if got[i], err = servers[i].measure(ctx, seconds); err != nil {
				return err
			}
		}
		bare, observed := got[0], got[1]
		ratios = append(ratios, observed.PerSecond/bare.PerSecond)
		p99s = append(p99s, float64(observed.P99)/float64(bare.P99))
		cpus = append(cpus, float64(observed.cpu)/float64(bare.cpu))
		fmt.Printf("%4d %8.0f %11.0f %7.4f %10v %13v %7.4f %9v %13v %7.4f\n", pair+1, bare.PerSecond, observed.PerSecond, ratios[pair],
			bare.P99, observed.P99, p99s[pair], bare.cpu, observed.cpu, cpus[pair])
	}
	fmt.Printf("median of %d pairs: throughput %.2f %%, p99 %.2f %%, CPU per request %.2f %% of bare\n",
		pairs, 100*kit.Median(ratios), 100*kit.Median(p99s), 100*kit.Median(cpus))
	return nil
}

// A server is a process that serves the pages.
type server struct {
	child *kit.Child
	url   string
	get   kit.Getter
}

func start(ctx context.Context, which string) (*server, error) {
	command, err := kit.Self("-serve", which)
	if err != nil {
		return nil, err
	}
	c, err := kit.Start(ctx, os.Stderr, command)
	if err != nil {
		return nil, err
	}
	return &server{c, c.Said[0], kit.FromServer(http.DefaultClient, c.Said[0])}, nil
}

// measure puts the server under the load. It also notes the server's own CPU time, which
// says more than its speed when other programs need the machine.
func (s *server) measure(ctx context.Context, seconds int) (m measured, err error) {
	before, err := s.cpu(ctx)
	if err != nil {
		return m, err
	}
	if m.Loaded, err = (kit.Load{Seconds: seconds, Connections: connections, Script: script()}).Run(ctx, s.url); err != nil {
		return m, err
	}
	after, err := s.cpu(ctx)
	m.cpu = (after - before) / time.Duration(max(m.Requests, 1))
	return m, err
}

func (s *server) cpu(ctx context.Context) (d time.Duration, err error) {
	a, err := s.get(ctx, cpuPath)
	if err != nil {
		return 0, err
	}
	return d, json.Unmarshal(a.Body, &d)
}

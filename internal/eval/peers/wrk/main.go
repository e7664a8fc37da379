// Command wrk compares a real server with and without servemap, under the load generator of
// that name:
//
//	cd internal/eval/peers && go run ./wrk -pairs 9 -seconds 5
//
// With -proxy it compares the command's reverse proxy with a plain one, before one site:
//
//	go build -o /tmp/servemap ../../../cmd/servemap && go run ./wrk -proxy /tmp/servemap
//
// Both servers are separate processes and take turns under the load, so that other work of
// the machine affects both. Pages of 10 KB link to one another, and anonymous visitors
// request them. It needs Linux, which tells the CPU time of other processes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"sync"
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
	serves := flag.String("serve", "", `be the server, "bare", "observed" or "reverse"; used by the command itself`)
	to := flag.String("to", "", "the site behind the server reverse; used by the command itself")
	command := flag.String("proxy", "", "the `FILE` of the servemap command, to measure its reverse proxy instead of the library")
	pairs := flag.Int("pairs", 9, "how often each server is measured")
	seconds := flag.Int("seconds", 5, "of each measurement")
	kit.Main("wrk", func(ctx context.Context) error {
		switch *serves {
		case "":
			return measureAll(ctx, *command, *pairs, *seconds)
		case "reverse":
			return serveUntilStopped(reverse(*to))
		}
		return servePages(*serves == "observed")
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

// servePages prints its URL and serves the pages until it is stopped.
func servePages(observed bool) error {
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
	return serveUntilStopped(h)
}

// reverse returns a reverse proxy of the standard library with the settings of the command.
func reverse(to string) http.Handler {
	target, _ := url.Parse(to) // the command itself gave it
	return &httputil.ReverseProxy{
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetXForwarded()
			r.SetURL(target)
		},
		ErrorLog:   log.New(io.Discard, "", 0), // wrk leaves requests unanswered at its end
		BufferPool: &buffers{},
	}
}

// buffers keeps the buffers by which a reverse proxy copies.
type buffers struct{ pool sync.Pool }

// Get returns a buffer of 32 KiB.
func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, 32<<10)
}

// Put takes a buffer back.
func (b *buffers) Put(p []byte) { b.pool.Put(&p) }

func serveUntilStopped(h http.Handler) error {
	server, err := kit.Listen(h)
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

// measureAll starts the two servers, without and with servemap, and compares them.
func measureAll(ctx context.Context, command string, pairs, seconds int) error {
	var servers [2]*server
	starts := [2]func() (*server, error){
		func() (*server, error) { return startSelf(ctx, "-serve", "bare") },
		func() (*server, error) { return startSelf(ctx, "-serve", "observed") },
	}
	if command != "" {
		site, err := startSelf(ctx, "-serve", "bare")
		if err != nil {
			return err
		}
		defer site.child.Kill()
		data, err := os.MkdirTemp("", "wrk-data-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(data)
		starts = [2]func() (*server, error){
			func() (*server, error) { return startSelf(ctx, "-serve", "reverse", "-to", site.url) },
			func() (*server, error) { return startCommand(ctx, command, site.url, data) },
		}
	}
	for i, start := range starts {
		s, err := start()
		if err != nil {
			return err
		}
		defer s.child.Kill()
		for i := range pages { // as the first visitor of a site does
			if _, err := s.get(ctx, location(i)); err != nil {
				return err
			}
		}
		servers[i] = s
	}
	return compare(ctx, servers, pairs, seconds)
}

// compare measures both servers in turn and prints the medians of the ratios.
func compare(ctx context.Context, servers [2]*server, pairs, seconds int) error {
	for _, s := range servers { // right after the first observation, observations come closer together
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

// startSelf starts this program again as a server.
func startSelf(ctx context.Context, args ...string) (*server, error) {
	command, err := kit.Self(args...)
	if err != nil {
		return nil, err
	}
	c, err := kit.Start(ctx, os.Stderr, command)
	if err != nil {
		return nil, err
	}
	return &server{c, c.Said[0], kit.FromServer(http.DefaultClient, c.Said[0])}, nil
}

// startCommand starts servemap proxy before a site, and waits until it serves.
func startCommand(ctx context.Context, command, site, data string) (*server, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	// The command logs to the standard error; kit.Start waits for a line of the standard output.
	c, err := kit.Start(ctx, io.Discard, []string{"sh", "-c", `echo started; exec "$0" "$@"`,
		command, "proxy", "-to", site, "-origin", "http://" + address, "-listen", address, "-data", data})
	if err != nil {
		return nil, err
	}
	s := &server{c, "http://" + address, kit.FromServer(http.DefaultClient, "http://"+address)}
	for range 100 {
		if _, err = s.get(ctx, location(0)); err == nil || !c.Alive() {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return s, err
}

// measure puts the server under the load. It also notes the server's own CPU time, which
// says more than its speed when other programs need the machine.
func (s *server) measure(ctx context.Context, seconds int) (m measured, err error) {
	before, err := s.child.CPUTime()
	if err != nil {
		return m, err
	}
	if m.Loaded, err = (kit.Load{Seconds: seconds, Connections: connections, Script: script()}).Run(ctx, s.url); err != nil {
		return m, err
	}
	after, err := s.child.CPUTime()
	m.cpu = (after - before) / time.Duration(max(m.Requests, 1))
	return m, err
}

// Restart is a small systemd: it restarts "servemap proxy" under visitors, and says what they felt of it.
//
//	restart [-socket] SERVEMAP
//
// While the process is told to end, an event stream, a slow download and a WebSocket are open, two visitors ask for
// what takes 1.5 s, and a new one comes each 20 ms. With -socket the process gets its listener as systemd gives it. It
// fails if a visitor is refused then. Without, it fails if new ones are refused for half a second, if anybody who was
// let in is cut off, or if more than those two are asked to come again. A machine that has more to do may take longer,
// so it tries three times.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	patience = time.Minute
	slowly   = 1500 * time.Millisecond
)

func main() {
	socket := flag.Bool("socket", false, "give the process its listener")
	flag.Parse()
	log.SetFlags(0)
	if flag.NArg() != 1 {
		log.Fatal("usage: restart [-socket] SERVEMAP")
	}
	site := httptest.NewServer(http.HandlerFunc(site))
	ok, tries := false, 3
	if *socket {
		tries = 1
	}
	for ; !ok && tries > 0; tries-- {
		ok = try(flag.Arg(0), site.URL, *socket)
	}
	if !ok {
		os.Exit(1)
	}
}

// try restarts a process before a site, and reports whether that was as it should be.
func try(program, site string, socket bool) bool {
	data, err := os.MkdirTemp("", "restart")
	must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	u := &unit{program: program, address: listener.Addr().String(),
		args: []string{"proxy", "-to", site, "-origin", "https://example.com", "-inside", "-explore", "-listen",
			listener.Addr().String(), "-data", data}}
	if socket {
		u.socket, err = listener.(*net.TCPListener).File()
		must(err)
	}
	listener.Close()
	ok := u.measure()
	must(os.RemoveAll(data))
	return ok
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// site answers as sites do.
func site(w http.ResponseWriter, r *http.Request) {
	flush := http.NewResponseController(w)
	switch r.URL.Path {
	case "/slow":
		time.Sleep(slowly)
	case "/stream":
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			fmt.Fprint(w, "data: x\n\n")
			_ = flush.Flush()
			time.Sleep(100 * time.Millisecond)
		}
		return
	case "/socket":
		conn, to, err := flush.Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprint(to, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_ = to.Flush()
		_, _ = io.Copy(conn, conn)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<!doctype html><title>%s</title><p>This is the page of %[1]s.", r.URL.Path)
}

// unit starts the process again whenever it ends, as a service of systemd.
type unit struct {
	program, address string
	args             []string
	socket           *os.File // nil if the process listens by itself

	mu      sync.Mutex
	running *exec.Cmd
	ended   bool
}

func (u *unit) run() {
	for {
		u.mu.Lock()
		if u.ended {
			u.mu.Unlock()
			return
		}
		c := exec.Command(u.program, u.args...)
		if u.socket != nil { // the process must find its own number in the environment
			c = exec.Command("sh", append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, u.program}, u.args...)...)
			c.Env = append(os.Environ(), "LISTEN_FDS=1")
			c.ExtraFiles = []*os.File{u.socket}
		}
		c.Stderr = os.Stderr
		must(c.Start())
		u.running = c
		u.mu.Unlock()
		_ = c.Wait()
	}
}

func (u *unit) tell(s os.Signal) {
	u.mu.Lock()
	defer u.mu.Unlock()
	_ = u.running.Process.Signal(s)
}

// felt is what visitors felt.
type felt struct {
	mu              sync.Mutex
	good, refused   int
	cut, again      int
	first, last     time.Time // refused
	slowest         time.Duration
	sitemapMissing  int
	sitemapAnswered int
}

func (f *felt) note(begun time.Time, code int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case code == http.StatusServiceUnavailable:
		f.again++
	case err == nil:
		f.good++
		f.slowest = max(f.slowest, time.Since(begun))
	case errors.Is(err, syscall.ECONNREFUSED):
		f.refused++
		if f.first.IsZero() {
			f.first = begun
		}
		f.last = time.Now()
	default:
		f.cut++
		log.Printf("after %v: %v", time.Since(begun).Round(time.Millisecond), err)
	}
}

// visit makes a request by a connection of its own.
func (u *unit) visit(path string) (code int, err error) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	resp, err := c.Get("http://" + u.address + path)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// open opens what lasts, and says when it ended.
func (u *unit) open(path, head string, took time.Duration) <-chan time.Time {
	conn, err := net.Dial("tcp", u.address)
	must(err)
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: example.com\r\n%s\r\n", path, head)
	from, ended := bufio.NewReader(conn), make(chan time.Time, 1)
	_, err = from.ReadByte()
	must(err)
	go func() {
		for some := make([]byte, 64); err == nil; time.Sleep(took) {
			_, err = from.Read(some)
		}
		ended <- time.Now()
	}()
	return ended
}

// measure restarts the process once.
func (u *unit) measure() bool {
	var running sync.WaitGroup
	running.Go(u.run)
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if code, err := u.visit("/sitemap.xml"); err == nil && code == http.StatusOK {
			break
		}
		if time.Since(begun) > patience {
			log.Fatal("there is no sitemap")
		}
	}
	long := map[string]<-chan time.Time{
		"the event stream": u.open("/stream", "", 0), "the slow download": u.open("/stream", "", 50*time.Millisecond),
		"the WebSocket": u.open("/socket", "Connection: Upgrade\r\nUpgrade: websocket\r\n", 0)}
	var fast, slow felt
	var visitors sync.WaitGroup
	end := make(chan struct{})
	over := func() bool {
		select {
		case <-end:
			return true
		default:
			return false
		}
	}
	for i := range 2 {
		visitors.Go(func() {
			time.Sleep(time.Duration(i) * 700 * time.Millisecond)
			for !over() {
				begun := time.Now()
				code, err := u.visit("/slow")
				slow.note(begun, code, err)
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	visitors.Go(func() {
		for !over() {
			visitors.Go(func() {
				begun := time.Now()
				code, err := u.visit("/page")
				fast.note(begun, code, err)
			})
			visitors.Go(func() {
				if code, err := u.visit("/sitemap.xml"); err == nil {
					fast.mu.Lock()
					defer fast.mu.Unlock()
					if fast.sitemapAnswered++; code != http.StatusOK {
						fast.sitemapMissing++
					}
				}
			})
			time.Sleep(20 * time.Millisecond)
		}
	})
	time.Sleep(3 * time.Second)
	told, old := time.Now(), u.running
	u.tell(syscall.SIGTERM)
	for name, ended := range long {
		log.Printf("%s ended %v after the signal", name, (<-ended).Sub(told).Round(10*time.Millisecond))
	}
	for old == u.now() {
		time.Sleep(10 * time.Millisecond)
	}
	log.Printf("the next process began %v after the signal", time.Since(told).Round(10*time.Millisecond))
	time.Sleep(4 * time.Second)
	close(end)
	visitors.Wait()
	u.mu.Lock()
	u.ended = true
	u.mu.Unlock()
	u.tell(syscall.SIGTERM)
	running.Wait()
	for name, f := range map[string]*felt{"new visitors": &fast, "those of 1.5 s": &slow} {
		log.Printf("%s: %d answered, the slowest after %v; %d refused within %v; %d cut off; %d asked to come again", name,
			f.good, f.slowest.Round(time.Millisecond), f.refused, f.last.Sub(f.first).Round(time.Millisecond), f.cut, f.again)
	}
	log.Printf("the sitemap: %d of %d answers were none", fast.sitemapMissing, fast.sitemapAnswered)
	if u.socket != nil {
		return fast.refused+fast.cut+fast.again+slow.refused+slow.cut+slow.again == 0
	}
	return fast.last.Sub(fast.first) < 500*time.Millisecond && fast.cut+slow.cut+fast.again == 0 && slow.again <= 2
}

func (u *unit) now() *exec.Cmd {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.running
}

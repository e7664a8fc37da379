package sqlstore

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// proxy is between a store and its database, and can fail like a network. It listens at a Unix
// socket, which nobody else can take while it is closed.
type proxy struct {
	target string
	folder string // of the socket

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
	gate     chan struct{} // closed while bytes may pass
	running  sync.WaitGroup
}

func newProxy(t *testing.T, target string) *proxy {
	folder, err := os.MkdirTemp("", "") // t.TempDir is too long for a socket
	base.Check(t, err)
	p := &proxy{target: target, folder: folder, conns: map[net.Conn]bool{}, gate: make(chan struct{})}
	close(p.gate)
	t.Cleanup(func() {
		p.close()
		p.resume()
		p.running.Wait()
		os.RemoveAll(folder)
	})
	p.open(t)
	return p
}

// open listens where PostgreSQL would in the folder.
func (p *proxy) open(t *testing.T) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(p.folder, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.listener = l
	p.mu.Unlock()
	p.running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.serve(conn)
		}
	})
}

// close ends all connections and accepts no new ones.
func (p *proxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener.Close()
	for conn := range p.conns {
		conn.Close()
	}
	clear(p.conns)
}

// hang lets no more bytes through.
func (p *proxy) hang() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate = make(chan struct{})
}

// resume lets bytes through again.
func (p *proxy) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gate:
	default:
		close(p.gate)
	}
}

func (p *proxy) serve(conn net.Conn) {
	up, err := net.Dial("tcp", p.target)
	if err != nil {
		conn.Close()
		return
	}
	p.mu.Lock()
	p.conns[conn], p.conns[up] = true, true
	p.mu.Unlock()
	p.running.Go(func() { p.pass(conn, up) })
	p.running.Go(func() { p.pass(up, conn) })
}

func (p *proxy) pass(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			p.mu.Lock()
			gate := p.gate
			p.mu.Unlock()
			<-gate
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

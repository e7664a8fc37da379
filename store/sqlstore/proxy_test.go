package sqlstore

import (
	"net"
	"sync"
	"testing"
)

// proxy is between a store and its database, and can fail like a network.
type proxy struct {
	target string
	at     string

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
	gate     chan struct{} // closed while bytes may pass
	running  sync.WaitGroup
}

func newProxy(t *testing.T, target string) *proxy {
	p := &proxy{target: target, at: "127.0.0.1:0", conns: map[net.Conn]bool{}, gate: make(chan struct{})}
	close(p.gate)
	p.open(t)
	t.Cleanup(func() {
		p.close()
		p.resume()
		p.running.Wait()
	})
	return p
}

func (p *proxy) address() string { return p.at }

// open listens, always at the same address.
func (p *proxy) open(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", p.at)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.listener, p.at = l, l.Addr().String()
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

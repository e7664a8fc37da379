package testkit

import (
	"context"
	"net"
	"sync"
)

// memoryNet is a listener whose connections are in memory, so that virtual time
// passes while they wait.
type memoryNet struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newMemoryNet() *memoryNet {
	return &memoryNet{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (n *memoryNet) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- localConn{server}:
		return client, nil
	case <-n.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the next connection.
func (n *memoryNet) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

// Close ends the listener.
func (n *memoryNet) Close() error {
	n.once.Do(func() { close(n.done) })
	return nil
}

// Addr returns a name for the listener.
func (n *memoryNet) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// localConn is a connection from this machine.
type localConn struct{ net.Conn }

func (localConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711} }

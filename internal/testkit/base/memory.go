package base

import (
	"context"
	"net"
	"sync"
)

// Listener is a listener with connections in memory, so that virtual time passes while they wait.
type Listener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// NewListener returns an open listener.
func NewListener() *Listener {
	return &Listener{conns: make(chan net.Conn, 16), done: make(chan struct{})}
}

// Take makes the server take over a connection.
func (l *Listener) Take(conn net.Conn) { l.conns <- conn }

// Dial returns the client's end of a new connection.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- localConn{server}:
		return client, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends the listener.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns a name for the listener.
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// localConn is a connection from this machine.
type localConn struct{ net.Conn }

func (localConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711} }

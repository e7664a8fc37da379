package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
)

// longestSocket is the longest path of a socket that every system accepts.
const longestSocket = 103

// checkData refuses a folder that cannot hold the control socket.
func checkData(data string) error {
	switch name := socketFile(data); {
	case data == "":
		return usage("-data is missing; give the folder for what is learned, such as -data sitemap-data")
	case len(name) > longestSocket:
		return usage("-data: the path of the socket %s has %d bytes, and systems take %d; give a shorter path, such as one relative to the working directory",
			name, len(name), longestSocket)
	}
	return nil
}

// listenSocket listens for commands. The caller holds the data, so a socket that exists
// already is left from a dead process.
func listenSocket(data string) (net.Listener, error) {
	name := socketFile(data)
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	l, err := net.Listen("unix", name)
	if err != nil {
		return nil, fmt.Errorf("listening for commands: %w", err)
	}
	return l, nil
}

// client asks a process, which may be this one.
type client struct {
	http  *http.Client
	close func()
}

// dialing returns a client for the connections of dial.
func dialing(dial func(context.Context) (net.Conn, error), close func()) *client {
	transport := &http.Transport{
		DialContext:        func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableCompression: true,
	}
	return &client{http: &http.Client{Transport: transport}, close: func() {
		transport.CloseIdleConnections()
		close()
	}}
}

// errSilent is the error of a process that has the folder and does not answer.
var errSilent = errors.New("the process at the socket does not answer")

// process returns a client of the process that has the folder.
func process(data string) *client {
	return dialing(func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socketFile(data))
	}, func() {})
}

// askHealth asks the process that has the folder how it is. It fails if there is none, and
// with errSilent if that does not answer.
func askHealth(ctx context.Context, data string) (health, error) {
	c := process(data)
	defer c.close()
	ctx, cancel := context.WithTimeoutCause(ctx, answerPatience, errSilent)
	defer cancel()
	h, err := fetch[health](ctx, c, "/health", nil)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		err = errSilent
	}
	return h, err
}

// pipe is a listener within the process.
type pipe chan net.Conn

func (p pipe) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipe) Close() error   { return nil }
func (p pipe) Addr() net.Addr { return &net.UnixAddr{} }

func (p pipe) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

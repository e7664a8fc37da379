package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/inspect"
)

// Client asks a process, which may be this one.
type Client struct {
	http  http.Client
	Close func()
}

// Process returns a client of the process that answers at the socket in the folder, or else aside. That process belongs
// to the owner of the folder, or to this user.
func Process(data string) *Client { return client(data, false) }

// Near returns a client of the process that waits for the folder on this machine, or else of the one that has it: that
// may be in another container.
func Near(data string) *Client { return client(data, true) }

func client(data string, near bool) *Client {
	dials := []func(context.Context, string) (net.Conn, error){dial, dialAside}
	if near {
		slices.Reverse(dials)
	}
	c := &Client{http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dials[0](ctx, data)
			if err == nil {
				return conn, nil
			}
			conn, failed := dials[1](ctx, data)
			if failed != nil && !near {
				failed = err // what is wrong with the folder says more
			}
			return conn, failed
		},
		DisableCompression: true,
	}}}
	c.Close = c.http.CloseIdleConnections
	return c
}

// dial connects to the socket in the folder.
func dial(ctx context.Context, data string) (net.Conn, error) {
	info, err := os.Lstat(Folder(data))
	if err != nil {
		return nil, err
	}
	if err := ours(Folder(data), info); err != nil && (os.Geteuid() != 0 || info.Mode()&fs.ModeSymlink != 0) {
		return nil, err
	}
	owner, _ := ownerOf(info)
	return dialOf(ctx, Socket(data), owner)
}

// dialAside connects to the socket that needs no folder. Anybody may have listened there, so only root hears another
// user.
func dialAside(ctx context.Context, data string) (net.Conn, error) {
	name, ok := aside(data)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return dialOf(ctx, name, os.Geteuid())
}

// dialOf connects to a socket of another process of this user, or of owner.
func dialOf(ctx context.Context, name string, owner int) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", name)
	if err != nil {
		return nil, err
	}
	if uid, ok := peerOf(conn.(*net.UnixConn)); ok && uid != owner && uid != os.Geteuid() &&
		(os.Geteuid() != 0 || !strings.HasPrefix(name, "@")) {
		conn.Close()
		return nil, ForeignError{name, uid}
	}
	return conn, nil
}

// Here returns a client of a handler in this process. end is called when it is closed.
func Here(h http.Handler, end func()) *Client { return &Client{http.Client{Transport: here{h}}, end} }

type here struct{ http.Handler }

func (h here) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// errOlder is the error of a question that the process does not know.
var errOlder = errors.New("the running process is of an older version and does not know that; restart it")

// Do makes a request. The caller closes the body of the answer.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://servemap"+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, errors.Unwrap(err) // without the URL, which means nothing to the user
	}
	if resp.StatusCode == http.StatusNotFound {
		resp.Body.Close()
		return nil, errOlder
	}
	if resp.StatusCode >= 300 && path != "/health" {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		resp.Body.Close()
		problem := inspect.Problem{Error: strings.TrimSpace(string(text))}
		_ = json.Unmarshal(text, &problem) // only the inspector answers JSON
		return nil, errors.New(problem.Error)
	}
	return resp, nil
}

// Get returns an answer that is one object.
func Get[T any](ctx context.Context, c *Client, path string, query url.Values) (v T, err error) {
	resp, err := c.Do(ctx, http.MethodGet, path, query)
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	return v, json.NewDecoder(resp.Body).Decode(&v)
}

package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/servemap/servemap/internal/inspect"
)

// Client asks a process, which may be this one.
type Client struct {
	http  http.Client
	Close func()
}

// Process returns a client of the process that answers at the socket. Unless root asks, the folder is this user's, and so
// is the process.
func Process(data string) *Client {
	c := &Client{http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if err := Check(data); err != nil && os.Geteuid() != 0 {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, "unix", Socket(data))
		},
		DisableCompression: true,
	}}}
	c.Close = c.http.CloseIdleConnections
	return c
}

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

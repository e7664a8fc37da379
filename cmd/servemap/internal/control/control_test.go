package control

import (
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// answering serves requests at a listener until the test ends.
func answering(t *testing.T, l net.Listener) *http.Server {
	t.Helper()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	t.Cleanup(func() { server.Close(); <-ended })
	return server
}

func wantAnswer(t *testing.T, c *http.Client) {
	t.Helper()
	resp, err := c.Get("http://any/health")
	base.Check(t, err)
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); string(b) != "/health" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

func TestClientsReachTheSocket(t *testing.T) {
	data := t.TempDir()
	c := Client(data)
	t.Cleanup(c.CloseIdleConnections)
	if _, err := c.Get("http://any/health"); err == nil {
		t.Error("somebody answers where no process is")
	}
	base.Check(t, Make(data))
	base.Check(t, os.WriteFile(Socket(data), nil, 0o600)) // a dead process left it
	l, err := Listen(data)
	base.Check(t, err)
	answering(t, l)
	wantAnswer(t, c)
}

func TestFolderWithTooLongAPathIsRefused(t *testing.T) {
	for _, tt := range []struct {
		data string
		ok   bool
	}{{"data", true}, {strings.Repeat("d", longestSocket-len("/servemap/socket")), true}, {strings.Repeat("d", longestSocket), false}} {
		if err := Check(tt.data); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.data, err)
		}
	}
}

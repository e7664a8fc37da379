package recipes

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/nginx"
)

// front runs nginx with a file of the recipes, but for its ports, and returns where it listens.
func front(t *testing.T, file, behind string) (address string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("proxies", file))
	base.Check(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	base.Check(t, err)
	address = l.Addr().String()
	l.Close()
	nginx.Start(t, "tcp", address, strings.NewReplacer("listen 80;", "listen "+address+";", "127.0.0.1:8080",
		behind).Replace(string(text)))
	return address
}

// The file passes what servemap proxy passes.
func TestNginxPassesWebSocketsEventsAndLargeBodies(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: now\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/socket":
			conn, to, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			fmt.Fprintf(to, "HTTP/1.1 101 Switching Protocols\r\nConnection: %s\r\nUpgrade: %s\r\n\r\n",
				r.Header.Get("Connection"), r.Header.Get("Upgrade"))
			_ = to.Flush()
			_, _ = io.Copy(conn, conn)
		default:
			fmt.Fprint(w, r.Host, r.ContentLength, r.Header.Get("X-Forwarded-Proto"))
		}
	}))
	defer site.Close()
	at := front(t, "nginx.conf", site.Listener.Addr().String())
	for _, row := range []struct{ name, sends, then, want string }{
		{"events come at once", "GET /events HTTP/1.1\r\nHost: example.com\r\n\r\n", "", "data: now"},
		{"a WebSocket", "GET /socket HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
			"echo\n", "Upgrade: websocket"},
		{"a body of a gigabyte", "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 1073741824\r\n\r\n", "begins\n",
			"example.com1073741824http"},
	} {
		t.Run(row.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", at)
			base.Check(t, err)
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			fmt.Fprint(conn, row.sends+row.then)
			var said strings.Builder
			for lines := bufio.NewScanner(conn); lines.Scan(); {
				if fmt.Fprintln(&said, lines.Text()); strings.Contains(lines.Text(), row.want) {
					return
				}
			}
			t.Errorf("what comes is %s", said.String())
		})
	}
}

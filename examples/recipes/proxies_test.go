package recipes

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// front runs nginx with a file of the recipes, but for its ports, and returns where it listens.
func front(t *testing.T, file, behind string) (address string) {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	text, failed := os.ReadFile(filepath.Join("proxies", file))
	l, full := net.Listen("tcp", "127.0.0.1:0")
	if err != nil || failed != nil || full != nil {
		t.Fatal(err, failed, full)
	}
	address = l.Addr().String()
	l.Close()
	said := strings.NewReplacer("listen 80;", "listen "+address+";", "127.0.0.1:8080", behind).Replace(string(text))
	dir := t.TempDir()
	config := fmt.Sprintf("daemon off; pid %[1]s/pid; error_log stderr; events {}\nhttp { access_log off; client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b;\n"+
		"fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;\n%[2]s}\n", dir, said)
	name := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(name, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(nginx, "-p", dir, "-c", name)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	})
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
	}
	t.Fatal("nginx does not begin")
	return ""
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
			fmt.Fprintf(to, "HTTP/1.1 101 Switching Protocols\r\nConnection: %s\r\nUpgrade: %s\r\n\r\n", r.Header.Get("Connection"), r.Header.Get("Upgrade"))
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
		{"a WebSocket", "GET /socket HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "echo\n", "Upgrade: websocket"},
		{"a body of a gigabyte", "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 1073741824\r\n\r\n", "begins\n", "example.com1073741824http"},
	} {
		t.Run(row.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
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

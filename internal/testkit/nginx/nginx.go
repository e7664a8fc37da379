// Package nginx starts nginx for tests that need a real one before a program.
package nginx

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// Start runs nginx until the test ends, and returns once it answers at an address. http is what stands in its block
// http.
func Start(t testing.TB, network, address, http string) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		base.Lacks(t, "nginx is not installed: %v", err)
	}
	dir := t.TempDir()
	conf := filepath.Join(dir, "conf")
	base.Check(t, os.WriteFile(conf, fmt.Appendf(nil, `daemon off; master_process off; pid %[1]s/pid; error_log stderr; events {}
http {
	access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/g;
	%[2]s
}`, dir, http), 0o600))
	cmd := exec.Command(program, "-p", dir, "-c", conf)
	cmd.Stderr = os.Stderr
	base.Check(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	base.Await(t, "nginx answers", func() bool {
		conn, err := net.Dial(network, address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

package sqlstore

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/postgres"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
)

// pooled starts PgBouncer before the tests' database. Each transaction may get another of its
// connections. It returns the database's address there.
func pooled(t *testing.T) string {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		base.Lacks(t, "PgBouncer is not installed: %v", err)
	}
	server, err := pgx.ParseConfig(postgres.Address)
	base.Check(t, err)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	base.Check(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	base.Check(t, free.Close())
	password := ""
	if server.Password != "" {
		password = fmt.Sprintf(" password='%s'", server.Password)
	}
	file := filepath.Join(t.TempDir(), "pgbouncer.ini")
	base.Check(t, os.WriteFile(file, fmt.Appendf(nil, `[databases]
%s = host=%s port=%d user=%s%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`, server.Database, server.Host, server.Port, server.User, password, port), 0o600))
	cmd := exec.CommandContext(t.Context(), program, file)
	if os.Getuid() == 0 { // which PgBouncer refuses to run as
		cmd.Args = []string{program, "-u", "nobody", file}
		base.Check(t, os.Chmod(filepath.Dir(filepath.Dir(file)), 0o755))
		base.Check(t, os.Chmod(filepath.Dir(file), 0o755))
		base.Check(t, os.Chmod(file, 0o644))
	}
	log, err := cmd.StderrPipe()
	base.Check(t, err)
	base.Check(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(log)
	for said := ""; !strings.Contains(said, "process up"); said = lines.Text() {
		if !lines.Scan() {
			t.Fatalf("PgBouncer has ended: %s", said)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", server.User, port, server.Database)
}

func TestStoreKeepsTheRulesBehindAPooler(t *testing.T) {
	db := postgres.Open(t)
	address := pooled(t)
	one, two := postgres.Dial(t, address), postgres.Dial(t, address)
	storetest.RunShared(t, func(t *testing.T) (a, b store.Store) {
		table := schema(t, db) + ".servemap"
		return openTable(t, one, table), openTable(t, two, table)
	})
}

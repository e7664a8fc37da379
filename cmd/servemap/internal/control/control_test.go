package control

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// answering serves requests at a listener until the test ends.
func answering(t *testing.T, l net.Listener) *http.Server {
	t.Helper()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		_ = json.NewEncoder(w).Encode(r.URL.Path)
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	t.Cleanup(func() { server.Close(); <-ended })
	return server
}

func TestClientsReachTheSocket(t *testing.T) {
	data := t.TempDir()
	c := Process(data)
	t.Cleanup(c.Close)
	if _, err := c.Do(t.Context(), http.MethodGet, "/health", nil); err == nil {
		t.Error("somebody answers where no process is")
	}
	base.Check(t, os.Mkdir(Folder(data), 0o777))
	base.Check(t, Make(data))
	base.Check(t, os.WriteFile(Socket(data), nil, 0o600)) // a dead process left it
	l, err := Listen(data)
	base.Check(t, err)
	answering(t, l)
	beside, err := ListenAside(data)
	if runtime.GOOS == "linux" {
		base.Check(t, err)
		server := answering(t, beside)
		base.Check(t, os.Rename(Folder(data), Folder(data)+".away"))
		if got, err := Get[string](t.Context(), c, "/aside", nil); got != "/aside" || err != nil {
			t.Errorf("without the folder: %q, %v", got, err)
		}
		c.Close()
		server.Close()
		base.Check(t, os.Rename(Folder(data)+".away", Folder(data)))
	}
	if got, err := Get[string](t.Context(), c, "/health", nil); got != "/health" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if info, err := os.Stat(Folder(data)); err != nil || info.Mode().Perm() != 0o700 && runtime.GOOS != "windows" {
		t.Errorf("others may enter the folder: %v, %v", info.Mode(), err)
	}
}

func TestWhatAnotherUserPutThereIsNotUsed(t *testing.T) {
	const other = 54321 // no user has it
	chown := func(t *testing.T, name string) {
		if os.Geteuid() != 0 {
			base.Lacks(t, "only root can give a file to another")
		}
		base.Check(t, os.Lchown(name, other, other))
	}
	for _, tt := range []struct {
		name string
		does func(t *testing.T, data, victim string)
	}{
		{"the folder of the data", func(t *testing.T, data, _ string) { chown(t, data) }},
		{"a link to the folder of the data", func(t *testing.T, data, victim string) {
			base.Check(t, os.Remove(data))
			base.Check(t, os.Symlink(filepath.Dir(victim), data))
			chown(t, data)
		}},
		{"the folder of these files", func(t *testing.T, data, _ string) {
			base.Check(t, os.Mkdir(Folder(data), 0o777))
			chown(t, Folder(data))
		}},
		{"a link in place of the folder", func(t *testing.T, data,
			victim string) {
			base.Check(t, os.Symlink(filepath.Dir(victim), Folder(data)))
		}},
		{"a link in place of the store", func(t *testing.T, data, victim string) {
			base.Check(t, os.Symlink(filepath.Dir(victim), filepath.Join(data, "badger")))
		}},
		{"a link in place of the store's file", func(t *testing.T, data, victim string) {
			base.Check(t, os.Symlink(victim, filepath.Join(data, "lock")))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data, victim := t.TempDir(), filepath.Join(t.TempDir(), "exploring")
			base.Check(t, os.WriteFile(victim, []byte("precious"), 0o600))
			tt.does(t, data, victim)
			var foreign ForeignError
			if err := Check(data); !errors.As(err, &foreign) {
				t.Errorf("the check says %v", err)
			}
			if foreign.Path == Folder(data) {
				if Make(data) == nil || WriteFile(Explored(data), []byte("ours")) == nil {
					t.Error("a file is written there")
				}
				if _, err := ReadFile(Explored(data)); err == nil {
					t.Error("a file is read there")
				}
			}
			if b, err := os.ReadFile(victim); string(b) != "precious" {
				t.Errorf("the victim's file is %q, %v", b, err)
			}
		})
	}
}

func TestFilesAreReplacedAndNoLinkIsFollowed(t *testing.T) {
	data, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
	base.Check(t, os.WriteFile(victim, []byte("precious"), 0o600))
	base.Check(t, Make(data))
	base.Check(t, os.Symlink(victim, Explored(data)))
	if b, err := ReadFile(Explored(data)); err == nil {
		t.Errorf("it reads %q", b)
	}
	base.Check(t, WriteFile(Explored(data), []byte("ours")))
	got, err := ReadFile(Explored(data))
	b, _ := os.ReadFile(victim)
	if names, _ := os.ReadDir(Folder(data)); string(got) != "ours" || err != nil || string(b) != "precious" ||
		len(names) != 1 {
		t.Errorf("%q, %v; the victim's file is %q, the folder has %v", got, err, b, names)
	}
}

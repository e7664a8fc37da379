package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

func TestEmptyFolderIsLoggedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	t.Chdir(filepath.Dir(dir))
	for i, want := range []int{1, 0, 0} {
		log := new(base.Log)
		s := mustOpen(t, "data", &Options{Logger: log.Logger()})
		mustPut(t, s, "k", fmt.Sprint(i))
		mustClose(t, s)
		log.Want(t, want, `level=INFO msg="badgerstore: the folder is empty`)
		log.Want(t, want, "dir="+dir)
	}
}

func TestOpenRefusesBadArguments(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "file", "")
	for _, c := range []struct {
		name    string
		os      string // "" for any
		dir     string
		reserve int64
	}{
		{"no folder", "", "", 0},
		{"a negative reserve", "", dir, -1},
		{"a file", "", filepath.Join(dir, "file"), 0},
		{"below a file", "", filepath.Join(dir, "file", "data"), 0},
		{"a name too long", "", filepath.Join(dir, strings.Repeat("x", 1000)), 0},
		{"a name with a zero byte", "", filepath.Join(dir, "a\x00b"), 0},
		{"in /proc", "linux", "/proc/x", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.os != "" && c.os != runtime.GOOS {
				t.Skip("there is no such place on " + runtime.GOOS)
			}
			s, err := Open(c.dir, &Options{Reserve: c.reserve, Logger: new(base.Log).Logger()})
			if err == nil {
				s.Close()
				t.Fatal("Open takes it")
			}
			if c.reserve == 0 && !strings.Contains(err.Error(), c.dir) {
				t.Errorf("the error does not say which folder: %v", err)
			}
		})
	}
}

// TestOpenWaitsForAFolder opens folders that cannot be created at first, but can later.
func TestOpenWaitsForAFolder(t *testing.T) {
	for _, c := range []struct {
		name string
		root bool // it works for root too
		make func(dir string) (data string, err error)
		mend func(dir string) error
	}{
		{
			name: "without rights",
			make: func(dir string) (string, error) { return filepath.Join(dir, "data"), os.Chmod(dir, 0o500) },
			mend: func(dir string) error { return os.Chmod(dir, 0o700) },
		},
		{
			name: "a link to a volume that is not mounted yet",
			root: true,
			make: func(dir string) (string, error) {
				link := filepath.Join(dir, "link")
				return link, os.Symlink(filepath.Join(dir, "target"), link)
			},
			mend: func(dir string) error { return os.Mkdir(filepath.Join(dir, "target"), 0o700) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if os.Getuid() == 0 && !c.root {
				t.Skip("root may do anything")
			}
			dir := t.TempDir()
			data, err := c.make(dir)
			if err != nil {
				t.Skip(err)
			}
			s, log := openLogged(t, data)
			if err := s.Health(); reasonOf(err) != inaccessible || !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Health: %v, want ErrUnavailable", err)
			}
			base.Check(t, c.mend(dir))
			log.Await("works again")
			mustPut(t, s, "k", "1")
		})
	}
}

// TestFolderThatIsElsewhereIsNotWritten renames the open folder, and puts something in its place.
func TestFolderThatIsElsewhereIsNotWritten(t *testing.T) {
	for _, c := range []struct {
		name   string
		folder string // that is renamed, below the store's
		put    func(elsewhere, place string) error
	}{
		{"renamed", "", func(string, string) error { return nil }},
		{"replaced by a folder", "", func(_, place string) error { return os.Mkdir(place, 0o700) }},
		{"replaced by a file", "", func(_, place string) error { return os.WriteFile(place, nil, 0o600) }},
		{"replaced by a copy", "", func(elsewhere, place string) error { return os.CopyFS(place, os.DirFS(elsewhere)) }},
		{"Badger's folder renamed", badgerName, func(string, string) error { return nil }},
		{"Badger's folder replaced by a copy", badgerName, func(elsewhere, place string) error { return os.CopyFS(place, os.DirFS(elsewhere)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			s, log := openLogged(t, dir)
			mustPut(t, s, "k", "1")
			place, elsewhere := filepath.Join(dir, c.folder), dir+".elsewhere"
			base.Check(t, errors.Join(os.Rename(place, elsewhere), c.put(elsewhere, place)))
			before := files(place)
			for name, err := range map[string]error{
				"Health": s.Health(), "Update": put(s, "k", "2"), "another Update": put(s, "l", "2"), "Sync": s.Sync(context.Background()),
			} {
				if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), dir+" was removed, renamed or replaced") {
					t.Errorf("%s: %v, want that the folder was removed", name, err)
				}
			}
			wantValue(t, s, "k", "1")
			if after := files(place); after != before {
				t.Errorf("in its place were %s, are %s", before, after)
			}
			base.Check(t, errors.Join(os.RemoveAll(place), os.Rename(elsewhere, place)))
			mustPut(t, s, "k", "3")
			healthy(t, s)
			log.Want(t, 1, "cannot be used")
			log.Want(t, 1, "works again")
		})
	}
}

// TestReplacedFolderIsLeftAlone puts another folder with a database in place of the open one, and
// closes the store.
func TestReplacedFolderIsLeftAlone(t *testing.T) {
	other := filled(t)
	dir := filepath.Join(t.TempDir(), "data")
	s := mustOpen(t, dir, nil)
	mustPut(t, s, "mine", "1")
	base.Check(t, errors.Join(os.Rename(dir, dir+".old"), os.Rename(other, dir)))
	before := files(dir)
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("Close: %v, want that the folder was replaced", err)
	}
	if after := files(dir); after != before {
		t.Errorf("the folder in its place had %s, has %s", before, after)
	}
	theirs := open(t, dir, &Options{Logger: new(base.Log).Logger()})
	if get(t, theirs, "k") == "" || get(t, theirs, "mine") != "" {
		t.Error("the folder in its place has other records than its own")
	}
}

// files returns the names and sizes of the files below dir.
func files(dir string) (all string) {
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if info, statErr := os.Stat(path); err == nil && statErr == nil {
			all += fmt.Sprintf("%s %d\n", path, info.Size())
		}
		return nil
	})
	return all
}

// Package folder serves a folder of HTML files as a site: no hidden files, and no lists of
// files.
package folder

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// New returns a handler that serves the files below dir.
func New(dir string) (http.Handler, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder that can be read; give the folder of the site's HTML files", dir)
	}
	return http.FileServer(files{http.Dir(dir)}), nil
}

type files struct{ dir http.Dir }

func (f files) Open(name string) (http.File, error) {
	if hidden(name) {
		return nil, os.ErrNotExist
	}
	file, err := f.dir.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		var index http.File
		if index, err = f.dir.Open(strings.TrimSuffix(name, "/") + "/index.html"); err == nil {
			err = index.Close()
		}
	}
	if err != nil {
		return nil, cmp.Or(file.Close(), os.ErrNotExist)
	}
	return file, nil
}

func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && part != ".well-known" {
			return true
		}
	}
	return false
}

// Serves reports whether visitors of dir would get the files below another folder.
func Serves(dir, other string) bool {
	rel, err := filepath.Rel(resolve(dir), resolve(other))
	return err == nil && (rel == "." || filepath.IsLocal(rel) && !hidden(filepath.ToSlash(rel)))
}

// resolve returns a path without symbolic links, as far as it exists.
func resolve(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil || filepath.Dir(path) == path {
		return cmp.Or(resolved, path)
	}
	return filepath.Join(resolve(filepath.Dir(path)), filepath.Base(path))
}

// Package folder serves a folder of HTML files as a site: regular files alone, no hidden ones, and
// no lists of files. No link leads out of the folder, or to a hidden file in it.
package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// New returns a handler that serves the files below dir.
func New(dir string) (http.Handler, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder that can be read; give the folder of the site's HTML files", dir)
	}
	dir, err := filepath.Abs(dir)
	return http.FileServer(files(dir)), err
}

// files is the path of a folder. It is opened for each request, since a deployment may replace it.
type files string

// Open opens a file, or a folder that has an index.html.
func (f files) Open(name string) (http.File, error) {
	file, info, err := f.open(name)
	if err == nil && info.IsDir() {
		var index *os.File
		if index, info, err = f.open(path.Join(name, "index.html")); err == nil {
			index.Close()
			if info.IsDir() {
				err = fs.ErrNotExist
			}
		}
		if err != nil {
			file.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// open opens a regular file or a folder, where the links in its path lead to. Nothing else is
// opened: a pipe would wait for somebody to write.
func (f files) open(name string) (*os.File, fs.FileInfo, error) {
	local, err := filepath.Localize(strings.TrimPrefix(path.Clean("/"+name), "/"))
	if name = path.Clean("/" + name); name == "/" {
		local, err = ".", nil
	}
	if err != nil || hidden(name) {
		return nil, nil, fs.ErrNotExist
	}
	target, err := filepath.EvalSymlinks(filepath.Join(string(f), local))
	if err != nil {
		return nil, nil, absent(err)
	}
	if local, err = filepath.Rel(resolve(string(f)), target); err != nil || hidden(filepath.ToSlash(local)) {
		return nil, nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	info, err := root.Stat(local)
	if err != nil {
		return nil, nil, absent(err)
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, nil, fs.ErrNotExist
	}
	file, err := root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe by now
	return file, info, err
}

// absent tells a file that is not there from an error that passes, such as a lack of memory.
func absent(err error) error {
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG) {
		return fs.ErrNotExist
	}
	return err
}

// hidden reports whether a path has a part that visitors do not get: a name with a dot first, or
// a copy that an editor or a person left beside a file.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." || strings.HasPrefix(part, ".") && part != "." && part != ".well-known" || backup(strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// Whatever follows a document's extension makes it a copy, as in a.html.1 and a.html (copy), unless
// that names a language or a coding.
var (
	copied  = regexp.MustCompile(`\.x?html?[. ;,]`)
	variant = regexp.MustCompile(`^\.([a-z]{2}(-[a-z]{2})?|gz|br|zst)$`)
)

func backup(name string) bool {
	switch strings.TrimRight(path.Ext(name), "0123456789") { // as .bak2
	case ".bak", ".backup", ".bkp", ".old", ".orig", ".rej", ".sav", ".save", ".swn", ".swo", ".swp", ".tmp":
		return true
	}
	if at := copied.FindStringIndex(name); at != nil && !variant.MatchString(name[at[1]-1:]) {
		return true
	}
	return name[:min(1, len(name))] == "~" || strings.HasSuffix(name, "~") || len(name) > 1 && name[0] == '#' && strings.HasSuffix(name, "#")
}

// Serves reports whether visitors of dir would get the files below another folder.
func Serves(dir, other string) bool {
	rel, err := filepath.Rel(resolve(dir), resolve(other))
	return err == nil && !hidden(filepath.ToSlash(rel))
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

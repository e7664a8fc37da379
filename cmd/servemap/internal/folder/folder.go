// Package folder serves a folder of HTML files as a site: regular files of the types that sites have, no hidden
// ones, and no lists of files. No link leads out of the folder, or to a hidden file in it.
package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// New returns a handler that serves the files below dir.
func New(dir string) (http.Handler, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder that can be read; give the folder of the site's HTML files", dir)
	}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("the folder of the site cannot be read: %w", err)
	}
	if has(dir, "index.php") && !has(dir, "index.html") {
		return nil, fmt.Errorf("%s has an index.php and no index.html: only PHP can serve it; let PHP listen, and put "+
			"servemap proxy in front", dir)
	}
	dir, err := filepath.Abs(dir)
	return http.FileServer(files(dir)), err
}

func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
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
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, nil, fs.ErrNotExist
	}
	file, err := root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe by now
	if err == nil && !info.IsDir() && !(web(name, file) && web("/"+filepath.ToSlash(local), file)) {
		file.Close()
		return nil, nil, fs.ErrNotExist
	}
	return file, info, err
}

// absent returns fs.ErrNotExist for errors which say that a file is not there, and other errors, which may pass,
// unchanged.
func absent(err error) error {
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENAMETOOLONG) {
		return fs.ErrNotExist
	}
	return err
}

// hidden reports whether a path has a part that visitors do not get: a name with a dot or a tilde first, or
// a copy that an editor or a person left.
func hidden(name string) bool {
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		dot := strings.HasPrefix(part, ".") && part != "." && part != ".well-known"
		if dot || strings.HasPrefix(part, "~") || isCopy(strings.Split(part, ".")[1:]) {
			return true
		}
	}
	return false
}

// isCopy reports whether the endings of a name say that it is a copy: at the end, or beside a type, as in a.html.old
// and a.old.html. Elsewhere, as in the.old.man.html, the word belongs to a title.
func isCopy(endings []string) bool {
	for i, e := range endings {
		typed := func(at int) bool { return at >= 0 && (types[endings[at]] || program.MatchString(endings[at])) }
		if copied.MatchString(e) && (i == len(endings)-1 || typed(i+1) || typed(i-1)) {
			return true
		}
	}
	return false
}

// web reports whether a file is one for visitors: the end of its name is that of a type that browsers
// show, sites offer to load, or programs of visitors read. Any other name, such as about or
// release-1.2, is that of a page if the file begins as HTML. Files below .well-known often have no
// type.
func web(name string, file io.ReaderAt) bool {
	name = strings.ToLower(name)
	parts := strings.Split(path.Base(name), ".")[1:]
	last := len(parts) - 1
	switch {
	case last >= 0 && shown[parts[last]]: // a listing of a program, or what is named like one: film.pl.vtt is Polish
		return true
	case slices.ContainsFunc(parts, program.MatchString):
		return false
	case last >= 0 && types[parts[last]], last < 0 && strings.HasPrefix(name, "/.well-known/"):
		return true
	case slices.ContainsFunc(parts, func(part string) bool { return types[part] }) || !title.MatchString(path.Base(name)):
		return false // a copy, such as a.html.1 or a.html (copy)
	}
	var begin [512]byte
	n, err := file.ReadAt(begin[:], 0)
	return (err == nil || err == io.EOF) && strings.HasPrefix(http.DetectContentType(begin[:n]), "text/html")
}

var (
	copied  = regexp.MustCompile(`^(ba?k|backup|bkp|old|orig|rej|save?|sw[nop]|tmp|.*~)\d*$`)
	title   = regexp.MustCompile(`^[\pL\pM\pN_.,'!-]+$`)
	program = regexp.MustCompile(`^(php\d?|phtml|aspx?|jspx?|cgi|pl|py|rb|erb|sh|env|twig|ejs|tmpl|tpl)$`)
	shown   = set(`html js mjs css json vtt srt`)
	types   = set(`html htm xhtml xht css js mjs cjs map json jsonld geojson topojson webmanifest manifest wasm xml xsl xslt xsd dtd rss atom rdf ttl txt text md vtt srt
		png jpg jpeg jpe jfif gif webp avif jxl svg svgz ico cur bmp tif tiff heic heif apng mp3 m4a aac ogg oga opus wav flac weba mid midi mp4 m4v webm ogv mov avi mkv mpg mpeg ts m3u8 mpd
		woff woff2 ttf otf eot pdf epub mobi azw3 djvu ps doc docx xls xlsx ppt pptx odt ods odp odg rtf csv tsv ics vcf gpx kml kmz glb gltf usdz obj stl bib tex dxf
		zip gz tgz bz2 xz zst br 7z rar tar jar apk aab ipa xpi crx dmg pkg exe msi msix deb rpm appimage iso whl gem nupkg torrent bin dat asc sig sha256 sha512 md5 parquet pgn`)
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
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

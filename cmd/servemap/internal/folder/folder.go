// Package folder serves a folder of HTML files as a site: regular files of the types that sites have, no hidden
// ones, and no lists of files. No link leads out of the folder.
package folder

import (
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
	dir, err := filepath.Abs(dir)
	return http.FileServerFS(files(dir)), err
}

// files is the path of a folder. It is opened for each request, since a deployment may replace it.
type files string

// Open opens a file for visitors, or a folder that has an index.html. Nothing else is opened: a pipe would wait for
// somebody to write.
func (f files) Open(name string) (fs.File, error) {
	local, err := filepath.Localize(name)
	if err != nil || hidden(name) {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(local)
	folder := err == nil && info.IsDir()
	if folder {
		info, err = root.Stat(filepath.Join(local, "index.html"))
	}
	if err != nil {
		return nil, absent(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	file, err := root.OpenFile(local, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe by now
	if err == nil && !folder && !web(name, file) {
		file.Close()
		return nil, fs.ErrNotExist
	}
	return file, err
}

// absent tells a file that is not there from an error that passes, such as a lack of memory. That a link leads out of the
// folder is no error of the system.
func absent(err error) error {
	var system syscall.Errno
	if errors.As(err, &system) && system != syscall.ENOTDIR && system != syscall.ELOOP && system != syscall.ENAMETOOLONG && system != syscall.EINVAL {
		return err
	}
	return fs.ErrNotExist
}

// hidden reports whether a path has a part with a dot first.
func hidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".well-known"
	})
}

// web reports whether a file is one for visitors: the end of its name is that of a type that browsers
// show, sites offer to load, or programs of visitors read. So a copy that an editor left, such as a.html~, is none,
// and nor is a program under another name, such as config.php.txt. A name without an end is that of a page if the file
// begins as HTML. Files below .well-known often have no type.
func web(name string, file io.ReaderAt) bool {
	parts := strings.Split(strings.ToLower(path.Base(name)), ".")[1:]
	if len(parts) > 0 {
		end := parts[len(parts)-1]
		return shown[end] || types[end] && !slices.ContainsFunc(parts, program.MatchString)
	}
	var begin [512]byte
	n, err := file.ReadAt(begin[:], 0)
	html := strings.HasPrefix(http.DetectContentType(begin[:n]), "text/html")
	return strings.HasPrefix(name, ".well-known/") || html && (err == nil || err == io.EOF)
}

var (
	program = regexp.MustCompile(`^(php\d?|phtml|aspx?|jspx?|cgi|pl|py|rb|erb|sh|env|twig|ejs|tmpl|tpl)$`)
	shown   = set(`html js mjs css json vtt srt`) // though a part before names a program: film.pl.vtt is Polish
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

// Serves reports whether a folder is in dir, where visitors could ask for its files.
func Serves(dir, other string) bool {
	dir, _ = filepath.Abs(dir)
	other, _ = filepath.Abs(other)
	rel, err := filepath.Rel(dir, other)
	return err == nil && filepath.IsLocal(rel) && !hidden(filepath.ToSlash(rel))
}

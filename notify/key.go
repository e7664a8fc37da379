package notify

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

var validKey = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`)

// know makes serveKey serve the file of a key, which proves to engines that the notifier speaks for the site.
func (n *Notifier) know(key string) {
	if path := n.folder.Path + key + ".txt"; key != "" {
		n.keyFile.Store(&path)
	}
}

// serveKey answers a GET or HEAD for the key file, and reports whether it is one. A proxy may have removed folders
// at the beginning of its path.
func (n *Notifier) serveKey(w http.ResponseWriter, r *http.Request) bool {
	file := n.keyFile.Load()
	if file == nil || !strings.HasSuffix(*file, r.URL.Path) || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	name := (*file)[strings.LastIndexByte(*file, '/'):]
	if len(r.URL.Path) < len(name) {
		return false
	}
	h := w.Header()
	key := strings.TrimSuffix(name[1:], ".txt")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "max-age=300, no-transform")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Content-Length", strconv.Itoa(len(key)))
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, key)
	}
	return true
}

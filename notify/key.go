package notify

import (
	"context"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var validKey = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`)

// keyOf returns the key in use.
func (n *Notifier) keyOf(st state) string {
	if n.given != "" {
		return n.given
	}
	return st.Key
}

// Wrap returns a handler that serves the key file of IndexNow, and leaves all other
// requests to next. With this file the engines check that posts come from the owner of the
// site. Put it outermost, in front of [servemap.Site.Wrap] and of log-ins:
//
//	notifier.Wrap(site.Robots(site.Wrap(mux)))
//
// Without Options.Key it serves the file once Run has read the key from the store. If next
// is nil, it is [http.DefaultServeMux].
func (n *Notifier) Wrap(next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := n.keyPath.Load(); path != nil && isKeyFile(*path, r.URL.Path) {
			n.serveKey(w, r, *path)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isKeyFile reports whether a path is that of the key file. A proxy may have removed
// folders at its beginning.
func isKeyFile(file, path string) bool {
	return strings.HasSuffix(file, path) && len(path) >= len(file)-strings.LastIndexByte(file, '/')
}

func (n *Notifier) serveKey(w http.ResponseWriter, r *http.Request, file string) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
		return
	}
	key := strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".txt")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(key)))
	h.Set("Cache-Control", "max-age=300, no-transform")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, key)
	}
	if r.UserAgent() != n.agent {
		n.keyFetched.Store(n.now().UnixNano())
	}
}

// What checkKey may see of the key file.
const (
	fileOK          = "ok"
	fileOther       = "other content"
	fileUnreachable = "unreachable"
)

// checkKey fetches the key file as an engine would, and says what it saw: "ok", a status
// code, "other content" or "unreachable".
func (n *Notifier) checkKey(ctx context.Context, key string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.folder+key+".txt", nil)
	if err != nil {
		return fileUnreachable
	}
	req.Header.Set("User-Agent", n.agent)
	resp, err := n.client.Do(req)
	if err != nil {
		return fileUnreachable
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return strconv.Itoa(resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || strings.TrimSpace(string(body)) != key || kind == "text/html" {
		return fileOther
	}
	return fileOK
}

const (
	// unreachableFor is how long nothing is sent if the key file cannot be fetched from
	// here. If it still cannot then, the notifier sends: engines may reach what this machine
	// cannot.
	unreachableFor = 10 * time.Minute
	reachAgain     = time.Minute // how long to wait before checking an unreachable key file again
	keyAgain       = time.Hour   // the same for a wrong one
)

// proveKey checks the key file before the first post of this process. An engine that looked
// too early would note that the key is wrong. The error is errWait until the file is right,
// or enough was done for it.
func (n *Notifier) proveKey(ctx context.Context, st state) error {
	now := n.now()
	if n.proved {
		return nil
	}
	if now.Before(n.proveAt) {
		return errWait
	}
	before, saw := n.keyFile, n.checkKey(ctx, n.keyOf(st))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	n.keyFile = saw
	switch {
	case saw == fileOK, saw == fileUnreachable && before == saw && now.Sub(n.unreachable) >= unreachableFor:
		n.proved = true
		return nil
	case saw == fileUnreachable:
		n.proveAt = now.Add(reachAgain)
		if saw != before {
			n.unreachable = now
			n.log.Warn("notify: this machine cannot fetch the key file at the site's public address; sending begins in 10 minutes all the same")
		}
	default:
		n.proveAt = now.Add(keyAgain)
		if saw != before {
			n.log.Error("notify: nothing is sent until everybody gets the key file: let nothing else answer in its place, such as a bot shield or a cache", "saw", saw)
		}
	}
	return errWait
}

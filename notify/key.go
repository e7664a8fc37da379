package notify

import (
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

var validKey = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`)

// keyFile is the file that proves to engines that the notifier speaks for the site.
type keyFile struct {
	address
	client *http.Client
	log    *slog.Logger

	served  atomic.Pointer[string] // the path of the file, nil while the key is not known
	fetched atomic.Int64           // when somebody else fetched the file, in Unix nanoseconds

	// What follows is used in a pass only.
	proved bool      // engines can get the file, or enough was done for it
	next   time.Time // when to fetch the file again
	saw    string    // what the last fetch showed, "" before the first one
	since  time.Time // when it showed that first
}

// know makes serve serve the file of a key.
func (k *keyFile) know(key string) {
	if path := k.path + key + ".txt"; key != "" {
		k.served.Store(&path)
	}
}

// serve answers a request for the key file, and reports whether it is one. A proxy may have removed folders
// at the beginning of its path.
func (k *keyFile) serve(w http.ResponseWriter, r *http.Request) bool {
	file := k.served.Load()
	if file == nil || !strings.HasSuffix(*file, r.URL.Path) {
		return false
	}
	name := (*file)[strings.LastIndexByte(*file, '/'):]
	if len(r.URL.Path) < len(name) {
		return false
	}
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
		return true
	}
	key := strings.TrimSuffix(name[1:], ".txt")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "max-age=300, no-transform")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Content-Length", strconv.Itoa(len(key)))
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, key)
	}
	if r.UserAgent() != k.agent {
		k.fetched.Store(time.Now().UnixNano())
	}
	return true
}

// What a fetch of the key file may show, besides a status code.
const (
	fileOK          = "ok"
	fileOther       = "other content"
	fileUnreachable = "unreachable"
)

// fetch fetches the key file as an engine would, and says what that showed.
func (k *keyFile) fetch(ctx context.Context, key string) string {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.folder+key+".txt", nil)
	if err != nil {
		return fileUnreachable
	}
	req.Header.Set("User-Agent", k.agent)
	resp, err := k.client.Do(req)
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
	fetchAgain = time.Minute // how long to wait before fetching a key file again that is not right
	// unreachableFor is how long nothing is sent if the key file cannot be fetched from here. Then the
	// notifier sends: engines may reach what this machine cannot.
	unreachableFor = 10 * time.Minute
)

// prove fetches the key file before the first post of this process, and after an engine has refused the key.
// An engine that came too early would note that the key is wrong. The error is errWait until the file is
// right, or enough was done for it.
func (k *keyFile) prove(ctx context.Context, key string, now time.Time) error {
	if k.proved {
		return nil
	}
	if now.Before(k.next) {
		return errWait
	}
	before := k.saw
	if k.saw = k.fetch(ctx, key); ctx.Err() != nil {
		return ctx.Err()
	}
	if k.saw != before {
		k.since = now
	}
	k.proved = k.saw == fileOK || k.saw == fileUnreachable && now.Sub(k.since) >= unreachableFor
	if k.proved {
		return nil
	}
	k.next = now.Add(fetchAgain)
	if k.saw != before {
		k.log.Error("notify: everybody must get the key file: let nothing else answer in its place, such as a bot shield or a cache. "+
			"Nothing is sent before that, or for 10 minutes if only this machine cannot fetch it", "saw", k.saw)
	}
	return errWait
}

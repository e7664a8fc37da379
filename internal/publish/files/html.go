package files

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/tree"
)

// views are the pages of the site map for visitors that were asked for lately.
type views struct {
	mu   sync.Mutex
	made map[tree.Query]viewed
}

// viewed is a view as it was made. It is served for viewFor while the files are the same; a
// title may change although they do not.
type viewed struct {
	*file
	of *snapshot
	at time.Time
}

const viewFor = time.Minute

// viewsMost is how many views are kept. A view has some 20 KiB.
const viewsMost = 64

// serveHTML answers with a view of the site map for visitors. Unlike the other files it
// may be found by search engines.
func (f *Files) serveHTML(w http.ResponseWriter, r *http.Request) {
	values := r.URL.Query()
	v, err := f.view(r.Context(), tree.Query{In: values.Get("in"), All: values.Has("all")})
	switch {
	case err != nil:
		f.serveLater(w)
	case v == nil:
		http.NotFound(w, r)
	default:
		h := w.Header()
		h.Del("X-Robots-Tag")
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("X-Content-Type-Options", "nosniff")
		if policy := f.cfg.Tree.Policy(); policy != "" {
			h.Set("Content-Security-Policy", policy)
		}
		f.serve(w, r, v, v.gz, false)
	}
}

// view returns a view, nil if there is no such view. It is made anew if the files have
// changed since it was made. A view that does not exist is not remembered: the tree makes one
// view at a time, so strangers who ask for such views cause no more than one scan at once.
func (f *Files) view(ctx context.Context, q tree.Query) (*file, error) {
	ctx, cancel := context.WithTimeout(ctx, demandPatience)
	defer cancel()
	served := f.current()
	if v := f.views.get(q); v.of == served && time.Since(v.at) < viewFor {
		return v.file, nil
	}
	text, err := f.cfg.Tree.Render(ctx, q, served.pages, f.Lists)
	switch {
	case errors.Is(err, tree.ErrNone):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return f.views.put(q, text, served, time.Now()), nil
}

func (v *views) get(q tree.Query) viewed {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.made[q]
}

// put keeps a view and returns it as a file. The same bytes as before keep their date.
func (v *views) put(q tree.Query, text []byte, of *snapshot, at time.Time) *file {
	var p press
	made := &file{modified: moment.Of(at).Second()}
	p.begin()
	p.text = text
	p.end(made, "")
	v.mu.Lock()
	defer v.mu.Unlock()
	switch old := v.made[q].file; {
	case old == nil:
	case old.hash == made.hash:
		made.modified = old.modified
	default:
		made.modified = old.later(made.modified)
	}
	if v.made == nil || len(v.made) >= viewsMost {
		v.made = map[tree.Query]viewed{}
	}
	v.made[q] = viewed{made, of, at}
	return made
}

package inspect

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/observe"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/changelog"
)

// Config is what the inspector shows, and the parts of the site that it asks.
type Config struct {
	Public Public

	Origin     location.Origin
	Normalizer *location.Normalizer
	Indexer    *indexer.Indexer
	Files      *files.Files
	Own        *observe.Own
	Handler    *atomic.Pointer[http.Handler] // what the site wraps, nil as long as that is not known
	Tops       []string                      // the URLs of the files to name in robots.txt
	RobotsLine string                        // the line that names them
	Announces  *atomic.Bool                  // servemap adds that line
	ReportOnly bool                          // no sitemap is served
	Crawlers   bool                          // the fetches of search engines are followed
}

// Public is what package servemap says of a site. That package imports this one, so its structs are returned as any.
// The templates and the JSON show them as they are, so that a new field needs nothing here. Its methods may be
// called concurrently, and return soon after ctx ends.
type Public interface {
	// Stats returns a servemap.Stats, and the numbers from which texts are made.
	Stats() (any, messages.Counts)
	// Explain says what is known of the page at a URL or location, or why no page can be
	// there.
	Explain(ctx context.Context, url string) (Explained, error)
	// Why says in sentences why a page is listed or not, and what would list it.
	Why(p *reader.Known) (text string, missing []string)
	// Page returns a servemap.Page, and Change a servemap.Change.
	Page(p reader.Known) any
	Change(e changelog.Event, since time.Time) any
	// Crawlers returns a []servemap.Crawler, nil if crawlers are not followed.
	Crawlers() any
	// Forget takes a page out, erases what is known of it, and bars it. UndoForget lifts the
	// bar.
	Forget(ctx context.Context, url string) error
	UndoForget(ctx context.Context, url string) error
}

// Package files makes the sitemap's files from the book and the journal, and serves them
// over HTTP. A withdrawn page leaves the served files at once, whatever the store does.
// This package makes no decision about a page. It stores only when each file last changed.
package files

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
)

// Config says what a site's files are made of. Store, Keys, URL, Name, Folder
// and Logger are required.
type Config struct {
	Store store.Store
	Keys  keys.Keys
	// URL returns the absolute URL of a location on the site.
	URL func(location string) string
	// Name is the name of the first file without its extension, such as
	// "sitemap".
	Name string
	// Folder is the location of the folder of the files, such as "/".
	Folder string
	// Every is the least time between two renderings that nobody waits for.
	Every time.Duration
	// Extensions says which of Alternates, Images and Videos the parts show.
	Extensions sitemap.Namespaces
	// News says that there is a file of news. Publication is the name of the
	// newspaper or site in it; if it is empty, each page's own name is used.
	News        bool
	Publication string
	// Rules are the owner's. A location that a rule excludes is not shown. Their
	// changefreq and priority go before the inferred ones.
	Rules eligibility.Rules
	// ReportOnly makes files as usual and serves none.
	ReportOnly bool
	Logger     *slog.Logger
}

// cacheBytes is how many bytes of compressed files are kept in memory: some 14 full parts.
// Other files are made again when somebody asks for them.
const cacheBytes = 8 << 20

// Files are the files of one site. [Files.Run] makes them, in passes, and publishes each
// new state as an immutable snapshot. Requests read the snapshot, and make files whose
// bytes are not in memory. All methods may be called concurrently.
type Files struct {
	cfg    Config
	seed   maphash.Seed           // of the hashes of locations
	policy atomic.Pointer[Policy] // nil before the first Follow
	wake   chan struct{}          // tells Run that there is something to do
	passer passer                 // makes the files that have changed
	maker  maker                  // makes one file

	served  atomic.Pointer[snapshot]
	loaded  chan struct{} // closed when the files were first published
	made    atomic.Int64  // when files were last made, in seconds since 1970, 0 for never
	cutter  cutter        // takes withdrawn pages out of a file's bytes
	readers sync.Pool     // of *gzip.Reader
	answers metrics.Answers

	mu      sync.Mutex // guards the fields below, and the replacing of served
	cache   cache
	due     due
	orders  map[int]int     // of the files that were last published, by their numbers
	demands map[int]*demand // files that requests wait for
	gone    withdrawals
	indexer press
}

// due says which files must be made, and whether a pass is making them.
type due struct {
	files   map[int]bool // those that have changed
	all     bool
	passing bool // a pass is going on
	passes  int  // how many have begun
}

// any reports whether a file must be made.
func (d *due) any() bool { return d.all || len(d.files) > 0 }

// lock is held by one goroutine. Unlike a sync.Mutex, it can be waited for until a
// context ends.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) take(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l lock) give() { <-l }

// cutter is locked by the request that takes pages out of a file's bytes.
type cutter struct {
	sync.Mutex
	press
}

// New returns the files of a site. None is made before the first call of [Files.Follow].
func New(cfg Config) *Files {
	f := &Files{
		cfg:     cfg,
		seed:    maphash.MakeSeed(),
		wake:    make(chan struct{}, 1),
		passer:  passer{lock: newLock()},
		maker:   maker{lock: newLock()},
		loaded:  make(chan struct{}),
		cache:   newCache(cacheBytes),
		due:     due{files: map[int]bool{}},
		orders:  map[int]int{},
		demands: map[int]*demand{},
		gone:    withdrawals{pages: map[string]withdrawal{}},
	}
	f.served.Store(new(snapshot))
	return f
}

// Changed says that entries of these parts have changed in the store.
func (f *Files) Changed(parts ...int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range parts {
		f.due.files[n] = true
	}
	poke(f.wake)
}

// Policy is what the site as a whole says about how entries are shown.
type Policy struct {
	Trust  lastmod.Trust // which given dates are doubted; the files add the stamps they find
	Robots *robots.Rules // a location that they disallow is not shown
}

// Follow makes p the policy for all files made from now on. If p makes a difference, all
// files are made again. No file is made before the first call.
func (f *Files) Follow(p Policy) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, own := f.policy.Swap(&p), f.Trust()
	if old == nil || !old.Robots.Equal(p.Robots) || own.Follow(old.Trust) != own.Follow(p.Trust) {
		f.due.all = true
		poke(f.wake)
	}
}

// Allows reports whether the owner's rules and robots.txt allow a listed location to be
// shown. They may have changed since it was listed.
func (f *Files) Allows(location string) bool {
	rule, _ := f.cfg.Rules.Match(location)
	p := f.policy.Load()
	return rule.Listing != eligibility.Never && (p == nil || p.Robots.Allows(location))
}

// ChangedAll says that every file may have changed.
func (f *Files) ChangedAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.due.all = true
	poke(f.wake)
}

// Lists reports whether a served file lists location. It reports false until the files
// were first published.
func (f *Files) Lists(location string) bool {
	f.mu.Lock()
	_, gone := f.gone.pages[location]
	f.mu.Unlock()
	// A withdrawal is forgotten after the files without the page are served. So look
	// at the withdrawals first.
	return !gone && f.served.Load().lists(f.hashOf(location))
}

// Listed returns how many pages the served files list.
func (f *Files) Listed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut()
	return f.served.Load().pages
}

// Damaged returns how many entries of the served files could not be read.
func (f *Files) Damaged() int { return f.served.Load().damaged }

// Metrics returns what is served now, and how many requests for it were answered with
// which status.
func (f *Files) Metrics() (metrics.Files, map[int]uint64) {
	m := metrics.Files{Pages: f.Listed()}
	served := f.served.Load()
	if m.Damaged = served.damaged; f.made.Load() != 0 {
		m.Rendered = time.Unix(f.made.Load(), 0)
	}
	for _, p := range served.files {
		m.Files, m.Bytes = m.Files+1, m.Bytes+p.size
	}
	if served.index != nil {
		m.Files, m.Bytes = m.Files+1, m.Bytes+served.index.size
	}
	return m, f.answers.Counts()
}

// Trust returns which given dates are trusted now.
func (f *Files) Trust() lastmod.Trust { return f.served.Load().trust }

// whole reports whether the files were published once.
func (f *Files) whole() bool {
	select {
	case <-f.loaded:
		return true
	default:
		return false
	}
}

// poke wakes the goroutine that waits on c, now or when it next waits.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

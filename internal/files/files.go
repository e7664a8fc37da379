// Package files makes the sitemap's files from what the book and the journal hold,
// and serves them over HTTP. Pages that are withdrawn leave what it serves at once,
// whatever the store does. It decides about no page, and stores only since when each
// file is as it is.
package files

import (
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/robots"
	"github.com/servemap/servemap/internal/sitemap"
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
	// Folder is the location of the folder that the files stand in, such as "/".
	Folder string
	// Every is the least time between two renderings that nobody waits for.
	Every time.Duration
	// CacheBytes is how many bytes of compressed files are kept in memory; 0
	// means 8 MiB. What is not there is rendered again when it is asked for.
	CacheBytes int
	// Recent is for how long a page that was listed or changed is in the file of
	// recent pages; 0 means that there is no such file.
	Recent time.Duration
	// Extensions are those that parts show, of Alternates, Images and Videos.
	Extensions sitemap.Namespaces
	// News says that there is a file of news, and Publication the name of the
	// newspaper or site in it; if empty, each page's own is taken.
	News        bool
	Publication string
	// InferPriority says that the inferred priorities are shown.
	InferPriority bool
	// Rules are the owner's: a location that one keeps out is not shown, and their
	// changefreq and priority go before the inferred ones.
	Rules admit.Rules
	// ReportOnly makes files as usual and serves none.
	ReportOnly bool
	Logger     *slog.Logger
}

// defaultCache is the default of Config.CacheBytes: some 14 full parts.
const defaultCache = 8 << 20

// Files are the files of one site. One goroutine makes them, in [Files.Run]. It has
// each new state served at once; requests read that, and ask it for the bytes of a
// file that are not in memory. All methods may be called concurrently.
type Files struct {
	cfg     Config
	seed    maphash.Seed           // of the hashes of locations
	maker   maker                  // of Run
	policy  atomic.Pointer[Policy] // nil before the first Follow
	served  atomic.Pointer[snapshot]
	loaded  chan struct{} // closed once it is known which files there are
	stopped chan struct{} // closed when Run returns
	wake    chan struct{} // has Run look what is to be done
	cutter  cutter        // takes withdrawn pages out of a file's bytes
	readers sync.Pool     // of *gzip.Reader

	mu       sync.Mutex // guards what follows, and that served is replaced
	cache    cache
	dirty    map[int]bool // files that are to be made
	allDirty bool
	passing  bool            // files are being made
	passes   int             // that have begun
	flushes  []chan error    // of those who wait for a pass
	demands  map[int]*demand // files that somebody asks for
	gone     withdrawals
	indexer  press
}

// cutter is held by who takes pages out of a file's bytes for a request.
type cutter struct {
	sync.Mutex
	press
}

// New returns files of which nothing is made before [Files.Follow].
func New(cfg Config) *Files {
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = defaultCache
	}
	f := &Files{
		cfg:     cfg,
		seed:    maphash.MakeSeed(),
		maker:   maker{gaps: map[int]gap{}},
		loaded:  make(chan struct{}),
		stopped: make(chan struct{}),
		wake:    make(chan struct{}, 1),
		cache:   newCache(cfg.CacheBytes),
		dirty:   map[int]bool{},
		demands: map[int]*demand{},
		gone:    withdrawals{pages: map[string]withdrawal{}},
	}
	f.served.Store(new(snapshot))
	return f
}

// Changed says that the listing of parts has changed in the store.
func (f *Files) Changed(parts ...int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range parts {
		f.dirty[n] = true
	}
	poke(f.wake)
}

// Policy is what is known of the site as a whole that decides how entries are shown.
type Policy struct {
	Trust  lastmod.Trust // what is known against given dates; the files add the stamps they find
	Robots *robots.Rules // what they disallow is not shown
}

// Follow has the files made by p from now on, all of them anew if p makes a
// difference. Nothing is made before the first call.
func (f *Files) Follow(p Policy) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, own := f.policy.Swap(&p), f.Trust()
	if old == nil || !old.Robots.Equal(p.Robots) || own.Follow(old.Trust) != own.Follow(p.Trust) {
		f.allDirty = true
		poke(f.wake)
	}
}

// Allows reports whether the owner's rules and robots.txt let a listed location be
// shown. They may have come to forbid it since it was listed.
func (f *Files) Allows(location string) bool {
	rule, _ := f.cfg.Rules.Match(location)
	p := f.policy.Load()
	return rule.Listing != admit.Never && (p == nil || p.Robots.Allows(location))
}

// ChangedAll says that every file may look different.
func (f *Files) ChangedAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.allDirty = true
	poke(f.wake)
}

// Lists reports whether a file being served lists location. Soon after the start,
// while it is not yet known what a file lists, it reports false.
func (f *Files) Lists(location string) bool {
	f.mu.Lock()
	_, gone := f.gone.pages[location]
	f.mu.Unlock()
	// A withdrawal is forgotten after the files that go by the store are served, so
	// these come second.
	return !gone && f.served.Load().lists(f.hashOf(location))
}

// Listed returns how many pages the files being served list.
func (f *Files) Listed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cut()
	return f.served.Load().pages
}

// Damaged returns how many entries of the files being served could not be read.
func (f *Files) Damaged() int { return f.served.Load().damaged }

// Trust returns the present judgement of given dates.
func (f *Files) Trust() lastmod.Trust { return f.served.Load().trust }

// whole reports whether it is known which files there are.
func (f *Files) whole() bool {
	select {
	case <-f.loaded:
		return true
	default:
		return false
	}
}

// poke wakes who waits on c, now or when he comes to it.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Package files makes the sitemap's files from what the book and the journal hold,
// and serves them over HTTP. Pages that are withdrawn leave what it serves at once,
// whatever the store does. It decides about no page, and stores only since when each
// file is as it is.
package files

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
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
	// Allowed reports whether a listed location may be shown; nil allows all.
	Allowed func(location string) bool
	// Override returns the changefreq to show in place of the inferred one, ""
	// for none, and the priority in tenths from 1 to 10, 0 for none. It is asked
	// at each rendering; nil overrides nothing.
	Override func(location string) (freq string, priority uint8)
	// Doubts returns what the ledger knows against given dates; nil means
	// nothing.
	Doubts func() lastmod.Trust
	// Explain says in plain text why nothing is listed, or served.
	Explain func() string
	// ReportOnly makes files as usual and serves none: what is asked for is
	// answered with what Explain says.
	ReportOnly bool
	Logger     *slog.Logger
}

// defaultCache is the default of Config.CacheBytes: some 14 full parts.
const defaultCache = 8 << 20

// Files are the rendered files of one site. They are rendered in the
// background, by Run and RunWithdrawals, which are called once each. Their bytes
// are served from memory as far as there is room, and else made when they are
// asked for. All methods may be called concurrently.
type Files struct {
	cfg    Config
	cache  *cache
	wake   chan struct{}
	cuts   chan struct{}
	loaded chan struct{} // closed when it is known what the store lists, or never
	once   sync.Once
	seed   maphash.Seed // of the hashes of locations

	// pass is held, by a value in it, while the files that changed are rendered,
	// and turn while one is, so that those asked for come in between.
	pass, turn chan struct{}
	opened     bool         // the store was read; of pass
	press      press        // of turn
	short      map[int]int  // parts of which the store showed fewer entries than it counts, and how many; of turn
	overtaken  map[int]bool // parts that became new on demand since the pass began; of turn

	readers sync.Pool // of *gzip.Reader

	asking sync.Mutex
	asked  map[int]chan struct{} // parts that are being made on demand; closed when that ended

	cutting chan struct{} // held, by a value in it, by who takes out what is withdrawn

	publishing sync.Mutex // held by who replaces served; mu is too, for a moment
	small      press      // of publishing

	mu        sync.RWMutex
	trust     lastmod.Trust
	served    snapshot
	cutTo     uint64    // served is without what was withdrawn up to the withdrawal with this number
	replaced  time.Time // when served became what it is
	dirty     map[int]bool
	allDirty  bool
	withdrawn withdrawals
	passes    uint64 // how many have begun
	problem   string // the last failure, so that each is logged once
}

// New returns files of which nothing is rendered before [Files.ChangedAll] says
// that the trust in dates is known.
func New(cfg Config) *Files {
	if cfg.CacheBytes == 0 {
		cfg.CacheBytes = defaultCache
	}
	return &Files{
		cfg:       cfg,
		cache:     newCache(cfg.CacheBytes),
		wake:      make(chan struct{}, 1),
		cuts:      make(chan struct{}, 1),
		loaded:    make(chan struct{}),
		pass:      make(chan struct{}, 1),
		turn:      make(chan struct{}, 1),
		cutting:   make(chan struct{}, 1),
		short:     map[int]int{},
		overtaken: map[int]bool{},
		asked:     map[int]chan struct{}{},
		dirty:     map[int]bool{},
		withdrawn: withdrawals{of: map[string]withdrawal{}},
		seed:      maphash.MakeSeed(),
	}
}

// Changed says that the listing of parts has changed in the store.
func (f *Files) Changed(parts ...int) {
	f.mu.Lock()
	for _, n := range parts {
		f.dirty[n] = true
	}
	f.mu.Unlock()
	poke(f.wake)
}

// ChangedAll says that every file may look different, because a source lost its
// trust.
func (f *Files) ChangedAll() {
	f.mu.Lock()
	f.allDirty = true
	f.mu.Unlock()
	poke(f.wake)
}

// Lists reports whether a file being served lists location, or, once in many
// hundred times, another one in its stead. Soon after the start, while it is not
// yet known what a file lists, it reports false.
func (f *Files) Lists(location string) bool {
	h := f.hashOf(location)
	f.mu.RLock()
	defer f.mu.RUnlock()
	return !f.withdrawn.has(location) && f.served.lists(location, h)
}

// Listed returns how many pages the files being served list.
func (f *Files) Listed() int { return f.current().pages }

// Damaged returns how many entries of the files being served could not be read.
func (f *Files) Damaged() int { return f.current().damaged }

// Trust returns the present judgement of given dates.
func (f *Files) Trust() lastmod.Trust {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.trust
}

func (f *Files) current() snapshot {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.served
}

// poke wakes who waits on c, now or when he comes to it.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take takes a place that only one can have, unless ctx ends before.
func take(ctx context.Context, place chan struct{}) error {
	select {
	case place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

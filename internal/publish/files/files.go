// Package files makes the sitemap's files from the shards, and serves them over HTTP. All
// files are in memory, compressed. A file follows from what is stored and from the options alone. So
// each process serves the same one, before and after a restart. This package makes no decision about
// a page, and stores nothing.
package files

import (
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
)

// Config says what a site's files are made of. Store, Keys, URL, Name, Folder
// and Logger are required.
type Config struct {
	Store       store.Store
	Keys        keys.Keys
	URL         func(location string) string // the absolute URL of a location on the site
	Name        string                       // of the first file without its extension, such as "sitemap"
	Folder      string                       // the location of the folder of the files, such as "/"
	Every       time.Duration                // the least time between two renderings that nobody waits for
	Extensions  extension.Set                // those that the files show
	Publication string                       // the newspaper's name in the file of news; if empty, each page's own is used
	// the owner's; what they exclude is not shown, and their changefreq and priority come first
	Rules      eligibility.Rules
	ReportOnly bool // makes files as usual and serves none
	Logger     *slog.Logger
}

// Files are the files of one site. [Files.Run] makes them, in passes, and publishes each
// new state as an immutable snapshot, from which requests are answered. All methods may be
// called concurrently.
type Files struct {
	names
	cfg     Config
	seed    maphash.Seed           // of the hashes of locations
	policy  atomic.Pointer[Policy] // nil before the first Follow
	wake    signal                 // tells Run that there is something to do
	passing chan struct{}          // full during a pass, which alone uses problem and replaces served
	problem string                 // the last failure, so that each is logged once
	served  atomic.Pointer[snapshot]
	ready   chan struct{} // closed once files were made, or the store failed; until then requests wait
	proceed func()        // closes ready
	answers metrics.Answers

	mu  sync.Mutex // guards due; held shortly
	due due
}

// New returns the files of a site. None is made before the first call of [Files.Follow].
func New(cfg Config) *Files {
	f := &Files{
		names:   newNames(&cfg),
		cfg:     cfg,
		seed:    maphash.MakeSeed(),
		wake:    make(signal, 1),
		ready:   make(chan struct{}),
		due:     due{files: map[int]bool{}},
		passing: make(chan struct{}, 1),
	}
	f.proceed = sync.OnceFunc(func() { close(f.ready) })
	f.served.Store(new(snapshot))
	return f
}

// due says which files must be made.
type due struct {
	files map[int]bool // those that have changed
	all   bool
}

// any reports whether a file must be made.
func (d *due) any() bool { return d.all || len(d.files) > 0 }

// wait returns how long Run may sleep before something is due, 0 if something is due now.
// until is when the first page expires.
func (d *due) wait(until, now moment.Time) time.Duration {
	switch left := until.Sub(now); {
	case d.any(), until != 0 && left <= 0:
		return 0
	case until != 0:
		return min(left, lookAgain)
	}
	return lookAgain
}

// Changed says that entries of these shards have changed in the store.
func (f *Files) Changed(numbers ...int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range numbers {
		f.due.files[n] = true
	}
	f.wake.poke()
}

// ChangedAll says that every file may have changed.
func (f *Files) ChangedAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.due.all = true
	f.wake.poke()
}

// StoreFailed says that the store does not work. Requests that come before the first files no longer wait for them.
func (f *Files) StoreFailed() { f.proceed() }

// signal wakes one goroutine.
type signal chan struct{}

// poke wakes it, now or when it next waits.
func (s signal) poke() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// Policy is what the site as a whole says about how entries are shown.
type Policy struct {
	Trust  lastmod.Trust // which given dates are doubted; the files add the builds they find
	Robots *robots.Rules // a location that they disallow is not shown
}

// Follow makes p the policy for all files made from now on. If p makes a difference, all
// files are made again. No file is made before the first call.
func (f *Files) Follow(p Policy) {
	old := f.policy.Swap(&p)
	if old == nil || !old.Robots.Equal(p.Robots) || old.Trust != p.Trust {
		f.ChangedAll()
	}
}

// Allows reports whether the owner's rules and robots.txt allow a listed location to be
// shown. They may have changed since it was listed.
func (f *Files) Allows(location string) bool {
	rule, _ := f.cfg.Rules.Match(location)
	p := f.policy.Load()
	return rule.Listing != eligibility.Never && (p == nil || p.Robots.Allows(location))
}

// Trust returns which given dates are trusted now.
func (f *Files) Trust() lastmod.Trust { return f.served.Load().trust }

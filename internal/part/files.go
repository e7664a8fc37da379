package part

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/servemap/servemap/store"
)

// Config says what a site's files are made of. Store, Keys, URL and Name are
// required.
type Config struct {
	Store store.Store
	Keys  Keys
	// URL returns the absolute URL of a location on the site.
	URL func(location string) string
	// Name is the name of the first file without its extension, such as
	// "sitemap".
	Name string
	// Folder is the location of the folder that the files stand in, such as "/".
	Folder string
	// Every is the least time between two renderings that nobody waits for.
	Every time.Duration
	// MaxBytes is the most bytes of a part's file; 0 means the protocol's
	// 52,428,800. A part for which that is too few goes without priorities.
	MaxBytes int
	// Allowed reports whether a listed location may be shown; nil allows all.
	Allowed func(location string) bool
	// Override returns the changefreq to show in place of the inferred one, ""
	// for none, and the priority in tenths from 1 to 10, 0 for none. It is asked
	// at each rendering; nil overrides nothing.
	Override func(location string) (freq string, priority uint8)
	// Distrusted returns the sources whose dates were caught lying; nil means
	// none.
	Distrusted func() Sources
	// Explain says in plain text why nothing is listed, or served.
	Explain func() string
	// ReportOnly makes files as usual and serves none: what is asked for is
	// answered with what Explain says.
	ReportOnly bool
	Logger     *slog.Logger
}

// Files are the rendered files of one site. They are rendered in the
// background, by Run and RunWithdrawals, which are called once each, and served
// from memory. All methods may be called concurrently.
type Files struct {
	cfg    Config
	wake   chan struct{}
	cuts   chan struct{}
	loaded chan struct{} // closed when the store was first read, or never
	once   sync.Once

	rendering sync.Mutex  // held while files are made, which takes as long as the store likes
	short     map[int]int // parts of which the store showed fewer entries than it counts, and how many

	mu        sync.RWMutex
	trust     Trust
	served    snapshot
	version   uint64 // of served
	dirty     map[int]bool
	allDirty  bool
	withdrawn map[string]bool // true once the store holds the verdict
	problem   string          // the last failure, so that each is logged once
	damaged   int
}

// snapshot is one state of all files. It is replaced, never changed.
type snapshot struct {
	parts map[int]*file // those that list a page
	index *file         // only if there are several parts
	pages int
	until int64 // when the first of its pages expires, in Unix seconds, 0 for never
}

// New returns files of which nothing is rendered before [Files.ChangedAll] says
// that the trust in dates is known.
func New(cfg Config) *Files {
	return &Files{
		cfg:       cfg,
		wake:      make(chan struct{}, 1),
		cuts:      make(chan struct{}, 1),
		short:     map[int]int{},
		loaded:    make(chan struct{}),
		dirty:     map[int]bool{},
		withdrawn: map[string]bool{},
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

// withdrawnKept bounds the withdrawals that the store has not confirmed.
const withdrawnKept = 4096

// Withdraw takes location out of the files being served, at once and whatever
// the store does, until [Files.Settle].
func (f *Files) Withdraw(location string) {
	f.mu.Lock()
	if _, known := f.withdrawn[location]; known || !f.served.lists(location) || len(f.withdrawn) >= withdrawnKept {
		f.mu.Unlock()
		return
	}
	f.withdrawn[location] = false
	f.mu.Unlock()
	poke(f.cuts)
}

// Settle says that the store now holds the verdict on a location, whatever it
// is, and in which part the page is, 0 for none. If the location was
// withdrawn, the next rendering goes by the store again.
func (f *Files) Settle(location string, part int) {
	f.mu.Lock()
	_, known := f.withdrawn[location]
	if known {
		f.withdrawn[location] = true
		if part > 0 {
			f.dirty[part] = true
		}
	}
	f.mu.Unlock()
	if known {
		poke(f.wake)
	}
}

// Lists reports whether a file being served lists location, or, once in many
// thousand times, another one in its stead.
func (f *Files) Lists(location string) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.served.lists(location)
}

// Listed returns how many pages the files being served list.
func (f *Files) Listed() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.served.pages
}

// Damaged returns how many entries could not be read when the files were last
// rendered.
func (f *Files) Damaged() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.damaged
}

// Trust returns the present judgement of given dates.
func (f *Files) Trust() Trust {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.trust
}

// poke wakes who waits on c, now or when he comes to it.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run renders what has changed and what has lost a page to time, at most once
// per Config.Every, until ctx ends. The first change after a quiet time is
// rendered at once.
func (f *Files) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		case <-timer.C:
		}
		stale, fresh := f.stale(time.Now())
		if !stale {
			timer.Reset(fresh)
			continue
		}
		if wait := f.cfg.Every - time.Since(last); wait > 0 && !last.IsZero() {
			timer.Reset(wait)
			continue
		}
		err := f.Render(ctx)
		last = time.Now()
		if err != nil && ctx.Err() == nil {
			timer.Reset(max(f.cfg.Every, time.Second))
		}
	}
}

// lookAgain is the longest time between two looks at the clock, which may be set
// while it is waited for.
const lookAgain = time.Hour

// stale reports whether there is something to render, and if not, for how long
// that can hold at most.
func (f *Files) stale(now time.Time) (stale bool, fresh time.Duration) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.allDirty || len(f.dirty) > 0 || passed(f.served.until, now.Unix()) {
		return true, 0
	}
	if left := f.served.until - now.Unix(); f.served.until != 0 && left < int64(lookAgain/time.Second) {
		return false, time.Duration(left) * time.Second
	}
	return false, lookAgain
}

// Render brings the files being served up to date with the store. If it fails,
// the files being served stay as they are.
func (f *Files) Render(ctx context.Context) error {
	f.rendering.Lock()
	defer f.rendering.Unlock()
	all, changed := f.takeDirty(time.Now().Unix())
	if !all && len(changed) == 0 {
		return nil
	}
	err := f.render(ctx, all, changed)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.allDirty = f.allDirty || all
		for _, n := range changed {
			f.dirty[n] = true
		}
		poke(f.wake)
		if text := err.Error(); text != f.problem && ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) {
			f.problem = text // an unavailable store tells of its troubles itself
			f.cfg.Logger.Warn("servemap: the sitemap could not be rendered; the last one is served until it can", "err", err)
		}
		return fmt.Errorf("rendering the sitemap: %w", err)
	}
	f.problem = ""
	f.once.Do(func() { close(f.loaded) })
	return nil
}

func (f *Files) takeDirty(now int64) (all bool, changed []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, p := range f.served.parts {
		if passed(p.until, now) {
			f.dirty[n] = true
		}
	}
	all, changed = f.allDirty, slices.Sorted(maps.Keys(f.dirty))
	f.allDirty = false
	clear(f.dirty)
	maps.DeleteFunc(f.withdrawn, func(_ string, settled bool) bool { return settled && (all || len(changed) > 0) })
	return all, changed
}

// render makes the changed parts anew. What it learns of their dates may change
// the trust in the dates of all the others; then these are made anew too. A
// part that cannot be read keeps its file, and does not keep the others from
// theirs.
func (f *Files) render(ctx context.Context, all bool, changed []int) error {
	old, trust := f.current(), f.Trust()
	next := maps.Clone(old.parts)
	if next == nil {
		next = map[int]*file{}
	}
	if all {
		numbers, err := f.storedParts(ctx)
		if err != nil {
			return err
		}
		maps.DeleteFunc(next, func(n int, _ *file) bool { return !slices.Contains(numbers, n) })
		changed = numbers
	}
	damaged := 0
	var short error
	for {
		short = nil
		for _, n := range changed {
			made, bad, err := f.renderPart(ctx, n, trust, old.parts[n])
			if errors.Is(err, errShort) {
				short = errors.Join(short, err)
				continue
			}
			if err != nil {
				return err
			}
			damaged += bad
			delete(next, n)
			if made != nil {
				next[n] = made
			}
		}
		judged := f.judge(next)
		if judged == trust {
			break
		}
		trust, damaged = judged, 0
		changed = slices.Collect(maps.Keys(next))
	}
	snap, err := f.assemble(ctx, next, old)
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.served, f.version, f.damaged, f.trust = snap, f.version+1, damaged, trust
	f.mu.Unlock()
	poke(f.cuts) // what was withdrawn while the files were made
	poke(f.wake) // other pages may be the next to expire
	return short
}

func (f *Files) judge(parts map[int]*file) Trust {
	all := make([]dates, 0, len(parts))
	for _, p := range parts {
		all = append(all, p.dates)
	}
	var distrusted Sources
	if f.cfg.Distrusted != nil {
		distrusted = f.cfg.Distrusted()
	}
	return judge(all, distrusted)
}

func (f *Files) current() snapshot {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.served
}

// storedParts returns the numbers of all parts, in order.
func (f *Files) storedParts(ctx context.Context) ([]int, error) {
	var numbers []int
	for r, err := range f.cfg.Store.Scan(ctx, f.cfg.Keys.parts(), "") {
		if err != nil {
			return nil, err
		}
		if n, ok := f.cfg.Keys.partOf(r.Key); ok {
			numbers = append(numbers, n)
		}
	}
	return numbers, nil
}

// RunWithdrawals takes what is withdrawn out of the files being served, until
// ctx ends. It never asks the store.
func (f *Files) RunWithdrawals(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.cuts:
		}
		for !f.cut() {
		}
	}
}

// cut makes files without the withdrawn locations and serves them. It returns
// false if others are being served meanwhile, so that it has to be done again.
func (f *Files) cut() bool {
	f.mu.RLock()
	old, version, gone := f.served, f.version, slices.Collect(maps.Keys(f.withdrawn))
	f.mu.RUnlock()
	next := maps.Clone(old.parts)
	changed := false
	for n, p := range next {
		made := p.without(gone, f.cfg.URL)
		changed = changed || made != p
		if made == nil {
			delete(next, n)
		} else {
			next[n] = made
		}
	}
	if !changed {
		return true
	}
	snap := old.with(next, f.indexURL, time.Now())
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.version != version {
		return false
	}
	f.served, f.version = snap, version+1
	return true
}

// Package notify tells search engines which pages of a site changed, by IndexNow, and
// submits its sitemap to Google Search Console.
//
//	notifier, err := notify.New(site, st, nil)
//	...
//	go notifier.Run(ctx)
//	http.ListenAndServe(":8080", notifier.Wrap(site.Wrap(mux)))
//
// # IndexNow
//
// Bing, Yandex, Seznam, Naver, Yep and Amazon take part, and share what each of them is told. Google
// does not. No account is needed: the notifier makes a key, and serves it in a file of the site, which
// proves that it speaks for the site. Bing needs nothing else but the line in robots.txt (see
// [servemap.Site.Robots]). If a CDN announces changes as well, such as Cloudflare's Crawler Hints, use
// one of the two.
//
// A page that changed, moved or is gone is sent 5 minutes after the Site saw that, at most once an hour.
// A page that was found is sent if its own date says that it is new: it has a lastmod since New was first
// called. Other pages that were only found may be as old as the site. Anybody who follows links finds
// them, so they are not told.
//
// The notifier decides at the moment of sending. It sends only pages that are listed then, and pages
// that were listed until the site answered 404, 410 or a permanent redirect. If a page left the sitemap
// for any other reason, nobody is told. If of one folder, or of pages that differ only in numbers or in
// values of their query, more than a quarter of the listed pages and more than 100 change within an
// hour, these are not sent, and all others are. That is a deploy or an import, and the sitemap shows it.
// The oldest change is sent first, with a turn for each folder. Changes beyond Options.MaxPerDay wait
// for the next day, up to a week.
//
// If an engine calls a post invalid, its pages are not sent again. Nothing is sent while the site serves no sitemap, as under
// [servemap.Options.ReportOnly]. The store keeps what must survive a restart. Of the processes that share
// it one sends. When it ends, another one takes over within 5 minutes, and repeats a post of which the
// outcome was not stored.
//
// # Search Console
//
// The notifier submits the top files of the sitemap once, and again when other files take their place.
// Once a day it reads what Google says about them; see [Status]. It needs an [http.Client] that adds an
// authorisation with the scope https://www.googleapis.com/auth/webmasters, from an account with full
// permission for the site's property. The README.md beside this file says how to get one.
package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// DefaultEndpoint is where changes are sent by default. It passes them on to all engines
// that take part in IndexNow.
const DefaultEndpoint = "https://api.indexnow.org/indexnow"

// Options adjusts a [Notifier]. The zero value of each field is the default.
type Options struct {
	// Key is the site's key of IndexNow: 8 to 128 letters, digits and "-". By default the notifier
	// makes one and keeps it in the store. Give one if you must know the address of the key file,
	// "/KEY.txt", such as to exempt it from bot protection. Use it only for this host.
	Key string
	// Endpoints are the URLs that receive changes, by default [DefaultEndpoint]. Only one is used at
	// a time. The next one is used while those before it refuse the key or are unreachable. If it is
	// empty but not nil, nobody receives changes. Endpoints use https, except on this machine.
	Endpoints []string
	// Hold is how long after its first change a page is sent. So a page that is corrected at once is
	// sent once. The default is 5 minutes; the least is a second.
	Hold time.Duration
	// MaxPerDay is how many pages are sent a day, in UTC, at most. The default is 10,000; the most is
	// 20,000.
	MaxPerDay int
	// Google submits the sitemap to Search Console. If it is nil, nothing is submitted.
	Google *Google
	// Transport makes the requests to the endpoints. The default uses no proxy.
	Transport http.RoundTripper
	// Logger receives what was sent, and what keeps pages from being sent, each cause once. By
	// default it is slog.Default.
	Logger *slog.Logger
}

// Notifier tells search engines what changed on one site. It is safe for concurrent use.
type Notifier struct {
	site   *servemap.Site
	client *http.Client
	hold   time.Duration
	perDay int
	batch  int // pages of a post; batchPages at first, except in tests
	address
	records
	key     *keyFile
	console *console // nil without Options.Google

	mu sync.Mutex // held during a pass; guards the fields below
	queue
	owed *post  // the last post, until its outcome is stored
	said string // the trouble that was logged last
}

// New returns a Notifier for a site. It keeps its records in st, which is usually the site's store. All
// processes of a fleet must give the same store. The caller closes st, after Run has returned. If opts
// is nil, New uses the defaults.
//
// New refuses a site that no engine could reach: one with a port, or at an IP address, at "localhost" or
// at another name that is not below a public top-level domain. So a program under development announces
// nothing. The exception is for tests: if all of Options.Endpoints are on this machine, New takes it.
func New(site *servemap.Site, st store.Store, opts *Options) (*Notifier, error) {
	if site == nil || st == nil {
		return nil, errors.New("notify: the site or the store is nil; look at the error with which it was made")
	}
	if opts == nil {
		opts = &Options{}
	}
	n, err := newNotifier(site, st, *opts)
	if err != nil {
		return nil, fmt.Errorf("notify: %w", err)
	}
	return n, nil
}

func newNotifier(site *servemap.Site, st store.Store, opts Options) (n *Notifier, err error) {
	n = &Notifier{
		site: site, hold: cmp.Or(opts.Hold, 5*time.Minute),
		perDay: cmp.Or(opts.MaxPerDay, 10_000), batch: batchPages,
		records: records{
			log: cmp.Or(opts.Logger, slog.Default()), endpoints: slices.Clone(opts.Endpoints), given: opts.Key, owner: rand.Text(),
			made: time.Now().Truncate(time.Millisecond), now: time.Now,
		},
	}
	if opts.Endpoints == nil {
		n.endpoints = []string{DefaultEndpoint}
	}
	if err := n.check(opts); err != nil {
		return nil, err
	}
	if n.address, err = locate(site.RobotsLine()); err != nil {
		return nil, err
	}
	local, err := checkEndpoints(n.endpoints)
	if err == nil && !local {
		err = n.address.check()
	}
	if err != nil {
		return nil, err
	}
	if n.keys, err = keys.New(strings.TrimSuffix(n.folder, "/")); err != nil {
		return nil, err
	}
	n.store = txn.Guard(st, n.keys.Site(), n.log)
	n.client = &http.Client{Transport: opts.Transport, CheckRedirect: noRedirect}
	if opts.Transport == nil {
		n.client.Transport = newTransport()
	}
	n.key = &keyFile{folder: n.path}
	if len(n.endpoints) > 0 {
		n.key.know(opts.Key)
	}
	if opts.Google != nil {
		n.console = newConsole(*opts.Google, n.agent)
	}
	return n, nil
}

// check refuses options that are out of range.
func (n *Notifier) check(opts Options) error {
	switch {
	case n.given != "" && !validKey.MatchString(n.given):
		return errors.New(messages.Say(`{Key} must have 8 to 128 letters, digits and "-"`))
	case n.hold < time.Second:
		return fmt.Errorf("options: Hold is %v; it must be at least 1s, or 0 for the default", opts.Hold)
	case n.perDay < 1 || n.perDay > 20_000:
		return fmt.Errorf("options: MaxPerDay is %d; it must be from 1 to 20000, or 0 for the default", opts.MaxPerDay)
	case opts.Google != nil && opts.Google.Client == nil:
		return errors.New("options: Google.Client is nil; it must be one that adds the owner's authorisation")
	case opts.Google == nil && len(n.endpoints) == 0:
		return errors.New("options: Endpoints is empty and Google is nil, so that nobody would be told; leave Endpoints nil for the default")
	}
	return nil
}

// Wrap returns a handler that serves the key file of IndexNow, and leaves all other requests to next. With
// this file the engines check that posts come from the owner of the site. Put it outermost, in front of
// [servemap.Site.Wrap] and of log-ins:
//
//	notifier.Wrap(site.Robots(site.Wrap(mux)))
//
// Without Options.Key it serves the file once Run has read the key from the store. If next is nil, it is
// [http.DefaultServeMux].
func (n *Notifier) Wrap(next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !n.key.serve(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// Run sends changes until ctx ends, and returns soon after that. Call it once, in its own goroutine, in each
// process that serves the site. It logs troubles, and [Notifier.Status] shows them.
func (n *Notifier) Run(ctx context.Context) {
	tick := max(100*time.Millisecond, min(n.hold/10, 30*time.Second))
	for {
		n.complain(n.pass(ctx))
		select {
		case <-ctx.Done():
			return
		case <-time.After(tick - mathrand.N(tick/8)):
		}
	}
}

// complain logs what ended a pass, unless the pass before ended in the same way.
func (n *Notifier) complain(err error) {
	said := ""
	if err != nil && !errors.Is(err, errWait) && !errors.Is(err, errElsewhere) && !errors.Is(err, context.Canceled) {
		said = err.Error()
	}
	if said != "" && said != n.said {
		n.log.Warn("notify: nothing is sent now; it is tried again", "error", said)
	}
	n.said = said
}

// pass does everything that is due.
func (n *Notifier) pass(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.pay(ctx); err != nil {
		return err
	}
	st, err := n.lead(ctx, n.queue)
	if len(n.endpoints) > 0 {
		n.key.know(n.keyOf(st))
	}
	served := n.site.Sitemaps()
	if err != nil || len(served) == 0 {
		return err
	}
	return errors.Join(n.indexNow(ctx, st), n.google(ctx, st, served))
}

// indexNow sends the changes that are due.
func (n *Notifier) indexNow(ctx context.Context, st state) error {
	if len(n.endpoints) == 0 {
		return nil
	}
	due, err := n.collect(ctx, st)
	if err != nil || len(due) == 0 {
		return err
	}
	endpoint := choose(n.endpoints, st.Engines, n.now())
	if endpoint == "" {
		return nil
	}
	return n.send(ctx, st, endpoint, due)
}

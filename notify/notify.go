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
// proves that it speaks for the site. If a CDN announces changes as well, such as Cloudflare's Crawler
// Hints, use one of the two.
//
// A page that changed, moved or is gone is sent 5 minutes after the Site saw that, at most once an hour. A page that
// was found is sent if a date shows that it is new: its own, or that of the first link to it. Other found pages may be
// as old as the site, and anybody who follows links finds them. The page's state at the moment of sending decides: it
// must be listed, or have left because the site answered 404, 410 or a permanent redirect.
//
// Half of Options.MaxPerDay may be sent at once, and the other half is spread over the day. Pages are of one kind if
// they have the same top folder, depth and places of numbers. Pages go first if few of their kind wait. Pages wait up
// to a week. If an engine calls a post invalid, its pages are not sent again.
//
// Nothing is sent while the site serves no sitemap. The store keeps what must survive a restart. Of the processes that
// share a store, one sends. When that one ends, another takes over within 5 minutes, and repeats a post whose outcome
// was not stored.
//
// # Search Console
//
// Once a day the notifier reads what Google says about the top files of the sitemap, and submits those that
// Google does not know; see [Status]. The README.md beside this file says how to get the authorisation.
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
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
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
	// Endpoint is the URL that receives changes, with https except on this machine. The default is [DefaultEndpoint].
	// One is enough, since engines tell each other.
	Endpoint string
	// GoogleOnly leaves IndexNow out, so that only Google hears of the site.
	GoogleOnly bool
	// Hold is how long after its first change a page is sent. So a page that is corrected at once is
	// sent once. The default is 5 minutes; the least is a second.
	Hold time.Duration
	// MaxPerDay is how many pages are sent a day, in UTC, at most. The default is 10,000; the most is
	// 20,000.
	MaxPerDay int
	// Google submits the sitemap to Search Console. If it is nil, nothing is submitted.
	Google *Google
	// Transport makes the requests to the endpoint. The default uses no proxy.
	Transport http.RoundTripper
	// Logger receives what was sent, and what keeps pages from being sent, each cause once. By
	// default it is slog.Default.
	Logger *slog.Logger
}

// Notifier tells search engines what changed on one site. It is safe for concurrent use.
type Notifier struct {
	site  *servemap.Site
	store store.Store
	keys  keys.Keys
	log   *slog.Logger
	owner string           // this notifier's name in the lease
	made  time.Time        // when New was called, in whole milliseconds as changes have them
	now   func() time.Time // time.Now, except in tests
	settings
	client  *http.Client
	folder  *url.URL               // of the site, with a slash at the end
	agent   string                 // the User-Agent of the notifier's requests
	keyFile atomic.Pointer[string] // the path of the key file, nil while the key is not known
	console *console               // nil without Options.Google
	running
}

// settings are what the owner has set.
type settings struct {
	hold     time.Duration
	perDay   int
	endpoint string // "" with GoogleOnly
	given    string // the owner's key of IndexNow, "" if the notifier makes one
}

// running is what only Run uses.
type running struct {
	st    state // what is stored, and what was done since; the zero state while another process sends
	sent  sentPages
	waits map[hash]waiting // the changes that were read last
	batch int              // pages of a post; batchPages at first, except in tests
	said  string           // the trouble that was logged last
}

// New returns a Notifier for a site. A process needs one for each site. It keeps its records in st, which is usually
// the site's store. All processes of a fleet must give the same store, and only one sends. The caller closes st, after
// Run has returned. If opts is nil, New uses the defaults.
//
// New refuses a site that no engine could reach: one with a port, or at an IP address, at "localhost" or
// at another name that is not below a public top-level domain. So a program under development announces
// nothing. The exception is for tests: if Options.Endpoint is on this machine, New takes it.
func New(site *servemap.Site, st store.Store, opts *Options) (n *Notifier, err error) {
	defer func() {
		if err != nil {
			n, err = nil, fmt.Errorf("notify: %w", err)
		}
	}()
	if site == nil || st == nil {
		return nil, errors.New("the site or the store is nil; look at the error with which it was made")
	}
	if opts == nil {
		opts = &Options{}
	}
	n = &Notifier{
		site: site, log: cmp.Or(opts.Logger, slog.Default()), owner: rand.Text(), made: time.Now().Truncate(time.Millisecond),
		now: time.Now,
		settings: settings{cmp.Or(opts.Hold, 5*time.Minute), cmp.Or(opts.MaxPerDay, 10_000),
			cmp.Or(opts.Endpoint, DefaultEndpoint), opts.Key},
		running: running{batch: batchPages},
	}
	if opts.GoogleOnly {
		n.endpoint = ""
	}
	if err := n.check(opts); err != nil {
		return nil, err
	}
	top, _, _ := strings.Cut(strings.TrimPrefix(site.RobotsLine(), "Sitemap: "), "\n")
	if n.folder, err = url.Parse(top[:strings.LastIndexByte(top, '/')+1]); err != nil {
		return nil, withoutURL(err)
	}
	n.agent = "servemap (+" + n.folder.Scheme + "://" + n.folder.Host + "/)"
	if err := checkAddresses(n.folder, n.endpoint); err != nil {
		return nil, err
	}
	if n.keys, err = keys.New(strings.TrimSuffix(n.folder.String(), "/")); err != nil {
		return nil, err
	}
	n.store = txn.Guard(st, n.keys.Site(), n.log)
	n.client = &http.Client{Transport: opts.Transport, CheckRedirect: noRedirect}
	if opts.Transport == nil {
		n.client.Transport = &http.Transport{ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	}
	if n.endpoint != "" {
		n.know(opts.Key)
	}
	if opts.Google != nil {
		n.console = newConsole(*opts.Google, n.agent)
	}
	return n, nil
}

// check refuses options that are out of range.
func (n *Notifier) check(opts *Options) error {
	switch {
	case n.given != "" && !validKey.MatchString(n.given):
		return errors.New(words.Say(`{Key} must have 8 to 128 letters, digits and "-"`))
	case n.hold < time.Second:
		return fmt.Errorf("Options.Hold is %v; it must be at least 1s, or 0 for the default", opts.Hold)
	case n.perDay < 1 || n.perDay > 20_000:
		return fmt.Errorf(words.Say("{PerDay} is %d; it must be from 1 to 20000{OrZero}"), opts.MaxPerDay)
	case opts.Google != nil && opts.Google.Client == nil:
		return errors.New("Options.Google.Client is nil; it must be one that adds the owner's authorisation")
	case opts.GoogleOnly && opts.Google == nil:
		return errors.New("Options.GoogleOnly is set, but Google is nil; nobody would be told")
	case opts.GoogleOnly && opts.Endpoint != "":
		return errors.New("Options.Endpoint is given, but GoogleOnly leaves IndexNow out; leave out one of them")
	}
	return nil
}

// checkAddresses refuses an endpoint to which nothing may be sent, "" for none, and a site that engines cannot reach or
// should not hear of. An endpoint on this machine, as in a program's own test, may hear of any site.
func checkAddresses(folder *url.URL, endpoint string) error {
	if endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("%s: it must be a URL without user, query and fragment, such as %q", words.Say("{Endpoint}"),
				DefaultEndpoint)
		}
		addr, err := netip.ParseAddr(u.Hostname())
		local := u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
		switch {
		case local && (u.Scheme == "http" || u.Scheme == "https"):
			return nil
		case u.Scheme != "https":
			return fmt.Errorf("%s: %q must begin with https", words.Say("{Endpoint}"), endpoint)
		}
	}
	if folder.Port() != "" {
		return fmt.Errorf(words.Say("{Origin} %s has a port, and search engines are told of sites without one only; give the "+
			"public origin, or leave out {Notify}"), folder)
	}
	if _, public := location.PublicHost(folder.Scheme, folder.Host); !public {
		return fmt.Errorf(words.Say("{Origin}: the host %q is no public name, so no search engine could fetch its pages; use {Notify} only "+
			"where the site is public"), folder.Host)
	}
	return nil
}

// noRedirect makes a client return a redirect as it is. Otherwise it would send a post on, with its key, to
// wherever the redirect leads.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// withoutURL leaves the URL out of an error of net/http, since it may hold a key.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
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
		if !n.serveKey(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// Run sends changes until ctx ends, and returns soon after that. Call it once, in its own goroutine, in each
// process that serves the site. It logs troubles, and [Notifier.Status] shows them.
func (n *Notifier) Run(ctx context.Context) {
	tick := max(100*time.Millisecond, min(n.hold/10, 30*time.Second))
	for {
		err := n.pass(ctx)
		n.complain(err)
		select {
		case <-ctx.Done():
			// End the lease, so that the next process sends at once, unless it is unknown whether the last post arrived.
			if n.st.Owner == n.owner && !errors.Is(err, ctx.Err()) {
				_ = n.save(ctx, 0) // if that fails, the next process waits for the end of the lease
			}
			return
		case <-time.After(tick - mathrand.N(tick/8)):
		}
	}
}

// complain logs what ended a pass, unless the pass before ended in the same way.
func (n *Notifier) complain(err error) {
	said := ""
	if err != nil && !errors.Is(err, context.Canceled) {
		said = err.Error()
	}
	switch {
	case said == "" || said == n.said:
	case errors.Is(err, errElsewhere): // every fleet has such notifiers
		n.log.Info("notify: this notifier waits", "cause", said)
	default:
		n.log.Warn("notify: nothing is sent now; it is tried again", "error", said, "waiting", n.st.Pending)
	}
	n.said = said
}

// pass does everything that is due.
func (n *Notifier) pass(ctx context.Context) error {
	err := n.save(ctx, leaseFor)
	served := n.site.Sitemaps()
	if err != nil || len(served) == 0 {
		return err
	}
	return errors.Join(n.indexNow(ctx), n.google(ctx, served))
}

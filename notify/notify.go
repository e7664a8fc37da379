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
// Bing, Yandex, Seznam, Naver, Yep and Amazon take part, and share what each of them is
// told. Google does not. No account is needed: the notifier makes a key, and serves it in a
// file of the site, which proves that it speaks for the site. Bing needs no other kind of
// submission: IndexNow and the line in robots.txt (see [servemap.Site.Robots]) tell it
// everything. If a CDN announces changes as well, such as Cloudflare's Crawler Hints, use
// one of the two.
//
// Pages that are new, changed, moved or gone are sent 5 minutes after the Site saw that,
// each at most once an hour, and at most 10,000 a day. The notifier decides at the moment
// of sending. It sends only pages that are listed then, and pages that were listed until
// the site answered 404, 410 or a permanent redirect. If a page left the sitemap for any
// other reason, nobody is told. Changes from before New was first called are not sent. Nothing
// is sent either while more than a quarter of the listed pages, and more than 100, change
// within an hour: that is a deploy or an import. If an engine calls a post invalid, its pages
// are sent in smaller posts, down to one page; a page that is invalid on its own is not sent
// again. The sitemap shows those changes.
//
// Nothing is sent while the site serves no sitemap, as under [servemap.Options.ReportOnly].
// The store keeps everything that must survive a restart. Processes that share it send each
// change once: one sends, the others wait. If a process dies between a post and the storing
// of its outcome, the post is repeated 10 minutes later.
//
// # Search Console
//
// The notifier submits the top files of the sitemap once, and again when other files take
// their place. Once a day it reads what Google says about them; see [Status]. It needs an
// [http.Client] that adds an authorisation with the scope
// https://www.googleapis.com/auth/webmasters, from an account with full permission for the
// site's property. There are two ways to get one. For both, make a project in the Google
// Cloud console (https://console.cloud.google.com), and enable the "Google Search Console
// API" in it.
//
// The first way is a service account:
//
//  1. Make one in the project, and download a key for it as JSON. It needs no role there.
//  2. In Search Console, under Settings, Users and permissions, add the account's e-mail
//     address with full permission. That dialog often answers that it does not find the
//     address. Then open https://www.google.com/webmasters/verification/home, choose the
//     property, and add the address there as an owner.
//
// The client then comes from golang.org/x/oauth2/google:
//
//	conf, err := google.JWTConfigFromJSON(key, "https://www.googleapis.com/auth/webmasters")
//	...
//	opts.Google = &notify.Google{Client: conf.Client(ctx)}
//
// The second way is a person who has full permission and consents once:
//
//  1. In the project, make an OAuth client of the type "Desktop app". It has an ID and a
//     secret.
//  2. Publish the consent screen, as tokens of an app in testing end after 7 days. Google
//     need not verify the app: the person sees a warning and continues.
//
// A program like this one, with golang.org/x/oauth2, is run once. It prints a refresh token,
// which is a secret:
//
//	conf := &oauth2.Config{
//		ClientID: id, ClientSecret: secret, Endpoint: google.Endpoint, RedirectURL: "http://127.0.0.1",
//		Scopes: []string{"https://www.googleapis.com/auth/webmasters"},
//	}
//	fmt.Println(conf.AuthCodeURL("", oauth2.AccessTypeOffline, oauth2.ApprovalForce)) // the person opens this
//	// The browser ends at an address that does not load. It has the code after "code=", percent-encoded.
//	token, err := conf.Exchange(ctx, code)
//	fmt.Println(token.RefreshToken)
//
// And in the site's program, with the same conf:
//
//	opts.Google = &notify.Google{Client: conf.Client(ctx, &oauth2.Token{RefreshToken: token})}
//
// This package depends on neither module.
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
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	// Key is the site's key of IndexNow: 8 to 128 letters, digits and "-". By default the
	// notifier makes one and keeps it in the store. Give one if you must know the address
	// of the key file, "/KEY.txt", such as to exempt it from bot protection. Use it only
	// for this host.
	Key string
	// Endpoints are the URLs that receive changes, by default [DefaultEndpoint]. Only one
	// is used at a time. The next one is used while those before it refuse the key or have
	// been unreachable for long. If it is empty but not nil, nobody receives changes.
	// Endpoints use https, except those on this machine. If all are on this machine, as in
	// a test, New also takes an origin with a port, at an IP address or at "localhost". It
	// must then be an address of this machine, or a public one: the notifier fetches its
	// key file.
	Endpoints []string
	// Hold is how long after its first change a page is sent. So a page that is corrected
	// at once is sent once. The default is 5 minutes; the least is a second.
	Hold time.Duration
	// MaxPerDay is how many pages are sent a day, in UTC, at most. The rest waits for the
	// next day. The default is 10,000; the most is 20,000.
	MaxPerDay int
	// Google submits the sitemap to Search Console. If it is nil, nothing is submitted.
	Google *Google
	// Transport makes the requests to the endpoints, and the one for the site's own key
	// file. The default connects only to public addresses, and uses no proxy. Your own must
	// ensure that itself.
	Transport http.RoundTripper
	// Logger receives what was sent, and what keeps pages from being sent, each cause once.
	// By default it is slog.Default.
	Logger *slog.Logger
}

// Notifier tells search engines what changed on one site. It is safe for concurrent use.
type Notifier struct {
	site    *servemap.Site
	store   store.Store
	keys    keys.Keys
	log     *slog.Logger
	client  *http.Client
	console *http.Client // for Search Console, nil without Options.Google
	settings

	keyPath    atomic.Pointer[string] // of the key file, nil while unknown
	keyFetched atomic.Int64           // in Unix nanoseconds

	mu sync.Mutex // held during a pass; guards the fields below
	waiting
	proof
	owed     *post  // the last post, until its outcome is stored
	most     int    // pages in the next post, 0 for n.batch
	property string // of Search Console, "" while unknown
	said     string // the trouble that was logged last
}

// settings never change after New.
type settings struct {
	given     string // the owner's key, "" if the notifier makes one
	endpoints []string
	hold      time.Duration
	perDay    int
	tops      []string // the URLs of the sitemap's top files
	folder    string   // the URL of the folder of the site, with a slash at the end
	root      string   // the URL of the site's host
	host      string
	agent     string
	owner     string           // this notifier's name in the lease
	made      time.Time        // when New was called, in whole milliseconds as changes have them
	now       func() time.Time // time.Now, except in tests
	batch     int              // batchPages, except in tests
}

// waiting is what is known of the changes that are to be sent.
type waiting struct {
	cursor  time.Time // nothing older waits
	pending int
	first   map[hash]time.Time // when the first change of each waiting page was seen
	rushing bool
}

// proof is what is known of whether engines can see the key file.
type proof struct {
	proved      bool      // the key file can be seen, or enough was done for it
	proveAt     time.Time // when to check the key file next
	keyFile     string    // what the last check of the key file saw
	unreachable time.Time // when the key file became unreachable, if it is
}

// New returns a Notifier for a site. It keeps its own records in st. This is usually the
// site's store, but need not be. All processes of a fleet must give the same store. The
// caller closes st, after Run has returned. If opts is nil, New uses the defaults. It
// copies opts.
//
// New refuses a site that no engine could reach: one with a port, or at an IP address, at
// "localhost" or at another name that is not below a public top-level domain. So a program
// under development announces nothing. The exception is for tests: if all of
// Options.Endpoints are on this machine, New takes such a site. Its origin must then be an
// address of this machine, or a public one.
func New(site *servemap.Site, st store.Store, opts *Options) (*Notifier, error) {
	if v := reflect.ValueOf(st); site == nil || st == nil || v.Kind() == reflect.Pointer && v.IsNil() {
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

func newNotifier(site *servemap.Site, st store.Store, opts Options) (*Notifier, error) {
	n := &Notifier{
		site: site, log: cmp.Or(opts.Logger, slog.Default()),
		settings: settings{
			given: opts.Key, endpoints: slices.Clone(opts.Endpoints), hold: cmp.Or(opts.Hold, 5*time.Minute),
			perDay: cmp.Or(opts.MaxPerDay, 10_000), owner: rand.Text(),
			made: time.Now().Truncate(time.Millisecond), now: time.Now, batch: batchPages,
		},
		waiting: waiting{first: map[hash]time.Time{}},
	}
	if opts.Endpoints == nil {
		n.endpoints = []string{DefaultEndpoint}
	}
	switch {
	case n.given != "" && !validKey.MatchString(n.given):
		return nil, errors.New(messages.Say(`{Key} must have 8 to 128 letters, digits and "-"`))
	case n.hold < time.Second:
		return nil, fmt.Errorf(messages.Say("{Hold} is %v; it must be at least 1s, or 0 for the default"), opts.Hold)
	case n.perDay < 1 || n.perDay > 20_000:
		return nil, fmt.Errorf("options: MaxPerDay is %d; it must be from 1 to 20000, or 0 for the default", opts.MaxPerDay)
	case opts.Google != nil && opts.Google.Client == nil:
		return nil, errors.New("options: Google.Client is nil; it must be one that adds the owner's authorisation")
	case opts.Google == nil && len(n.endpoints) == 0:
		return nil, errors.New("options: Endpoints is empty and Google is nil, so that nobody would be told; leave Endpoints nil for the default")
	}
	local, err := checkEndpoints(n.endpoints)
	if err != nil {
		return nil, err
	}
	if err := n.locate(site.RobotsLine(), local); err != nil {
		return nil, err
	}
	n.keys, err = keys.New(strings.TrimSuffix(n.folder, "/"))
	if err != nil {
		return nil, err
	}
	n.store = txn.Guard(st, n.keys.Site(), n.log)
	n.connect(opts, local)
	n.know(opts.Key)
	return n, nil
}

// locate learns the site's address from the lines for robots.txt.
func (n *Notifier) locate(lines string, local bool) error {
	for line := range strings.Lines(lines) {
		n.tops = append(n.tops, strings.TrimSpace(strings.TrimPrefix(line, "Sitemap: ")))
	}
	n.folder = n.tops[0][:strings.LastIndexByte(n.tops[0], '/')+1]
	u, err := url.Parse(n.folder)
	if err != nil {
		return withoutURL(err)
	}
	n.host, n.root = u.Host, u.Scheme+"://"+u.Host+"/"
	n.agent = "servemap (+" + n.root + ")"
	if local {
		return nil
	}
	if u.Scheme == "http" {
		n.log.Warn("notify: the origin is http; engines prefer https", "origin", n.root)
	}
	return checkOrigin(u)
}

func (n *Notifier) connect(opts Options, local bool) {
	if opts.Transport == nil {
		opts.Transport = newTransport(local)
	}
	n.client = &http.Client{Transport: opts.Transport, CheckRedirect: noRedirect}
	if opts.Google != nil {
		client := *opts.Google.Client
		client.CheckRedirect = noRedirect
		n.console, n.property = &client, opts.Google.Property
	}
}

// know tells Wrap a key.
func (n *Notifier) know(key string) {
	if u, err := url.Parse(n.folder); key != "" && err == nil && len(n.endpoints) > 0 {
		path := u.Path + key + ".txt"
		n.keyPath.Store(&path)
	}
}

// Run sends changes until ctx ends, and returns soon after that. Call it once, in its own
// goroutine, in each process that serves the site. It logs troubles, and [Notifier.Status]
// shows them.
func (n *Notifier) Run(ctx context.Context) {
	defer n.leave(ctx)
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

// leave stores what is not stored yet, and lets other processes send.
func (n *Notifier) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 500*time.Millisecond)
	defer cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.pay(ctx)
	_, _ = n.update(ctx, func(st *state, _ time.Time) error {
		if st.Owner != n.owner {
			return errElsewhere
		}
		st.Owner, st.Until = "", time.Time{}
		return nil
	})
}

// complain logs what ended a pass. It logs the same cause again only after a pass ended in
// another way.
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
	st, err := n.lead(ctx)
	if n.given == "" {
		n.know(st.Key)
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
	if err != nil || len(due) == 0 || choose(n.endpoints, st.Engines, n.now()) == "" {
		return err
	}
	if err := n.proveKey(ctx, st); err != nil {
		return err
	}
	return n.send(ctx, due, n.perDay-st.Sent)
}

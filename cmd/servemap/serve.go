package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/folder"
	"github.com/servemap/servemap/cmd/servemap/internal/patient"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
	"github.com/servemap/servemap/store/sqlstore"
)

const (
	shutdownPatience = 30 * time.Second // for running requests
	closePatience    = 20 * time.Second // to store what was seen
	lockEvery        = 100 * time.Millisecond
)

// serving is the common part of proxy and files: it serves a site until the process is told
// to stop.
type serving struct {
	settings
	telling
	data, database, listen, admin string
	explore, revisit, robots      bool
	max                           int

	log *slog.Logger
}

func (s *serving) flags(fs *flag.FlagSet) {
	s.settings.flags(fs)
	s.telling.flags(fs)
	fs.StringVar(&s.data, "data", "", "the `DIR` for what is learned; keep it")
	fs.StringVar(&s.database, "database", os.Getenv(databaseVariable),
		"the postgres:// `URL` of a database for what is learned, for several processes; by default "+databaseVariable+" of the environment")
	fs.Lookup("database").DefValue = "" // it may hold a password
	fs.StringVar(&s.listen, "listen", "localhost:8080", "the `ADDRESS` to serve visitors at, such as :8080")
	fs.StringVar(&s.admin, "admin", "", "an `ADDRESS` that answers /healthz and /metrics, and /inspect/ by a link that the log has, such as 127.0.0.1:9090; by default none")
	fs.BoolVar(&s.revisit, "revisit", false, "visit pages that no visitor asks for again and again, at most one a second, so that their changes get a date")
	fs.BoolVar(&s.robots, "robots", false, "name the sitemap in the site's robots.txt, and serve one if the site has none")
	maxFlag(fs, &s.max)
}

// databaseVariable is an environment variable. It is not DATABASE_URL, which is often that
// of the site itself.
const databaseVariable = "SERVEMAP_DATABASE"

func proxyCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	v := &serving{}
	v.flags(fs)
	v.proxyFlags(fs)
	fs.BoolVar(&v.explore, "explore", false, "at the first start, visit all pages along the links, so that they are listed before they are visited")
	return func(ctx context.Context, _ string) error {
		return v.run(ctx, s)
	}
}

func filesCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	v := &serving{explore: true}
	v.flags(fs)
	return func(ctx context.Context, dir string) (err error) {
		if v.Dir, err = filepath.Abs(dir); err != nil { // other commands may run in another directory
			return err
		}
		if v.data != "" && folder.Serves(v.Dir, v.data) {
			return usage("-data %s is in the folder that is served, so visitors could fetch what is learned; give a folder outside it, or one whose name begins with a dot", v.data)
		}
		return v.run(ctx, s)
	}
}

// run serves the site until ctx ends.
func (v *serving) run(ctx context.Context, s streams) error {
	v.log = slog.New(slog.NewTextHandler(s.err, nil))
	listener, err := listen("listen", v.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	at, trying := listener.Addr().(*net.TCPAddr).AddrPort(), "search engines cannot reach -origin"
	if v.Origin == "" {
		v.Origin, trying = forTrying(v.listen, at.Port()), "no -origin was given"
	}
	if err := cmp.Or(v.check(), checkData(v.data)); err != nil {
		return err
	}
	handler, err := v.handler(v.log)
	if err != nil {
		return err
	}
	if unreachable(v.Origin) {
		v.log.Warn(trying+", so this sitemap is for trying only; give the site's public address before you publish it", "origin", v.Origin)
	}
	var admin net.Listener
	if v.admin != "" {
		if admin, err = listen("admin", v.admin); err != nil {
			return err
		}
		defer admin.Close()
	}
	if v.loops(at) {
		return usage("-to %s is the address of this process itself; give the one where the site listens, or another -listen", v.To)
	}
	st, closeStore, err := openStore(v.data, v.database, v.log)
	if err != nil {
		return err
	}
	defer closeStore()
	site, err := newSite(&v.settings, st, v.log)
	if err != nil {
		return err
	}
	c := newAnswers(&v.settings, v.data, site, handler, v.log)
	c.health.Listen = listener.Addr().String()
	return v.serve(ctx, st, c, listener, admin)
}

// forTrying returns the origin under which browsers on this machine reach an address of -listen.
func forTrying(listen string, port uint16) string {
	host, _, _ := net.SplitHostPort(listen)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && (ip.IsUnspecified() || ip.IsLoopback()) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// unreachable reports whether search engines cannot reach an origin: it is at a private
// address, or has a name that is not public.
func unreachable(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return !ip.IsGlobalUnicast() || ip.IsPrivate()
	}
	_, public := location.PublicHost(u.Scheme, u.Host)
	return !public
}

// listen listens at the address of a flag.
func listen(name, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	var form *net.AddrError
	switch {
	case errors.As(err, &form):
		return nil, usage("-%s %s: %v; give an address such as localhost:8080, or :8080 for all of the machine's addresses", name, address, err)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("another program listens at %s; end it, or give -%s another address: %w", address, name, err)
	case err != nil:
		return nil, fmt.Errorf("-%s %s: %w", name, address, err)
	}
	return listener, nil
}

// loops reports whether requests to the site would come back to this process, for ever. This
// process never speaks TLS.
func (v *serving) loops(at netip.AddrPort) bool {
	u, err := url.Parse(v.To)
	if err != nil || u.Scheme == "https" || cmp.Or(u.Port(), "80") != strconv.Itoa(int(at.Port())) {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	local := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return ip == at.Addr() || local && at.Addr().IsUnspecified() || u.Hostname() == "localhost" && at.Addr().IsLoopback()
}

// serve serves visitors at once, and commands once the data belongs to this process. Then
// it ends in order: readiness, visitors, explorations, the site. The caller closes the
// store. admin is nil without -admin.
func (v *serving) serve(ctx context.Context, st store.Store, c *answers, listener, admin net.Listener) error {
	var work sync.WaitGroup
	defer work.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	notifier, err := v.notifier(c.site, st, v.log)
	c.notifier = notifier // says how it is doing
	if err != nil {
		return errors.Join(err, c.site.Close(ctx))
	}
	failed := make(chan error, 2)
	inspector := new(http.Server)
	if admin != nil {
		inspector = patient.Server(c.admin(v.admin, admin.Addr().(*net.TCPAddr), v.log), v.log)
		go func() { failed <- inspector.Serve(patient.Listener(admin)) }()
		v.log.Info("this link opens the inspector", "link", c.link)
	}
	visible, serving := c.site.Wrap(c.explorer.Handler), v.log
	if v.robots {
		visible = c.site.Robots(visible)
	} else {
		serving = v.log.With("robots.txt needs", c.site.RobotsLine())
	}
	if notifier != nil {
		visible = notifier.Wrap(visible)
		work.Go(func() {
			if usable(ctx, st) == nil {
				notifier.Run(ctx)
			}
		})
	}
	visitors := patient.Server(visible, v.log)
	go func() { failed <- visitors.Serve(patient.Listener(listener)) }()
	c.ready.Store(true)
	serving.Info("serving", "site", v.Origin, "at", "http://"+listener.Addr().String()+"/", "pid", os.Getpid())
	work.Go(func() { v.own(ctx, st, c) })
	select {
	case err = <-failed:
	case <-ctx.Done():
	}

	v.log.Info("stopping")
	c.ready.Store(false)
	cancel()
	stop, done := context.WithTimeout(context.Background(), shutdownPatience)
	defer done()
	if e := visitors.Shutdown(stop); e != nil {
		v.log.Warn("connections that did not end were cut off", "after", shutdownPatience)
		visitors.Close()
	}
	work.Wait()
	inspector.Close()
	stop, done = context.WithTimeout(context.Background(), closePatience)
	defer done()
	if e := c.site.Close(stop); e != nil && !errors.Is(e, store.ErrUnavailable) {
		err = errors.Join(err, e)
	}
	return err
}

// own waits until the store can be used: only one process can use a folder. Then it answers
// commands, and explores, until ctx ends.
func (v *serving) own(ctx context.Context, st store.Store, c *answers) {
	if usable(ctx, st) != nil {
		return
	}
	_ = c.site.Flush(ctx) // now the site knows that the store can be used
	server := &http.Server{Handler: c.handler(), BaseContext: func(net.Listener) context.Context { return ctx }}
	if socket, err := v.prepare(); err != nil {
		v.log.Error("commands cannot ask this process", "err", err)
	} else {
		go func() { _ = server.Serve(socket) }()
		v.log.Info("commands are answered", "data", v.data)
	}
	if v.explore {
		c.explorer.AtStart(ctx, v.Dir != "", v.max)
	}
	if v.revisit {
		c.explorer.Revisit(ctx)
	}
	<-ctx.Done()
	stop, done := context.WithTimeout(context.Background(), closePatience)
	defer done()
	_ = server.Shutdown(stop) // this also removes the socket
}

// prepare listens for commands.
func (v *serving) prepare() (net.Listener, error) {
	if err := control.Make(v.data); err != nil {
		return nil, err
	}
	return control.Listen(v.data)
}

// usable waits until the store can be used. If ctx ends before, it returns why the store
// cannot be used. Only a folder may need a wait.
func usable(ctx context.Context, st store.Store) error {
	folder, ok := st.(*badgerstore.Store)
	for ok && folder.Health() != nil {
		select {
		case <-ctx.Done():
			return cmp.Or(folder.Health(), ctx.Err())
		case <-time.After(lockEvery):
		}
	}
	return ctx.Err()
}

// openStore opens the records. It also returns a function that closes them.
func openStore(data, database string, log *slog.Logger) (store.Store, func(), error) {
	if err := control.Check(data); err != nil {
		return nil, nil, fmt.Errorf("-data: %w", err)
	}
	if database == "" {
		st, err := badgerstore.Open(data, &badgerstore.Options{Logger: log})
		if err != nil {
			return nil, nil, fmt.Errorf("-data %s: %w", data, err)
		}
		return st, func() { _ = st.Close() }, nil
	}
	cfg, err := pgx.ParseConfig(database)
	if err != nil { // which may name a password
		return nil, nil, usage("-database is no address of a PostgreSQL database; give one such as postgres://user@host/name")
	}
	db := stdlib.OpenDB(*cfg)
	st, err := sqlstore.Open(db, &sqlstore.Options{Logger: log})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return st, func() { _ = db.Close() }, nil
}

func newSite(s *settings, st store.Store, log *slog.Logger) (*servemap.Site, error) {
	opts, err := s.options(log)
	if err != nil {
		return nil, err
	}
	site, err := servemap.New(s.Origin, st, opts)
	if err != nil {
		return nil, exit{codeUsage, strings.TrimPrefix(strings.TrimPrefix(err.Error(), "servemap: "), "options: ")}
	}
	return site, nil
}

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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
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

// proxyCommand, filesCommand and runCommand fill the settings of sites, and serve these until the
// process is told to stop.
func proxyCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	v := &settings.Settings{}
	v.Flags(fs, func(string, string) bool { return true })
	return func(ctx context.Context, _ string) error {
		return serveOne(ctx, s, v)
	}
}

func filesCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	v := &settings.Settings{}
	v.Flags(fs, func(_, name string) bool { return !slices.Contains([]string{"to", "host", "timeout", "explore"}, name) })
	return func(ctx context.Context, dir string) (err error) {
		if v.Folder, err = filepath.Abs(dir); err != nil { // other commands may run in another directory
			return err
		}
		return serveOne(ctx, s, v)
	}
}

// serveOne serves one site until ctx ends.
func serveOne(ctx context.Context, s streams, v *settings.Settings) error {
	v.Fill()
	log, err := newLog(s, v.Log, v.Level)
	if err != nil {
		return err
	}
	return (&process{log: log}).run(ctx, []*settings.Settings{v}, nil)
}

// site is a site that this process serves.
type site struct {
	*settings.Settings
	log      *slog.Logger
	answers  *answers
	visitors http.Handler
	start    func()
	cancel   func()
	end      func() error // after cancel
}

// openSite opens what serves a site. Once it is started, it learns.
func openSite(s *settings.Settings, at *net.TCPAddr, log *slog.Logger, several bool) (*site, error) {
	named := log.With("site", s.Origin)
	if several {
		log = named
	}
	handler, err := s.Handler(log)
	if err != nil {
		return nil, usage("%v", err)
	}
	st, closeStore, err := openStore(s, log)
	if err != nil {
		return nil, err
	}
	known, err := newSite(s, st, log)
	if err != nil {
		closeStore()
		return nil, err
	}
	c := newAnswers(s, known, handler, log)
	c.health.Listen = at.String()
	ctx, cancel := context.WithCancel(context.Background())
	x := &site{Settings: s, log: log, answers: c, visitors: known.Wrap(handler)}
	x.cancel = func() { c.ready.Store(false); cancel() }
	var work sync.WaitGroup
	x.end = func() error {
		work.Wait()
		defer closeStore()
		err, started := closeSite(known), x.start == nil
		if started && err == nil {
			named.Info("stopped; what was learned is kept", "listed", known.Stats().Listed, "data", s.Data)
		}
		if errors.Is(err, store.ErrUnavailable) {
			err = nil
		}
		return err
	}
	if c.notifier, err = s.Notifier(known, st, log); err != nil {
		x.cancel()
		return nil, cmp.Or(x.end(), usage("%v", err))
	}
	robots := ""
	if s.Robots {
		x.visitors = known.Robots(x.visitors)
	} else {
		robots = known.RobotsLine()
	}
	if c.notifier != nil {
		x.visitors = c.notifier.Wrap(x.visitors)
	}
	x.start = func() {
		x.start = nil
		x.tell(named, at, robots, several)
		c.ready.Store(true)
		if behind, is := handler.(interface{ Knock(context.Context) }); is {
			work.Go(func() { behind.Knock(ctx) })
		}
		work.Go(func() { x.own(ctx, st) })
		if c.notifier != nil {
			work.Go(func() {
				if usable(ctx, st) == nil {
					c.notifier.Run(ctx)
				}
			})
		}
	}
	return x, nil
}

// tell says where the site, its sitemap and the inspector are.
func (s *site) tell(log *slog.Logger, at *net.TCPAddr, robots string, several bool) {
	root := "http://" + at.String()
	sitemap := root + folderOf(s.Settings) + s.Name + ".xml"
	if several { // they may share the address, and there another one may answer
		sitemap = strings.TrimSuffix(s.Origin, "/") + "/" + s.Name + ".xml"
	}
	says := []any{"at", root + "/", "sitemap", sitemap}
	if s.answers.link != "" {
		says = append(says, "inspector", s.answers.link)
	}
	if robots != "" {
		says = append(says, "robots.txt needs", robots)
	}
	log.Info("serving", says...)
	if unreachable(s.Origin) {
		s.log.Warn("search engines cannot reach this origin, so the sitemap is for trying only; give the site's public address in -origin before you publish it", "origin", s.Origin)
	}
}

// folderOf returns the folder in which requests for a site arrive. A server in front may have cut off the beginning.
func folderOf(s *settings.Settings) string {
	origin, _ := location.ParseOrigin(s.Origin) // the site was made with it
	return strings.TrimPrefix(origin.Folder(), strings.TrimSuffix(s.Stripped, "/"))
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

// loops reports whether requests to the site would come back to this process, for ever. This
// process never speaks TLS.
func loops(s *settings.Settings, at netip.AddrPort) bool {
	u, err := url.Parse(s.To)
	if err != nil || u.Scheme == "https" || cmp.Or(u.Port(), "80") != strconv.Itoa(int(at.Port())) {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	local := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return ip == at.Addr() || local && at.Addr().IsUnspecified() || u.Hostname() == "localhost" && at.Addr().IsLoopback()
}

// own waits until the store can be used: only one process can use a folder. Then it answers
// commands, and explores, until ctx ends.
func (s *site) own(ctx context.Context, st store.Store) {
	c := s.answers
	if usable(ctx, st) != nil {
		return
	}
	_ = c.site.Flush(ctx) // now the site knows that the store can be used
	if end, err := c.answerIn(ctx, s.Settings); err != nil {
		s.log.Error("commands cannot ask this process", "err", err)
	} else {
		defer end()
		s.log.Info("commands are answered", "data", s.Data)
	}
	if s.Explore || s.Folder != "" {
		c.explorer.AtStart(ctx, s.Folder != "", servemap.ExploreOptions{MaxRequests: s.Max, Concurrency: s.Concurrency})
	}
	if s.Revisit {
		c.explorer.Revisit(ctx, s.Max)
	}
	<-ctx.Done()
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
func openStore(s *settings.Settings, log *slog.Logger) (store.Store, func(), error) {
	data, database := s.Data, string(s.Database)
	if err := control.Check(data); err != nil {
		return nil, nil, fmt.Errorf("-data: %w", err)
	}
	if database == "" {
		st, err := badgerstore.Open(data, &badgerstore.Options{Reserve: int64(s.Reserve) << 20, Logger: log})
		if err != nil {
			return nil, nil, fmt.Errorf("-data %s: %w", data, err)
		}
		return st, func() { _ = st.Close() }, nil
	}
	cfg, err := parseDatabase(database)
	if err != nil {
		return nil, nil, err
	}
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(4)                  // the server's connections are for all processes
	db.SetConnMaxIdleTime(5 * time.Second) // less than between two looks for changes, or idle processes would hold connections for ever
	db.SetConnMaxLifetime(time.Minute)     // after a failover, one may stay read-only as long as it lives
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: s.Table, Logger: log})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return st, func() { _ = db.Close() }, nil
}

// parseDatabase returns how to connect, nil without a database.
func parseDatabase(database string) (*pgx.ConnConfig, error) {
	if database == "" {
		return nil, nil
	}
	cfg, err := pgx.ParseConfig(database)
	if err != nil { // which may name a password
		return nil, usage("-database is no address of a PostgreSQL database; give one such as postgres://user@host/name")
	}
	return cfg, nil
}

// openFolder opens the records of a folder that no other process may hold.
func openFolder(s *settings.Settings, log *slog.Logger) (store.Store, func(), error) {
	st, end, err := openStore(s, log)
	if folder, is := st.(*badgerstore.Store); is && folder.Health() != nil {
		end()
		return nil, nil, locked(s.Data)
	}
	return st, end, err
}

// closeSite stores what was seen.
func closeSite(site *servemap.Site) error {
	stop, done := context.WithTimeout(context.Background(), closePatience)
	defer done()
	return site.Close(stop)
}

func newSite(s *settings.Settings, st store.Store, log *slog.Logger) (*servemap.Site, error) {
	opts, err := s.Options(log)
	if err != nil {
		return nil, usage("%v", err)
	}
	site, err := servemap.New(s.Origin, st, opts)
	if err != nil {
		return nil, usage("%v", settings.InFlags(err))
	}
	return site, nil
}

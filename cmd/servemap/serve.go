package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
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
	"github.com/servemap/servemap/internal/page/words"
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
	v.Flags(fs, "proxy")
	return func(ctx context.Context, _ string) error {
		return serveOne(ctx, s, v)
	}
}

func filesCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	v := &settings.Settings{}
	v.Flags(fs, "files")
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
	*answers
	door, admin *door // admin is nil without -admin
	visitors    http.Handler
	sitemap     string // its address

	started bool
	ctx     context.Context // of what the site does by itself
	cancel  context.CancelFunc
	work    sync.WaitGroup
}

// openSite opens what serves a site beside others. Once it is started, it learns.
func (p *process) openSite(s *settings.Settings, others []*settings.Settings, several bool) (x *site, err error) {
	x, trying := &site{}, s.Origin == ""
	log, err := x.place(p, s, several)
	if err != nil {
		return nil, err
	}
	for i, o := range others {
		if what := same(s, o); what != "" {
			return nil, usage("it has the same %s as site %d, %s; give each its own", what, i+1, o.Origin)
		}
	}
	if s.Admin != "" {
		if x.admin, err = p.at("admin", s.Admin); err != nil {
			return nil, err
		}
	}
	handler, err := s.Handler(log)
	if err != nil {
		return nil, usage("%v", err)
	}
	st, end, err := openServed(s, log)
	if err != nil {
		return nil, err
	}
	if x.answers, err = newAnswers(s, handler, st, end, log); err != nil {
		return nil, err
	}
	x.health.Listen = x.door.at().String()
	x.ctx, x.cancel = context.WithCancel(context.Background())
	if x.notifier, err = s.Notifier(x.site, st, log); err != nil {
		return nil, errors.Join(usage("%v", err), x.end())
	}
	x.visitors = x.site.Wrap(handler)
	if s.Robots {
		x.visitors = x.site.Robots(x.visitors)
	}
	if x.notifier != nil {
		x.visitors = x.notifier.Wrap(x.visitors)
	}
	if trying {
		log.Warn("search engines cannot reach this origin, so the sitemap is for trying only; "+
			words.Say("give the site's public address in {-origin} before you publish it"), "origin", s.Origin)
	}
	return x, nil
}

// place checks the settings, takes the address for visitors, and returns the site's log. Where no origin is given, that
// address says it.
func (x *site) place(p *process, s *settings.Settings, several bool) (log *slog.Logger, err error) {
	if err := s.Check(); err != nil { // before an address is taken
		return nil, usage("%v", err)
	}
	if err := checkData(s.Data); err != nil && s.Data == "" && s.Database != "" {
		return nil, usage("%v; with {-database} it holds only the socket for commands", err)
	} else if err != nil {
		return nil, err
	}
	if x.door, err = p.at("listen", s.Listen); err != nil {
		return nil, err
	}
	at := x.door.at()
	if s.Origin == "" {
		s.Origin = forTrying(s.Listen, at.AddrPort().Port())
	}
	if loops(s, at.AddrPort()) {
		return nil, usage("{-to} %s is the address of this process itself; give the one where the site listens, or another {-listen}", s.To)
	}
	if several { // they may share the address, and there another one may answer
		x.sitemap = strings.TrimSuffix(s.Origin, "/") + "/" + s.Name + ".xml"
		return p.log.With("site", s.Origin), nil
	}
	x.sitemap = "http://" + at.String() + folderOf(s) + s.Name + ".xml"
	return p.log, nil
}

// same says what two sites may not share, "" if they share none of that.
func same(a, b *settings.Settings) string {
	mine, err := filepath.Abs(a.Data)
	its, other := filepath.Abs(b.Data)
	switch {
	case err == nil && other == nil && mine == its:
		return words.Say("{-data} ") + a.Data
	case originOf(a).Host() != originOf(b).Host(): // whatever the scheme
		return ""
	case originOf(a).Folder() == originOf(b).Folder():
		return "host and folder"
	case a.Listen == b.Listen && folderOf(a) == folderOf(b):
		return "host and folder, as requests for them arrive,"
	}
	return ""
}

// start says where the site is, and makes it learn.
func (s *site) start() {
	s.started = true
	says := []any{"at", "http://" + s.door.at().String() + "/", "origin", s.Origin, "sitemap", s.sitemap}
	if s.link != "" {
		says = append(says, "inspector", s.link)
	}
	if !s.Robots {
		says = append(says, "robots.txt needs", s.site.RobotsLine())
	}
	s.log.Info("serving", says...)
	s.serves.Store(true)
	s.work.Go(s.own)
}

// stop ends what the site does by itself, and its readiness. Visitors are served on.
func (s *site) stop() {
	s.serves.Store(false)
	s.cancel()
}

// end stops the site, and stores what was seen.
func (s *site) end() error {
	s.stop()
	s.work.Wait()
	err := s.answers.end()
	if s.started && err == nil {
		s.log.Info("stopped; what was learned is kept", "listed", s.site.Stats().Listed, "data", s.Data)
	}
	if errors.Is(err, store.ErrUnavailable) {
		return nil
	}
	return err
}

// originOf returns the origin of a site, which was checked.
func originOf(s *settings.Settings) location.Origin {
	origin, _ := location.ParseOrigin(s.Origin)
	return origin
}

// folderOf returns the folder in which requests for a site arrive. A server in front may have cut off the beginning.
func folderOf(s *settings.Settings) string {
	return strings.TrimPrefix(originOf(s).Folder(), strings.TrimSuffix(s.Stripped, "/"))
}

// forTrying returns the origin under which browsers on this machine reach an address of -listen.
func forTrying(listen string, port uint16) string {
	host, _, _ := net.SplitHostPort(listen)
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && (ip.IsUnspecified() || ip.IsLoopback()) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// loops reports whether requests to the site would come back to this process, for ever. This
// process never speaks TLS.
func loops(s *settings.Settings, at netip.AddrPort) bool {
	u, err := url.Parse(s.To)
	if err != nil || u.Scheme == "https" || cmp.Or(u.Port(), "80") != strconv.Itoa(int(at.Port())) {
		return false
	}
	host := strings.Replace(u.Hostname(), "localhost", "127.0.0.1", 1)
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip == at.Addr() || ip.IsLoopback() && (at.Addr().IsUnspecified() || at.Addr().IsLoopback()))
}

// own waits until the store can be used: only one process can use a folder. Then it tells engines, answers
// commands, and explores, until the site is stopped. As long as the folder cannot be used, it answers commands aside.
func (s *site) own() {
	ctx := s.ctx
	end, err := s.answerAt(ctx, control.ListenAside)
	if err != nil { // another process waits too, or the system has no such sockets
		end = func() {}
	}
	defer func() { end() }()
	if usable(ctx, s.store) != nil {
		return
	}
	_ = s.site.Flush(ctx) // now the site knows that the store can be used
	if s.notifier != nil {
		s.work.Go(func() { s.notifier.Run(ctx) })
	}
	if in, err := s.answerIn(ctx); err != nil {
		s.log.Error("commands cannot ask this process by its folder", "err", err)
	} else {
		end()
		end = in
		s.log.Info("commands are answered", "data", s.Data)
	}
	if s.Explore || s.Folder != "" {
		s.explorer.AtStart(ctx, s.Folder != "", servemap.ExploreOptions{MaxRequests: s.Max, Concurrency: s.Concurrency})
	}
	if s.Revisit {
		s.explorer.Revisit(ctx, s.Max)
	}
	<-ctx.Done()
}

// usable waits until the store can be read. If ctx ends before, it returns why the store
// cannot be used. Only a folder may need a wait.
func usable(ctx context.Context, st store.Store) error {
	if _, database := st.(store.Sharer); database {
		return ctx.Err()
	}
	for {
		err := st.View(context.Background(), nil, func([][]byte) error { return nil })
		if err == nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(lockEvery):
		}
	}
}

// openServed opens the records of a site that visitors see. They get its pages even if the folder is not the
// process's own.
func openServed(s *settings.Settings, log *slog.Logger) (store.Store, func(), error) {
	err := control.Check(s.Data)
	barred := errors.As(err, new(control.ForeignError)) || errors.Is(err, fs.ErrPermission)
	switch {
	case err == nil || barred && s.Database != "": // in a database, only commands need the folder
		return openStore(s, log)
	case !barred:
		return nil, nil, unusable(s.Data, err)
	}
	err = unusable(s.Data, err)
	log.Error("the pages are served without a sitemap, since the folder cannot be used; restart once it can", "err", err)
	return noStore{fmt.Errorf("%w: %w", store.ErrUnavailable, err)}, func() {}, nil
}

// openStore opens the records. It also returns a function that closes them.
func openStore(s *settings.Settings, log *slog.Logger) (store.Store, func(), error) {
	data, database := s.Data, string(s.Database)
	if database == "" {
		st, err := badgerstore.Open(data, &badgerstore.Options{Reserve: int64(s.Reserve) << 20, Logger: log})
		if err != nil {
			return nil, nil, unusable(data, err)
		}
		return st, func() { _ = st.Close() }, nil
	}
	cfg, err := pgx.ParseConfig(database)
	if err != nil { // which may name a password
		return nil, nil, usage("{-database} is no address of a PostgreSQL database; give one such as postgres://user@host/name")
	}
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(4)                  // the server's connections are for all processes
	db.SetConnMaxIdleTime(5 * time.Second) // less than between two looks for changes, or idle processes would hold connections for ever
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: s.Table, Logger: log})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return st, func() { _ = db.Close() }, nil
}

// unusable says why a folder of data cannot be used.
func unusable(data string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf(words.Say("Cannot use {-data} %s as user %s: permission denied. Change its owner, or choose another folder."), data, whoami())
	}
	return fmt.Errorf(words.Say("{-data} %s: %w"), data, err)
}

// whoami returns the name of the user of this process, or else the number.
func whoami() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Geteuid())
}

// openFolder opens the records of a folder. It waits a moment for another process, such as a command that asks.
func openFolder(ctx context.Context, s *settings.Settings, log *slog.Logger, patience time.Duration) (store.Store, func(), error) {
	if err := control.Check(s.Data); err != nil {
		return nil, nil, unusable(s.Data, err)
	}
	st, end, err := openStore(s, log)
	if err != nil {
		return nil, nil, err
	}
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	if err := usable(ctx, st); err != nil {
		end()
		if errors.Is(err, badgerstore.ErrLocked) {
			return nil, nil, locked(s.Data)
		}
		return nil, nil, unusable(s.Data, err)
	}
	return st, end, nil
}

// noStore is the store of a process that may not use its folder.
type noStore struct{ why error }

func (s noStore) View(context.Context, []string, func([][]byte) error) error   { return s.why }
func (s noStore) Update(context.Context, []string, func([][]byte) error) error { return s.why }
func (s noStore) Sync(context.Context) error                                   { return s.why }

func (s noStore) Scan(context.Context, string, string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) { yield(store.Record{}, s.why) }
}

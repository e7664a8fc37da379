package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

const (
	closePatience = 20 * time.Second // to store what was seen
	flushPatience = 5 * time.Second  // to make the files of other settings
	lockEvery     = 100 * time.Millisecond
	asideEvery    = time.Second
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
	log, err := newLog(s, v.Log, v.Level.Level)
	if err != nil {
		return err
	}
	return newProcess(s, log).run(ctx, []*settings.Settings{v}, nil)
}

func newProcess(s streams, log *slog.Logger) *process {
	return &process{log: log, attended: s.err.(terminal.Plain).Lives()}
}

// site is a site that this process serves.
type site struct {
	*answers
	door, admin *door        // admin is nil without -admin
	handler     http.Handler // the site itself
	visitors    http.Handler // what visitors reach: the site, with the sitemap and what else this process serves
	sitemap     string       // its address
	trying      bool         // no origin was given

	started  bool
	ctx      context.Context // of what the site does by itself
	cancel   context.CancelFunc
	work     sync.WaitGroup
	unanswer func() // ends the answers to commands
}

// place checks all settings of a site, also beside those before it, and takes its addresses. It opens nothing yet, and
// says nothing.
func (p *process) place(s *settings.Settings, others []*settings.Settings, several bool) (x *site, err error) {
	x = &site{answers: &answers{Settings: s, log: p.log}, trying: s.Origin == ""}
	if err := x.check(); err != nil { // before an address is taken
		return nil, err
	}
	if x.door, err = p.at("listen", s.Listen); err != nil {
		return nil, err
	}
	at := x.door.at()
	if err := x.make(at.AddrPort().Port(), others, several); err != nil {
		return nil, err
	}
	if s.Admin != "" {
		if x.admin, err = p.at("admin", s.Admin); err != nil {
			return nil, err
		}
	}
	x.sitemap = opensAt(at) + folderOf(s) + s.Name + ".xml"
	if several { // they may share the address, and there another one may answer
		x.sitemap = strings.TrimSuffix(s.Origin, "/") + "/" + s.Name + ".xml"
	}
	return x, nil
}

// check says what is wrong with the settings of a site by themselves.
func (x *site) check() error {
	s := x.Settings
	if err := s.Check(); err != nil {
		return usage("%v", err)
	}
	if s.Data == "" && s.To == "" && s.Folder == "" {
		return usage("{-to} and {-data} are missing; give the address where the site itself listens, and the folder for " +
			"what is learned, such as {-to=http://localhost:3000} and {-data=sitemap-data}")
	}
	if err := checkData(s.Data); err != nil && s.Data == "" && s.Database != "" {
		return usage("%v; with {-database} it holds only the socket for commands", err)
	} else if err != nil {
		return err
	}
	if loops(s) {
		return usage("{-to} and {-listen} are the same address, %s; give the one where the site listens, or another "+
			"{-listen}, such as {-listen=localhost:8081}", s.To)
	}
	return nil
}

// make makes the site itself for visitors of a port, and says what is wrong with its settings, also beside those of
// others.
func (x *site) make(port uint16, others []*settings.Settings, several bool) (err error) {
	s := x.Settings
	if x.trying { // the address says the origin
		s.Origin = forTrying(s.Listen, port)
		s.Hosts = append(s.Hosts, "127.0.0.1:"+strconv.Itoa(int(port)))
		if to, err := url.Parse(s.To); err == nil && isHost(to.Host) { // as servers for development write it
			s.Hosts = append(s.Hosts, to.Host)
		}
	}
	for i, o := range others {
		if what := same(s, o); what != "" {
			return usage("it has the same %s as site %d, %s; give each its own", what, i+1, o.Origin)
		}
	}
	if several {
		x.log = x.log.With("site", s.Origin)
	}
	if x.handler, err = s.Handler(x.log); err != nil {
		return usage("%v", err)
	}
	return x.try()
}

// try makes the site in memory, so that the library says what is wrong with its settings.
func (x *site) try() error {
	nothing := slog.New(slog.DiscardHandler)
	c, err := newAnswers(x.Settings, x.handler, memstore.New(), func() {}, nothing)
	if err != nil {
		return err
	}
	if _, err = x.Notifier(c.site, c.store, nothing); err != nil {
		err = usage("%v", err)
	}
	return errors.Join(err, c.end())
}

// open makes the site on its store.
func (x *site) open() (err error) {
	s, log := x.Settings, x.log
	if x.answers, err = newAnswers(s, x.handler, x.store, x.close, log); err != nil {
		return err
	}
	x.health.Listen = x.door.at().String()
	x.ctx, x.cancel = context.WithCancel(context.Background())
	if x.notifier, err = s.Notifier(x.site, x.store, log); err != nil {
		return errors.Join(err, x.end())
	}
	x.visitors = x.site.Wrap(x.handler)
	if s.Robots {
		x.visitors = x.site.Robots(x.visitors)
	}
	if x.notifier != nil {
		x.visitors = x.notifier.Wrap(x.visitors)
	}
	if x.trying || x.behind() {
		log.Warn("search engines cannot reach this origin, so the sitemap is for trying only; "+
			words.Say("give the site's public address in {-origin} before you publish it"), "origin", s.Origin)
	}
	return nil
}

// behind reports whether the origin is the address of the site behind this process, which nobody else reaches.
func (x *site) behind() bool {
	at, err := url.Parse(x.Origin)
	if err != nil || strings.TrimSuffix(x.Origin, "/") != strings.TrimSuffix(x.To, "/") {
		return false
	}
	_, public := location.PublicHost(at.Scheme, at.Host)
	return !public
}

// isHost reports whether a host can be that of a page. One with the zone of this machine's network cannot.
func isHost(host string) bool {
	_, err := location.ParseOrigin("http://" + host)
	return err == nil
}

// same names what two sites share although they must not, "" if there is nothing.
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
	says := []any{"at", opensAt(s.door.at()) + "/", "origin", s.Origin, "sitemap", s.sitemap}
	if to, err := url.Parse(s.To); err == nil && to.Host != "" && strings.Trim(to.Path, "/") != "" {
		says = append(says, "asked below", s.To)
	}
	if s.link != "" {
		says = append(says, "inspector", s.link)
	}
	if !s.Robots {
		says = append(says, "robots.txt", "add the line "+s.site.RobotsLine())
	}
	data, _ := filepath.Abs(s.Data)
	for _, dir := range []string{data, filepath.Dir(data)} {
		if pages, _ := filepath.Glob(filepath.Join(dir, "index.[hp]*")); len(pages) > 0 && s.Folder == "" {
			s.log.Warn(words.Say("{-data} is in a folder with pages: if that is served, visitors could fetch what is learned; "+
				"give a folder outside it"), "data", s.Data, "page", pages[0])
		}
	}
	s.serves.Store(true)
	s.answerAside()
	s.log.Info("serving", says...)
	s.work.Go(s.live)
}

// stop ends what the site does by itself. Visitors and commands are answered on.
func (s *site) stop() { s.cancel() }

// end stops the site, and stores what was seen.
func (s *site) end() error {
	s.stop()
	s.work.Wait()
	err := s.answers.end()
	if s.started && err == nil {
		s.log.Info("stopped; what was learned is kept", "listed", s.site.Stats().Listed, "data", s.Data)
	}
	if s.started {
		s.unanswer()
	}
	if errors.Is(err, store.ErrUnavailable) {
		if s.started {
			s.log.Warn("stopped; the store cannot be used, so what was seen meanwhile is not kept. What is stored stays",
				"data", s.Data)
		}
		return nil
	}
	return err
}

// release closes what is kept open for visitors.
func (s *site) release() {
	if h, has := s.handler.(interface{ CloseIdleConnections() }); has {
		h.CloseIdleConnections()
	}
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
func loops(s *settings.Settings) bool {
	u, err := url.Parse(s.To)
	if err != nil || u.Scheme == "https" || cmp.Or(u.Port(), "80") != strconv.Itoa(portOf(s.Listen)) {
		return false
	}
	host, _, _ := net.SplitHostPort(s.Listen)
	to, here := ipOf(u.Hostname()), ipOf(cmp.Or(host, "::"))
	return to == here && to.IsValid() || to.IsLoopback() && (here.IsUnspecified() || here.IsLoopback())
}

// ipOf returns the address of a host that is one, or this machine.
func ipOf(host string) netip.Addr {
	ip, _ := netip.ParseAddr(strings.Replace(host, "localhost", "127.0.0.1", 1))
	return ip
}

// answerAside answers commands at the socket that needs no folder, as soon as no other process holds that socket.
func (s *site) answerAside() {
	ctx, cancel := context.WithCancel(context.Background())
	var waiting sync.WaitGroup
	s.unanswer = func() {
		cancel()
		waiting.Wait()
	}
	waiting.Go(func() {
		for {
			end, err := s.answerAt(s.ctx, control.ListenAside)
			if err == nil {
				<-ctx.Done()
				end()
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(asideEvery):
			}
		}
	})
}

// live waits until the store can be used: only one process can use a folder. Then it tells engines, answers commands in
// the folder, and explores, until the site is stopped.
func (s *site) live() {
	ctx := s.ctx
	if usable(ctx, s.store) != nil {
		return
	}
	_ = s.site.Flush(ctx) // now the site knows that the store can be used
	if s.notifier != nil {
		s.work.Go(func() { s.notifier.Run(ctx) })
	}
	if end, err := s.answerIn(ctx); err != nil {
		s.log.Error("commands such as \"servemap status\" cannot reach this process", "err", err)
	} else {
		s.unanswer()
		s.unanswer = end
		s.log.Info("commands are answered, such as \"servemap status -data " + s.Data + "\"")
	}
	if s.Explore || s.Folder != "" {
		opts := servemap.ExploreOptions{MaxRequests: s.Max, Concurrency: s.Concurrency}
		if later := s.explorer.AtStart(ctx, s.Folder != "", opts); later != nil {
			s.work.Go(later)
		}
	}
	if s.Revisit && !s.Explore && s.Folder == "" {
		s.log.Info(words.Say("{-revisit} visits only pages that are known; {-explore} finds the others"))
	}
	if s.Revisit {
		s.explorer.Revisit(ctx, s.Max)
	}
	<-ctx.Done()
}

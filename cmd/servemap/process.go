package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/servemap/servemap/cmd/servemap/internal/patient"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/store/memstore"
)

// process serves sites at addresses. With other settings it does what a rolling restart does: the new
// sites are opened beside the old ones, get the visitors, and learn once the old ones have ended.
type process struct {
	log    *slog.Logger
	doors  map[string]*door // by the setting and its address
	failed chan error
}

// door is an address where this process listens.
type door struct {
	*http.Server
	listener net.Listener
	handler  atomic.Pointer[http.Handler]
}

func (d *door) serve(w http.ResponseWriter, r *http.Request) { (*d.handler.Load()).ServeHTTP(w, r) }

func (d *door) at() *net.TCPAddr { return d.listener.Addr().(*net.TCPAddr) }

// lead makes a handler answer at a door from now on.
func (p *process) lead(d *door, to http.Handler) {
	if d.handler.Swap(&to) != nil {
		return
	}
	d.Server = patient.Server(http.HandlerFunc(d.serve), p.log)
	go func() {
		if err := d.Serve(patient.Listener(d.listener)); !errors.Is(err, http.ErrServerClosed) {
			p.failed <- err
		}
	}()
}

// run serves sites until ctx ends. If read is not nil, SIGHUP makes it read other settings.
func (p *process) run(ctx context.Context, sites []*settings.Settings, read func() ([]*settings.Settings, error)) error {
	again := make(chan os.Signal, 1)
	if read != nil {
		signal.Notify(again, syscall.SIGHUP)
		defer signal.Stop(again)
	}
	p.failed = make(chan error, 100) // doors
	served, err := p.open(sites)
	startAll(served)
	for err == nil && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case err = <-p.failed:
		case <-again:
			sites, bad := read()
			next, old := []*site(nil), served
			if bad == nil {
				next, bad = p.open(sites)
			}
			if bad != nil {
				p.log.Error("the settings were not taken; what is served goes on", "err", bad)
				continue
			}
			served = next
			if bad := endAll(old); bad != nil {
				p.log.Error("the sites before did not end well", "err", bad)
			}
			startAll(served) // now nobody else answers commands in their folders
			p.log.Info("the settings were read anew")
		}
	}
	return errors.Join(err, p.stop(served))
}

// stop ends in order: readiness, explorations, visitors, the sites.
func (p *process) stop(sites []*site) error {
	if len(sites) > 0 {
		p.log.Info("stopping")
	}
	for _, s := range sites {
		s.cancel()
	}
	stop, done := context.WithTimeout(context.Background(), shutdownPatience)
	defer done()
	for name, d := range p.doors {
		if strings.HasPrefix(name, "admin") {
			defer d.Close() // it shows how the rest ends
		} else if d.Shutdown(stop) != nil {
			p.log.Warn("connections that did not end were cut off", "after", shutdownPatience)
			d.Close()
		}
	}
	return endAll(sites)
}

func startAll(sites []*site) {
	for _, s := range sites {
		s.start()
	}
}

func endAll(sites []*site) (err error) {
	for _, s := range sites {
		s.cancel()
		err = errors.Join(err, s.end())
	}
	return err
}

// open makes these sites serve visitors, and no other. If it fails, it changes nothing.
func (p *process) open(all []*settings.Settings) (sites []*site, err error) {
	doors, routes, admins := map[string]*door{}, map[*door]routes{}, map[*door]*http.ServeMux{}
	defer func() {
		for name, d := range doors {
			if err != nil && p.doors[name] == nil {
				d.listener.Close()
			}
		}
		if err != nil {
			err, sites = errors.Join(err, endAll(sites)), nil
		}
	}()
	at := func(name, address string) (*door, error) {
		name += " " + address
		d, err := doors[name], error(nil)
		if d == nil {
			d = p.doors[name]
		}
		if d == nil {
			d, err = listen(name)
		}
		if err == nil {
			doors[name] = d
		}
		return d, err
	}
	for _, s := range all {
		if err := try(s); err != nil {
			return sites, named(s, len(all), err)
		}
	}
	for i, s := range all {
		visitors, err := at("listen", s.Listen)
		if err != nil {
			return sites, err
		}
		if s.Origin == "" {
			s.Origin = forTrying(s.Listen, visitors.at().AddrPort().Port())
		}
		if loops(s, visitors.at().AddrPort()) {
			return sites, named(s, len(all), usage("-to %s is the address of this process itself; give the one where the site listens, or another -listen", s.To))
		}
		origin, _ := location.ParseOrigin(s.Origin)
		if slices.ContainsFunc(all[:i], func(o *settings.Settings) bool {
			other, _ := location.ParseOrigin(o.Origin)
			one := other.Folder() == origin.Folder() || o.Listen == s.Listen && folderOf(o) == folderOf(s)
			return o.Data == s.Data || other.Host() == origin.Host() && one // whatever the scheme
		}) {
			return sites, usage("two sites have the host and folder of %s, as requests for them arrive, or the folder -data %s; give each its own", s.Origin, s.Data)
		}
		x, err := openSite(s, visitors.at(), p.log, len(all) > 1)
		if err != nil {
			return sites, named(s, len(all), err)
		}
		sites = append(sites, x)
		routes[visitors] = append(routes[visitors], route{append(slices.Clone(s.Hosts), origin.Host()), folderOf(s), x.visitors})
		if s.Admin != "" {
			admin, err := at("admin", s.Admin)
			if err != nil {
				return sites, err
			}
			base := "" // the first site has the root
			if admins[admin] == nil {
				admins[admin] = http.NewServeMux()
			} else {
				base = "/" + origin.Host() + strings.TrimSuffix(origin.Folder(), "/")
			}
			admins[admin].Handle(base+"/", http.StripPrefix(base, x.answers.admin(s, base, admin.at(), x.log)))
		}
	}
	for d, r := range routes {
		slices.SortStableFunc(r, func(a, b route) int { return len(b.folder) - len(a.folder) })
		p.lead(d, r)
	}
	for d, mux := range admins {
		p.lead(d, mux)
	}
	for name, d := range p.doors {
		if doors[name] == nil {
			go func() { _ = d.Shutdown(context.Background()) }() // its visitors may finish
		}
	}
	p.doors = doors
	return sites, nil
}

// try says which setting is wrong, before an address is taken or a folder is touched: it makes the site in memory.
func try(s *settings.Settings) error {
	one, st, log := *s, new(memstore.Store), slog.New(slog.DiscardHandler)
	one.Origin = cmp.Or(s.Origin, "http://localhost")
	if err := one.Check(); err != nil {
		return usage("%v", err)
	}
	if err := checkData(s.Data); err != nil && s.Data == "" && s.Database != "" {
		return usage("%v; with -database it holds only the socket for commands", err)
	} else if err != nil {
		return err
	}
	if _, err := parseDatabase(string(s.Database)); err != nil {
		return err
	}
	if _, err := one.Handler(log); err != nil {
		return usage("%v", err)
	}
	site, err := newSite(&one, st, log)
	if err != nil {
		return err
	}
	if _, err := one.Notifier(site, st, log); err != nil {
		return errors.Join(usage("%v", err), closeSite(site))
	}
	return closeSite(site)
}

// named says which of several sites an error is about.
func named(s *settings.Settings, of int, err error) error {
	if e := (exit{}); of > 1 && errors.As(err, &e) {
		return exit{e.code, "site " + s.Origin + ": " + e.text}
	}
	return err
}

// routes say which site a request at an address is for: the only one, or the one with its host and folder.
type routes []route

type route struct {
	hosts   []string
	folder  string
	handler http.Handler
}

func (rs routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := strings.ToLower(r.Host)
	for _, to := range rs {
		own := slices.Contains(to.hosts, host) || slices.Contains(to.hosts, strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443"))
		if len(rs) == 1 || own && strings.HasPrefix(r.URL.Path+"/", to.folder) {
			to.handler.ServeHTTP(w, r)
			return
		}
	}
	http.Error(w, "No site of this name is served here.", http.StatusMisdirectedRequest)
}

// listen opens the door of a setting with an address.
func listen(setting string) (*door, error) {
	name, address, _ := strings.Cut(setting, " ")
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
	return &door{listener: listener}, nil
}

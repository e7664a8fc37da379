package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	"github.com/servemap/servemap/internal/page/words"
)

// process serves sites at addresses. They are no [servemap.Sites], since each has a folder of data, a scheme, a
// folder of its host and a server behind it of its own, and all are known from the start. With other settings it does
// what a rolling restart does: the new sites are opened beside the old ones, get the visitors, and learn once the old
// ones have ended.
type process struct {
	log    *slog.Logger
	doors  map[string]*door // by the setting and its address, such as "listen :8080"; once open, they stay open until the end
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
	p.doors, p.failed = map[string]*door{}, make(chan error, 100) // doors
	served, err := p.open(sites)
	startAll(served)
	for err == nil && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case err = <-p.failed:
		case <-again:
			served = p.reload(served, read)
		}
	}
	return errors.Join(err, p.stop(served))
}

// reload serves the sites that read returns in place of the old ones.
func (p *process) reload(old []*site, read func() ([]*settings.Settings, error)) []*site {
	sites, err := read()
	var served []*site
	if err == nil {
		served, err = p.open(sites)
	}
	if err != nil {
		p.log.Error("the settings were not taken; what is served goes on", "err", err)
		for name, d := range p.doors {
			if d.Server == nil { // nobody would answer there
				d.listener.Close()
				delete(p.doors, name)
			}
		}
		return old
	}
	if err := endAll(old); err != nil {
		p.log.Error("the sites before did not end well", "err", err)
	}
	startAll(served) // now nobody else answers commands in their folders
	p.log.Info("the settings were read anew")
	return served
}

// stop ends in order: readiness, explorations, visitors, the sites.
func (p *process) stop(sites []*site) error {
	if len(sites) > 0 {
		p.log.Info("stopping")
	}
	for _, s := range sites {
		s.stop()
	}
	stop, done := context.WithTimeout(context.Background(), shutdownPatience)
	defer done()
	for name, d := range p.doors {
		switch {
		case d.Server == nil: // no site was opened
			d.listener.Close()
		case strings.HasPrefix(name, "admin"):
			defer d.Close() // it shows how the rest ends
		case d.Shutdown(stop) != nil:
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
		s.stop()
	}
	for _, s := range sites {
		err = errors.Join(err, s.end())
	}
	return err
}

// open makes these sites serve visitors, and no other. If it fails, what was served is served on.
func (p *process) open(all []*settings.Settings) (sites []*site, err error) {
	visitors, owners := map[*door]routes{}, map[*door]*http.ServeMux{}
	for i, s := range all {
		x, err := p.openSite(s, all[:i], len(all) > 1)
		if err != nil && len(all) > 1 {
			err = fmt.Errorf("site %d, %s: %w", i+1, s.Origin, err)
		}
		if err != nil {
			return nil, errors.Join(err, endAll(sites))
		}
		sites = append(sites, x)
		origin := originOf(s)
		visitors[x.door] = append(visitors[x.door], route{append(slices.Clone(s.Hosts), origin.Host()), folderOf(s), x.visitors})
		if x.admin == nil {
			continue
		}
		base := "" // the first site has the root
		if owners[x.admin] == nil {
			owners[x.admin] = http.NewServeMux()
		} else {
			base = "/" + origin.Host() + strings.TrimSuffix(origin.Folder(), "/")
		}
		owners[x.admin].Handle(base+"/", http.StripPrefix(base, x.answers.admin(base, x.admin.at())))
	}
	for name, d := range p.doors {
		if strings.HasPrefix(name, "admin") {
			p.lead(d, cmp.Or(owners[d], http.NewServeMux()))
			continue
		}
		slices.SortStableFunc(visitors[d], func(a, b route) int { return len(b.folder) - len(a.folder) })
		p.lead(d, visitors[d])
	}
	return sites, nil
}

// routes say which site a request at an address is for: the only one, or the one with its host and folder.
type routes []route

type route struct {
	hosts   []string
	folder  string
	handler http.Handler
}

func (rs routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(r.Host), ":80"), ":443")
	for _, to := range rs {
		if len(rs) == 1 || slices.Contains(to.hosts, host) && strings.HasPrefix(r.URL.Path+"/", to.folder) {
			to.handler.ServeHTTP(w, r)
			return
		}
	}
	http.Error(w, "No site of this name is served here.", http.StatusMisdirectedRequest)
}

// at returns the door of a setting with an address.
func (p *process) at(name, address string) (d *door, err error) {
	name += " " + address
	if d = p.doors[name]; d == nil {
		if d, err = listen(name); err == nil {
			p.doors[name] = d
		}
	}
	return d, err
}

// listen opens the door of a setting with an address.
func listen(setting string) (*door, error) {
	name, address, _ := strings.Cut(setting, " ")
	listener, err := net.Listen("tcp", address)
	var form *net.AddrError
	switch {
	case errors.As(err, &form):
		return nil, usage("{-"+name+"} %s: %v; give an address such as localhost:8080, or :8080 for all of the machine's addresses", address, err)
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf(words.Say("another program listens at %s; end it, or give {-"+name+"} another address: %w"), address, err)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf(words.Say("Cannot use {-"+name+"} %s as user %s: permission denied. Choose a port above 1023, or let the process have the others."), address, whoami())
	case err != nil:
		return nil, fmt.Errorf(words.Say("{-"+name+"} %s: %w"), address, err)
	}
	return &door{listener: listener}, nil
}

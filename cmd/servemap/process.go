package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/admin/guard"
)

// How long the process takes to end beyond what -drain says. Until then it serves new visitors, since no other listens
// in its place: it stops at a moment at which nobody waits for an answer, if there is one soon.
const (
	quietPatience = 2 * time.Second
	waitPatience  = 3 * time.Second        // for forms and what else may act, when nobody listens any more
	lastPatience  = 300 * time.Millisecond // for all other answers then
)

// process serves sites at addresses. They are no [servemap.Sites], since each has a folder of data, a scheme, a
// folder of its host and a server behind it of its own, and all are known from the start.
type process struct {
	log      *slog.Logger
	attended bool   // a person at a terminal sees the log
	file     string // the file with the settings, "" if they are flags
	drain    time.Duration
	given    []net.Listener // the sockets of systemd for which no setting was found yet
	// doors are known by the setting and its address, such as "listen :8080". They stay open until the process ends, also
	// where a file that is read anew no longer names them.
	doors  map[string]*door
	stores map[records]*shared
	keys   map[string]*guard.Link // the links to the inspectors, by origin; reading the file anew changes none
	failed chan error             // why a door no longer serves
}

// run serves sites until ctx ends. If read is not nil, SIGHUP makes it read other settings.
func (p *process) run(ctx context.Context, sites []*settings.Settings,
	read func() ([]*settings.Settings, error)) error {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	p.doors, p.stores, p.failed = map[string]*door{}, map[records]*shared{}, make(chan error, 100) // one of each door
	p.given = given()
	served, err := p.prepare(sites)
	if err == nil {
		served, err = p.open(served)
	}
	if err == nil {
		p.lead(served)
		startAll(served)
		p.closeUnused()
	}
	for err == nil && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case err = <-p.failed:
		case <-again:
			if read == nil && p.attended { // the terminal was closed
				return p.stop(served)
			}
			if read == nil {
				p.log.Info("SIGHUP changes nothing, since the settings are flags; restart the process, or use \"servemap run\" " +
					"with a file")
				continue
			}
			served, err = p.reload(served, read)
		}
	}
	return errors.Join(err, p.stop(served))
}

// reload serves the sites that read returns in place of the old ones. These end first, once all that the settings say
// is tried, and hand over what they have learned. They serve visitors, with the last sitemap, until the new ones have
// made theirs.
func (p *process) reload(old []*site, read func() ([]*settings.Settings, error)) (served []*site, err error) {
	sites, err := read()
	if err == nil {
		served, err = p.prepare(sites)
	}
	if err != nil {
		p.log.Error("the new settings cannot be used, so the old ones stay", "err", err)
		for name, d := range p.doors {
			if d.shift == nil { // nobody would answer there
				d.close()
				delete(p.doors, name)
			}
		}
		return old, nil
	}
	if err := endAll(old); err != nil {
		p.log.Error("the sites before did not end well", "err", err)
	}
	if served, err = p.open(served); err != nil {
		return nil, err
	}
	soon, done := context.WithTimeout(context.Background(), flushPatience)
	defer done()
	for _, s := range served {
		_ = s.site.Flush(soon)
	}
	p.lead(served)
	for _, s := range old {
		s.release()
	}
	p.log.Info("the settings were read anew")
	startAll(served) // now nobody else answers commands in their folders
	return served, nil
}

// stop ends in order: readiness and explorations, visitors who stay long, the sites, new visitors.
func (p *process) stop(sites []*site) error {
	for _, s := range sites {
		s.ending.Store(true)
		s.stop()
	}
	if len(sites) > 0 {
		p.log.Info("stopping")
	}
	var visitors []*door
	for name, d := range p.doors {
		switch {
		case d.shift == nil: // no site was opened
			d.close()
		case strings.HasPrefix(name, "admin"):
			defer d.Close() // it shows how the rest ends
		default:
			visitors = append(visitors, d)
		}
	}
	together(visitors, func(d *door) { d.relieve(p) })
	err := endAll(sites)
	together(visitors, func(d *door) { d.end(p.drain) })
	return err
}

// together calls fn for all doors at once.
func together(doors []*door, fn func(*door)) {
	var all sync.WaitGroup
	for _, d := range doors {
		all.Go(func() { fn(d) })
	}
	all.Wait()
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

// check says what is wrong with the settings of these sites, as open would, and takes no address.
func (p *process) check(all []*settings.Settings) error {
	var before []*settings.Settings
	doors := map[string]string{}
	for i := range all {
		s := *all[i] // a copy: what make fills in did not come from the owner
		x := &site{answers: &answers{Settings: &s, log: slog.New(slog.DiscardHandler)}, trying: s.Origin == ""}
		_, err := newLog(streams{err: terminal.Plain{To: io.Discard}}, s.Log, s.Level.Level)
		if err == nil {
			err = x.check()
		}
		if err == nil {
			err = x.make(uint16(portOf(s.Listen)), before, len(all) > 1)
		}
		for _, of := range [][2]string{{"listen", s.Listen}, {"admin", s.Admin}} {
			if name, at := of[0], of[1]; err == nil && at != "" {
				if doors[at] = cmp.Or(doors[at], name); doors[at] != name {
					err = listensAlready(name, at)
				} else if _, err = net.ResolveTCPAddr("tcp", at); err != nil {
					err = unfit(name, at, err)
				}
			}
		}
		if err != nil {
			return p.placed(i, all, err)
		}
		before = append(before, &s)
	}
	return nil
}

// prepare checks the settings of all sites, takes their addresses and opens their stores. If it fails, what is served
// is served on.
func (p *process) prepare(all []*settings.Settings) (sites []*site, err error) {
	for i, s := range all {
		x, err := p.place(s, all[:i], len(all) > 1)
		if err != nil {
			return nil, p.placed(i, all, err)
		}
		sites = append(sites, x)
	}
	for i, x := range sites {
		if x.store, x.close, err = p.openServed(x.Settings, x.log); err != nil {
			closeAll(sites[:i])
			return nil, p.placed(i, all, err)
		}
	}
	return sites, nil
}

// open makes the sites that were prepared, each on what was learned before. Once they are started, they learn.
func (p *process) open(sites []*site) ([]*site, error) {
	for i, x := range sites {
		if err := x.open(); err != nil {
			closeAll(sites[i+1:])
			return nil, errors.Join(err, endAll(sites[:i]))
		}
		p.drain = max(p.drain, x.Drain.Duration)
	}
	return sites, nil
}

// closeAll closes the stores of sites that were prepared and not opened.
func closeAll(sites []*site) {
	for _, x := range sites {
		x.close()
	}
}

// placed returns an error of opening a site, which then says of several which one it is, and where in the file to look.
func (p *process) placed(i int, all []*settings.Settings, err error) error {
	of, at := "", ""
	if len(all) > 1 {
		of = fmt.Sprintf("site %d, %s: ", i+1, all[i].Origin)
	}
	if text, none := os.ReadFile(p.file); none == nil {
		at = settings.Place(p.file, text, i, err) + ": "
	}
	return fmt.Errorf("%s%s%w", at, of, err)
}

// lead makes these sites serve visitors, and no other.
func (p *process) lead(sites []*site) {
	visitors, owners := map[*door]routes{}, map[*door]*http.ServeMux{}
	for _, x := range sites {
		origin := originOf(x.Settings)
		visitors[x.door] = append(visitors[x.door], route{append(slices.Clone(x.Hosts), origin.Host()), folderOf(x.Settings),
			x.visitors})
		if x.admin == nil {
			continue
		}
		base := "" // the first site has the root
		if owners[x.admin] == nil {
			owners[x.admin] = http.NewServeMux()
		} else {
			base = "/" + origin.Host() + strings.TrimSuffix(origin.Folder(), "/")
		}
		owners[x.admin].Handle(base+"/", http.StripPrefix(base, x.answers.admin(base, x.admin.at(), p.key(x.Origin))))
	}
	for name, d := range p.doors {
		if strings.HasPrefix(name, "admin") {
			d.lead(p, cmp.Or(owners[d], http.NewServeMux()))
			continue
		}
		slices.SortStableFunc(visitors[d], func(a, b route) int { return len(b.folder) - len(a.folder) })
		d.lead(p, visitors[d])
	}
}

// key returns the key of the link to the inspector of an origin, always the same one.
func (p *process) key(origin string) *guard.Link {
	if p.keys == nil {
		p.keys = map[string]*guard.Link{}
	}
	if p.keys[origin] == nil {
		p.keys[origin] = guard.NewLink(origin)
	}
	return p.keys[origin]
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

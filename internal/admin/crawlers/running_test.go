package crawlers

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/store"
)

const (
	google Engine = iota
	bing
	yandex
	apple
	duck
	gpt Engine = 9
)

// dns answers from maps. A name or address that they lack does not exist.
type dns struct {
	names map[string][]string // by address
	addrs map[string][]string // by name
	fail  map[string]error
	hang  map[string]bool
	dead  string // addresses that begin so get no answer
	asked atomic.Int64
}

func (d *dns) answer(ctx context.Context, what string, of map[string][]string) ([]string, error) {
	d.asked.Add(1)
	if d.hang[what] || d.dead != "" && strings.HasPrefix(what, d.dead) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := d.fail[what]; err != nil {
		return nil, err
	}
	if found := of[what]; found != nil {
		return found, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: what, IsNotFound: true}
}

func (d *dns) LookupAddr(ctx context.Context, addr string) ([]string, error) {
	return d.answer(ctx, addr, d.names)
}

func (d *dns) LookupNetIP(ctx context.Context, _, host string) (addrs []netip.Addr, err error) {
	texts, err := d.answer(ctx, host, d.addrs)
	for _, text := range texts {
		addrs = append(addrs, netip.MustParseAddr(text))
	}
	return addrs, err
}

// running is a tracker that runs in virtual time, for a site whose pages have the hashes from
// 1 to 9.
type running struct {
	*Tracker
	stop func()
}

// trueBots is a DNS in which each address of 66.249.66.0/24 is Googlebot's.
func trueBots() *dns {
	d := &dns{names: map[string][]string{}, addrs: map[string][]string{}}
	for i := range 256 {
		addr, name := fmt.Sprintf("66.249.66.%d", i), fmt.Sprintf("crawl-%d.googlebot.com", i)
		d.names[addr], d.addrs[name] = []string{name + "."}, []string{addr}
	}
	return d
}

func start(t *testing.T, st store.Store, d Resolver) *running {
	r := &running{Tracker: New(Config{
		Store: st, Keys: "https://example.com|", DNS: d, Ranges: Ranges{gpt: {netip.MustParsePrefix("203.0.113.0/29")}},
		Lists: func(hash uint64) bool { return hash <= 9 }, Listed: func() int { return 9 },
	})}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	r.stop = func() { cancel(); <-done }
	t.Cleanup(r.stop)
	return r
}

// fetch is a client's fetch of a page or a file.
func (r *running) fetch(e Engine, addr string, page uint64, file string, status int) {
	client, _ := netip.ParseAddr(addr)
	r.Saw(Fetch{Engine: e, Client: client, At: time.Now(), Page: page, File: file, Status: status})
	synctest.Wait()
}

// of returns the report of an engine, nil if there is none.
func (r *running) of(e Engine) *Report {
	synctest.Wait()
	for _, one := range r.Report(time.Now()) {
		if one.Engine == e {
			return &one
		}
	}
	return nil
}

// days returns the counts of each day, the latest first.
func (r *Report) days() (all []Day) {
	for _, n := range r.EachDay {
		all = append(all, n)
	}
	return all
}

const real1, real2, fake = "66.249.66.1", "66.249.66.2", "203.0.113.9"

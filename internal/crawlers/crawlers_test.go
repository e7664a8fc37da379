package crawlers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record/recordtest"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

func TestClaimedNamesTheEngineOfAUserAgent(t *testing.T) {
	for _, tt := range []struct{ agent, want string }{
		{"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
		{"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot"},
		{"Googlebot-Image/1.0", "Googlebot"},
		{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36", "bingbot"},
		{"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)", "Applebot"},
		{"DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)", "DuckDuckBot"},
		{"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)", "Baiduspider"},
		{"Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)", "SeznamBot"},
		{"Mozilla/5.0 (compatible; Yeti/1.1; +http://naver.me/spd)", "Yeti"},
		{"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36", ""},
		{"curl/8.5.0", ""},
		{"", ""},
		{strings.Repeat("x", longestAgent) + "Googlebot", ""},
	} {
		e, ok := Claimed(tt.agent)
		if ok != (tt.want != "") || ok && e.String() != tt.want {
			t.Errorf("%q is read as %t %s, want %q", tt.agent, ok, e, tt.want)
		}
	}
}

const (
	google Engine = iota
	bing
	yandex
	apple
	duck
)

// dns answers from maps. A name or address that they lack does not exist.
type dns struct {
	names map[string][]string // by address
	addrs map[string][]string // by name
	fail  map[string]error
	hang  map[string]bool
	asked atomic.Int64
}

func (d *dns) answer(ctx context.Context, what string, of map[string][]string) ([]string, error) {
	d.asked.Add(1)
	if d.hang[what] {
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

func TestVerifyAsksTheDNSInBothDirections(t *testing.T) {
	const addr, name = "66.249.66.1", "crawl-66-249-66-1.googlebot.com"
	many := func(n int, last string) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprintf("crawl-%d.googlebot.com.", i))
		}
		return append(names, last)
	}
	broken := &net.DNSError{Err: "server misbehaving", IsTemporary: true}
	for _, tt := range []struct {
		name   string
		engine Engine
		addr   string
		dns    *dns
		want   verdict
		asks   int64
	}{
		{"the engine's", google, addr, &dns{names: map[string][]string{addr: {name + "."}}, addrs: map[string][]string{name: {addr}}}, confirmed, 2},
		{"the engine's, in capitals", google, addr, &dns{names: map[string][]string{addr: {"Crawl-66-249-66-1.GoogleBot.com."}}, addrs: map[string][]string{name: {addr}}}, confirmed, 2},
		{"IPv6", google, "2001:4860:4801:10::1", &dns{names: map[string][]string{"2001:4860:4801:10::1": {name}}, addrs: map[string][]string{name: {addr, "2001:4860:4801:10::1"}}}, confirmed, 2},
		{"an answer that is mapped to IPv6", google, addr, &dns{names: map[string][]string{addr: {name}}, addrs: map[string][]string{name: {"::ffff:" + addr}}}, confirmed, 2},
		{"the second of two names", bing, addr, &dns{names: map[string][]string{addr: {"a.example.", "b.search.msn.com."}}, addrs: map[string][]string{"b.search.msn.com": {addr}}}, confirmed, 2},
		{"a name that is the engine's and does not exist", google, addr, &dns{names: map[string][]string{addr: {name}}}, refuted, 2},
		{"a name of another address", google, addr, &dns{names: map[string][]string{addr: {name}}, addrs: map[string][]string{name: {"66.249.66.2"}}}, refuted, 2},
		{"another engine's", bing, addr, &dns{names: map[string][]string{addr: {name}}, addrs: map[string][]string{name: {addr}}}, refuted, 1},
		{"a name that goes on", google, addr, &dns{names: map[string][]string{addr: {"googlebot.com.evil.example."}}, addrs: map[string][]string{"googlebot.com.evil.example": {addr}}}, refuted, 1},
		{"a name that ends alike", google, addr, &dns{names: map[string][]string{addr: {"evilgooglebot.com."}}, addrs: map[string][]string{"evilgooglebot.com": {addr}}}, refuted, 1},
		{"a proxy of the engine's, which anybody can use", google, addr, &dns{names: map[string][]string{addr: {"google-proxy-66-249-66-1.google.com."}}}, refuted, 1},
		{"no name", google, addr, &dns{}, refuted, 1},
		{"50 names of the engine's", google, addr, &dns{names: map[string][]string{addr: many(49, name)}, addrs: map[string][]string{name: {addr}}}, refuted, 1 + maxNames},
		{"50 names of others, and one of the engine's", google, addr, &dns{names: map[string][]string{addr: append(slices.Repeat([]string{"x.example."}, 50), name)}, addrs: map[string][]string{name: {addr}}}, confirmed, 2},
		{"no answer for the address", google, addr, &dns{hang: map[string]bool{addr: true}}, unknown, 1},
		{"no answer for the name", google, addr, &dns{names: map[string][]string{addr: {name}}, hang: map[string]bool{name: true}}, unknown, 2},
		{"a failure for the address", google, addr, &dns{fail: map[string]error{addr: broken}}, unknown, 1},
		{"a failure for the name", google, addr, &dns{names: map[string][]string{addr: {name}}, fail: map[string]error{name: broken}}, unknown, 2},
		{"a failure for one of two names", google, addr, &dns{names: map[string][]string{addr: {"a.googlebot.com", name}}, fail: map[string]error{"a.googlebot.com": broken},
			addrs: map[string][]string{name: {addr}}}, confirmed, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				if got := verify(t.Context(), tt.dns, tt.engine, netip.MustParseAddr(tt.addr)); got != tt.want {
					t.Errorf("the verdict is %d, want %d", got, tt.want)
				}
				if asked := tt.dns.asked.Load(); asked != tt.asks {
					t.Errorf("the DNS was asked %d times, want %d", asked, tt.asks)
				}
				if took := time.Since(began); took > lookupPatience {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// rig is a tracker that runs in virtual time, for a site whose pages have the hashes from
// 1 to 9.
type rig struct {
	*Tracker
	t      *testing.T
	stop   func()
	mu     sync.Mutex
	events []journal.Event
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

func start(t *testing.T, st store.Store, d *dns) *rig {
	r := &rig{t: t}
	r.Tracker = New(Config{
		Store: st, Keys: "https://example.com|", DNS: d,
		Hash:  func(location string) uint64 { return uint64(location[1] - '0') },
		Lists: func(hash uint64) bool { return hash <= 9 }, Listed: func() int { return 9 },
		Changes: func(_ context.Context, since time.Time) iter.Seq2[journal.Event, error] {
			return func(yield func(journal.Event, error) bool) {
				r.mu.Lock()
				events := slices.Clone(r.events)
				r.mu.Unlock()
				for _, e := range events {
					if !e.At.Before(since) && !yield(e, nil) {
						return
					}
				}
			}
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	r.stop = func() { cancel(); <-done }
	t.Cleanup(r.stop)
	return r
}

// fetch is a client's fetch of a page or a file.
func (r *rig) fetch(e Engine, addr string, page uint64, file string, status int) {
	client, _ := netip.ParseAddr(addr)
	r.Saw(Fetch{Engine: e, Client: client, At: time.Now(), Page: page, File: file, Status: status})
	synctest.Wait()
}

// of returns the report of an engine, nil if there is none.
func (r *rig) of(e Engine) *Report {
	synctest.Wait()
	for _, one := range r.Report(time.Now()) {
		if one.Engine == e {
			return &one
		}
	}
	return nil
}

const real1, real2, fake = "66.249.66.1", "66.249.66.2", "203.0.113.9"

func TestOnlyConfirmedFetchesCount(t *testing.T) {
	for _, tt := range []struct {
		name   string
		engine Engine
		addr   string
		dns    *dns
		day    counts
		counts bool
	}{
		{"confirmed", google, real1, trueBots(), counts{1, 1, 0}, true},
		{"confirmed, mapped to IPv6", google, "::ffff:" + real1, trueBots(), counts{1, 1, 0}, true},
		{"refuted", google, fake, trueBots(), counts{1, 0, 1}, false},
		{"an engine that others are", bing, real1, trueBots(), counts{1, 0, 1}, false},
		{"no answer", google, real1, &dns{hang: map[string]bool{real1: true}}, counts{1, 0, 0}, false},
		{"no address", google, "", trueBots(), counts{1, 0, 0}, false},
		{"a private address", google, "10.0.0.1", trueBots(), counts{1, 0, 0}, false},
		{"this machine", google, "::1", trueBots(), counts{1, 0, 0}, false},
		{"an engine without names in the DNS", duck, fake, trueBots(), counts{1, 0, 0}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, new(memstore.Store), tt.dns)
				r.fetch(tt.engine, tt.addr, 0, "sitemap.xml", 200)
				time.Sleep(lookupPatience)
				got := r.of(tt.engine)
				if got == nil || len(got.Days) != 1 {
					t.Fatalf("the report is %+v, want one day", got)
				}
				if d := got.Days[0]; d.Claimed != int(tt.day.claimed) || d.Confirmed != int(tt.day.confirmed) || d.Refuted != int(tt.day.refuted) {
					t.Errorf("the day is %+v, want %+v", d, tt.day)
				}
				if (len(got.Files) == 1) != tt.counts {
					t.Errorf("the files are %+v, want one: %t", got.Files, tt.counts)
				}
				if r.of((tt.engine+1)%engines) != nil {
					t.Error("there is a report of an engine that nobody claimed to be of")
				}
			})
		})
	}
}

func TestFetchesAreCountedByFileAndDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(memstore.Store), trueBots())
		began := time.Now()
		r.fetch(google, real1, 0, "sitemap.xml", 200)
		r.fetch(google, real1, 0, "sitemap-1.xml", 200)
		time.Sleep(24 * time.Hour)
		r.fetch(google, real2, 0, "sitemap.xml", 304)
		r.fetch(google, fake, 0, "sitemap.xml", 503)
		got := r.of(google)
		later := began.Add(24 * time.Hour).UTC()
		wantFiles := []File{{"sitemap.xml", later, 304}, {"sitemap-1.xml", began.UTC(), 200}}
		wantDays := []Day{{later.Truncate(24 * time.Hour), 2, 1, 1}, {began.UTC().Truncate(24 * time.Hour), 2, 2, 0}}
		if !reflect.DeepEqual(got.Files, wantFiles) || !reflect.DeepEqual(got.Days, wantDays) {
			t.Errorf("%+v\n%+v, want\n%+v\n%+v", got.Files, got.Days, wantFiles, wantDays)
		}
	})
}

func TestPagesAreCountedByTheirLastFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, new(memstore.Store), trueBots())
		want := func(when string, day, week, never int) {
			t.Helper()
			if got := r.of(google); got.Day != day || got.Week != week || got.Never != never {
				t.Errorf("%s: %d in a day, %d in a week, %d never; want %d, %d, %d", when, got.Day, got.Week, got.Never, day, week, never)
			}
		}
		r.fetch(google, real1, 1, "", 0)
		r.fetch(google, real1, 1, "", 0)
		r.fetch(google, real1, 2, "", 0)
		r.fetch(google, real1, 10, "", 0) // not listed
		r.fetch(google, fake, 3, "", 0)
		r.fetch(duck, fake, 4, "", 0)
		want("at first", 2, 2, 7)
		time.Sleep(25 * time.Hour)
		r.fetch(google, real2, 2, "", 0)
		want("a day later", 1, 2, 7)
		time.Sleep(8 * 24 * time.Hour)
		want("a week later", 0, 0, 7)
	})
}

func TestTimeFromChangeToFetch(t *testing.T) {
	type step struct {
		after  time.Duration
		change bool // else Googlebot fetches the page
	}
	for _, tt := range []struct {
		name  string
		steps []step
		delay time.Duration
		n     int
	}{
		{"never", []step{{0, true}}, 0, 0},
		{"a fetch without a change", []step{{0, false}}, 0, 0},
		{"an hour after it", []step{{0, true}, {time.Hour, false}}, time.Hour, 1},
		{"only the first fetch counts", []step{{0, true}, {time.Hour, false}, {time.Hour, false}}, time.Hour, 1},
		{"a fetch before the change does not", []step{{0, false}, {time.Hour, true}, {2 * time.Hour, false}}, 2 * time.Hour, 1},
		{"a fetch that brought the change to light", []step{{0, false}, {5 * time.Second, true}, {time.Hour, false}}, 0, 1},
		{"a fetch before the change was read", []step{{0, true}, {time.Second, false}}, time.Second, 1},
		{"the median of three", []step{{0, true}, {time.Hour, false}, {time.Hour, true}, {5 * time.Hour, false}, {time.Hour, true}, {2 * time.Hour, false}}, 2 * time.Hour, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, new(memstore.Store), trueBots())
				time.Sleep(10 * time.Second)
				for _, s := range tt.steps {
					time.Sleep(s.after)
					if s.change {
						r.mu.Lock()
						r.events = append(r.events, journal.Event{Location: "/1", What: journal.Changed, At: time.Now()})
						r.mu.Unlock()
					} else {
						r.fetch(google, real1, 1, "", 0)
					}
				}
				r.fetch(google, real1, 9, "", 0) // makes a report exist
				time.Sleep(2 * followEvery)
				if got := r.of(google); got.Delay != tt.delay || got.Delays != tt.n {
					t.Errorf("%v of %d changes, want %v of %d", got.Delay, got.Delays, tt.delay, tt.n)
				}
			})
		})
	}
}

// The tracker follows only some pages of a large site.
func TestMemoryOfPagesIsBounded(t *testing.T) {
	p := newPages()
	const all = 5 * maxPages
	for i := range uint64(all) {
		p.fetch(google, i*0x9e3779b97f4a7c15>>20, 1) // as evenly spread as hashes are
	}
	if len(p.of) > maxPages {
		t.Errorf("%d pages are kept, want at most %d", len(p.of), maxPages)
	}
	n := p.fetchedSince(0, func(uint64) bool { return true })[google]
	if off := math.Abs(float64(n)/all - 1); off > 0.05 {
		t.Errorf("%d pages were fetched, and %d are told", all, n)
	}
}

func TestFloodOfClaimsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := trueBots()
		d.hang = map[string]bool{}
		flood := func(i int) string { return fmt.Sprintf("198.18.%d.%d", i/256, i%256) }
		for i := range 3 * maxHeld {
			d.hang[flood(i)] = true
		}
		r := start(t, new(memstore.Store), d)
		r.fetch(google, real1, 1, "", 0) // confirmed before the flood
		for i := range 3 * maxHeld {
			r.Saw(Fetch{Engine: google, Client: netip.MustParseAddr(flood(i)), At: time.Now()})
			if i%maxQueued == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		if r.holding > maxHeld || len(r.held) > maxHeld || r.running > maxLookups {
			t.Errorf("%d fetches of %d clients wait, %d lookups run", r.holding, len(r.held), r.running)
		}
		r.fetch(google, real1, 2, "", 0)
		if got := r.of(google); got.Day != 2 {
			t.Errorf("%d pages were fetched by a crawler that is known, want 2", got.Day)
		}
		time.Sleep(time.Duration(maxHeld/maxLookups+1) * lookupPatience)
		synctest.Wait()
		if r.holding != 0 || len(r.held) != 0 || r.running != 0 || len(r.known) > maxKnown {
			t.Errorf("%d fetches wait, %d lookups run, %d clients are known", r.holding, r.running, len(r.known))
		}
	})
}

// One client that waits for the DNS leaves room for others.
func TestClientThatWaitsLeavesRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := trueBots()
		d.hang = map[string]bool{fake: true}
		r := start(t, new(memstore.Store), d)
		for range maxHeld {
			r.Saw(Fetch{Engine: google, Client: netip.MustParseAddr(fake), At: time.Now()})
		}
		synctest.Wait()
		r.fetch(google, real1, 1, "", 0)
		if got := r.of(google); got.Day != 1 {
			t.Errorf("%d pages were fetched by the crawler, want 1", got.Day)
		}
	})
}

func TestVerdictsAreRememberedAndForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := trueBots()
		r := start(t, new(memstore.Store), d)
		asks := func(when string, addr string, want int64) {
			t.Helper()
			before := d.asked.Load()
			r.fetch(google, addr, 1, "", 0)
			if got := d.asked.Load() - before; got != want {
				t.Errorf("%s: the DNS was asked %d times, want %d", when, got, want)
			}
		}
		asks("first", real1, 2)
		asks("again", real1, 0)
		asks("another address", fake, 1)
		d.fail = map[string]error{real2: errors.New("no route")}
		asks("no answer", real2, 1)
		asks("no answer yet", real2, 0)
		d.fail = nil
		time.Sleep(retryAfter)
		asks("tried again", real2, 2)
		asks("still known", real1, 0)
		time.Sleep(knownFor)
		asks("a day later", real1, 2)
		for i := range 2 * maxKnown {
			r.remember(answer{uint64(i), refuted}, time.Now())
		}
		if len(r.known) > maxKnown {
			t.Errorf("%d clients are known, want at most %d", len(r.known), maxKnown)
		}
	})
}

// The stored record has no address. The next process and other processes can read it.
func TestStoredCountsHaveNoAddressAndAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := new(memstore.Store)
		first, second := start(t, st, trueBots()), start(t, st, trueBots())
		first.fetch(google, real1, 1, "sitemap.xml", 200)
		time.Sleep(time.Second)
		second.fetch(google, real2, 1, "sitemap.xml", 304)
		second.fetch(google, fake, 1, "sitemap.xml", 200)
		time.Sleep(saveEvery + time.Second)
		for name, r := range map[string]*rig{"one": first, "the other": second} {
			if r.of(google) == nil {
				t.Errorf("%s has no report", name)
			}
		}
		first.fetch(google, real1, 0, "sitemap-1.xml", 200)
		first.stop()
		second.stop()
		for r, err := range st.Scan(t.Context(), "", "") {
			if err != nil || strings.Contains(string(r.Value), "66.249") || strings.Contains(string(r.Value), "\x42\xf9\x42") {
				t.Errorf("%s holds %q, %v", r.Key, r.Value, err)
			}
		}
		got := start(t, st, trueBots()).of(google)
		if got == nil || len(got.Days) != 1 || got.Days[0].Claimed != 4 || got.Days[0].Confirmed != 3 || got.Days[0].Refuted != 1 {
			t.Fatalf("the next process reports %+v", got)
		}
		if len(got.Files) != 2 || got.Files[0].Name != "sitemap-1.xml" || got.Files[1].Status != 304 {
			t.Errorf("the files are %+v", got.Files)
		}
		if got.Day != 0 || got.Never != 9 {
			t.Errorf("pages are told that this process knows nothing of: %+v", got)
		}
	})
}

// broken is a store that fails, or hangs, while these are set.
type broken struct {
	store.Store
	fails, hangs atomic.Bool
}

func (b *broken) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if b.hangs.Load() {
		<-ctx.Done()
	}
	if b.fails.Load() || ctx.Err() != nil {
		return store.ErrUnavailable
	}
	return b.Store.Update(ctx, keys, fn)
}

func TestCountsOutliveAStoreThatFails(t *testing.T) {
	for name, trouble := range map[string]func(*broken) *atomic.Bool{
		"fails": func(b *broken) *atomic.Bool { return &b.fails },
		"hangs": func(b *broken) *atomic.Bool { return &b.hangs },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &broken{Store: new(memstore.Store)}
				r := start(t, st, trueBots())
				trouble(st).Store(true)
				r.fetch(google, real1, 0, "sitemap.xml", 200)
				time.Sleep(3 * saveEvery)
				r.fetch(google, real1, 0, "sitemap.xml", 200)
				trouble(st).Store(false)
				time.Sleep(saveEvery)
				r.stop()
				if got := start(t, st, trueBots()).of(google); got == nil || len(got.Days) != 1 || got.Days[0].Confirmed != 2 {
					t.Errorf("the next process reports %+v", got)
				}
			})
		})
	}
}

func TestFlushStoresWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &broken{Store: new(memstore.Store)}
		r := start(t, st, trueBots())
		for range maxQueued {
			r.Saw(Fetch{Engine: duck, At: time.Now()})
		}
		if err := r.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		other := start(t, st, trueBots())
		if err := other.Flush(t.Context()); err != nil || other.of(duck) == nil || other.of(duck).Days[0].Claimed != maxQueued {
			t.Errorf("another process reports %+v, %v", other.of(duck), err)
		}
		r.fetch(duck, "", 0, "", 0)
		st.fails.Store(true)
		if err := r.Flush(t.Context()); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("flushing into a store that fails: %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Flush(ended); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("flushing for nobody: %v", err)
		}
		r.stop()
		if err := r.Flush(t.Context()); err != nil {
			t.Errorf("flushing after the end: %v", err)
		}
	})
}

func TestAccountIsBounded(t *testing.T) {
	a := newAccount()
	for i := range 2 * maxFiles {
		a.fetch(fmt.Sprintf("%s-%d.xml", strings.Repeat("n", 64), i), fetched{moment.Time(1_800_000_000_000 + i), 200})
		a.count(int64(20_000+i), counts{math.MaxUint32, math.MaxUint32, math.MaxUint32})
	}
	if n := len(a.encode()); n > store.MaxValue {
		t.Errorf("the record has %d bytes, and a value may have %d", n, store.MaxValue)
	}
	days, files := a.report()
	if len(days) != maxDays || len(files) != maxFiles || files[0].At.Before(files[1].At) || days[0].Start.Before(days[1].Start) {
		t.Errorf("%d days and %d files, from %v and %v on", len(days), len(files), days[0], files[0])
	}
	again := readAccount(a.encode())
	if !reflect.DeepEqual(again, a) {
		t.Error("it is read as another account than was written")
	}
}

// Keys of engines are distinct, and stores take them.
func TestKeysOfEnginesAreDistinctAndValid(t *testing.T) {
	var names []string
	for i := range engines {
		names = append(names, keys.Keys("https://example.com|").Crawler(table[i].name))
	}
	if err := store.CheckKeys(names); err != nil {
		t.Error(err)
	}
}

func FuzzReadAccount(f *testing.F) {
	a := newAccount()
	a.count(20_000, counts{3, 2, 1})
	a.fetch("sitemap.xml", fetched{1_800_000_000_000, 200})
	f.Add(recordtest.FieldsOf(a.encode()))
	f.Fuzz(func(t *testing.T, fields []byte) {
		a := readAccount(recordtest.Sealed(fields))
		if again := readAccount(a.encode()); !reflect.DeepEqual(again.days, a.days) || !reflect.DeepEqual(again.files, a.files) {
			t.Errorf("%+v is read again as %+v", a, again)
		}
		a.report()
	})
}

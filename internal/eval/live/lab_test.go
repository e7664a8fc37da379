package live

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

var (
	looks = flag.Bool("looks", true, "the site looks at its own pages")
	held  = flag.Bool("held", false, "print each kind that is held back, too")
)

// kind is something that happens to a page.
type kind struct {
	class, name   string // class is edit, noise, furniture or deploy
	place         string
	before, after string // the text before and after the moment
	held          bool
}

// kinds reads the kinds of some classes.
func kinds(t *testing.T, classes ...string) (all []kind) {
	for _, file := range []string{"kinds.txt", "held.txt"} {
		text, err := os.ReadFile("testdata/" + file)
		base.Check(t, err)
		for line := range strings.Lines(string(text)) {
			f := strings.Split(line, "|")
			for i := range f {
				f[i] = strings.TrimSpace(f[i])
			}
			if slices.Contains(classes, f[0]) {
				all = append(all, kind{f[0], f[1], f[2], f[3], f[len(f)-1], file == "held.txt"})
			}
		}
	}
	return all
}

// day is one of virtual time.
const day = 24 * time.Hour

// agents and languages are what visitors send.
var (
	agents    = []string{"Mozilla/5.0 (X11; Linux x86_64) Firefox/147.0", "Mozilla/5.0 (iPhone) Mobile/15E148", "Lynx/2.9"}
	languages = []string{"en", "en-GB,en;q=0.9", "de-DE,de;q=0.9", "fr"}
)

// live lets people visit a site until an end, and calls each every three hours.
func (g *grove) live(s *testkit.Site, days int, each func()) {
	random := rand.New(rand.NewPCG(g.seed, 1))
	next := make([]time.Time, len(g.pages))
	later := func(i int) { // some pages have one visit a day, and some ten
		gap := float64(day) / math.Pow(10, float64(kit.Hash(g.pages[i].path)%100)/100)
		next[i] = time.Now().Add(time.Duration(random.ExpFloat64() * gap))
		if g.pages[i].kind.class == "news" {
			next[i] = time.Now().Add(time.Hour)
		}
	}
	for i := range next {
		later(i)
	}
	for look, end := time.Now(), time.Now().Add(time.Duration(days)*day); ; {
		i := 0
		for k := range next {
			if next[k].Before(next[i]) {
				i = k
			}
		}
		for ; look.Before(next[i]) && look.Before(end); look = look.Add(3 * time.Hour) {
			time.Sleep(time.Until(look))
			each()
		}
		if !next[i].Before(end) {
			time.Sleep(time.Until(end))
			each()
			return
		}
		time.Sleep(time.Until(next[i]))
		p := g.pages[i]
		if p.kind.class == "news" && len(p.visits) > 48 {
			at, _ := time.Parse(time.RFC3339, s.LastMods()[p.path])
			p.looks++
			p.right += kit.One(!at.Before(p.visits[len(p.visits)-1].Truncate(time.Second)))
		}
		p.visits = append(p.visits, time.Now())
		agent, language := agents[random.IntN(len(agents))], languages[random.IntN(len(languages))]
		s.From(fmt.Sprintf("5.5.%d.5", random.IntN(40)), p.path, "User-Agent", agent, "Accept-Language", language)
		later(i)
	}
}

// start starts the site in a bubble of virtual time, some time in 2026.
func (g *grove) start(t *testing.T, run func(*testkit.Site)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 1, int(g.seed%300), 8, 0, 0, 0, time.UTC)))
		opts := servemap.Options{}
		for _, p := range g.pages {
			if p.kind.class == "news" {
				opts.Entries = append(opts.Entries, p.path)
			}
		}
		if !*looks {
			opts.Limits.Looks = -1
		}
		run(testkit.Start(t, testkit.Setup{Handler: http.Handler(g), Options: opts}))
	})
}

// publish notes what dates the sitemap has now.
func (g *grove) publish(s *testkit.Site) {
	dates := s.LastMods()
	for _, p := range g.pages {
		at, err := time.Parse(time.RFC3339, dates[p.path])
		if err == nil && !slices.ContainsFunc(p.dates, at.Equal) {
			p.dates = append(p.dates, at)
		}
	}
}

// score says whether the edit of the page was dated, and counts its other dates.
func (p *page) score() (exact bool, wrong int) {
	until := time.Time{}
	for _, v := range p.visits {
		if until = v.Add(time.Minute); !v.Before(p.moment) {
			break
		}
	}
	for _, d := range p.dates {
		if p.kind.class == "edit" && !d.Before(p.moment.Truncate(time.Second)) && !d.After(until) {
			exact = true
		} else {
			wrong++
		}
	}
	return exact, wrong
}

// life is what came out of some sites.
type life struct {
	sites                int
	tried, exact, wrong  map[string]int // by class and name
	edits, right, falses [2]int         // of kinds in view, and held back
}

func newLife() life {
	return life{tried: map[string]int{}, exact: map[string]int{}, wrong: map[string]int{}}
}

// add counts what became of a site.
func (l *life) add(g *grove) {
	l.sites++
	for _, p := range g.pages {
		exact, wrong := p.score()
		name := p.kind.class + " " + p.kind.name
		h := kit.One(p.kind.held)
		l.tried[name]++
		l.exact[name] += kit.One(exact)
		l.wrong[name] += wrong
		l.edits[h] += kit.One(p.kind.class == "edit")
		l.right[h] += kit.One(exact)
		l.falses[h] += wrong
	}
}

// print writes the sums.
func (l *life) print(w io.Writer, title string) {
	share := func(part, of [2]int) []any {
		return []any{kit.Share(part[0], of[0]), kit.Share(part[1], of[1]), kit.Share(part[0]+part[1], of[0]+of[1])}
	}
	exact, wrong := share(l.right, l.edits), share(l.falses, [2]int{l.sites, l.sites})
	wrong[2] = kit.Share(l.falses[0]+l.falses[1], l.sites)
	fmt.Fprintf(w, "%-24s edits exact, in view %.2f, held back %.2f, all %.2f;", append([]any{title}, exact...)...)
	fmt.Fprintf(w, " false dates a site %.1f, held back %.1f, all %.1f\n", wrong...)
}

// lived lets a site of some kinds live for 34 days.
func lived(t *testing.T, layout, noise string, seed uint64, of []kind) *grove {
	for range 10 {
		of = append(of, kind{class: "plain", name: "page that never changes"})
	}
	g := newGrove(layout, seed, of)
	if noise == "noisy" {
		g.furniture = kinds(t, "furniture")
	}
	g.start(t, func(s *testkit.Site) {
		random := rand.New(rand.NewPCG(g.seed, 2))
		for _, p := range g.pages {
			p.moment = time.Now().Add(8*day + time.Duration(random.Int64N(int64(18*day))))
		}
		g.live(s, 34, func() { g.publish(s) })
	})
	return g
}

// deployed says how many pages of a site a deploy dates.
func deployed(t *testing.T, layout string, seed uint64, deploy kind) (n int) {
	g := newGrove(layout, seed, make([]kind, 72-1-sections))
	g.start(t, func(s *testkit.Site) {
		g.live(s, 10, func() {})
		before := s.LastMods()
		g.furniture = []kind{{place: deploy.place, before: deploy.after}}
		g.live(s, 4, func() {})
		after := s.LastMods()
		for _, p := range g.pages {
			n += kit.One(before[p.path] != after[p.path])
		}
		if len(after) != len(g.pages) {
			t.Errorf("%d of %d pages are listed", len(after), len(g.pages))
		}
	})
	return n
}

// printKinds writes what became of each kind.
func (l *life) printKinds(t *testing.T, w io.Writer) {
	of := map[string]bool{}
	for _, k := range kinds(t, "edit", "noise") {
		of[k.class+" "+k.name] = k.held
	}
	for _, name := range slices.Sorted(maps.Keys(l.tried)) {
		if of[name] && !*held {
			continue
		}
		if is := strings.HasPrefix(name, "edit "); is {
			fmt.Fprintf(w, "  %-40s exact %2d of %2d, false %d\n", name, l.exact[name], l.tried[name], l.wrong[name])
		} else {
			fmt.Fprintf(w, "  %-40s false %d\n", name, l.wrong[name])
		}
	}
}

// TestLab measures, if -v asks for it. It prints, and judges nothing.
func TestLab(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("it prints tables, with -v")
	}
	base.FixRandom(t)
	sum := newLife()
	for _, layout := range []string{"shop", "docs"} {
		for _, noise := range []string{"calm", "noisy"} {
			for seed := range uint64(3) {
				t.Run(fmt.Sprintf("life/%s/%s/%d", layout, noise, seed+1), func(t *testing.T) {
					g, one := lived(t, layout, noise, seed+1, kinds(t, "edit", "noise")), newLife()
					one.add(g)
					sum.add(g)
					one.print(os.Stdout, strings.TrimPrefix(t.Name(), "TestLab/"))
				})
			}
		}
	}
	if sum.sites > 0 {
		sum.print(os.Stdout, "all")
		sum.printKinds(t, os.Stdout)
	}
	t.Run("news", func(t *testing.T) {
		for _, layout := range []string{"shop", "docs"} {
			for _, p := range lived(t, layout, "calm", 1, kinds(t, "news")).pages {
				if p.looks > 0 {
					fmt.Printf("news: %-34s %-5s right at %.2f of %d visits\n", p.kind.name, layout, kit.Share(p.right, p.looks), p.looks)
				}
			}
		}
	})
	for _, d := range kinds(t, "deploy") {
		t.Run("deploys/"+d.name, func(t *testing.T) {
			fmt.Printf("%-40s dates of 72 pages:", "deploy: "+d.name+map[bool]string{true: " (held back)"}[d.held])
			for _, layout := range []string{"shop", "docs"} {
				fmt.Printf("  %s %2d", layout, deployed(t, layout, 1, d))
			}
			fmt.Println()
		})
	}
}

// The rest is a measurement. These hold.
func TestSomeKindsHold(t *testing.T) {
	base.OneByOne(t)
	base.FixRandom(t)
	hold := strings.Split("paragraph added/paragraph reworded/all of it/comment/price with a sign/clock/view count/ad, always new/csrf token", "/")
	some := slices.DeleteFunc(kinds(t, "edit", "noise"), func(k kind) bool { return !slices.Contains(hold, k.name) })
	l := newLife()
	l.add(lived(t, "docs", "noisy", 1, some))
	if l.edits[0] != 5 || l.right[0] != 5 || l.falses[0] != 0 {
		t.Errorf("of %d edits %d are exact, want 5; %d dates are false: %v", l.edits[0], l.right[0], l.falses[0], l.wrong)
	}
	if n := deployed(t, "shop", 1, kind{place: "signs"}); n != 0 {
		t.Errorf("a deploy dates %d pages", n)
	}
}

package live

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
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
	only  = flag.String("only", "", "a pattern of names: leave other kinds out")
	held  = flag.Bool("held", false, "print each kind that is held back, too")
)

// kind is something that happens to a page.
type kind struct {
	class, name   string // class is edit, noise, furniture or deploy
	place         string
	before, after string // the text before and after the moment
	between       string // the text in the week before the moment, "" for the one before
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
			if named, err := regexp.MatchString(*only, f[min(1, len(f)-1)]); err == nil && named &&
				slices.Contains(classes, f[0]) {
				k := kind{class: f[0], name: f[1], place: f[2], before: f[3], after: f[len(f)-1], held: file == "held.txt"}
				if len(f) > 5 {
					k.between = f[4]
				}
				all = append(all, k)
			}
		}
	}
	return all
}

// plain is what happens to pages that never change, and to those that list the others.
var plain = kind{class: "plain", name: "no change at all"}

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
			p.near += kit.One(!at.Before(p.visits[len(p.visits)-2].Truncate(time.Second)))
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
	for _, d := range p.dates {
		switch {
		case p.kind.class == "edit" && p.shows(d, p.moment):
			exact = true
		case p.kind.between == "" || !p.shows(d, p.moment.Add(-7*day)):
			wrong++
		}
	}
	return exact, wrong
}

// shows reports whether a date lies between a moment and the first visit after it.
func (p *page) shows(date, moment time.Time) bool {
	until := time.Time{}
	for _, v := range p.visits {
		if until = v.Add(time.Minute); !v.Before(moment) {
			break
		}
	}
	return !date.Before(moment.Truncate(time.Second)) && !date.After(until)
}

// life is what came out of some sites: for each kind the pages, those with an exact date, and the false dates.
type life map[kind]*[3]int

func (l life) add(g *grove) {
	for _, p := range g.pages {
		exact, wrong := p.score()
		if l[p.kind] == nil {
			l[p.kind] = new([3]int)
		}
		for i, n := range [...]int{1, kit.One(exact), wrong} {
			l[p.kind][i] += n
		}
	}
}

// sums are the share of edits with an exact date and the false dates, of kinds in view, held back and all.
func (l life) sums() (exact [3]float64, wrong [3]int) {
	for h := range 3 {
		var edits [3]int
		for k, n := range l {
			if h < 2 && h != kit.One(k.held) {
				continue
			}
			if wrong[h] += n[2]; k.class == "edit" {
				edits[0], edits[1] = edits[0]+n[0], edits[1]+n[1]
			}
		}
		exact[h] = kit.Share(edits[1], edits[0])
	}
	return exact, wrong
}

// lived lets a site of some kinds live for 34 days.
func lived(t *testing.T, layout, noise string, seed uint64, of []kind) *grove {
	for range 10 {
		of = append(of, plain)
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
	if deploy.before != deploy.after {
		g.furniture = []kind{{place: deploy.place, before: deploy.before}}
	}
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

// TestLab measures, if -v asks for it. It prints, and judges nothing.
func TestLab(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("it prints tables, with -v")
	}
	base.FixRandom(t)
	sum := life{}
	for n := range 12 {
		layout, noise, seed := []string{"shop", "docs"}[n/6], []string{"calm", "noisy"}[n/3%2], n%3+1
		t.Run(fmt.Sprintf("life/%s/%s/%d", layout, noise, seed), func(t *testing.T) {
			g, one := lived(t, layout, noise, uint64(seed), kinds(t, "edit", "noise")), life{}
			one.add(g)
			sum.add(g)
			exact, wrong := one.sums()
			fmt.Printf("%s: exact %.2f, false %d (in view, held back, all)\n", t.Name(), exact, wrong)
		})
	}
	exact, wrong := sum.sums()
	fmt.Printf("all sites: exact %.3f, false %d (in view, held back, all)\n", exact, wrong)
	for _, k := range append(kinds(t, "edit", "noise"), plain) {
		if n := sum[k]; n != nil && (*held || !k.held) {
			fmt.Printf("  %-5s %-28s exact %2d of %2d, false %d\n", k.class, k.name, n[1], n[0], n[2])
		}
	}
	t.Run("news", func(t *testing.T) {
		for _, layout := range []string{"shop", "docs"} {
			for _, p := range lived(t, layout, "calm", 1, kinds(t, "news")).pages {
				if p.looks > 0 {
					fmt.Printf("news: %-34s %-5s right at %.2f of %d visits, right or a visit late at %.2f\n", p.kind.name, layout,
						kit.Share(p.right, p.looks), p.looks, kit.Share(p.near, p.looks))
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
	hold := strings.Split("paragraph added/paragraph reworded/all of it/comment/price with a sign/clock/view count/ad, "+
		"always new/csrf token", "/")
	some := slices.DeleteFunc(kinds(t, "edit", "noise"), func(k kind) bool { return !slices.Contains(hold, k.name) })
	l := life{}
	l.add(lived(t, "docs", "noisy", 1, some))
	if exact, wrong := l.sums(); exact[2] != 1 || wrong[2] != 0 || len(l) != len(hold)+1 {
		t.Errorf("of %d kinds %.2f of the edits are exact, and %d dates are false", len(l), exact, wrong)
	}
	if n := deployed(t, "shop", 1, kind{place: "signs"}); n != 0 {
		t.Errorf("a deploy dates %d pages", n)
	}
}

package laws

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// Some fronts keep an exploration waiting for minutes.
var patience = flag.Duration("patience", 2*time.Second, "the real time that Explore gets behind a front")

// makers make a case of a subject and a kind.
var makers = map[string]func(subject, kind string) trial{
	"removal": func(line, kind string) trial {
		t := newTrait(line)
		return trial{parts: []part{when(answer(kind), t.shown)}, attack: t.everywhere}
	},
	"cookies": cookies,
	"robots":  robots,
	"dates": func(line, kind string) trial {
		line, vary, _ := strings.Cut(line, ", ")
		t := newTrait(line)
		return trial{parts: []part{when(answer(kind, vary), t.shown)}, attack: t.everywhere, count: lost}
	},
	"listing/echo": echo,
	"listing/posts": func(number, rel string) trial { // they lead to pages that are asked for, too
		rel, same, _ := strings.Cut(rel, ",")
		n, made := atoi(number), named("/made/silver-%s-%s")
		c := madeUp(gets(both, made...), home(strings.TrimPrefix(rel, "follow"), made[:n]...))
		if same != "" { // as errors with status 200 are
			c.parts = slices.Insert(c.parts, 0, when(answer("challenge"), on("/made/*")))
		}
		return c
	},
	"listing/secret": func(path, to string) trial { return leads(path, to, home("", path)) },
	"listing/entry": func(path, to string) trial {
		return leads(path, to, when(answer("302", "Location: "+path), begun, on("/")))
	},
	"listing/session": session,
	"owners/changed": func(number, kind string) trial {
		c := trial{parts: itself(number, when(answer(kind), begun, on(trees[:atoi(number)]...))), often: true}
		if kind == "edit" {
			c.count = lost
		}
		return c
	},
	"owners/three hours: lost or dated": func(_, kind string) trial {
		short := func(w *world, _ *http.Request) bool { return time.Since(w.began) < 3*time.Hour }
		return trial{parts: []part{when(answer(kind), begun, short)}, often: true, count: lost}
	},
	"owners/renamed": renamed,
	"owners/new site": func(line, _ string) trial {
		t := newTrait(line)
		return trial{cold: true, often: true, visitors: func(w *world) { w.visit(nil, t.name, t.value) }}
	},
	"owners/itself": func(subject, kind string) trial {
		lynx := newTrait("User-Agent: Lynx/2.8")
		c := trial{parts: []part{when(answer(kind), own), when(answer("noindex"), lynx.shown)}, often: true}
		if subject != "gets" {
			c.attack = lynx.everywhere
		}
		return c
	},
	"owners/published": func(number, cookie string) trial {
		fresh := named("/page/new-%s-%s")[:atoi(number)]
		return trial{parts: itself(number, when(answer(""), begun, on(fresh...)), home("", fresh...)), often: true,
			visitors: func(w *world) {
				w.visit(fresh, map[bool][]string{true: {"Cookie", "grove=8f14e45fceea167a"}}[begun(w, nil) &&
					cookie == "unknown-cookie"]...)
			}}
	},
	"fronts": front,
}

func atoi(s string) int {
	s, _, _ = strings.Cut(s, ",")
	n, _ := strconv.Atoi(s)
	return n
}

// itself adds what the site itself gets, if a subject ends with that.
func itself(subject string, parts ...part) []part {
	if _, kind, is := strings.Cut(subject, ", itself "); is {
		return slices.Insert(parts, 0, when(answer(kind), own))
	}
	return parts
}

func cookies(cookie, kind string) trial {
	kind, percent, some := strings.Cut(kind, ",")
	chance := rand.New(rand.NewPCG(1, 2))
	visitors := func(w *world) {
		for i, p := range w.pages {
			var lines []string
			if chance.IntN(100) < atoi(percent) {
				lines = []string{"Cookie", cookie}
			}
			w.From(crowd[(i+chance.IntN(8))%8], p, lines...)
		}
	}
	has := func(_ *world, r *http.Request) bool { return !some || r.Header.Get("Cookie") != "" }
	return trial{parts: []part{when(answer(kind), has)}, cold: true, often: true, visitors: visitors}
}

func robots(line, kind string) trial {
	t, file, others := newTrait(line), on("/robots.txt"), map[string]string{"allow": "disallow", "disallow": "allow"}[kind]
	c := trial{parts: []part{when(answer(kind), file, begun, t.shown), when(answer(others), file)},
		visitors: func(w *world) {
			w.From(crowd[w.rounds%8], "/robots.txt")
			w.visit(nil)
		}}
	if line != "everybody" {
		c.attack = func(w *world) {
			for i := range 4 {
				w.settle(func(w *world) { t.ask(w, both[i%2], "/robots.txt") })
				time.Sleep(time.Minute)
			}
			w.visit(nil)
		}
	}
	return c
}

// madeUp is a case of a small site, any of whose addresses below /made/ has a page.
func madeUp(attack func(*world), parts ...part) trial {
	return trial{pages: append([]string{"/"}, trees[:11]...), attack: attack, count: strange,
		parts: append(parts, when(answer(""), on("/made/*")))}
}

// gets lets clients get the home page and others.
func gets(who []string, paths ...string) func(*world) {
	return func(w *world) {
		for _, addr := range who {
			for _, p := range append([]string{"/"}, paths...) {
				w.From(addr, p)
			}
			w.Settle()
		}
	}
}

// leads is a case of a home page that leads some clients to a path.
func leads(path, to string, homePage part) trial {
	switch to {
	case "one":
		return madeUp(gets(both[:1], path), when(homePage, from(mallory)))
	case "two":
		return madeUp(gets(both, path), when(homePage, from(both...)))
	case "explore":
		return madeUp(explores, homePage)
	}
	return madeUp(gets(both, path), homePage)
}

// explores lets the site explore itself.
func explores(w *world) {
	if _, err := w.Explore(w.Context(), &servemap.ExploreOptions{Inside: w}); err != nil {
		w.Error(err)
	}
}

// echo is a home page that links to what a request says, forwards or backwards.
func echo(where, way string) trial {
	spelled := func(s string) string {
		b := []byte(s)
		if way == "backwards" {
			slices.Reverse(b)
		}
		return string(b)
	}
	before := map[string]string{"Referer": "https://news.example/", "query": "utm_campaign=", "User-Agent": "Lynx/",
		"Cookie": "_ga=", "Accept": "text/"}[where]
	word := cmp.Or(map[string]string{"CF-IPCountry": "4711"}[where], "purple-lantern")
	t := trait{where, before + spelled(word)}
	return madeUp(func(w *world) {
		for _, who := range both {
			t.ask(w, who, "/")
			w.settle(func(w *world) { w.From(who, "/made/"+word) })
		}
	}, func(w *world, rw http.ResponseWriter, r *http.Request) bool {
		said, is := strings.CutPrefix(r.URL.RawQuery+r.Header.Get(where), before)
		return is && said != "" && home("", "/made/"+spelled(said))(w, rw, r)
	})
}

var (
	inPath = regexp.MustCompile(`^/(\(S\(\w{24}\)\)|(PHPSESSID/|sid-)\w{24})|;jsessionid=\w{24}$`)
	token  = regexp.MustCompile(`\w{24}`)
)

// session is a site that keeps the session in the path of each page. Who has none gets one, by a link or a redirect:
// each address its own, and the site itself another one each time, unless that is stable too.
func session(form, way string) trial {
	way, explored, _ := strings.Cut(way, ",")
	var requests atomic.Int64
	of := func(client string) string {
		sum := sha256.Sum256([]byte(client))
		return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:24]
	}
	c := madeUp(func(w *world) {
		for _, who := range slices.Concat(both, crowd) {
			w.From(who, "/")
			for _, p := range w.pages[:6] {
				w.From(who, fmt.Sprintf(form, of(who+":4711"), p))
			}
		}
	}, func(w *world, rw http.ResponseWriter, r *http.Request) bool {
		has, path, links := inPath.FindString(r.URL.Path), inPath.ReplaceAllString(r.URL.Path, ""), ""
		id := cmp.Or(token.FindString(has), of(r.RemoteAddr))
		if own(w, r) && has == "" && explored != "explore-stable" {
			id = of(fmt.Sprint(requests.Add(1)))
		}
		switch {
		case !slices.Contains(w.pages, path):
			return false
		case has == "" && (way == "redirects" || path != "/"):
			return answer("302", "Location: "+fmt.Sprintf(form, id, path))(w, rw, r)
		}
		for _, p := range w.pages {
			links += anchors("", fmt.Sprintf(form, id, p))
		}
		return write(rw, http.StatusOK, page(path, "", links))
	})
	if c.cold = true; explored != "" {
		c.attack = explores
	}
	return c
}

// renamed moves all pages to /tree/. The old names get an answer, and visitors ask for both.
func renamed(which, kind string) trial {
	now := named("/tree/%s-%s")
	parts := []part{
		when(func(_ *world, rw http.ResponseWriter, _ *http.Request) bool {
			return write(rw, http.StatusOK, page("/", "", anchors("", now...)))
		}, begun, on("/")),
		when(answer(kind), begun, on("/page/*")), when(answer(""), begun, on("/tree/*")),
	}
	c := trial{parts: parts, often: true, visitors: func(w *world) { w.visit(now) }, count: strange}
	if which == "old names" {
		c.count = func(w *world, listed map[string]string) int { return len(listed) - strange(w, listed) }
	}
	return c
}

// front is something before the program that lets staff into a folder, by their address, and nobody else. Explore and
// staff take turns in real time, as the origin is a real server. A day later, in virtual time, the site was restarted,
// and has not explored yet when staff visit.
func front(kind, how string) trial {
	const staff = "8.8.8.8"
	inside := &world{trial: trial{pages: []string{"/", trees[0], trees[1], "/team/salaries", "/team/plans-for-spring"}}}
	return trial{tried: func(t *testing.T) (counts []int) {
		var outside http.Handler
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter,
			r *http.Request) {
			outside.ServeHTTP(rw, r)
		}))
		defer server.Close()
		st := new(memstore.Store)
		open := func() *servemap.Site {
			site, err := servemap.New(server.URL, st, &servemap.Options{Logger: new(base.Log).Logger()})
			base.Check(t, err)
			program := site.Wrap(http.HandlerFunc(inside.program))
			outside = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				switch rec := httptest.NewRecorder(); {
				case from(staff)(inside, r) || !on("/team/*")(inside, r):
					program.ServeHTTP(rw, r)
				case how == "added":
					program.ServeHTTP(rec, r)
					write(rw, rec.Code, rec.Body.String(), lines[kind])
				default:
					answer(kind)(inside, rw, r)
				}
			})
			return site
		}
		// count counts what is listed of the folder, after staff got some paths.
		count := func(site *servemap.Site, paths ...string) (n int) {
			for _, path := range paths {
				r := httptest.NewRequest(http.MethodGet, server.URL+path, nil)
				r.RequestURI, r.RemoteAddr = path, staff+":4711"
				outside.ServeHTTP(httptest.NewRecorder(), r)
			}
			base.Check(t, site.Flush(context.Background()))
			for p, err := range site.Pages(context.Background()) {
				base.Check(t, err)
				n += strings.Count(p.URL, "/team/")
			}
			return n
		}
		site := open()
		if strings.HasSuffix(how, "staff-first") {
			count(site, inside.pages...)
		}
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), *patience)
			if done, err := site.Explore(ctx, nil); done.Requests == 0 {
				t.Errorf("exploring: %v", err)
			}
			cancel()
			counts = append(counts, count(site), count(site, inside.pages...))
		}
		base.Check(t, site.Close(t.Context()))
		server.Close()
		later := time.Now().Add(26 * time.Hour).Round(0) // without what the real clock reads
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(later))
			site := open()
			count(site, inside.pages...)
			time.Sleep(time.Hour)
			counts = append(counts, count(site, inside.pages...))
			base.Check(t, site.Close(t.Context()))
		})
		return counts
	}}
}

// Package leak_test shows a site with a database everything that is private on the web. Then it
// looks for it in everything the site left behind.
package leak_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// ways are the ways to reach a site: each router and each protocol once. What depends on how many networks
// see a page does not depend on the way, so the second one has fewer of them.
var ways = []setup{
	{router: "ServeMux", proto: "HTTP/1.1"},
	{router: "mux", proto: "HTTP/2.0", rounds: roundsShort},
}

// TestSecretsOfTheCorpusAreNotListed shows each scenario of the corpus to a site, again and again, to as
// many networks.
func TestSecretsOfTheCorpusAreNotListed(t *testing.T) {
	ways, rows := ways, corpus()
	if testing.Short() { // the race detector has nothing to find in more
		ways, rows = ways[1:], rows[:len(rows)/4]
	}
	for _, way := range ways {
		t.Run(way.router+", "+way.proto, func(t *testing.T) {
			s := newScene(t, way, rows)
			s.visitAll()
			for _, r := range s.rows {
				t.Run(r.name, func(t *testing.T) { s.checkAll(t, r) })
			}
			s.report(t, s.leaks())
		})
	}
}

// A scene is a world with the pages of some rows.
type scene struct {
	*world
	rows    []*row
	pages   []*page
	home    []string          // what the home page links to
	listing map[string]string // the sitemap in the end
	private *finder           // what must be found nowhere, once it was needed
	brief   bool              // nobody follows the links of private pages
}

func newScene(t testing.TB, s setup, rows []*row) *scene {
	t.Helper()
	sc := &scene{rows: rows}
	s.templates = []string{"/{$}", "/boards/{name}", "/robots.txt"}
	s.pages = testkit.Paths{}
	for i, r := range rows {
		sc.add(&s, r, fmt.Sprintf("/boards/%d", i))
	}
	s.pages["/"] = testkit.Page("home", sc.home...)
	s.pages["/robots.txt"] = func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/plain")
		fmt.Fprintln(rw, "User-agent: *\nDisallow: /backstage/")
	}
	sc.world = open(t, s)
	return sc
}

// add makes the pages of a row, and the pages around them.
func (s *scene) add(to *setup, r *row, board string) {
	first := len(s.pages)
	r.path = cmp.Or(r.path, pathOf(r.route))
	for _, c := range r.canaries {
		p := r.page(c)
		s.pages = append(s.pages, p)
		to.pages[decoded(p.target)] = p.handler(s)
		if route := withCanary(r.route, c); route != "" && !slices.Contains(to.templates, route) {
			to.templates = append(to.templates, route)
		}
		if r.linked {
			s.home = append(s.home, p.target)
		}
		if r.personal {
			p.board = board
		}
	}
	if r.personal {
		to.pages[board] = boardPage(s, s.pages[first:])
		s.home = append(s.home, board)
	}
}

// decoded returns the path of a target as a handler sees it.
func decoded(target string) string {
	path, _, _ := strings.Cut(target, "?")
	path, err := url.PathUnescape(path)
	if err != nil {
		panic(err)
	}
	return path
}

// visitAll makes all visitors come. The first visits the private pages before anything is public.
// Each visits all pages.
func (s *scene) visitAll() {
	s.Helper()
	s.firstObservations()
	for n := range s.setup.rounds {
		s.round.Store(int64(n))
		s.restart()
		s.visit(n, "/robots.txt")
		s.settle()
		s.visit(n, "/")
		s.settle()
		s.getAll(n, func(*page) bool { return true })
	}
	s.listing = s.LastMods()
}

// roomFor is how many responses usually fit into the queue before they are read.
const roomFor = 200

// getAll makes the n-th visitor get pages in random order, no faster than they are learned.
func (s *scene) getAll(n int, wanted func(*page) bool) {
	pages := slices.Clone(s.pages)
	rand.New(rand.NewPCG(uint64(n), 0)).Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	for some := range slices.Chunk(pages, roomFor) {
		s.untilLearned(func() {
			eightAtATime(len(some), func(i int) {
				if wanted(some[i]) {
					s.get(some[i], n)
				}
			})
		})
	}
}

// get makes the n-th visitor get a page, the page that leads to it, and the page that it leads to.
func (s *scene) get(p *page, n int) {
	if p.board != "" && p.canary == p.canaries[n] {
		s.visit(n, p.board)
	}
	p.get(s.world, n)
	if p.private && !s.brief {
		s.visit(n, after(p.canary))
	}
}

// firstObservations shows the pages that must not be listed to a site that lists nothing yet, and keeps
// what the site says about itself.
func (s *scene) firstObservations() {
	s.visit(0, "/robots.txt")
	s.settle()
	s.getAll(0, func(p *page) bool { return p.private })
	for _, file := range []string{"/sitemap.xml", "/sitemap-1.xml"} {
		code, body := s.do(s.client, s.request(0, http.MethodGet, file, nil))
		if code == http.StatusOK || len(body) == 0 {
			s.Errorf("%s before anything is public: status %d, %q", file, code, body)
		}
		s.before = append(s.before, body...)
	}
}

// checkAll compares what became of a row's pages with what the row wants.
func (s *scene) checkAll(t *testing.T, r *row) {
	for _, p := range s.pages {
		if p.row != r {
			continue
		}
		base.Equal(t, s.check(p), "", "%s", p.location)
	}
}

// refusal returns the name of the reason why an address can be no page, by its text in the error.
func refusal(err error) string {
	for why := eligibility.AddressHost; int(why) < eligibility.Reasons; why++ {
		if strings.Contains(err.Error(), ": "+messages.ReasonNamed(why.String()).Why+".") {
			return why.String()
		}
	}
	return ""
}

// check returns what is wrong with what became of a page, or "".
func (s *scene) check(p *page) string {
	e, err := s.Explain(s.Context(), p.location)
	verdict, reason := string(e.Verdict), string(e.Reason)
	if err != nil {
		verdict, reason = "refused", refusal(err)
	}
	_, listed := s.listing[p.location]
	switch told := s.mentionedBy(p, fmt.Appendf(nil, "%+v", e)); {
	case !p.allows(verdict, reason):
		return fmt.Sprintf("%s because of %q, %v; want %s. It has %v",
			verdict, reason, err, p.want, e.Evidence)
	case err != nil:
		return ""
	case !strings.Contains(e.Text, p.says):
		return fmt.Sprintf("it is explained by %q, want %q in it", e.Text, p.says)
	case listed != p.public():
		return fmt.Sprintf("in the sitemap: %v", listed)
	case p.got() && e.Status != http.StatusOK:
		return "no visitor was seen to get it, so the test has not shown what it says"
	case len(told) > 0:
		return fmt.Sprintf("its explanation tells of %v", told)
	}
	return ""
}

// got reports whether the page is kept out although visitors get it.
func (p *page) got() bool {
	return p.visit == nil && (strings.Contains(p.want, "held") || strings.Contains(p.want, "no-evidence"))
}

// mentionedBy returns the private pages that the explanation of p mentions.
func (s *scene) mentionedBy(p *page, text []byte) (told []string) {
	for _, found := range s.secrets().find(text) {
		if found.of != p.canary && !strings.Contains(p.location, found.of) {
			told = append(told, found.of)
		}
	}
	return told
}

func oneOf(s, list string) bool { return slices.Contains(strings.Split(list, "|"), s) }

// secrets returns what must be found nowhere. It is made once.
func (s *scene) secrets() *finder {
	if s.private == nil {
		s.private = newFinder(marker)
		for _, p := range s.pages {
			if p.private && strings.Contains(p.path, "{c}") {
				s.private.add(p.canary)
			}
		}
	}
	return s.private
}

// leaks ends the scene and returns where its private pages were found.
func (s *scene) leaks() []leak {
	s.Helper()
	was := newFinder()
	for _, p := range s.pages {
		if p.was {
			was.add(p.canary)
		}
	}
	return s.sweep(s.secrets(), was)
}

// report fails the test if there are leaks, grouped by what was found.
func (s *scene) report(t *testing.T, leaks []leak) {
	t.Helper()
	places := map[string][]string{}
	for _, l := range leaks {
		places[l.of] = append(places[l.of], fmt.Sprintf("%s (%s)", l.where, l.form))
	}
	for of, where := range places {
		t.Errorf("found %s of %q in %q", of, s.rowOf(of), where)
	}
}

// rowOf returns the name of the row with a canary, or the canary itself.
func (s *scene) rowOf(canary string) string {
	if i := slices.IndexFunc(s.pages, func(p *page) bool { return p.canary == canary }); i >= 0 {
		return s.pages[i].name
	}
	return canary
}

// TestEntryThatLeadsEachVisitorElsewhereLeaksNothing shows a site whose root redirects each visitor
// to another page. Programs that keep the session in the path do so.
func TestEntryThatLeadsEachVisitorElsewhereLeaksNothing(t *testing.T) {
	for _, way := range ways {
		t.Run(way.router, func(t *testing.T) {
			rows := []*row{
				{name: "token", route: "/start/{id}", canaries: tokens(uuids, rounds, 12),
					want: "held|waiting: capability|no-evidence"},
			}
			s := newScene(t, way, rows)
			s.world.pages["/"] = func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, s.pages[s.round.Load()].target, http.StatusFound)
			}
			s.visitAll()
			s.checkAll(t, rows[0])
			s.report(t, s.leaks())
		})
	}
}

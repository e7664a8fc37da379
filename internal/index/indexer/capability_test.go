package indexer

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
)

const secretPage = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"

func TestEvidenceDecidesWhetherACapabilityIsListed(t *testing.T) {
	type step = func(*rig)
	by := func(networks []string) (change []func(*observation.Exchange)) {
		for _, n := range networks {
			change = append(change, from(n))
		}
		return change
	}
	sees := func(location, body string, network ...string) step {
		return func(r *rig) { r.sight(location, body, by(network)...) }
	}
	link := func(network ...string) step { return sees("/", html("home", secretPage), network...) }
	newLink := sees("/", html("home, new", secretPage))
	page := func(network ...string) step { return sees(secretPage, html("only for who has the link"), network...) }
	wait := func(d time.Duration) step { return func(*rig) { time.Sleep(d) } }
	redirects := func(network string) step {
		return func(r *rig) { r.answer("/", 302, redirect(secretPage), from(network)) }
	}
	routed := func(r *rig) { r.sight(secretPage, html("only for who has the link"), route(secretPage, true)) }
	noLink, otherLink := sees("/", html("home")), sees("/", html("home", "/d/9b2504e0-4f89-41d3-9a0c-0305e82c3377"), netB)
	for _, tt := range []struct {
		name   string
		cfg    Config
		steps  []step
		listed bool
	}{
		{"nothing links to it", Config{}, []step{noLink, page(netA), page(netB), page(netC), page("8.8.8.0/24")}, false},
		{"a link, seen once", Config{}, []step{link(netA), page(netA)}, false},
		{"a link, seen twice by one network", Config{}, []step{link(netA), link(netA), page()}, false},
		{"a link, seen by visitors of no known network", Config{}, []step{link(), link(), page()}, false},
		{"a link, seen by two networks", Config{}, []step{link(netA), page(), link(netB)}, true},
		{"a link, seen by two networks before the page was", Config{}, []step{link(netA), link(netB), page()}, true},
		{"a link, seen a day apart", Config{}, []step{link(netA), page(), wait(24 * time.Hour), link(netA)}, true},
		{"a link, seen a day apart on a page that has changed", Config{}, []step{link(), page(), wait(24 * time.Hour), newLink}, true},
		{"a link, seen an hour apart", Config{}, []step{link(), page(), wait(time.Hour), newLink}, false},
		{"a link, seen by two networks after a visitor of none", Config{}, []step{link(), page(), link(netA), link(netB)}, true},
		{"a link to each visitor's own page", Config{}, []step{link(netA), page(), otherLink}, false},
		{"after a restart", Config{}, []step{link(netA), page(), (*rig).restart, link(netB)}, true},
		{"a route of its own", Config{}, []step{noLink, routed}, false},
		{"an entry that redirects one visitor to it", Config{}, []step{redirects(netA), page()}, false},
		{"an entry that redirects everybody to it", Config{}, []step{redirects(netA), page(), redirects(netB)}, true},
		{"an entry", Config{Entries: []string{"/", secretPage}}, []step{noLink, page()}, true},
	} {
		runInBubble(t, tt.name, tt.cfg, func(r *rig) {
			for _, step := range tt.steps {
				step(r)
			}
			if r.page(secretPage).Verdict == eligibility.Listed != tt.listed {
				r.Errorf("listed is %t, want %t", !tt.listed, tt.listed)
			}
			if !tt.listed {
				r.wantVerdict(secretPage, eligibility.Held, eligibility.Capability)
				r.wantNoTrace("3f2504e0")
			}
		})
	}
}

func TestRouteVariableNamedLikeASecretNeedsMoreEvidence(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		home, winter := html("home", "/x/winter"), html("the winter campaign")
		r.sight("/", home, from(netA))
		r.sight("/x/winter", winter, route("/x/{code}", false))
		r.wantVerdict("/x/winter", eligibility.Held, eligibility.Capability)
		// Only the page knows its route, and nobody told the one that links to it;
		// that is read again the next day.
		time.Sleep(24 * time.Hour)
		r.sight("/", home, from(netA))
		r.wantListed("/", "/x/winter")
	})
}

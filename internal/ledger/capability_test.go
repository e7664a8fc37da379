package ledger

import (
	"context"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
)

const secretPage = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"

func TestWhichEvidenceListsACapability(t *testing.T) {
	home := html("home", secretPage)
	secret := html("only for who has the link")
	for _, tt := range []struct {
		name   string
		cfg    Config
		do     func(*rig)
		listed bool
	}{
		{"nothing links to it", Config{}, func(r *rig) {
			r.sight("/", html("home"))
			for _, n := range []string{netA, netB, "203.0.113.0/24", "8.8.8.0/24"} {
				r.sight(secretPage, secret, from(n))
			}
		}, false},
		{"a link, seen once", Config{}, func(r *rig) {
			r.sight("/", home, from(netA))
			r.sight(secretPage, secret, from(netA))
		}, false},
		{"a link, seen twice by one network", Config{}, func(r *rig) {
			r.sight("/", home, from(netA))
			r.sight("/", home, from(netA))
			r.sight(secretPage, secret)
		}, false},
		{"a link, seen by visitors of no known network", Config{}, func(r *rig) {
			r.sight("/", home)
			r.sight("/", home)
			r.sight(secretPage, secret)
		}, false},
		{"a link, seen by two networks", Config{}, func(r *rig) {
			r.sight("/", home, from(netA))
			r.sight(secretPage, secret)
			r.sight("/", home, from(netB))
		}, true},
		{"a link, seen by two networks before the page was", Config{}, func(r *rig) {
			r.sight("/", home, from(netA))
			r.sight("/", home, from(netB))
			r.sight(secretPage, secret)
		}, true},
		{"a link, seen a day apart", Config{}, func(r *rig) {
			r.sight("/", home, from(netA))
			r.sight(secretPage, secret)
			time.Sleep(24 * time.Hour)
			r.sight("/", home, from(netA))
		}, true},
		{"a link, seen a day apart on a page that has changed", Config{}, func(r *rig) {
			r.sight("/", home)
			r.sight(secretPage, secret)
			time.Sleep(24 * time.Hour)
			r.sight("/", html("home, new", secretPage))
		}, true},
		{"a link, seen an hour apart", Config{}, func(r *rig) {
			r.sight("/", home)
			r.sight(secretPage, secret)
			time.Sleep(time.Hour)
			r.sight("/", html("home, new", secretPage))
		}, false},
		{"a link, seen by two networks after a visitor of none", Config{}, func(r *rig) {
			r.sight("/", home)
			r.sight(secretPage, secret)
			r.sight("/", home, from(netA))
			r.sight("/", home, from(netB))
		}, true},
		{"a link to each visitor's own page", Config{}, func(r *rig) {
			r.sight("/", home, from(netA))
			r.sight(secretPage, secret)
			r.sight("/", html("home", "/d/9b2504e0-4f89-41d3-9a0c-0305e82c3377"), from(netB))
		}, false},
		{"after a restart", Config{}, func(r *rig) {
			r.sight("/", home, from(netA))
			r.sight(secretPage, secret)
			r.restart()
			r.sight("/", home, from(netB))
		}, true},
		{"a route of its own", Config{}, func(r *rig) {
			r.sight("/", html("home"))
			r.sight(secretPage, secret, route(secretPage, true))
		}, false},
		{"an entry that redirects one visitor to it", Config{}, func(r *rig) {
			r.answer("/", 302, redirect(secretPage), from(netA))
			r.sight(secretPage, secret)
		}, false},
		{"an entry that redirects everybody to it", Config{}, func(r *rig) {
			r.answer("/", 302, redirect(secretPage), from(netA))
			r.sight(secretPage, secret)
			r.answer("/", 302, redirect(secretPage), from(netB))
		}, true},
		{"an entry", Config{Entries: []string{"/", secretPage}}, func(r *rig) {
			r.sight("/", html("home"))
			r.sight(secretPage, secret)
		}, true},
	} {
		runInBubble(t, tt.name, tt.cfg, func(r *rig) {
			tt.do(r)
			if r.page(secretPage).Verdict == admit.Listed != tt.listed {
				r.Errorf("listed is %t, want %t", !tt.listed, tt.listed)
			}
			if !tt.listed {
				r.wantVerdict(secretPage, admit.Held, admit.Capability)
				r.wantNoTrace("3f2504e0")
			}
		})
	}
}

func TestRouteVariableNamedLikeASecret(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		home, winter := html("home", "/x/winter"), html("the winter campaign")
		r.sight("/", home, from(netA))
		r.sight("/x/winter", winter, route("/x/{code}", false))
		r.wantVerdict("/x/winter", admit.Held, admit.Capability)
		// Only the page knows its route, and nobody told the one that links to it;
		// that is read again the next day.
		time.Sleep(24 * time.Hour)
		r.sight("/", home, from(netA))
		r.wantListed("/", "/x/winter")
	})
}

// A page is read again, in a day, for links to what nobody got yet; after two days
// nobody will ask for it.
func TestPageWithNothingLeftOpenIsNotReadAgain(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		home := html("home", "/a", "/dead")
		r.sight("/", home)
		r.sight("/a", html("a"))
		for _, step := range []struct {
			after time.Duration
			again bool
		}{{time.Hour, false}, {24 * time.Hour, true}, {25 * time.Hour, true}, {25 * time.Hour, false}, {25 * time.Hour, false}} {
			time.Sleep(step.after)
			if again := r.readsAgain("/", home); again != step.again {
				t.Errorf("after %v more it is read again: %t, want %t", step.after, again, step.again)
			}
		}
	})
}

// readsAgain reports whether a look that shows the bytes of the last one is read all the
// same, and has it seen.
func (r *rig) readsAgain(location, body string) (again bool) {
	r.Helper()
	s := seen(location, body)
	r.check(r.ledger.call(r.Context(), func(ctx context.Context) error {
		pages, err := r.ledger.glance(ctx, []*look.Sighting{s})
		if err == nil {
			_, again = r.ledger.site.Knows(look.New(s, r.ledger.cfg.Normalizer, r.ledger.site.Names.Key(), false), pages[0])
		}
		return err
	}))
	r.sight(location, body)
	return again
}

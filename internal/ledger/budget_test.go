package ledger

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

func TestHalfOfTheBudgetIsNotForMadeUpPages(t *testing.T) {
	start := time.Now()
	for _, tt := range []struct {
		name            string
		spent           time.Duration
		vouched, madeUp bool
	}{
		{"nothing spent", 0, true, true},
		{"nearly half", budgetReserved - 1, true, true},
		{"half", budgetReserved, true, false},
		{"nearly all", budgetSaved - 1, true, false},
		{"all", budgetSaved, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBudget(start)
			b.spend(tt.spent)
			if got := b.allows(start, true); got != tt.vouched {
				t.Errorf("a page that is vouched for is read in full: %v, want %v", got, tt.vouched)
			}
			if got := b.allows(start, false); got != tt.madeUp {
				t.Errorf("any other page is read in full: %v, want %v", got, tt.madeUp)
			}
		})
	}
}

// affords merges a sighting within the budget, while sight reads all of it.
func (r *rig) affords(s *look.Sighting, change ...func(*look.Sighting)) {
	r.Helper()
	for _, f := range change {
		f(s)
	}
	r.check(r.ledger.call(r.Context(), func(ctx context.Context) error {
		r.ledger.pending = append(r.ledger.pending, s)
		return r.ledger.work(ctx, false)
	}))
}

// TestMadeUpPagesDoNotKeepNewOnesOut lets strangers ask for pages that take a second each to read, until none of
// them is read in full. Then a listed page links to new ones.
func TestMadeUpPagesDoNotKeepNewOnesOut(t *testing.T) {
	for _, tt := range []struct {
		name   string
		page   string
		change []func(*look.Sighting)
	}{
		{"by a listed page", "/news", nil},
		{"by an entry", "/", nil},
		{"by a page with a route of its own", "/routed", []func(*look.Sighting){route("/routed", true)}},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/news"))
			r.sight("/news", html("news", "/news/one"))
			r.sight("/news/one", html("the first one"))
			r.wantListed("/", "/news", "/news/one")
			read := 0
			for n := range 100 {
				junk := fmt.Sprintf("/junk/%d", n)
				r.affords(seen(junk, html("made up as "+junk)))
				if r.isRead(junk) {
					read++
					r.ledger.budget.spend(time.Second)
				}
			}
			if read == 0 || read > 20 {
				r.Errorf("%d of 100 made-up pages were read in full, want some 15", read)
			}
			fresh := numbered("/news/new-%d", 6)
			r.affords(seen(tt.page, html("what is new", append(fresh, "/news", "/news/one")...)), tt.change...)
			for _, loc := range fresh {
				r.affords(seen(loc, html("new is "+loc)))
				r.wantVerdict(loc, admit.Listed, admit.ByLink)
				if !r.isRead(loc) {
					r.Errorf("%s was not read in full", loc)
				}
			}
		})
	}
}

// isRead reports whether the last look at a location read all of the page.
func (r *rig) isRead(location string) bool { return r.page(location).Read }

// TestPageIsPaidForByWhatIsInIt checks that the price of a page depends on its bytes, not on how long the reading
// took.
func TestPageIsPaidForByWhatIsInIt(t *testing.T) {
	const words = "some words that say what there is to say; "
	for _, tt := range []struct {
		name, body, coding string
		full               bool
		least, most        time.Duration
	}{
		{"small", "<p>x", "", true, 100 * time.Microsecond, 110 * time.Microsecond},
		{"a megabyte of words", strings.Repeat(words, 1<<20/len(words)), "", true, 2 * time.Millisecond, 3 * time.Millisecond},
		{"a megabyte of markup", strings.Repeat("<b>x</b>", 1<<20/8), "", true, 40 * time.Millisecond, 45 * time.Millisecond},
		{"its head alone", strings.Repeat("<b>x</b>", 1<<20/8), "", false, 0, 0},
		{"a megabyte that was packed", packed(strings.Repeat("<b>x</b>", 1<<20/8)), "gzip", true, 42 * time.Millisecond, 50 * time.Millisecond},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			if !tt.full {
				r.ledger.budget.spend(budgetReserved)
			}
			before := r.ledger.budget.left
			r.affords(seen("/junk", tt.body), header(func(h *tap.Header) { h.ContentEncoding = tt.coding }))
			if paid := before - r.ledger.budget.left; paid < tt.least || paid > tt.most {
				r.Errorf("%v were paid, want %v to %v", paid, tt.least, tt.most)
			}
		})
	}
}

func packed(text string) string {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	_, _ = io.WriteString(zip, text) // to memory
	_ = zip.Close()
	return b.String()
}

func TestBudget(t *testing.T) {
	start := time.Now()
	b := newBudget(start)
	b.spend(budgetSaved + time.Second)
	if b.allows(start.Add(10*time.Second), true) {
		t.Error("a debt of a second is paid after ten, want twenty")
	}
	if !b.allows(start.Add(21*time.Second), true) {
		t.Error("a debt of a second is not paid after 21 seconds")
	}
	if !b.allows(start.Add(1000*time.Hour), true) {
		t.Fatal("nothing is left after a long rest")
	}
	b.spend(budgetSaved)
	if b.allows(start.Add(1000*time.Hour), true) {
		t.Errorf("more than %v were saved", budgetSaved)
	}
}

package explore

import (
	"context"
	"net/http"
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
)

// beside is what the site answers to an address that was made up beside the pages of one shape.
type beside struct {
	shows *nowhere.Page // nil for an error, as it should be
	none  bool          // a page of the shape shows something else: the answer is what the site has where it has no page
	alike []string      // the locations of pages that show the same, until then
}

const (
	mostBeside = 100  // made-up addresses that are asked for
	mostAlike  = 1000 // of one shape
)

// lookBeside finds out what the site shows where it has no page, if it answers 200 there: once beside each shape of
// address that has a page. It is called before the page is learned.
func (e *explorer) lookBeside(ctx context.Context, loc string, a *answer) {
	l := e.Ledger
	l.besides.Lock() // others of the shape wait for the answer
	defer l.besides.Unlock()
	if l.entry == nil && l.beside != nil && !eligibility.AssetName(loc) { // as robots.txt is, which comes before
		l.entry = observation.Answered(e.Normalizer, loc, a.page).Facts
	}
	_, stands := nowhere.Beside(loc)
	if stands == "" {
		return
	}
	b := l.beside[stands]
	if b == nil {
		if b = e.askBeside(ctx, loc); b == nil {
			return
		}
		for _, other := range l.beside {
			if b.shows != nil && other.none && other.shows.Alike(b.shows) {
				e.isNone(ctx, stands, b)
			}
		}
		l.beside[stands] = b
	}
	if b.shows == nil || b.none {
		return
	}
	if b.shows.Alike(observation.Answered(e.Normalizer, loc, a.page)) {
		if len(b.alike) < mostAlike {
			b.alike = append(b.alike, strings.Clone(loc))
		}
		return
	}
	for stands, other := range l.beside { // the same answer beside other shapes is the same
		if other.shows != nil && !other.none && (other == b || b.shows.Alike(other.shows)) {
			e.isNone(ctx, stands, other)
		}
	}
}

// isNone notes that an answer is what the site has where it has no page.
func (e *explorer) isNone(ctx context.Context, stands string, b *beside) {
	if e.Indexer.Nowhere(ctx, stands, b.shows, b.alike) == nil { // else the store may answer next time
		b.none, b.alike = true, nil
	}
}

// askBeside asks for an address that is made up beside a location. If there is a page, it asks for another one: where
// they differ, the site has a page at any address. It returns nil if none may be asked for. If the site does not
// answer, it does not try again: each page of the shape would have to wait for the answer.
func (e *explorer) askBeside(ctx context.Context, loc string) (b *beside) {
	if e.Ledger.beside == nil || len(e.Ledger.beside) >= mostBeside {
		return nil
	}
	for range 2 {
		address, _ := nowhere.Beside(loc)
		if !e.robots.Allows(address) || e.mayAct(address) {
			return b
		}
		a := e.request(ctx, address)
		if a.err != nil || a.status != http.StatusOK || !response.IsHTML(a.header.Get("Content-Type")) {
			return &beside{}
		}
		shows := observation.Answered(e.Normalizer, address, a.page)
		shows.Beside = e.Ledger.entry
		if b != nil && !b.shows.Alike(shows) {
			return &beside{}
		}
		b = &beside{shows: shows}
	}
	return b
}

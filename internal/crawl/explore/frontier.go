package explore

import (
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
)

// item is a location to request.
type item struct {
	Location string
	From     string // the page whose link led to it first, "" for none
	Shape    string // see [Ledger]
	Old      bool   // its name is not new
	Free     bool   // it is asked for whatever its shape has left, and costs nothing
	Plain    bool   // it is known to be no control of something
	Unlikely bool   // it is named like a file, or has a parameter that is not allowed
	Tries    int    // how often the site refused it
	Under    int    // how many requests ran at once when it failed
	Again    bool   // it was answered, and is asked for again, so that the site learns from it
	Hops     int    // redirects that led to it from a link or an entry

	After time.Time // when it is asked for again, if the site refused it
}

const (
	mostTries      = 3 // for a location that the site refuses while it answers others
	mostRemembers  = 4 // locations that wait, for each request that may be made, and leastRemembers at least
	leastRemembers = 20_000
)

// frontier holds the locations to request. It uses only its own memory, and the ledger.
type frontier struct {
	most     int
	asked    int
	ledger   *Ledger
	seen     map[uint64]bool // hashes of the locations that were found
	queues   [2]queue        // the second one has the unlikely ones
	later    []*item         // that the site refused, and that wait for their time
	failed   []*item         // that are asked for once more, each alone, when nothing else is left
	controls controls
	dropped  func(*item) // is told of each item that is not worth a request

	page  item    // whose links are added now
	found []*item // locations that it led to
	fresh bool    // it shows something new
}

func newFrontier(most int, ledger *Ledger) *frontier {
	return &frontier{
		most: most, ledger: ledger, seen: map[uint64]bool{}, dropped: func(*item) {},
		controls: controls{things: map[string]map[string]string{}, got: map[string]bool{}},
	}
}

// queue holds items by turns: first the first item of each shape, then the second one of each. So a list comes
// before the many pages that it leads to, and one folder does not keep the others waiting. What is asked for in any
// case has turns of its own: links to what a long sitemap lacks do not wait for its end.
type queue struct {
	turns [][]*item
	next  int           // turns before this one have no items
	taken map[turns]int // which each of them has had
	items int
}

// turns are those of the items of a shape.
type turns struct {
	shape string
	free  bool
}

// put adds an item. One that the site refused comes behind all others.
func (q *queue) put(it *item) {
	if q.taken == nil {
		q.taken = map[turns]int{}
	}
	of := turns{it.Shape, it.Free}
	turn := q.taken[of]
	if q.taken[of]++; it.Tries > 0 {
		turn = len(q.turns)
	}
	for len(q.turns) <= turn {
		q.turns = append(q.turns, nil)
	}
	q.turns[turn] = append(q.turns[turn], it)
	q.next, q.items = min(q.next, turn), q.items+1
}

// take removes the item whose turn it is, nil if there is none.
func (q *queue) take() (it *item) {
	for ; q.next < len(q.turns); q.next++ {
		if turn := &q.turns[q.next]; len(*turn) > 0 {
			it, *turn, q.items = (*turn)[0], (*turn)[1:], q.items-1
			return it
		}
	}
	return nil
}

// news notes a location, and reports whether it is new. The order of parameters makes no other page.
func (f *frontier) news(loc string) bool {
	id := xxh3.HashString(location.Sorted(loc))
	was := f.seen[id]
	f.seen[id] = true
	return !was
}

// has reports whether a location was added before.
func (f *frontier) has(loc string) bool { return f.seen[xxh3.HashString(location.Sorted(loc))] }

// add puts an item into the frontier, or returns why it does not. An item that was added
// before is neither added nor explained.
func (f *frontier) add(it item) (why eligibility.Reason) {
	switch {
	case f.has(it.Location):
		return eligibility.None
	case !f.fresh && f.ledger.isSpent(f.page.Shape):
		return eligibility.LinkEndless
	case f.full():
		return eligibility.LinkTooMany
	}
	f.news(it.Location)
	if isNew := f.ledger.isNew(it.Location); it.Hops == 0 {
		it.Old = !isNew // the target of a redirect is as new as what led to it
	}
	f.put(&it)
	f.found = append(f.found, &it)
	return eligibility.None
}

// full reports whether no more locations can be remembered.
func (f *frontier) full() bool { return f.waiting() >= max(leastRemembers, mostRemembers*f.most) }

// put queues an item, unless it may be a control.
func (f *frontier) put(it *item) {
	it.Shape = f.ledger.shape(it.Location, it.Unlikely)
	switch {
	case !it.Plain && f.controls.hold(it):
	case it.Unlikely:
		f.queues[1].put(it)
	default:
		f.queues[0].put(it)
	}
}

// next returns the item to request next.
func (f *frontier) next(now time.Time) (item, bool) {
	f.later = slices.DeleteFunc(f.later, func(it *item) bool {
		due := !now.Before(it.After)
		if due {
			f.put(it)
		}
		return due
	})
	for f.asked < f.most {
		it := f.queues[0].take()
		if it == nil {
			it = f.queues[1].take()
		}
		switch {
		case it == nil:
			return item{}, false
		case (it.Old || it.Unlikely) && !it.Free && f.ledger.isSpent(it.Shape):
			f.dropped(it)
		default:
			f.asked++
			return *it, true
		}
	}
	return item{}, false
}

// refused has an item that the site refused asked for again at its time, behind all others. It returns false if the
// item was tried often enough.
func (f *frontier) refused(it item) bool {
	if it.Tries++; it.Tries >= mostTries {
		return false
	}
	f.later = append(f.later, &it)
	f.asked--
	return true
}

// strained returns the place of the first failed item that failed beside others, -1 if none did.
func (f *frontier) strained() int {
	return slices.IndexFunc(f.failed, func(it *item) bool { return it.Under > 1 })
}

// rests returns the first of the items that wait for their time, nil if none may be asked for.
func (f *frontier) rests() *item {
	if len(f.later) == 0 || f.asked >= f.most {
		return nil
	}
	return slices.MinFunc(f.later, func(a, b *item) int { return a.After.Compare(b.After) })
}

// release puts the items that wait because they may be controls into the queues if they are pages, else one that
// failed, unless the site is down as a whole. It is called when nothing else is left, and returns false if nothing may
// be asked for.
func (f *frontier) release(down bool) bool {
	pages := f.controls.release()
	for _, it := range pages {
		it.Plain = true
		f.put(it)
	}
	if len(pages) == 0 && len(f.failed) > 0 && !down && f.asked < f.most {
		pages, f.failed = f.failed[:1], f.failed[1:]
		pages[0].Free = true
		f.put(pages[0])
	}
	return len(pages) > 0
}

// begin is called before the links of an answer are added. page is what the page at an item shows. A redirect shows
// nothing.
func (f *frontier) begin(it item, page html.Text) {
	it.Shape = f.ledger.shape(it.Location, it.Unlikely)
	f.page, f.found, f.fresh = it, nil, f.ledger.shows(it.Location, page)
}

// end is called after all links of an answer were added.
func (f *frontier) end() {
	switch {
	case f.fresh:
		f.ledger.earn(f.page.Shape)
	case !f.page.Free:
		f.ledger.spend(&f.page, f.found)
	}
}

func (f *frontier) waiting() int {
	return f.queues[0].items + f.queues[1].items + len(f.later) + len(f.failed) + len(f.controls.waiting)
}

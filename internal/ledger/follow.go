package ledger

import (
	"context"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/txn"
)

// linksAtOnce is how many links one transaction merges. Each may need the records of
// a page, of its part and of its siblings.
const linksAtOnce = 100

// follow merges the links of a page that counts, and then notes that the page has been
// read. In this order a crash costs a second reading and no link.
func (l *Ledger) follow(ctx context.Context, k *merge.Look, news merge.Novelty) error {
	fresh := l.site.Fresh(k)
	if len(fresh) == 0 {
		_, _, err := l.followSome(ctx, k, nil, news, 0, true)
		if txn.TooMuch(err) {
			l.Drop()
			return nil
		}
		return err
	}
	left := len(fresh)
	var open merge.Openness
	return inPieces(fresh, linksAtOnce, func(links []look.Link) (int, error) {
		still, ok, err := l.followSome(ctx, k, links, news, open, len(links) == left)
		if err != nil || !ok {
			return left, err
		}
		open, left = still, left-len(links)
		return len(links), nil
	}, func(look.Link) bool {
		l.Drop()
		left--
		return false
	})
}

func (l *Ledger) followSome(ctx context.Context, k *merge.Look, links []look.Link, news merge.Novelty, open merge.Openness, last bool) (left merge.Openness, ok bool, err error) {
	keys := l.site.RecordKeys(k.Location)
	for _, ln := range links {
		keys = append(keys, l.site.RecordKeys(ln.Location)...)
	}
	err = l.commit(ctx, keys, func(m *merge.Batch) { left, ok = m.Follow(k, links, news, open, last) })
	return left, ok, err
}

// followEarly merges where locations lead for which something vouches by now.
func (l *Ledger) followEarly(ctx context.Context) (err error) {
	for k := l.site.Early.Next(); k != nil && err == nil; k = l.site.Early.Next() {
		if k.Kind == admit.Redirected {
			err = l.commit(ctx, l.site.RecordKeys(k.Location), func(m *merge.Batch) { m.Apply(&merge.Look{Look: k}) })
		} else {
			err = l.follow(ctx, &merge.Look{Look: k}, merge.NoNews)
		}
	}
	return err
}

package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/media"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/sitemap"
)

// readMedia returns what a page that was read shows of the extensions that are
// wanted, nil for nothing.
func (k *look) readMedia(norm *location.Normalizer, want sitemap.Namespaces, facts *page.Facts) *part.Extension {
	if want&media.Extensions == 0 {
		return nil
	}
	found := media.Read(norm, k.Location, facts, want)
	if n := found.News; n != nil {
		// News are not old, nor dated ahead by more than time zones explain.
		if age := k.At.Sub(time.Unix(n.Published, 0)); age >= part.NewsFor || age <= -clockSlack {
			found.News = nil
		}
	}
	return &part.Extension{Images: found.Images, News: found.News, Videos: found.Videos}
}

// hide leaves out the media of the site itself that a rule keeps out of the
// sitemap, or robots.txt from crawlers.
func (l *Ledger) hide(x *part.Extension) {
	if x == nil {
		return
	}
	hidden := func(u string) bool {
		_, rest, _ := strings.Cut(u, "://")
		location, own := strings.CutPrefix(rest, l.cfg.Normalizer.Origin().Host())
		if !own || !strings.HasPrefix(location, "/") {
			return false
		}
		rule, _ := l.cfg.Rules.Match(location)
		return rule.Listing == admit.Never || !l.Allows(location)
	}
	x.Images = slices.DeleteFunc(x.Images, hidden)
	x.Videos = slices.DeleteFunc(x.Videos, func(v sitemap.Video) bool {
		return hidden(v.Thumbnail) || hidden(v.Content) || hidden(v.Player)
	})
}

// renews reports whether the media that a look shows replace those of the entry:
// when the text changed, and else at the first reading of a day. So a carousel
// does not change a file at each visit. was says whether the page had been read,
// before is the time of the last look.
func (s *state) renews(k *look, was bool, before int64, o mark.Outcome) bool {
	if o == mark.First || o == mark.Changed {
		return true
	}
	if s.noFollow { // readAt is kept only for pages whose links are followed
		return before/day != k.At.Unix()/day
	}
	return !was || s.readAt/day != k.At.Unix()/day
}

// extension returns what the entry of a listed page says in the wanted extensions:
// the known alternates, and the media of the last look that renewed them. Those
// are stored nowhere but in the entry.
func (m *merge) extension(location string, s *state, was admit.Verdict) *part.Extension {
	want := m.l.cfg.Extensions
	if want == 0 {
		return nil
	}
	x := new(part.Extension)
	shown, renewed := m.media[location]
	if !renewed && was == admit.Listed {
		shown = m.l.book.Extension(m.tx, s.part, location)
	}
	if shown != nil {
		*x = *shown
	}
	if x.Alternates = nil; want&sitemap.Alternates != 0 {
		x.Alternates = m.alternates(location, s)
	}
	if want&sitemap.Images == 0 {
		x.Images = nil
	}
	if want&sitemap.NewsItem == 0 {
		x.News = nil
	}
	if want&sitemap.Videos == 0 {
		x.Videos = nil
	}
	if len(x.Alternates)+len(x.Images)+len(x.Videos) == 0 && x.News == nil {
		return nil
	}
	return x
}

// alternates returns the page in its languages, in the same order for each page of
// the group. It returns nil for a page that has no others or does not name its own
// language: engines require both.
func (m *merge) alternates(location string, s *state) (all []part.Alternate) {
	if len(s.peers) == 0 {
		return nil
	}
	own := s.names(m.l.id(location))
	if len(own) == 0 {
		return nil
	}
	size := 0
	add := func(lang, location string) {
		if sitemap.ValidLanguage(lang) {
			all = append(all, part.Alternate{Lang: lang, Location: location})
			size += len(lang) + len(location)
		}
	}
	for _, lang := range own {
		add(lang, location)
	}
	for _, p := range s.peers {
		add(p.lang, p.location)
	}
	if size > alternatesBytes {
		return nil
	}
	slices.SortFunc(all, func(a, b part.Alternate) int {
		return cmp.Or(strings.Compare(a.Lang, b.Lang), strings.Compare(a.Location, b.Location))
	})
	return all
}

// openExtensions reads for which extensions the pages were read. If that set differs
// from the present one, the review updates the entries. If extensions were added,
// pages are read again at their next visit.
func (l *Ledger) openExtensions(ctx context.Context) error {
	var had sitemap.Namespaces
	err := view(ctx, l.cfg.Store, []string{l.keys.extensions()}, func(t *tx) {
		if b := t.Get(l.keys.extensions()); b != nil {
			_ = record.Open(b, func(f record.Field) { // of a damaged one nothing was read
				if f.Num == 1 {
					had = sitemap.Namespaces(f.Value)
				}
			})
		}
	})
	l.extended = had
	return err
}

// extends reports whether entries are still to be updated to the present set.
func (l *Ledger) extends() bool { return l.extended != l.cfg.Extensions }

// grown reports whether pages must be read again for an added extension.
func (l *Ledger) grown() bool { return l.cfg.Extensions&^l.extended&media.Extensions != 0 }

// keepExtensions stores that the entries are those of the present set.
func (l *Ledger) keepExtensions(ctx context.Context) error {
	if !l.extends() {
		return nil
	}
	err := update(ctx, l.cfg.Store, []string{l.keys.extensions()}, func(t *tx) {
		var e record.Encoder
		e.Uint(1, uint64(l.cfg.Extensions))
		e.Keep(record.Others(t.Get(l.keys.extensions()), 1))
		t.Put(l.keys.extensions(), e.SealAny())
	})
	if err == nil {
		l.extended = l.cfg.Extensions
	}
	return err
}

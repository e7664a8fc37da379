package merge

import (
	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/shards"
)

// renews reports whether the extensions that a look shows replace those of the entry. was
// says that the page had been read. Media that change without the text, as in a carousel,
// are updated once a day. Otherwise each visit would change a file.
func renews(k *Look, p *pagerecord.Page, was bool, o mark.Outcome) bool {
	if o == mark.First || o == mark.Changed {
		return true
	}
	if p.NoFollow { // its ReadAt is never set
		return p.Loaded.Before.Day() != k.Moment().Day()
	}
	return !was || p.ReadAt.Day() != k.Moment().Day()
}

// extension returns the extensions of a listed page's entry, as far as they are wanted:
// the known alternates, and the media of the last look that counted. Only the entry
// keeps the media.
func (m *Batch) extension(p *pagerecord.Page) *shards.Extension {
	want := m.site.Extensions
	if want == 0 {
		return nil
	}
	x := new(shards.Extension)
	media, renewed := m.media[p.Loaded.Location]
	if !renewed && p.Loaded.Listed {
		media = m.site.Book.Extension(m.Tx, p.Part, p.Loaded.Location)
	}
	if media != nil {
		*x = *media
	}
	if x.Alternates = nil; want&sitemap.Alternates != 0 {
		x.Alternates = m.alternates(p)
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

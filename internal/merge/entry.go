package merge

import (
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/pagerecord"
	"github.com/servemap/servemap/internal/sitemap"
)

// renews reports whether what a look shows of the extensions takes the place of what the
// entry has. was says that the page had been read. Media that move although the text does
// not, as a carousel's do, are followed once a day: else each visit would make a file new.
func renews(k *Look, p *pagerecord.Page, was bool, o mark.Outcome) bool {
	if o == mark.First || o == mark.Changed {
		return true
	}
	if p.NoFollow { // nothing says that it was read
		return p.Loaded.Before.Day() != k.Moment().Day()
	}
	return !was || p.ReadAt.Day() != k.Moment().Day()
}

// extension returns what the entry of a listed page tells in the extensions that
// are wanted: the alternates that are known, and what the last look showed that
// counted. That is kept in the entry alone.
func (m *Batch) extension(p *pagerecord.Page) *book.Extension {
	want := m.site.Extensions
	if want == 0 {
		return nil
	}
	x := new(book.Extension)
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

package merge

import (
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/sitemap"
)

// entry returns what the sitemap is to tell of the page. confidence is the least
// probability that a changefreq needs. Nothing is certain, so 1 admits none.
func (p *Page) entry(confidence float64) book.Entry {
	e := book.Entry{Candidates: p.dates.Candidates(), Until: p.until}
	freq, sure := p.rate.Freq()
	if sure >= confidence && confidence < 1 && p.bearsOut(freq) {
		e.Freq = freq
	}
	e.Volatile = freq == rate.Always && sure >= 0.5 && p.dates.Changes() >= volatileChanges
	return e
}

// volatileChanges is how many changes it takes to say of a page that it changes at
// every look. One or two changes soon after the first look come from somebody who is
// at work on the page, and have their dates.
const volatileChanges = 3

// bearsOut reports whether the page was watched for long enough to say that it
// changes so often. A page is often edited while somebody is looking, as after a
// deploy. So one change soon after the first look says little: it takes another one,
// or the time in which another one would have come.
func (p *Page) bearsOut(freq rate.Freq) bool {
	watched := p.lastSeen.Sub(p.firstSeen)
	switch {
	case p.dates.Changes() != 1:
		return true
	case freq <= rate.Hourly:
		return watched >= time.Hour
	case freq == rate.Daily:
		return watched >= day
	case freq == rate.Weekly:
		return watched >= 7*day
	}
	return true
}

const day = 24 * time.Hour

// renews reports whether what a look shows of the extensions takes the place of
// what the entry has. was says that the page had been read, and before when the last
// look was. Media that move although the text does not, as a carousel's do, are
// followed once a day, and do not make a file new at each visit.
func (p *Page) renews(k *Look, was bool, before moment.Time, o mark.Outcome) bool {
	if o == mark.First || o == mark.Changed {
		return true
	}
	if p.noFollow { // nothing says that it was read
		return before.Day() != k.Moment().Day()
	}
	return !was || p.readAt.Day() != k.Moment().Day()
}

// extension returns what the entry of a listed page tells in the extensions that
// are wanted: the alternates that are known, and what the last look showed that
// counted. That is kept in the entry alone.
func (m *Batch) extension(p *Page) *book.Extension {
	want := m.site.Extensions
	if want == 0 {
		return nil
	}
	x := new(book.Extension)
	media, renewed := m.media[p.loaded.location]
	if !renewed && p.loaded.listed {
		media = m.site.Book.Extension(m.Tx, p.part, p.loaded.location)
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

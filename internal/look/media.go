package look

import (
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/media"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/sitemap"
)

// clockSlack is how far ahead of now a date may be because of time zones.
const clockSlack = 24 * time.Hour

// readMedia returns the wanted extensions of a page that was read, nil if none are wanted.
func (k *Look) readMedia(norm *location.Normalizer, want sitemap.Namespaces, facts *page.Facts) *book.Extension {
	if want&media.Extensions == 0 {
		return nil
	}
	found := media.Read(norm, k.Location, facts, want)
	if n := found.News; n != nil {
		// News are not old, nor ahead by more than time zones explain.
		if age := k.At.Sub(time.Unix(n.Published, 0)); age >= book.NewsFor || age <= -clockSlack {
			found.News = nil
		}
	}
	return &book.Extension{Images: found.Images, News: found.News, Videos: found.Videos}
}

package observation

import (
	"time"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/media"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/shards"
)

// clockSlack is how far ahead of now a date may be because of time zones.
const clockSlack = 24 * time.Hour

// readMedia returns the wanted extensions of a page that was read, nil if none are wanted.
func (k *Observation) readMedia(norm *location.Normalizer, want sitemap.Namespaces, facts *html.Facts) *shards.Extension {
	if want&media.Extensions == 0 {
		return nil
	}
	found := media.Read(norm, k.Location, facts, want)
	if n := found.News; n != nil {
		// News are not old, nor ahead by more than time zones explain.
		if age := k.At.Sub(time.Unix(n.Published, 0)); age >= shards.NewsFor || age <= -clockSlack {
			found.News = nil
		}
	}
	return &shards.Extension{Images: found.Images, News: found.News, Videos: found.Videos}
}

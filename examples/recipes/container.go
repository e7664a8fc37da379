package recipes

import (
	"context"
	"errors"
	"net/http"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/badgerstore"
)

// A Shop is a program in a container. With a volume for its folder, what was learned
// survives a deployment. Without a volume, the site is learned anew after each deployment.
// The sitemap would shrink to the pages visited since, so Explore fills it first. But the
// dates of changes are lost, so a volume is better. The folder container has both.
type Shop struct {
	http.Handler
	Site  *servemap.Site
	store *badgerstore.Store
}

// Open opens the shop with its folder, such as "/data".
func Open(folder string, opts *servemap.Options) (*Shop, error) {
	st, err := badgerstore.Open(folder, nil)
	if err != nil {
		return nil, err
	}
	site, err := servemap.New("https://example.com", st, opts)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return &Shop{site.Wrap(shop()), site, st}, nil
}

// Close stores what was learned. Call it after the server's Shutdown, within the time that
// the container has to stop.
func (s *Shop) Close(ctx context.Context) error {
	return errors.Join(s.Site.Close(ctx), s.store.Close())
}

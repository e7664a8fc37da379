package recipes

import (
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/servemap/servemap"
)

// GzipOutside compresses around the site. It is the better way: the site sees the page as
// it was written.
func GzipOutside(site *servemap.Site) http.Handler { return compress(site.Wrap(shop())) }

// GzipInside compresses inside of the site, which then has to undo it. Use it where the
// program's parts compress by themselves.
func GzipInside(site *servemap.Site) http.Handler { return site.Wrap(compress(shop())) }

// compress is gzhttp.GzipHandler for pages as short as the shop's.
func compress(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(10))
	if err != nil {
		panic(err)
	}
	return wrap(h)
}

// TimeoutOutside gives each request a second. http.TimeoutHandler copies the request,
// which hides the routes from what stands around it, so the site stands inside.
func TimeoutOutside(site *servemap.Site) http.Handler {
	return http.TimeoutHandler(site.Wrap(shop()), time.Second, "too slow")
}

// TimeoutInside works too, and lists pages by their links alone.
func TimeoutInside(site *servemap.Site) http.Handler {
	return site.Wrap(http.TimeoutHandler(shop(), time.Second, "too slow"))
}

package recipes

import (
	"net/http"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/servemap/servemap"
)

// GzipOutside compresses around the site. This is the better way: the site sees the page
// uncompressed.
func GzipOutside(site *servemap.Site) http.Handler { return compress(site.Wrap(shop())) }

// GzipInside compresses inside the site, which then has to decompress. Use it if parts of
// the program compress by themselves.
func GzipInside(site *servemap.Site) http.Handler { return site.Wrap(compress(shop())) }

// compress is gzhttp.GzipHandler for pages as short as the shop's.
func compress(h http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(10))
	if err != nil {
		panic(err)
	}
	return wrap(h)
}

// TimeoutOutside gives each request a second. http.TimeoutHandler copies the request, which
// hides the routes from handlers around it, so the site goes inside.
func TimeoutOutside(site *servemap.Site) http.Handler {
	return http.TimeoutHandler(site.Wrap(shop()), time.Second, "too slow")
}

// TimeoutInside works too, but lists pages only by their links.
func TimeoutInside(site *servemap.Site) http.Handler {
	return site.Wrap(http.TimeoutHandler(shop(), time.Second, "too slow"))
}

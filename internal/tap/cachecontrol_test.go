package tap

import (
	"net/http"
	"testing"
)

func TestHeadersForCachesAreOneField(t *testing.T) {
	for _, key := range []string{
		"CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Vercel-CDN-Cache-Control", "Netlify-CDN-Cache-Control", "Surrogate-Control", "Edge-Control",
		"X-LiteSpeed-Cache-Control", "Pragma", "pragma", "cdn-cache-control",
	} {
		var h Header
		h.take(http.Header{key: {"a", "b"}})
		if want := (Header{CacheControl: "a, b"}); h != want {
			t.Errorf("%s is %+v", key, h)
		}
		h.take(http.Header{key: {"a"}, "Cache-Control": {"b"}})
		if h.CacheControl != "a, b" && h.CacheControl != "b, a" {
			t.Errorf("%s beside Cache-Control is %q", key, h.CacheControl)
		}
	}
	for _, key := range []string{"X-Cache-Control", "Cdn-Cache", "Cache-Controls", "X-Pragma"} {
		var h Header
		if h.take(http.Header{key: {"a"}}); h != (Header{}) {
			t.Errorf("%s is %+v", key, h)
		}
	}
}

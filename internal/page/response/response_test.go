package response

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func TestHeaderOfSeveralLinesIsJoined(t *testing.T) {
	for _, key := range []string{
		"Content-Type", "Content-Length", "Content-Encoding", "Content-Disposition", "Transfer-Encoding",
		"Cache-Control", "X-Robots-Tag", "Last-Modified", "Location", "Link", "Vary",
	} {
		t.Run(key, func(t *testing.T) {
			field := func(h *Header) *string {
				return reflect.ValueOf(h).Elem().FieldByName(strings.ReplaceAll(strings.TrimPrefix(key, "X-"), "-",
					"")).Addr().Interface().(*string)
			}
			sep := ", "
			if key == "X-Robots-Tag" {
				sep = "\n"
			}
			for _, lines := range []struct {
				header http.Header
				want   string
			}{
				{http.Header{key: {"a"}}, "a"},
				{http.Header{key: {"a", "b"}}, "a" + sep + "b"},
				{http.Header{strings.ToLower(key): {"a"}, strings.ToUpper(key): {"a", "a"}}, "a" + sep + "a" + sep + "a"},
				{http.Header{key: {}, "X-" + key: {"a"}}, ""},
				{http.Header{key: {"a"}, strings.ToLower(key): {}}, "a"},
			} {
				got := HeaderOf(lines.header)
				if *field(&got) != lines.want {
					t.Errorf("took %q, want %q", *field(&got), lines.want)
				}
				if *field(&got) = ""; got != (Header{}) {
					t.Errorf("took %+v beside it", got)
				}
			}
			var resp Response
			bare := resp.Size()
			if *field(&resp.Header) = "12345"; resp.Size() != bare+5 {
				t.Errorf("its value counts as %d bytes, want 5", resp.Size()-bare)
			}
		})
	}
}

func TestHeadersForCachesAreOneField(t *testing.T) {
	for _, key := range []string{
		"CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Vercel-CDN-Cache-Control", "Netlify-CDN-Cache-Control",
		"Surrogate-Control", "Edge-Control",
		"X-LiteSpeed-Cache-Control", "Pragma", "pragma", "cdn-cache-control",
	} {
		h := HeaderOf(http.Header{key: {"a", "b"}})
		if want := (Header{CacheControl: "a, b"}); h != want {
			t.Errorf("%s is %+v", key, h)
		}
		h = HeaderOf(http.Header{key: {"a"}, "Cache-Control": {"b"}})
		if h.CacheControl != "a, b" && h.CacheControl != "b, a" {
			t.Errorf("%s beside Cache-Control is %q", key, h.CacheControl)
		}
	}
	for _, key := range []string{"X-Cache-Control", "Cdn-Cache", "Cache-Controls", "X-Pragma"} {
		if h := HeaderOf(http.Header{key: {"a"}}); h != (Header{}) {
			t.Errorf("%s is %+v", key, h)
		}
	}
}

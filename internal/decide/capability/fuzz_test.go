package capability

import (
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/page/escape"
)

func FuzzLooks(f *testing.F) {
	for _, location := range []string{
		"/javadoc/java.base/java/util/concurrent/ScheduledThreadPoolExecutor.html", "/category/tv-and-audio?lang=de&page=2", "/share/V1StGXR8_Z5jdHi6B-myT",
		"/zh/%E6%96%B0%E9%97%BB/%E5%8C%97%E4%BA%AC%E5%A4%A9%E6%B0%94-%E5%8C%97%E4%BA%AC", "", "/", "%", "/%e", "/%C3%A9", "?", "/a?b=%2F&c", "/%7b%7D", "/eyJ", "/a.b.c.", "/\x80\xff", "/group__a_ga3b4c5d6e7f8091a2b3c4d5e6f7081920.html",
	} {
		f.Add(location)
	}
	f.Fuzz(func(t *testing.T, location string) {
		got := Looks(location)
		if other := swapEscapes(location); Looks(other) != got {
			t.Errorf("Looks(%q) = %v, but not Looks(%q)", location, got, other)
		}
		path, query, _ := strings.Cut(location, "?")
		if more := path + "/550e8400-e29b-41d4-a716-446655440000?" + query; !Looks(more) {
			t.Errorf("Looks(%q) = false with a UUID", more)
		}
	})
}

// swapEscapes swaps the case of the hexadecimal digits in all escapes.
func swapEscapes(s string) string {
	out := []byte(s)
	for i := 0; i+2 < len(s); i++ {
		if s[i] != '%' || !escape.IsHex(s[i+1]) || !escape.IsHex(s[i+2]) {
			continue
		}
		for _, at := range []int{i + 1, i + 2} {
			if s[at] > '9' {
				out[at] ^= 0x20
			}
		}
		i += 2
	}
	return string(out)
}

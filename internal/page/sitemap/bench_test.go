package sitemap

import (
	"fmt"
	"testing"
)

// BenchmarkWriteURLSet writes a full file.
func BenchmarkWriteURLSet(b *testing.B) {
	urls := make([]URL, MaxURLs)
	for i := range urls {
		urls[i] = URL{Loc: fmt.Sprintf("https://www.example.com/forum/2026/a-thread-of-%d?lang=de&page=2", i), LastMod: november - int64(i), ChangeFreq: freqs[i%len(freqs)]}
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = append(buf[:0], URLSetOpen("")...)
		for i := range urls {
			buf, _ = AppendURL(buf, urls[i])
		}
		buf = append(buf, URLSetClose...)
	}
}

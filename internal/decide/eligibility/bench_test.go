package eligibility

import (
	"testing"

	"github.com/servemap/servemap/internal/decide/capability"
)

// usual are locations as sites have them.
var usual = []string{
	"/", "/about", "/blog/2026/11/how-we-moved-our-shop-to-another-country", "/products/garden-chairs/oak-chair-140", "/docs/v3/reference/Configuration.html",
	"/wiki/Herzog_August_Bibliothek", "/category/tv-and-audio?page=2", "/p/4711", "/questions/61234567/why-does-my-loop-never-end", "/de/impressum",
	"/users/ann/posts", "/tag/go", "/news/article-20261121.html", "/javadoc/java.base/java/util/concurrent/ScheduledThreadPoolExecutor.html", "/events/summer-party",
	"/%E6%96%B0%E9%97%BB/%E5%8C%97%E4%BA%AC", "/produkte/gr%C3%BCner-tee", "/shop/item.php?page=3", "/team/maria-schmidt", "/archive/2024/05",
}

// Each page that is observed is judged by its location.
func BenchmarkWordOf(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, location := range usual {
			WordOf(location, false)
		}
	}
}

func BenchmarkLooks(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, location := range usual {
			capability.Looks(location)
		}
	}
}

package ledger

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/sitemap"
)

// hide leaves out the media of the site itself that a rule keeps out of the
// sitemap, or robots.txt from crawlers.
func (l *Ledger) hide(x *book.Extension) {
	if x == nil {
		return
	}
	hidden := func(u string) bool {
		_, rest, _ := strings.Cut(u, "://")
		location, own := strings.CutPrefix(rest, l.cfg.Normalizer.Origin().Host())
		if !own || !strings.HasPrefix(location, "/") {
			return false
		}
		rule, _ := l.cfg.Rules.Match(location)
		return rule.Listing == admit.Never || !l.site.Robots.Allows(location)
	}
	x.Images = slices.DeleteFunc(x.Images, hidden)
	x.Videos = slices.DeleteFunc(x.Videos, func(v sitemap.Video) bool {
		return hidden(v.Thumbnail) || hidden(v.Content) || hidden(v.Player)
	})
}

package files

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
)

// A side file stands beside the sitemap, and no index names it. It is small enough
// to be kept whole.
type side int

// The side files.
const (
	recentSide side = iota
	newsSide
	sideFiles
)

// suffixes are what their names have after that of the first file.
var suffixes = [sideFiles]string{recentSide: "-recent", newsSide: "-news"}

// sides are the side files that there are, nil for one that lists nothing.
type sides [sideFiles]*index

// has reports whether the site has this side file.
func (f *Files) has(s side) bool {
	if s == recentSide {
		return f.cfg.Recent > 0
	}
	return f.cfg.News
}

// sideNamed returns the side file that what follows the first file's name says.
func (f *Files) sideNamed(suffix string) (side, bool) {
	for s, known := range suffixes {
		if suffix == known {
			return side(s), f.has(side(s))
		}
	}
	return 0, false
}

// renderSides makes the side files. The caller holds Files.turn.
func (f *Files) renderSides(ctx context.Context, trust lastmod.Trust, old sides) (made sides, err error) {
	if f.has(recentSide) {
		if made[recentSide], err = f.renderRecent(ctx, trust, old[recentSide]); err != nil {
			return sides{}, err
		}
	}
	if f.has(newsSide) {
		if made[newsSide], err = f.renderNews(ctx, old[newsSide]); err != nil {
			return sides{}, err
		}
	}
	return made, nil
}

// endSide ends the side file that is being made, nil if it lists nothing, and
// notes under key since when it is as it is.
func (f *Files) endSide(ctx context.Context, key string, made *file, old *index, closing string, now time.Time) *index {
	p := &f.press
	if made.pages = len(p.hashes); made.pages == 0 {
		return nil
	}
	p.text = append(p.text, closing...)
	var gz []byte
	made.hash, made.size, gz = p.end()
	made.listed = newLocations(p.hashes)
	var before *file
	if old != nil {
		before = old.file
	}
	f.note(ctx, key, made, before, now)
	return &index{made, gz}
}

// sidePassed reports whether a page is to leave a side file.
func (f *Files) sidePassed(now moment.Time) bool {
	for _, x := range f.current().sides {
		if x != nil && passed(x.until, now) {
			return true
		}
	}
	return false
}

// withoutWithdrawn returns a side file without the pages that are withdrawn, nil
// if it lists nothing else. The caller holds Files.publishing.
func (f *Files) withoutWithdrawn(x *index) *index {
	if x == nil {
		return nil
	}
	f.mu.RLock()
	gone := f.withdrawnFrom(map[int]*file{0: x.file}, 0)[0]
	f.mu.RUnlock()
	if len(gone) == 0 {
		return x
	}
	next := *x.file
	cut, made, ok := f.cutURLs(x.gz, gone)
	if next.pages -= cut.entries; !ok || next.pages <= 0 {
		return nil
	}
	f.absent(&next, cut.named)
	if cut.entries == 0 {
		return &index{&next, x.gz}
	}
	next.hash, next.size, next.modified, next.stored = made.hash, made.size, x.later(time.Now()), false
	return &index{&next, made.gz}
}

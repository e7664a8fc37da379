package files

import (
	"context"
	"slices"
	"time"
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
type sides [sideFiles]*file

// has reports whether the site has this side file.
func (f *Files) has(s side) bool {
	if s == recentSide {
		return f.cfg.Recent > 0
	}
	return f.cfg.News
}

// sideNamed returns the side file that what follows the first file's name says.
func (f *Files) sideNamed(suffix string) (side, bool) {
	s := side(slices.Index(suffixes[:], suffix))
	return s, s >= 0 && f.has(s)
}

// makeSides makes the side files, and stores since when they are as they are.
func (f *Files) makeSides(ctx context.Context, p *pass) (*sides, error) {
	now, made, old := time.Now(), new(sides), f.served.Load().sides
	keys := [sideFiles]string{f.cfg.Keys.Recent(), f.cfg.Keys.News()}
	for s, compose := range [sideFiles]func(context.Context, *pass, time.Time) (*file, error){f.composeRecent, f.composeNews} {
		if !f.has(side(s)) {
			continue
		}
		x, err := compose(ctx, p, now)
		if err != nil {
			return nil, err
		}
		if x.pages > 0 {
			f.note(ctx, keys[s], x, old[s], now)
			made[s] = x
		}
	}
	return made, nil
}

// view returns the records of n keys, nil for those that are not there.
func (f *Files) view(ctx context.Context, n int, key func(int) string) (records [][]byte, err error) {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = key(i)
	}
	err = f.cfg.Store.View(ctx, keys, func(values [][]byte) error {
		records = records[:0]
		for _, v := range values {
			records = append(records, slices.Clone(v))
		}
		return nil
	})
	return records, err
}

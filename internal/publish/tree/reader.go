package tree

import (
	"context"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/store"
)

// reader reads the listed pages in the order of their locations.
type reader struct {
	store store.Store
	keys  keys.Keys
	lists func(location string) bool
}

// entry is a listed page.
type entry struct {
	location string
	title    string
}

// child is a page or a folder directly in a folder.
type child struct {
	entry       // the page; for a folder only the location, with a slash at its end
	folder bool // there are pages below it
}

// each calls fn with each listed page whose location begins with prefix and comes after the
// location after, until fn returns false.
func (r *reader) each(ctx context.Context, prefix, after string, fn func(entry) bool) error {
	pages := r.keys.Pages()
	if after != "" {
		after = pages + after
	}
	for rec, err := range r.store.Scan(ctx, pages+prefix, after) {
		if err != nil {
			return err
		}
		location := strings.TrimPrefix(rec.Key, pages)
		if !r.lists(location) {
			continue
		}
		p, err := pagerecord.Decode(rec.Value)
		if err != nil || !p.Listed() {
			continue
		}
		if !fn(entry{strings.Clone(location), p.Title}) {
			return nil
		}
	}
	return nil
}

// first returns the first pages whose locations begin with prefix, and whether there are
// more.
func (r *reader) first(ctx context.Context, prefix string, most int) (found []entry, more bool, err error) {
	err = r.each(ctx, prefix, "", func(e entry) bool {
		if more = len(found) == most; !more {
			found = append(found, e)
		}
		return !more
	})
	return found, more, err
}

// exact returns the listed page with that location.
func (r *reader) exact(ctx context.Context, location string) (e entry, is bool, err error) {
	some, _, err := r.first(ctx, location, 1)
	if err != nil || len(some) == 0 || some[0].location != location {
		return e, false, err
	}
	return some[0], true, nil
}

// children returns the children in the folder of prefix that begin with prefix, and whether
// there are more. It skips a whole folder in one step.
func (r *reader) children(ctx context.Context, prefix string, most int) (found []child, more bool, err error) {
	after, folder := "", folderOf(prefix)
	for again := true; again && err == nil; {
		again = false
		err = r.each(ctx, prefix, after, func(e entry) bool {
			c := child{entry: e}
			if below := subfolder(folder, e.location); below != "" {
				c = child{entry{location: below}, true}
				after, again = past(below), true
			}
			if more = len(found) == most; !more {
				found = append(found, c)
			}
			again = again && !more
			return !more && !c.folder
		})
	}
	return found, more, err
}

// past returns a location after all locations that begin with prefix.
func past(prefix string) string {
	return prefix + strings.Repeat("~", max(0, keys.MaxLocation-len(prefix)))
}

// folderOf returns the folder of a location, or of the beginning of one.
func folderOf(location string) string {
	path, _, _ := strings.Cut(location, "?")
	return path[:strings.LastIndexByte(path, '/')+1]
}

// subfolder returns the folder directly in folder that a location is in, "" if the location
// is in folder itself. A slash at the end of a location does not make it a folder.
func subfolder(folder, location string) string {
	path, _, _ := strings.Cut(location, "?")
	i := strings.IndexByte(path[len(folder):], '/')
	if i < 0 || len(folder)+i+1 == len(path) {
		return ""
	}
	return location[:len(folder)+i+1]
}

// group is a part of the pages of a folder.
type group struct {
	prefix string
	page   bool // it is only the page with that location
}

// groups splits the pages whose locations begin with prefix by their next characters. It
// stops once there are several groups and none of the first groups has more than size
// pages, or before there would be more than most groups.
func (r *reader) groups(ctx context.Context, prefix string, size, most int) ([]group, error) {
	groups := []group{{prefix: prefix}}
	for {
		var next []group
		for _, g := range groups {
			parts := []group{g}
			if !g.page {
				var err error
				if parts, err = r.split(ctx, g.prefix); err != nil {
					return nil, err
				}
			}
			if next = append(next, parts...); len(next) > most && len(groups) > 1 {
				return groups, nil
			}
		}
		if slices.Equal(groups, next) {
			return groups, nil // no location is longer
		}
		if groups = next; len(groups) < 2 {
			continue
		}
		if large, err := r.large(ctx, groups, size); err != nil || !large {
			return groups, err
		}
	}
}

// groupsTried is how many groups are checked to decide whether to split them.
const groupsTried = 12

// large reports whether one of the first groups has more pages than size.
func (r *reader) large(ctx context.Context, groups []group, size int) (large bool, err error) {
	for _, g := range groups[:min(groupsTried, len(groups))] {
		if _, more, err := r.first(ctx, g.prefix, size); err != nil || more && !g.page {
			return more, err
		}
	}
	return false, nil
}

// split returns the groups whose prefixes are one character longer than prefix, and the
// page whose location is prefix.
func (r *reader) split(ctx context.Context, prefix string) (parts []group, err error) {
	after := ""
	for again := true; again && err == nil; {
		again = false
		err = r.each(ctx, prefix, after, func(e entry) bool {
			again = true
			if e.location == prefix {
				parts, after = append(parts, group{prefix, true}), prefix
				return false
			}
			part := e.location[:len(prefix)+1]
			parts, after = append(parts, group{prefix: part}), past(part)
			return false
		})
	}
	return parts, err
}

package inspect

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/publish/announce"
	"github.com/servemap/servemap/internal/publish/files"
)

// Files are the sitemap's files.
type Files struct {
	Files      []files.Info `json:"files"` // first the one that crawlers begin with
	RobotsLine string       `json:"robots_line"`
	RobotsTxt  RobotsTxt    `json:"robots_txt,omitempty"`
	ReportOnly bool         `json:"report_only,omitempty"`
	Unserved   bool         `json:"unserved,omitempty"` // no request for them has come
	Sections   []Section    `json:"sections,omitempty"` // the largest first, at most mostSections
	Partly     bool         `json:"partly,omitempty"`   // time ran out before all pages were counted
}

// Section has the listed pages whose addresses begin with one folder, or those in none.
type Section struct {
	Path   string `json:"path"`
	Folder bool   `json:"folder"`
	Pages  int    `json:"pages"`
}

const mostSections = 12

func (i *Inspector) files(ctx context.Context, _ url.Values) (view, error) {
	data := Files{Files: i.Files.List(), RobotsLine: i.RobotsLine, RobotsTxt: i.robotsTxt(), ReportOnly: i.ReportOnly}
	_, s := i.Public.Stats()
	data.Unserved = s.Unserved
	data.Sections, data.Partly = i.sections(ctx)
	return view{Name: "files", Nav: "files", Title: "Files", Data: data}, nil
}

// sections counts the listed pages by the first folder of their addresses. Without the store there is none.
func (c *Config) sections(ctx context.Context) (all []Section, partly bool) {
	folder, counts := c.Origin.Folder(), map[string]int{}
	some, err := reader.List(ctx, c.Indexer.Reader, reader.Wanted{Prefix: "/", Most: 1 << 20, Within: searchFor},
		func(p *reader.Known) struct{} {
			first, _, in := strings.Cut(strings.TrimPrefix(p.Location, folder), "/")
			if in {
				counts[folder+first+"/"]++
			} else {
				counts[""]++
			}
			return struct{}{}
		})
	if err != nil {
		return nil, false
	}
	for path, pages := range counts {
		all = append(all, Section{path, path != "", pages})
	}
	slices.SortFunc(all, func(a, b Section) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages),
			strings.Compare(a.Path, b.Path))
	})
	return all[:min(len(all), mostSections)], some.Next != ""
}

// RobotsTxt says whether the site's robots.txt names the sitemap. It is "" if no such file was
// seen since the start.
type RobotsTxt string

const (
	RobotsHas   RobotsTxt = "has-line"
	RobotsLacks RobotsTxt = "lacks-line"
	RobotsAdded RobotsTxt = "line-added" // by servemap
	RobotsNone  RobotsTxt = "no-file"    // something else is answered there, to which nothing can be added
)

// robotsTxt says whether the site's robots.txt names the sitemap.
func (c *Config) robotsTxt() RobotsTxt {
	lines := c.Indexer.Sitemaps()
	_, counts := c.Public.Stats()
	switch {
	case messages.Unannounced.In(counts.Hints):
		return RobotsNone
	case c.Announces.Load():
		return RobotsAdded
	case lines == nil:
		return ""
	case len(announce.Unnamed(slices.Values(lines), c.Tops)) > 0:
		return RobotsLacks
	}
	return RobotsHas
}

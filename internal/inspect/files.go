package inspect

import (
	"context"
	"net/url"
	"slices"

	"github.com/servemap/servemap/internal/publish/announce"
	"github.com/servemap/servemap/internal/publish/files"
)

// Files are the sitemap's files.
type Files struct {
	Files      []File    `json:"files"`
	RobotsLine string    `json:"robots_line"`
	RobotsTxt  RobotsTxt `json:"robots_txt,omitempty"`
	ReportOnly bool      `json:"report_only,omitempty"`
}

func (i *Inspector) files(context.Context, url.Values) (view, error) {
	return view{Name: "files", Nav: "files", Title: "Files", Data: Files{i.fileList(), i.RobotsLine, i.robotsTxt(), i.ReportOnly}}, nil
}

// File is one of the sitemap's files.
type File struct {
	URL string `json:"url"`
	files.Info
}

// RobotsTxt says whether the site's robots.txt names the sitemap. It is "" if that file was
// not seen since the start.
type RobotsTxt string

const (
	RobotsHas   RobotsTxt = "has-line"
	RobotsLacks RobotsTxt = "lacks-line"
	RobotsAdded RobotsTxt = "line-added" // by servemap
)

// robotsTxt says whether the site's robots.txt names the sitemap.
func (c *Config) robotsTxt() RobotsTxt {
	lines := c.Indexer.Sitemaps()
	switch {
	case c.Announces.Load():
		return RobotsAdded
	case lines == nil:
		return ""
	case len(announce.Unnamed(slices.Values(lines), c.Tops)) > 0:
		return RobotsLacks
	}
	return RobotsHas
}

// fileList returns the sitemap's files, first the one that crawlers begin with.
func (c *Config) fileList() (list []File) {
	for _, f := range c.Files.List() {
		list = append(list, File{c.Origin.URL(c.Origin.Folder() + f.Name), f})
	}
	return list
}

package tree

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// view is what one page of the site map shows.
type view struct {
	title string

	Self     string    // its address relative to the folder of the site
	Crumbs   []link    // the folders above it
	Links    []link    // pages outside any section
	Sections []section // folders
	Groups   []link    // parts of a folder that has too many children
	All      *link     // leads to all pages
}

// link is a link to a page or to another view.
type link struct {
	Href, Text string
	Note       string // tells apart links with the same text
	Folder     bool   // it leads to the view of a folder
	first      bool   // it leads to the first page of the site
}

// section is a folder.
type section struct {
	Title    string
	Href     string // the page of the folder, or else its view; "" for neither
	Links    []link
	Sections []section
	More     *link // leads to the view of the folder

	folder string
}

// builder makes one view.
type builder struct {
	*Tree
	*reader
	ctx    context.Context
	shared affixes
	in     string
	most   int // links
	listed int
}

// address returns the address of a view.
func (t *Tree) address(in string) string {
	if in == t.cfg.Folder {
		return t.cfg.Name
	}
	return t.cfg.Name + "?in=" + strings.ReplaceAll(url.QueryEscape(in), "%2F", "/")
}

func (t *Tree) allAddress() string { return t.cfg.Name + "?all=1" }

// href returns the address of a view as links have it.
func (t *Tree) href(in string) string { return t.cfg.Folder + t.address(in) }

// page returns the link to a page.
func (b *builder) page(e entry) link {
	text := b.shared.label(e)
	if text == "" {
		text = hostOf(b.cfg.URL(e.location))
	}
	href := e.location
	if strings.HasPrefix(href, "//") { // which would be another host
		href = b.cfg.URL(href)
	}
	return link{Href: href, Text: text}
}

func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// start returns a view of the locations that begin with b.in, with its title and the
// folders above.
func (b *builder) start() *view {
	v := &view{title: b.cfg.Words.Title, Self: b.address(b.in)}
	if b.in == b.cfg.Folder {
		return v
	}
	v.Crumbs = []link{{Href: b.href(b.cfg.Folder), Text: b.cfg.Words.Title}}
	at := len(b.cfg.Folder)
	for {
		i := strings.IndexByte(b.in[at:], '/')
		if i < 0 || at+i+1 == len(b.in) {
			break
		}
		at += i + 1
		v.Crumbs = append(v.Crumbs, link{Href: b.href(b.in[:at]), Text: name(b.in[:at])})
	}
	if v.title = name(b.in); !strings.HasSuffix(b.in, "/") {
		v.title = readable(b.in[len(folderOf(b.in)):]) + "…"
	}
	return v
}

// all returns the view of all pages.
func (b *builder) all() (*view, error) {
	pages, _, err := b.first(b.ctx, b.cfg.Folder, allPages)
	if err != nil {
		return nil, err
	}
	v := b.start()
	if b.listed >= firstLinks {
		v.Self, v.title = b.allAddress(), b.cfg.Words.All
		v.Crumbs = []link{{Href: b.href(b.cfg.Folder), Text: b.cfg.Words.Title}}
	}
	v.Links, v.Sections = b.nest(b.cfg.Folder, pages, 2)
	return v, nil
}

// nest sorts pages into the folders directly in folder, and those pages into their folders.
// Below so many levels it does not divide the pages any more.
func (b *builder) nest(folder string, pages []entry, levels int) (links []link, sections []section) {
	below := map[string][]entry{}
	var direct []entry
	var folders []string
	for _, e := range pages {
		sub := subfolder(folder, e.location)
		if sub == "" || levels == 0 {
			direct = append(direct, e)
			continue
		}
		if below[sub] == nil {
			folders = append(folders, sub)
		}
		below[sub] = append(below[sub], e)
	}
	direct, sections = b.head(direct, folders)
	for i := range sections {
		s := &sections[i]
		s.Links, s.Sections = b.nest(s.folder, below[s.folder], levels-1)
	}
	return b.links(direct), inOrder(sections)
}

// head makes a section for each folder. A folder's own page heads its section and leaves
// the pages: for "/blog/" that is "/blog" or "/blog/".
func (b *builder) head(pages []entry, folders []string) ([]entry, []section) {
	var sections []section
	own := map[string]entry{}
	isOwn := func(e entry) bool { return slices.Contains(folders, strings.TrimSuffix(e.location, "/")+"/") }
	if len(folders) > 0 {
		for _, e := range pages {
			if isOwn(e) {
				own[strings.TrimSuffix(e.location, "/")+"/"] = e
			}
		}
		pages = slices.DeleteFunc(pages, func(e entry) bool { return own[strings.TrimSuffix(e.location, "/")+"/"] == e })
	}
	for _, f := range folders {
		s := section{Title: name(f), folder: f}
		if e, is := own[f]; is {
			l := b.page(e)
			s.Title, s.Href = l.Text, l.Href
		}
		sections = append(sections, s)
	}
	return pages, sections
}

// links returns the links to pages: first the first page of the site, then by rank, highest
// first, then by title.
func (b *builder) links(pages []entry) []link {
	links := make([]link, len(pages))
	seen := map[string]int{}
	for i, e := range pages {
		links[i] = b.page(e)
		links[i].first = e.location == b.cfg.Folder
		seen[links[i].Text]++
	}
	for i, e := range pages {
		if seen[links[i].Text] > 1 {
			links[i].Note = note(e.location)
		}
	}
	slices.SortStableFunc(links, func(x, y link) int {
		if x.first != y.first {
			return cmp.Compare(len(x.Href), len(y.Href)) // the first page has the shortest address
		}
		return strings.Compare(strings.ToLower(x.Text), strings.ToLower(y.Text))
	})
	return links
}

// note tells apart pages with the same title: by the query, or else by the last segment.
func note(location string) string {
	if _, query, ok := strings.Cut(location, "?"); ok {
		return readable(query)
	}
	path := strings.TrimSuffix(location, "/")
	return readable(path[strings.LastIndexByte(path, '/')+1:])
}

func inOrder(sections []section) []section {
	slices.SortStableFunc(sections, func(x, y section) int { return strings.Compare(strings.ToLower(x.Title), strings.ToLower(y.Title)) })
	return sections
}

const (
	samplesMost   = 8 // pages of a folder that are shown beside other folders
	linksAround   = 4 // links of a view besides those to pages and folders
	linksOfFolder = 2 // links of a section besides those to its pages
)

// folder returns the view of a folder, or of a group in it: its pages, and some pages of
// each folder in it.
func (b *builder) folder() (*view, error) {
	v := b.start()
	if b.most == firstLinks && b.listed <= allPages {
		v.All = &link{Href: b.cfg.Folder + b.allAddress(), Text: b.cfg.Words.All + " (" + strconv.Itoa(b.listed) + ")"}
	}
	room := b.most - linksAround
	found, more, err := b.children(b.ctx, b.in, room)
	if err != nil {
		return nil, err
	}
	pages, folders := parted(found)
	switch room -= len(pages) + linksOfFolder*len(folders); {
	case len(found) == 0:
		return nil, ErrNone
	case more || room < 0:
		v.Groups, err = b.grouped()
		return v, err
	}
	pages, v.Sections = b.head(pages, folders)
	v.Links = b.links(pages)
	if err := b.own(v); err != nil {
		return nil, err
	}
	each := samplesMost
	if len(folders) > 0 {
		each = min(each, room/len(folders))
	}
	for i := range v.Sections {
		if err := b.sample(&v.Sections[i], each); err != nil {
			return nil, err
		}
	}
	inOrder(v.Sections)
	return v, nil
}

// own gives the view of a folder the title of the folder's own page. If that page's
// location is the folder's without its slash, the view shows the page too.
func (b *builder) own(v *view) error {
	bare, is := strings.CutSuffix(b.in, "/")
	if !is || b.in == b.cfg.Folder {
		return nil
	}
	e, is, err := b.exact(b.ctx, b.in)
	if err == nil && !is {
		if e, is, err = b.exact(b.ctx, bare); is {
			v.Links = append([]link{b.page(e)}, v.Links...)
		}
	}
	if is {
		v.title = b.shared.label(e)
	}
	return err
}

// sample fills a section with some children of its folder.
func (b *builder) sample(s *section, most int) error {
	found, more, err := b.children(b.ctx, s.folder, most+1)
	found = slices.DeleteFunc(found, func(c child) bool { return c.location == s.Href })
	if more = more || len(found) > most; more {
		found = found[:min(most, len(found))]
		s.More = &link{Href: b.href(s.folder), Text: b.cfg.Words.More + " " + s.Title}
	}
	pages, folders := parted(found)
	pages, sections := b.head(pages, folders)
	for _, sub := range inOrder(sections) {
		s.Links = append(s.Links, link{Href: b.href(sub.folder), Text: sub.Title, Folder: true})
	}
	s.Links = append(s.Links, b.links(pages)...)
	return err
}

// parted splits the children of a folder into pages and folders.
func parted(found []child) (pages []entry, folders []string) {
	for _, c := range found {
		if c.folder {
			folders = append(folders, c.location)
		} else {
			pages = append(pages, c.entry)
		}
	}
	return pages, folders
}

// grouped returns links to the parts of a folder that has too many children.
func (b *builder) grouped() (links []link, err error) {
	groups, err := b.groups(b.ctx, b.in, folderLinks, b.most-linksAround-2)
	for _, g := range groups {
		some, more, err := b.first(b.ctx, g.prefix, 1)
		switch {
		case err != nil:
			return nil, err
		case len(some) == 0: // it has left meanwhile
		case g.page, !more:
			links = append(links, b.page(some[0]))
		default:
			links = append(links, link{Href: b.href(g.prefix), Text: readable(g.prefix[len(folderOf(b.in)):]) + "…"})
		}
	}
	return links, err
}

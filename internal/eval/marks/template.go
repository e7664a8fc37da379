package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// build is one version of the template.
type build struct {
	site   string
	number int
	at     int64 // when it was built, in Unix seconds
	hash   string
	menu   []string
	notice bool
	boxed  bool // the body has one more element around it
}

// renew makes the next version: always with other assets and a new date, sometimes with a
// menu entry, a line under each text, or another element around all.
func (b *build) renew(r *rand.Rand) {
	b.hash = fmt.Sprintf("%08x", r.Uint32())
	if b.number%3 == 0 {
		b.menu = append(b.menu, invented(r, 2))
	}
	b.notice = b.notice || b.number == 4
	b.boxed = b.boxed || b.number == 8
}

// fetch returns what a visitor gets for a page.
func (b *build) fetch(p *source, at int64) *fetch {
	truth := truthSame
	switch {
	case !p.seen:
		truth = truthFirst
	case p.edited:
		truth = truthChange
	}
	p.seen, p.edited = true, false
	return &fetch{Site: b.site, Page: p.name, Unix: at, Truth: truth, HTML: b.render(p.html)}
}

// render puts a page into the template.
func (b *build) render(html string) string {
	for _, ending := range [...]string{".css", ".js", ".png", ".svg"} {
		html = strings.ReplaceAll(html, ending+`"`, "."+b.hash+ending+`"`)
	}
	html = strings.Replace(html, "</title>", fmt.Sprintf(" - version 4.%d</title>", b.number), 1)
	var top, end strings.Builder
	top.WriteString(`<div class="menu"><ul>`)
	for _, m := range b.menu {
		fmt.Fprintf(&top, `<li><a href="/%s">%s</a></li>`, m, m)
	}
	fmt.Fprintf(&top, "</ul><p>Documentation of version 4.%d</p></div>", b.number)
	if b.boxed {
		top.WriteString(`<div class="box">`)
		end.WriteString("</div>")
	}
	if b.notice {
		end.WriteString("<p>Have you found a mistake on this page? Write to us, and we will see to it.</p>")
	}
	day := b.at / 86400
	fmt.Fprintf(&end, `<div class="foot"><p>© 2026 The authors.</p><p>Last updated on %d May 2026. Created with Builder 7.%d.</p></div>`, 1+day%28, b.number)
	return insert(html, top.String(), end.String())
}

// insert puts markup at the beginning and at the end of the body, or of the
// page if its body has no tags.
func insert(html, top, end string) string {
	at := 0
	if i := strings.Index(html, "<body"); i >= 0 {
		at = i + strings.IndexByte(html[i:], '>') + 1
	}
	last := strings.LastIndex(html, "</body>")
	if last < at {
		last = len(html)
	}
	return html[:at] + top + html[at:last] + end + html[last:]
}

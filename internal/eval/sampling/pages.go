package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

const (
	pagesShown = 64
	pageBytes  = 95 << 10
)

// pages are the bodies of a site's pages, each in two versions.
type pages struct {
	bodies [2][pagesShown][]byte
	next   int
}

func newPages() *pages {
	p := new(pages)
	for version := range p.bodies {
		for i := range p.bodies[version] {
			p.bodies[version][i] = body(i, version)
		}
	}
	return p
}

func pathOf(i int) string { return fmt.Sprintf("/page/%d", i) }

func body(page, version int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>Page %d</title></head><body><nav>", page)
	for i := range pagesShown {
		fmt.Fprintf(&b, `<a href="%s">Page %d</a> `, pathOf(i), i)
	}
	b.WriteString("</nav><main>")
	for n := 0; b.Len() < pageBytes; n++ {
		fmt.Fprintf(&b, `<div class="row"><h2>Section %d of page %d</h2><p>Version %d says <b>this</b> in section %d.</p></div>`, n, page, version, n)
	}
	b.WriteString("</main></body></html>")
	return []byte(b.String())
}

// front is a look at the page that links to all others.
func (p *pages) front() *look.Sighting { return sighting("/", p.bodies[0][0]) }

// same is a look at the next page, which is what it was at first.
func (p *pages) same() *look.Sighting { return p.look(0) }

// changed is a look at the next page, which is another one than last time.
func (p *pages) changed() *look.Sighting { return p.look(p.next / pagesShown % 2) }

func (p *pages) look(version int) *look.Sighting {
	i := p.next % pagesShown
	p.next++
	return sighting(pathOf(i), p.bodies[version][i])
}

func sighting(loc string, body []byte) *look.Sighting {
	return &look.Sighting{
		Kind: admit.Witness, Location: loc, At: time.Now(),
		Response: &tap.Response{
			Status: http.StatusOK, Header: tap.Header{ContentType: "text/html; charset=utf-8"}, Body: body, Written: int64(len(body)), Complete: true,
		},
	}
}

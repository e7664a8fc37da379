package leak_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// row is one scenario of the corpus: some pages, how visitors ask for them, what they answer, and
// what must become of them.
type row struct {
	name string
	// route is the template of the page's route, "" for the one that takes everything. path is what
	// visitors ask for; if empty, it is the route with the canary as its last variable. In route,
	// path and head, "{c}" stands for the canary. A private page's canary must appear nowhere.
	route, path string
	canaries    []string // words if nil; each makes a page
	loc         string   // the location to ask about afterwards, if it is not path

	linked bool // the home page links to it

	method  string // GET if ""
	headers http.Header
	visit   func(w *world, p *page, n int) // what the n-th visitor does, if not just get the page

	personal bool // a page shows each visitor the link to another of these pages
	moves    int  // or redirects each visitor there, with this status

	head     string
	response http.Header
	answer   func(rw http.ResponseWriter, r *http.Request, html string) // writes the page, if not nil
	late     func(rw http.ResponseWriter, r *http.Request, html string) // replaces answer in the last round

	want string // the verdict, or "refused" if it can be no location, and the reason; alternatives are separated by "|"
	says string // what the explanation's text must also contain
	was  bool   // it was listed once, so it may be stored
}

// page is one page of a row.
type page struct {
	*row
	canary, target, location string
	private                  bool
	ownHead                  string
	board                    string // the page that leads to it, if it is personal
}

func (r *row) public() bool { return strings.HasPrefix(r.want, "listed: ") }

func (r *row) private() bool { return !r.public() && !r.was }

// allows reports whether a verdict and its reason are among the wanted ones.
func (r *row) allows(verdict, reason string) bool {
	verdicts, reasons, _ := strings.Cut(r.want, ": ")
	return oneOf(verdict, verdicts) && oneOf(reason, reasons)
}

// pathOf returns the path to ask for at a route.
func pathOf(route string) string {
	from, to := strings.LastIndexByte(route, '{'), strings.LastIndexByte(route, '}')
	switch {
	case strings.HasSuffix(route, "{$}"):
		return route[:from]
	case from < 0 || strings.Contains(route, "{c}"):
		return route
	}
	return route[:from] + "{c}" + route[to+1:]
}

// withCanary puts the canary into a text of the row.
func withCanary(s, canary string) string { return strings.ReplaceAll(s, "{c}", canary) }

func (r *row) page(canary string) *page {
	loc := r.loc
	if loc == "" {
		loc = r.path
	}
	return &page{
		row: r, canary: canary, target: withCanary(r.path, canary), location: withCanary(loc, canary), private: r.private(),
		ownHead: withCanary(r.head, canary),
	}
}

// after returns where the private page with a canary leads. It is in its own folder, so that only
// the link could vouch for it.
func after(canary string) string { return "/after/" + url.PathEscape(canary) + "/more" }

// handler returns the handler of the page in s.
func (p *page) handler(s *scene) http.HandlerFunc {
	about, links := "about "+p.name, []string(nil)
	if p.private {
		about, links = marker+" "+p.name, []string{after(p.canary)}
	}
	return func(rw http.ResponseWriter, r *http.Request) {
		if p.private && len(p.headers) > 0 && servemap.Exploring(r) { // strangers do not get it
			http.Error(rw, "who are you?", http.StatusUnauthorized)
			return
		}
		for name, values := range p.response {
			rw.Header()[name] = values
		}
		body := testkit.HTML(p.ownHead, about+" "+p.canary+" "+r.URL.Query().Get("page"), links...)
		switch {
		case p.late != nil && s.round.Load() == int64(s.setup.rounds)-1:
			p.late(rw, r, body)
		case p.answer != nil:
			p.answer(rw, r, body)
		default:
			io.WriteString(rw, body)
		}
	}
}

// get is what a visitor does by default.
func (p *page) get(w *world, n int) {
	if p.visit != nil {
		p.visit(w, p, n)
		return
	}
	method := p.method
	if method == "" {
		method = http.MethodGet
	}
	w.do(w.client, w.request(n, method, p.target, p.headers))
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h[pairs[i]] = append(h[pairs[i]], pairs[i+1])
	}
	return h
}

// split writes the page in two pieces, flushed, cut inside a word.
func split(inside string) func(http.ResponseWriter, *http.Request, string) {
	return func(rw http.ResponseWriter, _ *http.Request, html string) {
		at := strings.Index(html, inside) + len(inside)/2
		io.WriteString(rw, html[:at])
		rw.(http.Flusher).Flush()
		io.WriteString(rw, html[at:])
	}
}

// byOne makes the same visitor make each visit.
func byOne(w *world, p *page, _ int) {
	w.do(w.client, w.request(0, http.MethodGet, p.target, p.headers))
}

// byHost asks for the page under the name of a host.
func byHost(host string) func(*world, *page, int) {
	return func(w *world, p *page, n int) {
		req := w.request(n, http.MethodGet, p.target, p.headers)
		req.Host = host
		w.do(w.client, req)
	}
}

// byPrivate asks from an address of a private network.
func byPrivate(w *world, p *page, n int) {
	req := w.request(n, http.MethodGet, p.target, nil)
	req.Header.Set(visitorHeader, fmt.Sprintf("10.%d.0.5", n))
	w.do(w.client, req)
}

// byCertificate shows a client certificate.
func byCertificate(w *world, p *page, n int) {
	client := w.newClient()
	transport := client.Transport.(*http.Transport)
	transport.TLSClientConfig = transport.TLSClientConfig.Clone()
	transport.TLSClientConfig.Certificates = []tls.Certificate{w.srv.TLS.Certificates[0]}
	w.do(client, w.request(n, http.MethodGet, p.target, nil))
	transport.CloseIdleConnections()
}

// leaving leaves before the page is complete.
func leaving(w *world, p *page, n int) {
	ctx, cancel := context.WithTimeout(w.Context(), 10*time.Second)
	defer cancel()
	resp, err := w.client.Do(w.request(n, http.MethodGet, p.target, nil).WithContext(ctx))
	if err == nil {
		cancel()
		resp.Body.Close()
	}
}

// stalled begins the page and waits for the visitor to leave.
func stalled(rw http.ResponseWriter, r *http.Request, html string) {
	io.WriteString(rw, html)
	rw.(http.Flusher).Flush()
	<-r.Context().Done()
}

// many returns n canaries with the same beginning.
func many(n int) (canaries []string) {
	first := words()
	for i := range n {
		canaries = append(canaries, fmt.Sprintf("%s-%03d", first, i))
	}
	return canaries
}

// apart returns n canaries of words that have nothing in common.
func apart(n int) (canaries []string) {
	for range n {
		canaries = append(canaries, words())
	}
	return canaries
}

// boardPage leads each visitor to another page, and so the site itself too.
func boardPage(s *scene, row []*page) http.HandlerFunc {
	var own atomic.Int64
	return func(rw http.ResponseWriter, r *http.Request) {
		target := row[s.round.Load()].target
		if servemap.Exploring(r) {
			target += strings.Repeat("-own", int(own.Add(1)))
		}
		if status := row[0].moves; status != 0 {
			http.Redirect(rw, r, target, status)
			return
		}
		testkit.Page(r.URL.Path, target)(rw, r)
	}
}

package recipes

import (
	"context"
	"io"
	"net/http"

	"github.com/a-h/templ"

	"github.com/servemap/servemap"
)

// component stands in for the output of "templ generate".
func component(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// Templ is a site of templ components. templ.Handler renders into a buffer first. So a
// component that fails gives an error page and not half a page. Keep it so: do not switch
// on streaming for pages that may fail.
func Templ(site *servemap.Site) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", templ.Handler(component(home)))
	mux.Handle("GET /about", templ.Handler(component(about)))
	mux.HandleFunc("GET /p/{name}", func(w http.ResponseWriter, r *http.Request) {
		templ.Handler(component(product(r.PathValue("name")))).ServeHTTP(w, r)
	})
	return site.Wrap(mux)
}

// HTMX is a site that answers htmx with a part of the page, and visitors with the whole
// page. servemap leaves out requests by scripts, so you need do nothing. Send Vary, so that
// no cache confuses the two.
func HTMX(site *servemap.Site) http.Handler {
	mux := shop()
	mux.HandleFunc("GET /news", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "HX-Request")
		if r.Header.Get("HX-Request") == "true" {
			page(`<p>Tea is cheaper today.</p>`)(w, r)
			return
		}
		page(`<!doctype html><title>News</title><p hx-get="/news">Tea is cheaper today.</p>`)(w, r)
	})
	return site.Wrap(mux)
}

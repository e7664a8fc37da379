// Package recipes shows how to put servemap into many kinds of programs. Each file is one
// recipe: copy what you need. The tests run each of them as visitors would.
//
// The pages are those of a small shop. "/" links to "/p/teapot". Nothing links to "/about"
// or to any other page below "/p/". If servemap can see the program's routes, it lists "/",
// "/about" and "/p/teapot". If it cannot, it lists "/" and "/p/teapot".
package recipes

import (
	"fmt"
	"html"
	"net/http"
)

const home = `<!doctype html><title>Shop</title><p>Welcome. Look at our <a href="/p/teapot">teapot</a>.</p>`

const about = `<!doctype html><title>About</title><p>We have sold teapots since 1987.</p>`

func product(name string) string {
	return fmt.Sprintf(`<!doctype html><title>%[1]s</title><p>This is the %[1]s.</p>`, html.EscapeString(name))
}

// page returns a handler that answers with HTML.
func page(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	}
}

// shop returns the shop with the router of the standard library.
func shop() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", page(home))
	mux.Handle("GET /about", page(about))
	mux.HandleFunc("GET /p/{name}", func(w http.ResponseWriter,
		r *http.Request) {
		page(product(r.PathValue("name")))(w, r)
	})
	return mux
}

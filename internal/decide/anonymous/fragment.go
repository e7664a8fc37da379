package anonymous

import (
	"net/http"
	"strings"
)

// IsFragment reports whether the answer to a request is a part of a page, or shown only inside another
// one. Browsers say in Sec-Fetch-Dest what they want it for (W3C Fetch Metadata), and libraries say
// so in headers of their own.
func IsFragment(h http.Header) bool {
	if dest, ok := h["Sec-Fetch-Dest"]; ok && (len(dest) != 1 || dest[0] != "document") && !Boosted(h) {
		return true
	}
	if len(h["Hx-Request"]) > 0 && len(h["Hx-Boosted"]) == 0 {
		return true
	}
	for _, name := range fragmentHeaders {
		if _, ok := h[name]; ok {
			return true
		}
	}
	return false
}

// Boosted reports whether a script asks for a page in the browser's place, since a visitor follows a link.
// htmx says so, and Turbo asks for HTML, as other scripts do not. The site may know, and answer with a part
// of the page.
func Boosted(h http.Header) bool {
	dest, accept := h["Sec-Fetch-Dest"], h["Accept"]
	if len(dest) > 1 || len(dest) == 1 && dest[0] != "empty" {
		return false
	}
	return len(h["Hx-Boosted"]) > 0 || len(dest) == 1 && len(accept) == 1 && strings.HasPrefix(accept[0], "text/html,")
}

// fragmentHeaders are the headers, in canonical form, of jQuery and similar libraries, Turbo, pjax,
// barba, Unpoly, Inertia, Livewire, Alpine AJAX, intercooler and Datastar.
var fragmentHeaders = []string{
	"X-Requested-With", "Turbo-Frame", "X-Pjax", "X-Pjax-Container", "X-Barba", "X-Up-Version", "X-Up-Target", "X-Inertia",
	"X-Livewire", "X-Alpine-Request", "X-Ic-Request", "Datastar-Request",
}

package anonymous

import "net/http"

// IsFragment reports whether a script or a frame sent the request, and not a visitor who opened a
// page. The response may be a part of a page, or a page that is shown only inside another one.
//
// Browsers say in Sec-Fetch-Dest what a response is for (W3C Fetch Metadata). Libraries send the
// other headers when they ask for parts of pages. With HX-Boosted, htmx asks for a whole page.
func IsFragment(h http.Header) bool {
	if dest, ok := h["Sec-Fetch-Dest"]; ok && (len(dest) != 1 || dest[0] != "document") {
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

// fragmentHeaders are the headers, in canonical form, of jQuery and similar libraries, Turbo, pjax,
// barba, Unpoly, Inertia, Livewire, Alpine AJAX, intercooler and Datastar.
var fragmentHeaders = []string{
	"X-Requested-With", "Turbo-Frame", "X-Pjax", "X-Pjax-Container", "X-Barba", "X-Up-Version", "X-Up-Target", "X-Inertia",
	"X-Livewire", "X-Alpine-Request", "X-Ic-Request", "Datastar-Request",
}

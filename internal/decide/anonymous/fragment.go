package anonymous

import "net/http"

// IsFragment reports whether the answer to a request is a part of a page, or shown only inside another
// one. Browsers say in Sec-Fetch-Dest what they want it for (W3C Fetch Metadata), and libraries say
// so in headers of their own. Where htmx or Turbo asks for a whole page, that does not count either: the site may
// answer with a part of it. Crawlers, and visitors who enter the site there, get the page itself.
func IsFragment(h http.Header) bool {
	if dest, ok := h["Sec-Fetch-Dest"]; ok && (len(dest) != 1 || dest[0] != "document") {
		return true
	}
	for _, name := range fragmentHeaders {
		if _, ok := h[name]; ok {
			return true
		}
	}
	return false
}

// fragmentHeaders are the headers, in canonical form, of htmx, jQuery and similar libraries, Turbo, pjax,
// barba, Unpoly, Inertia, Livewire, Alpine AJAX, intercooler and Datastar.
var fragmentHeaders = []string{
	"Hx-Request", "X-Requested-With", "Turbo-Frame", "X-Pjax", "X-Pjax-Container", "X-Barba", "X-Up-Version", "X-Up-Target", "X-Inertia",
	"X-Livewire", "X-Alpine-Request", "X-Ic-Request", "Datastar-Request",
}
